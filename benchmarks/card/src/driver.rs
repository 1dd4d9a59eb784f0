// SPDX-License-Identifier: Apache-2.0
//! NVIDIA's driver, opened at run time: the few functions that load a cubin, launch it and bring back what it
//! wrote.

use std::ffi::{c_char, c_int, c_uint, c_void, CStr};
use std::ptr;

use gpurf_sim::modern::{ClockedInstruction, SiliconCard};
use libloading::Library;
use thiserror::Error;

use crate::frame::{Architecture, Frame};

#[derive(Debug, Error)]
pub enum Error {
    #[error("no driver of NVIDIA: {0}; run this where `nvidia-smi` lists a GPU")]
    NoDriver(libloading::Error),
    #[error("{function} of the driver: {name} ({code})")]
    Refused { function: &'static str, name: String, code: c_int },
    #[error("there is no GPU {number}: the driver has {count}")]
    NoGpu { number: usize, count: usize },
    #[error("{name} has compute capability {major}.{minor}, and windows are made for 7.5 and 8.0 to 9.0")]
    Unknown { name: String, major: u32, minor: u32 },
    #[error("a run took {0} cycles: its window was interrupted, or the GPU has another encoding")]
    Strange(u32),
}

const LIBRARY: &str = "libcuda.so.1";

/// Attributes of a GPU by the driver's numbers.
const CLOCK_KHZ: c_int = 13;
const MAJOR: c_int = 75;
const MINOR: c_int = 76;

type Status = c_int;

/// The driver with its functions.
pub struct Driver {
    library: Library,
}

impl Driver {
    pub fn open() -> Result<Driver, Error> {
        // SAFETY: the driver's constructors only set up the driver.
        let library = unsafe { Library::new(LIBRARY) }.map_err(Error::NoDriver)?;
        let driver = Driver { library };
        let init: unsafe extern "C" fn(c_uint) -> Status = driver.function("cuInit")?;
        // SAFETY: as the driver declares it, with the only flags that it has.
        driver.done("cuInit", unsafe { init(0) })?;
        Ok(driver)
    }

    /// A function of the driver, whose type the caller knows.
    fn function<F: Copy>(&self, name: &'static str) -> Result<F, Error> {
        // SAFETY: the driver's interface keeps a function's type under a name.
        unsafe { self.library.get::<F>(name.as_bytes()) }.map(|found| *found).map_err(Error::NoDriver)
    }

    fn done(&self, function: &'static str, code: Status) -> Result<(), Error> {
        if code == 0 {
            return Ok(());
        }
        let error_name: unsafe extern "C" fn(Status, *mut *const c_char) -> Status =
            self.function("cuGetErrorName")?;
        let mut name = ptr::null();
        // SAFETY: the driver writes the address of a name that it keeps, or leaves it.
        unsafe { error_name(code, &mut name) };
        let name = match name.is_null() {
            true => "an error without a name".to_string(),
            // SAFETY: it is a name with a zero behind it.
            false => unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned(),
        };
        Err(Error::Refused { function, name, code })
    }

    fn number(&self, function: &'static str) -> Result<c_int, Error> {
        let get: unsafe extern "C" fn(*mut c_int) -> Status = self.function(function)?;
        let mut number = 0;
        // SAFETY: it writes one number.
        self.done(function, unsafe { get(&mut number) })?;
        Ok(number)
    }

    /// The GPU of this number, ready for launches.
    pub fn gpu(&self, number: usize) -> Result<Gpu<'_>, Error> {
        let count = self.number("cuDeviceGetCount")? as usize;
        if number >= count {
            return Err(Error::NoGpu { number, count });
        }
        let get: unsafe extern "C" fn(*mut c_int, c_int) -> Status = self.function("cuDeviceGet")?;
        let mut device = 0;
        // SAFETY: it writes one handle.
        self.done("cuDeviceGet", unsafe { get(&mut device, number as c_int) })?;
        let name: unsafe extern "C" fn(*mut c_char, c_int, c_int) -> Status =
            self.function("cuDeviceGetName")?;
        let mut bytes = [0 as c_char; 256];
        // SAFETY: it writes at most as many bytes as it is told, a zero among them.
        self.done("cuDeviceGetName", unsafe { name(bytes.as_mut_ptr(), bytes.len() as c_int, device) })?;
        // SAFETY: see above.
        let name = unsafe { CStr::from_ptr(bytes.as_ptr()) }.to_string_lossy().into_owned();
        let attribute = |attribute: c_int| {
            let get: unsafe extern "C" fn(*mut c_int, c_int, c_int) -> Status =
                self.function("cuDeviceGetAttribute")?;
            let mut value = 0;
            // SAFETY: it writes one number.
            self.done("cuDeviceGetAttribute", unsafe { get(&mut value, attribute, device) })?;
            Ok::<u32, Error>(value as u32)
        };
        let (major, minor) = (attribute(MAJOR)?, attribute(MINOR)?);
        let Some(architecture) = Architecture::of((major, minor)) else {
            return Err(Error::Unknown { name, major, minor });
        };
        let retain: unsafe extern "C" fn(*mut *mut c_void, c_int) -> Status =
            self.function("cuDevicePrimaryCtxRetain")?;
        let mut context = ptr::null_mut();
        // SAFETY: it writes one handle.
        self.done("cuDevicePrimaryCtxRetain", unsafe { retain(&mut context, device) })?;
        let current: unsafe extern "C" fn(*mut c_void) -> Status = self.function("cuCtxSetCurrent")?;
        // SAFETY: the handle is the driver's.
        self.done("cuCtxSetCurrent", unsafe { current(context) })?;
        let version = self.number("cuDriverGetVersion")?;
        let measured = format!(
            "driver interface {}.{}, {} MHz by its attribute",
            version / 1000,
            version % 1000 / 10,
            attribute(CLOCK_KHZ)? / 1000
        );
        let frame = Frame::of(architecture);
        let card = SiliconCard {
            fp32_initiation: architecture.fp32_initiation,
            compute_capability: Some(format!("{major}.{minor}")),
            measured: Some(measured),
        };
        Ok(Gpu { driver: self, name, card, frame })
    }
}

/// A GPU that runs windows.
pub struct Gpu<'a> {
    driver: &'a Driver,
    pub name: String,
    pub card: SiliconCard,
    frame: Frame,
}

/// No window takes as many.
const MOST_CYCLES: u32 = 1000;

impl Gpu<'_> {
    /// Cycles of a window in each of `runs` runs of one warp, one behind the other in one launch.
    pub fn run(&self, code: &[ClockedInstruction], runs: u32) -> Result<Vec<u32>, Error> {
        let driver = self.driver;
        let cubin = self.frame.with(code);
        let load: unsafe extern "C" fn(*mut *mut c_void, *const c_void) -> Status =
            driver.function("cuModuleLoadData")?;
        let mut module = ptr::null_mut();
        // SAFETY: a cubin says itself where it ends.
        driver.done("cuModuleLoadData", unsafe { load(&mut module, cubin.as_ptr().cast()) })?;
        let cycles = self.launch(module, runs);
        let unload: unsafe extern "C" fn(*mut c_void) -> Status = driver.function("cuModuleUnload")?;
        // SAFETY: the module is loaded, and nothing of it runs.
        let unloaded = driver.done("cuModuleUnload", unsafe { unload(module) });
        let cycles = cycles?;
        unloaded?;
        // The first run fetches the code.
        match cycles.iter().skip(1).find(|&&cycles| cycles == 0 || cycles > MOST_CYCLES) {
            Some(&strange) => Err(Error::Strange(strange)),
            None => Ok(cycles),
        }
    }

    fn launch(&self, module: *mut c_void, runs: u32) -> Result<Vec<u32>, Error> {
        let driver = self.driver;
        let find: unsafe extern "C" fn(*mut *mut c_void, *mut c_void, *const c_char) -> Status =
            driver.function("cuModuleGetFunction")?;
        let mut kernel = ptr::null_mut();
        // SAFETY: the module is loaded, the name ends with a zero.
        driver.done("cuModuleGetFunction", unsafe { find(&mut kernel, module, c"window".as_ptr()) })?;
        let allocate: unsafe extern "C" fn(*mut u64, usize) -> Status = driver.function("cuMemAlloc_v2")?;
        let mut cycles = vec![0u32; runs as usize];
        let (mut memory, bytes) = (0u64, size_of_val(&cycles[..]));
        // SAFETY: it writes one address.
        driver.done("cuMemAlloc_v2", unsafe { allocate(&mut memory, bytes) })?;
        let ran = self.launch_into(kernel, memory, &mut cycles);
        let free: unsafe extern "C" fn(u64) -> Status = driver.function("cuMemFree_v2")?;
        // SAFETY: the address is the driver's, and the kernel has ended.
        let freed = driver.done("cuMemFree_v2", unsafe { free(memory) });
        ran?;
        freed?;
        Ok(cycles)
    }

    fn launch_into(&self, kernel: *mut c_void, mut memory: u64, cycles: &mut [u32]) -> Result<(), Error> {
        type Launch = unsafe extern "C" fn(
            *mut c_void,
            c_uint,
            c_uint,
            c_uint,
            c_uint,
            c_uint,
            c_uint,
            c_uint,
            *mut c_void,
            *mut *mut c_void,
            *mut *mut c_void,
        ) -> Status;
        let driver = self.driver;
        let launch: Launch = driver.function("cuLaunchKernel")?;
        let (mut runs, mut many) = (cycles.len() as u32, 0u64);
        let mut parameters: [*mut c_void; 3] =
            [(&raw mut memory).cast(), (&raw mut runs).cast(), (&raw mut many).cast()];
        // SAFETY: the kernel has these three parameters, and writes as many words as it is told. It has one
        // thread and no shared memory, in the stream that each context has.
        let launched = unsafe {
            let parameters = parameters.as_mut_ptr();
            launch(kernel, 1, 1, 1, 1, 1, 1, 0, ptr::null_mut(), parameters, ptr::null_mut())
        };
        driver.done("cuLaunchKernel", launched)?;
        let wait: unsafe extern "C" fn() -> Status = driver.function("cuCtxSynchronize")?;
        // SAFETY: it only waits.
        driver.done("cuCtxSynchronize", unsafe { wait() })?;
        let copy: unsafe extern "C" fn(*mut c_void, u64, usize) -> Status =
            driver.function("cuMemcpyDtoH_v2")?;
        let bytes = size_of_val(cycles);
        // SAFETY: both have as many bytes.
        driver.done("cuMemcpyDtoH_v2", unsafe { copy(cycles.as_mut_ptr().cast(), memory, bytes) })
    }
}

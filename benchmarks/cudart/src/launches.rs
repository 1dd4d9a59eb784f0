// SPDX-License-Identifier: Apache-2.0
//! Registration of code, and launches: what the compiler generates calls of.

use std::ffi::{c_char, c_void, CStr};
use std::sync::Arc;

use gpurf_workloads::{Argument, Cause, Error};

use crate::errors::{
    Answer, Code, ASSERT, ILLEGAL_ADDRESS, INVALID_CONFIGURATION, LAUNCH_FAILURE, LAUNCH_TIMEOUT,
    MISALIGNED_ADDRESS, MISSING_CONFIGURATION, SUCCESS,
};
use crate::fat_binary::{cubin, Wrapper};
use crate::host::{answer, complain, give_up, host, Host, Locked};
use crate::operations::Operation;
use crate::streams::Stream;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Dim3 {
    x: u32,
    y: u32,
    z: u32,
}

impl From<Dim3> for [u32; 3] {
    fn from(Dim3 { x, y, z }: Dim3) -> [u32; 3] {
        [x, y, z]
    }
}

impl From<[u32; 3]> for Dim3 {
    fn from([x, y, z]: [u32; 3]) -> Dim3 {
        Dim3 { x, y, z }
    }
}

/// A handle is a place for the number, as the program only passes it on.
#[no_mangle]
pub unsafe extern "C" fn __cudaRegisterFatBinary(wrapper: *const Wrapper) -> *mut usize {
    let code = unsafe { cubin(wrapper) }.unwrap_or_else(|message| give_up(message));
    Box::into_raw(Box::new(host().add_binary(code)))
}

#[no_mangle]
pub unsafe extern "C" fn __cudaRegisterFatBinaryEnd(_: *mut usize) {}

/// At the end of the program.
#[no_mangle]
pub unsafe extern "C" fn __cudaUnregisterFatBinary(_: *mut usize) {
    host().finish();
}

#[no_mangle]
pub unsafe extern "C" fn __cudaRegisterFunction(
    binary: *mut usize,
    function: *const c_void,
    _: *mut c_char,
    name: *const c_char,
    _: i32,
    _: *mut c_void,
    _: *mut c_void,
    _: *mut c_void,
    _: *mut c_void,
    _: *mut i32,
) {
    let name = unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned();
    host().functions.insert(function as usize, (unsafe { *binary }, name));
}

#[no_mangle]
pub unsafe extern "C" fn __cudaRegisterVar(
    binary: *mut usize,
    variable: *const c_void,
    _: *mut c_char,
    name: *const c_char,
    _: i32,
    _: usize,
    _: i32,
    _: i32,
) {
    let name = unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned();
    host().variables.insert(variable as usize, (unsafe { *binary }, name));
}

/// A variable that the host sees too: at `variable` it expects the address, once the module is initialised.
#[no_mangle]
pub unsafe extern "C" fn __cudaRegisterManagedVar(
    binary: *mut usize,
    variable: *mut u64,
    _: *mut c_char,
    name: *const c_char,
    _: i32,
    _: usize,
    _: i32,
    _: i32,
) {
    let name = unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned();
    host().managed.push((unsafe { *binary }, name, variable as usize));
}

/// Called before the host first looks at a managed variable.
#[no_mangle]
pub unsafe extern "C" fn __cudaInitModule(_: *mut usize) -> c_char {
    let code = answer(|host| {
        let mut places = vec![];
        for (binary, name, variable) in std::mem::take(&mut host.managed) {
            let (device, module) = host.with_module(binary);
            let variables = device.variables(module).unwrap_or_else(|error| give_up(error));
            let sizes = module.globals.iter().find_map(|data| data.symbols.get(&name));
            let place = variables.into_iter().find(|(known, _)| *known == name).zip(sizes);
            let Some(((_, address), (_, size))) = place else {
                give_up(format!("the device code has no managed variable {name}"))
            };
            places.push((address, u64::from(*size), variable));
        }
        places.sort_unstable();
        for (address, size, variable) in places {
            host.share(address, size)?;
            unsafe {
                *(variable as *mut u64) = address;
            }
        }
        Ok(())
    });
    c_char::from(code == SUCCESS)
}

#[no_mangle]
pub unsafe extern "C" fn __cudaPushCallConfiguration(
    grid: Dim3,
    block: Dim3,
    shared: usize,
    stream: usize,
) -> u32 {
    host().configurations.push((grid.into(), block.into(), shared, stream));
    0
}

#[no_mangle]
pub unsafe extern "C" fn __cudaPopCallConfiguration(
    grid: *mut [u32; 3],
    block: *mut [u32; 3],
    shared: *mut usize,
    stream: *mut usize,
) -> i32 {
    // A kernel that is called as a plain function does not run.
    answer(|host| {
        let configuration = host.configurations.pop().ok_or(MISSING_CONFIGURATION)?;
        unsafe { (*grid, *block, *shared, *stream) = configuration };
        Ok(())
    })
}

/// Kernels are known by the addresses of their functions.
#[no_mangle]
pub unsafe extern "C" fn __cudaGetKernel(kernel: *mut *const c_void, function: *const c_void) -> i32 {
    unsafe { *kernel = function };
    SUCCESS
}

#[no_mangle]
pub unsafe extern "C" fn cudaGetKernel(kernel: *mut *const c_void, function: *const c_void) -> i32 {
    unsafe { __cudaGetKernel(kernel, function) }
}

#[no_mangle]
pub unsafe extern "C" fn cudaGetFuncBySymbol(kernel: *mut *const c_void, function: *const c_void) -> i32 {
    unsafe { __cudaGetKernel(kernel, function) }
}

/// A launch with all that it needs.
#[derive(Clone)]
pub struct Launch {
    pub function: *const c_void,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub shared: usize,
    pub arguments: Arc<Vec<Argument>>,
}

impl Launch {
    pub unsafe fn new(
        host: &mut Host,
        function: *const c_void,
        grid: Dim3,
        block: Dim3,
        arguments: *const *const u8,
        shared: usize,
    ) -> Answer<Launch> {
        let (grid, block): ([u32; 3], [u32; 3]) = (grid.into(), block.into());
        if grid.contains(&0) || block.contains(&0) {
            return Err(INVALID_CONFIGURATION);
        }
        let kernel = host.kernel(function)?;
        let Some(parameters) = &kernel.parameters else {
            give_up(format!("the device code does not tell the parameters of {}", kernel.name))
        };
        let argument = |(number, size): (usize, u32)| {
            let bytes = unsafe { std::slice::from_raw_parts(*arguments.add(number), size as usize) };
            Argument(bytes.to_vec())
        };
        let sizes = parameters.iter().map(|parameter| parameter.size);
        let arguments = Arc::new(sizes.enumerate().map(argument).collect());
        Ok(Launch { function, grid, block, shared, arguments })
    }

    pub fn run(&self, host: &mut Locked) -> Answer {
        host.send_shared();
        let Some((binary, name)) = host.functions.get(&(self.function as usize)).cloned() else {
            give_up("a launch of a function that is no kernel of this program")
        };
        let (device, module) = host.with_module(binary);
        let ([gx, gy, gz], [bx, by, bz]) = (self.grid, self.block);
        let shared = u32::try_from(self.shared).unwrap_or(u32::MAX);
        let launched = device.launch(module, &name, (gx, gy, gz), (bx, by, bz), shared, &self.arguments);
        print(&device.take_printed());
        device.take_hazards().into_iter().for_each(complain);
        match launched {
            Ok(()) => {
                host.fetch_shared();
                Ok(())
            }
            // Programs ask for too much to learn how much there is.
            Err(error @ Error::Launch { .. }) => {
                complain(error);
                Err(INVALID_CONFIGURATION)
            }
            Err(error) => match fault(&error) {
                Some(code) => {
                    let beside_memory = matches!(error, Error::Fault { cause: Cause::Address, .. });
                    complain(error);
                    if beside_memory {
                        complain("GPURF_MARGIN=256 lets kernels touch so many bytes beside each allocation");
                    }
                    host.set_fault(code);
                    Err(code)
                }
                None => give_up(error),
            },
        }
    }
}

/// Prints by way of C's output, so that all that the program prints stays in its order.
fn print(text: &str) {
    if unsafe { fwrite(text.as_ptr(), 1, text.len(), stdout) } != text.len() {
        give_up("what the kernel prints cannot be written");
    }
}

extern "C" {
    static stdout: *mut c_void;
    fn fwrite(data: *const u8, bytes: usize, count: usize, file: *mut c_void) -> usize;
}

/// CUDA's number for what a kernel did wrong; `None`: it is not the kernel's fault.
fn fault(error: &Error) -> Option<Code> {
    let Error::Fault { cause, .. } = error else { return None };
    Some(match cause {
        Cause::Address | Cause::Bounds => ILLEGAL_ADDRESS,
        Cause::Alignment => MISALIGNED_ADDRESS,
        Cause::Assertion => ASSERT,
        Cause::Endless => LAUNCH_TIMEOUT,
        Cause::Other => LAUNCH_FAILURE,
        Cause::Unknown => return None,
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaLaunchKernel(
    function: *const c_void,
    grid: Dim3,
    block: Dim3,
    arguments: *const *const u8,
    shared: usize,
    stream: *mut Stream,
) -> i32 {
    answer(|host| unsafe {
        let launch = Launch::new(host, function, grid, block, arguments, shared)?;
        host.submit(stream, Operation::Launch(launch))
    })
}

#[no_mangle]
pub unsafe extern "C" fn __cudaLaunchKernel(
    kernel: *const c_void,
    grid: Dim3,
    block: Dim3,
    arguments: *const *const u8,
    shared: usize,
    stream: *mut Stream,
) -> i32 {
    unsafe { cudaLaunchKernel(kernel, grid, block, arguments, shared, stream) }
}

/// Blocks of any launch can wait for each other here.
#[no_mangle]
pub unsafe extern "C" fn cudaLaunchCooperativeKernel(
    function: *const c_void,
    grid: Dim3,
    block: Dim3,
    arguments: *const *const u8,
    shared: usize,
    stream: *mut Stream,
) -> i32 {
    unsafe { cudaLaunchKernel(function, grid, block, arguments, shared, stream) }
}

/// `cudaLaunchConfig_t`.
#[repr(C)]
pub struct LaunchConfiguration {
    grid: Dim3,
    block: Dim3,
    shared: usize,
    stream: *mut Stream,
    attributes: *const c_void,
    attribute_count: u32,
}

const _: () = assert!(size_of::<LaunchConfiguration>() == 56);

/// Attributes are hints, or for later architectures.
#[no_mangle]
pub unsafe extern "C" fn cudaLaunchKernelExC(
    configuration: *const LaunchConfiguration,
    function: *const c_void,
    arguments: *const *const u8,
) -> i32 {
    unsafe {
        let LaunchConfiguration { grid, block, shared, stream, .. } = *configuration;
        cudaLaunchKernel(function, grid, block, arguments, shared, stream)
    }
}

//! What the host program has asked for so far: its code, its device, and what it registered under which address.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};

use gpurf_workloads::listing::Kernel;
use gpurf_workloads::{binary, Device, Module, Options, Pointer};

/// State of the runtime.
#[derive(Default)]
pub struct Host {
    pub device: Option<Device>,
    /// Fat binaries, in the order of their registration.
    binaries: Vec<Binary>,
    /// By the address of the host's function or variable: its fat binary, and its name there.
    pub functions: BTreeMap<usize, (usize, String)>,
    pub variables: BTreeMap<usize, (usize, String)>,
    /// Launches under preparation: grid, block, shared memory.
    pub configurations: Vec<([u32; 3], [u32; 3], usize)>,
    /// Of the last launch that failed, until the program asks.
    pub last_error: i32,
    /// Allocations: size by start.
    allocations: BTreeMap<u64, u64>,
}

struct Binary {
    cubin: Vec<u8>,
    /// Read when it is first used.
    module: Option<Module>,
}

static HOST: Mutex<Option<Host>> = Mutex::new(None);

/// The one there is, made when first asked for.
pub fn host() -> Locked {
    Locked(HOST.lock().unwrap_or_else(|poisoned| poisoned.into_inner()))
}

pub struct Locked(MutexGuard<'static, Option<Host>>);

impl std::ops::Deref for Locked {
    type Target = Host;

    fn deref(&self) -> &Host {
        self.0.as_ref().expect("made by deref_mut")
    }
}

impl std::ops::DerefMut for Locked {
    fn deref_mut(&mut self) -> &mut Host {
        self.0.get_or_insert_with(Host::default)
    }
}

/// Ends the program: it cannot go on as on a GPU. What it has printed so far appears; no trace is written.
pub fn give_up(message: impl std::fmt::Display) -> ! {
    eprintln!("gpurf: {message}");
    // What is registered to run at the end of the program would ask for what the caller holds.
    unsafe {
        fflush(std::ptr::null_mut());
        exit_at_once(2)
    }
}

impl Host {
    /// Takes a fat binary's code; returns its number.
    pub fn add_binary(&mut self, cubin: Vec<u8>) -> usize {
        self.binaries.push(Binary { cubin, module: None });
        self.binaries.len() - 1
    }

    /// The device, and the module of a fat binary.
    pub fn with_module(&mut self, number: usize) -> (&mut Device, &Module) {
        self.device();
        let binary = &mut self.binaries[number];
        let module = binary.module.get_or_insert_with(|| match module(&binary.cubin) {
            Ok(module) => module,
            Err(message) => give_up(message),
        });
        (self.device.as_mut().expect("made above"), module)
    }

    /// A kernel by the address of its function; None if it is no kernel of this program.
    pub fn kernel(&mut self, function: *const std::ffi::c_void) -> Option<&Kernel> {
        let (binary, name) = self.functions.get(&(function as usize)).cloned()?;
        self.with_module(binary).1.kernel(&name)
    }

    pub fn device(&mut self) -> &mut Device {
        self.device.get_or_insert_with(|| {
            let stream = std::env::var_os("GPURF_TRACE").is_some();
            let margin = std::env::var("GPURF_MARGIN").unwrap_or("0".into());
            let Ok(margin) = margin.parse() else {
                give_up(format!("GPURF_MARGIN={margin}: it must be a number of bytes"))
            };
            Device::new(Options { stream, margin, ..Options::default() })
        })
    }

    /// Memory on the device.
    pub fn allocate(&mut self, bytes: u64) -> u64 {
        let Pointer(start) = self.device().allocate(bytes);
        self.allocations.insert(start, bytes);
        start
    }

    /// Whether an address is in memory on the device.
    pub fn is_on_device(&self, address: u64) -> bool {
        let below = self.allocations.range(..=address).next_back();
        below.is_some_and(|(start, bytes)| address < start + bytes)
    }

    /// Writes the trace, if one is wanted. Once.
    pub fn finish(&mut self) {
        let (Some(device), Some(folder)) = (self.device.take(), std::env::var_os("GPURF_TRACE")) else {
            return;
        };
        let name =
            std::path::Path::new(&folder).file_name().unwrap_or_default().to_string_lossy().into_owned();
        if let Err(error) = gpurf_trace::write(&device.into_workload(name), &folder) {
            give_up(format!("the trace cannot be written: {error}"));
        }
    }
}

extern "C" {
    /// Of a stream of C's, or of all.
    fn fflush(stream: *mut std::ffi::c_void) -> i32;
    /// Ends the process without what is registered to run at its end, which this is part of.
    #[link_name = "_exit"]
    fn exit_at_once(code: i32) -> !;
}

fn module(cubin: &[u8]) -> Result<Module, String> {
    let failed = |error: std::io::Error| format!("no temporary file: {error}");
    let mut file = tempfile::Builder::new().suffix(".cubin").tempfile().map_err(failed)?;
    std::io::Write::write_all(&mut file, cubin).map_err(failed)?;
    let text = binary::listing(file.path())?;
    Module::parse("the program's device code", &text).map_err(|error| error.to_string())
}

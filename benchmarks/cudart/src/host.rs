// SPDX-License-Identifier: Apache-2.0
//! Everything that the host program has asked for so far: its code, its device, and what it registered
//! under which address.

use std::collections::BTreeMap;
use std::ffi::{c_char, c_void, CStr, OsStr};
use std::ops::{Deref, DerefMut};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};

use gpurf_workloads::listing::Kernel;
use gpurf_workloads::{binary, Device, Module, Options, Scope, Widening};

use crate::arrays::Bound;
use crate::errors::{remember, Answer, Code, INVALID_FUNCTION, SUCCESS};
use crate::graphs::Graph;
use crate::memory::{Allocations, BASE};

/// State of the runtime.
#[derive(Default)]
pub struct Host {
    pub device: Option<Device>,
    /// Fat binaries, in the order of their registration.
    binaries: Vec<Binary>,
    /// By the address of the host's function or variable: its fat binary, and its name there.
    pub functions: BTreeMap<usize, (usize, String)>,
    pub variables: BTreeMap<usize, (usize, String)>,
    /// Managed variables that have no place yet: fat binary, name, where the program wants their address.
    pub managed: Vec<(usize, String, usize)>,
    /// Launches under preparation.
    pub configurations: Vec<Configuration>,
    pub allocations: Allocations,
    pub limits: Limits,
    /// Textures and surfaces by their handles.
    pub bound: BTreeMap<u64, Bound>,
    /// A kernel's fault; the program knows of it.
    fault: Code,
    told: bool,
    /// Streams and graphs so far.
    pub streams: u64,
    pub graphs: u32,
    /// Graphs that streams are captured into, by the number of the capture.
    pub captures: BTreeMap<u64, *mut Graph>,
    /// How often allocations are open by handles.
    pub opened: BTreeMap<u64, u32>,
}

/// Grid, block, shared memory and stream of a launch.
pub type Configuration = ([u32; 3], [u32; 3], usize, usize);

/// The limits that `cudaDeviceSetLimit` sets.
pub struct Limits {
    pub stack: usize,
    pub heap: usize,
    /// By number: those without effect here.
    pub others: BTreeMap<i32, usize>,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { stack: 1 << 10, heap: 8 << 20, others: BTreeMap::from([(1, 1 << 20)]) }
    }
}

// What its pointers point to is used by those who hold the lock.
unsafe impl Send for Host {}

struct Binary {
    cubin: Vec<u8>,
    /// Read when it is first used, with the listing that it was read from.
    module: Option<(Module, String)>,
}

static HOST: Mutex<Option<Host>> = Mutex::new(None);

/// The one there is, made when first asked for.
pub fn host() -> Locked {
    let mut guard = HOST.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    guard.get_or_insert_with(Host::default);
    Locked(Some(guard))
}

/// Answers a call of the program: with a kernel's fault, if there was one.
pub fn answer(call: impl FnOnce(&mut Locked) -> Answer) -> Code {
    let mut host = host();
    let code = match host.fault {
        SUCCESS => call(&mut host).err().unwrap_or(SUCCESS),
        fault => fault,
    };
    remember(code);
    code
}

pub struct Locked(Option<MutexGuard<'static, Option<Host>>>);

impl Locked {
    /// Calls a function of the program, which may call the runtime.
    pub fn unlocked(&mut self, call: impl FnOnce()) {
        self.0 = None;
        call();
        self.0 = host().0;
    }
}

impl Deref for Locked {
    type Target = Host;

    fn deref(&self) -> &Host {
        self.0.as_ref().and_then(|guard| guard.as_ref()).expect("locked")
    }
}

impl DerefMut for Locked {
    fn deref_mut(&mut self) -> &mut Host {
        self.0.as_mut().and_then(|guard| guard.as_mut()).expect("locked")
    }
}

/// Tells the program's user something about an error that the program gets as a number.
pub fn complain(message: impl std::fmt::Display) {
    eprintln!("gpurf: {message}");
}

/// Ends the program: it cannot go on as on a GPU. What it has printed so far appears; no trace is written.
pub fn give_up(message: impl std::fmt::Display) -> ! {
    complain(message);
    end_at_once()
}

fn end_at_once() -> ! {
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
        let (module, _) = binary.module.get_or_insert_with(|| match module(&binary.cubin) {
            Ok(module) => module,
            Err(message) => give_up(message),
        });
        (self.device.as_mut().expect("made above"), module)
    }

    /// A kernel by the address of its function.
    pub fn kernel(&mut self, function: *const c_void) -> Answer<&Kernel> {
        let (binary, name) = self.functions.get(&(function as usize)).cloned().ok_or(INVALID_FUNCTION)?;
        self.with_module(binary).1.kernel(&name).ok_or(INVALID_FUNCTION)
    }

    pub fn device(&mut self) -> &mut Device {
        let Host { device, limits, .. } = self;
        device.get_or_insert_with(|| {
            let stream = std::env::var_os("GPURF_TRACE").is_some();
            let margin = std::env::var("GPURF_MARGIN").unwrap_or("0".into());
            let Ok(margin) = margin.parse() else {
                give_up(format!("GPURF_MARGIN={margin}: it must be a number of bytes"))
            };
            let widening = match std::env::var("GPURF_WIDENING").as_deref() {
                Err(_) | Ok("exact") => Widening::Exact,
                Ok("rounded") => Widening::Rounded,
                Ok(other) => give_up(format!("GPURF_WIDENING={other}: it must be exact or rounded")),
            };
            let hazards = std::env::var("GPURF_RACES").ok().map(|scope| match scope.as_str() {
                "grid" => Scope::Grid,
                _ => Scope::Block,
            });
            let warp_order = std::env::var("GPURF_WARP_ORDER").ok().map(|seed| {
                let Ok(seed) = seed.parse() else {
                    give_up(format!("GPURF_WARP_ORDER={seed}: it must be a number, the seed"))
                };
                seed
            });
            Device::new(Options {
                stream,
                widening,
                margin,
                base: BASE,
                stack_bytes: limits.stack as u32,
                heap_bytes: limits.heap as u64,
                hazards,
                warp_order,
                ..Options::default()
            })
        })
    }

    /// A kernel did what it must not; nothing runs after it.
    pub fn set_fault(&mut self, code: Code) {
        (self.fault, self.told) = (code, false);
    }

    /// A kernel's fault, which the program knows from now on.
    pub fn tell_fault(&mut self) -> Code {
        self.told = true;
        self.fault
    }

    /// Forgets a kernel's fault.
    pub fn reset(&mut self) {
        self.fault = SUCCESS;
    }

    /// Writes the trace, if one is wanted. Once. A fault that the program never asked for ends it with an
    /// exit code of its own.
    pub fn finish(&mut self) {
        if self.fault != SUCCESS {
            if !self.told {
                end_at_once();
            }
            return;
        }
        let (Some(device), Some(folder)) = (self.device.take(), std::env::var_os("GPURF_TRACE")) else {
            return;
        };
        let name = Path::new(&folder).file_name().unwrap_or_default().to_string_lossy().into_owned();
        let instructions = std::env::var("GPURF_INSTRUCTIONS").map_or(u64::MAX, |most| {
            let refused =
                || give_up(format!("GPURF_INSTRUCTIONS={most}: it must be a number of instructions"));
            most.parse().unwrap_or_else(|_| refused())
        });
        if let Err(error) = gpurf_trace::write_up_to(&device.into_workload(name), instructions, &folder) {
            give_up(format!("the trace cannot be written: {error}"));
        }
        // A trace has no control bits; the listing of its code does.
        let listings: String =
            self.binaries.iter().filter_map(|binary| Some(binary.module.as_ref()?.1.as_str())).collect();
        let place = Path::new(&folder).join(LISTING);
        if let Err(error) = std::fs::write(&place, listings) {
            give_up(format!("{}: the listing cannot be written: {error}", place.display()));
        }
    }
}

extern "C" {
    /// Flushes one of C's streams, or all.
    fn fflush(stream: *mut c_void) -> i32;
    /// Ends the process without what is registered to run at its end, which this is part of.
    #[link_name = "_exit"]
    fn exit_at_once(code: i32) -> !;
}

/// The name of the listing beside a trace.
const LISTING: &str = "code.sass";

fn module(cubin: &[u8]) -> Result<(Module, String), String> {
    let failed = |error: std::io::Error| format!("no temporary file: {error}");
    let mut file = tempfile::Builder::new().suffix(".cubin").tempfile().map_err(failed)?;
    std::io::Write::write_all(&mut file, cubin).map_err(failed)?;
    let text = binary::listing_with(file.path(), tools().as_deref())?;
    let module = Module::parse("the program's device code", &text).map_err(|error| error.to_string())?;
    Ok((module, text))
}

/// Where a toolkit around this library has the compiler's tools.
fn tools() -> Option<PathBuf> {
    let mut found = Found { path: std::ptr::null(), base: 0, symbol: std::ptr::null(), address: 0 };
    if unsafe { dladdr(tools as *const c_void, &mut found) } == 0 {
        return None;
    }
    let path = unsafe { CStr::from_ptr(found.path) };
    let folder = Path::new(OsStr::from_bytes(path.to_bytes())).parent()?.parent()?;
    Some(folder.join("bin"))
}

/// `Dl_info`: the file that an address comes from.
#[repr(C)]
struct Found {
    path: *const c_char,
    base: usize,
    symbol: *const c_char,
    address: usize,
}

extern "C" {
    fn dladdr(address: *const c_void, found: *mut Found) -> i32;
}

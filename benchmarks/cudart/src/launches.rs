//! Registration of code, and launches: what the compiler generates calls of.

use std::ffi::{c_char, c_void, CStr};
use std::io::Write;

use gpurf_workloads::Argument;

use crate::fat_binary::{cubin, Wrapper};
use crate::host::{give_up, host};
use crate::{INVALID_CONFIGURATION, SUCCESS};

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

#[no_mangle]
pub unsafe extern "C" fn __cudaPushCallConfiguration(
    grid: Dim3,
    block: Dim3,
    shared: usize,
    _: *mut c_void,
) -> u32 {
    host().configurations.push((grid.into(), block.into(), shared));
    0
}

#[no_mangle]
pub unsafe extern "C" fn __cudaPopCallConfiguration(
    grid: *mut [u32; 3],
    block: *mut [u32; 3],
    shared: *mut usize,
    stream: *mut *mut c_void,
) -> i32 {
    let mut host = host();
    let Some(configuration) = host.configurations.pop() else { give_up("a launch without a configuration") };
    unsafe {
        (*grid, *block, *shared) = configuration;
        *stream = std::ptr::null_mut();
    }
    SUCCESS
}

/// Kernels are known by the addresses of their functions.
#[no_mangle]
pub unsafe extern "C" fn __cudaGetKernel(kernel: *mut *const c_void, function: *const c_void) -> i32 {
    unsafe { *kernel = function };
    SUCCESS
}

#[no_mangle]
pub unsafe extern "C" fn __cudaLaunchKernel(
    kernel: *const c_void,
    grid: Dim3,
    block: Dim3,
    arguments: *const *const u8,
    shared: usize,
    stream: *mut c_void,
) -> i32 {
    unsafe { cudaLaunchKernel(kernel, grid, block, arguments, shared, stream) }
}

#[no_mangle]
pub unsafe extern "C" fn cudaLaunchKernel(
    function: *const c_void,
    grid: Dim3,
    block: Dim3,
    arguments: *const *const u8,
    shared: usize,
    _: *mut c_void,
) -> i32 {
    let mut host = host();
    let _ = host.device();
    let (grid, block): ([u32; 3], [u32; 3]) = (grid.into(), block.into());
    if grid.contains(&0) || block.contains(&0) {
        host.last_error = INVALID_CONFIGURATION;
        return INVALID_CONFIGURATION;
    }
    let Some((binary, name)) = host.functions.get(&(function as usize)).cloned() else {
        give_up("a launch of a function that is no kernel of this program")
    };
    let (device, module) = host.with_module(binary);
    let Some(parameters) = module.kernel(&name).and_then(|kernel| kernel.parameters.clone()) else {
        give_up(format!("the device code does not tell the parameters of {name}"))
    };
    let argument = |(number, size): (usize, u32)| {
        let bytes = unsafe { std::slice::from_raw_parts(*arguments.add(number), size as usize) };
        Argument(bytes.to_vec())
    };
    let arguments: Vec<_> =
        parameters.iter().map(|parameter| parameter.size).enumerate().map(argument).collect();
    let ([gx, gy, gz], [bx, by, bz]) = (grid, block);
    let launched = device.launch(module, &name, (gx, gy, gz), (bx, by, bz), shared as u32, &arguments);
    let mut output = std::io::stdout();
    let printed = output.write_all(device.take_printed().as_bytes()).and_then(|()| output.flush());
    printed.unwrap_or_else(|error| give_up(format!("what the kernel prints cannot be written: {error}")));
    match launched {
        Ok(()) => SUCCESS,
        Err(error) => give_up(error),
    }
}

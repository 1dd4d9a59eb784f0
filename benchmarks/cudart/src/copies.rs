//! Memory on the device, and copies to and from it. All of them have happened when the call returns.

use std::ffi::c_void;

use gpurf_workloads::Pointer;

use crate::host::{give_up, host, Host};
use crate::{INVALID, SUCCESS};

/// `cudaMemcpyKind`.
const TO_DEVICE: i32 = 1;
const TO_HOST: i32 = 2;
const ON_DEVICE: i32 = 3;
/// As the addresses say.
const ANY: i32 = 4;

#[no_mangle]
pub unsafe extern "C" fn cudaMalloc(pointer: *mut u64, bytes: usize) -> i32 {
    unsafe { *pointer = host().allocate(bytes as u64) };
    SUCCESS
}

/// Rows start at multiples of 512 bytes.
#[no_mangle]
pub unsafe extern "C" fn cudaMallocPitch(
    pointer: *mut u64,
    pitch: *mut usize,
    width: usize,
    height: usize,
) -> i32 {
    let row = width.next_multiple_of(512);
    unsafe {
        *pitch = row;
        cudaMalloc(pointer, row * height)
    }
}

/// Memory is not used again, so that a kernel that touches freed memory does not go unseen by chance.
#[no_mangle]
pub unsafe extern "C" fn cudaFree(_: u64) -> i32 {
    SUCCESS
}

#[no_mangle]
pub unsafe extern "C" fn cudaMallocHost(pointer: *mut *mut c_void, bytes: usize) -> i32 {
    unsafe { *pointer = calloc(bytes.max(1), 1) };
    SUCCESS
}

#[no_mangle]
pub unsafe extern "C" fn cudaHostAlloc(pointer: *mut *mut c_void, bytes: usize, _: u32) -> i32 {
    unsafe { cudaMallocHost(pointer, bytes) }
}

#[no_mangle]
pub unsafe extern "C" fn cudaFreeHost(pointer: *mut c_void) -> i32 {
    unsafe { free(pointer) };
    SUCCESS
}

extern "C" {
    fn calloc(count: usize, bytes: usize) -> *mut c_void;
    fn free(pointer: *mut c_void);
}

#[no_mangle]
pub unsafe extern "C" fn cudaMemcpy(to: *mut u8, from: *const u8, bytes: usize, kind: i32) -> i32 {
    unsafe { copy(&mut host(), to, from, bytes, kind) }
}

#[no_mangle]
pub unsafe extern "C" fn cudaMemcpyAsync(
    to: *mut u8,
    from: *const u8,
    bytes: usize,
    kind: i32,
    _: *mut c_void,
) -> i32 {
    unsafe { cudaMemcpy(to, from, bytes, kind) }
}

/// So many rows.
#[no_mangle]
pub unsafe extern "C" fn cudaMemcpy2D(
    to: *mut u8,
    to_pitch: usize,
    from: *const u8,
    from_pitch: usize,
    width: usize,
    height: usize,
    kind: i32,
) -> i32 {
    let mut host = host();
    for row in 0..height {
        let (to, from) = (to.wrapping_add(row * to_pitch), from.wrapping_add(row * from_pitch));
        let copied = unsafe { copy(&mut host, to, from, width, kind) };
        if copied != SUCCESS {
            return copied;
        }
    }
    SUCCESS
}

unsafe fn copy(host: &mut Host, to: *mut u8, from: *const u8, bytes: usize, kind: i32) -> i32 {
    if bytes == 0 {
        return SUCCESS;
    }
    let _ = host.device();
    let on_device = |pointer: *const u8| host.is_on_device(pointer as u64);
    let (from_device, to_device) = match kind {
        TO_DEVICE => (false, true),
        TO_HOST => (true, false),
        ON_DEVICE => (true, true),
        ANY => (on_device(from), on_device(to)),
        _ => (false, false),
    };
    let device = host.device();
    let data = match from_device {
        true => device.read::<u8>(Pointer(from as u64), bytes).unwrap_or_else(|error| give_up(error)),
        false => unsafe { std::slice::from_raw_parts(from, bytes) }.to_vec(),
    };
    match to_device {
        true => device.write(Pointer(to as u64), &data).unwrap_or_else(|error| give_up(error)),
        false => unsafe { std::ptr::copy_nonoverlapping(data.as_ptr(), to, bytes) },
    }
    SUCCESS
}

#[no_mangle]
pub unsafe extern "C" fn cudaMemset(pointer: u64, value: i32, bytes: usize) -> i32 {
    let written = host().device().write(Pointer(pointer), &vec![value as u8; bytes]);
    written.unwrap_or_else(|error| give_up(error));
    SUCCESS
}

#[no_mangle]
pub unsafe extern "C" fn cudaMemsetAsync(pointer: u64, value: i32, bytes: usize, _: *mut c_void) -> i32 {
    unsafe { cudaMemset(pointer, value, bytes) }
}

#[no_mangle]
pub unsafe extern "C" fn cudaMemcpyToSymbol(
    symbol: *const c_void,
    from: *const u8,
    bytes: usize,
    offset: usize,
    kind: i32,
) -> i32 {
    let mut host = host();
    let mut data = vec![0; bytes];
    let kind = if kind == ON_DEVICE { TO_HOST } else { 0 };
    unsafe { copy(&mut host, data.as_mut_ptr(), from, bytes, kind) };
    let Some((binary, name)) = host.variables.get(&(symbol as usize)).cloned() else { return INVALID };
    let (device, module) = host.with_module(binary);
    let before = device.read_symbol(module, &name, 0, offset).unwrap_or_else(|error| give_up(error));
    let written = device.write_symbol(module, &name, &[before, data].concat());
    written.unwrap_or_else(|error| give_up(error));
    SUCCESS
}

#[no_mangle]
pub unsafe extern "C" fn cudaMemcpyFromSymbol(
    to: *mut u8,
    symbol: *const c_void,
    bytes: usize,
    offset: usize,
    _: i32,
) -> i32 {
    let mut host = host();
    let Some((binary, name)) = host.variables.get(&(symbol as usize)).cloned() else { return INVALID };
    let (device, module) = host.with_module(binary);
    let data = device.read_symbol(module, &name, offset, bytes).unwrap_or_else(|error| give_up(error));
    unsafe { std::ptr::copy_nonoverlapping(data.as_ptr(), to, bytes) };
    SUCCESS
}

#[no_mangle]
pub unsafe extern "C" fn cudaGetSymbolAddress(pointer: *mut u64, symbol: *const c_void) -> i32 {
    let mut host = host();
    let Some((binary, name)) = host.variables.get(&(symbol as usize)).cloned() else { return INVALID };
    let (device, module) = host.with_module(binary);
    let variables = device.variables(module).unwrap_or_else(|error| give_up(error));
    let Some((_, address)) = variables.into_iter().find(|(known, _)| *known == name) else {
        give_up(format!("{name} is in constant memory, which has no address here"))
    };
    unsafe { *pointer = address };
    SUCCESS
}

//! What programs ask about the device, and what waits for it: there is one, and it is never busy.

use std::ffi::{c_char, c_void};
use std::time::Instant;

use crate::SUCCESS;

/// Bytes of device memory there are said to be.
const MEMORY: usize = 8 << 30;

/// The answer of calls that have nothing to do.
macro_rules! nothing {
    ($($name:ident($($type:ty),*);)*) => {$(
        #[no_mangle]
        pub unsafe extern "C" fn $name($(_: $type),*) -> i32 {
            SUCCESS
        }
    )*};
}

nothing! {
    cudaDeviceSynchronize();
    cudaThreadSynchronize();
    cudaDeviceReset();
    cudaThreadExit();
    cudaGetLastError();
    cudaPeekAtLastError();
    cudaSetDevice(i32);
    cudaSetDeviceFlags(u32);
    cudaStreamSynchronize(*mut c_void);
    cudaStreamDestroy(*mut c_void);
    cudaEventSynchronize(*mut c_void);
    cudaFuncSetCacheConfig(*const c_void, i32);
    cudaFuncSetAttribute(*const c_void, i32, i32);
    cudaDeviceSetCacheConfig(i32);
    cudaDeviceSetLimit(i32, usize);
    __cudaInitModule(*mut usize);
}

#[no_mangle]
pub unsafe extern "C" fn cudaGetErrorString(error: i32) -> *const c_char {
    let text = if error == SUCCESS { c"no error" } else { c"invalid value" };
    text.as_ptr()
}

#[no_mangle]
pub unsafe extern "C" fn cudaGetErrorName(error: i32) -> *const c_char {
    let text = if error == SUCCESS { c"cudaSuccess" } else { c"cudaErrorInvalidValue" };
    text.as_ptr()
}

#[no_mangle]
pub unsafe extern "C" fn cudaGetDeviceCount(count: *mut i32) -> i32 {
    unsafe { *count = 1 };
    SUCCESS
}

#[no_mangle]
pub unsafe extern "C" fn cudaGetDevice(device: *mut i32) -> i32 {
    unsafe { *device = 0 };
    SUCCESS
}

#[no_mangle]
pub unsafe extern "C" fn cudaMemGetInfo(free: *mut usize, total: *mut usize) -> i32 {
    unsafe { (*free, *total) = (MEMORY, MEMORY) };
    SUCCESS
}

/// The beginning of `cudaDeviceProp` of CUDA 13, up to what programs look at.
#[repr(C)]
pub struct Properties {
    name: [c_char; 256],
    uuid: [u8; 16],
    luid: [u8; 8],
    luid_mask: u32,
    total_memory: usize,
    shared_per_block: usize,
    registers_per_block: i32,
    warp_size: i32,
    pitch: usize,
    threads_per_block: i32,
    block: [i32; 3],
    grid: [i32; 3],
    constant_memory: usize,
    major: i32,
    minor: i32,
    texture_alignment: usize,
    texture_pitch_alignment: usize,
    multiprocessors: i32,
}

/// Turing's, as far as programs look at them.
#[no_mangle]
pub unsafe extern "C" fn cudaGetDeviceProperties(properties: *mut Properties, _: i32) -> i32 {
    let mut name = [0; 256];
    for (to, from) in name.iter_mut().zip(b"gpurf") {
        *to = *from as c_char;
    }
    let found = Properties {
        name,
        uuid: [0; 16],
        luid: [0; 8],
        luid_mask: 0,
        total_memory: MEMORY,
        shared_per_block: 48 << 10,
        registers_per_block: 65_536,
        warp_size: 32,
        pitch: i32::MAX as usize,
        threads_per_block: 1024,
        block: [1024, 1024, 64],
        grid: [i32::MAX, 65_535, 65_535],
        constant_memory: 64 << 10,
        major: 7,
        minor: 5,
        texture_alignment: 512,
        texture_pitch_alignment: 32,
        multiprocessors: 1,
    };
    unsafe { properties.write(found) };
    SUCCESS
}

/// Bits of each channel, and the kind of their values.
#[repr(C)]
pub struct ChannelFormat {
    bits: [i32; 4],
    kind: i32,
}

/// Only handed back to calls that bind textures.
#[no_mangle]
pub unsafe extern "C" fn cudaCreateChannelDesc(x: i32, y: i32, z: i32, w: i32, kind: i32) -> ChannelFormat {
    ChannelFormat { bits: [x, y, z, w], kind }
}

#[no_mangle]
pub unsafe extern "C" fn cudaStreamCreate(stream: *mut *mut c_void) -> i32 {
    unsafe { *stream = std::ptr::null_mut() };
    SUCCESS
}

/// Events are moments of the host.
#[no_mangle]
pub unsafe extern "C" fn cudaEventCreate(event: *mut *mut Instant) -> i32 {
    unsafe { *event = Box::into_raw(Box::new(Instant::now())) };
    SUCCESS
}

#[no_mangle]
pub unsafe extern "C" fn cudaEventRecord(event: *mut Instant, _: *mut c_void) -> i32 {
    unsafe { *event = Instant::now() };
    SUCCESS
}

#[no_mangle]
pub unsafe extern "C" fn cudaEventElapsedTime(
    milliseconds: *mut f32,
    from: *mut Instant,
    to: *mut Instant,
) -> i32 {
    unsafe { *milliseconds = 1e3 * to.read().saturating_duration_since(from.read()).as_secs_f32() };
    SUCCESS
}

#[no_mangle]
pub unsafe extern "C" fn cudaEventDestroy(event: *mut Instant) -> i32 {
    drop(unsafe { Box::from_raw(event) });
    SUCCESS
}

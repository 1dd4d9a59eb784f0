//! What programs ask about the device, and what waits for it: there is one, and it is never busy.

use std::ffi::{c_char, c_void, CStr};
use std::time::Instant;

use crate::host::host;
use crate::{INVALID, INVALID_CONFIGURATION, SUCCESS};

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

/// The error of a launch, which is then forgotten.
#[no_mangle]
pub unsafe extern "C" fn cudaGetLastError() -> i32 {
    std::mem::take(&mut host().last_error)
}

#[no_mangle]
pub unsafe extern "C" fn cudaPeekAtLastError() -> i32 {
    host().last_error
}

/// Name and text of an error.
fn described(error: i32) -> (&'static CStr, &'static CStr) {
    match error {
        SUCCESS => (c"cudaSuccess", c"no error"),
        INVALID_CONFIGURATION => (c"cudaErrorInvalidConfiguration", c"invalid configuration argument"),
        _ => (c"cudaErrorInvalidValue", c"invalid argument"),
    }
}

#[no_mangle]
pub unsafe extern "C" fn cudaGetErrorString(error: i32) -> *const c_char {
    described(error).1.as_ptr()
}

#[no_mangle]
pub unsafe extern "C" fn cudaGetErrorName(error: i32) -> *const c_char {
    described(error).0.as_ptr()
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
const TURING: Properties = Properties {
    name: [0; 256],
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

#[no_mangle]
pub unsafe extern "C" fn cudaGetDeviceProperties(properties: *mut Properties, _: i32) -> i32 {
    let mut name = [0; 256];
    for (to, from) in name.iter_mut().zip(b"gpurf") {
        *to = *from as c_char;
    }
    unsafe { properties.write(Properties { name, ..TURING }) };
    SUCCESS
}

/// What programs ask for one by one, by CUDA's numbers; others are an error.
#[no_mangle]
pub unsafe extern "C" fn cudaDeviceGetAttribute(value: *mut i32, attribute: i32, _: i32) -> i32 {
    let found = match attribute {
        MAX_THREADS_PER_BLOCK => TURING.threads_per_block,
        MAX_SHARED_PER_BLOCK => TURING.shared_per_block as i32,
        WARP_SIZE => TURING.warp_size,
        MULTIPROCESSORS => TURING.multiprocessors,
        MAX_THREADS_PER_MULTIPROCESSOR => 1024,
        MAJOR => TURING.major,
        MINOR => TURING.minor,
        SHARED_PER_MULTIPROCESSOR | MAX_SHARED_OPT_IN => 64 << 10,
        COOPERATIVE_LAUNCH => 0,
        _ => return INVALID,
    };
    unsafe { *value = found };
    SUCCESS
}

const MAX_THREADS_PER_BLOCK: i32 = 1;
const MAX_SHARED_PER_BLOCK: i32 = 8;
const WARP_SIZE: i32 = 10;
const MULTIPROCESSORS: i32 = 16;
const MAX_THREADS_PER_MULTIPROCESSOR: i32 = 39;
const MAJOR: i32 = 75;
const MINOR: i32 = 76;
const SHARED_PER_MULTIPROCESSOR: i32 = 81;
const COOPERATIVE_LAUNCH: i32 = 95;
const MAX_SHARED_OPT_IN: i32 = 97;

/// The beginning of `cudaFuncAttributes`.
#[repr(C)]
pub struct FunctionAttributes {
    shared: usize,
    constant: usize,
    local: usize,
    threads_per_block: i32,
    registers: i32,
    ptx_version: i32,
    binary_version: i32,
}

#[no_mangle]
pub unsafe extern "C" fn cudaFuncGetAttributes(
    attributes: *mut FunctionAttributes,
    function: *const c_void,
) -> i32 {
    let mut host = host();
    let Some(kernel) = host.kernel(function) else { return INVALID };
    let found = FunctionAttributes {
        shared: kernel.shared as usize,
        constant: 0,
        local: kernel.stack.unwrap_or_default() as usize,
        threads_per_block: TURING.threads_per_block,
        registers: kernel.registers as i32,
        ptx_version: 75,
        binary_version: 75,
    };
    unsafe { attributes.write(found) };
    SUCCESS
}

/// Blocks that an SM keeps, as far as threads, registers and shared memory go.
#[no_mangle]
pub unsafe extern "C" fn cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    blocks: *mut i32,
    function: *const c_void,
    threads: i32,
    shared: usize,
    _: u32,
) -> i32 {
    let mut host = host();
    let Some(kernel) = host.kernel(function) else { return INVALID };
    let threads = threads.max(1) as usize;
    let shared = (kernel.shared as usize + shared).max(1);
    let registers = (kernel.registers as usize * threads).max(1);
    let most = (1024 / threads).min((64 << 10) / shared).min(65_536 / registers).min(16);
    unsafe { *blocks = most as i32 };
    SUCCESS
}

#[no_mangle]
pub unsafe extern "C" fn cudaOccupancyMaxActiveBlocksPerMultiprocessor(
    blocks: *mut i32,
    function: *const c_void,
    threads: i32,
    shared: usize,
) -> i32 {
    unsafe { cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared, 0) }
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

// SPDX-License-Identifier: Apache-2.0
//! The device, which there is one of, and what programs ask about it: Turing with one multiprocessor.

use std::collections::BTreeMap;
use std::ffi::{c_char, c_void, CStr};

use crate::errors::{
    Answer, INVALID_DEVICE, INVALID_VALUE, PEER_ENABLED, PEER_NOT_ENABLED, UNSUPPORTED_LIMIT,
};
use crate::host::{answer, host};
use crate::memory::CAPACITY;

/// Threads and blocks, registers and bytes of shared memory of a multiprocessor.
pub const THREADS: i32 = 1024;
pub const BLOCKS: i32 = 16;
pub const REGISTERS: i32 = 65_536;
pub const SHARED: i32 = 64 << 10;
/// The limit of a block that asks for no more.
const SHARED_PER_BLOCK: i32 = 48 << 10;
/// Version of the runtime, and of the driver that there seems to be.
const VERSION: i32 = 13_000;

/// `cudaDeviceProp` of CUDA 13.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Properties {
    name: [c_char; 256],
    uuid: [u8; 16],
    luid: [u8; 8],
    luid_mask: u32,
    memory: usize,
    shared_per_block: usize,
    registers_per_block: i32,
    warp_size: i32,
    pitch: usize,
    threads_per_block: i32,
    block: [i32; 3],
    grid: [i32; 3],
    constants: usize,
    major: i32,
    minor: i32,
    texture_alignment: usize,
    texture_pitch_alignment: usize,
    multiprocessors: i32,
    integrated: i32,
    maps_host_memory: i32,
    texture_1d: i32,
    texture_1d_mipmap: i32,
    texture_2d: [i32; 2],
    texture_2d_mipmap: [i32; 2],
    texture_2d_linear: [i32; 3],
    texture_2d_gather: [i32; 2],
    texture_3d: [i32; 3],
    texture_3d_other: [i32; 3],
    texture_cube: i32,
    texture_1d_layered: [i32; 2],
    texture_2d_layered: [i32; 3],
    texture_cube_layered: [i32; 2],
    surface_1d: i32,
    surface_2d: [i32; 2],
    surface_3d: [i32; 3],
    surface_1d_layered: [i32; 2],
    surface_2d_layered: [i32; 3],
    surface_cube: i32,
    surface_cube_layered: [i32; 2],
    surface_alignment: usize,
    concurrent_kernels: i32,
    ecc: i32,
    pci: [i32; 3],
    tcc: i32,
    copy_engines: i32,
    unified_addressing: i32,
    bus_width: i32,
    l2_bytes: i32,
    persisting_l2_bytes: i32,
    threads_per_multiprocessor: i32,
    stream_priorities: i32,
    global_l1: i32,
    local_l1: i32,
    shared_per_multiprocessor: usize,
    registers_per_multiprocessor: i32,
    managed_memory: i32,
    multi_gpu_board: [i32; 2],
    host_atomics: i32,
    pageable_access: i32,
    concurrent_managed_access: i32,
    preemption: i32,
    host_pointers_of_registered: i32,
    cooperative_launch: i32,
    shared_opt_in: usize,
    host_page_tables: i32,
    direct_managed_access: i32,
    blocks_per_multiprocessor: i32,
    access_policy_window: i32,
    reserved_shared: usize,
    host_register: i32,
    sparse_arrays: i32,
    host_register_read_only: i32,
    timeline_semaphores: i32,
    memory_pools: i32,
    rdma: [i32; 3],
    pool_handle_types: u32,
    deferred_mapping: i32,
    ipc_events: i32,
    clusters: i32,
    unified_functions: i32,
    numa: [i32; 2],
    mps: i32,
    host_numa: i32,
    gpu_pci: [u32; 2],
    multinode_ipc: i32,
    reserved: [i32; 56],
}

// Where CUDA 13 has them.
const _: () = assert!(size_of::<Properties>() == 1008);
const _: () = assert!(std::mem::offset_of!(Properties, multiprocessors) == 384);
const _: () = assert!(std::mem::offset_of!(Properties, surface_alignment) == 552);
const _: () = assert!(std::mem::offset_of!(Properties, l2_bytes) == 596);
const _: () = assert!(std::mem::offset_of!(Properties, cooperative_launch) == 668);
const _: () = assert!(std::mem::offset_of!(Properties, memory_pools) == 720);

/// Values of CUDA's guide for compute capability 7.5; the others are those that hold here.
fn properties() -> Properties {
    // All of it is numbers.
    let nothing: Properties = unsafe { std::mem::zeroed() };
    let mut name = [0; 256];
    name.iter_mut().zip(b"gpurf").for_each(|(to, from)| *to = *from as c_char);
    Properties {
        name,
        uuid: *b"gpurf emulator\0\0",
        memory: CAPACITY as usize,
        shared_per_block: SHARED_PER_BLOCK as usize,
        registers_per_block: REGISTERS,
        warp_size: 32,
        pitch: i32::MAX as usize,
        threads_per_block: THREADS,
        block: [1024, 1024, 64],
        grid: [i32::MAX, 65_535, 65_535],
        constants: 64 << 10,
        major: 7,
        minor: 5,
        texture_alignment: 512,
        texture_pitch_alignment: 32,
        multiprocessors: 1,
        maps_host_memory: 1,
        texture_1d: 131_072,
        texture_1d_mipmap: 32_768,
        texture_2d: [131_072, 65_536],
        texture_2d_mipmap: [32_768, 32_768],
        texture_2d_linear: [131_072, 65_000, 2_097_120],
        texture_2d_gather: [32_768, 32_768],
        texture_3d: [16_384; 3],
        texture_3d_other: [8_192, 8_192, 32_768],
        texture_cube: 32_768,
        texture_1d_layered: [32_768, 2_048],
        texture_2d_layered: [32_768, 32_768, 2_048],
        texture_cube_layered: [32_768, 2_046],
        surface_1d: 32_768,
        surface_2d: [131_072, 65_536],
        surface_3d: [16_384; 3],
        surface_1d_layered: [32_768, 2_048],
        surface_2d_layered: [32_768, 32_768, 2_048],
        surface_cube: 32_768,
        surface_cube_layered: [32_768, 2_046],
        surface_alignment: 512,
        concurrent_kernels: 1,
        pci: [1, 0, 0],
        copy_engines: 1,
        unified_addressing: 1,
        bus_width: 256,
        l2_bytes: 4 << 20,
        threads_per_multiprocessor: THREADS,
        stream_priorities: 1,
        global_l1: 1,
        local_l1: 1,
        shared_per_multiprocessor: SHARED as usize,
        registers_per_multiprocessor: REGISTERS,
        managed_memory: 1,
        cooperative_launch: 1,
        preemption: 1,
        shared_opt_in: SHARED as usize,
        blocks_per_multiprocessor: BLOCKS,
        host_register: 1,
        memory_pools: 1,
        ..nothing
    }
}

fn check(device: i32) -> Answer {
    if device == 0 {
        Ok(())
    } else {
        Err(INVALID_DEVICE)
    }
}

#[no_mangle]
pub unsafe extern "C" fn cudaGetDeviceProperties(into: *mut Properties, device: i32) -> i32 {
    answer(|_| {
        check(device)?;
        unsafe { into.write(properties()) };
        Ok(())
    })
}

/// Clocks of the processor and of the memory, in kHz: those of a card of this kind.
const CLOCK: i32 = 1_590_000;
const MEMORY_CLOCK: i32 = 5_001_000;

/// By CUDA's numbers. What is not here is a thing that there is none of.
fn attribute(number: i32) -> i32 {
    let p = properties();
    match number {
        1 => p.threads_per_block,
        2..=4 => p.block[number as usize - 2],
        5..=7 => p.grid[number as usize - 5],
        8 => p.shared_per_block as i32,
        9 => p.constants as i32,
        10 => p.warp_size,
        11 => p.pitch as i32,
        12 => p.registers_per_block,
        13 => CLOCK,
        14 => p.texture_alignment as i32,
        // Copies overlap with kernels.
        15 => i32::from(p.copy_engines > 0),
        16 => p.multiprocessors,
        18 => p.integrated,
        19 => p.maps_host_memory,
        21 => p.texture_1d,
        22..=23 => p.texture_2d[number as usize - 22],
        24..=26 => p.texture_3d[number as usize - 24],
        27..=29 => p.texture_2d_layered[number as usize - 27],
        30 => p.surface_alignment as i32,
        31 => p.concurrent_kernels,
        32 => p.ecc,
        33 => p.pci[0],
        34 => p.pci[1],
        35 => p.tcc,
        36 => MEMORY_CLOCK,
        37 => p.bus_width,
        38 => p.l2_bytes,
        39 => p.threads_per_multiprocessor,
        40 => p.copy_engines,
        41 => p.unified_addressing,
        42..=43 => p.texture_1d_layered[number as usize - 42],
        45..=46 => p.texture_2d_gather[number as usize - 45],
        47..=49 => p.texture_3d_other[number as usize - 47],
        50 => p.pci[2],
        51 => p.texture_pitch_alignment as i32,
        52 => p.texture_cube,
        53..=54 => p.texture_cube_layered[number as usize - 53],
        55 => p.surface_1d,
        56..=57 => p.surface_2d[number as usize - 56],
        58..=60 => p.surface_3d[number as usize - 58],
        61..=62 => p.surface_1d_layered[number as usize - 61],
        63..=65 => p.surface_2d_layered[number as usize - 63],
        66 => p.surface_cube,
        67..=68 => p.surface_cube_layered[number as usize - 67],
        69 => LINEAR_TEXELS,
        70..=72 => p.texture_2d_linear[number as usize - 70],
        73..=74 => p.texture_2d_mipmap[number as usize - 73],
        75 => p.major,
        76 => p.minor,
        77 => p.texture_1d_mipmap,
        78 => p.stream_priorities,
        79 => p.global_l1,
        80 => p.local_l1,
        81 => p.shared_per_multiprocessor as i32,
        82 => p.registers_per_multiprocessor,
        83 => p.managed_memory,
        // Single precision is so many times as fast as double.
        87 => 32,
        90 => p.preemption,
        91 => p.host_pointers_of_registered,
        95 => p.cooperative_launch,
        97 => p.shared_opt_in as i32,
        99 => p.host_register,
        106 => p.blocks_per_multiprocessor,
        115 => p.memory_pools,
        130 | 131 | 134 => -i32::from(number != 130),
        _ => 0,
    }
}

/// Texels of a texture of plain memory.
const LINEAR_TEXELS: i32 = 1 << 28;

#[no_mangle]
pub unsafe extern "C" fn cudaDeviceGetAttribute(value: *mut i32, number: i32, device: i32) -> i32 {
    answer(|_| {
        check(device)?;
        unsafe { *value = attribute(number) };
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaDeviceGetTexture1DLinearMaxWidth(
    width: *mut usize,
    _: *const c_void,
    device: i32,
) -> i32 {
    answer(|_| {
        check(device)?;
        unsafe { *width = LINEAR_TEXELS as usize };
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaGetDeviceCount(count: *mut i32) -> i32 {
    answer(|_| unsafe {
        *count = 1;
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaGetDevice(device: *mut i32) -> i32 {
    answer(|_| unsafe {
        *device = 0;
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaChooseDevice(device: *mut i32, _: *const Properties) -> i32 {
    unsafe { cudaGetDevice(device) }
}

#[no_mangle]
pub unsafe extern "C" fn cudaSetDevice(device: i32) -> i32 {
    answer(|_| check(device))
}

#[no_mangle]
pub unsafe extern "C" fn cudaInitDevice(device: i32, _: u32, _: u32) -> i32 {
    answer(|_| check(device))
}

#[no_mangle]
pub unsafe extern "C" fn cudaGetDeviceFlags(flags: *mut u32) -> i32 {
    answer(|_| unsafe {
        *flags = 0;
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaDriverGetVersion(version: *mut i32) -> i32 {
    answer(|_| unsafe {
        *version = VERSION;
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaRuntimeGetVersion(version: *mut i32) -> i32 {
    unsafe { cudaDriverGetVersion(version) }
}

const BUS: &CStr = c"0000:01:00.0";

#[no_mangle]
pub unsafe extern "C" fn cudaDeviceGetPCIBusId(text: *mut c_char, bytes: i32, device: i32) -> i32 {
    answer(|_| {
        check(device)?;
        let bus = BUS.to_bytes_with_nul();
        if (bytes as usize) < bus.len() {
            return Err(INVALID_VALUE);
        }
        unsafe { std::ptr::copy_nonoverlapping(bus.as_ptr().cast(), text, bus.len()) };
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaDeviceGetByPCIBusId(device: *mut i32, text: *const c_char) -> i32 {
    answer(|_| unsafe {
        if CStr::from_ptr(text) != BUS {
            return Err(INVALID_DEVICE);
        }
        *device = 0;
        Ok(())
    })
}

/// A device is no peer of its own.
#[no_mangle]
pub unsafe extern "C" fn cudaDeviceCanAccessPeer(can: *mut i32, device: i32, peer: i32) -> i32 {
    answer(|_| {
        check(device)?;
        check(peer)?;
        unsafe { *can = 0 };
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaDeviceEnablePeerAccess(peer: i32, _: u32) -> i32 {
    answer(|_| {
        check(peer)?;
        Err(PEER_ENABLED)
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaDeviceDisablePeerAccess(peer: i32) -> i32 {
    answer(|_| {
        check(peer)?;
        Err(PEER_NOT_ENABLED)
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaDeviceGetP2PAttribute(value: *mut i32, _: i32, from: i32, to: i32) -> i32 {
    answer(|_| {
        check(from)?;
        check(to)?;
        unsafe { *value = 0 };
        Ok(())
    })
}

/// `cudaLimit`.
const STACK: i32 = 0;
const PRINT: i32 = 1;
const HEAP: i32 = 2;
const LAST_LIMIT: i32 = 6;
/// Most bytes of a thread's stack.
const MAX_STACK: usize = 512 << 10;

#[no_mangle]
pub unsafe extern "C" fn cudaDeviceSetLimit(limit: i32, value: usize) -> i32 {
    answer(|host| {
        match limit {
            STACK if value > MAX_STACK => return Err(INVALID_VALUE),
            STACK => {
                host.limits.stack = value;
                host.device().set_stack_bytes(value as u32);
            }
            HEAP => {
                host.limits.heap = value;
                host.device().set_heap_bytes(value as u64);
            }
            PRINT | 3..=LAST_LIMIT => {
                host.limits.others.insert(limit, value);
            }
            _ => return Err(UNSUPPORTED_LIMIT),
        }
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaDeviceGetLimit(value: *mut usize, limit: i32) -> i32 {
    answer(|host| {
        let others: &BTreeMap<i32, usize> = &host.limits.others;
        let found = match limit {
            STACK => host.limits.stack,
            HEAP => host.limits.heap,
            PRINT | 3..=LAST_LIMIT => others.get(&limit).copied().unwrap_or_default(),
            _ => return Err(UNSUPPORTED_LIMIT),
        };
        unsafe { *value = found };
        Ok(())
    })
}

/// Forgets a kernel's fault. Memory stays.
#[no_mangle]
pub unsafe extern "C" fn cudaDeviceReset() -> i32 {
    host().reset();
    0
}

/// The answer of calls that have nothing to do, as all has happened, or as there is nothing that they could
/// change.
macro_rules! nothing {
    ($($name:ident($($type:ty),*);)*) => {$(
        #[no_mangle]
        pub unsafe extern "C" fn $name($(_: $type),*) -> i32 {
            answer(|_| Ok(()))
        }
    )*};
}

/// `cudaMemLocation`, which is passed as 8 bytes.
pub type Location = u64;

nothing! {
    cudaDeviceSynchronize();
    cudaThreadSynchronize();
    cudaThreadExit();
    cudaSetDeviceFlags(u32);
    cudaSetValidDevices(*const i32, i32);
    cudaDeviceSetCacheConfig(i32);
    cudaDeviceSetSharedMemConfig(i32);
    cudaCtxResetPersistingL2Cache();
    cudaProfilerStart();
    cudaProfilerStop();
    cudaMemPrefetchAsync(u64, usize, Location, u32, *mut c_void);
    cudaMemAdvise(u64, usize, i32, Location);
    cudaFuncSetCacheConfig(*const c_void, i32);
    cudaFuncSetSharedMemConfig(*const c_void, i32);
}

/// No preference.
#[no_mangle]
pub unsafe extern "C" fn cudaDeviceGetCacheConfig(preferred: *mut i32) -> i32 {
    answer(|_| unsafe {
        *preferred = 0;
        Ok(())
    })
}

/// Banks of four bytes.
#[no_mangle]
pub unsafe extern "C" fn cudaDeviceGetSharedMemConfig(banks: *mut i32) -> i32 {
    answer(|_| unsafe {
        *banks = 1;
        Ok(())
    })
}

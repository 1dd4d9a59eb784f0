// SPDX-License-Identifier: Apache-2.0
//! Allocations in the order of streams, from pools: as streams are synchronous, plain ones.

use std::ffi::c_void;

use crate::errors::{Answer, INVALID_VALUE};
use crate::host::{answer, Locked};
use crate::memory::Kind;

/// The attributes of a pool that the program sets.
#[derive(Default)]
pub struct Pool {
    values: [u64; 9],
}

/// Reuse settings are 32 bits, sizes 64.
const LAST_FLAG: i32 = 3;

/// The device's own pool, which handle 1 stands for.
const DEFAULT: usize = 1;

unsafe fn values(pool: usize, own: &mut Pool) -> &mut [u64; 9] {
    match pool {
        DEFAULT => &mut own.values,
        _ => unsafe { &mut (*(pool as *mut Pool)).values },
    }
}

unsafe fn allocate(host: &mut Locked, pointer: *mut u64, bytes: usize, stream: *mut c_void) -> Answer {
    if bytes == 0 {
        return Err(INVALID_VALUE);
    }
    unsafe {
        let kind = if crate::streams::is_capturing(stream) { Kind::Graph } else { Kind::Device };
        *pointer = host.allocate(bytes as u64, kind)?;
    }
    Ok(())
}

#[no_mangle]
pub unsafe extern "C" fn cudaMallocAsync(pointer: *mut u64, bytes: usize, stream: *mut c_void) -> i32 {
    answer(|host| unsafe { allocate(host, pointer, bytes, stream) })
}

#[no_mangle]
pub unsafe extern "C" fn cudaMallocFromPoolAsync(
    pointer: *mut u64,
    bytes: usize,
    _: usize,
    stream: *mut c_void,
) -> i32 {
    answer(|host| unsafe { allocate(host, pointer, bytes, stream) })
}

/// Memory that a capture frees stays, for the graph may be launched again.
#[no_mangle]
pub unsafe extern "C" fn cudaFreeAsync(pointer: u64, stream: *mut c_void) -> i32 {
    answer(|host| match unsafe { crate::streams::is_capturing(stream) } {
        true => Ok(()),
        false => host.free(pointer),
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaMemPoolCreate(pool: *mut *mut Pool, _: *const c_void) -> i32 {
    answer(|_| unsafe {
        *pool = Box::into_raw(Box::default());
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaMemPoolDestroy(pool: usize) -> i32 {
    answer(|_| {
        if pool <= DEFAULT {
            return Err(INVALID_VALUE);
        }
        drop(unsafe { Box::from_raw(pool as *mut Pool) });
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaDeviceGetDefaultMemPool(pool: *mut usize, _: i32) -> i32 {
    answer(|_| unsafe {
        *pool = DEFAULT;
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaDeviceGetMemPool(pool: *mut usize, _: i32) -> i32 {
    answer(|host| unsafe {
        *pool = host.allocations.pool.map_or(DEFAULT, |pool| pool);
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaDeviceSetMemPool(_: i32, pool: usize) -> i32 {
    answer(|host| {
        host.allocations.pool = Some(pool);
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaMemPoolSetAttribute(pool: usize, attribute: i32, value: *const u64) -> i32 {
    answer(|host| unsafe {
        let place = values(pool, &mut host.allocations.default_pool).get_mut(attribute as usize);
        let place = place.ok_or(INVALID_VALUE)?;
        *place = if attribute <= LAST_FLAG { u64::from(*value.cast::<u32>()) } else { *value };
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaMemPoolGetAttribute(pool: usize, attribute: i32, value: *mut u64) -> i32 {
    answer(|host| unsafe {
        let place = values(pool, &mut host.allocations.default_pool).get(attribute as usize).copied();
        let found = place.ok_or(INVALID_VALUE)?;
        match attribute <= LAST_FLAG {
            true => *value.cast::<u32>() = found as u32,
            false => *value = found,
        }
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaMemPoolTrimTo(_: usize, _: usize) -> i32 {
    answer(|_| Ok(()))
}

#[no_mangle]
pub unsafe extern "C" fn cudaMemPoolSetAccess(_: usize, _: *const c_void, _: usize) -> i32 {
    answer(|_| Ok(()))
}

/// Read and write.
#[no_mangle]
pub unsafe extern "C" fn cudaMemPoolGetAccess(flags: *mut i32, _: usize, _: *const c_void) -> i32 {
    answer(|_| unsafe {
        *flags = 3;
        Ok(())
    })
}

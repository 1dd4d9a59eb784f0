// SPDX-License-Identifier: Apache-2.0
//! Queries about kernels.

use std::ffi::{c_char, c_void, CString};

use crate::device::{BLOCKS, REGISTERS, SHARED, THREADS};
use crate::errors::{Answer, INVALID_VALUE};
use crate::host::{answer, Locked};

/// `cudaFuncAttributes`.
#[repr(C)]
pub struct Attributes {
    shared: usize,
    constant: usize,
    local: usize,
    threads_per_block: i32,
    registers: i32,
    ptx_version: i32,
    binary_version: i32,
    cached: i32,
    dynamic_shared: i32,
    carveout: i32,
    cluster: [i32; 4],
    more: [i32; 18],
}

const _: () = assert!(size_of::<Attributes>() == 144);

#[no_mangle]
pub unsafe extern "C" fn cudaFuncGetAttributes(attributes: *mut Attributes, function: *const c_void) -> i32 {
    answer(|host| {
        let kernel = host.kernel(function)?;
        let found = Attributes {
            shared: kernel.shared as usize,
            constant: 0,
            local: kernel.stack.unwrap_or(kernel.frame) as usize,
            // Registers are given to warps in units of 256.
            threads_per_block: (REGISTERS / registers_of_warp(kernel.registers) * 32).min(THREADS),
            registers: kernel.registers as i32,
            ptx_version: 75,
            binary_version: 75,
            cached: 0,
            dynamic_shared: (48 << 10) - kernel.shared as i32,
            carveout: -1,
            cluster: [0; 4],
            more: [0; 18],
        };
        unsafe { attributes.write(found) };
        Ok(())
    })
}

fn registers_of_warp(registers: u32) -> i32 {
    (registers.max(1) * 32).next_multiple_of(256) as i32
}

/// A request without effect: it holds already, or has no meaning here.
#[no_mangle]
pub unsafe extern "C" fn cudaFuncSetAttribute(function: *const c_void, attribute: i32, value: i32) -> i32 {
    answer(|host| {
        let shared = host.kernel(function)?.shared as i32;
        if attribute == DYNAMIC_SHARED && value > SHARED - shared {
            return Err(INVALID_VALUE);
        }
        Ok(())
    })
}

/// `cudaFuncAttributeMaxDynamicSharedMemorySize`.
const DYNAMIC_SHARED: i32 = 8;

/// The text stays while the program runs.
#[no_mangle]
pub unsafe extern "C" fn cudaFuncGetName(name: *mut *const c_char, function: *const c_void) -> i32 {
    answer(|host| {
        let text = CString::new(host.kernel(function)?.name.clone()).map_err(|_| INVALID_VALUE)?;
        unsafe { *name = text.into_raw() };
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaFuncGetParamInfo(
    function: *const c_void,
    index: usize,
    offset: *mut usize,
    size: *mut usize,
) -> i32 {
    answer(|host| unsafe {
        let parameters = host.kernel(function)?.parameters.as_ref().ok_or(INVALID_VALUE)?;
        let parameter = parameters.get(index).ok_or(INVALID_VALUE)?;
        *offset = parameter.offset as usize;
        if let Some(size) = size.as_mut() {
            *size = parameter.size as usize;
        }
        Ok(())
    })
}

/// Blocks of so many threads that a multiprocessor keeps, as far as threads, registers and shared memory go.
fn resident(host: &mut Locked, function: *const c_void, threads: i32, shared: usize) -> Answer<i32> {
    let kernel = host.kernel(function)?;
    if threads <= 0 {
        return Err(INVALID_VALUE);
    }
    let warps = (threads + 31) / 32;
    let shared = (kernel.shared as usize + shared).max(1);
    let by_registers = REGISTERS / (registers_of_warp(kernel.registers) * warps);
    let by_shared = (SHARED as usize / shared) as i32;
    Ok((THREADS / (32 * warps)).min(by_registers).min(by_shared).min(BLOCKS))
}

#[no_mangle]
pub unsafe extern "C" fn cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    blocks: *mut i32,
    function: *const c_void,
    threads: i32,
    shared: usize,
    _: u32,
) -> i32 {
    answer(|host| {
        let most = resident(host, function, threads, shared)?;
        unsafe { *blocks = most };
        Ok(())
    })
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

#[no_mangle]
pub unsafe extern "C" fn cudaOccupancyAvailableDynamicSMemPerBlock(
    bytes: *mut usize,
    function: *const c_void,
    blocks: i32,
    _: i32,
) -> i32 {
    answer(|host| {
        if blocks <= 0 {
            return Err(INVALID_VALUE);
        }
        let kernel = host.kernel(function)?;
        let share = (SHARED / blocks) as usize;
        unsafe { *bytes = share.saturating_sub(kernel.shared as usize) };
        Ok(())
    })
}

// SPDX-License-Identifier: Apache-2.0
//! Memory and events that processes pass to each other by handles. A process has a device of its own here, so
//! that a handle is good in the process that made it.

use crate::errors::{Answer, INVALID_HANDLE, INVALID_VALUE, NOT_SUPPORTED};
use crate::host::{answer, complain};
use crate::memory::{Allocation, Kind};
use crate::streams::Event;

/// `cudaIpcMemHandle_t` and `cudaIpcEventHandle_t`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Handle {
    maker: u64,
    kind: u64,
    address: u64,
    rest: [u64; 5],
}

const _: () = assert!(size_of::<Handle>() == 64);

/// Kinds of handles; any other number is none of ours.
const MEMORY: u64 = 0x6d65_6d6f_7279;
const EVENT: u64 = 0x0065_7665_6e74;

impl Handle {
    fn new(kind: u64, address: u64) -> Handle {
        Handle { maker: std::process::id().into(), kind, address, rest: [0; 5] }
    }

    /// The address that it stands for.
    fn open(&self, kind: u64) -> Answer<u64> {
        if self.kind != kind {
            return Err(INVALID_HANDLE);
        }
        if self.maker != u64::from(std::process::id()) {
            complain("memory and events of another process are not emulated; pass handles within a process");
            return Err(NOT_SUPPORTED);
        }
        Ok(self.address)
    }
}

/// A handle names the whole allocation.
#[no_mangle]
pub unsafe extern "C" fn cudaIpcGetMemHandle(handle: *mut Handle, pointer: u64) -> i32 {
    answer(|host| unsafe {
        match host.allocations.at(pointer) {
            Some((start, Allocation { kind: Kind::Device, .. })) => *handle = Handle::new(MEMORY, start),
            _ => return Err(INVALID_VALUE),
        }
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaIpcOpenMemHandle(pointer: *mut u64, handle: Handle, _: u32) -> i32 {
    answer(|host| unsafe {
        let address = handle.open(MEMORY)?;
        // It may have been freed.
        host.allocations.at(address).ok_or(INVALID_HANDLE)?;
        *pointer = address;
        *host.opened.entry(address).or_default() += 1;
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaIpcCloseMemHandle(pointer: u64) -> i32 {
    answer(|host| {
        let times = host.opened.get_mut(&pointer).filter(|times| **times > 0).ok_or(INVALID_VALUE)?;
        *times -= 1;
        Ok(())
    })
}

/// The event must have been made for it.
#[no_mangle]
pub unsafe extern "C" fn cudaIpcGetEventHandle(handle: *mut Handle, event: *mut Event) -> i32 {
    answer(|_| unsafe {
        if !event.as_ref().ok_or(INVALID_HANDLE)?.is_shared() {
            return Err(INVALID_HANDLE);
        }
        *handle = Handle::new(EVENT, event as u64);
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaIpcOpenEventHandle(event: *mut *mut Event, handle: Handle) -> i32 {
    answer(|_| unsafe {
        let original = handle.open(EVENT)? as *const Event;
        *event = Box::into_raw(Box::new((*original).clone()));
        Ok(())
    })
}

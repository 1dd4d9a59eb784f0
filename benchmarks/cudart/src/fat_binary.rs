// SPDX-License-Identifier: Apache-2.0
//! The machine code that the compiler puts into a program.

use std::ffi::c_void;

/// The struct that the program registers.
#[repr(C)]
pub struct Wrapper {
    magic: u32,
    version: u32,
    data: *const u8,
    file: *const c_void,
}

const WRAPPER_MAGIC: u32 = 0x466243b1;
const MAGIC: u32 = 0xba55ed50;
/// The kind of an entry with machine code.
const MACHINE_CODE: u16 = 2;
const TURING: u32 = 75;

/// The cubin for Turing in a fat binary.
///
/// # Safety
/// The wrapper must be one that NVIDIA's compiler made.
pub unsafe fn cubin(wrapper: *const Wrapper) -> Result<Vec<u8>, String> {
    let wrapper = unsafe { &*wrapper };
    if wrapper.magic != WRAPPER_MAGIC || unsafe { word(wrapper.data, 0) } != MAGIC {
        return Err("the program's device code is not as this version of the compiler has it".into());
    }
    let header = usize::from(unsafe { half(wrapper.data, 6) });
    let end = header + unsafe { long(wrapper.data, 8) };
    let mut at = header;
    while at < end {
        let entry = unsafe { wrapper.data.add(at) };
        let (kind, start) = unsafe { (half(entry, 0), word(entry, 4) as usize) };
        let (bytes, architecture) = unsafe { (long(entry, 8), word(entry, 28)) };
        if kind == MACHINE_CODE && architecture == TURING {
            let code = unsafe { std::slice::from_raw_parts(entry.add(start), bytes) };
            return match code {
                [0x7f, b'E', b'L', b'F', ..] => Ok(code.to_vec()),
                _ => Err("the device code is compressed; compile with --no-compress".into()),
            };
        }
        at += start + bytes;
    }
    Err("the program has no code for Turing; compile with -gencode arch=compute_75,code=sm_75".into())
}

unsafe fn half(data: *const u8, at: usize) -> u16 {
    unsafe { data.add(at).cast::<u16>().read_unaligned() }
}

unsafe fn word(data: *const u8, at: usize) -> u32 {
    unsafe { data.add(at).cast::<u32>().read_unaligned() }
}

unsafe fn long(data: *const u8, at: usize) -> usize {
    unsafe { data.add(at).cast::<u64>().read_unaligned() as usize }
}

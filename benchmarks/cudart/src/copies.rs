// SPDX-License-Identifier: Apache-2.0
//! Copies and fills. All of them have happened when the call returns, unless their stream is captured.

use crate::arrays::Array;
use crate::errors::{Answer, INVALID_PITCH, INVALID_VALUE};
use crate::host::{answer, Locked};
use crate::memory::{Extent, Pitched};
use crate::operations::{CopyPlace, Fill, Operation, Side, Transfer, ANY, ON_DEVICE};
use crate::streams::{Stream, DEFAULT};

#[no_mangle]
pub unsafe extern "C" fn cudaMemcpy(to: u64, from: u64, bytes: usize, kind: i32) -> i32 {
    unsafe { cudaMemcpyAsync(to, from, bytes, kind, DEFAULT) }
}

#[no_mangle]
pub unsafe extern "C" fn cudaMemcpyAsync(
    to: u64,
    from: u64,
    bytes: usize,
    kind: i32,
    stream: *mut Stream,
) -> i32 {
    answer(|host| unsafe { host.submit(stream, Operation::Copy(Transfer::line(to, from, bytes, kind))) })
}

#[no_mangle]
pub unsafe extern "C" fn cudaMemcpyPeer(to: u64, _: i32, from: u64, _: i32, bytes: usize) -> i32 {
    unsafe { cudaMemcpyAsync(to, from, bytes, ON_DEVICE, DEFAULT) }
}

#[no_mangle]
pub unsafe extern "C" fn cudaMemcpyPeerAsync(
    to: u64,
    _: i32,
    from: u64,
    _: i32,
    bytes: usize,
    stream: *mut Stream,
) -> i32 {
    unsafe { cudaMemcpyAsync(to, from, bytes, ON_DEVICE, stream) }
}

/// So many rows.
#[no_mangle]
pub unsafe extern "C" fn cudaMemcpy2D(
    to: u64,
    to_pitch: usize,
    from: u64,
    from_pitch: usize,
    width: usize,
    height: usize,
    kind: i32,
) -> i32 {
    unsafe { cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, DEFAULT) }
}

#[no_mangle]
pub unsafe extern "C" fn cudaMemcpy2DAsync(
    to: u64,
    to_pitch: usize,
    from: u64,
    from_pitch: usize,
    width: usize,
    height: usize,
    kind: i32,
    stream: *mut Stream,
) -> i32 {
    answer(|host| unsafe {
        if to_pitch < width || from_pitch < width {
            return Err(INVALID_PITCH);
        }
        let side = |address, pitch| Side { pitch, ..Side::line(address) };
        let extent = Extent { x: width, y: height, z: 1 };
        let copy = Transfer { from: side(from, from_pitch), to: side(to, to_pitch), extent, kind };
        host.submit(stream, Operation::Copy(copy))
    })
}

/// `cudaMemcpy3DParms`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Copy3d {
    from_array: *const Array,
    from_position: Extent,
    from: Pitched,
    to_array: *const Array,
    to_position: Extent,
    to: Pitched,
    extent: Extent,
    kind: i32,
}

const _: () = assert!(size_of::<Copy3d>() == 160);

/// `cudaMemcpy3DPeerParms`: the same, and the devices, which are one.
#[repr(C)]
pub struct PeerCopy3d {
    from_array: *const Array,
    from_position: Extent,
    from: Pitched,
    from_device: i32,
    to_array: *const Array,
    to_position: Extent,
    to: Pitched,
    to_device: i32,
    extent: Extent,
}

const _: () = assert!(size_of::<PeerCopy3d>() == 168);

impl Copy3d {
    /// The copy in bytes. Widths are in elements where an array takes part.
    pub unsafe fn copy(&self) -> Answer<Transfer> {
        let element = match unsafe { (self.from_array.as_ref(), self.to_array.as_ref()) } {
            (Some(array), _) | (None, Some(array)) => array.texel_bytes(),
            (None, None) => 1,
        };
        let side = |array: *const Array, position: Extent, memory: Pitched| unsafe {
            match array.as_ref() {
                Some(array) => array.side(position.x * array.texel_bytes(), position.y, position.z),
                None => {
                    let plane = memory.pitch * memory.height;
                    let start = position.x + position.y * memory.pitch + position.z * plane;
                    Side {
                        place: CopyPlace::Address(memory.pointer + start as u64),
                        pitch: memory.pitch,
                        plane,
                    }
                }
            }
        };
        if self.from_array.is_null() && self.from.pointer == 0
            || self.to_array.is_null() && self.to.pointer == 0
        {
            return Err(INVALID_VALUE);
        }
        Ok(Transfer {
            from: side(self.from_array, self.from_position, self.from),
            to: side(self.to_array, self.to_position, self.to),
            extent: Extent { x: self.extent.x * element, ..self.extent },
            kind: self.kind,
        })
    }
}

#[no_mangle]
pub unsafe extern "C" fn cudaMemcpy3D(copy: *const Copy3d) -> i32 {
    unsafe { cudaMemcpy3DAsync(copy, DEFAULT) }
}

#[no_mangle]
pub unsafe extern "C" fn cudaMemcpy3DAsync(copy: *const Copy3d, stream: *mut Stream) -> i32 {
    answer(|host| unsafe { host.submit(stream, Operation::Copy((*copy).copy()?)) })
}

#[no_mangle]
pub unsafe extern "C" fn cudaMemcpy3DPeer(copy: *const PeerCopy3d) -> i32 {
    unsafe { cudaMemcpy3DPeerAsync(copy, DEFAULT) }
}

#[no_mangle]
pub unsafe extern "C" fn cudaMemcpy3DPeerAsync(copy: *const PeerCopy3d, stream: *mut Stream) -> i32 {
    answer(|host| unsafe {
        let PeerCopy3d { from_array, from_position, from, to_array, to_position, to, extent, .. } = *copy;
        let kind = ON_DEVICE;
        let copy = Copy3d { from_array, from_position, from, to_array, to_position, to, extent, kind };
        host.submit(stream, Operation::Copy(copy.copy()?))
    })
}

/// Rows to or from an array: widths and horizontal places are in bytes.
unsafe fn rows(
    host: &mut Locked,
    [from, to]: [Side; 2],
    (width, height): (usize, usize),
    kind: i32,
    stream: *mut Stream,
) -> Answer {
    let copy = Transfer { from, to, extent: Extent { x: width, y: height, z: 1 }, kind };
    unsafe { host.submit(stream, Operation::Copy(copy)) }
}

#[no_mangle]
pub unsafe extern "C" fn cudaMemcpy2DToArrayAsync(
    to: *const Array,
    x: usize,
    y: usize,
    from: u64,
    pitch: usize,
    width: usize,
    height: usize,
    kind: i32,
    stream: *mut Stream,
) -> i32 {
    answer(|host| unsafe {
        let sides = [Side { pitch, ..Side::line(from) }, (*to).side(x, y, 0)];
        rows(host, sides, (width, height), kind, stream)
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaMemcpy2DToArray(
    to: *const Array,
    x: usize,
    y: usize,
    from: u64,
    pitch: usize,
    width: usize,
    height: usize,
    kind: i32,
) -> i32 {
    unsafe { cudaMemcpy2DToArrayAsync(to, x, y, from, pitch, width, height, kind, DEFAULT) }
}

#[no_mangle]
pub unsafe extern "C" fn cudaMemcpy2DFromArrayAsync(
    to: u64,
    pitch: usize,
    from: *const Array,
    x: usize,
    y: usize,
    width: usize,
    height: usize,
    kind: i32,
    stream: *mut Stream,
) -> i32 {
    answer(|host| unsafe {
        let sides = [(*from).side(x, y, 0), Side { pitch, ..Side::line(to) }];
        rows(host, sides, (width, height), kind, stream)
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaMemcpy2DFromArray(
    to: u64,
    pitch: usize,
    from: *const Array,
    x: usize,
    y: usize,
    width: usize,
    height: usize,
    kind: i32,
) -> i32 {
    unsafe { cudaMemcpy2DFromArrayAsync(to, pitch, from, x, y, width, height, kind, DEFAULT) }
}

#[no_mangle]
pub unsafe extern "C" fn cudaMemcpy2DArrayToArray(
    to: *const Array,
    to_x: usize,
    to_y: usize,
    from: *const Array,
    from_x: usize,
    from_y: usize,
    width: usize,
    height: usize,
    _: i32,
) -> i32 {
    answer(|host| unsafe {
        let sides = [(*from).side(from_x, from_y, 0), (*to).side(to_x, to_y, 0)];
        rows(host, sides, (width, height), ANY, DEFAULT)
    })
}

/// Arrays lie without gaps, so that bytes in a line fill their rows.
#[no_mangle]
pub unsafe extern "C" fn cudaMemcpyToArrayAsync(
    to: *const Array,
    x: usize,
    y: usize,
    from: u64,
    bytes: usize,
    kind: i32,
    stream: *mut Stream,
) -> i32 {
    answer(|host| unsafe { rows(host, [Side::line(from), (*to).side(x, y, 0)], (bytes, 1), kind, stream) })
}

#[no_mangle]
pub unsafe extern "C" fn cudaMemcpyToArray(
    to: *const Array,
    x: usize,
    y: usize,
    from: u64,
    bytes: usize,
    kind: i32,
) -> i32 {
    unsafe { cudaMemcpyToArrayAsync(to, x, y, from, bytes, kind, DEFAULT) }
}

#[no_mangle]
pub unsafe extern "C" fn cudaMemcpyFromArrayAsync(
    to: u64,
    from: *const Array,
    x: usize,
    y: usize,
    bytes: usize,
    kind: i32,
    stream: *mut Stream,
) -> i32 {
    answer(|host| unsafe { rows(host, [(*from).side(x, y, 0), Side::line(to)], (bytes, 1), kind, stream) })
}

#[no_mangle]
pub unsafe extern "C" fn cudaMemcpyFromArray(
    to: u64,
    from: *const Array,
    x: usize,
    y: usize,
    bytes: usize,
    kind: i32,
) -> i32 {
    unsafe { cudaMemcpyFromArrayAsync(to, from, x, y, bytes, kind, DEFAULT) }
}

#[no_mangle]
pub unsafe extern "C" fn cudaMemset(address: u64, value: i32, bytes: usize) -> i32 {
    unsafe { cudaMemsetAsync(address, value, bytes, DEFAULT) }
}

#[no_mangle]
pub unsafe extern "C" fn cudaMemsetAsync(address: u64, value: i32, bytes: usize, stream: *mut Stream) -> i32 {
    unsafe { cudaMemset2DAsync(address, 0, value, bytes, 1, stream) }
}

#[no_mangle]
pub unsafe extern "C" fn cudaMemset2D(
    address: u64,
    pitch: usize,
    value: i32,
    width: usize,
    height: usize,
) -> i32 {
    unsafe { cudaMemset2DAsync(address, pitch, value, width, height, DEFAULT) }
}

#[no_mangle]
pub unsafe extern "C" fn cudaMemset2DAsync(
    address: u64,
    pitch: usize,
    value: i32,
    width: usize,
    height: usize,
    stream: *mut Stream,
) -> i32 {
    let memory = Pitched { pointer: address, pitch, width, height };
    unsafe { cudaMemset3DAsync(memory, value, Extent { x: width, y: height, z: 1 }, stream) }
}

#[no_mangle]
pub unsafe extern "C" fn cudaMemset3D(memory: Pitched, value: i32, extent: Extent) -> i32 {
    unsafe { cudaMemset3DAsync(memory, value, extent, DEFAULT) }
}

#[no_mangle]
pub unsafe extern "C" fn cudaMemset3DAsync(
    memory: Pitched,
    value: i32,
    extent: Extent,
    stream: *mut Stream,
) -> i32 {
    answer(|host| unsafe {
        let Pitched { pointer, pitch, height, .. } = memory;
        let value = value as u8 as u32;
        let fill = Fill { address: pointer, pitch, plane: pitch * height, value, element: 1, extent };
        host.submit(stream, Operation::Fill(fill))
    })
}

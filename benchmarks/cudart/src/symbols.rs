// SPDX-License-Identifier: Apache-2.0
//! Variables of the device, by the addresses of their stand-ins in the host program.

use std::ffi::c_void;

use crate::errors::{Answer, INVALID_DIRECTION, INVALID_SYMBOL, INVALID_VALUE};
use crate::host::{answer, complain, Host};
use crate::memory::Extent;
use crate::operations::{CopyPlace, Operation, Side, Transfer, TO_DEVICE, TO_HOST};
use crate::streams::{Stream, DEFAULT};

/// A variable in constant memory, which has no address here: its fat binary and name.
#[derive(Clone)]
pub struct Constant {
    binary: usize,
    name: String,
    /// Bytes in front of the place that is meant.
    offset: usize,
}

impl Constant {
    pub fn read(&self, host: &mut Host, start: usize, into: &mut [u8]) -> Answer {
        let (device, module) = host.with_module(self.binary);
        let read = device.read_symbol(module, &self.name, self.offset + start, into.len());
        into.copy_from_slice(&read.map_err(invalid)?);
        Ok(())
    }

    pub fn write(&self, host: &mut Host, start: usize, from: &[u8]) -> Answer {
        let (device, module) = host.with_module(self.binary);
        let before = device.read_symbol(module, &self.name, 0, self.offset + start).map_err(invalid)?;
        device.write_symbol(module, &self.name, &[&before, from].concat()).map_err(invalid)
    }
}

fn invalid(error: gpurf_workloads::Error) -> i32 {
    complain(error);
    INVALID_VALUE
}

impl Host {
    /// Place and size of a variable.
    fn symbol(&mut self, symbol: *const c_void) -> Answer<(CopyPlace, usize)> {
        let (binary, name) = self.variables.get(&(symbol as usize)).cloned().ok_or(INVALID_SYMBOL)?;
        let (device, module) = self.with_module(binary);
        if let Some((_, size)) = module.constants.symbols.get(&name) {
            return Ok((CopyPlace::Constant(Constant { binary, name, offset: 0 }), *size as usize));
        }
        let size = module.globals.iter().find_map(|data| data.symbols.get(&name)).map(|(_, size)| *size);
        let variables = device.variables(module).map_err(invalid)?;
        let (_, address) = variables.into_iter().find(|(known, _)| *known == name).ok_or(INVALID_SYMBOL)?;
        Ok((CopyPlace::Address(address), size.unwrap_or_default() as usize))
    }

    /// A place in a variable that so many bytes have room at.
    pub fn symbol_side(&mut self, symbol: *const c_void, offset: usize, bytes: usize) -> Answer<Side> {
        let (place, size) = self.symbol(symbol)?;
        if offset + bytes > size {
            return Err(INVALID_VALUE);
        }
        let place = match place {
            CopyPlace::Address(address) => CopyPlace::Address(address + offset as u64),
            CopyPlace::Constant(constant) => CopyPlace::Constant(Constant { offset, ..constant }),
        };
        Ok(Side { place, pitch: 0, plane: 0 })
    }
}

impl Transfer {
    /// To a variable.
    pub fn to_symbol(
        host: &mut Host,
        symbol: *const c_void,
        from: u64,
        bytes: usize,
        offset: usize,
        kind: i32,
    ) -> Answer<Transfer> {
        let to = host.symbol_side(symbol, offset, bytes)?;
        let kind = if kind == TO_HOST { return Err(INVALID_DIRECTION) } else { kind };
        Ok(Transfer { from: Side::line(from), to, extent: Extent { x: bytes, y: 1, z: 1 }, kind })
    }

    /// From a variable.
    pub fn from_symbol(
        host: &mut Host,
        to: u64,
        symbol: *const c_void,
        bytes: usize,
        offset: usize,
        kind: i32,
    ) -> Answer<Transfer> {
        let from = host.symbol_side(symbol, offset, bytes)?;
        let kind = if kind == TO_DEVICE { return Err(INVALID_DIRECTION) } else { kind };
        Ok(Transfer { from, to: Side::line(to), extent: Extent { x: bytes, y: 1, z: 1 }, kind })
    }
}

#[no_mangle]
pub unsafe extern "C" fn cudaMemcpyToSymbol(
    symbol: *const c_void,
    from: u64,
    bytes: usize,
    offset: usize,
    kind: i32,
) -> i32 {
    unsafe { cudaMemcpyToSymbolAsync(symbol, from, bytes, offset, kind, DEFAULT) }
}

#[no_mangle]
pub unsafe extern "C" fn cudaMemcpyToSymbolAsync(
    symbol: *const c_void,
    from: u64,
    bytes: usize,
    offset: usize,
    kind: i32,
    stream: *mut Stream,
) -> i32 {
    answer(|host| unsafe {
        let copy = Transfer::to_symbol(host, symbol, from, bytes, offset, kind)?;
        host.submit(stream, Operation::Copy(copy))
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaMemcpyFromSymbol(
    to: u64,
    symbol: *const c_void,
    bytes: usize,
    offset: usize,
    kind: i32,
) -> i32 {
    unsafe { cudaMemcpyFromSymbolAsync(to, symbol, bytes, offset, kind, DEFAULT) }
}

#[no_mangle]
pub unsafe extern "C" fn cudaMemcpyFromSymbolAsync(
    to: u64,
    symbol: *const c_void,
    bytes: usize,
    offset: usize,
    kind: i32,
    stream: *mut Stream,
) -> i32 {
    answer(|host| unsafe {
        let copy = Transfer::from_symbol(host, to, symbol, bytes, offset, kind)?;
        host.submit(stream, Operation::Copy(copy))
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaGetSymbolAddress(pointer: *mut u64, symbol: *const c_void) -> i32 {
    answer(|host| match host.symbol(symbol)? {
        (CopyPlace::Address(address), _) => {
            unsafe { *pointer = address };
            Ok(())
        }
        (CopyPlace::Constant(constant), _) => {
            complain(format!("{} is in constant memory, which has no address here", constant.name));
            Err(INVALID_SYMBOL)
        }
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaGetSymbolSize(size: *mut usize, symbol: *const c_void) -> i32 {
    answer(|host| {
        let (_, bytes) = host.symbol(symbol)?;
        unsafe { *size = bytes };
        Ok(())
    })
}

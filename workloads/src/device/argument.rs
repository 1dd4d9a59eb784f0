// SPDX-License-Identifier: Apache-2.0
//! Extents and arguments of launches.

use crate::listing::Kernel;
use crate::pointer::Pointer;

/// Extent of a grid in blocks, or of a block in threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dim {
    /// Extent in x.
    pub x: u32,
    /// Extent in y.
    pub y: u32,
    /// Extent in z.
    pub z: u32,
}

impl From<u32> for Dim {
    fn from(x: u32) -> Dim {
        Dim { x, y: 1, z: 1 }
    }
}

impl From<(u32, u32)> for Dim {
    fn from((x, y): (u32, u32)) -> Dim {
        Dim { x, y, z: 1 }
    }
}

impl From<(u32, u32, u32)> for Dim {
    fn from((x, y, z): (u32, u32, u32)) -> Dim {
        Dim { x, y, z }
    }
}

/// A kernel argument: its bytes, little endian.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument(pub Vec<u8>);

macro_rules! argument_from {
    ($($scalar:ty)*) => {$(
        impl From<$scalar> for Argument {
            fn from(value: $scalar) -> Argument {
                Argument(value.to_le_bytes().to_vec())
            }
        }
    )*};
}

argument_from!(u8 i8 u16 i16 u32 i32 u64 i64 f32 f64);

impl From<Pointer> for Argument {
    fn from(pointer: Pointer) -> Argument {
        pointer.0.into()
    }
}

/// Puts arguments where the kernel expects them, or, if its listing does not tell, one after the
/// other, each aligned to its size.
pub(super) fn place_arguments(
    bank: &mut Vec<u8>,
    kernel: &Kernel,
    arguments: &[Argument],
) -> Result<(), String> {
    let base = bank.len();
    if let Some(parameters) = &kernel.parameters {
        if parameters.len() != arguments.len() {
            return Err(format!(
                "{} arguments given, the kernel takes {}",
                arguments.len(),
                parameters.len()
            ));
        }
    }
    for (number, Argument(bytes)) in arguments.iter().enumerate() {
        let start = match &kernel.parameters {
            Some(parameters) => {
                let parameter = parameters[number];
                if parameter.size as usize != bytes.len() {
                    return Err(format!(
                        "argument {} has {} bytes, the kernel takes {}",
                        number + 1,
                        bytes.len(),
                        parameter.size
                    ));
                }
                base + parameter.offset as usize
            }
            None => base + (bank.len() - base).next_multiple_of(bytes.len().max(1)),
        };
        bank.resize(bank.len().max(start + bytes.len()), 0);
        bank[start..start + bytes.len()].copy_from_slice(bytes);
    }
    // Wide constant accesses may reach past the last argument.
    bank.resize(bank.len().next_multiple_of(8), 0);
    Ok(())
}

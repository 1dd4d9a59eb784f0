//! The host's side of a program: device memory, copies, kernel launches.
//!
//! ```no_run
//! use gpurf_workloads::{Device, Dim, Module};
//! # fn main() -> Result<(), gpurf_workloads::Error> {
//! let module = Module::parse("vectoradd.sass", include_str!("../kernels/bfs.sass"))?;
//! let mut device = Device::default();
//! let a = device.upload(&[1.0f32, 2.0, 3.0]);
//! let b = device.upload(&[10.0f32, 20.0, 30.0]);
//! let c = device.allocate(12);
//! device.launch(&module, "vectoradd", Dim::from(1), Dim::from(32), 0, &[a.into(), b.into(), c.into(), 3.into()])?;
//! assert_eq!(device.read::<f32>(c, 3)?, [11.0, 22.0, 33.0]);
//! # Ok(())
//! # }
//! ```

use bytemuck::{AnyBitPattern, NoUninit};

use crate::error::Result;
use crate::listing::Module;

/// An address in device memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pointer(pub u64);

impl Pointer {
    /// The address `bytes` further on.
    pub fn offset(self, bytes: u64) -> Pointer {
        Pointer(self.0 + bytes)
    }
}

/// Extent of a grid in blocks, or of a block in threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dim {
    pub x: u32,
    pub y: u32,
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

/// Device memory and the copies and launches made so far.
#[derive(Default)]
pub struct Device {}

impl Device {
    /// Zeroed memory of `bytes` bytes, aligned to 256.
    pub fn allocate(&mut self, bytes: u64) -> Pointer {
        todo!("{bytes}")
    }

    /// Allocates memory and copies `data` into it.
    pub fn upload<T: NoUninit>(&mut self, data: &[T]) -> Pointer {
        let pointer = self.allocate(size_of_val(data) as u64);
        self.write(pointer, data).expect("just allocated");
        pointer
    }

    /// Copies `data` to allocated memory.
    pub fn write<T: NoUninit>(&mut self, to: Pointer, data: &[T]) -> Result<()> {
        let _: &[u8] = bytemuck::cast_slice(data);
        todo!("{to:?}")
    }

    /// Copies `count` values from allocated memory.
    pub fn read<T: AnyBitPattern + NoUninit>(&self, from: Pointer, count: usize) -> Result<Vec<T>> {
        todo!("{from:?} {count}")
    }

    /// Copies `data` to the `__constant__` or `__device__` variable `symbol` of a module.
    pub fn write_symbol<T: NoUninit>(&mut self, module: &Module, symbol: &str, data: &[T]) -> Result<()> {
        let _ = (module, data);
        todo!("{symbol}")
    }

    /// Launches a kernel and runs it to its end. `shared` is the dynamic shared memory in bytes.
    pub fn launch(
        &mut self,
        module: &Module,
        kernel: &str,
        grid: impl Into<Dim>,
        block: impl Into<Dim>,
        shared: u32,
        arguments: &[Argument],
    ) -> Result<()> {
        let _ = (module, grid.into(), block.into(), shared, arguments);
        todo!("{kernel}")
    }
}

// SPDX-License-Identifier: Apache-2.0
//! The square matrix products of C Table V, by name: HGEMM and IGEMM of 256 to 2,048, tiled as CUTLASS does.

use anyhow::Result;
use gpurf_workloads::suite::hgemm::{run_tile, TILES};
use gpurf_workloads::suite::igemm;
use gpurf_workloads::Device;

/// Sizes of C Table V.
const SIZES: [usize; 4] = [256, 512, 1024, 2048];

/// Rows and columns of the result that a thread block computes, with four warps in tiles of 64 x 64.
const TILE: usize = 128;

/// The largest size that runs whole; one row of thread blocks runs of larger products, if not all is asked
/// for. All blocks execute the same instructions in all of their lanes: the tile divides every size.
const LARGEST_WHOLE: usize = 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    /// Half precision with FP32 sums.
    Half,
    /// Signed bytes with 32-bit sums.
    Byte,
}

/// A product of two square matrices on the tensor cores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Product {
    pub name: String,
    format: Format,
    size: usize,
    /// All of it is computed, however large it is.
    whole: bool,
}

impl Product {
    /// All of C Table V, in its order.
    pub fn all() -> impl Iterator<Item = Product> {
        let sizes = |(name, format)| {
            SIZES.map(|size| Product { name: format!("{name}-{size}"), format, size, whole: false })
        };
        [("hgemm", Format::Half), ("igemm", Format::Byte)].into_iter().flat_map(sizes)
    }

    pub fn named(name: &str) -> Option<Product> {
        Product::all().find(|product| product.name == name)
    }

    /// All of its thread blocks, also of a large one.
    pub fn whole(self) -> Product {
        Product { whole: true, ..self }
    }

    /// Rows of the result that are computed.
    fn rows(&self) -> usize {
        if self.size > LARGEST_WHOLE && !self.whole {
            TILE
        } else {
            self.size
        }
    }

    /// A remark about one that runs in part.
    pub fn note(&self) -> Option<String> {
        let (side, rows) = (self.size / TILE, self.rows() / TILE);
        (rows < side).then(|| {
            let (ran, all) = (rows * side, side * side);
            format!(
                "{}: a sample of {ran} of its {all} thread blocks, which are all alike; counts are of these {ran}",
                self.name
            )
        })
    }

    /// Executes it, and checks what it computed.
    pub fn run(&self, device: &mut Device) -> Result<()> {
        match self.format {
            Format::Half => Ok(run_tile(device, &TILES[2], self.rows(), self.size, self.size)?),
            Format::Byte => Ok(igemm::run_shape(device, self.rows(), self.size, self.size)?),
        }
    }
}

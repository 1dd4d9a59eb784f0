//! The square matrix products of C Table V, by name: HGEMM and IGEMM of 256 to 2,048, tiled as CUTLASS does.

use anyhow::Result;
use gpurf_workloads::suite::expect_equal;
use gpurf_workloads::suite::hgemm::{run_tile, TILES};
use gpurf_workloads::{Argument, Device, Module};

/// Sizes of C Table V.
const SIZES: [usize; 4] = [256, 512, 1024, 2048];

/// Rows and columns of the result that a thread block computes, with four warps in tiles of 64 x 64.
const TILE: usize = 128;
const THREADS: u32 = 128;

/// Of larger products one row of thread blocks runs. All blocks execute the same instructions in all of their lanes: the
/// tile divides every size.
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
}

impl Product {
    /// All of C Table V, in its order.
    pub fn all() -> impl Iterator<Item = Product> {
        let sizes =
            |(name, format)| SIZES.map(|size| Product { name: format!("{name}-{size}"), format, size });
        [("hgemm", Format::Half), ("igemm", Format::Byte)].into_iter().flat_map(sizes)
    }

    pub fn named(name: &str) -> Option<Product> {
        Product::all().find(|product| product.name == name)
    }

    /// Rows of the result that are computed.
    fn rows(&self) -> usize {
        if self.size > LARGEST_WHOLE {
            TILE
        } else {
            self.size
        }
    }

    /// What is to be said about one that runs in part.
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
            Format::Byte => self.run_bytes(device),
        }
    }

    /// C = A Bᵀ, with the columns of B one after the other.
    fn run_bytes(&self, device: &mut Device) -> Result<()> {
        let (size, rows) = (self.size, self.rows());
        let mut random = fastrand::Rng::with_seed(8);
        let mut bytes = |rows: usize| (0..rows * size).map(|_| random.i8(..)).collect::<Vec<i8>>();
        let (a, b) = (bytes(rows), bytes(size));
        let mut expected = Vec::with_capacity(rows * size);
        for row in a.chunks_exact(size) {
            let products = |(a, b): (&i8, &i8)| i32::from(*a) * i32::from(*b);
            expected
                .extend(b.chunks_exact(size).map(|column| row.iter().zip(column).map(products).sum::<i32>()));
        }

        let module = Module::parse("igemm.sass", include_str!("../workloads/kernels/igemm.sass"))?;
        let [a, b] = [device.upload(&a), device.upload(&b)];
        let c = device.allocate((expected.len() * size_of::<i32>()) as u64);
        let arguments =
            [[a, b, c].map(Argument::from), [rows, size, size].map(|size| Argument::from(size as i32))];
        let grid = ((size / TILE) as u32, (rows / TILE) as u32);
        device.launch(&module, "igemm_128x128x64_64x64", grid, THREADS, 0, &arguments.concat())?;
        Ok(expect_equal("C", &device.read::<i32>(c, expected.len())?, &expected)?)
    }
}

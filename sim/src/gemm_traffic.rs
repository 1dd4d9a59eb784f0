// SPDX-License-Identifier: Apache-2.0
//! Traffic of a tiled matrix product between register files and memory-I/O unit, derived on paper: I §2.4,
//! §2.5, §5.2 and table 3. `docs/multicast.md` goes through it; a test holds the SM against it.
//!
//! In each step along K a thread block loads a part of A and one of B from global memory, stores both to
//! shared memory, and each of its warps loads what its own tile needs. Warps in one row of the block's warp
//! tiles need the same of A, warps in one column the same of B.

use crate::design::SharedLoads;
use gpurf_blocks::SUB_CORES;

/// How a half-precision product is divided: among thread blocks, and a thread block's part among warps, row
/// by row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tiling {
    /// Rows of C that a block computes.
    pub block_m: usize,
    /// Columns of C that a block computes.
    pub block_n: usize,
    /// Depth of the tiles of A and B in shared memory.
    pub block_k: usize,
    /// Rows of C that a warp computes.
    pub warp_m: usize,
    /// Columns of C that a warp computes.
    pub warp_n: usize,
}

/// Transfers of 512 bytes, 16 for each lane of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfers {
    /// Transfers out of shared memory.
    pub shared_loads: u64,
    /// Transfers into shared memory.
    pub shared_stores: u64,
    /// Transfers out of global memory.
    pub global_loads: u64,
    /// Transfers into global memory.
    pub global_stores: u64,
}

impl Transfers {
    /// All of them.
    pub fn sum(&self) -> u64 {
        self.shared_loads + self.shared_stores + self.global_loads + self.global_stores
    }
}

/// Bytes of an element and of a transfer.
const ELEMENT: usize = 2;
const TRANSFER: usize = 512;

impl Tiling {
    fn rows(&self) -> usize {
        self.block_m / self.warp_m
    }

    fn columns(&self) -> usize {
        self.block_n / self.warp_n
    }

    /// Transfers of a part of `size` rows or columns of a step.
    fn transfers(&self, size: usize) -> u64 {
        (size * self.block_k * ELEMENT / TRANSFER) as u64
    }

    /// The transfers of a thread block in one step. Every fragment is loaded so many times: twice on Volta (I
    /// §2.4).
    pub fn step(&self, fragment_loads: u64, sharing: SharedLoads) -> Transfers {
        let (rows, columns) = (self.rows(), self.columns());
        let of_a = (0..rows).map(|row| (0..columns).map(move |column| row * columns + column));
        let of_b = (0..columns).map(|column| (0..rows).map(move |row| row * columns + column));
        let accesses_a: u64 = of_a.map(|warps| accesses(warps, sharing)).sum();
        let accesses_b: u64 = of_b.map(|warps| accesses(warps, sharing)).sum();
        let both = self.transfers(self.block_m + self.block_n);
        Transfers {
            shared_loads: fragment_loads
                * (accesses_a * self.transfers(self.warp_m) + accesses_b * self.transfers(self.warp_n)),
            shared_stores: both,
            global_loads: both,
            global_stores: 0,
        }
    }

    /// Multicasting loads between two barriers: those of one step.
    pub fn loads_between_barriers(&self, fragment_loads: u64) -> u64 {
        self.step(fragment_loads, SharedLoads::APART).shared_loads
    }
}

/// Accesses to shared memory for a load that these warps of a block perform alike. Warp w is in sub-core
/// w mod 4; renaming leaves one load per sub-core, multicasting one access for two loads.
fn accesses(warps: impl Iterator<Item = usize>, sharing: SharedLoads) -> u64 {
    let (mut count, mut sub_cores) = (0u64, 0u32);
    for warp in warps {
        count += 1;
        sub_cores |= 1 << (warp % SUB_CORES);
    }
    let loads = if sharing.rename { u64::from(sub_cores.count_ones()) } else { count };
    if sharing.multicast {
        loads.div_ceil(2)
    } else {
        loads
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tiling(block_m: usize, block_n: usize, warp_m: usize, warp_n: usize) -> Tiling {
        Tiling { block_m, block_n, block_k: 32, warp_m, warp_n }
    }

    fn sums(tiling: Tiling) -> [u64; 4] {
        let sharing = |rename, multicast| tiling.step(2, SharedLoads { rename, multicast }).sum();
        [sharing(false, false), sharing(true, false), sharing(false, true), sharing(true, true)]
    }

    #[test]
    fn four_warps_lose_a_third_to_multicasting_and_nothing_to_renaming() {
        for (block_m, block_n) in [(128, 128), (128, 64), (64, 128), (64, 64)] {
            let [apart, renamed, multicast, both] = sums(tiling(block_m, block_n, block_m / 2, block_n / 2));
            assert_eq!((renamed, 3 * multicast, both), (apart, 2 * apart, multicast));
        }
        let step = tiling(128, 128, 64, 64).step(2, SharedLoads::APART);
        let expected = Transfers { shared_loads: 128, shared_stores: 32, global_loads: 32, global_stores: 0 };
        assert_eq!(step, expected, "I §2.4: 4 : 1 : 1; I §3.3: 128 loads");
    }

    #[test]
    fn eight_warps_gain_from_both() {
        assert_eq!(sums(tiling(256, 128, 64, 64)), [352, 288, 224, 192]);
        // The two warps that share B lie in one sub-core: what renaming takes, multicasting cannot.
        assert_eq!(sums(tiling(128, 256, 64, 64)), [352, 288, 224, 224]);
    }
}

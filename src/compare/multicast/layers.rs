// SPDX-License-Identifier: Apache-2.0
//! The layers that are evaluated, as matrix products, scaled to one SM: I §4.

use gpurf_workloads::suite::hgemm::{Tile, TILES};

use crate::input::Input;

/// A layer as the product of an `m` x `k` and a `k` x `n` matrix. `m` is left out: see [`Layer::input`].
#[derive(Clone, Debug)]
pub struct Layer {
    pub name: String,
    n: usize,
    k: usize,
}

/// Width of BERT-large.
const HIDDEN: usize = 1024;

/// The ones of ResNet-152, then those of BERT-large: every shape once, as the paper does. I §4 gives their
/// batches: 256 images, 128 sequences.
pub fn all() -> Vec<Layer> {
    let mut layers = vec![resnet("conv1".into(), 64, 7 * 7 * 3)];
    let mut channels = 64;
    for (stage, width) in [(2, 64), (3, 128), (4, 256), (5, 512)] {
        layers.extend([
            resnet(format!("conv{stage}_1_a"), width, channels),
            resnet(format!("conv{stage}_1_b"), width, 9 * width),
            resnet(format!("conv{stage}_1_c"), 4 * width, width),
            resnet(format!("conv{stage}_2_a"), width, 4 * width),
        ]);
        channels = 4 * width;
    }
    let bert = |name: &str, n, k| Layer { name: name.into(), n, k };
    // Sequences of 512, heads of 64.
    layers.extend([
        bert("query", HIDDEN, HIDDEN),
        bert("attention", 512, 64),
        bert("context", 64, 512),
        bert("output", HIDDEN, HIDDEN),
        bert("ff1", 4 * HIDDEN, HIDDEN),
        bert("ff2", HIDDEN, 4 * HIDDEN),
    ]);
    layers
}

fn resnet(name: String, n: usize, k: usize) -> Layer {
    Layer { name, n, k }
}

/// Thread blocks that a scaled layer has: two waves of the two that an SM holds.
const BLOCKS: usize = 4;
/// The number of columns that layers are cut to.
const MOST_COLUMNS: usize = 256;

impl Layer {
    /// The largest tile of four warps that is not wider than the layer.
    pub fn tile(&self) -> &'static Tile {
        if self.n < 128 {
            &TILES[3]
        } else {
            &TILES[2]
        }
    }

    /// Rows, columns and depth of what is run: the depth as it is, columns up to a limit, and as many rows
    /// as make four thread blocks. What a thread block does is the layer's own.
    pub fn shape(&self) -> [usize; 3] {
        let tile = self.tile();
        let n = self.n.min(MOST_COLUMNS);
        let k = self.k.next_multiple_of(8);
        [tile.block_m * BLOCKS / n.div_ceil(tile.block_n), n, k]
    }

    pub fn input(&self) -> Input {
        Input::Product { name: self.name.clone(), tile: self.tile(), shape: self.shape() }
    }
}

/// The query layer of BERT-large with every tile (I Fig. 13): two thread blocks.
pub fn tiles() -> Vec<Input> {
    let input = |tile: &'static Tile| Input::Product {
        name: tile_name(tile),
        tile,
        shape: [2 * tile.block_m, tile.block_n, HIDDEN],
    };
    TILES.iter().map(input).collect()
}

/// As claims name it.
pub fn tile_name(tile: &Tile) -> String {
    format!("{}x{}x{}", tile.block_m, tile.block_n, tile.block_k)
}

/// Cycles that the tensor cores of an SM need for a product at least, as far as its tile is full or not.
pub fn ideal_cycles(tile: &Tile, [m, n, k]: [usize; 3], initiation: u64) -> u64 {
    let blocks = m.div_ceil(tile.block_m) * n.div_ceil(tile.block_n);
    let steps = k.div_ceil(tile.block_k);
    let products = blocks * steps * tile.block_m * tile.block_n * tile.block_k;
    // HMMA.1688: 16 x 8 x 8.
    (products / (16 * 8 * 8)) as u64 * initiation / gpurf_blocks::SUB_CORES as u64
}

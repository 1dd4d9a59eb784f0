// SPDX-License-Identifier: Apache-2.0
//! Matrix products of the study of inter-warp multicasting: tiles and layers of two networks. I §5.2.

mod layers;

use gpurf_sim::gemm_traffic::Tiling;
use gpurf_sim::sm::SharedLoads;
use gpurf_workloads::suite::hgemm::{Tile, TILES};

use super::outcome::Outcome;
use super::pair::Pair;
use crate::input::Input;
use layers::Layer;

/// The clock that bandwidths are given for, GHz. I table 2.
const CLOCK: f64 = 1.13;

/// The tile or the layer of this name.
pub fn input(name: &str) -> Option<Input> {
    let layer = layers::all().into_iter().find(|layer| layer.name == name);
    layer.map(|layer| layer.input()).or_else(|| layers::tiles().into_iter().find(|tile| tile.name() == name))
}

fn tile(run: &Outcome) -> Option<&'static Tile> {
    TILES.iter().find(|tile| layers::tile_name(tile) == run.workload)
}

fn layer(run: &Outcome) -> Option<Layer> {
    layers::all().into_iter().find(|layer| layer.name == run.workload)
}

fn tiling(tile: &Tile) -> Tiling {
    let Tile { block_m, block_n, block_k, warp_m, warp_n, .. } = *tile;
    Tiling { block_m, block_n, block_k, warp_m, warp_n }
}

/// Change of the traffic of a tile's main loop, as derived.
pub fn derived(pair: &Pair) -> Option<f64> {
    let (tiling, times) = (tiling(tile(pair.run)?), pair.machine.mlds.transfers);
    let of = |sharing: SharedLoads| tiling.step(times, sharing).sum() as f64;
    Some(100.0 * (of(pair.run.design().shared_loads()) / of(SharedLoads::APART) - 1.0))
}

/// Multicasting loads of a tile between two barriers.
pub fn loads(pair: &Pair) -> Option<f64> {
    let tile = tile(pair.run).filter(|_| pair.run.design().multicast)?;
    Some(tiling(tile).loads_between_barriers(pair.machine.mlds.transfers) as f64)
}

/// Cycles that the tensor cores need at least for a layer.
fn ideal(pair: &Pair) -> Option<f64> {
    let layer = layer(pair.run)?;
    Some(layers::ideal_cycles(layer.tile(), layer.shape(), pair.machine.tensor.initiation) as f64)
}

/// Bandwidth in GB/s that a layer would need to keep the tensor cores busy.
pub fn needed(pair: &Pair) -> Option<f64> {
    let counters = &pair.run.counters;
    let bytes = counters.shared_load_bytes
        + counters.shared_store_bytes
        + counters.global_load_bytes
        + counters.global_store_bytes;
    Some(CLOCK * bytes as f64 / ideal(pair)?)
}

/// Cycles in which the tensor cores are busy, %.
pub fn tensor(pair: &Pair) -> Option<f64> {
    Some(100.0 * ideal(pair)? / pair.run.counters.cycles as f64)
}

// SPDX-License-Identifier: Apache-2.0
//! The built-in workloads, one file each: inputs, launches, and the answer checked against a plain
//! Rust computation of the same algorithm.

mod b_plus_tree;
mod backprop;
mod bfs;
mod cfd;
mod check;
mod conv;
mod convolution_separable;
mod dwt2d;
mod fdtd2d;
mod gaussian;
mod gemm;
pub mod hgemm;
mod hotspot;
pub mod igemm;
mod kmeans;
mod lavamd;
mod lbm;
mod libor;
mod lud;
mod matrix_vector;
mod monte_carlo;
mod nn;
mod nw;
mod particlefilter_float;
mod particlefilter_naive;
mod pathfinder;
mod rnn;
mod sgemm;
mod sgemm_narrow;
mod srad_v1;
mod srad_v2;
mod stencil;
mod syr2k;
mod tpacf;
mod transpose;
mod vectoradd;
mod words;

pub use check::{expect_close, expect_equal, Tolerance};

use crate::device::Device;
use crate::error::Result;
use words::{counted, extent, grouped};

/// How much work a run does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Size {
    /// About 10,000 to 300,000 warp instructions: seconds, for tests.
    Small,
    /// About 1 to 4 million warp instructions.
    Medium,
    /// Tens of millions.
    Large,
}

impl Size {
    /// The value meant for this size.
    pub fn pick<T>(self, small: T, medium: T, large: T) -> T {
        match self {
            Size::Small => small,
            Size::Medium => medium,
            Size::Large => large,
        }
    }
}

/// A built-in workload.
pub struct Benchmark {
    /// As the papers write it.
    pub name: &'static str,
    /// The benchmark whose algorithm it has, and R's abbreviation for it if only FineReg's evaluation has it;
    /// empty if there is none.
    pub stands_for: &'static str,
    /// One line: what it computes, and on what.
    pub about: &'static str,
    /// How large its input is, in words.
    pub size: fn(Size) -> String,
    /// Uploads the inputs, launches the kernels, and compares the answer with the reference.
    pub run: fn(&mut Device, Size) -> Result<()>,
}

/// The ones of Malekeh's evaluation: Rodinia's and DeepBench's names, FP32 products, and the smallest CUDA
/// program.
pub const MALEKEH: [&Benchmark; 27] = [
    &b_plus_tree::B_PLUS_TREE,
    &backprop::BACKPROP,
    &bfs::BFS,
    &dwt2d::DWT2D,
    &gaussian::GAUSSIAN,
    &hotspot::HOTSPOT,
    &kmeans::KMEANS,
    &lavamd::LAVAMD,
    &lud::LUD,
    &nn::NN,
    &particlefilter_float::PARTICLEFILTER_FLOAT,
    &particlefilter_naive::PARTICLEFILTER_NAIVE,
    &pathfinder::PATHFINDER,
    &srad_v1::SRAD_V1,
    &hgemm::HGEMM,
    &hgemm::HGEMM_NT,
    &hgemm::HGEMM_TN,
    &igemm::IGEMM,
    &sgemm::SGEMM,
    &conv::CONV_FWD,
    &conv::CONV_DGRAD,
    &conv::CONV_WGRAD,
    &conv::CONV_INT8,
    &rnn::RNN,
    &rnn::LSTM,
    &rnn::RNN_BWD,
    &vectoradd::VECTORADD,
];

/// Workloads that FineReg's evaluation has beside them.
const FINEREG: [&Benchmark; 15] = [
    &matrix_vector::ATAX,
    &matrix_vector::BICG,
    &cfd::CFD,
    &convolution_separable::CONVOLUTION_SEPARABLE,
    &fdtd2d::FDTD2D,
    &lbm::LBM,
    &libor::LIBOR,
    &monte_carlo::MONTE_CARLO,
    &nw::NW,
    &sgemm_narrow::SGEMM_NARROW,
    &srad_v2::SRAD_V2,
    &stencil::STENCIL,
    &syr2k::SYR2K,
    &tpacf::TPACF,
    &transpose::TRANSPOSE,
];

/// DeepBench's half-precision kernels with half-precision sums, beside those of [`MALEKEH`].
pub const HALF_SUMS: [&Benchmark; 6] = [
    &hgemm::HGEMM_F16,
    &hgemm::HGEMM_NT_F16,
    &hgemm::HGEMM_TN_F16,
    &conv::CONV_FWD_F16,
    &conv::CONV_DGRAD_F16,
    &conv::CONV_WGRAD_F16,
];

/// All built-in workloads, by the name of their group.
pub const GROUPS: [(&str, &[&Benchmark]); 3] =
    [("malekeh", &MALEKEH), ("finereg", &FINEREG), ("half_sums", &HALF_SUMS)];

/// All built-in workloads.
pub const SUITE: &[&Benchmark] = &{
    let mut all = [MALEKEH[0]; MALEKEH.len() + FINEREG.len() + HALF_SUMS.len()];
    let (mut group, mut number, mut place) = (0, 0, 0);
    while group < GROUPS.len() {
        while number < GROUPS[group].1.len() {
            all[place] = GROUPS[group].1[number];
            (number, place) = (number + 1, place + 1);
        }
        (group, number) = (group + 1, 0);
    }
    all
};

/// The workload of this name.
pub fn named(name: &str) -> Option<&'static Benchmark> {
    SUITE.iter().find(|benchmark| benchmark.name == name).copied()
}

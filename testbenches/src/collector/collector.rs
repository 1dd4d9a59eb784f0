// SPDX-License-Identifier: Apache-2.0
//! Facts about a collector that the testbenches of operand stage and sub-core need.

use gpurf_blocks::ports::{OperandStageIn, OperandStageOut, SubCoreIn, SubCoreOut};
use gpurf_blocks::Allocation;
use gpurf_hw::collector;
use gpurf_hw::dialect::{Module, Word};
use rust_hdl::prelude::Bits;

use crate::Scenario;

/// The data of a module of width `W`, as plain ports have it.
pub type DataOf<const W: usize> = <Bits<W> as Word>::Data;

/// A collector with its model.
pub trait Collector<const W: usize>: collector::Collector<W> + Module + 'static
where
    Bits<W>: Word,
{
    type Model: gpurf_sim::collector::Collector<DataOf<W>>;

    /// How its stage expects instructions to be spread.
    const ALLOCATION: Allocation;

    /// Scenarios of a stage with such collectors, beside those of every stage.
    fn stage_scenarios() -> Vec<Scenario<OperandStageIn<DataOf<W>>, OperandStageOut<DataOf<W>>>> {
        vec![]
    }

    /// The same of a sub-core.
    fn sub_core_scenarios() -> Vec<Scenario<SubCoreIn<DataOf<W>>, SubCoreOut<DataOf<W>>>> {
        vec![]
    }
}

/// Registers the testbenches of a collector's operand stage and sub-core:
/// `register_stages!([W, I, C] Ccu<W, I>, C)`, its const generics and `C`, bits of a collector's number, or
/// the number of these bits where it is fixed.
macro_rules! register_stages {
    ([$($generic:tt),*] $collector:ty, $bits:tt) => {
        $crate::register!([$($generic),*] gpurf_hw::operand_stage::OperandStage<$collector, W, $bits>);
        $crate::register!([$($generic),*] gpurf_hw::sub_core::SubCore<$collector, W, $bits>);
    };
}
pub(super) use register_stages;

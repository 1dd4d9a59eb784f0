// SPDX-License-Identifier: Apache-2.0
//! Kinds of collectors: a row each, which says all that tells one from the others.

use gpurf_blocks::Parameters;

use super::values::{named_rows, ChoiceValue};
use crate::collector::{Boc, Ccu, Ocu};
use crate::energy::constants::{AccessEnergies, EventEnergies};
use crate::sub_core_engine::{model_with, SubCoreEngine};

/// A kind of collectors.
pub struct CollectorKind {
    /// As the command line has it.
    pub name: &'static str,
    /// The module that is one, or what stands in its place.
    pub module: &'static str,
    /// The module that is an operand stage with such collectors.
    pub stage: &'static str,
    /// The module that is a sub-core with such collectors.
    pub sub_core: &'static str,
    /// The means to hold operands until their instruction has all.
    pub holds: OperandBuffer,
    /// Operands that are kept for later instructions.
    pub keeps: KeptOperands,
    /// The energies of one.
    pub energies: fn(&EventEnergies) -> AccessEnergies,
    /// The design in which its energies were measured; `None` if they were not.
    pub measured: Option<&'static str>,
}

/// The means to hold operands until their instruction has all.
#[derive(Clone, Copy, Debug)]
pub enum OperandBuffer {
    /// Collectors, however long it takes; with the reference model of a sub-core that has them.
    InCollectors(fn(&Parameters) -> SubCoreEngine),
    /// A window of fixed length.
    InWindow,
}

/// Operands that a collector keeps beyond the dispatch of their instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeptOperands {
    /// None.
    Nothing,
    /// Values in a cache table, until others take their entries.
    Values,
    /// Values of the last instructions.
    Window,
}

named_rows! { CollectorKind:
    /// Operand collector unit, F §II: it forgets its operands at dispatch.
    OCU = CollectorKind {
        name: "ocu",
        module: "ocu",
        stage: "ocu_stage",
        sub_core: "ocu_sub_core",
        holds: OperandBuffer::InCollectors(model_with::<Ocu<u32>>),
        keeps: KeptOperands::Nothing,
        energies: EventEnergies::of_operand_collector,
        measured: Some("baseline"),
    };
    /// Caching collector unit, F §III-C.
    CCU = CollectorKind {
        name: "ccu",
        module: "ccu",
        stage: "ccu_stage",
        sub_core: "ccu_sub_core",
        holds: OperandBuffer::InCollectors(model_with::<Ccu<u32>>),
        keeps: KeptOperands::Values,
        energies: EventEnergies::of_caching_collector,
        measured: Some("malekeh"),
    };
    /// Bypassing operand collector, F §VI-B.
    BOC = CollectorKind {
        name: "boc",
        module: "boc",
        stage: "boc_stage",
        sub_core: "boc_sub_core",
        holds: OperandBuffer::InCollectors(model_with::<Boc<u32>>),
        keeps: KeptOperands::Window,
        energies: EventEnergies::of_bypassing_collector,
        measured: Some("bow"),
    };
    /// None: operands are read in a window of fixed length, H §5.3. Its latches are taken to cost what a
    /// collector's do. Its reuse cache has no energy of its own: nobody has measured it.
    WINDOW = CollectorKind {
        name: "window",
        module: "modern_sub_core",
        stage: "modern_sub_core",
        sub_core: "modern_sub_core",
        holds: OperandBuffer::InWindow,
        keeps: KeptOperands::Nothing,
        energies: EventEnergies::of_operand_collector,
        measured: None,
    };
}

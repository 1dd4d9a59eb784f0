// SPDX-License-Identifier: Apache-2.0
//! Costs of the hardware: synthesis with Yosys, and the papers' overhead claims beside it.
//!
//! - [`Library`] reads the cell library, [`nangate::liberty`] fetches the default one.
//! - [`synthesize`] maps Verilog to it and returns area, state and depth; [`Synthesis::summary`] prints them.
//! - [`implement`] maps Verilog to the cells of an FPGA, and places and routes it.
//! - [`lay_out`] places and routes a small module in cells of 0.18 µm.
//! - [`Records`] keep areas and paths over time.
//! - [`count`] counts the registers of a module before synthesis.
//! - [`Netlist`] is what a design becomes in cells, [`Gates`] evaluates it cell by cell, [`power`] tells what
//!   it costs.
//! - [`Memories`] have the energies, areas and delays of memories, which have no cells.
//! - [`Mutants`] are copies of a design with one fault each.
//! - [`Paper`] holds a paper's claims, [`audit`] sets them beside the RTL.

#![warn(missing_docs)]

mod aiger;
mod autonomous;
mod boolean;
mod circuit;
mod cost;
mod digest;
mod equivalence;
mod files;
mod fpga;
mod gated;
mod kept;
mod latches;
mod layout;
mod liberty;
mod lines;
mod memories;
mod mutants;
pub mod nangate;
mod netlist;
mod origin;
mod overheads;
mod paper;
pub mod power;
mod programs;
mod proof;
mod record;
mod registers;
mod synthesis;
mod timing;
mod yosys;

pub use circuit::{Activity, Circuit, CircuitMemory, Gates, Instance, StateWidening};
pub use cost::{Cost, MEMORY_BIT_UM2};
pub use digest::{digest, digest_with_contract, digest_with_monitor};
pub use equivalence::{prove, Proof};
pub use fpga::{implement, Routed, Target, Utilization, Utilizations};
pub use layout::{lay_out, Layout, Layouts, Physical};
pub use liberty::{Arc, Cell, ClockGate, Direction, InternalPower, Library, Pin, Table, WireLoad};
pub use lines::{read_lines, write_lines};
pub use memories::{
    Memories, MemoryArea, MemoryArray, MemoryEnergy, MemoryRun, Ports, ProcessNode, RuleError,
};
pub use mutants::{Equivalence, Mutants, Mutation, Protocols};
pub use netlist::Netlist;
pub use origin::Origin;
pub use overheads::{audit, Area, Audit, Finding, MeasuredModule, Overheads};
pub use paper::{ArithmeticVerdict, Built, Contradiction, Paper, PaperClaim};
pub use programs::{ExternalProgram, Z3};
pub use proof::{prove_contract, prove_monitor, Holds, Property, PropertyKind, RuleProof, Watched};
pub use record::{Flow, Moved, Records};
pub use registers::{by_name, count, Registers};
pub use synthesis::{
    synthesize, synthesize_all, table, Event, Job, ModuleArea, Options, Structure, Synthesis, YosysStep,
    DELAY_TARGET_PS, LOAD_FF,
};

//! What the hardware costs: synthesis with Yosys, and the papers' overhead claims beside it.
//!
//! - [`Library`] reads the cell library, [`nangate::liberty`] fetches the default one.
//! - [`synthesize`] maps Verilog to it and returns area, state and depth; [`Synthesis::summary`] prints them.
//! - [`Records`] keep areas and paths over time.
//! - [`count`] counts the registers of a module before synthesis.
//! - [`Mutants`] are copies of a design with one fault each.
//! - [`Paper`] holds a paper's claims, [`audit`] sets them beside the RTL.

#![warn(missing_docs)]

mod boolean;
mod liberty;
mod mutants;
pub mod nangate;
mod overheads;
mod paper;
mod record;
mod registers;
mod synthesis;
mod timing;
mod yosys;

pub use liberty::{Cell, ClockGate, Library};
pub use mutants::{Equivalence, Fault, Mutants};
pub use overheads::{audit, Area, Audit, Finding, Measured, Overheads};
pub use paper::{Built, Claim, Contradiction, Paper, Verdict};
pub use record::{Moved, Origin, Records};
pub use registers::{count, Registers};
pub use synthesis::{
    digest, synthesize, synthesize_all, table, Event, Job, ModuleArea, Options, Structure, Synthesis,
};

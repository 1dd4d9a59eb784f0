// SPDX-License-Identifier: Apache-2.0
//! Cycle testbenches of every hardware module: directed and constrained-random stimulus, engines in
//! lockstep, waveforms.
//!
//! A [`Testbench`] joins what belongs to one module: its RTL, its reference model, a [`Stimulus`] that keeps
//! to the protocol of its ports, and its [`Scenario`]s. It is one file, which stands where the module stands
//! in `hw/src` and registers itself. [`run`] drives any set of engines with it and compares them in every
//! cycle. A [`Workbench`] does so for any module of the catalogue by name.

#![warn(missing_docs)]

mod failure;
mod random;
mod registry;
mod sampling;
mod scenario;
mod stimulus;
mod testbench;
mod trial;
mod workbench;

mod cells;
mod collector;
mod crowd;
mod finereg;
mod heads;
mod issue;
mod modern;
mod multicast;
mod operand_stage;
mod register_cache;
mod register_file;
mod sub_core;
pub mod sub_core_engine;
pub mod tap;
mod transfers;
pub mod unit_hardware;

pub use failure::{settings, Failure, Failures, Seen, Wrong};
pub use inventory::submit;
pub use random::Random;
pub(crate) use random::{spread, Neighbours};
pub use registry::{workbench, Registration};
pub use sampling::{PackedEngine, Sample};
pub use scenario::{Drive, Scenario};
pub use stimulus::Stimulus;
pub use testbench::{at_most_one, Engine, Ported, Testbench};
pub use trial::{run, TrialOutcome};
pub use workbench::{bench, Bench, Course, EngineKind, Hear, Playback, RecordedStimulus, Workbench};

pub use scenario::{expect, value};

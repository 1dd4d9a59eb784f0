//! Cycle testbenches of every hardware module: directed and constrained-random stimulus, engines in
//! lockstep, waveforms.
//!
//! A [`Testbench`] joins what belongs to one module: its RTL, its reference model and a [`Stimulus`]
//! that keeps to the protocol of its ports. [`run`] drives any set of engines with it and compares
//! them in every cycle. A [`Workbench`] does so for any module of the catalogue by name.

mod bench;
mod directed;
mod finereg;
mod random;
mod stimulus;
mod sub_cores;
mod trial;
mod workbench;

pub use bench::{Engine, Testbench};
pub use directed::{Drive, Scenario};
pub use random::Random;
pub use stimulus::Stimulus;
pub use sub_cores::{with_sub_core, WithSubCore};
pub use trial::{run, Outcome};
pub use workbench::{workbench, EngineKind, Playback, Recording, Workbench};

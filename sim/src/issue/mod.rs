//! Reference models of the issue stage, written from W §5 to §7 and F §IV-B.

mod sthld_controller;
mod sthld_walk;

pub use sthld_controller::SthldController;
pub use sthld_walk::{Curve, Walk, WalkStep};

// SPDX-License-Identifier: Apache-2.0
//! Facts that `#[block]` gathers about a module beside its hardware.

use gpurf_blocks::Parameters;

use crate::catalogue::{Naming, Port};

/// The end of the name that `#[block]` gives to the register behind an output that is one.
pub const REGISTER: &str = "__register";

/// The declaration of the module as such.
pub trait Declared {
    /// Its names.
    const NAMING: Naming;
    /// Ports in the order of declaration, without clock and reset.
    const PORTS: &'static [Port];
    /// Text at the head of its file: what it does, its timing and its protocol.
    const ABOUT: &'static str;
    /// The file that declares it, from the root of the workspace.
    const SOURCE: &'static str;
}

/// A module that the parameters of the hardware make, cells with plain sizes too.
pub trait Configured: Sized {
    /// The module with these parameters.
    fn configured(parameters: &Parameters) -> Self;

    /// The parameters as this module has them: those that are fixed in it, and the widths of its type.
    fn seen(parameters: &Parameters) -> Parameters;
}

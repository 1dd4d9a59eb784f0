// SPDX-License-Identifier: Apache-2.0
//! A test whether a module has anything to do.

use rust_hdl::prelude::*;

use super::Register;

/// Ports of a module. While none of them is driven again and nothing in it changes, `#[block]` lets the
/// module rest: most modules do in most passes, and a pass over a resting one ends at its ports.
pub trait Driven {
    /// The next pass brings it another value, from outside the module.
    fn is_driven_anew(&self) -> bool;
}

impl<T: Synth> Driven for Signal<In, T> {
    fn is_driven_anew(&self) -> bool {
        self.next != self.val()
    }
}

/// Wires that the module itself drives.
macro_rules! own {
    ($($wire:ty;)*) => {$(
        impl<T: Synth> Driven for $wire {
            fn is_driven_anew(&self) -> bool {
                false
            }
        }
    )*};
}
own! {
    Signal<Out, T>;
    Signal<Local, T>;
    Register<T>;
}

impl<D: Driven> Driven for Vec<D> {
    fn is_driven_anew(&self) -> bool {
        self.iter().any(D::is_driven_anew)
    }
}

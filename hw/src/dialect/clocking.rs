// SPDX-License-Identifier: Apache-2.0
//! How clock and reset reach every part of a module.

use rust_hdl::prelude::*;

/// A part of a module. An edge of the clock comes to all parts at once, before the pass in which they load:
/// it does not travel from module to module. Their reset is driven before the kernel runs; a kernel may drive
/// a part's reset itself, and that counts. A part without state takes no notice.
pub trait Clocking {
    /// Brings the clock to the part and all that is in it, where it has one.
    fn set_clock(&mut self, _level: bool) {}

    /// Drives its reset, where it has one.
    fn drive_reset(&mut self, _reset: bool) {}

    /// The last pass changed a port, the clock aside, which the kernel of the module around it may read:
    /// `#[block]` runs a kernel where one of its parts says so, or a signal of its own.
    fn shows_anew(&self) -> bool;
}

impl<T: Clocking> Clocking for Vec<T> {
    fn set_clock(&mut self, level: bool) {
        self.iter_mut().for_each(|part| part.set_clock(level));
    }

    fn drive_reset(&mut self, reset: bool) {
        self.iter_mut().for_each(|part| part.drive_reset(reset));
    }

    fn shows_anew(&self) -> bool {
        self.iter().any(T::shows_anew)
    }
}

/// Brings a level to a port `clock`. A falling edge is of no interest to anyone, and wakes nobody.
pub fn clock_edge(port: &mut Signal<In, Clock>, level: bool) {
    port.next = level.into();
    port.update_all();
    port.changed &= level;
}

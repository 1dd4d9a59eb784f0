//! How clock and reset reach every part of a module.

use rust_hdl::prelude::*;

/// A part of a module. `#[block]` drives the clock of all parts in each pass, and their reset before the kernel runs; a kernel
/// may drive a part's reset itself, and that counts. A part without state takes no notice.
pub trait Clocking {
    /// Marks the part's clock and reset as driven, for rust-hdl's check of connections.
    fn connect_clock(&mut self) {}

    /// Drives the clock of the part, where it has one.
    fn drive_clock(&mut self, _clock: Clock) {}

    /// Drives its reset, where it has one.
    fn drive_reset(&mut self, _reset: bool) {}

    /// The last pass changed a port, the clock aside, which the kernel of the module around it may read: `#[block]` runs a kernel
    /// where one of its parts says so, or a signal of its own.
    fn shows_anew(&self) -> bool;
}

impl<T: Clocking> Clocking for Vec<T> {
    fn connect_clock(&mut self) {
        self.iter_mut().for_each(T::connect_clock);
    }

    fn drive_clock(&mut self, clock: Clock) {
        self.iter_mut().for_each(|part| part.drive_clock(clock));
    }

    fn drive_reset(&mut self, reset: bool) {
        self.iter_mut().for_each(|part| part.drive_reset(reset));
    }

    fn shows_anew(&self) -> bool {
        self.iter().any(T::shows_anew)
    }
}

//! How clock and reset reach every part of a module.

use rust_hdl::prelude::*;

/// A part of a module. `#[block]` drives the clock and the reset of all parts before the kernel runs; a kernel may drive a
/// part's reset itself, and that counts. A part without state takes no notice.
pub trait Clocking {
    /// Marks the part's clock and reset as driven, for rust-hdl's check of connections.
    fn connect_clock(&mut self) {}

    /// Drives clock and reset of the block, where it has them.
    fn drive_clock(&mut self, _clock: Clock, _reset: bool) {}
}

impl<T: Clocking> Clocking for Vec<T> {
    fn connect_clock(&mut self) {
        self.iter_mut().for_each(T::connect_clock);
    }

    fn drive_clock(&mut self, clock: Clock, reset: bool) {
        self.iter_mut().for_each(|part| part.drive_clock(clock, reset));
    }
}

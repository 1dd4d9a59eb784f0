// SPDX-License-Identifier: Apache-2.0
//! Reference model of latches behind a clock gate.

use gpurf_blocks::ports::{LatchIn, LatchOut};
use gpurf_blocks::{Clocked, Data};

/// A value that can change in a cycle that follows one with the enable high.
#[derive(Clone, Debug, Default)]
pub struct Latch<D: Data> {
    is_open: bool,
    value: D,
    enable: bool,
}

impl<D: Data> Clocked for Latch<D> {
    type In = LatchIn<D>;
    type Out = LatchOut<D>;

    fn settle(&mut self, inputs: &LatchIn<D>) -> LatchOut<D> {
        if self.is_open {
            self.value = inputs.d;
        }
        self.enable = inputs.enable;
        LatchOut { q: self.value }
    }

    fn tick(&mut self) {
        self.is_open = self.enable;
    }
}

// SPDX-License-Identifier: Apache-2.0
//! An engine that does something wrong.

use gpurf_blocks::Clocked;

/// An engine whose outputs are altered, in view of its inputs.
pub struct Altered<E, F> {
    pub engine: E,
    pub alter: F,
}

impl<E: Clocked, F: FnMut(&E::In, &mut E::Out)> Clocked for Altered<E, F> {
    type In = E::In;
    type Out = E::Out;

    fn settle(&mut self, inputs: &E::In) -> E::Out {
        let mut outputs = self.engine.settle(inputs);
        (self.alter)(inputs, &mut outputs);
        outputs
    }

    fn tick(&mut self) {
        self.engine.tick();
    }
}

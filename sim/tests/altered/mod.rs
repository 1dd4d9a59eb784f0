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

/// An engine that gets other inputs. The fault is told the cycle.
pub struct Misled<E, F> {
    engine: E,
    fault: F,
    cycle: u32,
}

impl<E, F> Misled<E, F> {
    pub fn new(engine: E, fault: F) -> Self {
        Misled { engine, fault, cycle: 0 }
    }
}

impl<E: Clocked<In: Copy>, F: FnMut(&mut E::In, u32)> Clocked for Misled<E, F> {
    type In = E::In;
    type Out = E::Out;

    fn settle(&mut self, inputs: &E::In) -> E::Out {
        let mut inputs = *inputs;
        (self.fault)(&mut inputs, self.cycle);
        self.engine.settle(&inputs)
    }

    fn tick(&mut self) {
        self.cycle += 1;
        self.engine.tick();
    }
}

// SPDX-License-Identifier: Apache-2.0
//! The ports of a module, cycle by cycle, for those who do not know its type.

use std::cell::RefCell;
use std::rc::Rc;

use gpurf_blocks::{packed, unpack, Clocked, Ports};

/// The packed ports of one cycle, as they stood before its edge.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// Words of the inputs, in packed order.
    pub inputs: Vec<u32>,
    /// Words of the outputs, in packed order.
    pub outputs: Vec<u32>,
}

/// An engine with packed words for ports, in the order of [`crate::Workbench::fields`].
pub type PackedEngine = Box<dyn Clocked<In = Vec<u32>, Out = Vec<u32>>>;

/// An engine with packed words, made of one whose type is known.
pub(crate) struct Packed<E>(pub E);

impl<E: Clocked> Clocked for Packed<E>
where
    E::In: Ports,
    E::Out: Ports,
{
    type In = Vec<u32>;
    type Out = Vec<u32>;

    fn settle(&mut self, inputs: &Vec<u32>) -> Vec<u32> {
        packed(&self.0.settle(&unpack(inputs)))
    }

    fn tick(&mut self) {
        self.0.tick();
    }
}

/// An engine, and a record of the cycles that it runs.
pub(crate) struct Sampled<E: Clocked> {
    engine: E,
    last: Option<(E::In, E::Out)>,
    samples: Rc<RefCell<Vec<Sample>>>,
}

impl<E: Clocked> Sampled<E> {
    pub fn new(engine: E, samples: Rc<RefCell<Vec<Sample>>>) -> Self {
        Sampled { engine, last: None, samples }
    }
}

impl<E: Clocked> Clocked for Sampled<E>
where
    E::In: Ports,
    E::Out: Ports,
{
    type In = E::In;
    type Out = E::Out;

    fn settle(&mut self, inputs: &E::In) -> E::Out {
        let outputs = self.engine.settle(inputs);
        self.last = Some((*inputs, outputs));
        outputs
    }

    fn tick(&mut self) {
        let (inputs, outputs) = self.last.take().expect("settle comes before tick");
        self.samples.borrow_mut().push(Sample { inputs: packed(&inputs), outputs: packed(&outputs) });
        self.engine.tick();
    }
}

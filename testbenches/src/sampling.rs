// SPDX-License-Identifier: Apache-2.0
//! The ports of a module, cycle by cycle, for those who do not know its type.

use std::cell::RefCell;
use std::rc::Rc;

use gpurf_blocks::PackedClocked;

/// The packed ports of one cycle, as they stood before its edge.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// Words of the inputs, in packed order.
    pub inputs: Vec<u32>,
    /// Words of the outputs, in packed order.
    pub outputs: Vec<u32>,
}

/// An engine with packed words for ports, in the order of [`crate::Workbench::layout`].
pub type PackedEngine = Box<dyn PackedClocked>;

/// An engine, and a record of the cycles that it runs.
pub(crate) struct Sampled {
    engine: PackedEngine,
    last: Sample,
    samples: Rc<RefCell<Vec<Sample>>>,
}

impl Sampled {
    pub fn new(engine: PackedEngine, samples: Rc<RefCell<Vec<Sample>>>) -> Self {
        Sampled { engine, last: Sample::default(), samples }
    }
}

impl PackedClocked for Sampled {
    fn settle(&mut self, inputs: &[u32], outputs: &mut [u32]) {
        self.engine.settle(inputs, outputs);
        inputs.clone_into(&mut self.last.inputs);
        outputs.clone_into(&mut self.last.outputs);
    }

    fn tick(&mut self) {
        self.samples.borrow_mut().push(self.last.clone());
        self.engine.tick();
    }
}

// SPDX-License-Identifier: Apache-2.0
//! Engines of a sub-core's hardware, and the reference model among them.

use gpurf_blocks::ports::{SubCoreIn, SubCoreOut};
use gpurf_blocks::{Clocked, Lockstep, Parameters};

use crate::collector::Collector;
use crate::operand_stage::OperandStage;
use crate::sub_core::{Behind, SubCore};
use crate::words::{CycleIn, CycleOut};

/// Anything that runs issue stage and operand stage of a sub-core.
pub trait RunsSubCore: Clocked<In = SubCoreIn<u32>, Out = SubCoreOut<u32>> + 'static {
    /// [`Clocked::settle`] in words. The outputs are zero before. `places`: source slots and destinations
    /// that an instruction has at the ports.
    fn decide(&mut self, inputs: &CycleIn<u32>, places: (usize, usize), outputs: &mut CycleOut<u32>) {
        *outputs = words(&self.settle(&ports(inputs, places)));
    }

    /// The same, and the clock edge.
    fn cycle(&mut self, inputs: &CycleIn<u32>, places: (usize, usize), outputs: &mut CycleOut<u32>) {
        self.decide(inputs, places, outputs);
        self.tick();
    }
}

/// Compiled in this crate, which is optimized in any case, and not where an engine is.
#[inline(never)]
fn ports(inputs: &CycleIn<u32>, places: (usize, usize)) -> SubCoreIn<u32> {
    inputs.ports(places)
}

/// As [`ports`].
#[inline(never)]
fn words(outputs: &SubCoreOut<u32>) -> CycleOut<u32> {
    CycleOut::of_ports(outputs)
}

/// Any engine that has ports and nothing else.
impl RunsSubCore for Box<dyn Clocked<In = SubCoreIn<u32>, Out = SubCoreOut<u32>>> {}

/// The same in whatever thread.
impl RunsSubCore for Box<dyn Clocked<In = SubCoreIn<u32>, Out = SubCoreOut<u32>> + Send> {}

impl<A, B> RunsSubCore for Lockstep<A, B> where
    Self: Clocked<In = SubCoreIn<u32>, Out = SubCoreOut<u32>> + 'static
{
}

impl<S: Behind<u32> + 'static> RunsSubCore for SubCore<u32, S> {
    #[inline(always)]
    fn decide(&mut self, inputs: &CycleIn<u32>, _: (usize, usize), outputs: &mut CycleOut<u32>) {
        SubCore::decide(self, inputs, outputs);
    }
}

/// The reference model of a sub-core's issue stage and operand stage.
pub type SubCoreEngine = Box<dyn RunsSubCore + Send>;

impl RunsSubCore for SubCoreEngine {
    fn decide(&mut self, inputs: &CycleIn<u32>, places: (usize, usize), outputs: &mut CycleOut<u32>) {
        (**self).decide(inputs, places, outputs);
    }

    fn cycle(&mut self, inputs: &CycleIn<u32>, places: (usize, usize), outputs: &mut CycleOut<u32>) {
        (**self).cycle(inputs, places, outputs);
    }
}

/// The reference model of a sub-core with collectors of this kind.
pub(crate) fn model_with<K: Collector<u32> + Send + 'static>(parameters: &Parameters) -> SubCoreEngine {
    Box::new(SubCore::new(parameters, OperandStage::<u32, K>::new(parameters)))
}

// SPDX-License-Identifier: Apache-2.0
//! What belongs to each module: its RTL, reference model, stimulus and scenarios.

use gpurf_blocks::{Clocked, Parameters};
use gpurf_hw::dialect::{Configured, Module};

use crate::{Scenario, Stimulus};

/// Any engine with these ports.
pub type Ported<I, O> = Box<dyn Clocked<In = I, Out = O>>;

/// Any engine of a module.
pub type Engine<M> = Ported<<M as Module>::In, <M as Module>::Out>;

/// A hardware module with everything needed to test it.
pub trait Testbench: Module + Configured + 'static {
    /// The reference model.
    fn model(parameters: &Parameters) -> Engine<Self>;

    /// Random inputs within the protocol of the ports.
    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>>;

    /// What the protocol of the ports says of the inputs of any cycle, as conditions in the module's Verilog,
    /// which may name its registers: all that a proof may assume. Most modules answer any inputs.
    fn protocol(_: &Parameters) -> Vec<String> {
        vec![]
    }

    /// Directed scenarios; small cells have none of their own.
    fn scenarios() -> Vec<Scenario<Self::In, Self::Out>> {
        vec![]
    }
}

/// That of a vector in the module's Verilog one bit is high, or none, as a condition of a protocol.
pub fn at_most_one(vector: &str) -> String {
    format!("({vector} & ({vector} - 1)) == 0")
}

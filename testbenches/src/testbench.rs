// SPDX-License-Identifier: Apache-2.0
//! Everything that belongs to each module: its RTL, reference model, stimulus and scenarios.

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

    /// The protocol of the ports: conditions on the inputs of any cycle, in the module's Verilog. They may
    /// name its registers, and a proof may assume nothing else. Most modules answer any inputs.
    fn protocol(_: &Parameters) -> Vec<String> {
        vec![]
    }

    /// Directed scenarios; small cells have none of their own.
    fn scenarios() -> Vec<Scenario<Self::In, Self::Out>> {
        vec![]
    }
}

/// A condition of a protocol: at most one bit of a vector in the module's Verilog is high.
pub fn at_most_one(vector: &str) -> String {
    format!("({vector} & ({vector} - 1)) == 0")
}

// SPDX-License-Identifier: Apache-2.0
//! Runs a rust-hdl module one clock cycle at a time.

use gpurf_blocks::{Clocked, Ports};
use rust_hdl::prelude::*;

use super::activity;

/// A rust-hdl block with a plain-Rust face; derived, see the derive macro of the same name.
pub trait Module: Block {
    /// The inputs as plain data.
    type In: Ports;
    /// The outputs as plain data.
    type Out: Ports;

    /// Drives the input ports.
    fn drive(&mut self, inputs: &Self::In);
    /// Reads the output ports.
    fn sample(&self, outputs: &mut Self::Out);
    /// Does nothing in a combinational module, which has no clock.
    fn set_clock(&mut self, _level: bool) {}
    /// Drives the port `reset`, where there is one.
    fn set_reset(&mut self, _level: bool) {}

    /// For each input field, in order: how many elements of an array exist; none for a single port.
    fn input_counts(&self) -> Vec<Option<usize>>;
    /// The same of the outputs.
    fn output_counts(&self) -> Vec<Option<usize>>;
}

/// A module under clock and reset.
///
/// rust-hdl's own simulation runs a thread per testbench; calling the block directly is some hundred
/// times faster. While neither inputs nor state change, nothing is evaluated.
pub struct Rtl<M: Module> {
    module: Box<M>,
    inputs: M::In,
    outputs: M::Out,
    /// The module has settled for `inputs` in its present state.
    settled: bool,
    /// The last edge changed no state: another edge with the same inputs would not either.
    still: bool,
}

/// More passes than any design here needs to settle; reaching it means a combinational loop.
const MAX_PASSES: usize = 1000;

impl<M: Module> Rtl<M> {
    /// Resets the module for one cycle. Open connections, loops and written inputs are the emitter's to find.
    pub fn new(module: M) -> Self {
        let (inputs, outputs) = (M::In::default(), M::Out::default());
        let mut rtl = Rtl { module: Box::new(module), inputs, outputs, settled: false, still: false };
        rtl.reset(&M::In::default());
        rtl
    }

    /// Holds reset for one cycle with these inputs. Memories keep what is in them or take what comes, and so
    /// do registers without a reset.
    pub fn reset(&mut self, inputs: &M::In) {
        self.module.set_reset(true);
        self.settled = false;
        self.still = false;
        self.settle(inputs);
        self.tick();
        self.module.set_reset(false);
        self.settled = false;
        self.still = false;
    }

    /// The module itself, for probes: waveforms, Verilog.
    pub fn module(&self) -> &M {
        &self.module
    }

    fn propagate(&mut self) {
        for _ in 0..MAX_PASSES {
            self.module.update_all();
            if !self.module.has_changed() {
                return;
            }
        }
        panic!("the module does not settle: combinational loop");
    }
}

impl<M: Module> Clocked for Rtl<M> {
    type In = M::In;
    type Out = M::Out;

    fn settle(&mut self, inputs: &M::In) -> M::Out {
        if !self.settled || *inputs != self.inputs {
            self.inputs = *inputs;
            self.still = false;
            self.module.drive(inputs);
            self.propagate();
            self.module.sample(&mut self.outputs);
            self.settled = true;
        }
        self.outputs
    }

    fn tick(&mut self) {
        debug_assert!(self.settled, "settle comes before tick");
        if self.still {
            return;
        }
        let changes = activity::changes();
        self.module.set_clock(true);
        self.propagate();
        self.module.set_clock(false);
        self.still = activity::changes() == changes;
        self.settled = self.still;
    }
}

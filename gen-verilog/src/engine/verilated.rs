// SPDX-License-Identifier: Apache-2.0
//! The emitted Verilog, compiled by Verilator into the process.
//!
//! Crates that bind Verilator from Rust look every port up by name and symbol at each access. With
//! some hundred ports and millions of cycles that is most of the time, so a small C++ shim copies all
//! inputs and all outputs in one call each, and is loaded once.

use std::ffi::c_void;
use std::sync::Arc;

use gpurf_blocks::{pack, unpack, Clocked, Ports};
use gpurf_hw::dialect::Module;

use super::harness::Harness;
use super::model::Model;
use super::EngineError;
use crate::{emit, Hierarchy};

/// A module's Verilog under clock and reset, run by Verilator.
pub struct Verilated<I: Ports, O: Ports> {
    model: Arc<Model>,
    instance: *mut c_void,
    inputs: I,
    outputs: O,
    /// Packed inputs and outputs.
    words: (Vec<u32>, Vec<u32>),
    /// The instance has settled for `inputs` in its present state.
    settled: bool,
}

// Safety: the instance is this engine's alone and refers to nothing of the thread that made it; the library
// is shared and only read.
unsafe impl<I: Ports + Send, O: Ports + Send> Send for Verilated<I, O> {}

impl<I: Ports, O: Ports> Verilated<I, O> {
    /// Emits the module's Verilog, compiles it unless that was done before, and resets it for one
    /// cycle.
    ///
    /// Compiled models are kept in `$GPURF_CACHE`, by default `gpurf` in the user's cache folder.
    ///
    /// # Errors
    /// If the module cannot be emitted, or Verilator or the C++ compiler is missing or fails.
    pub fn new<M: Module<In = I, Out = O>>(module: &M) -> Result<Self, EngineError> {
        Self::of(&emit(module)?)
    }

    /// The engine of a design whose top module has these ports.
    pub fn of(hierarchy: &Hierarchy) -> Result<Self, EngineError> {
        let harness = Harness::new::<I, O>(hierarchy);
        let model = Model::of(&harness)?;
        let instance = (model.create)();
        let mut engine = Verilated {
            model,
            instance,
            inputs: I::default(),
            outputs: O::default(),
            words: (vec![0; harness.words.0], vec![0; harness.words.1]),
            settled: false,
        };
        engine.reset(&I::default());
        Ok(engine)
    }

    /// Holds reset for one cycle with these inputs. Memories keep what is in them or take what comes, and so
    /// do registers without a reset.
    pub fn reset(&mut self, inputs: &I) {
        self.set_reset(true);
        self.settle(inputs);
        self.tick();
        self.set_reset(false);
    }

    fn set_reset(&mut self, level: bool) {
        // Safety: the instance is alive until `self` is dropped.
        unsafe { (self.model.reset)(self.instance, level as u32) };
        self.settled = false;
    }
}

impl<I: Ports, O: Ports> Clocked for Verilated<I, O> {
    type In = I;
    type Out = O;

    fn settle(&mut self, inputs: &I) -> O {
        if !self.settled || *inputs != self.inputs {
            self.inputs = *inputs;
            pack(inputs, &mut self.words.0);
            let (inputs, outputs) = (self.words.0.as_ptr(), self.words.1.as_mut_ptr());
            // Safety: the shim was made for the layout that both buffers have.
            unsafe { (self.model.settle)(self.instance, inputs, outputs) };
            self.outputs = unpack(&self.words.1);
            self.settled = true;
        }
        self.outputs
    }

    fn tick(&mut self) {
        debug_assert!(self.settled, "settle comes before tick");
        // Safety: the instance is alive until `self` is dropped.
        unsafe { (self.model.tick)(self.instance) };
        self.settled = false;
    }
}

impl<I: Ports, O: Ports> Drop for Verilated<I, O> {
    fn drop(&mut self) {
        // Safety: nobody else holds the instance, and nobody uses it after this.
        unsafe { (self.model.destroy)(self.instance) };
    }
}

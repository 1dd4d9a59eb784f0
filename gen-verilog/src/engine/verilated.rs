// SPDX-License-Identifier: Apache-2.0
//! The emitted Verilog, compiled by Verilator into the process.
//!
//! Crates that bind Verilator from Rust look every port up by name and symbol at each access. With
//! some hundred ports and millions of cycles that is most of the time, so a small C++ shim copies all
//! inputs and all outputs in one call each, and is loaded once.

use std::ffi::c_void;
use std::sync::Arc;

use gpurf_blocks::{PackedClocked, PortLayout, Typed};
use gpurf_hw::dialect::Module;

use super::harness::Harness;
use super::model::Model;
use super::EngineError;
use crate::{emit, Hierarchy};

/// A module's Verilog under clock and reset, run by Verilator.
pub struct Verilated {
    model: Arc<Model>,
    instance: *mut c_void,
    /// The latest ones, and the answer to them.
    inputs: Vec<u32>,
    outputs: Vec<u32>,
    /// The instance has settled for `inputs` in its present state.
    settled: bool,
}

// Safety: the instance is this engine's alone and refers to nothing of the thread that made it; the library
// is shared and only read.
unsafe impl Send for Verilated {}

impl Verilated {
    /// Emits the module's Verilog, compiles it unless that was done before, and resets it for one
    /// cycle.
    ///
    /// Compiled models are kept in `$GPURF_CACHE`, by default `gpurf` in the user's cache folder.
    ///
    /// # Errors
    /// If the module cannot be emitted, or Verilator or the C++ compiler is missing or fails.
    pub fn new<M: Module>(module: &M) -> Result<Typed<Self, M::In, M::Out>, EngineError> {
        Ok(Typed::new(Self::of(&emit(module)?, &PortLayout::of::<M::In, M::Out>())?))
    }

    /// The engine of a design whose top module has these ports.
    ///
    /// # Errors
    /// As [`Verilated::new`].
    pub fn of(hierarchy: &Hierarchy, layout: &PortLayout) -> Result<Self, EngineError> {
        let model = Model::of(&Harness::new(hierarchy, layout))?;
        let instance = (model.create)();
        let mut engine = Verilated {
            model,
            instance,
            inputs: layout.no_inputs(),
            outputs: layout.no_outputs(),
            settled: false,
        };
        engine.reset(&layout.no_inputs());
        Ok(engine)
    }

    /// Holds reset for one cycle with these inputs. Memories keep what is in them or take what comes, and so
    /// do registers without a reset.
    pub fn reset(&mut self, inputs: &[u32]) {
        self.set_reset(true);
        self.evaluate(inputs);
        self.tick();
        self.set_reset(false);
    }

    fn set_reset(&mut self, level: bool) {
        // Safety: the instance is alive until `self` is dropped.
        unsafe { (self.model.reset)(self.instance, level as u32) };
        self.settled = false;
    }

    fn evaluate(&mut self, inputs: &[u32]) {
        if !self.settled || *inputs != self.inputs {
            self.inputs.copy_from_slice(inputs);
            let (inputs, outputs) = (self.inputs.as_ptr(), self.outputs.as_mut_ptr());
            // Safety: the shim was made for the layout that both buffers have.
            unsafe { (self.model.settle)(self.instance, inputs, outputs) };
            self.settled = true;
        }
    }
}

impl PackedClocked for Verilated {
    fn settle(&mut self, inputs: &[u32], outputs: &mut [u32]) {
        self.evaluate(inputs);
        outputs.copy_from_slice(&self.outputs);
    }

    fn tick(&mut self) {
        debug_assert!(self.settled, "settle comes before tick");
        // Safety: the instance is alive until `self` is dropped.
        unsafe { (self.model.tick)(self.instance) };
        self.settled = false;
    }
}

impl Drop for Verilated {
    fn drop(&mut self) {
        // Safety: nobody else holds the instance, and nobody uses it after this.
        unsafe { (self.model.destroy)(self.instance) };
    }
}

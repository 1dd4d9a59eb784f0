// SPDX-License-Identifier: Apache-2.0
//! Runs a module as rust-hdl evaluates it, compiled, under Verilator and under Icarus, on the same inputs.

use gpurf_blocks::{Clocked, Lockstep, PortName, PortValue, PortVisitor, Ports};
use gpurf_hw::dialect::{Module, Rtl};
use gpurf_verilog::{emit, Compiled, Hierarchy, Icarus, Verilated};

/// Panics at the first difference in any output.
pub fn agree<M: Module>(make: impl Fn() -> M, stimulus: impl IntoIterator<Item = M::In>) {
    let verilated = Verilated::new(&make()).unwrap_or_else(|error| panic!("{error}"));
    let icarus = Icarus::new(&make()).unwrap_or_else(|error| panic!("{error}"));
    let compiled = Compiled::new(&make()).unwrap_or_else(|error| panic!("{error}")).engine();
    let of_rust = Lockstep::new(Rtl::new(make()), compiled);
    let mut engines = Lockstep::new(Lockstep::new(of_rust, verilated), icarus);
    let mut cycles = 0;
    for inputs in stimulus {
        engines.settle(&inputs);
        engines.tick();
        cycles += 1;
    }
    assert!(cycles > 0, "there are inputs");
    if let Some(divergence) = &engines.first.first.divergence {
        panic!("Rust and compiled: {divergence}");
    }
    if let Some(divergence) = &engines.first.divergence {
        panic!("Rust and Verilator: {divergence}");
    }
    if let Some(divergence) = &engines.divergence {
        panic!("Rust and Icarus: {divergence}");
    }
}

/// Inputs with random values in every port that the module has; the same on every call.
pub fn random<M: Module>(module: &M, cycles: usize) -> impl Iterator<Item = M::In> {
    let mut random =
        Random { state: 0x2545_f491_4f6c_dd1d, hierarchy: emit(module).expect("it can be emitted") };
    let mut inputs = M::In::default();
    (0..cycles).map(move |_| {
        inputs.visit(&mut random);
        inputs
    })
}

struct Random {
    state: u64,
    hierarchy: Hierarchy,
}

impl PortVisitor for Random {
    fn value<V: PortValue>(&mut self, name: PortName, value: &mut V) {
        let ports = &self.hierarchy.top_module().ports;
        let Some(port) = ports.iter().find(|port| port.name == name.field) else { return };
        if name.index.unwrap_or(0) >= port.count {
            return;
        }
        let mut words = vec![0; V::WORDS];
        for (index, word) in words.iter_mut().enumerate() {
            // xorshift64
            self.state ^= self.state << 13;
            self.state ^= self.state >> 7;
            self.state ^= self.state << 17;
            let bits = (port.width - 32 * index).min(32);
            *word = (self.state >> 32) as u32 >> (32 - bits);
        }
        value.get(&words);
    }
}

// SPDX-License-Identifier: Apache-2.0
//! Energies of a register cache's cells for each event, from its netlist: what it takes when nothing happens
//! is measured, and what a window of random stimulus takes beyond that is fitted to what happened in it.

use anyhow::{bail, Context, Result};
use gpurf_blocks::{Field, Parameters, PortLayout, CACHED_WARPS};
use gpurf_sim::statistics::Counters;
use gpurf_synth::power::{fitted, Mean, Meter};
use gpurf_synth::{Gates, Job, Memories, Netlist, Options, Ports, ProcessNode, Structure};
use gpurf_testbenches::{workbench, EngineKind, Random, Sample};
use serde::Serialize;

use crate::{difference, usual_setting, NODE_NM};

pub const MODULE: &str = "register_cache";
/// Random stimulus, and the cycles of it over which energies are added up.
const CYCLES: u64 = 4000;
const WINDOW: usize = 40;
/// Cycles without any input: in the first ones a flush or a write-back may end.
const IDLE: (u64, u64) = (200, 200);

/// Something that happens in a cycle.
struct Event {
    name: &'static str,
    /// How often: the sum of this port's elements.
    port: &'static str,
    /// It happens if this port is high.
    when: Option<&'static str>,
    /// How often it happened in a run of the SM.
    counted: fn(&Counters) -> u64,
}

const EVENTS: [Event; 4] = [
    Event { name: "source looked up", port: "read", when: None, counted: |counters| counters.operand_reads },
    Event { name: "bank read", port: "bank_reads", when: None, counted: |counters| counters.rc_bank_reads },
    Event {
        name: "bank written",
        port: "bank_writes",
        when: None,
        counted: |counters| counters.rc_bank_writes,
    },
    Event {
        name: "register written back",
        port: "register_write",
        when: Some("register_ready"),
        counted: |counters| counters.rc_write_backs,
    },
];

/// Dynamic energies of a register cache, in picojoules.
#[derive(Clone, Debug, Serialize)]
pub struct RegisterCacheEnergy {
    /// The energy of the cells in every cycle, whatever happens.
    pub idle: f64,
    /// The energy of the cells for each event, by its name.
    pub events: Vec<(&'static str, Mean)>,
    /// The energy of an access of a bank, by CACTI.
    pub bank_read: f64,
    pub bank_write: f64,
}

impl RegisterCacheEnergy {
    /// Maps the module with all its lanes and runs its random stimulus.
    ///
    /// # Errors
    /// If Yosys fails, the netlist does not answer as the reference model does, or CACTI was run for no such
    /// bank.
    pub fn measure(parameters: &Parameters, options: &Options, seed: u64) -> Result<Self> {
        let bench = workbench(MODULE, parameters);
        let hierarchy = bench.verilog()?;
        let source = hierarchy.code();
        let job =
            Job { source: &source, top: &hierarchy.top, sat_sweeping: false, structure: Structure::Kept };
        let netlist = Netlist::map(&job, options)?;
        let circuit = netlist.circuit(&options.library)?;
        let samples = bench.sample(EngineKind::Model, &mut Random::seeded(seed), CYCLES)?;
        let layout = bench.layout();
        let PortLayout { inputs, outputs } = layout;
        let mut gates = Gates::new(&circuit, &hierarchy.top_module().ports, layout)?;
        let meter = Meter::new(&circuit, &usual_setting(&options.library));
        let energy = |gates: &mut Gates| 1e-3 * meter.power(gates.activity()).total().dynamic_fj();
        let (mut terms, mut energies) = (vec![vec![]; EVENTS.len()], vec![]);
        for window in samples.chunks_exact(WINDOW) {
            gates.begin();
            for sample in window {
                let found = gates.cycle(&sample.inputs);
                if let Some((name, netlist, model)) = difference(outputs, &found, &sample.outputs) {
                    bail!(
                        "{}: {name} is {model:#x} in the model and {netlist:#x} in the netlist",
                        hierarchy.top
                    );
                }
            }
            energies.push(energy(&mut gates));
            // What the first cycle of a window finds is no change.
            let counted = &window[1..];
            for (event, term) in EVENTS.iter().zip(&mut terms) {
                let count: u64 = counted.iter().map(|sample| event.count(sample, inputs, outputs)).sum();
                term.push(count as f64 / counted.len() as f64);
            }
        }
        let nothing = vec![0; samples[0].inputs.len()];
        for cycle in 0..IDLE.0 + IDLE.1 {
            if cycle == IDLE.0 {
                gates.begin();
            }
            gates.cycle(&nothing);
        }
        let idle = energy(&mut gates);
        energies.iter_mut().for_each(|energy| *energy -= idle);
        let found = fitted(&terms, &energies);
        let bits = parameters.rc_bank_lanes * 32;
        let bank = Memories::default()
            .access(CACHED_WARPS * parameters.rc_entries, bits, Ports::ONE)
            .with_context(|| format!("a bank of {MODULE}"))?
            .at(&ProcessNode::of(NODE_NM)?);
        Ok(RegisterCacheEnergy {
            idle,
            events: EVENTS.iter().map(|event| event.name).zip(found).collect(),
            bank_read: 1e-3 * bank.read_fj,
            bank_write: 1e-3 * bank.write_fj,
        })
    }

    /// The energy of so many caches in a run, in picojoules.
    pub fn of(&self, counters: &Counters, caches: usize) -> f64 {
        let idle = (caches as u64 * counters.cycles) as f64 * self.idle;
        let cells = EVENTS.iter().zip(&self.events);
        let cells: f64 = cells.map(|(event, (_, each))| (event.counted)(counters) as f64 * each.mean).sum();
        let memories =
            counters.rc_bank_reads as f64 * self.bank_read + counters.rc_bank_writes as f64 * self.bank_write;
        idle + cells + memories
    }
}

impl Event {
    /// In a cycle.
    fn count(&self, sample: &Sample, inputs: &[Field], outputs: &[Field]) -> u64 {
        let of = |port: &str| -> u64 {
            let sum = |fields: &[Field], words: &[u32]| -> u64 {
                let fields = fields.iter().filter(|field| field.name.field == port);
                fields.map(|field| u64::from(words[field.first_word])).sum()
            };
            sum(inputs, &sample.inputs) + sum(outputs, &sample.outputs)
        };
        match self.when {
            Some(when) if of(when) == 0 => 0,
            _ => of(self.port),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_ports_of_the_module() {
        let bench = workbench(MODULE, &Parameters { width: 32, ..Parameters::default() });
        let PortLayout { inputs, outputs } = bench.layout();
        let is_port = |name: &str| inputs.iter().chain(outputs).any(|field| field.name.field == name);
        for event in &EVENTS {
            assert!(is_port(event.port) && event.when.is_none_or(is_port), "{}", event.name);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
//! Measurements of one module, as a table and as JSON.

use std::collections::BTreeMap;
use std::iter;

use anyhow::Result;
use gpurf_blocks::PortLayout;
use gpurf_synth::power::{behind_gates, roles, BehindGate, Energy, Power, Role};
use gpurf_synth::{Activity, Circuit, MemoryEnergy};
use gpurf_testbenches::Sample;
use gpurf_verilog::Hierarchy;
use serde::Serialize;

use crate::output::{grouped, table};

/// The circumstances of a measurement.
#[derive(Serialize)]
pub struct Circumstances {
    pub module: &'static str,
    pub width: usize,
    /// Name of the exported module, which carries its parameters.
    pub verilog: String,
    pub library: String,
    pub clock_gating: bool,
    /// Mapped as a whole.
    pub flattened: bool,
    /// Wire-load model.
    pub wires: Option<String>,
    pub stimulus: String,
    pub period_ns: f64,
}

/// Energies of one module. Those named `fj` are femtojoules in a cycle.
#[derive(Serialize)]
pub struct PowerReport {
    #[serde(flatten)]
    pub measured: Circumstances,
    cycles: u64,
    cells: usize,
    total: Energy,
    energy_fj: f64,
    power_uw: f64,
    roles: Vec<RoleEnergy>,
    /// Instances of modules, the top under its own name, by falling energy.
    instances: Vec<Instance>,
    /// Ports of one bit, and how often they were high.
    operations: Vec<ControlSignal>,
    /// By falling energy.
    nets: Vec<Net>,
    memories: Vec<Memory>,
    /// Registers behind clock gates.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    registers: Vec<BehindGate>,
    /// On nets that input ports drive, which is not in the sum.
    inputs_fj: f64,
}

#[derive(Serialize)]
struct RoleEnergy {
    role: Role,
    energy: Energy,
}

#[derive(Serialize)]
struct Instance {
    name: String,
    cells: usize,
    energy_fj: f64,
    roles: Vec<RoleEnergy>,
}

/// A control signal, and the whole module's energy over how often it was high.
#[derive(Serialize)]
pub struct ControlSignal {
    port: String,
    count: u64,
    energy_fj: f64,
}

#[derive(Serialize)]
struct Net {
    name: String,
    toggles: f64,
    fanout: u32,
    load_ff: f64,
    energy_fj: f64,
}

/// Accesses of a memory, and what one takes.
#[derive(Serialize)]
struct Memory {
    name: String,
    rows: usize,
    width: usize,
    ports: String,
    reads: u64,
    writes: u64,
    energy: Option<MemoryEnergy>,
    /// Why it has none.
    without: Option<String>,
}

/// Input and output ports of one bit, or arrays of such, and in how many cycles they were high; arrays by
/// element.
pub fn operations(hierarchy: &Hierarchy, layout: &PortLayout, samples: &[Sample]) -> Vec<ControlSignal> {
    let mut counts: BTreeMap<(bool, &str), u64> = BTreeMap::new();
    let both = [(true, &layout.inputs), (false, &layout.outputs)];
    for (is_input, field) in
        both.iter().flat_map(|(is_input, fields)| fields.iter().map(|field| (*is_input, field)))
    {
        let ports = &hierarchy.top_module().ports;
        let port = ports.iter().find(|port| port.name == field.name.field && port.is_input == is_input);
        if !port.is_some_and(|port| port.width == 1 && field.name.index.unwrap_or(0) < port.count) {
            continue;
        }
        let words = samples.iter().map(|sample| if is_input { &sample.inputs } else { &sample.outputs });
        let high = words.filter(|words| words[field.first_word] & 1 == 1).count() as u64;
        *counts.entry((!is_input, field.name.field)).or_default() += high;
    }
    let operations = counts.into_iter().filter(|(_, count)| *count > 0);
    operations
        .map(|((_, port), count)| ControlSignal { port: port.to_string(), count, energy_fj: 0.0 })
        .collect()
}

impl PowerReport {
    /// The report from the energies of the cells and nets, and of memories, in the circuit's order or none.
    pub fn of(
        circuit: &Circuit,
        activity: &Activity,
        power: &Power,
        in_memories: Vec<Result<(MemoryEnergy, Energy)>>,
        mut operations: Vec<ControlSignal>,
        measured: Circumstances,
    ) -> PowerReport {
        let period_ns = measured.period_ns;
        let mut paths: BTreeMap<&str, (usize, BTreeMap<Role, Energy>)> = BTreeMap::new();
        for (instance, (clock, rest)) in circuit.instances.iter().zip(&power.instances) {
            let (cells, parts) = paths.entry(instance.path()).or_default();
            *cells += 1;
            let (at_clock, elsewhere) = roles(instance);
            *parts.entry(at_clock).or_default() += *clock;
            *parts.entry(elsewhere).or_default() += *rest;
        }
        *paths.entry("").or_default().1.entry(Role::Clock).or_default() += power.clock;
        let mut memories = vec![];
        let known = in_memories.into_iter().map(Some).chain(iter::repeat_with(|| None));
        for ((memory, (reads, writes)), found) in circuit.memories.iter().zip(&activity.accesses).zip(known) {
            let (energy, without) = match found {
                Some(Ok((each, energy))) => {
                    let (_, parts) = paths.entry(memory.path()).or_default();
                    *parts.entry(Role::Memories).or_default() += energy;
                    (Some(each), None)
                }
                Some(Err(error)) => (None, Some(error.to_string())),
                None => (None, None),
            };
            memories.push(Memory {
                name: memory.name.clone(),
                rows: memory.rows,
                width: memory.width,
                ports: memory.ports().to_string(),
                reads: *reads,
                writes: *writes,
                energy,
                without,
            });
        }
        let mut sums: BTreeMap<Role, Energy> = BTreeMap::new();
        for (role, energy) in paths.values().flat_map(|(_, parts)| parts) {
            *sums.entry(*role).or_default() += *energy;
        }
        let parts = |parts: BTreeMap<Role, Energy>| -> Vec<RoleEnergy> {
            parts.into_iter().map(|(role, energy)| RoleEnergy { role, energy }).collect()
        };
        let instances = paths.into_iter().map(|(path, (cells, energies))| Instance {
            name: if path.is_empty() { circuit.top.clone() } else { path.to_string() },
            cells,
            energy_fj: energies.values().map(|energy| energy.per_cycle_fj(period_ns)).sum(),
            roles: parts(energies),
        });
        let mut instances: Vec<Instance> = instances.collect();
        instances.sort_by(|a, b| b.energy_fj.total_cmp(&a.energy_fj));
        let nets = power.nets.iter().enumerate().filter(|(_, net)| net.energy_fj > 0.0);
        let nets = nets.map(|(number, net)| Net {
            name: circuit.nets[number].clone(),
            toggles: net.toggles,
            fanout: circuit.fanouts[number],
            load_ff: net.load_ff,
            energy_fj: net.energy_fj,
        });
        let mut nets: Vec<Net> = nets.collect();
        nets.sort_by(|a, b| b.energy_fj.total_cmp(&a.energy_fj).then_with(|| a.name.cmp(&b.name)));
        nets.truncate(100);
        let total: Energy = [power.total()].into_iter().chain(sums.get(&Role::Memories).copied()).sum();
        let energy_fj = total.per_cycle_fj(period_ns);
        for operation in &mut operations {
            operation.energy_fj = energy_fj * activity.cycles as f64 / operation.count as f64;
        }
        PowerReport {
            measured,
            cycles: activity.cycles,
            cells: circuit.instances.len(),
            total,
            energy_fj,
            // A femtojoule in a nanosecond is a microwatt.
            power_uw: energy_fj / period_ns,
            roles: parts(sums),
            instances,
            operations,
            nets,
            memories,
            registers: behind_gates(circuit, activity),
            inputs_fj: power.inputs.switching_fj,
        }
    }

    /// Energy of a cycle in picojoules that changes cost, of one role.
    pub fn dynamic_pj(&self, role: Role) -> f64 {
        let parts = self.roles.iter().filter(|part| part.role == role);
        parts.map(|part| 1e-3 * part.energy.dynamic_fj()).sum()
    }

    /// Energy in picojoules that leaks away in a cycle.
    pub fn leakage_pj(&self) -> f64 {
        1e-6 * self.total.leakage_nw * self.measured.period_ns
    }

    pub fn print(&self, list: usize) {
        let mut rows =
            table(&[self.measured.module, "internal fJ", "switching fJ", "leakage fJ", "energy fJ", "share"]);
        let row = |name: &str, energy: &Energy| {
            let all = energy.per_cycle_fj(self.measured.period_ns);
            [
                name.to_string(),
                format!("{:.1}", energy.internal_fj),
                format!("{:.1}", energy.switching_fj),
                format!("{:.1}", 1e-3 * energy.leakage_nw * self.measured.period_ns),
                format!("{all:.1}"),
                format!("{:.1}%", 100.0 * all / self.energy_fj.max(f64::MIN_POSITIVE)),
            ]
        };
        self.roles.iter().for_each(|part| {
            rows.add_row(row(part.role.name(), &part.energy));
        });
        rows.add_row(row("all", &self.total));
        println!("{rows}");
        if self.instances.len() > 1 {
            let mut rows =
                table(&[&["instance", "cells", "energy fJ"][..], &Role::ALL.map(Role::name)].concat());
            for instance in self.instances.iter().take(list) {
                let of = |role: Role| {
                    let part = instance.roles.iter().find(|part| part.role == role);
                    part.map_or("-".into(), |part| {
                        format!("{:.1}", part.energy.per_cycle_fj(self.measured.period_ns))
                    })
                };
                let (name, cells) = (instance.name.clone(), grouped(instance.cells as u64));
                let energy = format!("{:.1}", instance.energy_fj);
                rows.add_row([name, cells, energy].into_iter().chain(Role::ALL.map(of)));
            }
            println!("{rows}");
        }
        if !self.operations.is_empty() {
            let mut rows = table(&["port that is high", "cycles", "energy fJ for each"]);
            for operation in &self.operations {
                let energy = format!("{:.1}", operation.energy_fj);
                rows.add_row([operation.port.clone(), grouped(operation.count), energy]);
            }
            println!("{rows}");
        }
        let mut rows = table(&["net", "changes in a cycle", "fanout", "load fF", "energy fJ"]);
        for net in self.nets.iter().take(list) {
            rows.add_row([
                net.name.clone(),
                format!("{:.3}", net.toggles),
                grouped(u64::from(net.fanout)),
                format!("{:.1}", net.load_ff),
                format!("{:.2}", net.energy_fj),
            ]);
        }
        println!("{rows}");
        if !self.registers.is_empty() {
            let mut rows = table(&[
                "behind a clock gate",
                "bits",
                "writes in a cycle",
                "changes of an input",
                "of an output",
            ]);
            for one in &self.registers {
                rows.add_row([
                    one.register.clone(),
                    grouped(one.bits as u64),
                    format!("{:.3}", one.writes),
                    format!("{:.3}", one.input_changes),
                    format!("{:.3}", one.output_changes),
                ]);
            }
            println!("{rows}");
        }
        self.print_notes();
    }

    fn print_notes(&self) {
        for memory in &self.memories {
            let Memory { name, rows, width, ports, .. } = memory;
            let (reads, writes) = (grouped(memory.reads), grouped(memory.writes));
            let energy = match (&memory.energy, &memory.without) {
                (Some(each), _) => format!(
                    "{:.0} fJ each read, {:.0} fJ each write, {:.3} nW a bit: {}",
                    each.read_fj,
                    each.write_fj,
                    each.leakage_nw / (rows * width) as f64,
                    each.source
                ),
                (None, without) => format!("no energy, {}", without.as_deref().unwrap_or("left out")),
            };
            println!("memory {name}, {rows} × {width}, {ports}: {reads} reads, {writes} writes; {energy}");
        }
        let gating = if self.measured.clock_gating { "with" } else { "without" };
        let mapped = if self.measured.flattened { "as a whole" } else { "module by module" };
        let wires = self.measured.wires.as_deref().unwrap_or("none");
        println!(
            "{}: {} cells of {} mapped {mapped}, {gating} clock gating; wires: {wires}. {}, {} cycles of {} ns: {:.1} fJ in a \
             cycle, {:.3} µW. Without glitches and clock tree; {:.1} fJ more on nets that inputs drive.",
            self.measured.verilog,
            grouped(self.cells as u64),
            self.measured.library,
            self.measured.stimulus,
            grouped(self.cycles),
            self.measured.period_ns,
            self.energy_fj,
            self.power_uw,
            self.inputs_fj
        );
    }
}

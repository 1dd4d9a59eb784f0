//! A netlist evaluated cell by cell, and what its nets do.
//!
//! Without delays: in each cycle a net has one value, that before the edge. What changes and changes back within a cycle is
//! not seen.

use std::collections::HashMap;

use anyhow::{ensure, Context, Result};
use gpurf_blocks::Field;
use gpurf_verilog::Port;

use super::memory::Memory;
use super::{Circuit, Net, Node};

/// A circuit under clock and reset.
pub struct Gates<'a> {
    circuit: &'a Circuit<'a>,
    /// Where the words of packed ports go to and come from.
    inputs: Vec<Wire>,
    outputs: Vec<Wire>,
    output_words: usize,
    /// Of every net.
    values: Vec<u8>,
    /// Of every flip-flop, by the place of its instance.
    state: Vec<u8>,
    /// The clock gate of each flip-flop and of each clock gate, if there is one.
    gate: Vec<Option<usize>>,
    /// Of every memory, row by row.
    words: Vec<Vec<u8>>,
    /// What the clocked ports of memories show.
    reading: Vec<(Net, u8)>,
    /// The values in the cycle before, once there was one.
    before: Option<Vec<u8>>,
    activity: Activity,
}

/// What the nets of a circuit did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Activity {
    /// Cycles whose values were seen.
    pub cycles: u64,
    /// Pairs of successive cycles, which the changes are counted over.
    pub steps: u64,
    /// Changes of each net. A clock changes twice in a cycle.
    pub toggles: Vec<u64>,
    /// Cycles in which each net was high; of a clock, half the cycles in which it runs.
    pub high: Vec<f64>,
    /// Cycles that each instance spent in each row of its inputs, and of its state, from its offset on.
    pub(crate) rows: Vec<u32>,
    pub(crate) offsets: Vec<usize>,
    /// Reads and writes of each memory.
    pub accesses: Vec<(u64, u64)>,
}

/// A port or an element of one.
struct Wire {
    bits: Vec<Net>,
    first_word: usize,
}

/// The ports that the fields name and the design has; elements of an array past its own count are left out.
fn wires(circuit: &Circuit, ports: &[Port], fields: &[Field], is_input: bool) -> Vec<Wire> {
    let wires = fields.iter().filter_map(|field| {
        let port = ports.iter().find(|port| port.name == field.name.field && port.is_input == is_input)?;
        let index = field.name.index.unwrap_or(0);
        let bits = circuit.ports.get(&port.name)?.bits.get(index * port.width..(index + 1) * port.width)?;
        Some(Wire { bits: bits.to_vec(), first_word: field.first_word })
    });
    wires.collect()
}

impl<'a> Gates<'a> {
    /// The circuit of a module with these ports after one cycle of reset; `fields` tell where its inputs and outputs
    /// stand in packed words.
    ///
    /// # Errors
    /// If a flip-flop has another clock than that of the module, by way of clock gates or without.
    pub fn new(circuit: &'a Circuit<'a>, ports: &[Port], fields: &(Vec<Field>, Vec<Field>)) -> Result<Self> {
        let gates = circuit.instances.iter().enumerate().filter(|(_, instance)| instance.logic.is_gate);
        let gates: HashMap<Net, usize> =
            gates.flat_map(|(place, gate)| gate.outputs().map(move |net| (net, place))).collect();
        let mut gate = vec![None; circuit.instances.len()];
        for (place, instance) in circuit.instances.iter().enumerate().filter(|(_, it)| it.cell.sequential) {
            let clock = instance.logic.clock.and_then(|pin| instance.pins[pin]);
            let clock = clock.with_context(|| format!("{} has no clock", instance.name))?;
            gate[place] = gates.get(&clock).copied();
            ensure!(
                gate[place].is_some() || Some(clock) == circuit.clock,
                "the clock of {} is {}, which is neither the module's nor that of a clock gate",
                instance.name,
                circuit.nets[clock as usize]
            );
        }
        let nets = circuit.nets.len();
        let mut offsets = vec![0];
        for instance in &circuit.instances {
            offsets.push(offsets[offsets.len() - 1] + (1 << instance.logic.bits()));
        }
        let activity = Activity {
            toggles: vec![0; nets],
            high: vec![0.0; nets],
            rows: vec![0; offsets[offsets.len() - 1]],
            offsets,
            accesses: vec![(0, 0); circuit.memories.len()],
            ..Activity::default()
        };
        let mut engine = Gates {
            circuit,
            inputs: wires(circuit, ports, &fields.0, true),
            outputs: wires(circuit, ports, &fields.1, false),
            output_words: fields.1.last().map_or(0, |field| field.first_word + field.words),
            values: vec![0; nets],
            state: vec![0; circuit.instances.len()],
            gate,
            words: circuit.memories.iter().map(|memory| vec![0; memory.rows * memory.width]).collect(),
            reading: vec![],
            before: None,
            activity,
        };
        engine.values[1] = 1;
        engine.set_reset(1);
        engine.evaluate();
        engine.edge();
        engine.set_reset(0);
        Ok(engine)
    }

    fn set_reset(&mut self, level: u8) {
        if let Some(reset) = self.circuit.ports.get("reset") {
            self.values[reset.bits[0] as usize] = level;
        }
    }

    /// One cycle with these packed inputs; the packed outputs before its edge.
    pub fn cycle(&mut self, inputs: &[u32]) -> Vec<u32> {
        for wire in &self.inputs {
            for (bit, net) in wire.bits.iter().enumerate() {
                let word = inputs[wire.first_word + bit / 32];
                self.values[*net as usize] = (word >> (bit % 32) & 1) as u8;
            }
        }
        self.evaluate();
        let mut outputs = vec![0; self.output_words];
        for wire in &self.outputs {
            for (bit, net) in wire.bits.iter().enumerate() {
                outputs[wire.first_word + bit / 32] |= u32::from(self.values[*net as usize]) << (bit % 32);
            }
        }
        self.count();
        self.edge();
        outputs
    }

    /// The level of each net in the cycle that was run last; clocks have none here.
    pub(crate) fn levels(&self) -> &[u8] {
        &self.values
    }

    /// The clocks that rise at the end of that cycle.
    pub(crate) fn rising(&self) -> impl Iterator<Item = Net> + '_ {
        let gates = self.circuit.instances.iter().enumerate();
        let open = gates.filter(|(place, gate)| gate.logic.is_gate && self.is_open(Some(*place)));
        self.circuit.clock.into_iter().chain(open.flat_map(|(_, gate)| gate.outputs()))
    }

    /// What the nets did in all cycles so far.
    pub fn activity(&self) -> Activity {
        let mut activity = self.activity.clone();
        let steps = activity.steps;
        // Clocks have no value here: they rise and fall in each cycle, or in each in which their gate is open.
        if let Some(clock) = self.circuit.clock {
            activity.toggles[clock as usize] = 2 * steps;
            activity.high[clock as usize] = activity.cycles as f64 / 2.0;
        }
        activity
    }

    /// Values of all nets.
    fn evaluate(&mut self) {
        let circuit = self.circuit;
        for (place, instance) in circuit.instances.iter().enumerate().filter(|(_, it)| it.logic.holds()) {
            let row = self.row(place);
            for (pin, table) in &instance.logic.outputs {
                if let Some(net) = instance.pins[*pin] {
                    self.values[net as usize] = (table >> row & 1) as u8;
                }
            }
        }
        for (net, value) in &self.reading {
            self.values[*net as usize] = *value;
        }
        for node in &circuit.order {
            match *node {
                Node::Cell(place) => {
                    let instance = &circuit.instances[place];
                    let row = self.row(place);
                    for (pin, table) in &instance.logic.outputs {
                        if let Some(net) = instance.pins[*pin] {
                            self.values[net as usize] = (table >> row & 1) as u8;
                        }
                    }
                }
                Node::Read(place, number) => {
                    let memory = &circuit.memories[place];
                    let read = &memory.reads[number];
                    let row = memory.row(&read.address, &self.values);
                    for (bit, net) in read.data.iter().enumerate() {
                        let value = row.map_or(0, |row| self.words[place][row * memory.width + bit]);
                        self.values[*net as usize] = value;
                    }
                }
            }
        }
    }

    /// The row of an instance's tables that its inputs and its state choose.
    fn row(&self, place: usize) -> usize {
        let instance = &self.circuit.instances[place];
        let mut row = 0;
        for (bit, pin) in instance.logic.inputs.iter().enumerate() {
            let value = instance.pins[*pin].map_or(0, |net| self.values[net as usize]);
            row |= (value as usize) << bit;
        }
        if instance.logic.holds() {
            row |= (self.state[place] as usize) << instance.logic.inputs.len();
        }
        row
    }

    /// Whether the clock behind this gate rises at the end of this cycle.
    fn is_open(&self, gate: Option<usize>) -> bool {
        let Some(gate) = gate else { return true };
        let open = self.circuit.instances[gate].logic.next.expect("a clock gate has an enable");
        open >> self.row(gate) & 1 == 1 && self.is_open(self.gate[gate])
    }

    fn count(&mut self) {
        let circuit = self.circuit;
        let is_step = self.before.is_some();
        let before = self.before.get_or_insert_with(|| self.values.clone());
        let activity = &mut self.activity;
        for (((now, before), toggles), high) in
            self.values.iter().zip(&*before).zip(&mut activity.toggles).zip(&mut activity.high)
        {
            *toggles += u64::from(now ^ before);
            *high += f64::from(*now);
        }
        before.copy_from_slice(&self.values);
        self.activity.cycles += 1;
        self.activity.steps += u64::from(is_step);
        for (place, instance) in circuit.instances.iter().enumerate() {
            let row = self.row(place);
            self.activity.rows[self.activity.offsets[place] + row] += 1;
            if instance.logic.is_gate && self.is_open(Some(place)) {
                for net in instance.outputs() {
                    self.activity.toggles[net as usize] += 2 * u64::from(is_step);
                    self.activity.high[net as usize] += 0.5;
                }
            }
        }
        for (place, memory) in circuit.memories.iter().enumerate() {
            let high = |net: Net| self.values[net as usize] == 1;
            let reads = memory.reads.iter().filter(|read| read.clocked && high(read.enable)).count();
            let writes =
                memory.writes.iter().filter(|write| write.enable.iter().any(|bit| high(*bit))).count();
            let (read, written) = &mut self.activity.accesses[place];
            (*read, *written) = (*read + reads as u64, *written + writes as u64);
        }
    }

    /// The rising edge of the clock.
    fn edge(&mut self) {
        let circuit = self.circuit;
        let next = circuit.instances.iter().enumerate().map(|(place, instance)| match instance.logic.next {
            Some(next) if instance.logic.holds() && self.is_open(self.gate[place]) => {
                (next >> self.row(place) & 1) as u8
            }
            _ => self.state[place],
        });
        let next: Vec<u8> = next.collect();
        let mut reading = vec![];
        for (memory, words) in circuit.memories.iter().zip(&self.words) {
            read(memory, words, &self.values, &mut reading);
        }
        for (memory, words) in circuit.memories.iter().zip(&mut self.words) {
            write(memory, words, &self.values);
        }
        self.state = next;
        self.reading = reading;
    }
}

/// What the clocked ports of a memory show behind the edge.
fn read(memory: &Memory, words: &[u8], values: &[u8], reading: &mut Vec<(Net, u8)>) {
    let high = |net: Net| values[net as usize] == 1;
    for port in memory.reads.iter().filter(|port| port.clocked) {
        let enabled = high(port.enable);
        let resets = high(port.reset) && (enabled || !port.enabled_reset);
        let row = memory.row(&port.address, values);
        for (bit, net) in port.data.iter().enumerate() {
            let value = match row {
                _ if resets => u8::from(port.reset_value[bit]),
                _ if !enabled => values[*net as usize],
                None => 0,
                Some(row) => {
                    let written =
                        memory.writes.iter().zip(&port.transparent).rev().find(|(write, transparent)| {
                            **transparent
                                && high(write.enable[bit])
                                && memory.row(&write.address, values) == Some(row)
                        });
                    written.map_or(words[row * memory.width + bit], |(write, _)| {
                        values[write.data[bit] as usize]
                    })
                }
            };
            reading.push((*net, value));
        }
    }
}

fn write(memory: &Memory, words: &mut [u8], values: &[u8]) {
    for port in &memory.writes {
        let Some(row) = memory.row(&port.address, values) else { continue };
        for (bit, (enable, data)) in port.enable.iter().zip(&port.data).enumerate() {
            if values[*enable as usize] == 1 {
                words[row * memory.width + bit] = values[*data as usize];
            }
        }
    }
}

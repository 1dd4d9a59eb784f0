// SPDX-License-Identifier: Apache-2.0
//! A netlist evaluated cell by cell, and what its nets do.
//!
//! A latch passes what comes in a cycle at whose beginning its clock rises, and holds it from then on: the
//! clock is high in the first half of a cycle, and what comes is there by then.
//!
//! Without delays: in each cycle a net has one value, that before the edge. What changes and changes back
//! within a cycle is not seen. Only cells whose inputs change are evaluated, in an order in which each comes
//! after those that drive it, so that a cycle takes as long as there are changes in it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use anyhow::{ensure, Context, Result};
use gpurf_blocks::{Field, PortLayout};
use gpurf_verilog::Port;

use super::memory::CircuitMemory;
use super::places::BitSet;
use super::{Circuit, Net, Node};

/// A circuit under clock and reset.
pub struct Gates<'a> {
    pub(super) circuit: &'a Circuit<'a>,
    /// Where the words of packed ports go to and come from.
    inputs: Vec<Wire>,
    outputs: Vec<Wire>,
    output_words: usize,
    /// The values of every net.
    pub(super) values: Vec<u8>,
    /// The row of each instance's tables that its inputs choose, and the state of a flip-flop.
    rows: Vec<u8>,
    /// The clock gate of each flip-flop and of each clock gate, if there is one.
    gate: Vec<Option<usize>>,
    /// The clock gates.
    gates: Vec<usize>,
    /// The readers of each net.
    readers: Readers,
    /// Cells to be evaluated in this cycle, by their places in the circuit's order.
    changed: BitSet,
    /// Flip-flops that may change at the next edge.
    unsettled: BitSet,
    /// Flip-flops that changed at the last edge.
    flipped: Vec<usize>,
    /// Latches by their clock gate, with their places in the circuit's order.
    latches: Vec<GatedLatches>,
    /// True for each instance that is a latch and open in this cycle; and a list of those.
    is_transparent: Vec<bool>,
    transparent: Vec<usize>,
    /// Nets at which ports of memories show another value from the last edge on.
    reading: Vec<(Net, u8)>,
    /// The words of every memory, row by row.
    pub(super) words: Vec<Vec<u8>>,
    /// For every memory, the places in the order of its reads without a clock.
    reads: Vec<Vec<usize>>,
    /// The nets of each memory's ports that make a write, each of them alone.
    writes: Vec<Vec<Vec<Net>>>,
    /// The activity of the nets is counted.
    counts: bool,
    /// The cycle from which on each instance has been in its row, and each net at its level, as far as they
    /// were counted.
    row_since: Vec<u64>,
    level_since: Vec<u64>,
    activity: Activity,
}

/// A clock gate, and the latches behind it, each with its place in the circuit's order.
type GatedLatches = (Option<usize>, Vec<(usize, usize)>);

/// The readers of each net: from its start to that of the next net.
struct Readers {
    starts: Vec<u32>,
    readers: Vec<Reader>,
}

#[derive(Clone, Copy)]
enum Reader {
    /// A bit of the row of a cell without state, which has this place in the order.
    Cell {
        instance: u32,
        bit: u8,
        place: u32,
    },
    FlipFlop {
        instance: u32,
        bit: u8,
    },
    ClockGate {
        instance: u32,
        bit: u8,
    },
    /// The address of a read without a clock, at this place in the order.
    Read(u32),
}

impl Readers {
    fn of(circuit: &Circuit) -> Readers {
        let mut places = vec![None; circuit.instances.len()];
        let mut readers: Vec<(Net, Reader)> = vec![];
        for (place, node) in circuit.order.iter().enumerate() {
            match *node {
                Node::Cell(instance) => places[instance] = Some(place as u32),
                Node::Read(memory, number) => {
                    let address = &circuit.memories[memory].reads[number].address;
                    readers.extend(address.iter().map(|net| (*net, Reader::Read(place as u32))));
                }
            }
        }
        for (number, instance) in circuit.instances.iter().enumerate() {
            for (bit, pin) in instance.logic.inputs.iter().enumerate() {
                if let Some(net) = instance.pins[*pin] {
                    let (instance, bit) = (number as u32, bit as u8);
                    let reader = match places[number] {
                        Some(place) => Reader::Cell { instance, bit, place },
                        None if circuit.instances[number].logic.is_gate => {
                            Reader::ClockGate { instance, bit }
                        }
                        None => Reader::FlipFlop { instance, bit },
                    };
                    readers.push((net, reader));
                }
            }
        }
        readers.sort_by_key(|(net, _)| *net);
        let starts = 0..=circuit.nets.len() as Net;
        let starts = starts.map(|net| readers.partition_point(|(of, _)| *of < net) as u32).collect();
        Readers { starts, readers: readers.into_iter().map(|(_, reader)| reader).collect() }
    }
}

/// The activity of a circuit's nets.
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
    pub(crate) rows: Vec<u64>,
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
    /// The circuit of a module with these ports after one cycle of reset; `layout` tells where its inputs and
    /// outputs stand in packed words.
    ///
    /// # Errors
    /// If a flip-flop has another clock than that of the module, by way of clock gates or without.
    pub fn new(circuit: &'a Circuit<'a>, ports: &[Port], layout: &PortLayout) -> Result<Self> {
        let is_gate = |place: &usize| circuit.instances[*place].logic.is_gate;
        let gates: Vec<usize> = (0..circuit.instances.len()).filter(is_gate).collect();
        let drivers =
            gates.iter().flat_map(|place| circuit.instances[*place].outputs().map(|net| (net, *place)));
        let drivers: HashMap<Net, usize> = drivers.collect();
        let mut gate = vec![None; circuit.instances.len()];
        for (place, instance) in circuit.instances.iter().enumerate().filter(|(_, it)| it.cell.sequential) {
            let clock = instance.logic.clock.and_then(|pin| instance.pins[pin]);
            let clock = clock.with_context(|| format!("{} has no clock", instance.name))?;
            gate[place] = drivers.get(&clock).copied();
            ensure!(
                gate[place].is_some() || Some(clock) == circuit.clock,
                "the clock of {} is {}, which is neither the module's nor that of a clock gate",
                instance.name,
                circuit.nets[clock as usize]
            );
        }
        let (nets, instances) = (circuit.nets.len(), circuit.instances.len());
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
        let mut reads = vec![vec![]; circuit.memories.len()];
        for (place, node) in circuit.order.iter().enumerate() {
            if let Node::Read(memory, _) = node {
                reads[*memory].push(place);
            }
        }
        let mut latches: BTreeMap<Option<usize>, Vec<(usize, usize)>> = BTreeMap::new();
        for (place, node) in circuit.order.iter().enumerate() {
            if let Node::Cell(instance) = *node {
                if circuit.instances[instance].logic.is_latch {
                    latches.entry(gate[instance]).or_default().push((instance, place));
                }
            }
        }
        let enables = |memory: &CircuitMemory| {
            let of_port =
                |enable: &Vec<Net>| enable.iter().copied().collect::<BTreeSet<Net>>().into_iter().collect();
            memory.writes.iter().map(|write| of_port(&write.enable)).collect()
        };
        let mut engine = Gates {
            circuit,
            inputs: wires(circuit, ports, &layout.inputs, true),
            outputs: wires(circuit, ports, &layout.outputs, false),
            output_words: layout.words().1,
            values: vec![0; nets],
            rows: vec![0; instances],
            gate,
            gates,
            readers: Readers::of(circuit),
            changed: BitSet::all(circuit.order.len()),
            unsettled: BitSet::none(instances),
            flipped: vec![],
            latches: latches.into_iter().collect(),
            is_transparent: vec![false; instances],
            transparent: vec![],
            reading: vec![],
            words: circuit.memories.iter().map(|memory| vec![0; memory.rows * memory.width]).collect(),
            reads,
            writes: circuit.memories.iter().map(enables).collect(),
            counts: false,
            row_since: vec![0; instances],
            level_since: vec![0; nets],
            activity,
        };
        engine.set(1, 1);
        engine.evaluate_all();
        engine.set_reset(1);
        engine.evaluate();
        engine.edge();
        engine.set_reset(0);
        engine.counts = true;
        Ok(engine)
    }

    /// Stops the count of its nets' activity. A [`Gates::begin`] starts it again.
    pub fn pause(&mut self) {
        self.count_up_to_here();
        self.counts = false;
    }

    /// Starts the count of its nets' activity; what was counted before is forgotten.
    pub fn begin(&mut self) {
        self.counts = true;
        let Activity { cycles, steps, toggles, high, rows, accesses, offsets: _ } = &mut self.activity;
        (*cycles, *steps) = (0, 0);
        toggles.fill(0);
        high.fill(0.0);
        rows.fill(0);
        accesses.fill((0, 0));
        self.row_since.fill(0);
        self.level_since.fill(0);
    }

    /// Everything is evaluated in the next cycle, whatever was before.
    pub(super) fn evaluate_all(&mut self) {
        self.changed = BitSet::all(self.circuit.order.len());
        self.flipped.clear();
        self.reading.clear();
        for (place, it) in self.circuit.instances.iter().enumerate().filter(|(_, it)| it.logic.holds()) {
            if !it.logic.is_latch {
                self.unsettled.insert(place);
            }
            self.show(place);
        }
    }

    fn set_reset(&mut self, level: u8) {
        if let Some(reset) = self.circuit.ports.get("reset") {
            self.set(reset.bits[0], level);
        }
    }

    /// One cycle with these packed inputs; the packed outputs before its edge.
    pub fn cycle(&mut self, inputs: &[u32]) -> Vec<u32> {
        let wires = std::mem::take(&mut self.inputs);
        for wire in &wires {
            for (bit, net) in wire.bits.iter().enumerate() {
                let word = inputs[wire.first_word + bit / 32];
                self.set(*net, (word >> (bit % 32) & 1) as u8);
            }
        }
        self.inputs = wires;
        self.evaluate();
        let mut outputs = vec![0; self.output_words];
        for wire in &self.outputs {
            for (bit, net) in wire.bits.iter().enumerate() {
                outputs[wire.first_word + bit / 32] |= u32::from(self.values[*net as usize]) << (bit % 32);
            }
        }
        if self.counts {
            self.count();
        }
        self.edge();
        outputs
    }

    /// The level of each net in the cycle that was run last; clocks have none here.
    pub(crate) fn levels(&self) -> &[u8] {
        &self.values
    }

    /// The clocks that rise at the end of that cycle.
    pub(crate) fn rising(&self) -> impl Iterator<Item = Net> + '_ {
        let open = self.gates.iter().filter(|gate| self.is_open(Some(**gate)));
        self.circuit.clock.into_iter().chain(open.flat_map(|gate| self.circuit.instances[*gate].outputs()))
    }

    /// The activity of the nets in all cycles that were counted.
    pub fn activity(&mut self) -> &Activity {
        self.count_up_to_here();
        &self.activity
    }

    /// Brings what is counted at a change alone, times in rows and at levels, up to the present cycle.
    fn count_up_to_here(&mut self) {
        if !self.counts {
            return;
        }
        let Activity { cycles, steps, toggles, high, rows, offsets, .. } = &mut self.activity;
        for ((offset, row), since) in offsets.iter().zip(&self.rows).zip(&mut self.row_since) {
            rows[offset + usize::from(*row)] += *cycles - std::mem::replace(since, *cycles);
        }
        for ((high, level), since) in high.iter_mut().zip(&self.values).zip(&mut self.level_since) {
            *high += f64::from(*level) * (*cycles - std::mem::replace(since, *cycles)) as f64;
        }
        // Clocks have no value here: they rise and fall in each cycle, or in each in which their gate is
        // open.
        if let Some(clock) = self.circuit.clock {
            toggles[clock as usize] = 2 * *steps;
            high[clock as usize] = *cycles as f64 / 2.0;
        }
    }

    /// A net takes a level.
    #[inline]
    fn set(&mut self, net: Net, level: u8) {
        let at = net as usize;
        if self.values[at] == level {
            return;
        }
        self.values[at] = level;
        if self.counts {
            let Activity { cycles, toggles, high, .. } = &mut self.activity;
            // What the first cycle finds is no change.
            toggles[at] += u64::from(*cycles > 0);
            let since = std::mem::replace(&mut self.level_since[at], *cycles);
            high[at] += f64::from(1 - level) * (*cycles - since) as f64;
        }
        for reader in self.readers.starts[at]..self.readers.starts[at + 1] {
            match self.readers.readers[reader as usize] {
                Reader::Cell { instance, bit, place } => {
                    self.turn(instance as usize, bit);
                    self.changed.insert(place as usize);
                }
                Reader::FlipFlop { instance, bit } => {
                    self.turn(instance as usize, bit);
                    self.unsettled.insert(instance as usize);
                }
                Reader::ClockGate { instance, bit } => self.turn(instance as usize, bit),
                Reader::Read(place) => self.changed.insert(place as usize),
            }
        }
    }

    /// A bit of an instance's row changes.
    #[inline]
    fn turn(&mut self, instance: usize, bit: u8) {
        if self.counts {
            let Activity { cycles, rows, offsets, .. } = &mut self.activity;
            let since = std::mem::replace(&mut self.row_since[instance], *cycles);
            rows[offsets[instance] + usize::from(self.rows[instance])] += *cycles - since;
        }
        self.rows[instance] ^= 1 << bit;
    }

    /// The outputs of an instance, from its row.
    #[inline]
    fn show(&mut self, instance: usize) {
        let circuit = self.circuit;
        let (found, row) = (&circuit.instances[instance], self.rows[instance]);
        for (pin, table) in &found.logic.outputs {
            if let Some(net) = found.pins[*pin] {
                self.set(net, (table >> row & 1) as u8);
            }
        }
    }

    /// A latch that is open takes what comes.
    #[inline]
    fn pass(&mut self, instance: usize) {
        if !self.is_transparent[instance] {
            return;
        }
        let logic = &self.circuit.instances[instance].logic;
        let (row, next) = (self.rows[instance], logic.next.expect("a latch has a next state"));
        if u64::from(row >> logic.inputs.len() & 1) != next >> row & 1 {
            self.turn(instance, logic.inputs.len() as u8);
        }
    }

    /// Returns true if a latch is open in the cycle to come.
    pub(super) fn is_transparent(&self, place: usize) -> bool {
        self.is_transparent[place]
    }

    /// These latches, and no others, are open in the cycle to come; to be followed by
    /// [`Gates::evaluate_all`].
    pub(super) fn set_transparent(&mut self, places: impl Iterator<Item = usize>) {
        self.close_latches();
        for place in places {
            self.is_transparent[place] = true;
            self.transparent.push(place);
        }
    }

    fn close_latches(&mut self) {
        for place in self.transparent.drain(..) {
            self.is_transparent[place] = false;
        }
    }

    /// Shows the changes of the last edge.
    pub(super) fn show_edge(&mut self) {
        let circuit = self.circuit;
        for place in std::mem::take(&mut self.flipped) {
            self.turn(place, circuit.instances[place].logic.inputs.len() as u8);
            self.show(place);
        }
        for (net, value) in std::mem::take(&mut self.reading) {
            self.set(net, value);
        }
    }

    /// Values of all nets.
    fn evaluate(&mut self) {
        self.show_edge();
        let circuit = self.circuit;
        let mut from = 0;
        while let Some(place) = self.changed.take_first(from) {
            from = place;
            match circuit.order[place] {
                Node::Cell(instance) => {
                    self.pass(instance);
                    self.show(instance);
                }
                Node::Read(place, number) => {
                    let memory = &circuit.memories[place];
                    let read = &memory.reads[number];
                    let row = memory.row(&read.address, &self.values);
                    for (bit, net) in read.data.iter().enumerate() {
                        let value = row.map_or(0, |row| self.words[place][row * memory.width + bit]);
                        self.set(*net, value);
                    }
                }
            }
        }
    }

    /// Returns true if the clock behind this gate rises at the end of this cycle.
    fn is_open(&self, gate: Option<usize>) -> bool {
        let Some(gate) = gate else { return true };
        let open = self.circuit.instances[gate].logic.next.expect("a clock gate has an enable");
        open >> self.rows[gate] & 1 == 1 && self.is_open(self.gate[gate])
    }

    fn count(&mut self) {
        let circuit = self.circuit;
        let is_step = self.activity.cycles > 0;
        self.activity.cycles += 1;
        self.activity.steps += u64::from(is_step);
        for gate in &self.gates {
            if self.is_open(Some(*gate)) {
                for net in circuit.instances[*gate].outputs() {
                    self.activity.toggles[net as usize] += 2 * u64::from(is_step);
                    self.activity.high[net as usize] += 0.5;
                }
            }
        }
        for (place, memory) in circuit.memories.iter().enumerate() {
            let high = |net: Net| self.values[net as usize] == 1;
            let reads = memory.reads.iter().filter(|read| read.clocked && high(read.enable)).count();
            let writes = self.writes[place].iter().filter(|enables| enables.iter().any(|net| high(*net)));
            let (read, written) = &mut self.activity.accesses[place];
            (*read, *written) = (*read + reads as u64, *written + writes.count() as u64);
        }
    }

    /// The rising edge of the clock. What it changes shows in the next cycle.
    fn edge(&mut self) {
        let circuit = self.circuit;
        let mut from = 0;
        while let Some(place) = self.unsettled.first(from) {
            from = place + 1;
            let logic = &circuit.instances[place].logic;
            let next = logic.next.expect("a flip-flop has a next state");
            let row = self.rows[place];
            if u64::from(row >> logic.inputs.len() & 1) == next >> row & 1 {
                self.unsettled.remove(place);
            } else if self.is_open(self.gate[place]) {
                self.flipped.push(place);
            }
        }
        self.close_latches();
        for (gate, latches) in std::mem::take(&mut self.latches) {
            if self.is_open(gate) {
                for (latch, place) in &latches {
                    self.is_transparent[*latch] = true;
                    self.transparent.push(*latch);
                    self.changed.insert(*place);
                }
            }
            self.latches.push((gate, latches));
        }
        for (memory, words) in circuit.memories.iter().zip(&self.words) {
            read(memory, words, &self.values, &mut self.reading);
        }
        for (place, memory) in circuit.memories.iter().enumerate() {
            let high = |net: &Net| self.values[*net as usize] == 1;
            if self.writes[place].iter().any(|enables| enables.iter().any(high)) {
                write(memory, &mut self.words[place], &self.values);
                self.reads[place].iter().for_each(|read| self.changed.insert(*read));
            }
        }
    }

    /// The state of a flip-flop or a latch between two cycles, once [`Gates::show_edge`] has been called.
    pub(super) fn state(&self, place: usize) -> bool {
        self.rows[place] >> self.circuit.instances[place].logic.inputs.len() & 1 == 1
    }

    /// A flip-flop or a latch holds this; to be followed by [`Gates::evaluate_all`].
    pub(super) fn set_state(&mut self, place: usize, state: bool) {
        let bit = self.circuit.instances[place].logic.inputs.len();
        self.rows[place] = self.rows[place] & !(1 << bit) | u8::from(state) << bit;
    }

    /// A clocked port of a memory shows this.
    pub(super) fn show_word(&mut self, net: Net, level: u8) {
        self.set(net, level);
    }
}

/// Reads the clocked ports of a memory behind the edge, as far as they are enabled or reset.
fn read(memory: &CircuitMemory, words: &[u8], values: &[u8], reading: &mut Vec<(Net, u8)>) {
    let high = |net: Net| values[net as usize] == 1;
    for port in memory.reads.iter().filter(|port| port.clocked) {
        let enabled = high(port.enable);
        let resets = high(port.reset) && (enabled || !port.enabled_reset);
        if !enabled && !resets {
            continue;
        }
        let row = memory.row(&port.address, values);
        for (bit, net) in port.data.iter().enumerate() {
            let value = match row {
                _ if resets => u8::from(port.reset_value[bit]),
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

fn write(memory: &CircuitMemory, words: &mut [u8], values: &[u8]) {
    for port in &memory.writes {
        let Some(row) = memory.row(&port.address, values) else { continue };
        for (bit, (enable, data)) in port.enable.iter().zip(&port.data).enumerate() {
            if values[*enable as usize] == 1 {
                words[row * memory.width + bit] = values[*data as usize];
            }
        }
    }
}

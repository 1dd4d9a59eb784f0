// SPDX-License-Identifier: Apache-2.0
//! Testbench of the register cache, with a checker: every value that is read is the last one written, whether
//! it comes from the cache or from the register file, and what is flushed has reached the register file.

mod scenarios;

use std::collections::VecDeque;

use gpurf_blocks::ports::{RegisterCacheIn, RegisterCacheOut};
use gpurf_blocks::{Data, Parameters, CACHED_WARPS, MAX_SLOTS};
use gpurf_hw::dialect::Word;
use gpurf_hw::register_cache::RegisterCache;
use rust_hdl::prelude::Bits;

use super::{lanes, registers, LineWrite, LinesInTurn, Warps};
use crate::{register, Engine, Random, Scenario, Stimulus, Testbench};

impl<const W: usize, const L: usize> Testbench for RegisterCache<W, L>
where
    Bits<W>: Word,
{
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(gpurf_sim::register_cache::RegisterCache::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(RegisterCacheStimulus::new(parameters))
    }

    fn scenarios() -> Vec<Scenario<Self::In, Self::Out>> {
        scenarios::all()
    }
}

register!(RegisterCache<W, L>);

/// A result that waits to be taken, or a source whose value comes back.
#[derive(Clone, Copy, Debug)]
struct Write<D> {
    warp: u32,
    register: u32,
    position: u32,
    lanes: u32,
    data: D,
}

/// Fills that wait, at which no more sources are read.
const FILLS: usize = 8;

/// Instructions of few or many warps, whichever, and registers, with results and fills, and a register file
/// that is slow or fast. In between there are results for all lines, one after another.
struct RegisterCacheStimulus<D: Data> {
    slots: usize,
    warps: Warps,
    registers: Vec<u32>,
    ready: usize,
    lines: LinesInTurn,
    /// The number of the last one.
    number: usize,
    /// Values of each register of each warp: the last one written, and the one that the register file has.
    truth: Vec<[D; 256]>,
    file: Vec<[D; 256]>,
    result: Option<Write<D>>,
    fills: VecDeque<Write<D>>,
    /// A flush that is offered or under way, of this warp; its values are dead.
    flush: Option<(u32, bool)>,
    begun: bool,
    /// The inputs of the last cycle.
    last: RegisterCacheIn<D>,
    /// Values that the sources of the last cycle must bring.
    expected: [D; MAX_SLOTS],
    counts: Counts,
}

/// Counts of accesses of whole registers, lanes and cycles.
#[derive(Default)]
struct Counts {
    reads: u64,
    writes: u64,
    hits: u64,
    misses: u64,
    written: u64,
    written_back: u64,
    conflicts: u64,
    flushes: u64,
}

impl<D: Data> RegisterCacheStimulus<D> {
    fn new(parameters: &Parameters) -> Self {
        let empty = vec![[D::default(); 256]; CACHED_WARPS];
        RegisterCacheStimulus {
            slots: parameters.slots,
            warps: Warps::one(),
            registers: vec![0],
            ready: 100,
            lines: LinesInTurn::new(parameters),
            number: 0,
            truth: empty.clone(),
            file: empty,
            result: None,
            fills: VecDeque::new(),
            flush: None,
            begun: false,
            last: RegisterCacheIn::default(),
            expected: [D::default(); MAX_SLOTS],
            counts: Counts::default(),
        }
    }

    fn new_phase(&mut self, random: &mut Random) {
        self.warps = Warps::draw(random);
        let count = random.pick(&[4, 12, 24, 128]);
        self.registers = registers(random, count);
        self.lines.draw(random);
        self.ready = if self.lines.active { 100 } else { random.pick(&[20, 70, 100]) };
    }

    /// A result of a register whose sources are all there, as the scoreboard sees to it.
    fn new_result(&mut self, random: &mut Random) -> Option<Write<D>> {
        let (warp, register, lanes) = match self.lines.active {
            true => self.next_line(random),
            false => (self.warps.any(random), random.pick(&self.registers), lanes(random)),
        };
        let waits = |fill: &Write<D>| (fill.warp, fill.register) == (warp, register);
        let result = Write { warp, register, position: 0, lanes, data: random.data() };
        (!self.fills.iter().any(waits) && !self.is_flushed(warp)).then_some(result)
    }

    /// The next of those for line after line: warp, register, lanes.
    fn next_line(&mut self, random: &mut Random) -> (u32, u32, u32) {
        let LineWrite { warp, number, mask } = self.lines.next(random);
        self.number = number;
        // Where each lane has tags of its own, a line has no others.
        let lanes = if self.lines.lanes == 1 { lanes(random) } else { mask };
        (warp, LinesInTurn::register(number), lanes)
    }

    /// A source of those that are read.
    fn source(&self, random: &mut Random, slot: usize) -> u32 {
        match self.lines.active {
            true => LinesInTurn::register(self.number.saturating_sub(slot)),
            false => random.pick(&self.registers),
        }
    }

    fn is_flushed(&self, warp: u32) -> bool {
        self.flush.is_some_and(|(flushed, _)| flushed == warp)
    }

    /// A flush of a warp without anything under way.
    fn new_flush(&self, random: &mut Random) -> Option<(u32, bool)> {
        let warp = self.warps.any(random);
        let is_quiet = self.result.iter().chain(&self.fills).all(|write| write.warp != warp);
        is_quiet.then(|| (warp, random.percent(30)))
    }
}

impl<D: Data> Stimulus<RegisterCacheIn<D>, RegisterCacheOut<D>> for RegisterCacheStimulus<D> {
    fn next(&mut self, random: &mut Random) -> RegisterCacheIn<D> {
        if random.percent(1) && !self.lines.goes_on() {
            self.new_phase(random);
        }
        // Results go first: with one in every cycle no fill would ever be taken.
        let in_a_row = self.lines.active && self.fills.is_empty();
        if self.result.is_none() && (in_a_row || random.percent(50)) {
            self.result = self.new_result(random);
        }
        if self.flush.is_none() && !self.lines.active && random.percent(3) {
            self.flush = self.new_flush(random);
        }
        // What is not asked for stands on the ports as it did.
        let mut inputs = RegisterCacheIn {
            register_ready: random.percent(self.ready),
            read: Default::default(),
            write: false,
            fill: false,
            flush: false,
            ..self.last
        };
        let read_warp = match self.result {
            Some(result) if self.lines.active => result.warp,
            _ => self.warps.any(random),
        };
        // As many as collectors hold: a warp whose fills never end would never be flushed. And single lanes
        // wait for each.
        let has_room = self.fills.len() < FILLS;
        if random.percent(if self.lines.goes_on() { 20 } else { 70 })
            && has_room
            && !self.is_flushed(read_warp)
        {
            let read_lanes = if self.lines.active { !0 } else { lanes(random) };
            (inputs.read_warp, inputs.read_lanes) = (read_warp, read_lanes);
            for slot in 0..self.slots {
                let register = self.source(random, slot);
                // The scoreboard lets no source pass a result that is under way.
                let comes = |result: &Write<D>| (result.warp, result.register) == (read_warp, register);
                inputs.read[slot] = random.percent(60) && !self.result.iter().any(comes);
                inputs.read_register[slot] = register;
                inputs.read_reuse[slot] = random.percent(40);
            }
        }
        if let Some(result) = self.result {
            inputs.write = true;
            (inputs.write_warp, inputs.write_register) = (result.warp, result.register);
            (inputs.write_lanes, inputs.write_data) = (result.lanes, result.data);
        }
        if let Some(fill) = self.fills.front() {
            inputs.fill = true;
            (inputs.fill_warp, inputs.fill_register) = (fill.warp, fill.register);
            (inputs.fill_position, inputs.fill_lanes) = (fill.position, fill.lanes);
            inputs.fill_data = fill.data;
        }
        if let Some((warp, drop)) = self.flush.filter(|_| !self.begun) {
            (inputs.flush, inputs.flush_warp, inputs.flush_drop) = (true, warp, drop);
        }
        self.last = inputs;
        inputs
    }

    fn observe(&mut self, inputs: &RegisterCacheIn<D>, outputs: &RegisterCacheOut<D>) -> Result<(), String> {
        for slot in 0..self.slots {
            let (data, expected) = (outputs.data[slot], self.expected[slot]);
            if data != expected {
                return Err(format!("source {slot} of the last cycle is {data:?}, not {expected:?}"));
            }
            self.expected[slot] = D::default();
        }
        self.counts.conflicts += u64::from(outputs.conflict);
        for slot in (0..self.slots).filter(|slot| inputs.read[*slot] && !outputs.conflict) {
            let (warp, register) = (inputs.read_warp, inputs.read_register[slot]);
            let truth = self.truth[warp as usize][register as usize];
            let (hit, miss, take) = (outputs.hit[slot], outputs.miss[slot], outputs.take[slot]);
            if hit & miss != 0 || hit | miss != inputs.read_lanes || take & !miss != 0 {
                return Err(format!(
                    "source {slot}: lanes {hit:x} hit, {miss:x} miss, {take:x} are taken in"
                ));
            }
            let file = self.file[warp as usize][register as usize];
            if D::default().with_lanes(&file, miss) != D::default().with_lanes(&truth, miss) {
                return Err(format!("register {register} of warp {warp} is stale in the register file"));
            }
            self.expected[slot] = D::default().with_lanes(&truth, hit);
            self.counts.reads += 1;
            self.counts.hits += u64::from(hit.count_ones());
            self.counts.misses += u64::from(miss.count_ones());
            // A fill is taken whether it was asked for or not, which an allocation of results never does.
            let lanes = if take == 0 && self.counts.reads % 8 == 0 { miss } else { take };
            if lanes != 0 {
                self.fills.push_back(Write { warp, register, position: slot as u32 % 4, lanes, data: file });
            }
        }
        if outputs.register_write && inputs.register_ready {
            let (warp, register) = (outputs.register_warp as usize, outputs.register_number as usize);
            let held = &mut self.file[warp][register];
            *held = held.with_lanes(&outputs.register_data, outputs.register_lanes);
            self.counts.written_back += u64::from(outputs.register_lanes.count_ones());
        }
        if inputs.fill && outputs.fill_ready {
            self.fills.pop_front();
            self.counts.writes += 1;
            self.counts.written += u64::from(inputs.fill_lanes.count_ones());
        }
        if inputs.write && outputs.write_ready {
            self.counts.writes += 1;
            self.counts.written += u64::from(inputs.write_lanes.count_ones());
            let held = &mut self.truth[inputs.write_warp as usize][inputs.write_register as usize];
            *held = held.with_lanes(&inputs.write_data, inputs.write_lanes);
            self.result = None;
        }
        if let Some((warp, drop)) = self.flush {
            let warp = warp as usize;
            if inputs.flush && outputs.flush_ready {
                self.begun = true;
                self.counts.flushes += 1;
                if drop {
                    self.truth[warp] = self.file[warp];
                }
            } else if self.begun && !outputs.flushing && (drop || !outputs.register_write) {
                if self.truth[warp] != self.file[warp] {
                    return Err(format!("warp {warp} is flushed, and the register file has not all values"));
                }
                (self.flush, self.begun) = (None, false);
            }
        }
        Ok(())
    }

    fn coverage(&self) -> Vec<(&'static str, u64)> {
        let Counts { reads, writes, hits, misses, written, written_back, conflicts, flushes } = self.counts;
        vec![
            ("registers looked up", reads),
            ("registers written", writes),
            ("lanes hit", hits),
            ("lanes missed", misses),
            ("lanes written", written),
            ("lanes written to the register file", written_back),
            ("conflicts", conflicts),
            ("flushes", flushes),
        ]
    }
}

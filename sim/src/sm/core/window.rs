// SPDX-License-Identifier: Apache-2.0
//! A sub-core without collectors: what the SM adds to the model of its register-file side.
//!
//! In a cycle, in this order: results of variable latency are written, in their order, as far as the banks'
//! write ports are free; the register-file side has its cycle; the operands that leave it are checked and
//! enter their units; the warp that issues moves on.

use std::collections::VecDeque;

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::{Row, WarpId, WarpSet, MAX_SLOTS, READ_BANKS};
use gpurf_trace::{RegisterId, RegisterSet};

use super::super::context::Context;
use super::super::executing::Executing;
use super::super::warp::{token, Expected, State};
use super::standstill::Standstill;
use super::Core;
use crate::checkpoint::checkpoint;
use crate::config::Config;
use crate::design::{Dependences, Design};
use crate::engines::RunsSubCore;
use crate::modern::{bank_of, row_of, FixedResult, ModernSubCore, Obstacle, Path, Reading, Shown};
use crate::statistics::Stalls;

/// Instructions between issue and unit, at most.
const MOST: usize = 32;
/// Cycles by which the scoreboard knows ahead that a result of fixed latency comes.
const AHEAD: usize = 32;

/// The register-file side, and what is under way in it.
pub(super) struct Window {
    model: ModernSubCore<u32>,
    flying: Vec<Flying>,
    /// Places in it that are free, a bit each.
    free: u32,
    /// Results of variable latency that wait for their bank, in their order.
    results: VecDeque<VariableResult>,
    /// In place of control bits.
    scoreboard: Option<Scoreboard>,
    still: Standstill,
    /// The obstacle of the last cycle.
    obstacle: Obstacle,
    /// The outputs of the last cycle, in a place of its own that is not copied.
    shown: Option<Box<Shown<u32>>>,
}

checkpoint! {
    [] Window {
        values: model flying free results scoreboard still obstacle;
        fixed: shown;
    }
}

/// An instruction, or a round of it, whose operands are not complete.
#[derive(Clone, Default, BorshSerialize, BorshDeserialize)]
struct Flying {
    executing: Option<Executing>,
    round: u8,
    expected: Expected,
    data: [u32; MAX_SLOTS],
    /// Registers that are read at a time that nobody knows.
    reads: RegisterSet,
}

/// A register to be written, in some lanes. Code counts on that: under opposite predicates two loads into one
/// register are under way at a time, and complete in any order.
#[derive(Clone, Copy, BorshSerialize, BorshDeserialize)]
struct VariableResult {
    warp: WarpId,
    register: RegisterId,
    base: Row,
    token: u32,
    lanes: u32,
    serial: u32,
    /// The dependence counter that goes down with it.
    counter: Option<u8>,
}

/// When results of fixed latency may be used: a consumer of the same pipe issues as many cycles after them as
/// their latency is, and any other a cycle later. Cycles in which the pipeline stands do not count.
#[derive(BorshSerialize, BorshDeserialize)]
struct Scoreboard {
    now: usize,
    due: [Vec<Due>; AHEAD],
    /// Registers that were due in the last cycle: any pipe may use them from now on.
    fresh: Vec<Due>,
}

/// Registers that an instruction of a pipe writes.
#[derive(Clone, Copy, BorshSerialize, BorshDeserialize)]
struct Due {
    warp: WarpId,
    registers: RegisterSet,
    pipe: u8,
}

impl Scoreboard {
    fn new() -> Self {
        Scoreboard { now: 0, due: Default::default(), fresh: Vec::new() }
    }
}

impl Window {
    pub fn new(design: &Design, config: &Config) -> Option<Window> {
        let follows_control = design.dependences == Dependences::ControlBits;
        design.reads_in_window().then(|| Window {
            model: ModernSubCore::new(&design.parameters(config, 0), follows_control),
            flying: vec![Flying::default(); MOST],
            free: u32::MAX,
            results: VecDeque::with_capacity(64),
            scoreboard: (!follows_control).then(Scoreboard::new),
            still: Standstill::default(),
            obstacle: Obstacle::Nothing,
            shown: None,
        })
    }

    /// Returns true if anything is under way in it, or is still to be written.
    #[inline]
    pub fn is_busy(&self) -> bool {
        self.model.is_busy()
            || !self.results.is_empty()
            || self.scoreboard.as_ref().is_some_and(|scoreboard| !scoreboard.fresh.is_empty())
    }

    /// Registers that instructions of a warp are still to read, at a time that nobody knows.
    fn reading(&self, warp: WarpId) -> RegisterSet {
        let flying = self.flying.iter().enumerate().filter(|(place, _)| self.free >> place & 1 == 0);
        let of_warp = flying.filter(|(_, one)| one.executing.is_some_and(|executing| executing.warp == warp));
        of_warp.fold(RegisterSet::default(), |set, (_, one)| set.union(one.reads))
    }
}

impl<E: RunsSubCore> Core<E> {
    /// The state of a warp as far as the SM knows. If the control bits tell of dependences, the hardware
    /// knows them.
    pub(super) fn window_state(&self, warp: WarpId, state: State) -> State {
        match &self.window {
            Some(Window { scoreboard: None, .. }) => self.warps[warp.index()].place(),
            _ => state,
        }
    }

    /// Puts the next instruction of a warp, or the next round of it, at the head of its buffer.
    pub(super) fn present_to_window(&mut self, warp: WarpId, context: &Context) {
        let slot = &self.warps[warp.index()];
        let Some(window) = &mut self.window else { return };
        let instruction = slot.head().0;
        let mut head = context.code.of(instruction).operations[usize::from(slot.round())];
        (head.warp, head.base) = (warp, slot.base);
        if instruction.mask == 0 {
            head.results = [0; READ_BANKS];
        }
        window.model.present(head);
    }

    /// A cycle. Whether another may change anything without an event from outside, or a unit that is ready
    /// again.
    #[inline(never)]
    pub(super) fn work_in_window(&mut self, context: &mut Context) -> bool {
        let unit_ready = self.unit_ready(context);
        let launch = std::mem::take(&mut self.situation.launched);
        let Some(window) = &mut self.window else { return false };
        let mut present = self.situation.states.ready & !launch;
        if let Some(scoreboard) = &window.scoreboard {
            for &Due { warp, registers, pipe } in &scoreboard.fresh {
                if present & warp.bit() == 0 {
                    continue;
                }
                let head = self.warps[warp.index()].head().0;
                let uses = context.code.of(head).touches.intersects(&registers);
                if uses && window.model.head(warp).pipe != pipe {
                    present &= !warp.bit();
                }
            }
        }
        let inputs = (present, unit_ready);
        if self.shape.skips
            && launch == 0
            && window.still.lasts(inputs)
            && window.results.is_empty()
            && window.model.stands_still()
        {
            let stall = self.window_stall(present, &mut context.records.stalls, context.blocks.depleted);
            *stall += 1;
            return false;
        }

        self.write_variable(context);
        let Some(window) = &mut self.window else { return false };
        let mut shown = window.shown.take().unwrap_or_default();
        (shown.fixed, shown.variable) = (None, [None, None]);
        (shown.bank_reads, shown.hits, shown.conflicts) = (0, 0, 0);
        shown.obstacle = Obstacle::Nothing;
        let payload = window.free.trailing_zeros();
        let has_scoreboard = window.scoreboard.is_some();
        // Counters that reach 0 with this cycle change what the next one can do.
        let mut moves = !window.model.stands_still();
        window.model.cycle((present, launch), unit_ready, payload, &mut shown);

        context.records.counters.hits += u64::from(shown.hits);
        context.records.counters.bank_reads += u64::from(shown.bank_reads);
        context.records.counters.bank_conflicts += u64::from(shown.conflicts);
        moves |= shown.issued.is_some();
        for reading in shown.fixed.iter().chain(shown.variable.iter().flatten()) {
            moves = true;
            self.leave_window(reading, context);
        }
        for result in shown.written.iter().flatten() {
            moves = true;
            let now = context.clock.now;
            context.records.counters.bank_writes += 1;
            context.records.show(move |pipeline| pipeline.write(now, result.payload));
            // A scoreboard has released it before.
            if !has_scoreboard {
                self.warps[result.warp.index()].settle(result.register);
            }
            self.complete_part(result.warp, context);
        }
        if let Some(window) = &mut self.window {
            window.obstacle = shown.obstacle;
        }
        match shown.issued {
            Some(warp) => self.issue_into_window(warp, payload, context),
            None if shown.obstacle == Obstacle::Empty && self.situation.states.ready & launch != 0 => {
                context.records.stalls.launch += 1;
            }
            None => {
                let depleted = context.blocks.depleted;
                *self.window_stall(present, &mut context.records.stalls, depleted) += 1;
            }
        }
        let stands = shown.stands;
        let Some(window) = &mut self.window else { return false };
        window.shown = Some(shown);
        window.still.note(inputs, moves);
        self.collectors.occupied = u8::from(window.model.has_instructions());
        if !stands {
            self.release();
        }
        true
    }

    /// Results of variable latency are written in their order: the compiler relies on that of one unit's.
    fn write_variable(&mut self, context: &mut Context) {
        let Some(window) = &self.window else { return };
        let mut taken: [bool; READ_BANKS] = std::array::from_fn(|bank| window.model.writes(bank));
        while let Some(window) = &mut self.window {
            let Some(&result) = window.results.front() else { return };
            let bank = bank_of(result.register);
            if std::mem::replace(&mut taken[bank], true) {
                return;
            }
            window.results.pop_front();
            let value = window.model.place_of(result.register, result.base);
            *value = result.token & result.lanes | *value & !result.lanes;
            if let Some(counter) = result.counter {
                window.model.decrement(result.warp, counter);
            }
            let now = context.clock.now;
            context.records.counters.bank_writes += 1;
            context.records.show(move |pipeline| pipeline.write(now, result.serial));
            self.warps[result.warp.index()].write(result.register);
            self.situation.look_again(result.warp, self.situation.states.pending());
            self.complete_part(result.warp, context);
        }
    }

    /// Operands leave; the instruction enters its unit when it has all of them.
    fn leave_window(&mut self, reading: &Reading<u32>, context: &mut Context) {
        let operation = &reading.operation;
        let place = operation.payload as usize;
        let Some(window) = &mut self.window else { return };
        let flying = &mut window.flying[place];
        for (source, &data) in reading.data.iter().enumerate() {
            if reading.sources >> source & 1 == 1 {
                flying.data[source] = data;
            }
        }
        if operation.path == Path::Fixed && reading.pass < operation.last_pass {
            return;
        }
        window.free |= 1 << place;
        let flying = &window.flying[place];
        let Some(executing) = flying.executing else { return };
        let Context { code, clock, records, .. } = context;
        let decoded = code.of(&executing.instruction);
        let round = decoded.round(flying.round);
        let operand = |slot: usize| Some(flying.data[slot]);
        Self::check_operands(
            operand,
            u32::MAX,
            &executing,
            (decoded.pc, round),
            &flying.expected,
            clock,
            records,
        );
        let is_last = flying.round == decoded.last_round();

        clock.progress();
        let (now, serial, warp, idle) = (clock.now, executing.serial, executing.warp, executing.is_idle());
        if window.scoreboard.is_some() {
            let reading = window.reading(warp);
            self.warps[warp.index()].dispatch(reading);
            self.situation.look_again(warp, self.situation.states.dependence);
        }
        if !is_last {
            return;
        }
        if decoded.barrier && !idle && self.warps[warp.index()].at_barrier {
            let block = self.warps[warp.index()].block;
            if context.blocks.get_mut(block).arrive() {
                context.blocks.opened.insert(block);
            }
        }
        let decoded = context.code.of(&executing.instruction);
        let (in_memory, timing) = (decoded.memory.is_some(), decoded.timing);
        if operation.path != Path::Fixed {
            self.units.enter(decoded.unit, now + timing.initiation);
        }
        context.records.show(move |pipeline| match idle {
            true => pipeline.leave(now, serial),
            false => pipeline.dispatch(now, serial),
        });
        if idle && !(in_memory && context.memory.takes_idle) {
            self.end_counter(&executing, context);
            self.complete_part(warp, context);
        } else if in_memory {
            context.send_to_memory(executing);
        } else {
            let latency = timing.latency.saturating_sub(context.config.sm.result_registers);
            context.completions.plan(now + latency, &executing);
        }
    }

    /// Decrements the counter of an instruction without results: whoever waits for it need not wait longer.
    fn end_counter(&mut self, executing: &Executing, context: &Context) {
        let decoded = context.code.of(&executing.instruction);
        let control = decoded.operations[usize::from(decoded.last_round())].control;
        if let (Some(counter), Some(window)) = (control.write_barrier(), &mut self.window) {
            window.model.decrement(executing.warp, counter);
        }
    }

    /// The instruction leaves its unit, or memory answers.
    pub(super) fn complete_in_window(&mut self, executing: Executing, context: &mut Context) {
        let Executing { warp, serial, instruction, .. } = executing;
        if executing.is_idle() {
            self.end_counter(&executing, context);
            return self.complete_part(warp, context);
        }
        let decoded = context.code.of(&instruction);
        let operation = &decoded.operations[usize::from(decoded.last_round())];
        let is_fixed = operation.results != [0; READ_BANKS];
        let base = self.warps[warp.index()].base;
        let Some(window) = &mut self.window else { return };
        for (index, &register) in decoded.destinations.iter().enumerate() {
            let token = token(serial, register);
            if is_fixed {
                let row = row_of(base, register);
                let pipe = operation.pipe;
                window.model.arrive(FixedResult { warp, register, row, data: token, pipe, payload: serial });
            } else {
                let is_last = index + 1 == decoded.destinations.len();
                let counter = operation.control.write_barrier().filter(|_| is_last);
                let lanes = instruction.mask;
                let result = VariableResult { warp, register, base, token, lanes, serial, counter };
                window.results.push_back(result);
            }
        }
        let results = decoded.destinations.len() as u32;
        if results == 0 {
            self.end_counter(&executing, context);
        }
        self.warps[warp.index()].outstanding += results;
        let now = context.clock.now;
        context.records.show(move |pipeline| pipeline.complete(now, serial, results));
        self.complete_part(warp, context);
    }

    /// The instruction that the hardware has taken, or a round of it, leaves its warp's buffer.
    fn issue_into_window(&mut self, warp: WarpId, payload: u32, context: &mut Context) {
        context.clock.progress();
        let Some(window) = &mut self.window else { return };
        let slot = &mut self.warps[warp.index()];
        let (serial, round) = (slot.head().1, slot.round());
        let flying = &mut window.flying[payload as usize];
        window.free &= !(1 << payload);
        let is_fixed =
            context.code.of(slot.head().0).operations[usize::from(round)].results != [0; READ_BANKS];
        let instruction = slot.issue(context.code.decoded(), !is_fixed, &mut flying.expected);
        let decoded = context.code.of(&instruction);
        let is_last = round == decoded.last_round();
        let executing = Executing {
            sub_core: self.shape.index,
            warp,
            block: slot.block,
            number: slot.number,
            serial,
            instruction,
        };
        let entering = decoded.round(round);
        let operation = &decoded.operations[usize::from(round)];
        (flying.executing, flying.round) = (Some(executing), round);
        flying.reads = RegisterSet::default();
        if let Some(scoreboard) = &mut window.scoreboard {
            if operation.path != Path::Fixed {
                flying.reads = entering.reads;
            }
            if is_last && operation.results != [0; READ_BANKS] && instruction.mask != 0 {
                let due = (scoreboard.now + decoded.timing.latency as usize) % AHEAD;
                scoreboard.due[due].push(Due { warp, registers: decoded.writes, pipe: operation.pipe });
            }
            let reading = window.reading(warp);
            slot.dispatch(reading);
        }

        let sources = entering.sources().len();
        context.records.counters.operand_reads += sources as u64;
        match is_last {
            true => {
                context.records.counters.warp_instructions += 1;
                context.records.counters.named_operand_reads += u64::from(decoded.named_count);
            }
            false => context.records.stalls.rounds += 1,
        }
        self.situation.renew(warp);
        self.leave_buffer(executing, is_last, context);
        self.show_issue(&executing, round, u8::MAX, context);
    }

    /// The counter of a cycle in which nothing issues. `depleted`: a block waits for registers.
    pub(super) fn window_stall<'a>(
        &self,
        present: WarpSet,
        stalls: &'a mut Stalls,
        depleted: bool,
    ) -> &'a mut u64 {
        let obstacle = self.window.as_ref().map_or(Obstacle::Nothing, |window| window.obstacle);
        let waits_for_load = || WarpId::all_of(present).any(|warp| self.warps[warp.index()].awaits_load());
        match obstacle {
            Obstacle::Reads => &mut stalls.reads,
            Obstacle::Units => &mut stalls.units,
            Obstacle::Stall => &mut stalls.stall_count,
            Obstacle::Counters if waits_for_load() => &mut stalls.memory,
            Obstacle::Counters => &mut stalls.dependence,
            // Ready warps wait for the last cycle of another pipe's result.
            Obstacle::Empty | Obstacle::Nothing if self.situation.states.ready != 0 => &mut stalls.dependence,
            Obstacle::Empty | Obstacle::Nothing => self.situation.states.stall(stalls, depleted),
        }
    }

    /// A cycle in which the pipeline moves is over: results that may be used from the next one on.
    fn release(&mut self) {
        let Some(Window { scoreboard: Some(scoreboard), .. }) = &mut self.window else { return };
        scoreboard.now = (scoreboard.now + 1) % AHEAD;
        let Scoreboard { now, due, fresh } = scoreboard;
        fresh.clear();
        std::mem::swap(fresh, &mut due[*now]);
        for index in 0..fresh.len() {
            let Some(Window { scoreboard: Some(scoreboard), .. }) = &self.window else { return };
            let Due { warp, registers, .. } = scoreboard.fresh[index];
            registers.iter().for_each(|register| self.warps[warp.index()].settle(register));
            self.situation.look_again(warp, self.situation.states.pending());
        }
    }
}

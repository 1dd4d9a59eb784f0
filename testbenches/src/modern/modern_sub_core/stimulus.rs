// SPDX-License-Identifier: Apache-2.0
//! Stimulus of the sub-core that ships: warps with programs, units that take their time, and an oracle for
//! every operand.

use std::collections::{HashMap, VecDeque};

use gpurf_blocks::ports::{ModernSubCoreIn, ModernSubCoreOut};
use gpurf_blocks::{Data, Parameters, DECREMENTS, READS, READ_BANKS};

use super::program::{Instruction, Program, NONE};
use crate::{Random, Stimulus};

/// A warp slot.
struct Slot<D> {
    program: Program<D>,
    head: Instruction<D>,
    /// The values of its registers once all is done that has issued.
    values: Vec<D>,
    lowest: u32,
    base: u32,
    /// Instructions that are under way.
    under_way: usize,
    /// No instruction issues any more: a new warp is to come.
    is_ending: bool,
    misses: bool,
}

/// An instruction under way.
struct UnderWay<D> {
    warp: usize,
    instruction: Instruction<D>,
}

/// A result: warp, register, value, pipe.
type Result4<D> = (usize, u32, D, u32);

/// An event that is to happen in a later cycle.
enum Due<D> {
    Result(Result4<D>),
    /// A result of variable latency, with its counter.
    Load(Result4<D>, u32),
    Decrement(usize, u32),
    GiveBack(usize),
}

pub struct ModernSubCoreStimulus<D> {
    parameters: Parameters,
    cycle: u64,
    slots: Vec<Slot<D>>,
    busy: usize,
    serial: u32,
    under_way: HashMap<u32, UnderWay<D>>,
    due: HashMap<u64, Vec<Due<D>>>,
    loads: [VecDeque<(Result4<D>, u32)>; READ_BANKS],
    decrements: VecDeque<(usize, u32)>,
    /// Delays that are drawn for the observation of this cycle.
    delays: VecDeque<u64>,
    /// The warp that issued in the last cycle: it has another instruction in this.
    renew: Option<usize>,
    issued: u64,
    hits: u64,
    holds: u64,
}

impl<D: Data> ModernSubCoreStimulus<D> {
    pub fn new(parameters: Parameters) -> Self {
        ModernSubCoreStimulus {
            parameters,
            cycle: 0,
            slots: vec![],
            busy: 2,
            serial: 0,
            under_way: HashMap::new(),
            due: HashMap::new(),
            loads: Default::default(),
            decrements: VecDeque::new(),
            delays: VecDeque::new(),
            renew: None,
            issued: 0,
            hits: 0,
            holds: 0,
        }
    }

    /// Warps begin with registers that nobody has written.
    fn begin(&mut self, random: &mut Random) {
        let Parameters { rows, warps, .. } = self.parameters;
        let of_warp = rows / warps;
        let count = (of_warp * READ_BANKS).min(16);
        for warp in 0..warps {
            let lowest = random.below((254 - count) / 2) as u32 * 2;
            let base = ((warp * of_warp) as u32).wrapping_sub(lowest / READ_BANKS as u32) % 256;
            let values = vec![D::default(); count];
            let mut program = Program::new(self.parameters, lowest, &values);
            let head = program.next(random);
            let slot =
                Slot { program, head, values, lowest, base, under_way: 0, is_ending: false, misses: false };
            self.slots.push(slot);
        }
    }

    fn present(&self, warp: usize, inputs: &mut ModernSubCoreIn<D>) {
        let Slot { head, base, misses, .. } = &self.slots[warp];
        inputs.head_unit[warp] = head.unit;
        inputs.head_pipe[warp] = head.pipe;
        inputs.head_payload[warp] = self.serial + warp as u32;
        for source in 0..READS {
            inputs.head_source_valid[READS * warp + source] = head.sources[source].is_some();
            // One that is not used shows a register that might be.
            let other = self.slots[warp].lowest + (source % READ_BANKS) as u32;
            inputs.head_source_register[READS * warp + source] = head.sources[source].unwrap_or(other);
        }
        inputs.head_queue[warp] = head.queue;
        inputs.head_tensor[warp] = head.tensor;
        if let (Some((register, _)), 0) = (head.destination, head.queue) {
            inputs.head_writes[READ_BANKS * warp + register as usize % READ_BANKS] = true;
        }
        inputs.head_stall[warp] = head.stall;
        inputs.head_yields[warp] = head.yields;
        inputs.head_write_counter[warp] = head.write_counter;
        inputs.head_read_counter[warp] = head.read_counter;
        inputs.head_wait_mask[warp] = head.wait_mask;
        inputs.head_reuse[warp] = head.reuse;
        if let Some([counter, value, mask]) = head.limit {
            inputs.head_limit_valid[warp] = true;
            inputs.head_limit_counter[warp] = counter;
            inputs.head_limit_value[warp] = value;
            inputs.head_limit_mask[warp] = mask;
        }
        inputs.head_base[warp] = *base;
        inputs.head_misses[warp] = *misses;
    }

    /// Drives the events that are due in this cycle.
    fn come(&mut self, inputs: &mut ModernSubCoreIn<D>) {
        let mut ports = [0; READ_BANKS];
        for due in self.due.remove(&self.cycle).unwrap_or_default() {
            match due {
                Due::Result((warp, register, data, pipe)) => {
                    let bank = register as usize % READ_BANKS;
                    let place = READ_BANKS * ports[bank] + bank;
                    ports[bank] += 1;
                    inputs.result_valid[place] = true;
                    (inputs.result_warp[place], inputs.result_register[place]) = (warp as u32, register);
                    (inputs.result_base[place], inputs.result_pipe[place]) = (self.slots[warp].base, pipe);
                    inputs.result_data[place] = data;
                    self.slots[warp].under_way -= 1;
                }
                Due::Load(result, counter) => {
                    self.loads[result.1 as usize % READ_BANKS].push_back((result, counter));
                }
                Due::Decrement(warp, counter) => self.decrements.push_back((warp, counter)),
                Due::GiveBack(queue) => inputs.give_back[queue] = true,
            }
        }
        for (bank, loads) in self.loads.iter().enumerate() {
            if let Some(((warp, register, data, _), _)) = loads.front() {
                inputs.load_valid[bank] = true;
                (inputs.load_warp[bank], inputs.load_register[bank]) = (*warp as u32, *register);
                (inputs.load_base[bank], inputs.load_data[bank]) = (self.slots[*warp].base, *data);
            }
        }
        for place in 0..DECREMENTS {
            let Some((warp, counter)) = self.decrements.pop_front() else { break };
            inputs.decrement_valid[place] = true;
            (inputs.decrement_warp[place], inputs.decrement_counter[place]) = (warp as u32, counter);
            self.slots[warp].under_way -= 1;
        }
    }

    fn plan(&mut self, delay: u64, due: Due<D>) {
        self.due.entry(self.cycle + delay).or_default().push(due);
    }

    /// A place in a queue comes back, one in a cycle.
    fn plan_give_back(&mut self, delay: u64, queue: usize) {
        let is_planned = |cycle: u64| {
            let of_cycle = self.due.get(&cycle).into_iter().flatten();
            of_cycle.into_iter().any(|due| matches!(due, Due::GiveBack(other) if *other == queue))
        };
        let cycle = (self.cycle + delay..).find(|&cycle| !is_planned(cycle)).expect("some cycle is free");
        self.plan(cycle - self.cycle, Due::GiveBack(queue));
    }

    /// Operands leave.
    fn leave(&mut self, outputs: &ModernSubCoreOut<D>) -> Result<(), String> {
        let serial = outputs.dispatch_payload;
        let Some(UnderWay { warp, instruction }) = self.under_way.get(&serial) else {
            return Err(format!("instruction {serial} leaves, and is not under way"));
        };
        let (warp, instruction) = (*warp, instruction.clone());
        if (outputs.dispatch_warp, outputs.dispatch_unit, outputs.dispatch_queue)
            != (warp as u32, instruction.unit, instruction.queue)
        {
            return Err(format!("instruction {serial} of warp {warp} leaves as one of another"));
        }
        for source in 0..READS {
            let right = instruction.sources[source].is_some();
            if outputs.operand_valid[source] != right
                || outputs.operand_data[source] != instruction.expected[source]
            {
                return Err(format!(
                    "instruction {serial} of warp {warp}, {:?}: source {source} is {:?} and not {:?}",
                    instruction.sources, outputs.operand_data[source], instruction.expected[source]
                ));
            }
        }
        self.under_way.remove(&serial);
        let mut delay = || self.delays.pop_front().unwrap_or(1);
        let [takes, reads, loads] = [delay(), delay(), delay()];
        match (instruction.queue, instruction.destination) {
            (0, Some((register, data))) => {
                let latency = instruction.latency(&self.parameters);
                self.plan(latency, Due::Result((warp, register, data, instruction.pipe)));
            }
            (0, None) => self.slots[warp].under_way -= 1,
            (queue, destination) => {
                self.plan_give_back(takes, queue.trailing_zeros() as usize);
                if instruction.read_counter != NONE {
                    self.slots[warp].under_way += 1;
                    self.plan(reads, Due::Decrement(warp, instruction.read_counter));
                }
                match destination {
                    Some((register, data)) => {
                        let load = (warp, register, data, instruction.pipe);
                        self.plan(loads, Due::Load(load, instruction.write_counter));
                    }
                    None => self.slots[warp].under_way -= 1,
                }
            }
        }
        Ok(())
    }
}

impl<D: Data> Stimulus<ModernSubCoreIn<D>, ModernSubCoreOut<D>> for ModernSubCoreStimulus<D> {
    fn next(&mut self, random: &mut Random) -> ModernSubCoreIn<D> {
        if self.slots.is_empty() {
            self.begin(random);
        }
        if let Some(warp) = self.renew.take() {
            self.slots[warp].head = self.slots[warp].program.next(random);
        }
        if random.percent(2) {
            self.busy = random.pick(&[1, 2, 4, self.parameters.warps]);
        }
        self.delays.clear();
        self.delays.extend((0..3).map(|_| [1, 1, 2, 3, 5, 9, 20][random.below(7)]));

        let mut inputs = ModernSubCoreIn::<D> {
            unit_ready: (random.below(256) | random.below(256) | random.below(256)) as u32,
            ..Default::default()
        };
        self.serial += self.parameters.warps as u32;
        for warp in 0..self.parameters.warps {
            let slot = &mut self.slots[warp];
            if random.percent(10) {
                slot.misses = random.percent(10);
            }
            slot.is_ending |= random.percent(1) && random.percent(30);
            if slot.is_ending && slot.under_way == 0 {
                inputs.launch[warp] = true;
                slot.is_ending = false;
                slot.program = Program::new(self.parameters, slot.lowest, &slot.values);
                slot.head = slot.program.next(random);
            } else {
                inputs.head_valid[warp] =
                    !slot.is_ending && random.percent(if warp < self.busy { 90 } else { 2 });
            }
            self.present(warp, &mut inputs);
        }
        self.come(&mut inputs);
        inputs
    }

    fn observe(&mut self, inputs: &ModernSubCoreIn<D>, outputs: &ModernSubCoreOut<D>) -> Result<(), String> {
        if outputs.dispatch {
            self.leave(outputs)?;
        }
        for bank in (0..READ_BANKS).filter(|&bank| outputs.load_taken[bank]) {
            let ((warp, ..), counter) =
                self.loads[bank].pop_front().ok_or("a load that is not there is taken")?;
            self.plan(1, Due::Decrement(warp, counter));
        }
        if outputs.issued {
            let warp = outputs.issued_warp as usize;
            if !inputs.head_valid[warp] {
                return Err(format!("warp {warp} issues without an instruction"));
            }
            let slot = &mut self.slots[warp];
            slot.under_way += 1;
            let instruction = slot.head.clone();
            if let Some((register, value)) = instruction.destination {
                slot.values[(register - slot.lowest) as usize] = value;
            }
            self.under_way.insert(inputs.head_payload[warp], UnderWay { warp, instruction });
            self.renew = Some(warp);
        }
        self.issued += u64::from(outputs.issued);
        self.holds += u64::from(outputs.held);
        self.hits += outputs.reuse_hit.iter().filter(|hit| **hit).count() as u64;
        self.cycle += 1;
        Ok(())
    }

    fn coverage(&self) -> Vec<(&'static str, u64)> {
        vec![("issued", self.issued), ("held", self.holds), ("reused", self.hits)]
    }
}

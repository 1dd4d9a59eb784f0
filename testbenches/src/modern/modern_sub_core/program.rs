// SPDX-License-Identifier: Apache-2.0
//! The program of a warp, and the control bits that a compiler would write into it.

use gpurf_blocks::{Data, Parameters, ReuseEntries, DEPENDENCE_COUNTERS, OPERANDS, READS, READ_BANKS};

use crate::Random;

/// The number that names no dependence counter.
pub const NONE: u32 = 7;
/// The pipe of instructions of variable latency: no result of fixed latency comes from it.
const VARIABLE_PIPE: u32 = 3;
/// Latencies of fixed latency: a unit has the one of its number, around.
const LATENCIES: [u64; 4] = [4, 6, 5, 2];

/// An instruction as the ports show it, and what its operands must be.
#[derive(Clone, Debug)]
pub struct Instruction<D> {
    pub unit: u32,
    pub pipe: u32,
    /// 0 is fixed latency; else a bit for its queue.
    pub queue: u32,
    pub tensor: bool,
    pub sources: [Option<u32>; READS],
    pub expected: [D; READS],
    /// The register that it writes, and the value.
    pub destination: Option<(u32, D)>,
    pub stall: u32,
    pub yields: bool,
    pub write_counter: u32,
    pub read_counter: u32,
    pub wait_mask: u32,
    pub reuse: u32,
    /// Counter, value and mask of a `DEPBAR`.
    pub limit: Option<[u32; 3]>,
}

impl<D> Instruction<D> {
    /// Cycles from its operands to its result.
    pub fn latency(&self, parameters: &Parameters) -> u64 {
        LATENCIES[self.unit as usize % parameters.result_ports]
    }
}

/// The state of a register.
#[derive(Clone, Debug)]
struct Register<D> {
    value: D,
    /// Its last result of fixed latency: from when on its own pipe and others may read it, in cycles of the
    /// program.
    due: u64,
    pipe: u32,
    /// Counters that its next reader, and its next writer, wait for.
    written: u32,
    read: u32,
}

/// A warp's registers in the order of its program.
pub struct Program<D> {
    parameters: Parameters,
    /// The lowest register, which is even.
    lowest: u32,
    registers: Vec<Register<D>>,
    /// The cycle of the program in which the next instruction issues at the earliest.
    time: u64,
    /// Registers that reuse bits have left, of tensor instructions and of others, and whether they have been
    /// written since.
    left: [[Option<(u32, bool)>; READS]; 2],
    /// The instruction whose stall count is still open.
    open: Option<Instruction<D>>,
}

impl<D: Data> Program<D> {
    /// The program of a warp with so many registers, whose values are these.
    pub fn new(parameters: Parameters, lowest: u32, values: &[D]) -> Self {
        let register = |&value: &D| Register { value, due: 0, pipe: 0, written: 0, read: 0 };
        Program {
            parameters,
            lowest,
            registers: values.iter().map(register).collect(),
            time: 0,
            left: [[None; READS]; 2],
            open: None,
        }
    }

    /// The next instruction.
    pub fn next(&mut self, random: &mut Random) -> Instruction<D> {
        loop {
            let follower = self.draw(random);
            if let Some(instruction) = self.open.replace(follower) {
                return instruction;
            }
        }
    }

    /// An instruction whose stall count alone is still open; and the stall count of the one before it.
    fn draw(&mut self, random: &mut Random) -> Instruction<D> {
        let is_variable = random.percent(25);
        let unit = random.below(8) as u32;
        let mut instruction = Instruction {
            unit,
            pipe: if is_variable {
                VARIABLE_PIPE
            } else {
                unit % self.parameters.result_ports as u32 % VARIABLE_PIPE
            },
            queue: if is_variable { 1 + random.below(2) as u32 } else { 0 },
            tensor: !is_variable && random.percent(20),
            sources: [None; READS],
            expected: [D::default(); READS],
            destination: None,
            stall: 1,
            yields: false,
            write_counter: NONE,
            read_counter: NONE,
            wait_mask: 0,
            reuse: 0,
            limit: None,
        };
        let set = usize::from(instruction.tensor && self.parameters.reuse_cache == ReuseEntries::TensorApart);
        let mut earliest = self.time + 1;
        // Few sources or many, often those of one bank.
        let density = random.pick(&[0, 20, 50, 90]);
        let bank = random.below(2);
        for source in 0..READS {
            if !random.percent(if source % READ_BANKS == bank { density } else { density / 2 }) {
                continue;
            }
            let place = random.below(self.registers.len() / READ_BANKS) * READ_BANKS + source % READ_BANKS;
            let number = self.lowest + place as u32;
            if !is_variable && self.left[set][source] == Some((number, true)) {
                continue;
            }
            let register = &self.registers[place];
            instruction.sources[source] = Some(number);
            instruction.expected[source] = register.value;
            instruction.wait_mask |= register.written;
            earliest = earliest.max(register.due + u64::from(register.pipe != instruction.pipe));
        }
        let writes = random.percent(70);
        let place = random.below(self.registers.len());
        let latency = instruction.latency(&self.parameters);
        if writes {
            let register = &self.registers[place];
            instruction.wait_mask |= register.written | register.read;
            // Results of one register come one after the other.
            earliest = earliest.max(match is_variable {
                true => register.due,
                false => (register.due + 1).saturating_sub(latency),
            });
            instruction.destination = Some((self.lowest + place as u32, random.data()));
        }
        if random.percent(2) {
            let counter = random.below(DEPENDENCE_COUNTERS) as u32;
            instruction.limit =
                Some([counter, random.below(2) as u32, random.below(64) as u32 & random.below(64) as u32]);
        }
        self.set_stall(earliest, random);
        self.settle(&mut instruction, set, random);
        instruction
    }

    /// The stall count of the instruction before one that may not issue earlier.
    fn set_stall(&mut self, earliest: u64, random: &mut Random) {
        let Some(before) = &mut self.open else { return };
        let has_counter = before.write_counter != NONE || before.read_counter != NONE;
        // Counters are seen two cycles behind an instruction, and a limit is one more behind.
        let least = if before.limit.is_some() { 4 } else { 1 + u64::from(has_counter) };
        let needed = (earliest - self.time).max(least);
        let more = random.pick(&[0, 0, 0, 1, 3]);
        let (stall, yields) = match needed {
            _ if random.percent(1) => (0, true),
            1 if random.percent(5) && self.parameters.collapsed > 0 => (12 + random.below(4) as u64, false),
            1 | 2 if random.percent(30) => (1, true),
            _ if random.percent(5) => (12 + random.below(4) as u64, true),
            _ => ((needed + more).min(11), random.percent(20)),
        };
        (before.stall, before.yields) = (stall as u32, yields);
        self.time += match (stall, yields) {
            (0, _) => self.parameters.long_stall as u64,
            (1, true) => 2,
            (12.., false) => self.parameters.collapsed as u64,
            _ => stall,
        };
    }

    /// Settles the things that an instruction leaves to those behind it.
    fn settle(&mut self, instruction: &mut Instruction<D>, set: usize, random: &mut Random) {
        let counter = |random: &mut Random| random.below(DEPENDENCE_COUNTERS) as u32;
        for operand in 0..OPERANDS {
            instruction.reuse |= u32::from(random.percent(40)) << operand;
        }
        let is_variable = instruction.queue != 0;
        let place = |number: u32| (number - self.lowest) as usize;
        if is_variable && instruction.sources.iter().any(Option::is_some) {
            instruction.read_counter = counter(random);
        }
        for source in 0..READS {
            let Some(number) = instruction.sources[source] else { continue };
            match is_variable {
                true => self.registers[place(number)].read |= 1 << instruction.read_counter,
                false => {
                    let stays = instruction.reuse >> (source / READ_BANKS) & 1 == 1;
                    self.left[set][source] = stays.then_some((number, false));
                }
            }
        }
        if let Some((number, value)) = instruction.destination {
            let latency = instruction.latency(&self.parameters);
            let register = &mut self.registers[place(number)];
            *register =
                Register { value, due: self.time + latency, pipe: instruction.pipe, written: 0, read: 0 };
            if is_variable {
                instruction.write_counter = counter(random);
                (register.due, register.written) = (0, 1 << instruction.write_counter);
                // Its own read of the register is over by then.
            }
            for (left, written) in self.left.iter_mut().flatten().flatten() {
                *written |= *left == number;
            }
        }
    }
}

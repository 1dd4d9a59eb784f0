// SPDX-License-Identifier: Apache-2.0
//! Scenarios of the sub-core that ships.

use gpurf_blocks::ports::{ModernSubCoreIn, ModernSubCoreOut};
use gpurf_blocks::{Data, Parameters, ReadRule, ReuseEntries, OPERANDS, READS, READ_BANKS};
use gpurf_sim::modern::{ClockedInstruction, ClockedOpcode, Silicon, SiliconWindow};

use super::program::NONE;
use crate::{expect, value, Drive, Scenario};

type Bench<'a, D> = Drive<'a, ModernSubCoreIn<D>, ModernSubCoreOut<D>>;

/// Units of the windows.
const OTHER: u32 = 0;
const INTEGER: u32 = 1;
const FLOAT: u32 = 2;

/// An instruction with stall count 1.
#[derive(Clone, Copy, Debug)]
struct Instruction {
    unit: u32,
    queue: u32,
    sources: [Option<u32>; OPERANDS],
    reuse: u32,
    stall: u32,
    yields: bool,
    write_counter: u32,
    wait_mask: u32,
    /// The bank that its result comes to.
    writes: Option<usize>,
}

impl Default for Instruction {
    fn default() -> Self {
        Instruction {
            unit: OTHER,
            queue: 0,
            sources: [None; OPERANDS],
            reuse: 0,
            stall: 1,
            yields: false,
            write_counter: NONE,
            wait_mask: 0,
            writes: None,
        }
    }
}

/// A register that an instruction names twice is read once.
impl From<&ClockedInstruction> for Instruction {
    fn from(clocked: &ClockedInstruction) -> Instruction {
        let unit = match clocked.opcode {
            ClockedOpcode::Nop => OTHER,
            ClockedOpcode::Mov | ClockedOpcode::Iadd3 | ClockedOpcode::Clock => INTEGER,
            ClockedOpcode::Fadd | ClockedOpcode::Ffma => FLOAT,
        };
        let mut instruction = Instruction { unit, ..Default::default() };
        for (operand, register) in clocked.sources.into_iter().enumerate() {
            let number = register.map(u32::from);
            if !instruction.sources.contains(&number) {
                instruction.sources[operand] = number;
            }
        }
        instruction.reuse = clocked.reuse.into();
        instruction
    }
}

/// Puts an instruction at the head of a warp's buffer.
fn present<D: Data>(inputs: &mut ModernSubCoreIn<D>, warp: usize, payload: u32, instruction: &Instruction) {
    inputs.head_valid[warp] = true;
    inputs.head_payload[warp] = payload;
    inputs.head_unit[warp] = instruction.unit;
    inputs.head_queue[warp] = instruction.queue;
    for (operand, register) in instruction.sources.iter().enumerate() {
        let Some(register) = register else { continue };
        let source = READS * warp + READ_BANKS * operand + *register as usize % READ_BANKS;
        (inputs.head_source_valid[source], inputs.head_source_register[source]) = (true, *register);
    }
    inputs.head_reuse[warp] = instruction.reuse;
    inputs.head_stall[warp] = instruction.stall;
    inputs.head_yields[warp] = instruction.yields;
    inputs.head_write_counter[warp] = instruction.write_counter;
    inputs.head_read_counter[warp] = NONE;
    inputs.head_wait_mask[warp] = instruction.wait_mask;
    if let Some(bank) = instruction.writes {
        inputs.head_writes[READ_BANKS * warp + bank] = true;
    }
}

/// The course of a warp's code: in which cycle each instruction issues, leaves Control, and has its operands.
#[derive(Clone, Debug, Default)]
struct Run<D> {
    issued: Vec<usize>,
    controlled: Vec<usize>,
    dispatched: Vec<(usize, [D; READS])>,
}

/// Runs the code of warp 0. Units take an instruction every second cycle in which the pipeline moves, or
/// every one if they are wide; `also` adds to the inputs of a cycle.
fn run<D: Data>(
    bench: &mut Bench<D>,
    code: &[Instruction],
    wide: bool,
    also: impl Fn(usize, &mut ModernSubCoreIn<D>),
) -> Result<Run<D>, String> {
    let (mut run, mut next) = (Run::default(), 0);
    let mut busy = [0; 8];
    for cycle in 0..120 {
        let mut inputs = ModernSubCoreIn::<D> { head_write_counter: [NONE; 16], ..Default::default() };
        inputs.head_read_counter = [NONE; 16];
        if let Some(instruction) = code.get(next) {
            present(&mut inputs, 0, next as u32, instruction);
        }
        inputs.unit_ready = (0..8).fold(0, |ready, unit| ready | u32::from(busy[unit] == 0) << unit);
        also(cycle, &mut inputs);
        let out = bench.cycle(inputs)?;
        if !out.held {
            busy.iter_mut().for_each(|busy: &mut u32| *busy = busy.saturating_sub(1));
        }
        if out.issued {
            run.issued.push(cycle);
            let Instruction { unit, queue, .. } = code[next];
            if queue == 0 && (unit == INTEGER || unit == FLOAT && !wide) {
                busy[unit as usize] = 1;
            }
            next += 1;
        }
        if out.controlled {
            run.controlled.push(cycle);
        }
        if out.dispatch {
            run.dispatched.push((cycle, out.operand_data));
        }
    }
    let all = [run.issued.len(), run.controlled.len(), run.dispatched.len()];
    expect(all == [code.len(); 3], format!("all of {} instructions issue and leave: {all:?}", code.len()))?;
    Ok(run)
}

fn alone<D: Data>(_: usize, _: &mut ModernSubCoreIn<D>) {}

/// A result comes to a bank of warp 0, whose first row is 0.
fn result<D: Data>(inputs: &mut ModernSubCoreIn<D>, register: u32, data: D) {
    let place = register as usize % READ_BANKS;
    inputs.result_valid[place] = true;
    (inputs.result_register[place], inputs.result_data[place]) = (register, data);
}

/// A consumer of R4, so many cycles behind the producer, whose result comes four cycles after its operands:
/// what it reads.
fn consume<D: Data>(
    bench: &mut Bench<D>,
    distance: u32,
    consumer: Instruction,
    data: D,
) -> Result<D, String> {
    let producer = Instruction { stall: distance, writes: Some(0), ..Default::default() };
    let arrival = bench.parameters.read_window + 3 + 4;
    let run = run(bench, &[producer, consumer], true, |cycle, inputs| {
        // Of variable latency, it has a pipe without results.
        inputs.head_pipe[0] = if inputs.head_queue[0] == 0 { 0 } else { 3 };
        inputs.give_back[0] = consumer.queue != 0 && cycle == 100;
        if cycle == arrival {
            result(inputs, 4, data);
        }
    })?;
    Ok(run.dispatched[1].1[0])
}

pub fn all<D: Data>() -> Vec<Scenario<ModernSubCoreIn<D>, ModernSubCoreOut<D>>> {
    vec![
        Scenario {
            name: "windows_of_silicon",
            rule: "H Listing 1, and a GA100: what lies between two clocks, under the rule that reads are packed or held by",
            play: |bench| {
                let Parameters { read_window, read_ports, read_rule, reuse_cache, .. } = bench.parameters;
                if (read_window, read_ports) != (3, 1) || reuse_cache == ReuseEntries::Off {
                    return Ok(());
                }
                let silicon = Silicon::built_in();
                for SiliconWindow { card, code, packed, held, .. } in &silicon.windows {
                    let clock = &ClockedInstruction::CLOCK;
                    let between = ClockedInstruction::sequence(code)?;
                    let instructions: Vec<Instruction> =
                        [clock].into_iter().chain(&between).chain([clock]).map(Instruction::from).collect();
                    let run = run(bench, &instructions, silicon.cards[card].fp32_initiation == 1, alone)?;
                    let cycles = run.controlled[instructions.len() - 1] - run.controlled[0];
                    let expected = if read_rule == ReadRule::Held { held } else { packed };
                    let same = Some(cycles as u64) == *expected;
                    expect(same, format!("{code} takes {cycles} cycles and not {expected:?}"))?;
                    // What reuse bits have left leaves with a new warp.
                    let mut launch = ModernSubCoreIn::<D>::default();
                    launch.launch[0] = true;
                    bench.cycle(launch)?;
                }
                Ok(())
            },
        },
        Scenario {
            name: "operands_leave_behind_control_allocate_and_window",
            rule: "H 5.3: Issue, Control, Allocate, three read cycles, always",
            play: |bench| {
                let code = ClockedInstruction::sequence("NOP; FADD R8, R9, R10; NOP")?;
                let code: Vec<Instruction> = code.iter().map(Instruction::from).collect();
                let run = run(bench, &code, true, alone)?;
                for (place, (cycle, _)) in run.dispatched.iter().enumerate() {
                    let after = cycle - run.issued[place];
                    let expected = bench.parameters.read_window + 3;
                    expect(after == expected, format!("{after} cycles after its issue and not {expected}"))?;
                }
                Ok(())
            },
        },
        Scenario {
            name: "a_stall_count_keeps_a_warp",
            rule: "H 4, Fig. 4: the next instruction of a warp issues as many cycles later as the stall count says",
            play: |bench| {
                let code = [4, 1, 2, 11, 1].map(|stall| Instruction { stall, ..Default::default() });
                let run = run(bench, &code, true, alone)?;
                let distances: Vec<usize> = run.issued.windows(2).map(|pair| pair[1] - pair[0]).collect();
                expect(distances == [4, 1, 2, 11], format!("{distances:?}"))
            },
        },
        Scenario {
            name: "the_youngest_issues_while_another_waits",
            rule: "H 5.1.2, Fig. 4: the same warp, else the youngest; a yield gives a cycle to another warp",
            play: |bench| {
                let mut order = vec![];
                let mut left = [3; 4];
                for cycle in 0..16 {
                    let mut inputs = ModernSubCoreIn::<D> { unit_ready: 0xff, ..Default::default() };
                    for warp in (0..4).filter(|&warp| left[warp] > 0 && cycle >= warp) {
                        // The second instruction of warp 3 yields.
                        let yields = warp == 3 && left[warp] == 2;
                        present(&mut inputs, warp, 0, &Instruction { yields, ..Default::default() });
                    }
                    let out = bench.cycle(inputs)?;
                    if out.issued {
                        left[out.issued_warp as usize] -= 1;
                        order.push(out.issued_warp);
                    }
                }
                let expected = [0, 0, 0, 3, 3, 2, 2, 2, 3, 1, 1, 1];
                expect(order == expected, format!("{order:?}"))
            },
        },
        Scenario {
            name: "a_consumer_of_fixed_latency_comes_four_cycles_later",
            rule: "H 5.3, Listing 3: a consumer of fixed latency has a result of latency 4 with a stall count of 4",
            play: |bench| {
                let consumer = Instruction { sources: [Some(4), None, None], ..Default::default() };
                for distance in 3..11 {
                    let data = value(distance);
                    let read = consume(bench, distance, consumer, data)?;
                    expect((read == data) == (distance >= 4), format!("{distance} cycles behind it reads {read:?}"))?;
                }
                Ok(())
            },
        },
        Scenario {
            name: "a_consumer_of_variable_latency_comes_five_cycles_later",
            rule: "H 5.3, Listing 3: a consumer of variable latency needs a cycle more",
            play: |bench| {
                let consumer = Instruction { queue: 1, sources: [Some(4), None, None], ..Default::default() };
                for distance in 3..11 {
                    let data = value(distance);
                    let read = consume(bench, distance, consumer, data)?;
                    expect((read == data) == (distance >= 5), format!("{distance} cycles behind it reads {read:?}"))?;
                }
                Ok(())
            },
        },
        Scenario {
            name: "a_consumer_waits_for_its_dependence_counter",
            rule: "H 4: what waits for a load names its counter, and issues when that is zero",
            play: |bench| {
                let load = Instruction { queue: 1, write_counter: 2, stall: 2, ..Default::default() };
                let consumer = Instruction { wait_mask: 1 << 2, sources: [Some(6), None, None], ..Default::default() };
                let run = run(bench, &[load, consumer], true, |cycle, inputs| {
                    inputs.give_back[0] = cycle == 30;
                    // The load is written in cycle 40, and its counter goes down with it.
                    inputs.load_valid[0] = cycle == 40;
                    (inputs.load_register[0], inputs.load_data[0]) = (6, value(5));
                    (inputs.decrement_valid[1], inputs.decrement_counter[1]) = (cycle == 40, 2);
                })?;
                expect(run.issued[1] == 41, format!("it issues in cycle {} and not 41", run.issued[1]))?;
                expect(run.dispatched[1].1[0] == value(5), "and has the value")
            },
        },
        Scenario {
            name: "two_results_in_one_bank_delay_nobody",
            rule: "H 5.3: of two results at once in one bank the second queues, and both consumers have theirs",
            play: |bench| {
                let producers = [5, 4].map(|_| Instruction { writes: Some(0), ..Default::default() });
                let gap = Instruction { stall: 3, ..Default::default() };
                let consumer = Instruction { sources: [Some(4), Some(6), None], ..Default::default() };
                let arrival = bench.parameters.read_window + 3 + 5;
                let run = run(bench, &[producers[0], producers[1], gap, consumer], true, |cycle, inputs| {
                    if cycle == arrival {
                        result(inputs, 4, value(1));
                        let second = 2 * READ_BANKS - 2;
                        inputs.result_valid[second] = true;
                        (inputs.result_register[second], inputs.result_data[second]) = (6, value(2));
                    }
                })?;
                expect(run.issued == [0, 1, 2, 5], format!("nobody waits: {:?}", run.issued))?;
                let operands = run.dispatched[3].1;
                expect(operands[0] == value(1) && operands[2] == value(2), "both values are there")
            },
        },
    ]
}

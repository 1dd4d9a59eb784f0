// SPDX-License-Identifier: Apache-2.0
//! Small streams written as text.

use gpurf_blocks::ParameterError;
use gpurf_sim::register_traffic::{Configuration, Reach, ReuseFlags, Rules, Study, Traffic, TrafficReport};
use gpurf_trace::{Command, Instruction, Kernel, KernelHeader, Program, Register, ThreadBlock, Workload};

/// A kernel of one block: warps by number, and their instructions as `MASK OPCODE DESTINATION SOURCE...`, the
/// mask in hexadecimal, `-` for no destination. Each instruction has a program counter of its own, by its
/// text.
pub fn kernel(warps: &[(u32, &[&str])]) -> Kernel {
    kernel_from(0, 5, warps)
}

/// With a first program counter and a version of the tracer.
pub fn kernel_from(first_pc: u32, tracer_version: u32, warps: &[(u32, &[&str])]) -> Kernel {
    let mut program = Program::default();
    let mut block = ThreadBlock::new([0; 3]);
    let mut texts: Vec<&str> = vec![];
    for (number, lines) in warps {
        block.begin_warp(*number);
        for line in *lines {
            let (mask, text) = line.split_once(' ').expect("a mask comes first");
            let place = texts.iter().position(|known| *known == text).unwrap_or(texts.len());
            if place == texts.len() {
                texts.push(text);
            }
            let mut words = text.split(' ');
            let opcode = words.next().expect("an opcode");
            let destination = words.next().filter(|&word| word != "-").map(register);
            let sources: Vec<_> = words.map(register).collect();
            let instruction = Instruction {
                pc: first_pc + 16 * place as u32,
                opcode,
                destination,
                sources: &sources,
                width: 0,
                immediates: [0; 2],
            };
            let index = program.intern(&instruction).expect("it is known");
            block.push(index, u32::from_str_radix(mask, 16).expect("a mask"), &[]);
        }
    }
    let header = KernelHeader { name: "k".into(), grid: [1; 3], tracer_version, ..Default::default() };
    Kernel::in_memory(header, program, vec![block])
}

fn register(name: &str) -> Register {
    match name.strip_prefix("UR") {
        Some(number) => Register::Uniform(number.parse().expect("a number")),
        None => Register::vector(name[1..].parse().expect("a number")),
    }
}

pub fn workload(kernels: Vec<Kernel>) -> Workload {
    Workload { name: "w".into(), commands: kernels.into_iter().map(Command::Kernel).collect() }
}

/// One configuration: settings as `rc_ways=2 rc_allocation=write`, for each thread, with reach `Set`.
pub fn configuration(settings: &str) -> Configuration {
    configured(settings, Reach::Set).expect("a good configuration")
}

pub fn configured(settings: &str, reach: Reach) -> Result<Configuration, ParameterError> {
    let settings: Vec<String> = settings.split_whitespace().map(String::from).collect();
    Ok(Configuration::combinations(&settings, reach, None)?[0])
}

pub fn report(
    kernels: Vec<Kernel>,
    configuration: Configuration,
    rules: Rules,
    flags: &str,
) -> TrafficReport {
    let flags = (!flags.is_empty()).then(|| ReuseFlags::parse(flags).expect("good flags"));
    let study = Study { configurations: vec![configuration], rules, flags };
    study.run(&workload(kernels)).expect("it runs")
}

/// Warp 0 alone, under RFC-sim's rules.
pub fn rfc_sim(lines: &[&str], settings: &str) -> Traffic {
    report(vec![kernel(&[(0, lines)])], configuration(settings), Rules::RFC_SIM, "").traffic[0]
}

/// Warp 0 alone, under C's.
pub fn paper(lines: &[&str], settings: &str) -> Traffic {
    report(vec![kernel(&[(0, lines)])], configuration(settings), Rules::PAPER, "").traffic[0]
}

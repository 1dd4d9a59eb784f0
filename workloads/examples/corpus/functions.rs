// SPDX-License-Identifier: Apache-2.0
//! Runs functions of the CUDA headers, each in a kernel, and compares what they give.

use gpurf_workloads::{Argument, Device, Module, Options};

use crate::answers::{answer, bytes, same, Answer, Case};
use crate::function::Function;
use crate::report::{CorpusReport, Outcome};

const THREADS: usize = 256;

/// Runs the kernels of a listing, which have the numbers of functions in their names.
pub fn add(report: &mut CorpusReport, module: &Module, functions: &[Function]) {
    for kernel in &module.kernels {
        let number = kernel.name.split('_').nth(1).and_then(|number| number.parse::<usize>().ok());
        let Some(function) = number.and_then(|number| functions.get(number)) else { continue };
        let name = format!("{}({})", function.name, function.parameters.join(", "));
        let fits = kernel.name.ends_with(&function.name);
        assert!(fits, "{} is not of {name}: remove the listing", kernel.name);
        report.add(name, run(module, &kernel.name, function));
    }
}

fn run(module: &Module, kernel: &str, function: &Function) -> Outcome {
    let mut random = fastrand::Rng::with_seed(1);
    let inputs: Vec<Vec<u128>> = (0..function.parameters.len())
        .map(|number| (0..THREADS).map(|_| input(function, number, &mut random)).collect())
        .collect();
    let mut device = Device::new(Options { stream: false, ..Options::default() });
    let mut types: Vec<&str> = function.parameters.iter().map(|name| name.trim_end_matches('*')).collect();
    let mut buffers: Vec<_> = types
        .iter()
        .zip(&inputs)
        .map(|(name, values)| {
            let part = |value: &u128| value.to_le_bytes()[..bytes(name)].to_vec();
            device.upload(&values.iter().flat_map(part).collect::<Vec<u8>>())
        })
        .collect();
    if function.result != "void" {
        types.push(&function.result);
        buffers.push(device.allocate((THREADS * bytes(&function.result)) as u64));
    }
    let arguments: Vec<Argument> = buffers.iter().map(|&buffer| buffer.into()).collect();
    if let Err(error) = device.launch(module, kernel, 1, THREADS as u32, 0, &arguments) {
        return Outcome::of(error);
    }
    let found: Vec<Vec<u128>> = types
        .iter()
        .zip(&buffers)
        .map(|(name, &buffer)| {
            let size = bytes(name);
            let all: Vec<u8> = device.read(buffer, THREADS * size).expect("it was allocated");
            let value =
                |bytes: &[u8]| bytes.iter().rev().fold(0, |value, &byte| value << 8 | u128::from(byte));
            all.chunks_exact(size).map(value).collect()
        })
        .collect();
    for thread in 0..THREADS {
        let Some(answer) = answer(&Case { function, inputs: &inputs, thread }) else {
            return Outcome::Unanswered;
        };
        let Answer { result, memory, ulps } = answer;
        let result = result.map(|value| (function.parameters.len(), value));
        for (number, expected) in result.into_iter().chain(memory) {
            let found = found[number][thread];
            if !same(types[number], found, expected, ulps) {
                let given: Vec<_> = inputs.iter().map(|values| format!("{:#x}", values[thread])).collect();
                return Outcome::Wrong(format!(
                    "of {}: {found:#x}, expected {expected:#x}",
                    given.join(", ")
                ));
            }
        }
    }
    Outcome::Right
}

/// A value for a parameter: any bits, numbers of usual magnitude, or special ones; what synchronizes names
/// all lanes.
fn input(function: &Function, number: usize, random: &mut fastrand::Rng) -> u128 {
    let (name, parameter) = (&function.name, function.parameters[number].trim_end_matches('*'));
    match (number, name.ends_with("_sync")) {
        (0, true) => return u32::MAX.into(),
        (3, true) => return 32,
        _ => {}
    }
    match &name[..] {
        "__fns" if number == 1 => return random.u128(..32),
        // They take as many steps.
        "jn" | "jnf" | "yn" | "ynf" if number == 0 => return random.u128(..8),
        "norm" | "normf" | "rnorm" | "rnormf" if number == 0 => return 1,
        "__nanosleep" | "__barrier_sync" => return 0,
        _ => {}
    }
    crate::answers::input(parameter, random)
}

// SPDX-License-Identifier: Apache-2.0
//! Windows of real silicon in the model, under both rules of the read allocator.

use gpurf_blocks::{Parameters, ReadRule, READ_BANKS};
use gpurf_sim::engines::RunsModernSubCore;
use gpurf_sim::modern::{bank_of, ModernSubCore, Operation, Shown, Told, NO_COUNTER};
use gpurf_trace::{RegisterId, Unit};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Windows {
    window: Vec<Window>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Window {
    card: String,
    code: String,
    silicon: u64,
    packed: u64,
    held: u64,
}

fn windows() -> Vec<Window> {
    toml::from_str::<Windows>(include_str!("windows.toml")).unwrap().window
}

/// An instruction with stall count 1, and the cycles for which it keeps the input of its unit. On a card
/// whose FP32 unit is as wide as a warp, that takes one every cycle.
fn operation(text: &str, wide: bool) -> (Operation, u32) {
    let (opcode, operands) = text.split_once(' ').unwrap_or((text, ""));
    let (unit, initiation) = match opcode {
        "NOP" => (Unit::Branch, 1),
        "CS2R.32" | "IADD3" | "MOV" => (Unit::Int, 2),
        "FADD" | "FFMA" if wide => (Unit::Fp32, 1),
        "FADD" | "FFMA" => (Unit::Fp32, 2),
        _ => panic!("{opcode}"),
    };
    let mut operation = Operation { stall: 1, counters: [NO_COUNTER; 2], ..Operation::default() };
    operation.instruction.unit = unit as u8;
    for (operand, text) in operands.split(", ").skip(1).enumerate() {
        let (register, flag) = text.strip_suffix(".reuse").map_or((text, 0), |register| (register, 1));
        operation.reuse |= flag << operand;
        if let Ok(number) = register[1..].parse() {
            let source = READ_BANKS * operand + bank_of(RegisterId(number));
            operation.instruction.sources.valid |= 1 << source;
            operation.instruction.sources.registers[source] = number;
        }
    }
    (operation, initiation)
}

/// Cycles between two clocks around this code.
fn cycles(code: &str, wide: bool, parameters: &Parameters) -> u64 {
    let clock = "CS2R.32 R11";
    let texts = [clock].into_iter().chain(code.split("; ")).chain([clock]);
    let operations: Vec<(Operation, u32)> = texts.map(|text| operation(text, wide)).collect();
    let mut model = ModernSubCore::<u32>::new(parameters);
    let (mut next, mut clocks) = (0, vec![]);
    let mut busy = [0u32; 8];
    for cycle in 0..60 {
        let mut told = Told::default();
        told.unit_ready = (0..8).fold(0, |ready, unit| ready | u32::from(busy[unit] == 0) << unit);
        if let Some((operation, _)) = operations.get(next) {
            (told.present, told.heads[0]) = (1, *operation);
            told.heads[0].instruction.payload = next as u32;
        }
        let mut shown = Shown::default();
        model.cycle(&told, &mut shown);
        if !shown.held {
            busy.iter_mut().for_each(|busy| *busy = busy.saturating_sub(1));
        }
        if shown.controlled().is_some_and(|number| number == 0 || number as usize + 1 == operations.len()) {
            clocks.push(cycle);
        }
        if shown.issued.is_some() {
            let (operation, initiation) = &operations[next];
            busy[usize::from(operation.instruction.unit)] = initiation - 1;
            next += 1;
        }
    }
    assert_eq!(clocks.len(), 2, "{code}");
    clocks[1] - clocks[0]
}

/// Under a rule, of every window: what silicon takes, what the model takes, and what it should.
fn run(read_rule: ReadRule, expected: fn(&Window) -> u64) -> Vec<(u64, u64, u64)> {
    let parameters = Parameters { read_rule, ..Parameters::default() };
    let run = |window: &Window| {
        (window.silicon, cycles(&window.code, window.card == "A6000", &parameters), expected(window))
    };
    windows().iter().map(run).collect()
}

#[test]
fn each_rule_explains_as_many_windows_as_it_is_known_to() {
    for (rule, expected, explained) in [
        (ReadRule::Packed, (|window| window.packed) as fn(&Window) -> u64, 17),
        (ReadRule::Held, |window| window.held, 26),
    ] {
        let windows = run(rule, expected);
        let wrong: Vec<_> = windows.iter().filter(|(_, model, expected)| model != expected).collect();
        assert!(wrong.is_empty(), "{rule:?}: (silicon, model, expected) {wrong:?}");
        assert_eq!(windows.iter().filter(|(silicon, model, _)| silicon == model).count(), explained);
    }
}

/// Each property of the reuse cache is pinned by a window of its own: a model without it fails one at least.
#[test]
fn windows_tell_a_machine_without_a_reuse_cache_or_with_another_port() {
    use gpurf_blocks::ReuseEntries;
    let explained = |parameters: Parameters| {
        let same =
            |window: &&Window| cycles(&window.code, window.card == "A6000", &parameters) == window.silicon;
        windows().iter().filter(same).count()
    };
    let held = Parameters { read_rule: ReadRule::Held, ..Parameters::default() };
    assert_eq!(explained(held), 26);
    assert!(explained(Parameters { reuse_cache: ReuseEntries::Off, ..held }) < 26);
    assert!(explained(Parameters { read_ports: 2, ..held }) < 26);
    assert!(explained(Parameters { read_window: 4, ..held }) <= 26);
}

// SPDX-License-Identifier: Apache-2.0
//! Windows of real silicon in the model, under both rules of the read allocator.

use gpurf_blocks::{Parameters, ReadRule, Row, WarpId};
use gpurf_sim::modern::{ModernSubCore, Operation, Path, Shown};
use gpurf_trace::{Control, RegisterId, Unit};
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

/// An instruction with stall count 1. On a card whose FP32 unit is as wide as a warp, that takes one every
/// cycle.
fn operation(text: &str, wide: bool) -> Operation {
    let (opcode, operands) = text.split_once(' ').unwrap_or((text, ""));
    let (unit, initiation) = match opcode {
        "NOP" => (Unit::Branch, 1),
        "CS2R.32" | "IADD3" | "MOV" => (Unit::Int, 2),
        "FADD" | "FFMA" if wide => (Unit::Fp32, 1),
        "FADD" | "FFMA" => (Unit::Fp32, 2),
        _ => panic!("{opcode}"),
    };
    let mut flags = 0;
    let mut operation = Operation { unit: unit as u8, initiation, path: Path::Fixed, ..Operation::default() };
    for (slot, operand) in operands.split(", ").skip(1).enumerate() {
        let (register, flag) = operand.strip_suffix(".reuse").map_or((operand, 0), |register| (register, 1));
        flags |= flag << slot;
        if let Ok(number) = register[1..].parse() {
            let known = operation.registers[..usize::from(operation.count)].iter();
            let place = known.take_while(|known| **known != RegisterId(number)).count();
            operation.registers[place] = RegisterId(number);
            operation.slots[place] |= 1 << slot;
            operation.count = operation.count.max(place as u8 + 1);
        }
    }
    let nothing = Control::of_upper_half(7 << 46 | 7 << 49 | 1 << 45);
    operation.control = nothing.with_stall(1).with_reuse(flags);
    operation
}

/// Cycles between two clocks around this code.
fn cycles(code: &str, wide: bool, parameters: &Parameters) -> u64 {
    let clock = "CS2R.32 R11";
    let texts = [clock].into_iter().chain(code.split("; ")).chain([clock]);
    let operations: Vec<Operation> = texts.map(|text| operation(text, wide)).collect();
    let mut model = ModernSubCore::<u32>::new(parameters, true);
    let (mut next, mut clocks) = (0, vec![]);
    for cycle in 0..60 {
        if let Some(&operation) = operations.get(next) {
            model.present(Operation { warp: WarpId(0), base: Row(0), ..operation });
        }
        let mut shown = Shown::default();
        let present = u16::from(next < operations.len());
        model.cycle((present, 0), 0, next as u32, &mut shown);
        if shown.passes_control.is_some_and(|number| number == 0 || number as usize + 1 == operations.len()) {
            clocks.push(cycle);
        }
        next += usize::from(shown.issued.is_some());
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

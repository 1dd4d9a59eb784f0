// SPDX-License-Identifier: Apache-2.0
//! Windows of real silicon in the model, under both rules of the read allocator.

use gpurf_blocks::{Parameters, ReadRule, ReuseEntries};
use gpurf_sim::modern::{ClockedInstruction, Silicon, SiliconWindow};

/// How many windows take as long in this machine as on silicon.
fn explained(parameters: Parameters) -> usize {
    let silicon = Silicon::built_in();
    let same = |window: &&SiliconWindow| silicon.cycles(window, &parameters) == window.silicon;
    silicon.windows.iter().filter(same).count()
}

#[test]
fn each_rule_explains_as_many_windows_as_it_is_known_to() {
    let silicon = Silicon::built_in();
    for (read_rule, expected, of_all) in [
        (ReadRule::Packed, (|window| window.packed) as fn(&SiliconWindow) -> Option<u64>, 17),
        (ReadRule::Held, |window| window.held, 26),
    ] {
        let parameters = Parameters { read_rule, ..Parameters::default() };
        for window in &silicon.windows {
            let cycles = silicon.cycles(window, &parameters);
            assert_eq!(Some(cycles), expected(window), "{read_rule:?}: {}", window.code);
        }
        assert_eq!(explained(parameters), of_all);
    }
}

/// Each property of the reuse cache is pinned by a window of its own: a model without it fails one at least.
#[test]
fn windows_tell_a_machine_without_a_reuse_cache_or_with_another_port() {
    let held = Parameters { read_rule: ReadRule::Held, ..Parameters::default() };
    assert_eq!(explained(held), 26);
    assert!(explained(Parameters { reuse_cache: ReuseEntries::Off, ..held }) < 26);
    assert!(explained(Parameters { read_ports: 2, ..held }) < 26);
}

#[test]
fn what_cannot_be_a_window_is_refused() {
    for (text, says) in [
        ("FMUL R1, R2, R3", "write one of NOP, MOV, IADD3, FADD, FFMA, CS2R.32"),
        ("FADD R8, R9", "write 3 operands"),
        ("FADD R8, R9, R32", "write R0 to R31, or RZ"),
        ("FADD R8.reuse, R9, R10", "a result is not reused"),
        ("FADD R8,R9,R10", "with `, ` between them"),
    ] {
        let refused = ClockedInstruction::parse(text).expect_err(text);
        assert!(refused.contains(says), "{refused}");
    }
    let window = "[[window]]\ncard = 'X'\ncode = 'NOP'\nsilicon = 2\n";
    for (text, says) in [
        (format!("cards = {{}}\n{window}"), "add a table `[cards.\"X\"]`"),
        (format!("{window}[cards.X]\nfp32_initiation = 0\n"), "must lie between 1 and 4"),
        (format!("{window}[cards.X]\nfp32_initiation = 1\n").replace("NOP", "NOPE"), "`NOPE`"),
        (
            format!("{window}[cards.X]\nfp32_initiation = 1\n").replace("NOP", &["NOP"; 13].join("; ")),
            "12 at most",
        ),
    ] {
        let refused = Silicon::parse(&text).expect_err(&text);
        assert!(refused.contains(says), "{refused}");
    }
}

// SPDX-License-Identifier: Apache-2.0
//! The behaviour of RFC-sim, rule by rule. Masks are whole unless the rule is about them.

use gpurf_sim::register_traffic::{Configuration, Rules};

use super::streams::{configuration, kernel, kernel_from, paper, report, rfc_sim};

const FULL: &str = "rc_ways=8";
const TWO: &str = "rc_ways=2";

#[test]
fn values_left_dirty_at_the_end_are_never_written_back() {
    let traffic = rfc_sim(&["ffffffff MOV R1", "ffffffff MOV R2"], FULL);
    assert_eq!((traffic.writes, traffic.register_file_writes, traffic.dropped), (64, 0, 64));
}

/// R1 is replaced by eight others.
const REPLACED: [&str; 8] = [
    "ffffffff MOV R2",
    "ffffffff MOV R3",
    "ffffffff MOV R4",
    "ffffffff MOV R5",
    "ffffffff MOV R6",
    "ffffffff MOV R7",
    "ffffffff MOV R8",
    "ffffffff MOV R9",
];

#[test]
fn a_read_hit_clears_the_dirty_bit() {
    let with = |read: &[&'static str]| [&["ffffffff MOV R1"], read, &REPLACED].concat();
    let read = ["ffffffff MOV R2 R1"];
    assert_eq!(rfc_sim(&with(&[]), FULL).register_file_writes, 32);
    assert_eq!(rfc_sim(&with(&read), FULL).register_file_writes, 0);
    assert_eq!(paper(&with(&read), FULL).register_file_writes, 32);
}

#[test]
fn a_source_is_sought_in_the_set_of_its_position_and_a_result_in_that_of_its_number() {
    // R1 is in set 1 of four: the first and third read of it are at position 0, the second at position 1.
    let lines = ["ffffffff MOV R1", "ffffffff MOV - R1", "ffffffff IADD3 - R255 R1", "ffffffff MOV - R1"];
    let sought = |settings| rfc_sim(&lines, settings).read_hits / 32;
    assert_eq!((sought(FULL), sought(TWO)), (3, 1));
    // Linear: R64 is in set 1, R1 in set 0.
    let linear = "rc_ways=2 rc_mapping=linear";
    let hit = |register: &str, place: &str| {
        let write = format!("ffffffff MOV {register}");
        let read = format!("ffffffff IADD3 - {}", place.replace('x', register));
        rfc_sim(&[&write, &read], linear).read_hits / 32
    };
    assert_eq!((hit("R1", "x"), hit("R64", "x"), hit("R64", "R2 x"), hit("R64", "R2 R3 x")), (1, 0, 1, 0));
    assert_eq!((hit("R128", "R2 R3 x"), hit("R254", "R2 R3 R4 x")), (1, 1));
    // A position beyond the sets starts again.
    assert_eq!((hit("R1", "R2 R3 R4 R5 x"), hit("R1", "R2 R3 R4 x")), (1, 0));
}

#[test]
fn rz_and_repetitions_count() {
    let traffic = rfc_sim(&["ffffffff IADD3 R255 R255 R3 R3"], FULL);
    assert_eq!((traffic.reads, traffic.writes), (96, 32));
    let traffic = paper(&["ffffffff IADD3 R255 R255 R3 R3"], FULL);
    assert_eq!((traffic.reads, traffic.writes), (32, 0));
    // RZ is a register: written, it is found.
    assert_eq!(rfc_sim(&["ffffffff MOV R255", "ffffffff MOV - R255"], FULL).read_hits, 32);
}

#[test]
fn an_access_of_a_wide_bank_serves_four_lanes() {
    let lines = ["ffffffff MOV R1", "80000013 MOV - R1"];
    let wide = rfc_sim(&lines, "rc_bank_lanes=4");
    assert_eq!((wide.cache_writes, wide.cache_reads, wide.read_hits), (8, 3, 4));
    let narrow = rfc_sim(&lines, "rc_bank_lanes=1");
    assert_eq!((narrow.cache_writes, narrow.cache_reads, narrow.read_hits), (32, 4, 4));
}

#[test]
fn threads_cache_for_themselves_and_lanes_outside_the_mask_are_untouched() {
    let traffic = rfc_sim(&["0000ffff MOV R1", "ffffffff MOV - R1"], FULL);
    assert_eq!((traffic.read_hits, traffic.register_file_reads), (16, 16));
    assert_eq!((traffic.cache_writes, traffic.cache_reads), (4, 4));
    // Lanes that did not write keep what they had.
    let mut lines = vec!["ffffffff MOV R1"];
    let half: Vec<String> = (2..10).map(|number| format!("ffff0000 MOV R{number}")).collect();
    lines.extend(half.iter().map(String::as_str));
    lines.push("ffffffff MOV - R1");
    let traffic = rfc_sim(&lines, FULL);
    assert_eq!((traffic.read_hits, traffic.register_file_writes), (16, 16));
    // An instruction without lanes does nothing.
    assert_eq!(rfc_sim(&["00000000 MOV R1 R2"], FULL).reads, 0);
}

#[test]
fn caches_go_by_warp_modulo_32_and_outlive_warps_blocks_and_kernels() {
    let write: &[&str] = &["ffffffff MOV R1"];
    let read: &[&str] = &["ffffffff MOV - R1"];
    let hits = |kernels, rules| report(kernels, configuration(FULL), rules, "").traffic[0].read_hits / 32;
    let same_block = || vec![kernel(&[(0, write), (1, read), (32, read)])];
    let next_kernel = || vec![kernel(&[(5, write)]), kernel(&[(5, read), (6, read)])];
    assert_eq!((hits(same_block(), Rules::RFC_SIM), hits(next_kernel(), Rules::RFC_SIM)), (1, 1));
    assert_eq!((hits(same_block(), Rules::PAPER), hits(next_kernel(), Rules::PAPER)), (0, 0));
    // The values found are another warp's.
    assert_eq!(report(next_kernel(), configuration(FULL), Rules::RFC_SIM, "").traffic[0].stale_hits, 32);
}

#[test]
fn look_ups_see_the_state_before_the_instruction() {
    // R1 is not there when it is read, and not when the result is looked up, though it is taken in before
    // that.
    let flags = "k 0000 0";
    let settings = "rc_allocation=compiler_aided";
    let traffic = |rules| {
        let kernels = vec![kernel(&[(0, &["ffffffff IADD3 R1 R1"])])];
        report(kernels, configuration(settings), rules, flags).traffic[0]
    };
    assert_eq!(traffic(Rules::RFC_SIM).write_hits, 0);
    assert_eq!(traffic(Rules::PAPER).write_hits, 32);
}

#[test]
fn matrix_products_of_any_shape_have_the_fragments_of_one() {
    for opcode in ["HMMA.1688.F32", "HMMA.16816.F32", "HMMA.1688.F16"] {
        let traffic = rfc_sim(&[&format!("ffffffff {opcode} R8 R4 R12 R8")], FULL);
        assert_eq!((traffic.reads / 32, traffic.writes / 32), (7, 4), "{opcode}");
    }
    for opcode in ["IMMA.8816.S8.S8", "IMMA.16832.S8.S8"] {
        let traffic = rfc_sim(&[&format!("ffffffff {opcode} R8 R4 R12 R8")], FULL);
        assert_eq!((traffic.reads / 32, traffic.writes / 32), (4, 2), "{opcode}");
    }
    // A, B and C are at positions 0, 1 and 2, both registers of A at 0. R5 is in set 1 and not found there.
    let two = |first: &str| rfc_sim(&[first, "ffffffff HMMA.1688.F32 R20 R4 R13 R18"], TWO).read_hits / 32;
    assert_eq!(
        ["MOV R4", "MOV R5", "MOV R13", "MOV R18", "MOV R19"].map(|first| two(&format!("ffffffff {first}"))),
        [1, 0, 1, 1, 0]
    );
}

#[test]
fn rz_as_a_fragment_reaches_beyond_the_registers_and_hits_a_free_way() {
    // C is R255 to R258, and a free way has the tag 256.
    let product = "ffffffff HMMA.1688.F32 R8 R4 R12 R255";
    assert_eq!(rfc_sim(&[product], FULL).read_hits / 32, 1);
    let mut lines = vec!["ffffffff MOV R1"];
    lines.extend(REPLACED);
    lines.push(product);
    assert_eq!(rfc_sim(&lines, FULL).read_hits / 32, 2, "R4 and R5: no way is free");
    assert_eq!(paper(&[product], FULL).reads / 32, 3);
}

#[test]
fn other_operands_are_one_register() {
    for (line, named, full) in [
        ("LDG.E.128 R4 R8", (1, 1), (2, 4)),
        ("IMAD.WIDE R4 R0 R7 R2", (3, 1), (4, 2)),
        ("STG.E.64 - R2 R12", (2, 0), (4, 0)),
        ("DFMA R2 R4 R6 R8", (3, 1), (6, 2)),
    ] {
        let line = format!("ffffffff {line}");
        let counts =
            |traffic: gpurf_sim::register_traffic::Traffic| (traffic.reads / 32, traffic.writes / 32);
        assert_eq!((counts(rfc_sim(&[&line], FULL)), counts(paper(&[&line], FULL))), (named, full), "{line}");
    }
}

#[test]
fn a_flagged_source_is_taken_in_clean() {
    let settings = "rc_allocation=compiler_aided";
    let lines: &[&str] = &["ffffffff IADD3 - R1 R2", "ffffffff IADD3 - R1 R2"];
    let with = |flags: &str, settings: &str| {
        report(vec![kernel(&[(0, lines)])], configuration(settings), Rules::RFC_SIM, flags).traffic[0]
    };
    let flagged = with("k 0 1", settings);
    assert_eq!((flagged.read_hits, flagged.cache_writes, flagged.register_file_reads), (32, 8, 96));
    assert_eq!((flagged.register_file_writes, flagged.dropped), (0, 0));
    // Without flags, compiler-aided is write-allocate; under write-allocate flags mean nothing.
    assert_eq!(with("k 10 1", settings), with("k 10 1", "rc_allocation=write"));
    assert_eq!(with("k 0 1", "rc_allocation=write").read_hits, 0);
}

#[test]
fn a_dirty_victim_of_a_fill_is_written_back() {
    let mut lines = vec!["ffffffff MOV R1"];
    lines.extend(REPLACED.iter().take(7));
    lines.push("ffffffff MOV - R20");
    let kernels = vec![kernel(&[(0, &lines)])];
    let settings = configuration("rc_allocation=compiler_aided");
    assert_eq!(report(kernels, settings, Rules::RFC_SIM, "k 80 0").traffic[0].register_file_writes, 32);
}

#[test]
fn write_through_writes_hits_and_keeps_misses() {
    let through = "rc_write=through";
    let lines = ["ffffffff MOV R1", "ffffffff MOV R1"];
    let traffic = rfc_sim(&lines, through);
    assert_eq!((traffic.register_file_writes, traffic.dropped), (32, 0));
    assert_eq!(paper(&lines, through).register_file_writes, 64);
    // What a miss leaves dirty is written when it is replaced.
    let lines = [&["ffffffff MOV R1"], &REPLACED[..]].concat();
    let traffic = rfc_sim(&lines, through);
    assert_eq!((traffic.register_file_writes, traffic.dropped), (32, 256));
}

#[test]
fn reads_renew_under_lru_and_writes_always() {
    // Seven others come, R1 is touched, two more come: what was touched stays.
    let after = |touch: &'static str| -> Vec<&'static str> {
        let others =
            [&REPLACED[..7], &[touch], &["ffffffff MOV R20", "ffffffff MOV R21", "ffffffff MOV - R1"]]
                .concat();
        [&["ffffffff MOV R1"], &others[..]].concat()
    };
    let found = |touch, settings: &str, rules: Rules| {
        let kernels = vec![kernel(&[(0, &after(touch))])];
        let hits = report(kernels, configuration(settings), rules, "").traffic[0].read_hits / 32;
        hits > u64::from(touch == READ)
    };
    const READ: &str = "ffffffff MOV - R1";
    const WRITE: &str = "ffffffff MOV R1";
    assert!(!found(READ, "rc_replacement=fifo", Rules::RFC_SIM));
    assert!(found(READ, "rc_replacement=lru", Rules::RFC_SIM));
    assert!(found(WRITE, "rc_replacement=fifo", Rules::RFC_SIM), "a write hit renews");
    assert!(found(WRITE, "rc_replacement=lru", Rules::RFC_SIM));
    assert!(!found(WRITE, "rc_replacement=fifo", Rules::PAPER), "C's FIFO is one");
    assert!(
        found(READ, "rc_replacement=lru", Rules::PAPER) && found(WRITE, "rc_replacement=lru", Rules::PAPER)
    );
}

#[test]
fn look_ahead_takes_in_what_is_named_soon() {
    let ahead = |window| Configuration { look_ahead: Some(window), ..configuration(FULL) };
    let lines: &[&str] = &["ffffffff MOV R1", "ffffffff MOV - R9", "ffffffff MOV - R1"];
    for rules in [Rules::RFC_SIM, Rules::PAPER] {
        let traffic = |window| report(vec![kernel(&[(0, lines)])], ahead(window), rules, "").traffic[0];
        assert_eq!((traffic(1).read_hits, traffic(1).register_file_writes), (0, 32));
        assert_eq!((traffic(2).read_hits, traffic(2).register_file_writes), (32, 0));
    }
}

#[test]
fn at_the_end_of_a_kernel_only_the_first_cache_sees_its_last_instructions() {
    let ahead = Configuration { look_ahead: Some(2), ..configuration(FULL) };
    let lines: &[&str] = &["ffffffff MOV - R1", "ffffffff MOV - R2", "ffffffff MOV - R3"];
    let kernels = |count: usize| (0..count).map(|_| kernel(&[(0, lines), (1, lines)])).collect();
    let traffic = |kernels| report(kernels, ahead, Rules::RFC_SIM, "").traffic[0].instructions;
    assert_eq!((traffic(kernels(1)), traffic(kernels(2))), (3 + 1, 6 + 4));
}

#[test]
fn old_traces_and_far_program_counters_are_passed_over() {
    let lines: &[(u32, &[&str])] = &[(0, &["ffffffff MOV R1 R2"])];
    let reads = |first_pc, version, rules| {
        report(vec![kernel_from(first_pc, version, lines)], configuration(FULL), rules, "").traffic[0].reads
    };
    assert_eq!(
        (reads(0, 3, Rules::RFC_SIM), reads(0, 2, Rules::RFC_SIM), reads(0, 2, Rules::PAPER)),
        (32, 0, 32)
    );
    assert_eq!((reads(0xfff0, 5, Rules::RFC_SIM), reads(0x10000, 5, Rules::RFC_SIM)), (32, 0));
    assert_eq!(reads(0x10000, 5, Rules::PAPER), 32);
}

#[test]
fn where_rfc_sim_would_end_is_said_and_counting_goes_on() {
    let notes = |line: &str, rules| {
        let traffic = report(vec![kernel(&[(0, &[line])])], configuration(FULL), rules, "");
        (traffic.traffic[0].reads / 32, traffic.traffic[0].writes / 32, traffic.notes.join("; "))
    };
    for (line, reads, writes, said) in [
        ("ffffffff VIADD R1 R2", 1, 1, "1 place: its table has no opcode VIADD"),
        ("ffffffff R2UR UR4 R2", 1, 0, "uniform destination of R2UR"),
        ("ffffffff HMMA.1688.F32 R8 R4 R12", 2, 1, "three source registers of HMMA"),
        ("ffffffff HMMA.1688.F32 R254 R4 R12 R8", 7, 4, "a destination of HMMA beyond R255"),
    ] {
        let found = notes(line, Rules::RFC_SIM);
        assert_eq!((found.0, found.1), (reads, writes), "{line}");
        assert!(found.2.contains(said), "{line}: {}", found.2);
        assert_eq!(notes(line, Rules::PAPER).2, "");
    }
    assert_eq!(notes("ffffffff IADD3 R1 UR4 R2", Rules::RFC_SIM), (1, 1, String::new()));
}

#[test]
fn uniform_registers_take_no_position() {
    let hits = |read: &str| rfc_sim(&["ffffffff MOV R1", read], TWO).read_hits / 32;
    assert_eq!((hits("ffffffff IADD3 - UR4 R3 R1"), hits("ffffffff IADD3 - UR4 R1")), (1, 0));
}

// SPDX-License-Identifier: Apache-2.0
//! The rules that C describes, on small streams, and our decisions where it is silent.

use gpurf_sim::register_traffic::{Configuration, EnergyTable, Reach, Rules, Study};

use super::streams::{configured, kernel, paper, report, workload};

#[test]
fn read_and_write_allocation_take_in_their_own() {
    let lines = ["ffffffff IADD3 R1 R2", "ffffffff IADD3 - R1 R2"];
    let hits = |allocation: &str| paper(&lines, &format!("rc_allocation={allocation}")).read_hits / 32;
    assert_eq!(["read", "write", "read_write", "compiler_aided"].map(hits), [1, 1, 2, 1]);
    // The read hit under read-allocate is that of R2; what is not taken in is written to the register file.
    let traffic = paper(&lines, "rc_allocation=read");
    assert_eq!((traffic.register_file_writes, traffic.dropped), (32, 0));
}

#[test]
fn under_fifo_the_entry_taken_in_first_leaves_whatever_was_hit() {
    let lines: Vec<String> = (1..9).map(|number| format!("ffffffff MOV R{number}")).collect();
    let mut lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    lines.extend(["ffffffff MOV R1", "ffffffff MOV R20", "ffffffff MOV - R1"]);
    assert_eq!(paper(&lines, "").read_hits, 0);
    assert_eq!(paper(&lines, "rc_replacement=lru").read_hits, 32);
}

#[test]
fn entries_that_an_instruction_uses_keep_their_order() {
    // R1 is older than R2; an instruction reads R2, then R1; two results come into a cache of four.
    let lines = [
        "ffffffff MOV R1",
        "ffffffff MOV R2",
        "ffffffff MOV R3",
        "ffffffff MOV R4",
        "ffffffff IADD3 - R2 R1",
        "ffffffff MOV R5",
        "ffffffff MOV R6",
        "ffffffff MOV R7",
    ];
    let settings = "rc_entries=4 rc_ways=4 rc_replacement=lru";
    let found = |register: &str| {
        let read = format!("ffffffff MOV - {register}");
        paper(&[&lines[..], &[&read]].concat(), settings).read_hits / 32 - 2
    };
    assert_eq!(["R1", "R2", "R3", "R4"].map(found), [0, 1, 0, 0]);
}

#[test]
fn reach_decides_what_is_found_and_what_is_stale() {
    // R2's results go to set 2 of four, and it is read at positions 0 and 2.
    let lines: &[&str] = &["ffffffff MOV R2", "ffffffff MOV - R2", "ffffffff IADD3 - R8 R9 R2"];
    let traffic = |reach| {
        let configuration = configured("rc_ways=2", reach).expect("good settings");
        report(vec![kernel(&[(0, lines)])], configuration, Rules::PAPER, "").traffic[0]
    };
    let (set, cache) = (traffic(Reach::Set), traffic(Reach::Cache));
    assert_eq!(
        (set.read_hits, set.stale_misses),
        (32, 32),
        "position 0 reads the register file, which is behind"
    );
    assert_eq!((cache.read_hits, cache.stale_misses), (64, 0));
    // A copy taken in at position 0 does not learn of the next write.
    let lines: &[&str] = &["ffffffff MOV - R2", "ffffffff MOV R2", "ffffffff MOV - R2"];
    let traffic = |reach| {
        let configuration = configured("rc_ways=2 rc_allocation=read_write", reach).expect("good settings");
        report(vec![kernel(&[(0, lines)])], configuration, Rules::PAPER, "").traffic[0]
    };
    assert_eq!((traffic(Reach::Set).read_hits, traffic(Reach::Set).stale_hits), (32, 32));
    assert_eq!((traffic(Reach::Cache).read_hits, traffic(Reach::Cache).stale_hits), (32, 0));
}

#[test]
fn a_register_beyond_the_first_of_an_operand_has_the_operands_position_and_flag() {
    let lines: &[&str] = &["ffffffff HMMA.1688.F32 R20 R4 R12 R16", "ffffffff DADD - R4 R12"];
    let settings = "rc_ways=2 rc_allocation=compiler_aided";
    let configuration = configured(settings, Reach::Set).expect("good settings");
    let traffic = report(vec![kernel(&[(0, lines)])], configuration, Rules::PAPER, "k 0 0 1").traffic[0];
    assert_eq!(traffic.read_hits / 32, 2, "R5 in set 0, where R20 replaced R4, and R12 in set 1");
}

#[test]
fn tags_for_the_warp_keep_a_valid_bit_for_each_lane() {
    let lines: &[&str] = &["0000ffff MOV R1", "ffffffff MOV - R1", "ffffffff MOV R1", "ffffffff MOV - R1"];
    let traffic = paper(lines, "rc_tag_lanes=32");
    assert_eq!((traffic.read_hits, traffic.write_hits), (16 + 32, 16));
    // A result of some lanes makes room for a whole entry: all of the victim's lanes are written back.
    let mut lines: Vec<String> = (1..9).map(|number| format!("ffffffff MOV R{number}")).collect();
    lines.push("00000001 MOV R20".into());
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    assert_eq!(paper(&lines, "rc_tag_lanes=32").register_file_writes, 32);
    assert_eq!(paper(&lines, "rc_tag_lanes=1").register_file_writes, 1);
}

#[test]
fn energy_is_table_iii_times_the_counts() {
    let lines = ["ffffffff MOV R1", "ffffffff MOV - R1"];
    let configurations =
        Configuration::combinations(&["rc_ways=2,4,8".into()], Reach::Set, None).expect("good");
    let energies = configurations.iter().map(|configuration| {
        let study = Study { configurations: vec![*configuration], rules: Rules::PAPER, flags: None };
        let traffic = study.run(&workload(vec![kernel(&[(0, &lines)])])).expect("it runs").traffic[0];
        let energy = EnergyTable::default().of(configuration, &Rules::PAPER, &traffic).expect("in Table III");
        (energy, traffic)
    });
    for ((energy, traffic), [read, write]) in
        energies.zip([[23.4685, 24.2801], [35.3369, 36.7010], [43.2275, 44.0041]])
    {
        assert_eq!(energy.cache_writes, 8.0 * write);
        assert_eq!(energy.cache_reads, traffic.cache_reads as f64 * read);
        assert_eq!(energy.register_file_reads, traffic.register_file_reads as f64 * 16.3764);
        assert_eq!(energy.register_file_writes, 0.0);
        assert_eq!(energy.baseline, 32.0 * (16.3764 + 15.2452));
        let total = energy.cache_reads + energy.cache_writes + energy.register_file_reads;
        assert!((energy.total - total).abs() < 1e-9);
        assert!((energy.reduction_percent - 100.0 * (1.0 - total / energy.baseline)).abs() < 1e-9);
    }
    let other = &Configuration::combinations(&["rc_entries=16".into()], Reach::Set, None).expect("good")[0];
    assert_eq!(EnergyTable::default().of(other, &Rules::PAPER, &Default::default()), None);
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let lines: &[&str] = &["ffffffff IADD3 R1 R2", "000000ff IADD3 R3 R1 R2", "ffffffff IADD3 R4 R1 R3"];
    let kernels: Vec<_> = (0..40).map(|number| kernel(&[(number % 8, lines), (9, &lines[..2])])).collect();
    let workload = workload(kernels);
    for rules in [Rules::PAPER, Rules::RFC_SIM] {
        let run = |threads| {
            let study = Study { configurations: Configuration::table_vi(Reach::Set), rules, flags: None };
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            pool.install(|| study.run(&workload)).expect("it runs")
        };
        assert_eq!(run(1), run(3));
    }
}

#[test]
fn settings_that_cannot_be_are_refused_with_the_reason() {
    for (settings, reason) in [
        ("rc_ways=3", "rc_ways=3 is not possible"),
        ("rc_ways=8 rc_entries=4", "rc_ways=8 is more than rc_entries=4"),
        ("slots=3", "no parameter of a register cache"),
        ("rc_ways", "is no setting"),
        ("rc_size=3", "no hardware parameter is called `rc_size`"),
    ] {
        let error = configured(settings, Reach::Set).expect_err(settings).to_string();
        assert!(error.contains(reason), "{settings}: {error}");
    }
}

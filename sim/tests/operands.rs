// SPDX-License-Identifier: Apache-2.0
//! Operands as a trace names them (`operands = named`), beside all registers that instructions read and
//! write.

use gpurf_sim::config::Config;
use gpurf_sim::sm::Design;
use gpurf_sim::statistics::{Counters, Statistics};

use crate::compositions::{designs, workload, SMALL};
use crate::sound::run;
use crate::streams::{header, kernel, Line, ALL, EXIT};

fn config(settings: &[&str]) -> Config {
    let settings: Vec<String> = settings.iter().map(|setting| setting.to_string()).collect();
    Config::load(None, &settings).expect("possible constants")
}

/// The counts of one warp that executes these lines.
fn counters(lines: &[Line], operands: &str, design: Design) -> Counters {
    let warp = [lines, &[EXIT]].concat();
    let config = config(&[operands, "sthld=0"]);
    let counted = |every_cycle| run(&kernel(header(32), &[vec![warp.clone()]]), design, &config, every_cycle);
    let Statistics { summary, .. } = counted(false);
    assert_eq!(summary, counted(true).summary);
    summary.counters
}

/// Operands read, those that hit, and registers read from banks and written into them.
fn traffic(lines: &[Line], operands: &str, design: Design) -> [u64; 4] {
    let Counters { operand_reads, hits, bank_reads, bank_writes, .. } = counters(lines, operands, design);
    [operand_reads, hits, bank_reads, bank_writes]
}

const REGISTERS: &str = "operands=registers";
const NAMED: &str = "operands=named";

#[test]
fn a_register_named_twice_is_read_twice() {
    let lines = [("FADD", Some(1), &[2, 2][..], ALL, &[][..])];
    assert_eq!(traffic(&lines, REGISTERS, Design::BASELINE), [1, 0, 1, 1]);
    assert_eq!(traffic(&lines, NAMED, Design::BASELINE), [2, 0, 2, 1]);
    // A collector that caches asks for it once.
    assert_eq!(traffic(&lines, REGISTERS, Design::MALEKEH), [1, 0, 1, 1]);
    assert_eq!(traffic(&lines, NAMED, Design::MALEKEH), [2, 1, 1, 1]);
    assert_eq!(traffic(&lines, NAMED, Design::BOW), [2, 1, 1, 1]);
}

#[test]
fn the_zero_register_is_read_from_banks_and_cached() {
    let lines = [("IADD3", Some(1), &[2, 3, 255][..], ALL, &[][..]), ("FADD", Some(4), &[5, 255], ALL, &[])];
    assert_eq!(traffic(&lines, REGISTERS, Design::BASELINE), [3, 0, 3, 2]);
    assert_eq!(traffic(&lines, NAMED, Design::BASELINE), [5, 0, 5, 2]);
    assert_eq!(traffic(&lines, NAMED, Design::MALEKEH), [5, 1, 4, 2], "the second one hits");
}

#[test]
fn a_wide_operand_is_one_register() {
    let lines = [("DADD", Some(4), &[6, 8][..], ALL, &[][..])];
    assert_eq!(traffic(&lines, REGISTERS, Design::BASELINE), [4, 0, 4, 2]);
    assert_eq!(traffic(&lines, NAMED, Design::BASELINE), [2, 0, 2, 1]);
}

#[test]
fn a_matrix_instruction_fits_into_six_slots() {
    let matrix =
        kernel(header(32), &[vec![vec![("HMMA.1688.F32", Some(4), &[8, 10, 4][..], ALL, &[][..]), EXIT]]]);
    let config = config(&[NAMED, "slots=6"]);
    let counters = run(&matrix, Design::BASELINE, &config, false).summary.counters;
    assert_eq!((counters.operand_reads, counters.bank_writes), (6, 2));
}

#[test]
fn values_that_were_written_are_checked() {
    // R4 is the first register of what the load brings, and RZ is written as a register.
    let lines = [
        ("LDG.E.128", Some(4), &[2][..], 1, &[4096][..]),
        ("IADD3", Some(255), &[4, 4, 2], ALL, &[]),
        ("FADD", Some(6), &[255, 4], ALL, &[]),
    ];
    let checked = |operands| counters(&lines, operands, Design::MALEKEH).token_checks;
    assert_eq!((checked(REGISTERS), checked(NAMED)), (2, 4));
}

/// Every design runs, with every value as it should be.
#[test]
fn every_design_is_sound_with_named_operands() {
    let config = config(&[&SMALL[..], &[NAMED]].concat());
    for (number, design) in designs().into_iter().enumerate() {
        let counters = run(&workload(number as u64), design, &config, false).summary.counters;
        assert!(counters.token_checks > 0, "{design}");
    }
}

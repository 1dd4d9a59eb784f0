// SPDX-License-Identifier: Apache-2.0
//! Contracts proved, and refuted where the hardware is broken on purpose.

use gpurf_blocks::Parameters;
use gpurf_hw::cells::RoundRobin;
use gpurf_hw::finereg::{Pcrf, RegisterIndexDecoder};
use gpurf_hw::issue::{CollectorAllocator, WarpScheduler};
use gpurf_hw::register_file::RequestQueue;
use gpurf_synth::{prove_contract, Holds};
use gpurf_verilog::tools::Tool;
use gpurf_verilog::{emit, Hierarchy};

const SECONDS: u64 = 30;

pub fn is_missing() -> bool {
    let missing = Tool::Yosys.find().is_err();
    if missing {
        gpurf_fixtures::skipped("there is no Yosys");
    }
    missing
}

/// The Verilog with one line changed.
fn broken(hierarchy: &Hierarchy, line: &str, by: &str) -> Hierarchy {
    let mut broken = hierarchy.clone();
    let top = broken.modules.last_mut().unwrap();
    assert_eq!(top.code.matches(line).count(), 1, "{line} in {}", top.code);
    top.code = top.code.replace(line, by);
    broken
}

/// All rules hold; with each line changed, the rule beside it is broken.
fn check(hierarchy: &Hierarchy, changes: &[(&str, &str, &str)]) {
    for proof in prove_contract(hierarchy, SECONDS, None).unwrap() {
        assert_eq!(proof.holds, Holds::Always, "{}: {}", hierarchy.top, proof.rule);
    }
    for (line, by, rule) in changes {
        let proofs = prove_contract(&broken(hierarchy, line, by), SECONDS, None).unwrap();
        let proof = proofs.iter().find(|proof| proof.rule.contains(rule)).expect("a rule of the contract");
        assert!(matches!(proof.holds, Holds::Not { .. }), "{rule} with {by}: {:?}", proof.holds);
    }
}

#[test]
fn one_grant_and_only_what_was_asked_for() {
    if is_missing() {
        return;
    }
    let parameters = Parameters::default();
    let line = "grant[i] = (request[i] & !granted) & (!passed[i] | !fresh);";
    check(
        &emit(&RoundRobin::new(4)).unwrap(),
        &[
            (line, "grant[i] = request[i] & (!passed[i] | !fresh);", "have the grant"),
            (line, "grant[i] = !granted & (!passed[i] | !fresh);", "without a request"),
        ],
    );
    let allocator = emit(&CollectorAllocator::<1>::new(&parameters)).unwrap();
    check(
        &allocator,
        &[
            ("grant[c] = request & eligible[c];", "grant[c] = eligible[c];", "for nobody"),
            ("distance[t] < distance[c])", "distance[t] > 3)", "two collectors"),
        ],
    );
    check(&emit(&WarpScheduler::new(&parameters)).unwrap(), &[]);
}

#[test]
fn a_queue_has_no_gaps_and_a_decoder_shows_what_is_left() {
    if is_missing() {
        return;
    }
    let parameters = Parameters::default();
    check(&emit(&RequestQueue::<1>::new(&parameters)).unwrap(), &[]);
    check(&emit(&Pcrf::<32, 10>::new(&Parameters { width: 32, ..parameters })).unwrap(), &[]);
    check(
        &emit(&RegisterIndexDecoder::new(&parameters)).unwrap(),
        &[
            ("assign found = want & (|(wanted_half & wanted_bit));", "assign found = want;", "there is none"),
            ("index = wanted;", "index = wanted ^ 6'd1;", "is left"),
        ],
    );
}

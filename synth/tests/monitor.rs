//! Monitors proved, and refuted where the hardware is broken on purpose: no proof is empty.

use gpurf_blocks::Parameters;
use gpurf_hw::collector::Ccu;
use gpurf_hw::dialect::Monitor;
use gpurf_synth::{prove_monitor, Holds, Kind, Watched};
use gpurf_verilog::{emit, Hierarchy};

use crate::contract::is_missing;

const SECONDS: u64 = 60;

/// Proves the monitor of a module. Once a line of some module is changed, the proof must fail.
fn check(module: &str, hierarchy: &Hierarchy, parameters: &[(&str, usize)], changes: &[(&str, &str)]) {
    let watched = Watched::read(Monitor::of(module).expect("it has a monitor").text).unwrap();
    let prove =
        |hierarchy: &Hierarchy| prove_monitor(hierarchy, &watched, parameters, SECONDS, None).unwrap();
    let proofs = prove(hierarchy);
    let covers = watched.properties.iter().filter(|property| property.kind == Kind::Cover).count();
    let (rules, reached) = proofs.split_at(proofs.len() - covers);
    for proof in rules {
        assert_eq!(proof.holds, Holds::Always, "{}: {}", hierarchy.top, proof.rule);
    }
    for proof in reached {
        assert!(matches!(proof.holds, Holds::Reached { .. }), "{}: {}", hierarchy.top, proof.rule);
    }
    for (line, by) in changes {
        let mut broken = hierarchy.clone();
        let found: usize = broken.modules.iter().map(|module| module.code.matches(line).count()).sum();
        assert_eq!(found, 1, "{line}");
        for module in &mut broken.modules {
            module.code = module.code.replace(line, by);
        }
        let proof = &prove(&broken)[0];
        assert_ne!(proof.holds, Holds::Always, "{by}");
    }
}

#[test]
fn what_a_caching_collector_reads_was_written_last() {
    if is_missing() {
        return;
    }
    let parameters = Parameters { entries: 4, slots: 3, width: 32, ..Parameters::default() };
    let names = ["entries", "slots", "width", "banks", "d_ports"];
    let values: Vec<_> = names.map(|name| (name, parameters.number_of(name))).into();
    check(
        "ccu",
        &emit(&Ccu::<32, 2>::new(&parameters)).unwrap(),
        &values,
        &[
            ("if (kill[b] & (entry_tag[e*8 +: 8] == kill_register[b*8 +: 8])) killed[e] = 1'd1;", ""),
            ("(cache_table_lock[e] & !dispatch)", "1'd0"),
            ("((!owner | (warp != warp_held)) | flush)", "(!owner | flush)"),
        ],
    );
}

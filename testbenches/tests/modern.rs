// SPDX-License-Identifier: Apache-2.0
//! The sub-core that ships: windows of real silicon under both rules of the read allocator, in model, RTL and
//! Verilog.

use gpurf_blocks::{Parameters, ReadRule};
use gpurf_testbenches::workbench;
use gpurf_testbenches::EngineKind::{Model, Rtl, Verilator};

#[test]
fn windows_of_silicon_hold_under_both_rules() {
    for read_rule in [ReadRule::Packed, ReadRule::Held] {
        let parameters = Parameters { width: 32, read_rule, ..Parameters::default() };
        let bench = workbench("modern_sub_core", &parameters);
        let engines = [Model, Rtl, Verilator];
        let failures = bench.play(&engines).expect("the engines are built");
        assert!(failures.is_empty(), "{read_rule:?}:\n{}", bench.report(&engines, 1, &failures));
    }
}

// SPDX-License-Identifier: Apache-2.0
//! Assignments of bundles pass through rust-hdl's links as they are.

use gpurf_hw::dialect::wires::{field_path, verilog_path, Assigned, AssignedValue};
use rust_hdl::ast::{VerilogLink, VerilogLinkDetails};

#[test]
fn what_a_link_says_is_read_back() {
    for value in
        [AssignedValue::Zero, AssignedValue::Of("heads[w*2]"), AssignedValue::Either("out", "heads[(w+1)]")]
    {
        let assigned = Assigned { target: "part$head", value };
        assert_eq!(Assigned::of(&assigned.link()), Some(assigned));
    }
}

#[test]
fn a_bundle_may_give_its_wires_another_name() {
    let steps = |steps: &[&str]| steps.iter().map(|step| step.to_string()).collect::<Vec<_>>();
    let evicted = steps(&["evicted!evict$2", "warp$3"]);
    assert_eq!(
        (field_path(&evicted), verilog_path(&evicted)),
        ("evicted$2$warp$3".into(), "evict$2$warp$3".into())
    );
    let flat = steps(&["request!", "warp"]);
    assert_eq!((field_path(&flat), verilog_path(&flat)), ("request$warp".into(), "warp".into()));
    let plain = steps(&["head$1", "unit"]);
    assert_eq!((field_path(&plain), verilog_path(&plain)), ("head$1$unit".into(), "head$1$unit".into()));
}

#[test]
fn a_link_of_rust_hdl_is_none() {
    let link = VerilogLinkDetails { my_name: String::new(), owner_name: "a".into(), other_name: "b".into() };
    assert_eq!(Assigned::of(&VerilogLink::Forward(link)), None);
}

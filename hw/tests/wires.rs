//! What is said of joins in the lists of links is read back as it was.

use gpurf_hw::dialect::wires::{field_path, join_hdl, verilog_path, Assigned, AssignedValue};
use rust_hdl::ast::{VerilogLink, VerilogLinkDetails};

fn read(from: &str, to: &str) -> Vec<VerilogLink> {
    join_hdl("", from, to)
}

#[test]
fn what_a_join_says_is_read_back() {
    let links =
        read("$gpurf_hw$dialect$wires$value(&heads[w*2])", "$gpurf_hw$dialect$wires$target(part$head)");
    let value = AssignedValue::Of("heads[w*2]");
    assert_eq!(Assigned::of(&links[0]), Some(Assigned { target: "part$head", value }));
    let broken =
        read("$gpurf_hw$dialect$wires$value(&\nself$heads\n[w*2])", "wires$target(&mut\nself$part$head)");
    assert_eq!(Assigned::of(&broken[0]), Assigned::of(&links[0]));
    let links = read("wires$zero(&out)", "wires$target(out)");
    assert_eq!(Assigned::of(&links[0]).unwrap().value, AssignedValue::Zero);
    let links = read("wires$either(&out,&heads[(w+1)])", "wires$target(out)");
    assert_eq!(Assigned::of(&links[0]).unwrap().value, AssignedValue::Either("out", "heads[(w+1)]"));
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

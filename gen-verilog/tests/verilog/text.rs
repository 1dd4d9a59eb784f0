// SPDX-License-Identifier: Apache-2.0
//! How the emitted text reads.

use gpurf_hw::dialect::{rtl, Identity};
use gpurf_verilog::{emit, export, Port};
use rust_hdl::prelude::*;

use crate::toys::{Cascade, Counter};

#[test]
fn a_module_reads_as_if_written_by_hand() {
    let hierarchy = emit(&Counter::default()).unwrap();
    let expected = "\
// counter: Counter (T 1)
//
// Reset: `reset`, synchronous, active high; one cycle before the first use.
module counter (
  input wire clock,
  input wire reset,
  input wire enable,
  output wire [3:0] value
);

  reg [3:0] count;

  assign value = count;

  always @(posedge clock)
    if (reset) count <= 4'd0;
    else if (enable) count <= count + 4'd1;

`ifndef SYNTHESIS
  initial count = 4'd0;
`endif
endmodule
";
    assert_eq!(hierarchy.top_module().text, expected);
}

#[test]
fn instances_share_a_module_and_children_come_first() {
    let hierarchy = emit(&Cascade::default()).unwrap();
    let names: Vec<_> = hierarchy.modules.iter().map(|module| module.name.as_str()).collect();
    assert_eq!(names, ["counter", "cascade_counters2"]);
    assert_eq!(hierarchy.top, "cascade_counters2");
    let top = &hierarchy.top_module().text;
    assert!(top.contains("// Parameters:\n//   counters = 2\n"), "{top}");
    assert!(top.contains("begin : counters\n      counter each ("), "{top}");
    assert!(top.contains("        .value(counters_value[n*4 +: 4])\n      );"), "{top}");
    assert!(top.contains("  localparam [2*4-1:0] threshold = {4'd9, 4'd3};"), "{top}");
    assert!(top.contains("hit[i*2 + j] = level[i*4 +: 4] >= threshold[j*4 +: 4];"), "{top}");
}

#[test]
fn ports_are_listed_in_order() {
    let hierarchy = emit(&Cascade::default()).unwrap();
    let ports = &hierarchy.top_module().ports;
    let names: Vec<_> = ports.iter().map(|port| port.name.as_str()).collect();
    assert_eq!(names, ["clock", "reset", "enable", "level", "reached"]);
    assert_eq!(ports[3], Port { name: "level".to_string(), width: 4, count: 2, is_input: false });
}

#[test]
fn the_same_module_gives_the_same_bytes() {
    assert_eq!(emit(&Cascade::default()).unwrap(), emit(&Cascade::default()).unwrap());
}

#[test]
fn an_export_is_complete_and_leaves_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let hierarchy = emit(&Cascade::default()).unwrap();
    let mut written = export(&hierarchy, folder.path()).unwrap();
    written.sort();
    let mut found: Vec<_> = folder.path().read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    found.sort();
    assert_eq!(found, written);
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(read("cascade_counters2.f"), "counter.v\ncascade_counters2.v\n");
    let (head, body) = hierarchy.modules[0].text.split_once("\nmodule ").unwrap();
    let expected = format!("{head}\n\n`default_nettype none\n\nmodule {body}\n`default_nettype wire\n");
    assert_eq!(read("counter.v"), expected);
    let core = read("cascade_counters2.core");
    assert!(core.starts_with("CAPI=2:\n"), "{core}");
    assert!(core.contains("name: gpurf:hw:cascade_counters2:"), "{core}");
    for target in ["default", "lint", "sim", "synth"] {
        assert!(core.contains(&format!("\n  {target}:\n    filesets: [rtl")), "{core}");
    }
}

/// One `if` that drives a signal in each branch.
#[derive(LogicBlock)]
struct Fork {
    pub select: Signal<In, Bit>,
    pub left: Signal<Out, Bits<2>>,
    pub right: Signal<Out, Bits<2>>,
    identity: Identity,
}

#[rtl]
impl Fork {
    fn kernel() {
        left = 0;
        right = 0;
        if select {
            left = 1;
        } else {
            right = 2;
        }
    }
}

#[test]
fn signals_that_share_a_condition_stand_together() {
    let fork = Fork {
        select: Signal::default(),
        left: Signal::default(),
        right: Signal::default(),
        identity: Identity::new("split", "Fork", &[]),
    };
    let text = &emit(&fork).unwrap().modules[0].text;
    let expected = "
  always @(*) begin
    left = 2'd0;
    right = 2'd0;
    if (select) left = 2'd1;
    else right = 2'd2;
  end
endmodule
";
    assert!(text.ends_with(expected), "{text}");
}

/// Two outputs of one loop that depend on different inputs.
#[derive(LogicBlock)]
struct Pairs {
    pub a: Vec<Signal<In, Bit>>,
    pub b: Vec<Signal<In, Bit>>,
    pub not_a: Vec<Signal<Out, Bit>>,
    pub not_b: Vec<Signal<Out, Bit>>,
    identity: Identity,
}

#[rtl]
impl Pairs {
    fn kernel() {
        for i in 0..2 {
            not_a[i] = !a[i];
            not_b[i] = !b[i];
        }
    }
}

/// In one block, `not_a` would follow on `b`: a circle, for a parent that connects `not_b` with `a`.
#[test]
fn outputs_of_different_inputs_stand_apart() {
    let pairs = Pairs {
        a: vec![Signal::default(); 2],
        b: vec![Signal::default(); 2],
        not_a: vec![Signal::default(); 2],
        not_b: vec![Signal::default(); 2],
        identity: Identity::new("pairs", "Pairs", &[]),
    };
    let text = &emit(&pairs).unwrap().modules[0].text;
    let expected = "
  always @(*) begin : not_a_logic
    integer i;
    for (i = 0; i < 2; i = i + 1) not_a[i] = !a[i];
  end

  always @(*) begin : not_b_logic
    integer i;
    for (i = 0; i < 2; i = i + 1) not_b[i] = !b[i];
  end
endmodule
";
    assert!(text.ends_with(expected), "{text}");
}

/// Arrays of one element, and a value that the next assignment overwrites.
#[derive(LogicBlock)]
struct Single {
    pub valid: Vec<Signal<In, Bit>>,
    pub data: Vec<Signal<In, Bits<8>>>,
    pub shown: Vec<Signal<Out, Bits<8>>>,
    picked: Signal<Local, Bits<8>>,
    identity: Identity,
}

#[rtl]
impl Single {
    fn kernel() {
        picked = 0;
        picked = data[0] + 1;
        for i in 0..1 {
            shown[i] = data[i];
            if valid[i] {
                if picked.any() {
                    shown[i] = picked;
                } else {
                    shown[i] = 0;
                }
            }
        }
    }
}

#[test]
fn an_array_of_one_is_a_wire_and_nested_conditions_have_a_block() {
    let single = Single {
        valid: vec![Signal::default()],
        data: vec![Signal::default()],
        shown: vec![Signal::default()],
        picked: Signal::default(),
        identity: Identity::new("single", "Single", &[]),
    };
    let text = &emit(&single).unwrap().modules[0].text;
    let expected = "
module single (
  input wire valid,
  input wire [7:0] data,
  output reg [7:0] shown
);

  wire [7:0] picked;

  assign picked = data + 8'd1;

  always @(*) begin
    shown = data;
    if (valid) begin
      if (|picked) shown = picked;
      else shown = 8'd0;
    end
  end
endmodule
";
    assert!(text.ends_with(&expected[1..]), "{text}");
}

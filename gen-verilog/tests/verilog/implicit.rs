// SPDX-License-Identifier: Apache-2.0
//! Parts that a kernel need not write: clock and reset of its children, and a register's value behind its
//! own name.
//!
//! The kernel's syntax tree is written here by hand, since the attribute writes it from Rust that runs.

use gpurf_hw::catalogue::Port;
use gpurf_hw::dialect::{Identity, Register};
use gpurf_verilog::emit;
use rust_hdl::ast::{VerilogExpression as Tree, VerilogLoop, VerilogOp, VerilogStatement};
use rust_hdl::prelude::*;

/// Two registers in a row and one of its own, and a counter as a child.
#[derive(LogicBlock)]
struct Delay {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub value: Signal<In, Bits<4>>,
    pub delayed: Signal<Out, Bits<4>>,
    pub total: Signal<Out, Bits<4>>,
    stage: Vec<Register<Bits<4>>>,
    sum: Register<Bits<4>>,
    identity: Identity,
}

const PORTS: &[Port] = &[
    Port {
        name: "value",
        is_input: true,
        carried: "Bits<8>",
        length: None,
        bundle: "",
        when: "",
        doc: "What goes in.",
    },
    Port {
        name: "delayed",
        is_input: false,
        carried: "Bits<8>",
        length: None,
        bundle: "",
        when: "",
        doc: "The same three cycles later.",
    },
];

impl Default for Delay {
    fn default() -> Self {
        Delay {
            clock: Signal::default(),
            reset: Signal::default(),
            value: Signal::default(),
            delayed: Signal::default(),
            total: Signal::default(),
            stage: (0..3).map(|_| Register::default()).collect(),
            sum: Register::default(),
            identity: Identity { ports: PORTS, ..Identity::new("delay", "Delay", &[]) },
        }
    }
}

fn signal(path: &str) -> Tree {
    Tree::Signal(path.to_string())
}

fn assign(path: &str, value: Tree) -> VerilogStatement {
    VerilogStatement::Assignment(signal(path), value)
}

impl Logic for Delay {
    fn update(&mut self) {}

    fn hdl(&self) -> Verilog {
        let sum = Tree::Binary(Box::new(signal("sum")), VerilogOp::Add, Box::new(signal("stage[2]")));
        Verilog::Combinatorial(vec![
            assign("stage[0]$enable$next", Tree::Literal(true.into())),
            assign("stage[0]$d$next", signal("value")),
            VerilogStatement::Loop(VerilogLoop {
                index: "i".to_string(),
                from: 1.into(),
                to: 3.into(),
                block: vec![
                    assign("stage[i]$enable$next", Tree::Literal(true.into())),
                    assign("stage[i]$d$next", signal("stage[i-1]")),
                ],
            }),
            assign("delayed$next", signal("stage[2]")),
            assign("sum$enable$next", Tree::Literal(true.into())),
            assign("sum$d$next", sum),
            assign("total$next", signal("sum")),
        ])
    }
}

#[test]
fn clock_and_reset_are_the_parents_and_a_register_reads_as_what_it_holds() {
    let text = emit(&Delay::default()).unwrap().modules[0].text.clone();
    let expected = "\
// delay: Delay
//
// Reset: `reset`, synchronous, active high; one cycle before the first use.
//
// Arrays are packed: element 0 has the lowest bits.
module delay (
  input wire clock,
  input wire reset,
  // What goes in.
  input wire [3:0] value,
  // The same three cycles later.
  output wire [3:0] delayed,
  output wire [3:0] total
);

  reg [3*4-1:0] stage_d;
  reg [3*4-1:0] stage;
  reg [3:0] sum;

  always @(*) begin : stage_d_logic
    integer i;
    stage_d[3:0] = value;
    for (i = 1; i < 3; i = i + 1) stage_d[i*4 +: 4] = stage[(i - 1)*4 +: 4];
  end

  assign delayed = stage[11:8];
  assign total = sum;

  always @(posedge clock) begin
    if (reset) begin
      stage <= 12'd0;
      sum <= 4'd0;
    end else begin
      stage <= stage_d;
      sum <= sum + stage[11:8];
    end
  end

`ifndef SYNTHESIS
  initial {stage, sum} = 0;
`endif
endmodule
";
    assert_eq!(text, expected);
}

// SPDX-License-Identifier: Apache-2.0
//! State enums and structs: labels in the text, and the same behaviour.

use gpurf_hw::dialect::{Identity, Module, Register};
use gpurf_verilog::{check, emit, emit_as, Language, Style};
use rust_hdl::prelude::*;

use crate::lockstep::{agree, random};

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum Phase {
    Idle,
    Run,
    Rest,
}

#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
struct Head {
    warp: Bits<3>,
    near: Bit,
}

/// Runs while asked to, rests for a cycle, and keeps the last two heads it ran with.
#[derive(LogicBlock, Module)]
struct Machine {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub go: Signal<In, Bit>,
    pub warp: Signal<In, Bits<3>>,
    pub near: Signal<In, Bit>,
    pub busy: Signal<Out, Bit>,
    pub held_warp: Signal<Out, Bits<3>>,
    pub both_near: Signal<Out, Bit>,
    head: Signal<Local, Head>,
    phase: Register<Phase>,
    heads: Vec<Register<Head>>,
    identity: Identity,
}

impl Default for Machine {
    fn default() -> Self {
        Machine {
            clock: Signal::default(),
            reset: Signal::default(),
            go: Signal::default(),
            warp: Signal::default(),
            near: Signal::default(),
            busy: Signal::default(),
            held_warp: Signal::default(),
            both_near: Signal::default(),
            head: Signal::default(),
            phase: Register::default(),
            heads: (0..2).map(|_| Register::default()).collect(),
            identity: Identity::new("machine", "State machine", &[]),
        }
    }
}

impl Logic for Machine {
    #[hdl_gen]
    fn update(&mut self) {
        self.phase.clock.next = self.clock.val();
        self.phase.reset.next = self.reset.val();
        self.phase.enable.next = true;
        self.phase.d.next = self.phase.q.val();
        self.busy.next = true;
        match self.phase.q.val() {
            Phase::Idle => {
                self.busy.next = false;
                if self.go.val() {
                    self.phase.d.next = Phase::Run;
                }
            }
            Phase::Run => {
                if !self.go.val() {
                    self.phase.d.next = Phase::Rest;
                }
            }
            Phase::Rest => {
                self.phase.d.next = Phase::Idle;
            }
        }
        self.head.next.warp = self.warp.val();
        self.head.next.near = self.near.val();
        for i in 0..2 {
            self.heads[i].clock.next = self.clock.val();
            self.heads[i].reset.next = self.reset.val();
            self.heads[i].enable.next = self.busy.val();
        }
        self.heads[0].d.next = self.head.val();
        self.heads[1].d.next = self.heads[0].q.val();
        self.held_warp.next = self.heads[1].q.val().warp;
        self.both_near.next = self.heads[0].q.val().near & self.heads[1].q.val().near;
    }
}

#[test]
fn states_and_structs_agree() {
    agree(Machine::default, random(&Machine::default(), 2000));
}

#[test]
fn states_are_labels() {
    let hierarchy = emit(&Machine::default()).unwrap();
    check::verilator_lint(&hierarchy).unwrap_or_else(|error| panic!("{error}"));
    check::iverilog_wall(&hierarchy).unwrap_or_else(|error| panic!("{error}"));
    check::yosys_check(&hierarchy).unwrap_or_else(|error| panic!("{error}"));
    let text = &hierarchy.modules[0].text;
    for line in [
        "  localparam [1:0] Phase_Run = 2'd1;",
        "    case (phase)",
        "      Phase_Idle: begin\n        if (go) phase_d = Phase_Run;\n      end",
        "      default /* Phase_Rest */: phase_d = Phase_Idle;",
        "      phase <= Phase_Idle;",
        "  assign held_warp = heads[6:4];",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
}

#[test]
fn states_are_an_enum_in_system_verilog() {
    let hierarchy = emit_as(&Machine::default(), &Style::of(Language::SystemVerilog)).unwrap();
    check::verilator_lint(&hierarchy).unwrap_or_else(|error| panic!("{error}"));
    let text = &hierarchy.modules[0].text;
    let expected = "  typedef enum logic [1:0] {
    Phase_Idle = 2'd0,
    Phase_Run = 2'd1,
    Phase_Rest = 2'd2
  } Phase;
";
    assert!(text.contains(expected), "{text}");
}

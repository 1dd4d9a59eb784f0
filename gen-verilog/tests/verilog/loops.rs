// SPDX-License-Identifier: Apache-2.0
//! Loops and arrays: they stay what they are, and mean what the Rust means.

use gpurf_hw::dialect::{rtl, Identity, Module, Register};
use gpurf_verilog::{check, emit, emit_as, Language, Style};
use rust_hdl::prelude::*;

use crate::lockstep::{agree, random};
use crate::toys::Cascade;

const LANES: usize = 3;
const DEPTH: usize = 4;

/// Arrays of one and two dimensions, in loops that go up, down and from the middle.
#[derive(LogicBlock, Module)]
struct Lanes {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    #[port(max = 4)]
    pub valid: Vec<Signal<In, Bit>>,
    #[port(max = 4)]
    pub value: Vec<Signal<In, Bits<5>>>,
    pub select: Signal<In, Bits<2>>,
    #[port(max = 4)]
    pub oldest: Vec<Signal<Out, Bits<5>>>,
    #[port(max = 4)]
    pub picked: Vec<Signal<Out, Bit>>,
    pub first: Signal<Out, Bits<2>>,
    pub any: Signal<Out, Bit>,
    /// `chain[i]` is read one turn before it is assigned.
    pub ripple: Signal<Out, Bits<5>>,
    #[port(max = 4)]
    pub count: Vec<Signal<Out, Bits<3>>>,

    shifted: Vec<Vec<Signal<Local, Bits<5>>>>,
    chain: Vec<Signal<Local, Bits<5>>>,
    rows: Vec<Register<Bits<5>>>,
    seen: Vec<Register<Bit>>,
    /// Each has a reset of its own.
    counts: Vec<Register<Bits<3>>>,
    number: Vec<Constant<Bits<2>>>,
    identity: Identity,
    _lanes: usize,
    _depth: usize,
}

impl Default for Lanes {
    fn default() -> Self {
        Lanes {
            clock: Signal::default(),
            reset: Signal::default(),
            valid: vec![Signal::default(); LANES],
            value: vec![Signal::default(); LANES],
            select: Signal::default(),
            oldest: vec![Signal::default(); LANES],
            picked: vec![Signal::default(); LANES],
            first: Signal::default(),
            any: Signal::default(),
            ripple: Signal::default(),
            count: vec![Signal::default(); LANES],
            shifted: vec![vec![Signal::default(); DEPTH]; LANES],
            chain: vec![Signal::default(); LANES + 1],
            rows: (0..LANES * DEPTH).map(|_| Register::default()).collect(),
            counts: (0..LANES).map(|_| Register::default()).collect(),
            seen: (0..LANES).map(|_| Register::default()).collect(),
            number: (0..LANES as u64).map(|lane| Constant::new(lane.into())).collect(),
            identity: Identity::new("lanes", "Lanes", &[]),
            _lanes: LANES,
            _depth: DEPTH,
        }
    }
}

#[rtl]
impl Lanes {
    fn kernel() {
        any = false;
        first = 0;
        for i in 0..self._lanes {
            oldest[i] = rows[i * 4].q;
            picked[i] = value[i].get_bit(select);
            if valid[2 - i] {
                any = true;
                first = number[2 - i];
            }
            seen[i].clock = clock;
            seen[i].reset = reset;
            seen[i].enable = valid[i];
            seen[i].d = !seen[i].q;
        }
        for i in 0..self._lanes {
            for j in 0..self._depth {
                rows[i * 4 + j].clock = clock;
                rows[i * 4 + j].reset = reset;
                rows[i * 4 + j].enable = valid[i] & seen[i].q;
                shifted[i][j] = value[i];
            }
            for j in 0..3 {
                shifted[i][j] = rows[i * 4 + j + 1].q;
            }
            for j in 0..self._depth {
                rows[i * 4 + j].d = shifted[i][j];
            }
        }
        for i in 0..self._lanes {
            chain[i] = chain[i + 1] ^ value[i];
        }
        for i in 0..self._lanes {
            counts[i].clock = clock;
            counts[i].reset = reset | valid[i];
            counts[i].enable = true;
            counts[i].d = counts[i].q;
            if select.any() {
                counts[i].d = counts[i].q + 1;
            }
            count[i] = counts[i].q;
        }
        chain[3] = rows[11].q;
        ripple = chain[0];
    }
}

#[test]
fn loops_agree() {
    agree(Lanes::default, random(&Lanes::default(), 2000));
}

#[test]
fn loops_stay_loops() {
    let text = emit(&Lanes::default()).unwrap().modules[0].text.clone();
    for line in [
        "  input wire [3*5-1:0] value,",
        "  output reg [2:0] picked,",
        "  reg [12*5-1:0] shifted;",
        "  localparam [3*2-1:0] number = {2'd2, 2'd1, 2'd0};",
        "    for (i = 0; i < 3; i = i + 1)",
        "for (j = 0; j < 4; j = j + 1) shifted[(i*4 + j)*5 +: 5] = value[i*5 +: 5];",
        "first = number[(2 - i)*2 +: 2];",
        "if (valid[i]) seen[i] <= !seen[i];",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    // What a loop would read too early is written out, the other way round.
    let chain = "
    chain[19:15] = rows[59:55];
    chain[14:10] = chain[19:15] ^ value[14:10];
    chain[9:5] = chain[14:10] ^ value[9:5];
    chain[4:0] = chain[9:5] ^ value[4:0];
";
    assert!(text.contains(chain), "{text}");
}

#[test]
fn both_languages_pass_the_lint_check() {
    for language in [Language::Verilog, Language::SystemVerilog] {
        for module in [&Lanes::default() as &dyn Block, &Cascade::default()] {
            let hierarchy = emit_as(module, &Style::of(language)).unwrap();
            check::verilator_lint(&hierarchy).unwrap_or_else(|error| panic!("{error}"));
        }
    }
}

#[test]
fn system_verilog_has_arrays_of_two_dimensions() {
    let text =
        emit_as(&Lanes::default(), &Style::of(Language::SystemVerilog)).unwrap().modules[0].text.clone();
    for line in [
        "  input logic [2:0][4:0] value,",
        "  logic [11:0][4:0] shifted;",
        "shifted[i*4 + j] = value[i];",
        "  always_comb begin :",
        "  always_ff @(posedge clock) begin :",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
}

// SPDX-License-Identifier: Apache-2.0
//! Tests of the engines beside their agreement.

use gpurf_blocks::{Clocked, PortLayout, Typed, Wide};
use gpurf_hw::dialect::{rtl, Identity, Module, Rtl};
use gpurf_verilog::{emit, Compiled, Icarus, Verilated};
use rust_hdl::prelude::*;

use crate::lockstep::{agree, random};
use crate::toys::{Cascade, Counter, CounterIn, CounterOut, Store, StoreIn, Stream};

#[test]
fn children_and_nested_vectors_agree() {
    agree(Cascade::default, random(&Cascade::default(), 1000));
}

#[test]
fn joined_interfaces_agree() {
    agree(Stream::default, random(&Stream::default(), 200));
}

#[test]
fn memories_agree_at_both_data_widths() {
    agree(Store::<32>::default, random(&Store::<32>::default(), 1000));
    agree(Store::<1024>::default, random(&Store::<1024>::default(), 200));
}

#[test]
fn all_words_of_a_wide_port_cross_over() {
    let mut store = Verilated::new(&Store::<1024>::default()).unwrap();
    let data = Wide(std::array::from_fn(|word| 0x0101_0101 * (word as u32 + 1)));
    let write = StoreIn { enable: true, write: true, write_data: data, ..Default::default() };
    store.settle(&write);
    store.tick();
    store.settle(&StoreIn { enable: true, ..Default::default() });
    store.tick();
    assert_eq!(store.settle(&Default::default()).read_data, data);
}

/// Values of a counter that runs for some cycles, stops for one and settles twice in each.
fn values(mut counter: impl Clocked<In = CounterIn, Out = CounterOut>) -> Vec<u32> {
    (0..5)
        .map(|cycle| {
            counter.settle(&CounterIn { enable: cycle == 3 });
            let value = counter.settle(&CounterIn { enable: cycle != 3 }).value;
            counter.tick();
            value
        })
        .collect()
}

#[test]
fn engines_stand_in_the_same_cycle_and_only_the_last_inputs_count() {
    let expected = [0, 1, 2, 3, 3];
    assert_eq!(values(Rtl::new(Counter::default())), expected);
    assert_eq!(values(Compiled::new(&Counter::default()).unwrap().engine()), expected);
    assert_eq!(values(Verilated::new(&Counter::default()).unwrap()), expected);
    assert_eq!(values(Icarus::new(&Counter::default()).unwrap()), expected);
}

#[test]
fn instances_of_one_model_are_independent() {
    let mut running = Verilated::new(&Counter::default()).unwrap();
    let mut resting = Verilated::new(&Counter::default()).unwrap();
    for _ in 0..5 {
        running.settle(&CounterIn { enable: true });
        running.tick();
        resting.settle(&CounterIn { enable: false });
        resting.tick();
    }
    assert_eq!(running.settle(&CounterIn { enable: false }).value, 5);
    assert_eq!(resting.settle(&CounterIn { enable: false }).value, 0);
}

/// True if a number of ones is even.
#[derive(LogicBlock, Module)]
struct Parity {
    pub value: Signal<In, Bits<12>>,
    pub even: Signal<Out, Bit>,
    identity: Identity,
}

impl Default for Parity {
    fn default() -> Self {
        Parity {
            value: Signal::default(),
            even: Signal::default(),
            identity: Identity::new("parity", "Parity (T 1)", &[]),
        }
    }
}

#[rtl]
impl Parity {
    fn kernel() {
        even = !value.xor();
    }
}

/// As a netlist has it: exclusive ORs of two, most of them inverted.
const PARITY: &str = "
    module parity(input [11:0] value, output even);
      wire a = ~(value[1] ^ value[10]);
      wire b = ~(value[9] ^ value[5]);
      wire c = value[11] ^ value[2];
      wire d = value[3] ^ c;
      wire e = ~(value[7] ^ d);
      wire f = value[8] ^ value[4];
      wire g = ~(value[0] ^ value[6]);
      wire h = ~(a ^ b);
      wire i = e ^ f;
      wire j = ~(g ^ i);
      assign even = ~(h ^ j);
    endmodule";

#[test]
fn netlists_of_exclusive_ors_run_right() {
    let netlist = emit(&Parity::default()).unwrap().with_source(PARITY.to_string());
    let layout = PortLayout::of::<ParityIn, ParityOut>();
    let mut engine = Typed::new(Verilated::of(&netlist, &layout).unwrap());
    for value in 0..4096 {
        let even = u32::count_ones(value) % 2 == 0;
        let answer: ParityOut = engine.settle(&ParityIn { value });
        assert_eq!(answer.even, even, "{value:#x}");
    }
}

/// Shows unknown bits while asked to.
#[derive(LogicBlock, Module)]
struct Unknown {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub unknown: Signal<In, Bit>,
    pub fine: Signal<Out, Bits<4>>,
    pub partly: Signal<Out, Bits<4>>,
    identity: Identity,
}

impl Default for Unknown {
    fn default() -> Self {
        Unknown {
            clock: Signal::default(),
            reset: Signal::default(),
            unknown: Signal::default(),
            fine: Signal::default(),
            partly: Signal::default(),
            identity: Identity::new("unknown", "Unknown bits", &[]),
        }
    }
}

impl Logic for Unknown {
    fn update(&mut self) {}

    fn connect(&mut self) {
        self.fine.connect();
        self.partly.connect();
    }

    fn hdl(&self) -> Verilog {
        let fine = "always @(*) fine = {3'd1, !unknown};";
        let partly = "always @(*) partly = unknown ? 4'b01x0 : 4'd5;";
        Verilog::Custom(format!("{fine}\n{partly}\n"))
    }
}

#[test]
#[should_panic(expected = "cycle 1: partly is unknown in Icarus")]
fn an_unknown_output_stops_icarus_and_is_named() {
    let mut engine = Icarus::new(&Unknown::default()).unwrap();
    let outputs = engine.settle(&UnknownIn { unknown: false });
    assert_eq!((outputs.fine, outputs.partly), (3, 5));
    engine.tick();
    engine.settle(&UnknownIn { unknown: true });
}

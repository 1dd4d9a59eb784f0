// SPDX-License-Identifier: Apache-2.0
//! Registers that several sections, blocks and turns of a loop assign: each of them loads, and the last one
//! that is reached gives the value.

use gpurf_blocks::{Clocked, Parameters};
use gpurf_hw::dialect::{block, rtl, Register, Rtl};
use gpurf_verilog::{check, emit, emit_as, Language, Style};
use rust_hdl::prelude::*;

use crate::lockstep::{agree, random};

/// Values on a shelf, which move towards place 0.
#[block(title = "Shelf", parameters(slots, invalidate))]
pub struct Shelf {
    /// The place takes `value`.
    pub fill: In<[Bit; slots]>,
    /// The last place takes `value`.
    pub append: In<Bit>,
    /// Every place takes what the next one holds.
    pub moves: In<Bit>,
    /// Everything is cleared.
    pub clear: In<Bit>,
    /// The value that comes in.
    pub value: In<Bits<8>>,

    /// Values of the places. The first section reaches all of them.
    pub held: Out<Register<[Bits<8>; slots]>>,
    /// The same, and no section reaches all of them before the last.
    pub seen: Out<Register<[Bits<8>; slots]>>,
    /// The last place that was filled.
    pub place: Out<Register<Bits<8>>>,
    /// The sum of values while something is filled or appended.
    pub sum: Out<Register<Bits<8>>>,
    /// The same without what `clear` does.
    #[when(invalidate)]
    pub all: Out<Register<Bits<8>>>,
}

#[rtl]
impl Shelf {
    fn fill() {
        for s in 0..slots {
            held[s].load(fill[s], value);
            if fill[s] {
                place = s;
            }
        }
        if append {
            sum += value;
        }
        if clear {
            sum = 0;
        }
        if invalidate {
            all.load(append, all + value);
        }
    }

    fn shift() {
        for s in 0..slots - 1 {
            if moves {
                held[s] = held[s + 1];
                seen[s] = seen[s + 1];
            }
        }
        for s in slots - 1..slots {
            if append {
                held[s] = value;
                seen[s] = value;
            }
        }
        if fill[0] {
            sum = value;
            held[0] = 255;
        }
        if invalidate {
            if moves {
                all = 0;
            }
        }
    }

    fn clear() {
        for each in 0..slots {
            if clear {
                held[each] = 0;
                seen[each] = 0;
            }
        }
    }
}

/// Values that the module holds.
#[derive(Default)]
struct Held {
    held: [u32; 8],
    seen: [u32; 8],
    place: u32,
    sum: u32,
    all: u32,
}

impl Held {
    fn cycle(&mut self, inputs: &ShelfIn, slots: usize) {
        let before = (self.held, self.seen);
        let last = slots - 1;
        for s in 0..slots {
            if inputs.fill[s] {
                (self.held[s], self.place) = (inputs.value, s as u32);
            }
            if inputs.moves && s < last {
                (self.held[s], self.seen[s]) = (before.0[s + 1], before.1[s + 1]);
            }
        }
        if inputs.append {
            (self.held[last], self.seen[last]) = (inputs.value, inputs.value);
            self.sum = if inputs.clear { 0 } else { (self.sum + inputs.value) & 255 };
            self.all = (self.all + inputs.value) & 255;
        }
        if inputs.moves {
            self.all = 0;
        }
        if inputs.fill[0] {
            self.held[0] = 255;
        }
        if inputs.clear {
            (self.held, self.seen) = ([0; 8], [0; 8]);
        }
        match (inputs.fill[0], inputs.clear) {
            (true, _) => self.sum = inputs.value,
            (false, true) => self.sum = 0,
            _ => {}
        }
    }
}

fn shelf(slots: usize, invalidate: bool) -> Shelf {
    Shelf::new(&Parameters { slots, invalidate, ..Parameters::default() })
}

#[test]
fn every_place_loads_and_the_last_gives_the_value() {
    for (slots, invalidate) in [(3, true), (7, false)] {
        let (mut rtl, mut model) = (Rtl::new(shelf(slots, invalidate)), Held::default());
        for (cycle, inputs) in random(&shelf(slots, invalidate), 2000).enumerate() {
            let outputs = rtl.settle(&inputs);
            let at = format!("cycle {cycle} with {slots} slots");
            assert_eq!(outputs.held[..slots], model.held[..slots], "held, {at}");
            assert_eq!(outputs.seen[..slots], model.seen[..slots], "seen, {at}");
            assert_eq!((outputs.place, outputs.sum), (model.place, model.sum), "place and sum, {at}");
            assert_eq!(outputs.all[0], if invalidate { model.all } else { 0 }, "all, {at}");
            rtl.tick();
            model.cycle(&inputs, slots);
        }
        agree(|| shelf(slots, invalidate), random(&shelf(slots, invalidate), 1000));
    }
}

#[test]
fn its_verilog_passes_the_checkers() {
    for language in [Language::Verilog, Language::SystemVerilog] {
        let emitted = emit_as(&shelf(3, true), &Style::of(language)).unwrap();
        check::verilator_lint(&emitted).unwrap_or_else(|error| panic!("{error}"));
    }
    let emitted = emit(&shelf(3, true)).unwrap();
    check::iverilog_wall(&emitted).unwrap_or_else(|error| panic!("{error}"));
    check::yosys_check(&emitted).unwrap_or_else(|error| panic!("{error}"));
}

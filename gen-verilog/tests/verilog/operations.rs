// SPDX-License-Identifier: Apache-2.0
//! Every operation of a kernel on all inputs of four bits, in both engines.

use gpurf_hw::dialect::{rtl, Identity, Module, Register};
use rust_hdl::prelude::*;

use crate::lockstep::agree;

/// Outputs are called by the operation they show.
#[derive(LogicBlock, Module)]
struct Operations {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub a: Signal<In, Bits<4>>,
    pub b: Signal<In, Bits<4>>,
    pub carry: Signal<In, Bit>,

    pub sum: Signal<Out, Bits<4>>,
    pub sum_with_carry: Signal<Out, Bits<4>>,
    pub difference: Signal<Out, Bits<4>>,
    pub product: Signal<Out, Bits<32>>,
    pub both: Signal<Out, Bits<4>>,
    pub either: Signal<Out, Bits<4>>,
    pub unlike: Signal<Out, Bits<4>>,
    pub inverse: Signal<Out, Bits<4>>,
    pub shifted_left: Signal<Out, Bits<4>>,
    pub shifted_right: Signal<Out, Bits<4>>,
    pub shifted_by_two: Signal<Out, Bits<4>>,
    /// One bit for each comparison.
    pub compared: Signal<Out, Bits<6>>,
    /// All, any, parity.
    pub reduced: Signal<Out, Bits<3>>,
    pub bit_of_number: Signal<Out, Bit>,
    pub bit_of_signal: Signal<Out, Bit>,
    pub slice: Signal<Out, Bits<2>>,
    pub slice_from_signal: Signal<Out, Bits<2>>,
    pub slice_past_the_end: Signal<Out, Bits<6>>,
    pub wider: Signal<Out, Bits<9>>,
    pub narrower: Signal<Out, Bits<3>>,
    pub number_replaced: Signal<Out, Bits<4>>,
    pub signal_replaced: Signal<Out, Bits<4>>,
    pub replaced_in_place: Signal<Out, Bits<4>>,
    pub chosen: Signal<Out, Bits<4>>,
    pub ones: Signal<Out, Bits<3>>,
    pub pairs: Signal<Out, Bits<4>>,
    pub accumulated: Signal<Out, Bits<4>>,

    wide_a: Signal<Local, Bits<16>>,
    wide_b: Signal<Local, Bits<16>>,
    low: Signal<Local, Bits<2>>,
    low_bit: Signal<Local, Bits<1>>,
    set: Vec<Signal<Local, Bit>>,
    accumulator: Register<Bits<4>>,
    identity: Identity,
}

impl Default for Operations {
    fn default() -> Self {
        Operations {
            clock: Signal::default(),
            reset: Signal::default(),
            a: Signal::default(),
            b: Signal::default(),
            carry: Signal::default(),
            sum: Signal::default(),
            sum_with_carry: Signal::default(),
            difference: Signal::default(),
            product: Signal::default(),
            both: Signal::default(),
            either: Signal::default(),
            unlike: Signal::default(),
            inverse: Signal::default(),
            shifted_left: Signal::default(),
            shifted_right: Signal::default(),
            shifted_by_two: Signal::default(),
            compared: Signal::default(),
            reduced: Signal::default(),
            bit_of_number: Signal::default(),
            bit_of_signal: Signal::default(),
            slice: Signal::default(),
            slice_from_signal: Signal::default(),
            slice_past_the_end: Signal::default(),
            wider: Signal::default(),
            narrower: Signal::default(),
            number_replaced: Signal::default(),
            signal_replaced: Signal::default(),
            replaced_in_place: Signal::default(),
            chosen: Signal::default(),
            ones: Signal::default(),
            pairs: Signal::default(),
            accumulated: Signal::default(),
            wide_a: Signal::default(),
            wide_b: Signal::default(),
            low: Signal::default(),
            low_bit: Signal::default(),
            set: vec![Signal::default(); 4],
            accumulator: Register::default(),
            identity: Identity::new("operations", "All operations", &[]),
        }
    }
}

#[rtl]
impl Operations {
    fn kernel() {
        sum = a + b;
        sum_with_carry = a + carry;
        difference = a - b;
        wide_a = bit_cast::<16, 4>(a);
        wide_b = bit_cast::<16, 4>(b) << 9;
        product = wide_a * wide_b;
        both = a & b;
        either = a | b;
        unlike = a ^ b;
        inverse = !a;
        shifted_left = a << b;
        shifted_right = a >> b;
        shifted_by_two = a >> 2;

        compared = 0;
        if a == b {
            compared = compared.replace_bit(0, true);
        }
        if a != b {
            compared = compared.replace_bit(1, true);
        }
        if a < b {
            compared = compared.replace_bit(2, true);
        }
        if a <= b {
            compared = compared.replace_bit(3, true);
        }
        if a > b {
            compared = compared.replace_bit(4, true);
        }
        if a >= b {
            compared = compared.replace_bit(5, true);
        }

        reduced = 0;
        reduced = reduced.replace_bit(0, a.all());
        reduced = reduced.replace_bit(1, a.any());
        reduced = reduced.replace_bit(2, a.xor());

        low = b.get_bits::<2>(0);
        bit_of_number = a.get_bit(2);
        bit_of_signal = a.get_bit(low);
        slice = a.get_bits::<2>(1);
        low_bit = b.get_bits::<1>(0);
        slice_from_signal = a.get_bits::<2>(low_bit);
        slice_past_the_end = a.get_bits::<6>(1);
        wider = bit_cast::<9, 4>(a);
        narrower = bit_cast::<3, 4>(a);
        number_replaced = a.replace_bit(1, carry);
        signal_replaced = a.replace_bit(low, carry);
        replaced_in_place = b;
        replaced_in_place = replaced_in_place.replace_bit(low, carry);

        if a == 3 {
            chosen = 1;
        } else if (a > 9) & carry {
            chosen = b;
        } else {
            chosen = 15;
        }
        ones = 0;
        for i in 0..4 {
            set[i] = a.get_bit(i);
            if set[i] {
                ones += 1;
            }
        }
        pairs = 0;
        for i in 0..4 {
            for j in 0..4 {
                if (i < j) & (set[i] & set[j]) {
                    pairs += 1;
                }
            }
        }

        accumulator.clock = clock;
        accumulator.reset = reset;
        accumulator.enable = carry;
        accumulator.d = accumulator.q + a;
        accumulated = accumulator.q;
    }
}

#[test]
fn operations_agree_on_all_inputs() {
    let inputs =
        (0..512).map(|number| OperationsIn { a: number & 15, b: number >> 4 & 15, carry: number >> 8 == 1 });
    agree(Operations::default, inputs);
}

#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
enum Phase {
    Idle,
    Run,
    Done,
}

/// A state machine with three states in two bits.
#[derive(LogicBlock, Module)]
struct Machine {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub go: Signal<In, Bit>,
    pub busy: Signal<Out, Bit>,
    pub result: Signal<Out, Bits<2>>,
    phase: Register<Phase>,
    identity: Identity,
}

impl Default for Machine {
    fn default() -> Self {
        Machine {
            clock: Signal::default(),
            reset: Signal::default(),
            go: Signal::default(),
            busy: Signal::default(),
            result: Signal::default(),
            phase: Register::default(),
            identity: Identity::new("machine", "State machine", &[]),
        }
    }
}

#[rtl]
impl Machine {
    fn kernel() {
        phase.clock = clock;
        phase.reset = reset;
        phase.enable = true;
        phase.d = phase.q;
        busy = true;
        match phase.q {
            Phase::Idle => {
                busy = false;
                if go {
                    phase.d = Phase::Run;
                }
            }
            Phase::Run => phase.d = Phase::Done,
            Phase::Done => phase.d = Phase::Idle,
        }
        match phase.q {
            Phase::Run => result = 2,
            _ => result = 1,
        }
    }
}

#[test]
fn state_machines_agree() {
    let inputs = (0..64u32).map(|cycle| MachineIn { go: cycle.count_ones() % 2 == 1 });
    agree(Machine::default, inputs);
}

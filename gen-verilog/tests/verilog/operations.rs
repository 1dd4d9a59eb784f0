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

impl Logic for Operations {
    #[rtl]
    fn update(&mut self) {
        self.sum.next = self.a.val() + self.b.val();
        self.sum_with_carry.next = self.a.val() + self.carry.val();
        self.difference.next = self.a.val() - self.b.val();
        self.wide_a.next = bit_cast::<16, 4>(self.a.val());
        self.wide_b.next = bit_cast::<16, 4>(self.b.val()) << 9;
        self.product.next = self.wide_a.val() * self.wide_b.val();
        self.both.next = self.a.val() & self.b.val();
        self.either.next = self.a.val() | self.b.val();
        self.unlike.next = self.a.val() ^ self.b.val();
        self.inverse.next = !self.a.val();
        self.shifted_left.next = self.a.val() << self.b.val();
        self.shifted_right.next = self.a.val() >> self.b.val();
        self.shifted_by_two.next = self.a.val() >> 2;

        self.compared.next = 0.into();
        if self.a.val() == self.b.val() {
            self.compared.next = self.compared.val().replace_bit(0, true);
        }
        if self.a.val() != self.b.val() {
            self.compared.next = self.compared.val().replace_bit(1, true);
        }
        if self.a.val() < self.b.val() {
            self.compared.next = self.compared.val().replace_bit(2, true);
        }
        if self.a.val() <= self.b.val() {
            self.compared.next = self.compared.val().replace_bit(3, true);
        }
        if self.a.val() > self.b.val() {
            self.compared.next = self.compared.val().replace_bit(4, true);
        }
        if self.a.val() >= self.b.val() {
            self.compared.next = self.compared.val().replace_bit(5, true);
        }

        self.reduced.next = 0.into();
        self.reduced.next = self.reduced.val().replace_bit(0, self.a.val().all());
        self.reduced.next = self.reduced.val().replace_bit(1, self.a.val().any());
        self.reduced.next = self.reduced.val().replace_bit(2, self.a.val().xor());

        self.low.next = self.b.val().get_bits::<2>(0);
        self.bit_of_number.next = self.a.val().get_bit(2);
        self.bit_of_signal.next = self.a.val().get_bit(self.low.val().index());
        self.slice.next = self.a.val().get_bits::<2>(1);
        self.low_bit.next = self.b.val().get_bits::<1>(0);
        self.slice_from_signal.next = self.a.val().get_bits::<2>(self.low_bit.val().index());
        self.slice_past_the_end.next = self.a.val().get_bits::<6>(1);
        self.wider.next = bit_cast::<9, 4>(self.a.val());
        self.narrower.next = bit_cast::<3, 4>(self.a.val());
        self.number_replaced.next = self.a.val().replace_bit(1, self.carry.val());
        self.signal_replaced.next = self.a.val().replace_bit(self.low.val().index(), self.carry.val());
        self.replaced_in_place.next = self.b.val();
        self.replaced_in_place.next =
            self.replaced_in_place.val().replace_bit(self.low.val().index(), self.carry.val());

        if self.a.val() == 3 {
            self.chosen.next = 1.into();
        } else if (self.a.val() > 9) & self.carry.val() {
            self.chosen.next = self.b.val();
        } else {
            self.chosen.next = 15.into();
        }
        self.ones.next = 0.into();
        for i in 0..4 {
            self.set[i].next = self.a.val().get_bit(i);
            if self.set[i].val() {
                self.ones.next = self.ones.val() + 1;
            }
        }
        self.pairs.next = 0.into();
        for i in 0..4 {
            for j in 0..4 {
                if (i < j) & (self.set[i].val() & self.set[j].val()) {
                    self.pairs.next = self.pairs.val() + 1;
                }
            }
        }

        self.accumulator.clock.next = self.clock.val();
        self.accumulator.reset.next = self.reset.val();
        self.accumulator.enable.next = self.carry.val();
        self.accumulator.d.next = self.accumulator.q.val() + self.a.val();
        self.accumulated.next = self.accumulator.q.val();
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

impl Logic for Machine {
    #[rtl]
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
            Phase::Run => self.phase.d.next = Phase::Done,
            Phase::Done => self.phase.d.next = Phase::Idle,
        }
        match self.phase.q.val() {
            Phase::Run => self.result.next = 2.into(),
            _ => self.result.next = 1.into(),
        }
    }
}

#[test]
fn state_machines_agree() {
    let inputs = (0..64u32).map(|cycle| MachineIn { go: cycle.count_ones() % 2 == 1 });
    agree(Machine::default, inputs);
}

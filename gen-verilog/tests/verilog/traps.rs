// SPDX-License-Identifier: Apache-2.0
//! Kernels that rust-hdl's own generator gets wrong, silently: here they mean what the Rust means.
//!
//! They stand under `#[hdl_gen]`, since `#[rtl]` refuses most of them.

use gpurf_blocks::Clocked;
use gpurf_hw::dialect::{Identity, Module};
use gpurf_verilog::{Icarus, Verilated};
use rust_hdl::prelude::*;

use crate::lockstep::agree;

#[derive(LogicBlock, Module)]
struct Traps {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub a: Signal<In, Bits<4>>,
    pub b: Signal<In, Bits<4>>,

    pub sum_wraps: Signal<Out, Bit>,
    pub difference_wraps: Signal<Out, Bit>,
    pub sum_cast: Signal<Out, Bits<5>>,
    pub difference_cast: Signal<Out, Bits<8>>,
    pub inverse_cast: Signal<Out, Bits<8>>,
    pub inverse_compared: Signal<Out, Bit>,
    pub sum_shifted: Signal<Out, Bits<4>>,
    pub sum_cut: Signal<Out, Bits<3>>,
    pub comparison_binds_tighter: Signal<Out, Bit>,
    pub shift_binds_looser: Signal<Out, Bits<4>>,
    pub reduction_beside_and: Signal<Out, Bit>,

    x: Signal<Local, Bit>,
    y: Signal<Local, Bit>,
    z: Signal<Local, Bit>,
    identity: Identity,
}

impl Default for Traps {
    fn default() -> Self {
        Traps {
            clock: Signal::default(),
            reset: Signal::default(),
            a: Signal::default(),
            b: Signal::default(),
            sum_wraps: Signal::default(),
            difference_wraps: Signal::default(),
            sum_cast: Signal::default(),
            difference_cast: Signal::default(),
            inverse_cast: Signal::default(),
            inverse_compared: Signal::default(),
            sum_shifted: Signal::default(),
            sum_cut: Signal::default(),
            comparison_binds_tighter: Signal::default(),
            shift_binds_looser: Signal::default(),
            reduction_beside_and: Signal::default(),
            x: Signal::default(),
            y: Signal::default(),
            z: Signal::default(),
            identity: Identity::new("traps", "Traps of precedence and width", &[]),
        }
    }
}

impl Logic for Traps {
    // Left to the languages' precedence on purpose.
    #[allow(clippy::precedence)]
    #[hdl_gen]
    fn update(&mut self) {
        self.sum_wraps.next = (self.a.val() + 1) == self.b.val();
        self.difference_wraps.next = (self.a.val() - 1) > self.b.val();
        self.sum_cast.next = bit_cast::<5, 4>(self.a.val() + self.b.val());
        self.difference_cast.next = bit_cast::<8, 4>(self.a.val() - self.b.val());
        self.inverse_cast.next = bit_cast::<8, 4>(!self.a.val());
        self.inverse_compared.next = !self.a.val() == self.b.val();
        self.sum_shifted.next = (self.a.val() + self.b.val()) >> 1;
        self.sum_cut.next = bit_cast::<3, 4>(self.a.val() + self.b.val());
        self.x.next = self.a.val().get_bit(0);
        self.y.next = self.b.val().get_bit(0);
        self.z.next = self.a.val().get_bit(1);
        self.comparison_binds_tighter.next = self.x.val() & self.y.val() == self.z.val();
        self.shift_binds_looser.next = self.a.val() + self.b.val() << 1;
        self.reduction_beside_and.next = self.x.val() & self.b.val().all();
    }
}

#[test]
fn precedence_and_wrap_agree_on_all_inputs() {
    agree(Traps::default, (0..256).map(|number| TrapsIn { a: number & 15, b: number >> 4 }));
}

/// Blocks that assign only constants, once and in several steps, through a child as well.
#[derive(LogicBlock, Module)]
struct Constants {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub once: Signal<Out, Bits<4>>,
    pub twice: Signal<Out, Bits<4>>,
    pub in_steps: Signal<Out, Bits<4>>,
    pub configured: Signal<Out, Bit>,
    pub through_child: Signal<Out, Bits<4>>,
    enabled: Constant<Bit>,
    child: Follower,
    identity: Identity,
}

impl Default for Constants {
    fn default() -> Self {
        Constants {
            clock: Signal::default(),
            reset: Signal::default(),
            once: Signal::default(),
            twice: Signal::default(),
            in_steps: Signal::default(),
            configured: Signal::default(),
            through_child: Signal::default(),
            enabled: Constant::new(true),
            child: Follower::default(),
            identity: Identity::new("constants", "Constants", &[]),
        }
    }
}

impl Logic for Constants {
    #[hdl_gen]
    fn update(&mut self) {
        self.once.next = 5.into();
        self.twice.next = 1.into();
        self.twice.next = 6.into();
        self.in_steps.next = 0.into();
        self.in_steps.next = self.in_steps.val().replace_bit(3, true);
        self.in_steps.next = self.in_steps.val() + 1;
        self.configured.next = false;
        if self.enabled.val() {
            self.configured.next = true;
        }
        self.child.select.next = true;
        self.through_child.next = self.child.value.val();
    }
}

#[derive(LogicBlock)]
struct Follower {
    pub select: Signal<In, Bit>,
    pub value: Signal<Out, Bits<4>>,
    identity: Identity,
}

impl Default for Follower {
    fn default() -> Self {
        Follower {
            select: Signal::default(),
            value: Signal::default(),
            identity: Identity::new("follower", "Follower", &[]),
        }
    }
}

impl Logic for Follower {
    #[hdl_gen]
    fn update(&mut self) {
        self.value.next = 2.into();
        if self.select.val() {
            self.value.next = 7.into();
        }
    }
}

#[test]
fn blocks_of_constants_have_their_values_from_the_start() {
    let expected = ConstantsOut { once: 5, twice: 6, in_steps: 9, configured: true, through_child: 7 };
    let mut icarus = Icarus::new(&Constants::default()).unwrap();
    let mut verilated = Verilated::new(&Constants::default()).unwrap();
    assert_eq!(icarus.settle(&ConstantsIn {}), expected);
    assert_eq!(verilated.settle(&ConstantsIn {}), expected);
    agree(Constants::default, [ConstantsIn {}, ConstantsIn {}]);
}

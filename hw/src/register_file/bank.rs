//! Register bank: F §II.
//!
//! A single-ported memory of one register of a warp per row, and the stage that keeps, for the read
//! under way, which collector and slot it is for.
//!
//! Timing: one access per cycle. The value of a read in cycle t stands on `data` in cycle t + 1, with
//! `data_valid`, and is taken by the collector at the end of that cycle.

use gpurf_blocks::Parameters;
use rust_hdl::prelude::*;

use crate::dialect::{rtl, Identity, Memory, Module, Register};

/// `W`: data width in bits; `C`: bits of a collector's number.
#[derive(LogicBlock, Module)]
pub struct Bank<const W: usize, const C: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// At most one of `read` and `write` is high.
    pub read: Signal<In, Bit>,
    pub write: Signal<In, Bit>,
    pub row: Signal<In, Bits<8>>,
    pub write_data: Signal<In, Bits<W>>,
    /// Whom the read is for.
    pub collector: Signal<In, Bits<C>>,
    pub slot: Signal<In, Bits<3>>,

    pub data_valid: Signal<Out, Bit>,
    pub data_collector: Signal<Out, Bits<C>>,
    pub data_slot: Signal<Out, Bits<3>>,
    pub data: Signal<Out, Bits<W>>,

    memory: Memory<W>,
    under_way: Register<Bit>,
    collector_under_way: Register<Bits<C>>,
    slot_under_way: Register<Bits<3>>,
    identity: Identity,
}

impl<const W: usize, const C: usize> Bank<W, C> {
    /// `rows`: registers of warps that the bank holds, up to 256.
    pub fn new(parameters: &Parameters) -> Self {
        let Parameters { rows, .. } = *parameters;
        Bank {
            clock: Signal::default(),
            reset: Signal::default(),
            read: Signal::default(),
            write: Signal::default(),
            row: Signal::default(),
            write_data: Signal::default(),
            collector: Signal::default(),
            slot: Signal::default(),
            data_valid: Signal::default(),
            data_collector: Signal::default(),
            data_slot: Signal::default(),
            data: Signal::default(),
            memory: Memory::new(rows),
            under_way: Register::default(),
            collector_under_way: Register::default(),
            slot_under_way: Register::default(),
            identity: Identity::new(
                "bank",
                "Single-ported register bank (F II)",
                &[("w", W), ("rows", rows), ("collector", C)],
            ),
        }
    }
}

impl<const W: usize, const C: usize> Logic for Bank<W, C> {
    #[rtl]
    fn update(&mut self) {
        self.memory.clock.next = self.clock.val();
        self.memory.enable.next = self.read.val() | self.write.val();
        self.memory.write.next = self.write.val();
        self.memory.address.next = self.row.val();
        self.memory.write_data.next = self.write_data.val();

        self.under_way.clock.next = self.clock.val();
        self.under_way.reset.next = self.reset.val();
        self.under_way.enable.next = true;
        self.under_way.d.next = self.read.val();
        self.collector_under_way.clock.next = self.clock.val();
        self.collector_under_way.reset.next = self.reset.val();
        self.collector_under_way.enable.next = self.read.val();
        self.collector_under_way.d.next = self.collector.val();
        self.slot_under_way.clock.next = self.clock.val();
        self.slot_under_way.reset.next = self.reset.val();
        self.slot_under_way.enable.next = self.read.val();
        self.slot_under_way.d.next = self.slot.val();

        self.data_valid.next = self.under_way.q.val();
        self.data_collector.next = self.collector_under_way.q.val();
        self.data_slot.next = self.slot_under_way.q.val();
        self.data.next = self.memory.read_data.val();
    }
}

//! Pending-CTA register file (PCRF): R §V-D, §V-E, Fig. 11. The live registers of pending CTAs, each CTA's as
//! a chain.
//!
//! An entry is a register and a tag: end, next entry, warp (within the CTA), register index. R's valid bit is
//! the entry's flag in the [`super::FreeSpaceMonitor`], which says the same; it is not stored twice.
//!
//! * **Store**: a register of the CTA that goes out takes the entry that the monitor offers. An entry's tag
//!   names the next one, so the next entry is taken when an entry is written; a register that is not the last
//!   waits until there is one. The chain's first entry stays on `head` until the next chain begins.
//! * **Restore**: a walk from `walk_pointer` to the end bit. Each register stands on the output until it is
//!   accepted, and nothing moves meanwhile.
//! * **Free**: an entry is released when it is read. To free a chain and no more, accept and ignore it.
//!
//! Timing: a walk begun in cycle t shows its first register in t + `latency` (R §V-E: at least four cycles).
//! Where the next entry is stands in the tag, so an entry cannot be read before the one in front of it has
//! been: R's "retrieving the chain is pipelined" can only mean that other work goes on, unless next pointers
//! come out of a faster array. `next_latency` says when they come: with `latency` (the default) the registers
//! of a chain are `latency` cycles apart, with 1 they come in every cycle. The entry is released in the last
//! cycle of its read. Arrays are single-ported: a store takes a cycle in which nothing is read.
//! Address pipelines stand in for the slow arrays: the arrays' own read takes the last cycle.

use gpurf_blocks::Parameters;
use rust_hdl::prelude::*;

use crate::dialect::{array, rtl, Identity, Memory, Module, Register};

/// `W`: data width in bits; `P`: bits of a pointer.
#[derive(LogicBlock, Module)]
pub struct Pcrf<const W: usize, const P: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// Walk the chain that begins here; only while `walking` is low.
    pub walk: Signal<In, Bit>,
    pub walk_pointer: Signal<In, Bits<P>>,
    /// The register shown is taken.
    pub accept: Signal<In, Bit>,
    /// What the free space monitor offers.
    pub any_free: Signal<In, Bit>,
    pub first_free: Signal<In, Bits<P>>,
    /// A register for the chain under construction; it stands until `stored`.
    pub store: Signal<In, Bit>,
    /// It is the last one.
    pub store_last: Signal<In, Bit>,
    pub store_warp: Signal<In, Bits<5>>,
    pub store_register: Signal<In, Bits<6>>,
    pub store_data: Signal<In, Bits<W>>,

    /// A walk is under way.
    pub walking: Signal<Out, Bit>,
    /// A register of the chain; the fields hold their last value without one.
    pub restored: Signal<Out, Bit>,
    /// It is the last one.
    pub restored_last: Signal<Out, Bit>,
    pub restored_warp: Signal<Out, Bits<5>>,
    pub restored_register: Signal<Out, Bits<6>>,
    pub restored_data: Signal<Out, Bits<W>>,
    /// To the free space monitor: the offered entry is taken, this one is free again.
    pub take: Signal<Out, Bit>,
    pub free: Signal<Out, Bit>,
    pub free_entry: Signal<Out, Bits<P>>,
    /// The register is written in this cycle.
    pub stored: Signal<Out, Bit>,
    /// First entry of the chain stored last, or under construction.
    pub head: Signal<Out, Bits<P>>,

    advance: Signal<Local, Bit>,
    follow: Signal<Local, Bit>,
    /// Reads under way: those that begin in this cycle, those of the last cycle, and so on.
    stage: Vec<Signal<Local, Bit>>,
    stage_entry: Vec<Signal<Local, Bits<P>>>,
    under_way: Signal<Local, Bit>,
    next_read: Signal<Local, Bit>,
    next_entry: Signal<Local, Bits<P>>,
    data_read: Signal<Local, Bit>,
    read_entry: Signal<Local, Bits<P>>,
    begins: Signal<Local, Bit>,
    written: Signal<Local, Bit>,
    last_bit: Signal<Local, Bits<1>>,
    delay: Vec<Register<Bit>>,
    delay_entry: Vec<Register<Bits<P>>>,
    /// A next pointer, a register has been read.
    followed: Register<Bit>,
    shown: Register<Bit>,
    /// The entry that the next register is written to, and whether there is one.
    reserved: Register<Bit>,
    current: Register<Bits<P>>,
    first: Register<Bits<P>>,
    ends: Memory<1, P>,
    nexts: Memory<P, P>,
    warps: Memory<5, P>,
    registers: Memory<6, P>,
    data: Memory<W, P>,
    identity: Identity,
    _latency: usize,
    _next_latency: usize,
}

impl<const W: usize, const P: usize> Pcrf<W, P> {
    pub fn new(parameters: &Parameters) -> Self {
        let Parameters { pcrf_entries: entries, pcrf_latency: latency, next_latency, .. } = *parameters;
        assert!((1..=latency).contains(&next_latency), "next pointers come with the tag or before");
        Pcrf {
            clock: Signal::default(),
            reset: Signal::default(),
            walk: Signal::default(),
            walk_pointer: Signal::default(),
            accept: Signal::default(),
            any_free: Signal::default(),
            first_free: Signal::default(),
            store: Signal::default(),
            store_last: Signal::default(),
            store_warp: Signal::default(),
            store_register: Signal::default(),
            store_data: Signal::default(),
            walking: Signal::default(),
            restored: Signal::default(),
            restored_last: Signal::default(),
            restored_warp: Signal::default(),
            restored_register: Signal::default(),
            restored_data: Signal::default(),
            take: Signal::default(),
            free: Signal::default(),
            free_entry: Signal::default(),
            stored: Signal::default(),
            head: Signal::default(),
            advance: Signal::default(),
            follow: Signal::default(),
            stage: array(latency),
            stage_entry: array(latency),
            under_way: Signal::default(),
            next_read: Signal::default(),
            next_entry: Signal::default(),
            data_read: Signal::default(),
            read_entry: Signal::default(),
            begins: Signal::default(),
            written: Signal::default(),
            last_bit: Signal::default(),
            delay: array(latency - 1),
            delay_entry: array(latency - 1),
            followed: Register::default(),
            shown: Register::default(),
            reserved: Register::default(),
            current: Register::default(),
            first: Register::default(),
            ends: Memory::new(entries),
            nexts: Memory::new(entries),
            warps: Memory::new(entries),
            registers: Memory::new(entries),
            data: Memory::new(entries),
            identity: Identity::new(
                "pcrf",
                "Pending-CTA register file (R V-D)",
                &[("w", W), ("entries", entries), ("latency", latency), ("next", next_latency)],
            ),
            _latency: latency,
            _next_latency: next_latency,
        }
    }
}

impl<const W: usize, const P: usize> Logic for Pcrf<W, P> {
    #[rtl]
    fn update(&mut self) {
        // Reads: each stage hands on to the next unless a register waits to be accepted.
        self.advance.next = !self.shown.q.val() | self.accept.val();
        self.follow.next = self.followed.q.val() & !self.ends.read_data.val().any();
        self.stage[0].next = self.walk.val() | self.follow.val();
        self.stage_entry[0].next = self.walk_pointer.val();
        if self.follow.val() {
            self.stage_entry[0].next = self.nexts.read_data.val();
        }
        for s in 0..self._latency - 1 {
            self.delay[s].clock.next = self.clock.val();
            self.delay[s].reset.next = self.reset.val();
            self.delay[s].enable.next = self.advance.val();
            self.delay[s].d.next = self.stage[s].val();
            self.delay_entry[s].clock.next = self.clock.val();
            self.delay_entry[s].reset.next = self.reset.val();
            self.delay_entry[s].enable.next = self.advance.val() & self.stage[s].val();
            self.delay_entry[s].d.next = self.stage_entry[s].val();
            self.stage[s + 1].next = self.delay[s].q.val();
            self.stage_entry[s + 1].next = self.delay_entry[s].q.val();
        }
        self.under_way.next = false;
        for s in 0..self._latency {
            self.under_way.next = self.under_way.val() | self.stage[s].val();
        }
        self.next_read.next = false;
        self.next_entry.next = 0.into();
        for s in self._next_latency - 1..self._next_latency {
            self.next_read.next = self.stage[s].val() & self.advance.val();
            self.next_entry.next = self.stage_entry[s].val();
        }
        self.data_read.next = false;
        self.read_entry.next = 0.into();
        for s in self._latency - 1..self._latency {
            self.data_read.next = self.stage[s].val() & self.advance.val();
            self.read_entry.next = self.stage_entry[s].val();
        }
        self.followed.clock.next = self.clock.val();
        self.followed.reset.next = self.reset.val();
        self.followed.enable.next = self.advance.val();
        self.followed.d.next = self.next_read.val();
        self.shown.clock.next = self.clock.val();
        self.shown.reset.next = self.reset.val();
        self.shown.enable.next = self.advance.val();
        self.shown.d.next = self.data_read.val();
        self.walking.next = self.under_way.val() | self.shown.q.val();
        self.free.next = self.data_read.val();
        self.free_entry.next = 0.into();
        if self.data_read.val() {
            self.free_entry.next = self.read_entry.val();
        }
        self.restored.next = self.shown.q.val();
        self.restored_last.next = self.shown.q.val() & !self.under_way.val();
        self.restored_warp.next = self.warps.read_data.val();
        self.restored_register.next = self.registers.read_data.val();
        self.restored_data.next = self.data.read_data.val();

        // Stores: an entry is reserved for the first register, and one for the next with each that is written.
        self.begins.next = (self.store.val() & !self.reserved.q.val()) & self.any_free.val();
        self.written.next = (self.store.val() & self.reserved.q.val())
            & (!(self.next_read.val() | self.data_read.val())
                & (self.store_last.val() | self.any_free.val()));
        self.stored.next = self.written.val();
        self.take.next = self.begins.val() | (self.written.val() & !self.store_last.val());
        self.reserved.clock.next = self.clock.val();
        self.reserved.reset.next = self.reset.val();
        self.reserved.enable.next = self.begins.val() | self.written.val();
        self.reserved.d.next = self.begins.val() | !self.store_last.val();
        self.current.clock.next = self.clock.val();
        self.current.reset.next = self.reset.val();
        self.current.enable.next = self.take.val();
        self.current.d.next = self.first_free.val();
        self.first.clock.next = self.clock.val();
        self.first.reset.next = self.reset.val();
        self.first.enable.next = self.begins.val();
        self.first.d.next = self.first_free.val();
        self.head.next = self.first.q.val();

        // The arrays.
        self.last_bit.next = 0.into();
        if self.store_last.val() {
            self.last_bit.next = 1.into();
        }
        self.ends.clock.next = self.clock.val();
        self.ends.enable.next = self.next_read.val() | self.written.val();
        self.ends.write.next = self.written.val();
        self.ends.address.next = self.next_entry.val();
        self.ends.write_data.next = self.last_bit.val();
        self.nexts.clock.next = self.clock.val();
        self.nexts.enable.next = self.next_read.val() | self.written.val();
        self.nexts.write.next = self.written.val();
        self.nexts.address.next = self.next_entry.val();
        self.nexts.write_data.next = self.first_free.val();
        self.warps.clock.next = self.clock.val();
        self.warps.enable.next = self.data_read.val() | self.written.val();
        self.warps.write.next = self.written.val();
        self.warps.address.next = self.read_entry.val();
        self.warps.write_data.next = self.store_warp.val();
        self.registers.clock.next = self.clock.val();
        self.registers.enable.next = self.data_read.val() | self.written.val();
        self.registers.write.next = self.written.val();
        self.registers.address.next = self.read_entry.val();
        self.registers.write_data.next = self.store_register.val();
        self.data.clock.next = self.clock.val();
        self.data.enable.next = self.data_read.val() | self.written.val();
        self.data.write.next = self.written.val();
        self.data.address.next = self.read_entry.val();
        self.data.write_data.next = self.store_data.val();
        if self.written.val() {
            self.ends.address.next = self.current.q.val();
            self.nexts.address.next = self.current.q.val();
            self.warps.address.next = self.current.q.val();
            self.registers.address.next = self.current.q.val();
            self.data.address.next = self.current.q.val();
        }
    }
}

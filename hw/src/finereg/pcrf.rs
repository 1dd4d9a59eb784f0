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
//! come out of a faster array. `next_latency` says when they come: with 1 (the default) the registers of a chain come in
//! every cycle, with `latency` they are `latency` cycles apart. The entry is released in the last
//! cycle of its read. Address pipelines stand in for the slow arrays: the arrays' own read takes the last cycle.
//!
//! R splits one register file into ACRF and PCRF, so that the PCRF consists of many single-ported banks, and a register
//! that comes seldom meets one that goes in the same bank. It is built here as a memory with a read port and a write
//! port. With `pcrf_ports=1` it is as if it were one bank: a store waits for a cycle in which nothing is read.

use rust_hdl::prelude::*;

use crate::dialect::{block, rtl, Register, TwoPortMemory};
use crate::watch;

/// `W`: data width in bits; `P`: bits of a pointer.
#[block(
    title = "Pending-CTA register file",
    paper = "R §V-D",
    parameters(width, pcrf_entries, pcrf_latency, next_latency, pcrf_ports),
    sizes(latency = pcrf_latency, next_latency)
)]
pub struct Pcrf<const W: usize, const P: usize> {
    /// Walk the chain that begins here; only while `walking` is low.
    pub walk: In<Bit>,
    /// Walk the chain that begins here; only while `walking` is low.
    pub walk_pointer: In<Bits<P>>,
    /// The register shown is taken.
    pub accept: In<Bit>,
    /// What the free space monitor offers.
    pub any_free: In<Bit>,
    /// What the monitor offers.
    pub first_free: In<Bits<P>>,
    /// A register for the chain under construction; it stands until `stored`.
    pub store: In<Bit>,
    /// It is the last one.
    pub store_last: In<Bit>,
    /// The register.
    pub store_warp: In<Bits<5>>,
    /// The register.
    pub store_register: In<Bits<6>>,
    /// The register.
    pub store_data: In<Bits<W>>,

    /// A walk is under way.
    pub walking: Out<Bit>,
    /// A register of the chain; the fields hold their last value without one.
    pub restored: Out<Bit>,
    /// It is the last one.
    pub restored_last: Out<Bit>,
    /// The register, or the one shown last.
    pub restored_warp: Out<Bits<5>>,
    /// The register, or the one shown last.
    pub restored_register: Out<Bits<6>>,
    /// The register, or the one shown last.
    pub restored_data: Out<Bits<W>>,
    /// To the free space monitor: the offered entry is taken, this one is free again.
    pub take: Out<Bit>,
    /// This entry is free again.
    pub free: Out<Bit>,
    /// This entry is free again.
    pub free_entry: Out<Bits<P>>,
    /// The register is written in this cycle.
    pub stored: Out<Bit>,
    /// First entry of the chain stored last, or under construction.
    pub head: Out<Bits<P>>,

    advance: Local<Bit>,
    follow: Local<Bit>,
    /// Reads under way: those that begin in this cycle, those of the last cycle, and so on.
    stage: Local<[Bit; latency]>,
    stage_entry: Local<[Bits<P>; latency]>,
    under_way: Local<Bit>,
    next_read: Local<Bit>,
    next_entry: Local<Bits<P>>,
    value_read: Local<Bit>,
    read_entry: Local<Bits<P>>,
    begins: Local<Bit>,
    /// The arrays' one port is in use.
    is_read: Local<Bit>,
    written: Local<Bit>,
    last_bit: Local<Bits<1>>,
    delay: Register<[Bit; latency - 1]>,
    delay_entry: Register<[Bits<P>; latency - 1]>,
    /// A next pointer, a register has been read.
    followed: Register<Bit>,
    shown: Register<Bit>,
    /// The entry that the next register is written to, and whether there is one.
    reserved: Register<Bit>,
    current: Register<Bits<P>>,
    first: Register<Bits<P>>,
    #[new(TwoPortMemory::new(pcrf_entries))]
    ends: TwoPortMemory<1, P>,
    #[new(TwoPortMemory::new(pcrf_entries))]
    nexts: TwoPortMemory<P, P>,
    #[new(TwoPortMemory::new(pcrf_entries))]
    warps: TwoPortMemory<5, P>,
    #[new(TwoPortMemory::new(pcrf_entries))]
    registers: TwoPortMemory<6, P>,
    #[new(TwoPortMemory::new(pcrf_entries))]
    data: TwoPortMemory<W, P>,
    /// A register is stored while none is read.
    #[value(pcrf_ports == 1)]
    takes_turns: Constant<Bit>,
}

watch!(Pcrf<W, P>: [
    "store(register = store_register, warp = store_warp) if stored: store R{register} of warp {warp}",
    "restore(register = restored_register, warp = restored_warp) if restored && accept: restore R{register} of warp {warp}",
    "valid restored_register restored_warp restored_data restored_last if restored",
    "valid store_register store_warp store_data store_last if store",
]);

impl<const W: usize, const P: usize> Logic for Pcrf<W, P> {
    #[rtl]
    fn update(&mut self) {
        // Reads: each stage hands on to the next unless a register waits to be accepted.
        self.advance.next = !self.shown.val() | self.accept.val();
        self.follow.next = self.followed.val() & !self.ends.read_data.val().any();
        self.stage[0].next = self.walk.val() | self.follow.val();
        self.stage_entry[0].next = self.walk_pointer.val();
        if self.follow.val() {
            self.stage_entry[0].next = self.nexts.read_data.val();
        }
        for s in 0..latency - 1 {
            self.delay[s].load(self.advance.val(), self.stage[s].val());
            self.delay_entry[s].load(self.advance.val() & self.stage[s].val(), self.stage_entry[s].val());
            self.stage[s + 1].next = self.delay[s].val();
            self.stage_entry[s + 1].next = self.delay_entry[s].val();
        }
        self.under_way.next = false;
        for s in 0..latency {
            self.under_way.next = self.under_way.val() | self.stage[s].val();
        }
        self.next_read.next = false;
        self.next_entry.next = 0.into();
        for s in next_latency - 1..next_latency {
            self.next_read.next = self.stage[s].val() & self.advance.val();
            self.next_entry.next = self.stage_entry[s].val();
        }
        self.value_read.next = false;
        self.read_entry.next = 0.into();
        for s in latency - 1..latency {
            self.value_read.next = self.stage[s].val() & self.advance.val();
            self.read_entry.next = self.stage_entry[s].val();
        }
        self.followed.load(self.advance.val(), self.next_read.val());
        self.shown.load(self.advance.val(), self.value_read.val());
        self.walking.next = self.under_way.val() | self.shown.val();
        self.free.next = self.value_read.val();
        self.free_entry.next = 0.into();
        if self.value_read.val() {
            self.free_entry.next = self.read_entry.val();
        }
        self.restored.next = self.shown.val();
        self.restored_last.next = self.shown.val() & !self.under_way.val();
        self.restored_warp.next = self.warps.read_data.val();
        self.restored_register.next = self.registers.read_data.val();
        self.restored_data.next = self.data.read_data.val();

        // Stores: an entry is reserved for the first register, and one for the next with each that is written.
        self.begins.next = (self.store.val() & !self.reserved.val()) & self.any_free.val();
        self.is_read.next = (self.next_read.val() | self.value_read.val()) & self.takes_turns.val();
        self.written.next = (self.store.val() & self.reserved.val())
            & (!self.is_read.val() & (self.store_last.val() | self.any_free.val()));
        self.stored.next = self.written.val();
        self.take.next = self.begins.val() | (self.written.val() & !self.store_last.val());
        self.reserved
            .load(self.begins.val() | self.written.val(), self.begins.val() | !self.store_last.val());
        self.current.load(self.take.val(), self.first_free.val());
        self.first.load(self.begins.val(), self.first_free.val());
        self.head.next = self.first.val();

        // The arrays.
        self.last_bit.next = 0.into();
        if self.store_last.val() {
            self.last_bit.next = 1.into();
        }
        self.ends.read.next = self.next_read.val();
        self.ends.read_address.next = self.next_entry.val();
        self.ends.write.next = self.written.val();
        self.ends.write_address.next = self.current.val();
        self.ends.write_data.next = self.last_bit.val();
        self.nexts.read.next = self.next_read.val();
        self.nexts.read_address.next = self.next_entry.val();
        self.nexts.write.next = self.written.val();
        self.nexts.write_address.next = self.current.val();
        self.nexts.write_data.next = self.first_free.val();
        self.warps.read.next = self.value_read.val();
        self.warps.read_address.next = self.read_entry.val();
        self.warps.write.next = self.written.val();
        self.warps.write_address.next = self.current.val();
        self.warps.write_data.next = self.store_warp.val();
        self.registers.read.next = self.value_read.val();
        self.registers.read_address.next = self.read_entry.val();
        self.registers.write.next = self.written.val();
        self.registers.write_address.next = self.current.val();
        self.registers.write_data.next = self.store_register.val();
        self.data.read.next = self.value_read.val();
        self.data.read_address.next = self.read_entry.val();
        self.data.write.next = self.written.val();
        self.data.write_address.next = self.current.val();
        self.data.write_data.next = self.store_data.val();
    }
}

// SPDX-License-Identifier: Apache-2.0
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
//! come out of a faster array. `next_latency` says when they come: with 1 (the default) the registers of a
//! chain come in every cycle, with `latency` they are `latency` cycles apart. The entry is released in the
//! last cycle of its read. Address pipelines stand in for the slow arrays: the arrays' own read takes the
//! last cycle.
//!
//! R splits one register file into ACRF and PCRF, so that the PCRF consists of many single-ported banks, and
//! a register that comes seldom meets one that goes in the same bank. It is built here as a memory with a
//! read port and a write port. With `pcrf_ports=1` it is as if it were one bank: a store waits for a cycle in
//! which nothing is read.

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
    /// A chain is walked; only while `walking` is low.
    pub walk: In<Bit>,
    /// First entry of the chain that is walked.
    pub walk_pointer: In<Bits<P>>,
    /// The register shown is taken.
    pub accept: In<Bit>,
    /// The free space monitor has a free entry.
    pub any_free: In<Bit>,
    /// Entry that the free space monitor offers.
    pub first_free: In<Bits<P>>,
    /// A register for the chain under construction; it stands until `stored`.
    pub store: In<Bit>,
    /// The register to be stored is the last one of its chain.
    pub store_last: In<Bit>,
    /// Warp of the register to be stored.
    pub store_warp: In<Bits<5>>,
    /// Number of the register to be stored.
    pub store_register: In<Bits<6>>,
    /// Value of the register to be stored.
    pub store_data: In<Bits<W>>,

    /// A walk is under way.
    pub walking: Out<Bit>,
    /// A register of the chain is shown; the fields hold their last value without one.
    pub restored: Out<Register<Bit>>,
    /// The register shown is the last one of its chain.
    pub restored_last: Out<Bit>,
    /// Warp of the register shown, or shown last.
    pub restored_warp: Out<Bits<5>>,
    /// Number of the register shown, or shown last.
    pub restored_register: Out<Bits<6>>,
    /// Value of the register shown, or shown last.
    pub restored_data: Out<Bits<W>>,
    /// To the free space monitor: the offered entry is taken.
    pub take: Out<Bit>,
    /// To the free space monitor: an entry is free again.
    pub free: Out<Bit>,
    /// Entry that is free again.
    pub free_entry: Out<Bits<P>>,
    /// The register is written in this cycle.
    pub stored: Out<Bit>,
    /// First entry of the chain stored last, or under construction.
    pub head: Out<Register<Bits<P>>>,

    /// Reads under way: those that begin in this cycle, those of the last cycle, and so on.
    stage: Local<[Bit; latency]>,
    stage_entry: Local<[Bits<P>; latency]>,
    under_way: Local<Bit>,
    next_read: Local<Bit>,
    next_entry: Local<Bits<P>>,
    value_read: Local<Bit>,
    read_entry: Local<Bits<P>>,
    written: Local<Bit>,
    delay: Register<[Bit; latency - 1]>,
    delay_entry: Register<[Bits<P>; latency - 1]>,
    /// A next pointer, a register has been read.
    followed: Register<Bit>,
    /// The entry that the next register is written to, and whether there is one.
    reserved: Register<Bit>,
    current: Register<Bits<P>>,
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
    "fault if take && !any_free: an entry is taken, and none is free",
]);

#[rtl]
impl<const W: usize, const P: usize> Pcrf<W, P> {
    /// Reads: each stage hands on to the next unless a register waits to be accepted.
    fn reads() {
        let advance: Bit = !restored | accept;
        let follow: Bit = followed & !ends.read_data.any();
        stage[0] = walk | follow;
        stage_entry[0] = if follow { nexts.read_data } else { walk_pointer };
        for s in 0..latency - 1 {
            delay[s].load(advance, stage[s]);
            delay_entry[s].load(advance & stage[s], stage_entry[s]);
            stage[s + 1] = delay[s];
            stage_entry[s + 1] = delay_entry[s];
        }
        under_way = false;
        for s in 0..latency {
            under_way |= stage[s];
        }
        next_read = false;
        next_entry = 0;
        for s in next_latency - 1..next_latency {
            next_read = stage[s] & advance;
            next_entry = stage_entry[s];
        }
        value_read = false;
        read_entry = 0;
        for s in latency - 1..latency {
            value_read = stage[s] & advance;
            read_entry = stage_entry[s];
        }
        if advance {
            followed = next_read;
            restored = value_read;
        }
        walking = under_way | restored;
        free = value_read;
        free_entry = if value_read { read_entry } else { 0 };
        restored_last = restored & !under_way;
        restored_warp = warps.read_data;
        restored_register = registers.read_data;
        restored_data = data.read_data;
    }

    /// Stores: an entry is reserved for the first register, and one for the next with each that is written.
    fn stores() {
        let begins: Bit = (store & !reserved) & any_free;
        /// The arrays' one port is in use.
        let is_read: Bit = (next_read | value_read) & takes_turns;
        written = (store & reserved) & (!is_read & (store_last | any_free));
        stored = written;
        take = begins | (written & !store_last);
        reserved.load(begins | written, begins | !store_last);
        current.load(take, first_free);
        head.load(begins, first_free);
    }

    /// The arrays.
    fn arrays() {
        let last_bit: Bits<1> = if store_last { 1 } else { 0 };
        connect!(ends {
            read: next_read, read_address: next_entry, write: written, write_address: current,
            write_data: last_bit,
        });
        connect!(nexts {
            read: next_read, read_address: next_entry, write: written, write_address: current,
            write_data: first_free,
        });
        connect!(warps {
            read: value_read, read_address: read_entry, write: written, write_address: current,
            write_data: store_warp,
        });
        connect!(registers {
            read: value_read, read_address: read_entry, write: written, write_address: current,
            write_data: store_register,
        });
        connect!(data {
            read: value_read, read_address: read_entry, write: written, write_address: current,
            write_data: store_data,
        });
    }
}

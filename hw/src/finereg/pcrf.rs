// SPDX-License-Identifier: Apache-2.0
//! Pending-CTA register file (PCRF) of FineReg: R §V-D, §V-E, Fig. 11.
//!
//! It holds the live registers of pending CTAs, each CTA's as a chain of entries.
//!
//! An entry is a register and a tag {end, next entry, warp within the CTA, register}. The tag's valid bit is
//! the entry's flag in the [free_space_monitor](free_space_monitor.md).
//!
//! - **Store**: a register takes the entry that the monitor offers. Its tag names the next one, so the next
//!   entry is taken with each write. A register that is not the last waits until there is one.
//! - **Restore**: a walk goes from a pointer to the end bit. Each register stands on the output until it is
//!   accepted, and nothing moves meanwhile.
//! - **Free**: an entry is freed when it is read. To free a chain, accept its registers and ignore them.
//!
//! # Timing
//!
//! A walk begun in cycle t shows its first register in t + `pcrf_latency`, the others `next_latency` apart.
//! An entry is freed in the last cycle of its read and can be taken in the next. A store takes one cycle,
//! with `pcrf_ports=1` one in which nothing is read. The first of a chain takes one more, to reserve its
//! entry.
//!
//! The chain 0, 1, 4 of R Fig. 11, with both latencies 4:
//!
//! ```text
//! cycle        0    1    2    3    4    5    6    7    8    9    10   11   12
//! walk         0    -
//! free_entry   -    -    -    0    -    -    -    1    -    -    -    4    -
//! restored     0    0    0    0    1    0    0    0    1    0    0    0    1
//! ```
//!
//! # Decisions
//!
//! - **A chain is a dependent chain.** R §V-E: a tag takes at least four cycles, and "retrieving the chain of
//!   live registers is pipelined". So the default has next pointers and end bits in an array of their own
//!   that reads in one cycle. A register then comes in every cycle. With `next_latency=4` one entry follows
//!   another in four cycles, and 100 registers take 400. R's "several hundreds of clock cycles" for a chain
//!   agrees better with that.
//! - **The valid bit is the monitor's flag.** Both say that an entry is in use. A second bit would need a
//!   write with every read.
//! - **A read and a store in a cycle.** The PCRF is a part of the register file (R §V-D), and so consists of
//!   single-ported banks. A register that comes and one that goes seldom meet in the same one. It is built as
//!   arrays with a read port and a write port; with `pcrf_ports=1` they are as one bank, and stores wait for
//!   reads.
//! - **Slow arrays are address pipelines** in front of arrays that read in one cycle: 3 stages of an address
//!   instead of 3 stages of 1024 bits.
//! - **An entry is freed when it is read**, not when it has been written to the ACRF: its register stands in
//!   the output register meanwhile, and a full PCRF can exchange registers.
//!
//! # Storage
//!
//! Let p be log2 `pcrf_entries`. The memory has `pcrf_entries` × (`width` + p + 12) bits: with 1024 entries
//! 22 bits of tag each, and the monitor's flag is the 23rd. R §V-F counts 21
//! ([claims](overheads_more.md#r-finereg)). The registers have (`pcrf_latency` − 1) × (p + 1) + 2 p + 3 bits.

use rust_hdl::prelude::*;

use crate::dialect::{block, rtl, Register, TwoPortMemory};
use crate::{monitor, watch};

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
    "misuse if walk && restored: a walk begins while another is under way",
    "fault if take && !any_free: an entry is taken, and none is free",
]);

monitor!(Pcrf<W, P>: "pcrf_monitor.v");

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
            read: next_read,
            read_address: next_entry,
            write: written,
            write_address: current,
            write_data: last_bit,
        });
        connect!(nexts {
            read: next_read,
            read_address: next_entry,
            write: written,
            write_address: current,
            write_data: first_free,
        });
        connect!(warps {
            read: value_read,
            read_address: read_entry,
            write: written,
            write_address: current,
            write_data: store_warp,
        });
        connect!(registers {
            read: value_read,
            read_address: read_entry,
            write: written,
            write_address: current,
            write_data: store_register,
        });
        connect!(data {
            read: value_read,
            read_address: read_entry,
            write: written,
            write_address: current,
            write_data: store_data,
        });
    }
}

// SPDX-License-Identifier: Apache-2.0
//! Register management unit (RMU) of FineReg: R §V-C, §V-E, Fig. 10.
//!
//! It moves the live registers of a stalled CTA out of the register file of active CTAs (ACRF) into the PCRF.
//! It moves those of a pending CTA back.
//!
//! It joins [live_register_cache](live_register_cache.md),
//! [register_index_decoder](register_index_decoder.md), [pcrf_pointer_table](pcrf_pointer_table.md),
//! [free_space_monitor](free_space_monitor.md), [exchange_buffer](exchange_buffer.md) and the
//! [pcrf](pcrf.md). A request names a CTA that goes out (`store`), one that comes in (`restore`), or both.
//! Then, in this order:
//!
//! 1. **Look up**: the live-register vector of each warp of the outgoing CTA is looked up by the warp's PC.
//! 2. **Check** (R §V-E): the free entries, with those that the incoming CTA frees, must suffice for the live
//!    registers of the outgoing one. Else the request is refused, and nothing has moved.
//! 3. **Move**: the incoming chain is walked, a register a cycle. Meanwhile the live registers of the
//!    outgoing CTA are read into the exchange buffer and stored, a register a cycle, warp by warp. A register
//!    that comes back waits while its row holds one that has to be saved, and that one goes next.
//!
//! With `streams` off the outgoing CTA's registers follow the others, one at a time, except for those that
//! are in the way.
//!
//! # Timing
//!
//! With memory and ACRF always ready, an ACRF that answers a read in the next cycle, and vectors in the
//! cache:
//!
//! | step | cycles |
//! |---|---|
//! | request | 1 |
//! | look up | 2 per warp; a miss takes 2 more and what memory takes |
//! | check | 1 |
//! | restore | `pcrf_latency` until the first register; `next_latency` for each of the others; while one is in the way, until the ACRF has answered its read |
//! | save, at the same time (without `streams` after it, and 1 more) | 2 per warp, 1 per register; where another warp's register is in the way, 3 to change to that warp |
//! | end | 2 after the last register was read, the second with `done`; `ready` in the next |
//!
//! The order of the two chains decides. Where both agree, 64 registers change places with 64 in 81 to 88
//! cycles. Where each register that comes back is in the way of one whose turn has not come, it takes four
//! cycles. That is the bound, and the scenario `a_chain_in_another_order` holds it.
//!
//! Two reads may be under way. An answer goes to the PCRF in the cycle in which it comes, or into the buffer
//! if the PCRF cannot take it. So a register is stored in every cycle if the ACRF answers in the next cycle,
//! or in the one after as in the [SM](finereg.md#in-the-sm).
//!
//! # Decisions
//!
//! R says that the incoming registers are restored "meanwhile, the live registers of stalled CTA are
//! transferred". It does not say how the two keep out of each other's way.
//!
//! - **Save before overwriting.** The incoming CTA takes over the outgoing one's ACRF space (R §IV-A), so the
//!   same warp and register of both name one row. The PCRF's output register holds the incoming value while
//!   the buffer takes what is in the way.
//! - **Which is in the way** is read off the decoder, which has the vector of the warp that is being saved.
//!   If the register that comes back is of another warp, the decoder's vector goes back to the memory, and
//!   that warp's is loaded. Both CTAs go through their warps in the same order, so this is rare.
//! - **It never blocks.** A register that comes in frees its entry before it makes another one move, and
//!   makes at most one move. Registers that are in nobody's way are read only while more than three entries
//!   are free, or after the walk: two in the buffer and one read then find entries. So a CTA that fits only
//!   into what the other frees is exchanged register by register.
//! - **Two registers in the buffer.** R's has 128 bytes, which is one register. With it each register would
//!   take the ACRF's whole answer time.
//! - **A start before the end** of the incoming CTA, as soon as its own registers are in, is not built: its
//!   rows may still hold registers to be saved.
//! - **A memory for the vectors.** They are needed twice, to count and to save, and out of order. R's Fig. 10
//!   has no place for them. 32 × 64 bits, which R does not count.
//! - **The order of the registers** is that of the warps and of the register numbers, apart from those in the
//!   way. [Another order](hardware_notes.md#the-order-in-which-registers-leave) brought nothing.
//! - **A count that does not fit** saturates ([pcrf_pointer_table](pcrf_pointer_table.md)): more switches are
//!   refused, and no register is lost.
//! - **A CTA that has been restored** is no longer in the table: a second time, nothing comes back.
//! - **Discard** is ours, for a CTA that is given up.
//!
//! # Storage
//!
//! Besides its six parts, the unit keeps the vectors (2,048 bits of memory) and its control.

use gpurf_blocks::CTA_WARPS;
use rust_hdl::prelude::*;

use super::{
    ExchangeBuffer, FreeSpaceMonitor, LiveRegisterCache, Pcrf, PcrfPointerTable, RegisterIndexDecoder,
};
use crate::dialect::{block, rtl, Memory, Register};
use crate::watch;

/// Where the unit stands in a switch.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum RmuState {
    /// No switch is under way.
    Idle,
    /// Vectors of the outgoing CTA's warps.
    LookUp,
    /// The check that there is room for its live registers.
    Check,
    /// The next warp to be saved.
    Select,
    /// Its vector.
    Load,
    /// Its registers.
    Drain,
    /// A register comes back that is in the way of another warp's: the rest of the vector goes back.
    Return,
}

/// `W`: data width in bits; `P`: bits of a PCRF pointer.
#[block(
    title = "Register management unit",
    paper = "R §V-C, V-E",
    parameters(width, pcrf_entries, ctas, pcrf_latency, next_latency, pcrf_ports, count_bits, streams)
)]
pub struct Rmu<const W: usize, const P: usize> {
    /// A switch, taken if `ready` is high, with what goes out and what comes in.
    pub request: In<Bit>,
    /// A CTA goes out: its live registers move to the PCRF.
    pub store: In<Bit>,
    /// CTA that goes out.
    pub outgoing: In<Bits<7>>,
    /// A CTA comes in: its registers move to the ACRF. It must have been stored.
    pub restore: In<Bit>,
    /// CTA that comes in; it must have been stored.
    pub incoming: In<Bits<7>>,
    /// The incoming CTA's registers are freed and not written.
    pub discard: In<Bit>,
    /// A warp of the outgoing CTA that has not ended, taken if `warp_ready` is high. At least one of each
    /// CTA.
    pub warp_valid: In<Bit>,
    /// Number of the warp within the outgoing CTA.
    pub warp: In<Bits<5>>,
    /// PC of the warp, whose live registers move.
    pub pc: In<Bits<32>>,
    /// The warp is the last one of the outgoing CTA.
    pub warp_last: In<Bit>,
    /// Memory takes the request for a vector, and answers it in a later cycle.
    pub memory_ready: In<Bit>,
    /// Memory answers the request that it took, in a later cycle.
    pub memory_answer: In<Bit>,
    /// Memory's answer: bit r is high if register r is live.
    pub memory_low: In<Bits<32>>,
    /// Memory's answer: bit r is high if register 32 + r is live.
    pub memory_high: In<Bits<32>>,
    /// The ACRF takes the read, and answers it in a later cycle.
    pub acrf_read_ready: In<Bit>,
    /// The ACRF answers the first read that it has not answered. Two may be under way, with `streams` off
    /// one.
    pub acrf_answer: In<Bit>,
    /// Value of the register that the ACRF has read.
    pub acrf_answer_data: In<Bits<W>>,
    /// The ACRF takes the write.
    pub acrf_write_ready: In<Bit>,

    /// No switch is under way.
    pub ready: Out<Bit>,
    /// The switch ends in this cycle.
    pub done: Out<Bit>,
    /// The outgoing CTA does not fit: nothing has been moved.
    pub refused: Out<Bit>,
    /// Live registers of the outgoing CTA, with `done` or `refused`; zero if there is none.
    pub live_count: Out<Bits<12>>,
    /// A warp can be looked up.
    pub warp_ready: Out<Bit>,
    /// The vector of this PC is asked for.
    pub memory_request: Out<Bit>,
    /// The PC whose vector is asked for.
    pub memory_pc: Out<Bits<32>>,
    /// A register is to be read; it stands until taken, or until one goes before it that is in the way.
    pub acrf_read: Out<Bit>,
    /// Warp of the register to be read; zero without a read.
    pub acrf_read_warp: Out<Bits<5>>,
    /// Number of the register to be read; zero without a read.
    pub acrf_read_register: Out<Bits<6>>,
    /// A register is to be written; it stands until taken.
    pub acrf_write: Out<Bit>,
    /// Warp of the register to be written. Without a write, warp, register and data are what the PCRF shows.
    pub acrf_write_warp: Out<Bits<5>>,
    /// Number of the register to be written.
    pub acrf_write_register: Out<Bits<6>>,
    /// Value of the register to be written.
    pub acrf_write_data: Out<Bits<W>>,
    /// Free entries of the PCRF.
    pub free_count: Out<Bits<12>>,
    /// Event: a vector is in the cache of live registers.
    pub cache_hit: Out<Bit>,
    /// Event: a vector is not in the cache of live registers.
    pub cache_miss: Out<Bit>,
    /// Event: the PCRF reads an entry.
    pub pcrf_read: Out<Bit>,
    /// Event: the PCRF writes an entry.
    pub pcrf_write: Out<Bit>,

    is_idle: Local<Bit>,
    is_look: Local<Bit>,
    is_check: Local<Bit>,
    is_select: Local<Bit>,
    is_load: Local<Bit>,
    is_drain: Local<Bit>,
    is_return: Local<Bit>,
    accepted: Local<Bit>,
    population: Local<Bits<12>>,
    chain: Local<Bit>,
    begins: Local<Bit>,
    elsewhere: Local<Bit>,
    moved: Local<Bit>,
    reads: Local<Bit>,
    next_warp: Local<Bits<5>>,
    selects: Local<Bit>,
    finish: Local<Bit>,

    vectors: LiveRegisterCache,
    decoder: RegisterIndexDecoder,
    pointers: PcrfPointerTable<P>,
    monitor: FreeSpaceMonitor<P>,
    exchange: ExchangeBuffer<W>,
    pcrf: Pcrf<W, P>,
    /// Vectors of the outgoing CTA, less what is saved: a row per warp, which holds one if the warp's bit is
    /// set.
    #[new(Memory::new(CTA_WARPS))]
    live_low: Memory<32, 5>,
    #[new(Memory::new(CTA_WARPS))]
    live_high: Memory<32, 5>,
    present: Register<Bits<32>>,

    state: Register<RmuState>,
    stores: Register<Bit>,
    restores: Register<Bit>,
    discards: Register<Bit>,
    outgoing_cta: Register<Bits<7>>,
    incoming_cta: Register<Bits<7>>,
    /// The warp looked up.
    looking: Register<Bit>,
    looked_warp: Register<Bits<5>>,
    looked_last: Register<Bit>,
    count: Register<Bits<12>>,
    /// Registers that are not in the PCRF yet.
    remaining: Register<Bits<12>>,
    /// The warp whose registers the decoder has.
    drained_warp: Register<Bits<5>>,
    #[value(1)]
    one: Constant<Bits<32>>,
    #[value(streams)]
    is_streaming: Constant<Bit>,
}

watch!(Rmu<W, P>: [
    "switch(from = outgoing, to = incoming) if accepted && store && restore: switch {from}->{to}",
    "switch(from = outgoing) if accepted && store && !restore: block {from} goes out",
    "switch(to = incoming) if accepted && !store && restore: block {to} comes in",
    "refuse(from = outgoing_cta) if refused: no room for the {count} registers of block {from}",
    "store(register = pcrf.store_register, warp = pcrf.store_warp) if pcrf.stored: store R{register} of warp {warp}",
    "restore(register = acrf_write_register, warp = acrf_write_warp) if acrf_write && acrf_write_ready: \
        restore R{register} of warp {warp}",
    "done if done: switched, {live_count} registers are live",
    "misuse if request && ready && !store && !restore: a switch of no thread block",
    "misuse if request && ready && store && restore && outgoing == incoming: block {incoming} goes \
        out and comes in",
    "fault if done && refused: a switch ends and is refused",
    "fault if ready && (done || refused): a switch ends, and none is under way",
]);

#[rtl]
impl<const W: usize, const P: usize> Rmu<W, P> {
    fn states() {
        is_idle = state == RmuState::Idle;
        is_look = state == RmuState::LookUp;
        is_check = state == RmuState::Check;
        is_select = state == RmuState::Select;
        is_load = state == RmuState::Load;
        is_drain = state == RmuState::Drain;
        is_return = state == RmuState::Return;
    }

    /// A request.
    fn requests() {
        ready = is_idle;
        accepted = is_idle & request;
        if accepted {
            stores = store;
            restores = restore;
            discards = discard;
            outgoing_cta = outgoing;
            incoming_cta = incoming;
        }
    }

    /// Look up: one warp at a time.
    fn look_up() {
        warp_ready = is_look & (!looking & vectors.ready);
        let look: Bit = warp_ready & warp_valid;
        connect!(vectors {
            request: look, pc, memory_ready, memory_answer, memory_low, memory_high,
        } -> memory_request, memory_pc, hit as cache_hit, miss as cache_miss);
        looking.load(look | vectors.answer, look);
        if look {
            looked_warp = warp;
            looked_last = warp_last;
        }
        population = 0;
        for r in 0..32 {
            population += bit_cast::<12, 1>(vectors.low.get_bits::<1>(r));
            population += bit_cast::<12, 1>(vectors.high.get_bits::<1>(r));
        }
        if accepted {
            count = 0;
        } else if vectors.answer {
            count += population;
        }
    }

    /// Check.
    fn fit() {
        let incoming_count: Bits<12> = if restores { pointers.count } else { 0 };
        chain = incoming_count.any();
        let room: Bits<13> = bit_cast::<13, 12>(monitor.free_count) + bit_cast::<13, 12>(incoming_count);
        let fits: Bit = bit_cast::<13, 12>(count) <= room;
        begins = is_check & fits;
        refused = is_check & !fits;
    }

    /// The walk: a register that comes is written unless its row has one to be saved.
    fn walk() {
        /// A register comes back whose row may hold one to be saved.
        let comes: Bit = pcrf.restored & (stores & !discards);
        // The warp of the one to be saved waits for its turn, has it, or is on its way to it or back. Or the
        // register has been read and has not come.
        elsewhere = comes & present.get_bit(pcrf.restored_warp);
        let is_current: Bit = comes & (drained_warp == pcrf.restored_warp);
        connect!(exchange { look_warp: pcrf.restored_warp, look_register: pcrf.restored_register });
        let under_way: Bit = comes & exchange.under_way;
        decoder.want = is_drain & is_current;
        decoder.wanted = pcrf.restored_register;
        let write: Bit = (pcrf.restored & !(elsewhere | under_way))
            & (!decoder.found & !(is_current & (is_load | is_return)));
        acrf_write = write & !discards;
        connect!(pcrf ->
            restored_warp as acrf_write_warp, restored_register as acrf_write_register,
            restored_data as acrf_write_data);
        moved = write & (acrf_write_ready | discards);
    }

    /// Reads: what is in the way, else what comes next.
    fn reading() {
        /// A register that is in nobody's way may be read.
        let drains: Bit = !pcrf.walking | (is_streaming & monitor.free_count.get_bits::<10>(2).any());
        acrf_read = (is_drain & exchange.room) & (decoder.found | (decoder.any & drains));
        acrf_read_warp = 0;
        acrf_read_register = 0;
        if acrf_read {
            acrf_read_warp = drained_warp;
            acrf_read_register = decoder.index;
        }
        reads = acrf_read & acrf_read_ready;
        decoder.step = reads;
    }

    /// The next warp: one in the way, else the first.
    fn next_in_turn() {
        let any_warp: Bit = present.any();
        let first_warp: Bits<5> = first(0..32, |w| present.get_bit(w));
        next_warp = if elsewhere { pcrf.restored_warp } else { first_warp };
        selects = is_select & (elsewhere | (any_warp & (is_streaming | !pcrf.walking)));
        drained_warp.load(selects, next_warp);
        connect!(decoder { load: is_load, load_low: live_low.read_data, load_high: live_high.read_data });
        finish = (is_select & !any_warp) & !(pcrf.walking | exchange.any);
        done = finish;
        live_count = count;
    }

    /// Warps whose vector is in the memory.
    fn vectors_kept() {
        let warp_bit: Bits<32> = if is_select {
            one << next_warp
        } else if is_return {
            one << drained_warp
        } else {
            one << looked_warp
        };
        let live_write: Bit = vectors.answer | is_return;
        if accepted {
            present = 0;
        } else if live_write | selects {
            present = if is_select { present ^ warp_bit } else { present | warp_bit };
        }
        let live_row: Bits<5> = if is_look {
            looked_warp
        } else if is_return {
            drained_warp
        } else {
            next_warp
        };
        live_low.enable = live_write | selects;
        connect!(live_low { write: live_write, address: live_row, write_data: vectors.low });
        live_high.enable = live_write | selects;
        connect!(live_high { write: live_write, address: live_row, write_data: vectors.high });
        if is_return {
            live_low.write_data = decoder.left_low;
            live_high.write_data = decoder.left_high;
        }
    }

    /// Registers on their way, and how many are not in the PCRF yet.
    fn exchange() {
        connect!(exchange {
            read: reads,
            read_warp: acrf_read_warp,
            read_register: acrf_read_register,
            answer: acrf_answer,
            answer_data: acrf_answer_data,
            leave: pcrf.stored,
        });
        if is_check {
            remaining = count;
        } else if pcrf.stored {
            remaining = remaining - 1;
        }
    }

    /// The PCRF and its tables.
    fn tables() {
        connect!(pcrf {
            walk: begins & chain,
            walk_pointer: pointers.pointer,
            accept: moved,
            any_free: monitor.any_free,
            first_free: monitor.first_free,
            store: exchange.complete,
            store_last: remaining == bits::<12>(1),
            store_warp: exchange.warp,
            store_register: exchange.register,
            store_data: exchange.data,
        });
        pcrf_read = pcrf.free;
        pcrf_write = pcrf.stored;
        connect!(monitor { take: pcrf.take, free: pcrf.free, free_entry: pcrf.free_entry } -> free_count);
        connect!(pointers {
            read: accepted & restore,
            write: (begins & chain) | (finish & stores),
            cta: incoming,
            write_pointer: pcrf.head,
            write_count: count,
        });
        if is_check {
            // What comes in is no longer there.
            pointers.cta = incoming_cta;
            pointers.write_count = 0;
        } else if finish {
            pointers.cta = outgoing_cta;
        }
    }

    /// The way from state to state.
    fn transitions() {
        if accepted {
            state = if store { RmuState::LookUp } else { RmuState::Check };
        } else if is_look & (vectors.answer & looked_last) {
            state = RmuState::Check;
        } else if refused | finish {
            state = RmuState::Idle;
        } else if begins | is_return {
            state = RmuState::Select;
        } else if selects {
            state = RmuState::Load;
        } else if is_load {
            state = RmuState::Drain;
        } else if is_drain {
            if !decoder.any | (decoder.last & reads) {
                state = RmuState::Select;
            } else if elsewhere {
                state = RmuState::Return;
            }
        }
    }
}

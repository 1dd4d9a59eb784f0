//! Register management unit (RMU): R §V-C, §V-E, Fig. 10. Moves the live registers of a stalled CTA out of
//! the ACRF into the PCRF, and those of a pending CTA back.
//!
//! It joins the five parts of Fig. 10 and the PCRF. A request names a CTA that goes out (`store`), one that
//! comes in (`restore`), or both. In this order:
//!
//! 1. **Look up**: for each warp of the outgoing CTA its live-register vector, by the warp's PC.
//! 2. **Check** (§V-E): the outgoing CTA's live registers must fit into the free entries and those that the
//!    incoming CTA frees. If they do not, the request is refused and nothing has changed.
//! 3. **Move**: the incoming chain is walked, a register in every cycle, "meanwhile, the live registers of stalled CTA
//!    in the ACRF are transferred to the PCRF", a register in every cycle, through a buffer of two. With `streams` off
//!    they are transferred afterwards, one at a time.
//!
//! The paper does not say how the two keep out of each other's way. They must: the incoming CTA takes over the outgoing
//! one's ACRF space (R §IV-A), and a CTA may fit only into what the other frees. A warp and a register of both thus name
//! the same row of the ACRF; if they do not, the order does no harm. So
//!
//! - a register that comes back waits while its row holds one that is still to be saved. That one is saved next: the
//!   decoder shows it before others, and if it is of another warp than the one being saved, that warp's vector is put
//!   back and the other's taken;
//! - a register that is in nobody's way is read only while more than three entries are free, or after the walk. What
//!   is in the buffer then never waits for an entry that only the walk can free, and one that is in the way always finds
//!   room there. Each restored register frees an entry before it needs one: the exchange never blocks.
//!
//! What R does not count: the outgoing CTA's vectors stand in a memory of 32 × 64 bits between look-up and
//! saving, since they are needed twice (to count, and to save) and out of order.
//!
//! Timing: a request is taken in a cycle with `ready`; `done` or `refused` is high for one cycle, and `ready`
//! again in the next. A look-up takes two cycles a warp with its vector in the cache. See `docs/rmu.md`.

use gpurf_blocks::{CTA_WARPS, RMU_BUFFERS};
use rust_hdl::prelude::*;

use super::{FreeSpaceMonitor, LiveRegisterCache, Pcrf, PcrfPointerTable, RegisterIndexDecoder};
use crate::dialect::{block, rtl, Memory, Register};
use crate::watch;

/// Where the unit stands in a switch.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum RmuState {
    /// No switch is under way.
    Idle,
    /// Vectors of the outgoing CTA's warps.
    LookUp,
    /// Whether there is room for its live registers.
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
    parameters(width, pcrf_entries, ctas, pcrf_latency, next_latency, pcrf_ports, count_bits, streams),
    sizes(buffers = RMU_BUFFERS)
)]
pub struct Rmu<const W: usize, const P: usize> {
    /// A switch, taken if `ready` is high; the five below belong to it.
    pub request: In<Bit>,
    /// A CTA goes out: its live registers move to the PCRF.
    pub store: In<Bit>,
    /// This CTA goes out.
    pub outgoing: In<Bits<7>>,
    /// A CTA comes in: its registers move to the ACRF. It must have been stored.
    pub restore: In<Bit>,
    /// This CTA comes in; it must have been stored.
    pub incoming: In<Bits<7>>,
    /// Its registers are freed and not written.
    pub discard: In<Bit>,
    /// A warp of the outgoing CTA that has not ended, taken if `warp_ready` is high. At least one of each CTA.
    pub warp_valid: In<Bit>,
    /// Its number within the CTA.
    pub warp: In<Bits<5>>,
    /// A warp of the outgoing CTA that has not ended, by its number in the CTA, and whether it is the
    /// last one; taken if `warp_ready` is high. At least one, each once.
    pub pc: In<Bits<32>>,
    /// It is the CTA's last one.
    pub warp_last: In<Bit>,
    /// Memory takes the request for a vector, and answers it in a later cycle.
    pub memory_ready: In<Bit>,
    /// Memory's answer, in a later cycle: bit r of `memory_low` for register r, of `memory_high` for 32
    /// + r.
    pub memory_answer: In<Bit>,
    /// Memory's answer, in a later cycle: bit r of `memory_low` for register r, of `memory_high` for 32
    /// + r.
    pub memory_low: In<Bits<32>>,
    /// Memory's answer, in a later cycle: bit r of `memory_low` for register r, of `memory_high` for 32
    /// + r.
    pub memory_high: In<Bits<32>>,
    /// The ACRF takes the read, and answers it in a later cycle.
    pub acrf_read_ready: In<Bit>,
    /// Its answer to the first read that it has not answered. Two may be under way, with `streams` off one.
    pub acrf_answer: In<Bit>,
    /// The register's value.
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
    /// Its warp; zero without a read.
    pub acrf_read_warp: Out<Bits<5>>,
    /// Its number; zero without a read.
    pub acrf_read_register: Out<Bits<6>>,
    /// A register is to be written; it stands until taken.
    pub acrf_write: Out<Bit>,
    /// Its warp. Without a write, warp, register and data are what the PCRF shows.
    pub acrf_write_warp: Out<Bits<5>>,
    /// Its number.
    pub acrf_write_register: Out<Bits<6>>,
    /// Its value.
    pub acrf_write_data: Out<Bits<W>>,
    /// Free entries of the PCRF.
    pub free_count: Out<Bits<12>>,
    /// Events: look-ups, PCRF accesses.
    pub cache_hit: Out<Bit>,
    /// Events.
    pub cache_miss: Out<Bit>,
    /// Events.
    pub pcrf_read: Out<Bit>,
    /// Events.
    pub pcrf_write: Out<Bit>,

    is_idle: Local<Bit>,
    is_look: Local<Bit>,
    is_check: Local<Bit>,
    is_select: Local<Bit>,
    is_load: Local<Bit>,
    is_drain: Local<Bit>,
    is_return: Local<Bit>,
    accepted: Local<Bit>,
    look: Local<Bit>,
    population: Local<Bits<12>>,
    chain: Local<Bit>,
    incoming_count: Local<Bits<12>>,
    room: Local<Bits<13>>,
    fits: Local<Bit>,
    begins: Local<Bit>,
    /// A register comes back whose row may hold one to be saved: that one's warp waits for its turn, has its turn, is on
    /// its way to it or back; or it has been read and has not come.
    comes: Local<Bit>,
    elsewhere: Local<Bit>,
    is_current: Local<Bit>,
    under_way: Local<Bit>,
    write: Local<Bit>,
    moved: Local<Bit>,
    room_in_buffer: Local<Bit>,
    /// A register that is in nobody's way may be read.
    drains: Local<Bit>,
    reads: Local<Bit>,
    any_warp: Local<Bit>,
    first_warp: Local<Bits<5>>,
    next_warp: Local<Bits<5>>,
    selects: Local<Bit>,
    warp_bit: Local<Bits<32>>,
    finish: Local<Bit>,
    live_write: Local<Bit>,
    live_row: Local<Bits<5>>,
    /// The place in the buffer that the answer is for, and that of a register read.
    arrives: Local<[Bit; buffers]>,
    enters: Local<[Bit; buffers]>,

    vectors: LiveRegisterCache,
    decoder: RegisterIndexDecoder,
    pointers: PcrfPointerTable<P>,
    monitor: FreeSpaceMonitor<P>,
    pcrf: Pcrf<W, P>,
    /// Vectors of the outgoing CTA, less what is saved: a row per warp, which holds one if the warp's bit is set.
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
    /// The buffer, oldest first: a register has been read; its value is there.
    held: Register<[Bit; buffers]>,
    full: Register<[Bit; buffers]>,
    buffer_warp: Register<[Bits<5>; buffers]>,
    buffer_register: Register<[Bits<6>; buffers]>,
    buffer: Register<[Bits<W>; buffers]>,
    #[value(1)]
    one: Constant<Bits<32>>,
    #[value(|warp| warp)]
    warp_number: Constant<[Bits<5>; CTA_WARPS]>,
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
]);

impl<const W: usize, const P: usize> Logic for Rmu<W, P> {
    #[rtl]
    fn update(&mut self) {
        self.is_idle.next = self.state.val() == RmuState::Idle;
        self.is_look.next = self.state.val() == RmuState::LookUp;
        self.is_check.next = self.state.val() == RmuState::Check;
        self.is_select.next = self.state.val() == RmuState::Select;
        self.is_load.next = self.state.val() == RmuState::Load;
        self.is_drain.next = self.state.val() == RmuState::Drain;
        self.is_return.next = self.state.val() == RmuState::Return;

        // A request.
        self.ready.next = self.is_idle.val();
        self.accepted.next = self.is_idle.val() & self.request.val();
        self.stores.load(self.accepted.val(), self.store.val());
        self.restores.load(self.accepted.val(), self.restore.val());
        self.discards.load(self.accepted.val(), self.discard.val());
        self.outgoing_cta.load(self.accepted.val(), self.outgoing.val());
        self.incoming_cta.load(self.accepted.val(), self.incoming.val());

        // Look up: one warp at a time.
        self.warp_ready.next = self.is_look.val() & (!self.looking.val() & self.vectors.ready.val());
        self.look.next = self.warp_ready.val() & self.warp_valid.val();
        self.vectors.request.next = self.look.val();
        self.vectors.pc.next = self.pc.val();
        self.vectors.memory_ready.next = self.memory_ready.val();
        self.vectors.memory_answer.next = self.memory_answer.val();
        self.vectors.memory_low.next = self.memory_low.val();
        self.vectors.memory_high.next = self.memory_high.val();
        self.memory_request.next = self.vectors.memory_request.val();
        self.memory_pc.next = self.vectors.memory_pc.val();
        self.cache_hit.next = self.vectors.hit.val();
        self.cache_miss.next = self.vectors.miss.val();
        self.looking.load(self.look.val() | self.vectors.answer.val(), self.look.val());
        self.looked_warp.load(self.look.val(), self.warp.val());
        self.looked_last.load(self.look.val(), self.warp_last.val());
        self.population.next = 0.into();
        for r in 0..32 {
            self.population.next =
                self.population.val() + bit_cast::<12, 1>(self.vectors.low.val().get_bits::<1>(r));
            self.population.next =
                self.population.val() + bit_cast::<12, 1>(self.vectors.high.val().get_bits::<1>(r));
        }
        self.count
            .load(self.accepted.val() | self.vectors.answer.val(), self.count.val() + self.population.val());
        if self.accepted.val() {
            self.count.d.next = 0.into();
        }

        // Check.
        self.incoming_count.next = 0.into();
        if self.restores.val() {
            self.incoming_count.next = self.pointers.count.val();
        }
        self.chain.next = self.incoming_count.val().any();
        self.room.next =
            bit_cast::<13, 12>(self.monitor.free_count.val()) + bit_cast::<13, 12>(self.incoming_count.val());
        self.fits.next = bit_cast::<13, 12>(self.count.val()) <= self.room.val();
        self.begins.next = self.is_check.val() & self.fits.val();
        self.refused.next = self.is_check.val() & !self.fits.val();

        // What the ACRF answers, and whether another register fits behind it.
        self.arrives[0].next = self.acrf_answer.val() & !self.full[0].val();
        self.arrives[1].next = self.acrf_answer.val() & self.full[0].val();
        self.room_in_buffer.next = !self.held[0].val() | self.pcrf.stored.val();
        if self.is_streaming.val() {
            self.room_in_buffer.next = !self.held[1].val() | self.pcrf.stored.val();
        }

        // The walk: a register that comes is written unless its row has one to be saved.
        self.comes.next = self.pcrf.restored.val() & (self.stores.val() & !self.discards.val());
        self.elsewhere.next =
            self.comes.val() & self.present.val().get_bit(self.pcrf.restored_warp.val().index());
        self.is_current.next = self.comes.val() & (self.drained_warp.val() == self.pcrf.restored_warp.val());
        self.under_way.next = false;
        for s in 0..buffers {
            if (self.held[s].val() & !self.full[s].val())
                & ((self.buffer_warp[s].val() == self.pcrf.restored_warp.val())
                    & (self.buffer_register[s].val() == self.pcrf.restored_register.val()))
            {
                self.under_way.next = self.comes.val();
            }
        }
        self.decoder.want.next = self.is_drain.val() & self.is_current.val();
        self.decoder.wanted.next = self.pcrf.restored_register.val();
        self.write.next = (self.pcrf.restored.val() & !(self.elsewhere.val() | self.under_way.val()))
            & (!self.decoder.found.val()
                & !(self.is_current.val() & (self.is_load.val() | self.is_return.val())));
        self.acrf_write.next = self.write.val() & !self.discards.val();
        self.acrf_write_warp.next = self.pcrf.restored_warp.val();
        self.acrf_write_register.next = self.pcrf.restored_register.val();
        self.acrf_write_data.next = self.pcrf.restored_data.val();
        self.moved.next = self.write.val() & (self.acrf_write_ready.val() | self.discards.val());

        // Reads: what is in the way, else what comes next.
        self.drains.next = !self.pcrf.walking.val()
            | (self.is_streaming.val() & self.monitor.free_count.val().get_bits::<10>(2).any());
        self.acrf_read.next = (self.is_drain.val() & self.room_in_buffer.val())
            & (self.decoder.found.val() | (self.decoder.any.val() & self.drains.val()));
        self.acrf_read_warp.next = 0.into();
        self.acrf_read_register.next = 0.into();
        if self.acrf_read.val() {
            self.acrf_read_warp.next = self.drained_warp.val();
            self.acrf_read_register.next = self.decoder.index.val();
        }
        self.reads.next = self.acrf_read.val() & self.acrf_read_ready.val();
        self.decoder.step.next = self.reads.val();

        // The next warp: one in the way, else the first.
        self.any_warp.next = false;
        self.first_warp.next = 0.into();
        for w in 0..32 {
            if self.present.val().get_bit(31 - w) {
                self.any_warp.next = true;
                self.first_warp.next = self.warp_number[31 - w].val();
            }
        }
        self.next_warp.next = self.first_warp.val();
        if self.elsewhere.val() {
            self.next_warp.next = self.pcrf.restored_warp.val();
        }
        self.selects.next = self.is_select.val()
            & (self.elsewhere.val()
                | (self.any_warp.val() & (self.is_streaming.val() | !self.pcrf.walking.val())));
        self.drained_warp.load(self.selects.val(), self.next_warp.val());
        self.decoder.load.next = self.is_load.val();
        self.decoder.load_low.next = self.live_low.read_data.val();
        self.decoder.load_high.next = self.live_high.read_data.val();
        self.finish.next =
            (self.is_select.val() & !self.any_warp.val()) & !(self.pcrf.walking.val() | self.held[0].val());
        self.done.next = self.finish.val();
        self.live_count.next = self.count.val();

        // Warps whose vector is in the memory.
        self.warp_bit.next = self.one.val() << self.looked_warp.val();
        if self.is_select.val() {
            self.warp_bit.next = self.one.val() << self.next_warp.val();
        } else if self.is_return.val() {
            self.warp_bit.next = self.one.val() << self.drained_warp.val();
        }
        self.live_write.next = self.vectors.answer.val() | self.is_return.val();
        self.present.load(
            (self.accepted.val() | self.live_write.val()) | self.selects.val(),
            self.present.val() | self.warp_bit.val(),
        );
        if self.is_select.val() {
            self.present.d.next = self.present.val() ^ self.warp_bit.val();
        }
        if self.accepted.val() {
            self.present.d.next = 0.into();
        }
        self.live_row.next = self.next_warp.val();
        if self.is_look.val() {
            self.live_row.next = self.looked_warp.val();
        } else if self.is_return.val() {
            self.live_row.next = self.drained_warp.val();
        }
        self.live_low.enable.next = self.live_write.val() | self.selects.val();
        self.live_low.write.next = self.live_write.val();
        self.live_low.address.next = self.live_row.val();
        self.live_low.write_data.next = self.vectors.low.val();
        self.live_high.enable.next = self.live_write.val() | self.selects.val();
        self.live_high.write.next = self.live_write.val();
        self.live_high.address.next = self.live_row.val();
        self.live_high.write_data.next = self.vectors.high.val();
        if self.is_return.val() {
            self.live_low.write_data.next = self.decoder.left_low.val();
            self.live_high.write_data.next = self.decoder.left_high.val();
        }

        // The buffer: from the ACRF, to the PCRF, in the cycle in which a register comes if it is the oldest. The second
        // moves up behind it.
        self.enters[0].next =
            self.reads.val() & (!self.held[0].val() | (self.pcrf.stored.val() & !self.held[1].val()));
        self.enters[1].next = self.reads.val() & !self.enters[0].val();
        self.held[0]
            .load(self.enters[0].val() | self.pcrf.stored.val(), self.enters[0].val() | self.held[1].val());
        self.held[1].load(self.enters[1].val() | self.pcrf.stored.val(), self.enters[1].val());
        self.full[0].load(self.arrives[0].val() | self.pcrf.stored.val(), true);
        self.full[1].load(self.arrives[1].val() | self.pcrf.stored.val(), !self.pcrf.stored.val());
        self.buffer_warp[0].load(self.enters[0].val() | self.pcrf.stored.val(), self.buffer_warp[1].val());
        self.buffer_register[0]
            .load(self.enters[0].val() | self.pcrf.stored.val(), self.buffer_register[1].val());
        if self.enters[0].val() {
            self.buffer_warp[0].d.next = self.acrf_read_warp.val();
            self.buffer_register[0].d.next = self.acrf_read_register.val();
        }
        self.buffer_warp[1].load(self.enters[1].val(), self.acrf_read_warp.val());
        self.buffer_register[1].load(self.enters[1].val(), self.acrf_read_register.val());
        self.buffer[0].load(self.arrives[0].val() | self.pcrf.stored.val(), self.acrf_answer_data.val());
        self.buffer[1].load(self.arrives[1].val(), self.acrf_answer_data.val());
        if self.pcrf.stored.val() {
            self.full[0].d.next = self.full[1].val() | self.arrives[1].val();
            if self.full[1].val() {
                self.buffer[0].d.next = self.buffer[1].val();
            }
        }
        self.remaining.load(self.is_check.val() | self.pcrf.stored.val(), self.remaining.val() - 1);
        if self.is_check.val() {
            self.remaining.d.next = self.count.val();
        }

        // The PCRF and its tables.
        self.pcrf.walk.next = self.begins.val() & self.chain.val();
        self.pcrf.walk_pointer.next = self.pointers.pointer.val();
        self.pcrf.accept.next = self.moved.val();
        self.pcrf.any_free.next = self.monitor.any_free.val();
        self.pcrf.first_free.next = self.monitor.first_free.val();
        self.pcrf.store.next = self.full[0].val() | self.arrives[0].val();
        self.pcrf.store_last.next = self.remaining.val() == bits::<12>(1);
        self.pcrf.store_warp.next = self.buffer_warp[0].val();
        self.pcrf.store_register.next = self.buffer_register[0].val();
        self.pcrf.store_data.next = self.acrf_answer_data.val();
        if self.full[0].val() {
            self.pcrf.store_data.next = self.buffer[0].val();
        }
        self.pcrf_read.next = self.pcrf.free.val();
        self.pcrf_write.next = self.pcrf.stored.val();
        self.monitor.take.next = self.pcrf.take.val();
        self.monitor.free.next = self.pcrf.free.val();
        self.monitor.free_entry.next = self.pcrf.free_entry.val();
        self.free_count.next = self.monitor.free_count.val();
        self.pointers.read.next = self.accepted.val() & self.restore.val();
        self.pointers.write.next =
            (self.begins.val() & self.chain.val()) | (self.finish.val() & self.stores.val());
        self.pointers.cta.next = self.incoming.val();
        self.pointers.write_pointer.next = self.pcrf.head.val();
        self.pointers.write_count.next = self.count.val();
        if self.is_check.val() {
            // What comes in is no longer there.
            self.pointers.cta.next = self.incoming_cta.val();
            self.pointers.write_count.next = 0.into();
        } else if self.finish.val() {
            self.pointers.cta.next = self.outgoing_cta.val();
        }

        self.state.load(true, self.state.val());
        if self.accepted.val() {
            self.state.d.next = RmuState::Check;
            if self.store.val() {
                self.state.d.next = RmuState::LookUp;
            }
        } else if self.is_look.val() & (self.vectors.answer.val() & self.looked_last.val()) {
            self.state.d.next = RmuState::Check;
        } else if self.refused.val() | self.finish.val() {
            self.state.d.next = RmuState::Idle;
        } else if self.begins.val() | self.is_return.val() {
            self.state.d.next = RmuState::Select;
        } else if self.selects.val() {
            self.state.d.next = RmuState::Load;
        } else if self.is_load.val() {
            self.state.d.next = RmuState::Drain;
        } else if self.is_drain.val() {
            if !self.decoder.any.val() | (self.decoder.last.val() & self.reads.val()) {
                self.state.d.next = RmuState::Select;
            } else if self.elsewhere.val() {
                self.state.d.next = RmuState::Return;
            }
        }
    }
}

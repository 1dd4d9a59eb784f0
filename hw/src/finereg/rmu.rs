//! Register management unit (RMU): R §V-C, §V-E, Fig. 10. Moves the live registers of a stalled CTA out of
//! the ACRF into the PCRF, and those of a pending CTA back.
//!
//! It joins the five parts of Fig. 10 and the PCRF. A request names a CTA that goes out (`store`), one that
//! comes in (`restore`), or both. In this order:
//!
//! 1. **Look up**: for each warp of the outgoing CTA its live-register vector, by the warp's PC.
//! 2. **Check** (§V-E): the outgoing CTA's live registers must fit into the free entries and those that the
//!    incoming CTA frees. If they do not, the request is refused and nothing has changed.
//! 3. **Exchange**: the incoming chain is walked. If a register that comes back would overwrite one of the
//!    outgoing CTA that has yet to be saved, that one is read into the 128-byte buffer first, and stored.
//! 4. **Drain**: what is left of the outgoing CTA, warp by warp and register by register.
//!
//! The paper says that restoring and storing go on meanwhile, and not how they keep out of each other's way.
//! They must: the incoming CTA takes over the outgoing one's ACRF space (R §IV-A), and a CTA may fit only
//! into what the other frees. Every restored register frees an entry before it needs one, so the exchange
//! never blocks, with one buffer and the PCRF's output register. A warp and a register of both CTAs thus name
//! the same row of the ACRF; if they do not, the order does no harm.
//!
//! What R does not count: the outgoing CTA's vectors stand in a memory of 32 × 64 bits between look-up and
//! drain, since they are needed twice (to count, and to save) and out of order.
//!
//! Timing: a request is taken in a cycle with `ready`; `done` or `refused` is high for one cycle, and `ready`
//! again in the next. A look-up takes two cycles a warp with its vector in the cache. See `docs/rmu.md`.

use gpurf_blocks::{Parameters, CTA_WARPS};
use rust_hdl::prelude::*;

use super::{FreeSpaceMonitor, LiveRegisterCache, Pcrf, PcrfPointerTable, RegisterIndexDecoder};
use crate::dialect::{rtl, Identity, Memory, Module, Register};

/// `W`: data width in bits; `P`: bits of a PCRF pointer.
#[derive(LogicBlock, Module)]
pub struct Rmu<const W: usize, const P: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// A switch, taken if `ready` is high; the five below belong to it.
    pub request: Signal<In, Bit>,
    /// A CTA goes out: its live registers move to the PCRF.
    pub store: Signal<In, Bit>,
    pub outgoing: Signal<In, Bits<7>>,
    /// A CTA comes in: its registers move to the ACRF. It must have been stored.
    pub restore: Signal<In, Bit>,
    pub incoming: Signal<In, Bits<7>>,
    /// Its registers are freed and not written.
    pub discard: Signal<In, Bit>,
    /// A warp of the outgoing CTA that has not ended, taken if `warp_ready` is high. At least one of each CTA.
    pub warp_valid: Signal<In, Bit>,
    /// Its number within the CTA.
    pub warp: Signal<In, Bits<5>>,
    pub pc: Signal<In, Bits<32>>,
    /// It is the CTA's last one.
    pub warp_last: Signal<In, Bit>,
    /// Memory takes the request for a vector, and answers it in a later cycle.
    pub memory_ready: Signal<In, Bit>,
    pub memory_answer: Signal<In, Bit>,
    pub memory_low: Signal<In, Bits<32>>,
    pub memory_high: Signal<In, Bits<32>>,
    /// The ACRF takes the read, and answers it in a later cycle.
    pub acrf_read_ready: Signal<In, Bit>,
    pub acrf_answer: Signal<In, Bit>,
    pub acrf_answer_data: Signal<In, Bits<W>>,
    /// The ACRF takes the write.
    pub acrf_write_ready: Signal<In, Bit>,

    pub ready: Signal<Out, Bit>,
    pub done: Signal<Out, Bit>,
    /// The outgoing CTA does not fit: nothing has been moved.
    pub refused: Signal<Out, Bit>,
    /// Live registers of the outgoing CTA, with `done` or `refused`; zero if there is none.
    pub live_count: Signal<Out, Bits<12>>,
    pub warp_ready: Signal<Out, Bit>,
    pub memory_request: Signal<Out, Bit>,
    /// The PC whose vector is asked for.
    pub memory_pc: Signal<Out, Bits<32>>,
    pub acrf_read: Signal<Out, Bit>,
    pub acrf_read_warp: Signal<Out, Bits<5>>,
    pub acrf_read_register: Signal<Out, Bits<6>>,
    pub acrf_write: Signal<Out, Bit>,
    /// Without a write, warp, register and data are what the PCRF shows.
    pub acrf_write_warp: Signal<Out, Bits<5>>,
    pub acrf_write_register: Signal<Out, Bits<6>>,
    pub acrf_write_data: Signal<Out, Bits<W>>,
    /// Free entries of the PCRF.
    pub free_count: Signal<Out, Bits<12>>,
    /// Events: look-ups, PCRF accesses.
    pub cache_hit: Signal<Out, Bit>,
    pub cache_miss: Signal<Out, Bit>,
    pub pcrf_read: Signal<Out, Bit>,
    pub pcrf_write: Signal<Out, Bit>,

    is_idle: Signal<Local, Bit>,
    is_look: Signal<Local, Bit>,
    is_check: Signal<Local, Bit>,
    is_walk: Signal<Local, Bit>,
    is_exchange: Signal<Local, Bit>,
    is_select: Signal<Local, Bit>,
    is_load: Signal<Local, Bit>,
    is_drain: Signal<Local, Bit>,
    accepted: Signal<Local, Bit>,
    look: Signal<Local, Bit>,
    population: Signal<Local, Bits<12>>,
    chain: Signal<Local, Bit>,
    incoming_count: Signal<Local, Bits<12>>,
    room: Signal<Local, Bits<13>>,
    fits: Signal<Local, Bit>,
    begins: Signal<Local, Bit>,
    /// The row of the register shown may hold a register to be saved; it does.
    suspect: Signal<Local, Bit>,
    row_bit: Signal<Local, Bit>,
    unsaved: Signal<Local, Bit>,
    restored_bit: Signal<Local, Bits<32>>,
    fetch: Signal<Local, Bit>,
    write: Signal<Local, Bit>,
    moved: Signal<Local, Bit>,
    room_in_buffer: Signal<Local, Bit>,
    reads: Signal<Local, Bit>,
    arrives: Signal<Local, Bit>,
    any_warp: Signal<Local, Bit>,
    first_warp: Signal<Local, Bits<5>>,
    warp_bit: Signal<Local, Bits<32>>,
    saved_all: Signal<Local, Bit>,
    finish: Signal<Local, Bit>,
    live_write: Signal<Local, Bit>,
    live_enable: Signal<Local, Bit>,
    live_row: Signal<Local, Bits<5>>,

    vectors: LiveRegisterCache,
    decoder: RegisterIndexDecoder,
    pointers: PcrfPointerTable<P>,
    monitor: FreeSpaceMonitor<P>,
    pcrf: Pcrf<W, P>,
    /// Vectors of the outgoing CTA, less what is saved: a row per warp, written if the warp's bit is set.
    live_low: Memory<32, 5>,
    live_high: Memory<32, 5>,
    present: Register<Bits<32>>,

    state: Register<Bits<3>>,
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
    /// The register in the way has been read.
    fetched: Register<Bit>,
    drained_warp: Register<Bits<5>>,
    /// The 128-byte buffer, or the read that will fill it.
    reading: Register<Bit>,
    full: Register<Bit>,
    buffer_warp: Register<Bits<5>>,
    buffer_register: Register<Bits<6>>,
    buffer: Register<Bits<W>>,
    one: Constant<Bits<32>>,
    warp_number: Vec<Constant<Bits<5>>>,
    identity: Identity,
}

impl<const W: usize, const P: usize> Rmu<W, P> {
    pub fn new(parameters: &Parameters) -> Self {
        let Parameters {
            pcrf_entries: entries, ctas, pcrf_latency: latency, next_latency, count_bits, ..
        } = *parameters;
        Rmu {
            clock: Signal::default(),
            reset: Signal::default(),
            request: Signal::default(),
            store: Signal::default(),
            outgoing: Signal::default(),
            restore: Signal::default(),
            incoming: Signal::default(),
            discard: Signal::default(),
            warp_valid: Signal::default(),
            warp: Signal::default(),
            pc: Signal::default(),
            warp_last: Signal::default(),
            memory_ready: Signal::default(),
            memory_answer: Signal::default(),
            memory_low: Signal::default(),
            memory_high: Signal::default(),
            acrf_read_ready: Signal::default(),
            acrf_answer: Signal::default(),
            acrf_answer_data: Signal::default(),
            acrf_write_ready: Signal::default(),
            ready: Signal::default(),
            done: Signal::default(),
            refused: Signal::default(),
            live_count: Signal::default(),
            warp_ready: Signal::default(),
            memory_request: Signal::default(),
            memory_pc: Signal::default(),
            acrf_read: Signal::default(),
            acrf_read_warp: Signal::default(),
            acrf_read_register: Signal::default(),
            acrf_write: Signal::default(),
            acrf_write_warp: Signal::default(),
            acrf_write_register: Signal::default(),
            acrf_write_data: Signal::default(),
            free_count: Signal::default(),
            cache_hit: Signal::default(),
            cache_miss: Signal::default(),
            pcrf_read: Signal::default(),
            pcrf_write: Signal::default(),
            is_idle: Signal::default(),
            is_look: Signal::default(),
            is_check: Signal::default(),
            is_walk: Signal::default(),
            is_exchange: Signal::default(),
            is_select: Signal::default(),
            is_load: Signal::default(),
            is_drain: Signal::default(),
            accepted: Signal::default(),
            look: Signal::default(),
            population: Signal::default(),
            chain: Signal::default(),
            incoming_count: Signal::default(),
            room: Signal::default(),
            fits: Signal::default(),
            begins: Signal::default(),
            suspect: Signal::default(),
            row_bit: Signal::default(),
            unsaved: Signal::default(),
            restored_bit: Signal::default(),
            fetch: Signal::default(),
            write: Signal::default(),
            moved: Signal::default(),
            room_in_buffer: Signal::default(),
            reads: Signal::default(),
            arrives: Signal::default(),
            any_warp: Signal::default(),
            first_warp: Signal::default(),
            warp_bit: Signal::default(),
            saved_all: Signal::default(),
            finish: Signal::default(),
            live_write: Signal::default(),
            live_enable: Signal::default(),
            live_row: Signal::default(),
            vectors: LiveRegisterCache::default(),
            decoder: RegisterIndexDecoder::default(),
            pointers: PcrfPointerTable::new(parameters),
            monitor: FreeSpaceMonitor::new(parameters),
            pcrf: Pcrf::new(parameters),
            live_low: Memory::new(CTA_WARPS),
            live_high: Memory::new(CTA_WARPS),
            present: Register::default(),
            state: Register::default(),
            stores: Register::default(),
            restores: Register::default(),
            discards: Register::default(),
            outgoing_cta: Register::default(),
            incoming_cta: Register::default(),
            looking: Register::default(),
            looked_warp: Register::default(),
            looked_last: Register::default(),
            count: Register::default(),
            remaining: Register::default(),
            fetched: Register::default(),
            drained_warp: Register::default(),
            reading: Register::default(),
            full: Register::default(),
            buffer_warp: Register::default(),
            buffer_register: Register::default(),
            buffer: Register::default(),
            one: Constant::new(1.into()),
            warp_number: (0..CTA_WARPS as u64).map(|warp| Constant::new(warp.into())).collect(),
            identity: Identity::new(
                "rmu",
                "Register management unit (R V-C, V-E)",
                &[
                    ("w", W),
                    ("entries", entries),
                    ("ctas", ctas),
                    ("latency", latency),
                    ("next", next_latency),
                    ("count", count_bits),
                ],
            ),
        }
    }
}

impl<const W: usize, const P: usize> Logic for Rmu<W, P> {
    #[rtl]
    fn update(&mut self) {
        self.is_idle.next = self.state.q.val() == bits::<3>(0);
        self.is_look.next = self.state.q.val() == bits::<3>(1);
        self.is_check.next = self.state.q.val() == bits::<3>(2);
        self.is_walk.next = self.state.q.val() == bits::<3>(3);
        self.is_exchange.next = self.state.q.val() == bits::<3>(4);
        self.is_select.next = self.state.q.val() == bits::<3>(5);
        self.is_load.next = self.state.q.val() == bits::<3>(6);
        self.is_drain.next = self.state.q.val() == bits::<3>(7);

        // A request.
        self.ready.next = self.is_idle.val();
        self.accepted.next = self.is_idle.val() & self.request.val();
        self.stores.clock.next = self.clock.val();
        self.stores.reset.next = self.reset.val();
        self.stores.enable.next = self.accepted.val();
        self.stores.d.next = self.store.val();
        self.restores.clock.next = self.clock.val();
        self.restores.reset.next = self.reset.val();
        self.restores.enable.next = self.accepted.val();
        self.restores.d.next = self.restore.val();
        self.discards.clock.next = self.clock.val();
        self.discards.reset.next = self.reset.val();
        self.discards.enable.next = self.accepted.val();
        self.discards.d.next = self.discard.val();
        self.outgoing_cta.clock.next = self.clock.val();
        self.outgoing_cta.reset.next = self.reset.val();
        self.outgoing_cta.enable.next = self.accepted.val();
        self.outgoing_cta.d.next = self.outgoing.val();
        self.incoming_cta.clock.next = self.clock.val();
        self.incoming_cta.reset.next = self.reset.val();
        self.incoming_cta.enable.next = self.accepted.val();
        self.incoming_cta.d.next = self.incoming.val();

        // Look up: one warp at a time.
        self.warp_ready.next = self.is_look.val() & (!self.looking.q.val() & self.vectors.ready.val());
        self.look.next = self.warp_ready.val() & self.warp_valid.val();
        self.vectors.clock.next = self.clock.val();
        self.vectors.reset.next = self.reset.val();
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
        self.looking.clock.next = self.clock.val();
        self.looking.reset.next = self.reset.val();
        self.looking.enable.next = self.look.val() | self.vectors.answer.val();
        self.looking.d.next = self.look.val();
        self.looked_warp.clock.next = self.clock.val();
        self.looked_warp.reset.next = self.reset.val();
        self.looked_warp.enable.next = self.look.val();
        self.looked_warp.d.next = self.warp.val();
        self.looked_last.clock.next = self.clock.val();
        self.looked_last.reset.next = self.reset.val();
        self.looked_last.enable.next = self.look.val();
        self.looked_last.d.next = self.warp_last.val();
        self.population.next = 0.into();
        for r in 0..32 {
            self.population.next =
                self.population.val() + bit_cast::<12, 1>(self.vectors.low.val().get_bits::<1>(r));
            self.population.next =
                self.population.val() + bit_cast::<12, 1>(self.vectors.high.val().get_bits::<1>(r));
        }
        self.count.clock.next = self.clock.val();
        self.count.reset.next = self.reset.val();
        self.count.enable.next = self.accepted.val() | self.vectors.answer.val();
        self.count.d.next = self.count.q.val() + self.population.val();
        if self.accepted.val() {
            self.count.d.next = 0.into();
        }

        // Check.
        self.incoming_count.next = 0.into();
        if self.restores.q.val() {
            self.incoming_count.next = self.pointers.count.val();
        }
        self.chain.next = self.incoming_count.val().any();
        self.room.next =
            bit_cast::<13, 12>(self.monitor.free_count.val()) + bit_cast::<13, 12>(self.incoming_count.val());
        self.fits.next = bit_cast::<13, 12>(self.count.q.val()) <= self.room.val();
        self.begins.next = self.is_check.val() & self.fits.val();
        self.refused.next = self.is_check.val() & !self.fits.val();

        // A register can leave the ACRF while the buffer is free, or about to be.
        self.room_in_buffer.next = !self.reading.q.val() & (!self.full.q.val() | self.pcrf.stored.val());

        // Exchange: the register shown is written unless its row has one to be saved.
        self.restored_bit.next = self.one.val() << self.pcrf.restored_register.val().get_bits::<5>(0);
        self.suspect.next = (self.stores.q.val() & !self.discards.q.val())
            & self.present.q.val().get_bit(self.pcrf.restored_warp.val().index());
        self.row_bit.next = (self.live_low.read_data.val() & self.restored_bit.val()).any();
        if self.pcrf.restored_register.val().get_bit(5) {
            self.row_bit.next = (self.live_high.read_data.val() & self.restored_bit.val()).any();
        }
        self.unsaved.next = (self.is_exchange.val() & self.row_bit.val()) & !self.fetched.q.val();
        self.fetch.next = self.unsaved.val() & self.room_in_buffer.val();
        self.write.next = (self.is_walk.val() & self.pcrf.restored.val()) & !self.suspect.val();
        if self.is_exchange.val() {
            self.write.next = !self.unsaved.val() & !self.reading.q.val();
        }
        self.acrf_write.next = self.write.val() & !self.discards.q.val();
        self.acrf_write_warp.next = self.pcrf.restored_warp.val();
        self.acrf_write_register.next = self.pcrf.restored_register.val();
        self.acrf_write_data.next = self.pcrf.restored_data.val();
        self.moved.next = self.write.val() & (self.acrf_write_ready.val() | self.discards.q.val());

        // It is read if it is in the way, or because its turn has come.
        self.acrf_read.next =
            self.fetch.val() | (self.is_drain.val() & (self.decoder.any.val() & self.room_in_buffer.val()));
        self.acrf_read_warp.next = 0.into();
        self.acrf_read_register.next = 0.into();
        if self.fetch.val() {
            self.acrf_read_warp.next = self.pcrf.restored_warp.val();
            self.acrf_read_register.next = self.pcrf.restored_register.val();
        } else if self.acrf_read.val() {
            self.acrf_read_warp.next = self.drained_warp.q.val();
            self.acrf_read_register.next = self.decoder.index.val();
        }
        self.reads.next = self.acrf_read.val() & self.acrf_read_ready.val();
        self.fetched.clock.next = self.clock.val();
        self.fetched.reset.next = self.reset.val();
        self.fetched.enable.next = self.is_exchange.val() & (self.reads.val() | self.moved.val());
        self.fetched.d.next = self.reads.val();

        // Drain: the next warp, and its registers.
        self.any_warp.next = false;
        self.first_warp.next = 0.into();
        for w in 0..32 {
            if self.present.q.val().get_bit(31 - w) {
                self.any_warp.next = true;
                self.first_warp.next = self.warp_number[31 - w].val();
            }
        }
        self.drained_warp.clock.next = self.clock.val();
        self.drained_warp.reset.next = self.reset.val();
        self.drained_warp.enable.next = self.is_select.val();
        self.drained_warp.d.next = self.first_warp.val();
        self.decoder.clock.next = self.clock.val();
        self.decoder.reset.next = self.reset.val();
        self.decoder.load.next = self.is_load.val();
        self.decoder.load_low.next = self.live_low.read_data.val();
        self.decoder.load_high.next = self.live_high.read_data.val();
        self.decoder.step.next = self.is_drain.val() & self.reads.val();
        self.saved_all.next = !self.reading.q.val() & !self.full.q.val();
        self.finish.next = (self.is_select.val() & !self.any_warp.val()) & self.saved_all.val();
        self.done.next = self.finish.val();
        self.live_count.next = self.count.q.val();

        // Warps whose vector is in the memory and has not been drained.
        self.warp_bit.next = self.one.val() << self.looked_warp.q.val();
        if self.is_select.val() {
            self.warp_bit.next = self.one.val() << self.first_warp.val();
        }
        self.present.clock.next = self.clock.val();
        self.present.reset.next = self.reset.val();
        self.present.enable.next =
            (self.accepted.val() | self.vectors.answer.val()) | (self.is_select.val() & self.any_warp.val());
        self.present.d.next = self.present.q.val() | self.warp_bit.val();
        if self.is_select.val() {
            self.present.d.next = self.present.q.val() ^ self.warp_bit.val();
        }
        if self.accepted.val() {
            self.present.d.next = 0.into();
        }
        self.live_write.next = self.vectors.answer.val() | (self.is_exchange.val() & self.reads.val());
        self.live_enable.next =
            (self.live_write.val() | self.is_select.val()) | (self.is_walk.val() & self.pcrf.restored.val());
        self.live_row.next = self.pcrf.restored_warp.val();
        if self.is_look.val() {
            self.live_row.next = self.looked_warp.q.val();
        } else if self.is_select.val() {
            self.live_row.next = self.first_warp.val();
        }
        self.live_low.clock.next = self.clock.val();
        self.live_low.enable.next = self.live_enable.val();
        self.live_low.write.next = self.live_write.val();
        self.live_low.address.next = self.live_row.val();
        self.live_low.write_data.next = self.vectors.low.val();
        self.live_high.clock.next = self.clock.val();
        self.live_high.enable.next = self.live_enable.val();
        self.live_high.write.next = self.live_write.val();
        self.live_high.address.next = self.live_row.val();
        self.live_high.write_data.next = self.vectors.high.val();
        if self.is_exchange.val() {
            self.live_low.write_data.next = self.live_low.read_data.val();
            self.live_high.write_data.next = self.live_high.read_data.val();
            if self.pcrf.restored_register.val().get_bit(5) {
                self.live_high.write_data.next = self.live_high.read_data.val() & !self.restored_bit.val();
            } else {
                self.live_low.write_data.next = self.live_low.read_data.val() & !self.restored_bit.val();
            }
        }

        // The buffer: from the ACRF, to the PCRF.
        self.arrives.next = self.reading.q.val() & self.acrf_answer.val();
        self.reading.clock.next = self.clock.val();
        self.reading.reset.next = self.reset.val();
        self.reading.enable.next = self.reads.val() | self.arrives.val();
        self.reading.d.next = self.reads.val();
        self.full.clock.next = self.clock.val();
        self.full.reset.next = self.reset.val();
        self.full.enable.next = self.arrives.val() | self.pcrf.stored.val();
        self.full.d.next = self.arrives.val();
        self.buffer_warp.clock.next = self.clock.val();
        self.buffer_warp.reset.next = self.reset.val();
        self.buffer_warp.enable.next = self.reads.val();
        self.buffer_warp.d.next = self.acrf_read_warp.val();
        self.buffer_register.clock.next = self.clock.val();
        self.buffer_register.reset.next = self.reset.val();
        self.buffer_register.enable.next = self.reads.val();
        self.buffer_register.d.next = self.acrf_read_register.val();
        self.buffer.clock.next = self.clock.val();
        self.buffer.reset.next = self.reset.val();
        self.buffer.enable.next = self.arrives.val();
        self.buffer.d.next = self.acrf_answer_data.val();
        self.remaining.clock.next = self.clock.val();
        self.remaining.reset.next = self.reset.val();
        self.remaining.enable.next = self.is_check.val() | self.pcrf.stored.val();
        self.remaining.d.next = self.remaining.q.val() - 1;
        if self.is_check.val() {
            self.remaining.d.next = self.count.q.val();
        }

        // The PCRF and its tables.
        self.pcrf.clock.next = self.clock.val();
        self.pcrf.reset.next = self.reset.val();
        self.pcrf.walk.next = self.begins.val() & self.chain.val();
        self.pcrf.walk_pointer.next = self.pointers.pointer.val();
        self.pcrf.accept.next = self.moved.val();
        self.pcrf.any_free.next = self.monitor.any_free.val();
        self.pcrf.first_free.next = self.monitor.first_free.val();
        self.pcrf.store.next = self.full.q.val();
        self.pcrf.store_last.next = self.remaining.q.val() == bits::<12>(1);
        self.pcrf.store_warp.next = self.buffer_warp.q.val();
        self.pcrf.store_register.next = self.buffer_register.q.val();
        self.pcrf.store_data.next = self.buffer.q.val();
        self.pcrf_read.next = self.pcrf.free.val();
        self.pcrf_write.next = self.pcrf.stored.val();
        self.monitor.clock.next = self.clock.val();
        self.monitor.reset.next = self.reset.val();
        self.monitor.take.next = self.pcrf.take.val();
        self.monitor.free.next = self.pcrf.free.val();
        self.monitor.free_entry.next = self.pcrf.free_entry.val();
        self.free_count.next = self.monitor.free_count.val();
        self.pointers.clock.next = self.clock.val();
        self.pointers.read.next = self.accepted.val() & self.restore.val();
        self.pointers.write.next =
            (self.begins.val() & self.chain.val()) | (self.finish.val() & self.stores.q.val());
        self.pointers.cta.next = self.incoming.val();
        self.pointers.write_pointer.next = self.pcrf.head.val();
        self.pointers.write_count.next = self.count.q.val();
        if self.is_check.val() {
            // What comes in is no longer there.
            self.pointers.cta.next = self.incoming_cta.q.val();
            self.pointers.write_count.next = 0.into();
        } else if self.finish.val() {
            self.pointers.cta.next = self.outgoing_cta.q.val();
        }

        self.state.clock.next = self.clock.val();
        self.state.reset.next = self.reset.val();
        self.state.enable.next = true;
        self.state.d.next = self.state.q.val();
        if self.accepted.val() {
            self.state.d.next = 2.into();
            if self.store.val() {
                self.state.d.next = 1.into();
            }
        } else if self.is_look.val() & (self.vectors.answer.val() & self.looked_last.q.val()) {
            self.state.d.next = 2.into();
        } else if self.refused.val() | self.finish.val() {
            self.state.d.next = 0.into();
        } else if self.begins.val() {
            self.state.d.next = 5.into();
            if self.chain.val() {
                self.state.d.next = 3.into();
            }
        } else if self.moved.val() {
            self.state.d.next = 3.into();
            if self.pcrf.restored_last.val() {
                self.state.d.next = 5.into();
            }
        } else if self.is_walk.val() & (self.pcrf.restored.val() & self.suspect.val()) {
            self.state.d.next = 4.into();
        } else if self.is_select.val() & self.any_warp.val() {
            self.state.d.next = 6.into();
        } else if self.is_load.val() {
            self.state.d.next = 7.into();
        } else if self.is_drain.val() & !self.decoder.any.val() {
            self.state.d.next = 5.into();
        }
    }
}

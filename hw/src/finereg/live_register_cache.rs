//! Live-register bit-vector cache: R §V-C, Fig. 10. Which registers of a thread are live at a PC.
//!
//! 32 direct-mapped entries of a PC and 64 bits. The index is the exclusive or of two groups of five bits of
//! the PC, 4 to 8 and 9 to 13: R says "hashing 5 bits of PC address" and no more, and an instruction takes
//! 16 bytes. The tag is the whole PC, as R's four bytes say. A valid bit per entry, which R does not count,
//! keeps an entry that was never filled from matching. A miss asks memory for the vector and fills the entry.
//!
//! Timing, for a PC asked for in cycle t (`request` and `ready` high): a hit answers in t + 1, and another PC
//! can be asked for in t + 1. A miss shows in t + 1; from t + 2 `memory_request` is high until
//! `memory_ready`; then memory answers in some later cycle, the answer is handed on in that cycle, and the
//! next PC can be asked for in the next.

use gpurf_blocks::VECTOR_CACHE_ENTRIES;
use rust_hdl::prelude::*;

use crate::dialect::{rtl, Identity, Memory, Module, Register};

#[derive(LogicBlock, Module)]
pub struct LiveRegisterCache {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub request: Signal<In, Bit>,
    pub pc: Signal<In, Bits<32>>,
    /// Memory takes the request.
    pub memory_ready: Signal<In, Bit>,
    /// Memory answers the request it took.
    pub memory_answer: Signal<In, Bit>,
    /// Bit r: register r is live; and register 32 + r.
    pub memory_low: Signal<In, Bits<32>>,
    pub memory_high: Signal<In, Bits<32>>,

    pub ready: Signal<Out, Bit>,
    /// The vector of the PC asked for. Without an answer it is zero.
    pub answer: Signal<Out, Bit>,
    pub low: Signal<Out, Bits<32>>,
    pub high: Signal<Out, Bits<32>>,
    pub memory_request: Signal<Out, Bit>,
    /// The PC whose vector memory is asked for.
    pub memory_pc: Signal<Out, Bits<32>>,
    /// Events.
    pub hit: Signal<Out, Bit>,
    pub miss: Signal<Out, Bit>,

    accepted: Signal<Local, Bit>,
    tag_matches: Signal<Local, Bit>,
    filled: Signal<Local, Bit>,
    index: Signal<Local, Bits<5>>,
    address: Signal<Local, Bits<5>>,
    valid_bit: Signal<Local, Bits<32>>,
    pcs: Memory<32, 5>,
    lows: Memory<32, 5>,
    highs: Memory<32, 5>,
    valid: Register<Bits<32>>,
    /// The PC asked for.
    asked: Register<Bits<32>>,
    /// The entry is being read; memory has to be asked; memory has been asked.
    looking: Register<Bit>,
    wanting: Register<Bit>,
    waiting: Register<Bit>,
    one: Constant<Bits<32>>,
    identity: Identity,
}

impl Default for LiveRegisterCache {
    fn default() -> Self {
        LiveRegisterCache {
            clock: Signal::default(),
            reset: Signal::default(),
            request: Signal::default(),
            pc: Signal::default(),
            memory_ready: Signal::default(),
            memory_answer: Signal::default(),
            memory_low: Signal::default(),
            memory_high: Signal::default(),
            ready: Signal::default(),
            answer: Signal::default(),
            low: Signal::default(),
            high: Signal::default(),
            memory_request: Signal::default(),
            memory_pc: Signal::default(),
            hit: Signal::default(),
            miss: Signal::default(),
            accepted: Signal::default(),
            tag_matches: Signal::default(),
            filled: Signal::default(),
            index: Signal::default(),
            address: Signal::default(),
            valid_bit: Signal::default(),
            pcs: Memory::new(VECTOR_CACHE_ENTRIES),
            lows: Memory::new(VECTOR_CACHE_ENTRIES),
            highs: Memory::new(VECTOR_CACHE_ENTRIES),
            valid: Register::default(),
            asked: Register::default(),
            looking: Register::default(),
            wanting: Register::default(),
            waiting: Register::default(),
            one: Constant::new(1.into()),
            identity: Identity::new("live_register_cache", "Live-register bit-vector cache (R V-C)", &[]),
        }
    }
}

impl Logic for LiveRegisterCache {
    #[rtl]
    fn update(&mut self) {
        // What the entry that was read says, or memory.
        self.index.next = self.asked.q.val().get_bits::<5>(4) ^ self.asked.q.val().get_bits::<5>(9);
        self.tag_matches.next = self.valid.q.val().get_bit(self.index.val().index())
            & (self.pcs.read_data.val() == self.asked.q.val());
        self.hit.next = self.looking.q.val() & self.tag_matches.val();
        self.miss.next = self.looking.q.val() & !self.tag_matches.val();
        self.filled.next = self.waiting.q.val() & self.memory_answer.val();
        self.answer.next = self.hit.val() | self.filled.val();
        self.low.next = 0.into();
        self.high.next = 0.into();
        if self.hit.val() {
            self.low.next = self.lows.read_data.val();
            self.high.next = self.highs.read_data.val();
        } else if self.filled.val() {
            self.low.next = self.memory_low.val();
            self.high.next = self.memory_high.val();
        }
        self.memory_request.next = self.wanting.q.val();
        self.memory_pc.next = self.asked.q.val();

        // One PC at a time.
        self.ready.next = !self.miss.val() & (!self.wanting.q.val() & !self.waiting.q.val());
        self.accepted.next = self.request.val() & self.ready.val();
        self.asked.clock.next = self.clock.val();
        self.asked.reset.next = self.reset.val();
        self.asked.enable.next = self.accepted.val();
        self.asked.d.next = self.pc.val();
        self.looking.clock.next = self.clock.val();
        self.looking.reset.next = self.reset.val();
        self.looking.enable.next = true;
        self.looking.d.next = self.accepted.val();
        self.wanting.clock.next = self.clock.val();
        self.wanting.reset.next = self.reset.val();
        self.wanting.enable.next = true;
        self.wanting.d.next = self.miss.val() | (self.wanting.q.val() & !self.memory_ready.val());
        self.waiting.clock.next = self.clock.val();
        self.waiting.reset.next = self.reset.val();
        self.waiting.enable.next = true;
        self.waiting.d.next = (self.wanting.q.val() & self.memory_ready.val())
            | (self.waiting.q.val() & !self.memory_answer.val());

        // Read the entry of a new PC; write the one that missed.
        self.address.next = self.index.val();
        if self.accepted.val() {
            self.address.next = self.pc.val().get_bits::<5>(4) ^ self.pc.val().get_bits::<5>(9);
        }
        self.pcs.clock.next = self.clock.val();
        self.pcs.enable.next = self.accepted.val() | self.filled.val();
        self.pcs.write.next = self.filled.val();
        self.pcs.address.next = self.address.val();
        self.pcs.write_data.next = self.asked.q.val();
        self.lows.clock.next = self.clock.val();
        self.lows.enable.next = self.accepted.val() | self.filled.val();
        self.lows.write.next = self.filled.val();
        self.lows.address.next = self.address.val();
        self.lows.write_data.next = self.memory_low.val();
        self.highs.clock.next = self.clock.val();
        self.highs.enable.next = self.accepted.val() | self.filled.val();
        self.highs.write.next = self.filled.val();
        self.highs.address.next = self.address.val();
        self.highs.write_data.next = self.memory_high.val();
        self.valid_bit.next = self.one.val() << self.index.val();
        self.valid.clock.next = self.clock.val();
        self.valid.reset.next = self.reset.val();
        self.valid.enable.next = self.filled.val();
        self.valid.d.next = self.valid.q.val() | self.valid_bit.val();
    }
}

// SPDX-License-Identifier: Apache-2.0
//! Live-register bit-vector cache of FineReg: R §V-C, Fig. 10.
//!
//! It says which registers of a thread are live at a program counter (PC). It has 32 direct-mapped entries of
//! a PC and a vector of 64 bits. A miss asks memory and fills the entry.
//!
//! # Timing
//!
//! A PC asked for in cycle t: a hit answers in t + 1, and another PC can be asked for in that cycle. A miss
//! asks memory from t + 2 on. Its answer is handed on in the cycle in which it comes, and the next PC can be
//! asked for in the next.
//!
//! # Decisions
//!
//! - **The hash**: R has "hashing 5 bits of PC address". Here bits 4 to 8 of the PC exclusive or bits 9 to
//!   13: an instruction takes 16 bytes on Turing.
//! - **The tag is the whole PC**: R counts 4 bytes.
//! - **A valid bit per entry**, which R does not count: PC 0 is a PC.
//! - **One miss at a time.**
//!
//! # Storage
//!
//! The memory has 32 × 96 bits, 384 B, as R §V-F counts. The registers are 32 valid bits, the PC asked for,
//! and 3 bits of control.

use gpurf_blocks::VECTOR_CACHE_ENTRIES;
use rust_hdl::prelude::*;

use crate::dialect::{block, rtl, Memory, Register};
use crate::{monitor, watch};

#[block(title = "Live-register bit-vector cache", paper = "R §V-C")]
pub struct LiveRegisterCache {
    /// A PC is asked for, taken if `ready` is high.
    pub request: In<Bit>,
    /// PC that is asked for.
    pub pc: In<Bits<32>>,
    /// Memory takes the request.
    pub memory_ready: In<Bit>,
    /// Memory answers the request it took, in the cycle after that at the earliest.
    pub memory_answer: In<Bit>,
    /// Memory's answer: bit r is high if register r is live.
    pub memory_low: In<Bits<32>>,
    /// Memory's answer: bit r is high if register 32 + r is live.
    pub memory_high: In<Bits<32>>,

    /// A PC can be asked for.
    pub ready: Out<Bit>,
    /// The vector of the PC asked for is there.
    pub answer: Out<Bit>,
    /// Bits of registers 0 to 31 in the vector; zero without an answer.
    pub low: Out<Bits<32>>,
    /// Bits of registers 32 to 63 in the vector; zero without an answer.
    pub high: Out<Bits<32>>,
    /// Memory is asked; stands until taken.
    pub memory_request: Out<Bit>,
    /// The PC whose vector memory is asked for.
    pub memory_pc: Out<Bits<32>>,
    /// Event: the vector of the PC asked for is in the cache.
    pub hit: Out<Bit>,
    /// Event: the vector of the PC asked for is not in the cache.
    pub miss: Out<Bit>,

    accepted: Local<Bit>,
    filled: Local<Bit>,
    index: Local<Bits<5>>,
    #[new(Memory::new(VECTOR_CACHE_ENTRIES))]
    pcs: Memory<32, 5>,
    #[new(Memory::new(VECTOR_CACHE_ENTRIES))]
    lows: Memory<32, 5>,
    #[new(Memory::new(VECTOR_CACHE_ENTRIES))]
    highs: Memory<32, 5>,
    valid: Register<Bits<32>>,
    /// The PC asked for.
    asked: Register<Bits<32>>,
    /// The entry is being read; memory has to be asked; memory has been asked.
    looking: Register<Bit>,
    wanting: Register<Bit>,
    waiting: Register<Bit>,
    #[value(1)]
    one: Constant<Bits<32>>,
}

watch!(LiveRegisterCache: [
    "hit(pc = asked) if hit: hit at PC {pc}",
    "miss(pc = asked) if miss: miss at PC {pc}",
    "fill(pc = asked) if filled: fill for PC {pc}",
    "fault if !answer && (low != 0 || high != 0): a vector without an answer",
]);

monitor!(LiveRegisterCache: "live_register_cache_monitor.v");

#[rtl]
impl LiveRegisterCache {
    /// The answer, from the entry that was read or from memory.
    fn hits() {
        index = asked.get_bits::<5>(4) ^ asked.get_bits::<5>(9);
        let tag_matches: Bit = valid.get_bit(index) & (pcs.read_data == asked);
        hit = looking & tag_matches;
        miss = looking & !tag_matches;
        filled = waiting & memory_answer;
        answer = hit | filled;
        low = 0;
        high = 0;
        if hit {
            low = lows.read_data;
            high = highs.read_data;
        } else if filled {
            low = memory_low;
            high = memory_high;
        }
        memory_request = wanting;
        memory_pc = asked;
    }

    /// One PC at a time.
    fn requests() {
        ready = !miss & (!wanting & !waiting);
        accepted = request & ready;
        asked.load(accepted, pc);
        looking = accepted;
        wanting = miss | (wanting & !memory_ready);
        waiting = (wanting & memory_ready) | (waiting & !memory_answer);
    }

    /// Read the entry of a new PC; write the one that missed.
    fn entries() {
        let address: Bits<5> = if accepted { pc.get_bits::<5>(4) ^ pc.get_bits::<5>(9) } else { index };
        pcs.enable = accepted | filled;
        connect!(pcs { write: filled, address, write_data: asked });
        lows.enable = accepted | filled;
        connect!(lows { write: filled, address, write_data: memory_low });
        highs.enable = accepted | filled;
        connect!(highs { write: filled, address, write_data: memory_high });
        let valid_bit: Bits<32> = one << index;
        valid.load(filled, valid | valid_bit);
    }
}

// SPDX-License-Identifier: Apache-2.0
//! Context mover of Virtual Thread: R §IV-B, §V-B.
//!
//! One CTA takes the place of another. The contexts of the warps that leave go from the pipeline to shared
//! memory, and then those of the warps that come go back. A context is a warp's place in the instruction
//! stream and its scoreboard. The mover says in each cycle which word moves, and whose.
//!
//! # Timing
//!
//! A switch that starts in cycle t moves its first word in t + 1, and a word in each cycle from then on.
//! `done` is high in the cycle of the last word, and from then on. With two warps that leave, one that comes,
//! and one word each:
//!
//! ```text
//! cycle        0       1       2       3       4
//! start        1       0       0       0       0
//! access       0       1       1       1       0
//! store        0       1       1       0       0
//! warp         -       0       3       1       -
//! done         1       0       0       1       1
//! ```
//!
//! # Decisions
//!
//! R takes the switching logic from Virtual Thread and gives its storage alone, 2.4 KB. The rest is our
//! reconstruction:
//!
//! - **One word after the other.** A word is an access of shared memory, 128 bytes. The [SM](sm.md) has as
//!   many for a context as `finereg.context_cycles` says.
//! - **The lowest number first**, and all that leave before all that come.
//! - **The contexts lie in shared memory**, so they are no storage of the mover. Its address is the number
//!   of CTA, warp and word.
//!
//! # Storage
//!
//! It keeps 94 bits. Each of 32 warps has one that says that it leaves, and one that says that it comes. The
//! others are two numbers of CTAs and the number of the word.

use rust_hdl::prelude::*;

use gpurf_blocks::CTA_WARPS;

use crate::dialect::{block, rtl, Register};
use crate::{monitor, watch};

#[block(title = "Context mover", paper = "R §IV-B, §V-B", sizes(warps = CTA_WARPS))]
pub struct ContextMover {
    /// A switch starts. What has not moved of the one before, which was given up, does not move.
    pub start: In<Bit>,
    /// The CTA that leaves.
    pub outgoing: In<Bits<7>>,
    /// Bit w: warp w of the CTA that leaves has a context.
    pub leaving: In<Bits<32>>,
    /// The CTA that comes.
    pub incoming: In<Bits<7>>,
    /// Bit w: warp w of the CTA that comes has a context.
    pub coming: In<Bits<32>>,
    /// The number of a context's last word. It stays the same while contexts move.
    pub last_word: In<Bits<16>>,

    /// A word moves.
    pub access: Out<Bit>,
    /// It goes to shared memory; else it comes from there.
    pub store: Out<Bit>,
    /// CTA of the word that moves; zero if none does.
    pub cta: Out<Bits<7>>,
    /// Warp of the word that moves, in its CTA; zero if none does.
    pub warp: Out<Bits<5>>,
    /// Number of the word that moves, in its context.
    pub word: Out<Register<Bits<16>>>,
    /// Nothing moves after this cycle.
    pub done: Out<Bit>,

    /// Contexts that are to move: those that leave if there are any.
    left: Local<Bits<32>>,
    lowest: Local<Bits<32>>,
    ends: Local<Bit>,
    stores: Register<Bits<32>>,
    loads: Register<Bits<32>>,
    from: Register<Bits<7>>,
    to: Register<Bits<7>>,
}

watch!(ContextMover: [
    "switch(from = outgoing, to = incoming) if start: the contexts of block {from} leave for those of block \
        {to}",
    "store(cta = cta, warp = warp) if access && store && word == 0: the context of warp {warp} of block {cta} \
        leaves",
    "load(cta = cta, warp = warp) if access && !store && word == 0: the context of warp {warp} of block {cta} \
        comes",
    "misuse if word > last_word: word {word} moves, and the last is {last_word}",
    "fault if store && !access: nothing moves, and it leaves",
]);

monitor!(ContextMover: "context_mover_monitor.v");

#[rtl]
impl ContextMover {
    /// The context that moves. x & !(x - 1) is its bit.
    fn choose() {
        store = stores.any();
        access = stores.any() | loads.any();
        left = if stores.any() { stores } else { loads };
        lowest = left & !(left - 1);
        warp = first(0..warps, |w| left.get_bit(w));
        cta = 0;
        if access {
            cta = if store { from } else { to };
        }
        ends = access & (word == last_word);
        /// It is the only one that is left.
        let only: Bit = (left == lowest) & !(store & loads.any());
        done = !access | (ends & only);
    }

    fn go_on() {
        if start {
            stores = leaving;
            loads = coming;
            from = outgoing;
            to = incoming;
        } else if ends {
            stores = stores & !lowest;
            if !store {
                loads = loads & !lowest;
            }
        }
        if start | ends {
            word = 0;
        } else if access {
            word = word + 1;
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
//! Shared register pool of RegMutex: R §I, §VI-A.
//!
//! A warp owns the registers of its base register set (BRS). The others lie in the shared register pool
//! (SRP) of its sub-core, which is cut into sections. Each section has room for the others of one warp. A
//! warp takes a section before an instruction that needs one. It gives it back where none of the section's
//! registers is live. If no section is free it waits. A flag for each section says which are taken, and a
//! look-up table which warp has which. With the section's number a register of the pool becomes a row of a
//! bank.
//!
//! # Timing
//!
//! `granted` and `given` answer in the same cycle; `holds` and `section` show it in the next. A section that
//! is given back in a cycle can be taken in the same:
//!
//! ```text
//! cycle          0       1       2       3
//! sections       1       1       1       1
//! acquire        0 1     1       1       -
//! give_back      -       -       0       -
//! granted        0       -       1       -
//! holds          -       0       0       1
//! ```
//!
//! # Decisions
//!
//! R says that CTAs take registers of a pool and stall until some are there, and no more of its hardware. The
//! rest is our reconstruction:
//!
//! - **Flags and a table**, both of flip-flops: any number of warps may take and give back in one cycle.
//! - **The lower number before the higher**, of warps that ask in one cycle. The first takes the lowest free
//!   section, the next one the lowest that is left.
//! - **Sections are as large as a kernel needs**, so `sections` says how many there are. It may grow while
//!   the kernel runs, as the [SM](sm.md) has it where nothing else can move.
//! - **A warp that leaves its slot keeps its section.** The section's number moves with its context
//!   (`leave`), and comes back with it (`come`). Meanwhile the flag stays.
//!
//! # Storage
//!
//! It keeps a flag for each of 64 sections, and 7 bits for each warp: 120 bits with 8 warps.

use gpurf_blocks::{FLAG_WORD, POOL_SECTIONS};
use rust_hdl::prelude::*;

use crate::dialect::{block, rtl, Register};
use crate::{monitor, watch};

#[block(
    title = "Shared register pool",
    paper = "R §I, §VI-A",
    parameters(warps),
    sizes(words = POOL_SECTIONS / FLAG_WORD, steps = warps + 1)
)]
pub struct SharedRegisterPool {
    /// Sections that the pool of the running kernel has, 0 to 64.
    pub sections: In<Bits<7>>,
    /// The warp needs a section, and has none or gives one back. At most one of `acquire`, `leave` and `come`
    /// is high.
    pub acquire: In<[Bit; warps]>,
    /// The warp gives its section back; so does one that has ended, for which another may be there already.
    pub give_back: In<[Bit; warps]>,
    /// The warp leaves its slot, and takes the number of its section with it.
    pub leave: In<[Bit; warps]>,
    /// A warp comes back into the slot that has a section.
    pub come: In<[Bit; warps]>,
    /// The section that the warp has that comes back.
    pub come_section: In<[Bits<6>; warps]>,

    /// The warp takes a section in this cycle.
    pub granted: Out<[Bit; warps]>,
    /// The section that the warp takes in this cycle; zero if it takes none.
    pub given: Out<[Bits<6>; warps]>,
    /// The warp has a section.
    pub holds: Out<Register<[Bit; warps]>>,
    /// The section that the warp has, or had last.
    pub section: Out<Register<[Bits<6>; warps]>>,
    /// A section was free when the cycle began.
    pub any_free: Out<Bit>,

    /// Sections that there are, and those that warps give back.
    exist: Local<[Bits<32>; words]>,
    returned: Local<[Bits<32>; words]>,
    /// Sections that are free, when so many warps have had their turn.
    low: Local<[Bits<32>; steps]>,
    high: Local<[Bits<32>; steps]>,
    /// Sections that warps take.
    taken_low: Local<Bits<32>>,
    taken_high: Local<Bits<32>>,

    taken: Register<[Bits<32>; words]>,
    #[value(1)]
    one: Constant<Bits<32>>,
    #[value(u32::MAX)]
    ones: Constant<Bits<32>>,
}

watch!(SharedRegisterPool: [
    "acquire(warp = w) for w in granted if granted[w]: warp {warp} takes section {given[w]} of the pool",
    "wait(warp = w) for w in acquire if acquire[w] && !granted[w]: warp {warp} waits for registers of the \
        pool",
    "return(warp = w) for w in give_back if give_back[w]: warp {warp} gives section {section[w]} back",
    "misuse if sections > 64: the pool has {sections} sections, and room for 64",
    "misuse for w in acquire if acquire[w] + leave[w] + come[w] > 1: warp {w} does two things at once",
    "misuse for w in leave if leave[w] && give_back[w]: warp {w} takes a section along, and gives it back",
    "misuse for w in acquire if (acquire[w] || come[w]) && holds[w] && !give_back[w]: warp {w} gets a section, \
        and has one",
    "misuse for w in give_back if (give_back[w] || leave[w]) && !holds[w]: warp {w} loses a section, and has \
        none",
    "misuse for w in come if come[w] && !taken[come_section[w] >> 5][come_section[w] & 31]: warp {w} comes \
        with section {come_section[w]}, which is free",
]);

monitor!(SharedRegisterPool: "shared_register_pool_monitor.v");

#[rtl]
impl SharedRegisterPool {
    /// Sections that are free, with those that come back in this cycle.
    fn free() {
        for w in 0..words {
            returned[w] = 0;
            for i in 0..warps {
                let its_bit: Bits<32> = one << section[i].get_bits::<5>(0);
                if give_back[i] & ((section[i] >> 5) == w) {
                    returned[w] |= its_bit;
                }
            }
            let beyond: Bits<32> = ones << sections.get_bits::<5>(0);
            let full_words: Bits<7> = sections >> 5;
            exist[w] = 0;
            if full_words > w {
                exist[w] = ones;
            } else if full_words == w {
                exist[w] = !beyond;
            }
        }
        any_free = (exist[0] & !taken[0]).any() | (exist[1] & !taken[1]).any();
        low[0] = exist[0] & !(taken[0] & !returned[0]);
        high[0] = exist[1] & !(taken[1] & !returned[1]);
    }

    /// One warp after the other takes the lowest that is left. x & !(x - 1) is its bit.
    fn grant() {
        taken_low = 0;
        taken_high = 0;
        for i in 0..warps {
            let is_low: Bit = low[i].any();
            let left: Bits<32> = if is_low { low[i] } else { high[i] };
            let lowest: Bits<32> = left & !(left - 1);
            let place: Bits<6> = first(0..32, |b| left.get_bit(b));
            let takes: Bit = acquire[i] & left.any();
            let from_low: Bits<32> = if takes & is_low { lowest } else { 0 };
            let from_high: Bits<32> = if takes & !is_low { lowest } else { 0 };
            low[i + 1] = low[i] & !from_low;
            high[i + 1] = high[i] & !from_high;
            taken_low |= from_low;
            taken_high |= from_high;

            granted[i] = takes;
            given[i] = 0;
            if takes {
                given[i] = if is_low { place } else { place | 32 };
            }
            if takes {
                section[i] = given[i];
                holds[i] = true;
            } else if come[i] {
                section[i] = come_section[i];
                holds[i] = true;
            } else if give_back[i] | leave[i] {
                holds[i] = false;
            }
        }
        taken[0] = (taken[0] & !returned[0]) | taken_low;
        taken[1] = (taken[1] & !returned[1]) | taken_high;
    }
}

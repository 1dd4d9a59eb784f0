// SPDX-License-Identifier: Apache-2.0
//! Prefetcher of register intervals: LTRF, F §VI-A.
//!
//! The compiler cuts a kernel into intervals whose registers all fit into a warp's part of the
//! [register cache](register_cache.md). A list of them stands beside the code. When a warp reaches an
//! instruction of another interval, the prefetcher takes in the list. It offers the registers in batches.
//! Issue takes a batch as an instruction that reads these registers and does nothing else. The warp goes on
//! when all of them are in the cache.
//!
//! # Timing
//!
//! It answers in the same cycle. A warp has four registers, and a batch takes three. The first batch is taken
//! at once, the second one in the next cycle. They leave their collectors in cycles 4 and 5. Their last value
//! enters the cache in cycle 7:
//!
//! ```text
//! cycle        0       1       2       4       5       6       7       8
//! arrive       1       1       1       1       1       1       1       1
//! asks         1       1       0       0       0       0       0       0
//! batch        R1 2 5  R9      -       -       -       -       -       -
//! issue        1       1       0       0       0       0       0       0
//! leave        0       0       0       1       1       0       0       0
//! filling      0       0       0       0       1       1       1       0
//! waits        0       0       1       1       1       1       1       0
//! ```
//!
//! # Decisions
//!
//! F names LTRF and gives none of its hardware. All of it is our reconstruction:
//!
//! - **A list of 16 registers** for each warp, as many as the cache has entries. A bit for each of 256
//!   registers would take twice the storage and a longer search. If an instruction by itself has more, the
//!   first 16 are fetched.
//! - **Which registers of the list are wanted** comes from outside: those that the compiler says are live,
//!   and that the scoreboard does not wait for. The results of the others enter the cache themselves.
//! - **A warp that becomes pending forgets its interval**, because its values leave the cache. It fetches the
//!   interval again when it is active. What is in collectors for it meanwhile still counts.
//! - **The batch is that of the warp that issue has picked**, so that there is one search for all warps.
//!   Between the pick and the reads of the banks stand this search and the look-up in the cache.
//! - **Values on their way into the cache** are known to its fill queue (`filling`), which the scoreboard
//!   looks at too.
//!
//! # Storage
//!
//! For each warp it keeps 165 bits: the list 128, registers to ask for 16, the interval 16 and 1 that says
//! it is known, batches in collectors 4. With 8 warps it keeps 1,320.

use gpurf_blocks::INTERVAL_REGISTERS;
use rust_hdl::prelude::*;

use crate::dialect::{block, rtl, Register};
use crate::{monitor, watch};

#[block(
    title = "Prefetcher of register intervals",
    paper = "F §VI-A",
    parameters(warps, slots),
    sizes(places = warps * INTERVAL_REGISTERS, steps = INTERVAL_REGISTERS + 1)
)]
pub struct IntervalPrefetcher {
    /// The warp could issue the instruction at the head of its buffer.
    pub arrive: In<[Bit; warps]>,
    /// Number of that instruction's interval.
    pub interval: In<[Bits<16>; warps]>,
    /// Registers of that interval: place 16 w + i is the one at place i of the list of warp w.
    pub registers: In<[Bits<8>; places]>,
    /// The register at the same place is live at that instruction, and not still to be written.
    pub wanted: In<[Bit; places]>,
    /// Another warp comes into the slot, or this one becomes pending: its interval is forgotten.
    pub forget: In<[Bit; warps]>,
    /// Values that the warp has fetched wait for the cache to take them in.
    pub filling: In<[Bit; warps]>,
    /// The warp that issue has picked.
    pub warp: In<Bits<4>>,
    /// A collector takes that warp's batch.
    pub issue: In<Bit>,
    /// A batch has all of its values and leaves its collector.
    pub leave: In<Bit>,
    /// Warp of the batch that leaves.
    pub leave_warp: In<Bits<4>>,

    /// The warp has registers to fetch: issue takes a batch of it, instead of its instruction.
    pub asks: Out<[Bit; warps]>,
    /// The warp has asked for all, and not all has come: it must not issue.
    pub waits: Out<[Bit; warps]>,
    /// Per slot of a collector: the batch of the picked warp has a register for it.
    pub batch_valid: Out<[Bit; slots]>,
    /// The register; zero if there is none.
    pub batch: Out<[Bits<8>; slots]>,

    /// The warp enters an interval.
    enters: Local<[Bit; warps]>,
    /// Registers that the warp still has to ask for, and its list, in view of the interval that it enters.
    left: Local<[[Bit; INTERVAL_REGISTERS]; warps]>,
    at_hand: Local<[[Bits<8>; INTERVAL_REGISTERS]; warps]>,
    /// The same of the picked warp.
    open: Local<[Bit; INTERVAL_REGISTERS]>,
    number: Local<[Bits<8>; INTERVAL_REGISTERS]>,
    /// `next[i][s]`: slot s is the first that is free when the places before place i have had their turn.
    next: Local<[[Bit; slots]; steps]>,
    /// `takes[i][s]`: the register at place i goes into slot s.
    takes: Local<[[Bit; slots]; INTERVAL_REGISTERS]>,
    taken: Local<[Bit; INTERVAL_REGISTERS]>,

    /// The warp is in an interval, and in which one.
    known: Register<[Bit; warps]>,
    its_interval: Register<[Bits<16>; warps]>,
    /// The registers of the interval, and those of them that are still to be asked for.
    numbers: Register<[[Bits<8>; INTERVAL_REGISTERS]; warps]>,
    missing: Register<[[Bit; INTERVAL_REGISTERS]; warps]>,
    /// Batches of the warp in collectors.
    reading: Register<[Bits<4>; warps]>,
}

watch!(IntervalPrefetcher: [
    "enter(warp = w, interval = interval[w]) for w in enters if enters[w]: warp {warp} enters interval \
        {interval}",
    "fetch(warp = warp) if issue: a collector reads registers that warp {warp} fetches, R{batch[0]} first",
    "fetched(warp = leave_warp) if leave: registers that warp {warp} fetches have been read",
    "misuse for w in asks if issue && warp == w && !asks[w]: warp {w} fetches nothing, and a collector \
        takes it",
    "misuse for w in reading if leave && leave_warp == w && reading[w] == 0: nothing is read for warp {w}, \
        and it leaves",
    "misuse for w in reading if issue && warp == w && reading[w] == 15: warp {w} has 15 batches in collectors, \
        and gets another",
    "fault for w in asks if asks[w] && waits[w]: warp {w} asks, and has asked for all",
    "fault for w in asks for s in batch_valid if warp == w && s == 0 && asks[w] != batch_valid[s]: warp {w} asks \
        without a batch, or has one and asks for nothing",
    "fault for a in batch_valid for b in batch_valid if a + 1 == b && batch_valid[b] && !batch_valid[a]: slot \
        {b} has a register, and slot {a} has none",
]);

monitor!(IntervalPrefetcher: "interval_prefetcher_monitor.v");

#[rtl]
impl IntervalPrefetcher {
    /// Warps that enter an interval have its list at hand at once.
    fn enter() {
        for w in 0..warps {
            let another: Bit = (its_interval[w] != interval[w]) | (forget[w] | !known[w]);
            enters[w] = arrive[w] & another;
            for i in 0..16 {
                left[w][i] = missing[w][i] & !forget[w];
                at_hand[w][i] = numbers[w][i];
                if enters[w] {
                    left[w][i] = wanted[w * 16 + i];
                    at_hand[w][i] = registers[w * 16 + i];
                }
            }
            asks[w] = any(0..16, |i| left[w][i]);
            waits[w] = !asks[w] & (filling[w] | (reading[w] != 0));
        }
    }

    /// The first registers that the picked warp still has to ask for, one for each slot.
    fn choose() {
        for s in 0..slots {
            next[0][s] = false;
        }
        next[0][0] = true;
        for i in 0..16 {
            open[i] = any(0..warps, |w| (warp == w) & left[w][i]);
            number[i] = select(0..warps, |w| warp == w, |w| at_hand[w][i]);
            for s in 0..slots {
                takes[i][s] = open[i] & next[i][s];
                next[i + 1][s] = next[i][s] & !open[i];
            }
            for s in 0..slots - 1 {
                next[i + 1][s + 1] |= takes[i][s];
            }
            taken[i] = any(0..slots, |s| takes[i][s]);
        }
        for s in 0..slots {
            batch_valid[s] = any(0..16, |i| takes[i][s]);
            batch[s] = select(0..16, |i| takes[i][s], |i| number[i]);
        }
    }

    /// Registers that have been asked for are no longer missing.
    fn ask() {
        for w in 0..warps {
            let its_turn: Bit = issue & (warp == w);
            for i in 0..16 {
                missing[w][i] = left[w][i] & !(its_turn & taken[i]);
                numbers[w][i] = at_hand[w][i];
            }
            known[w] = arrive[w] | (known[w] & !forget[w]);
            its_interval[w].load(enters[w], interval[w]);

            let leaves: Bit = leave & (leave_warp == w);
            if its_turn & !leaves {
                reading[w] = reading[w] + 1;
            } else if leaves & !its_turn {
                reading[w] = reading[w] - 1;
            }
        }
    }
}

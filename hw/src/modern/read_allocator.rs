// SPDX-License-Identifier: Apache-2.0
//! Read allocator: H §5.3. It gives each read a cycle of the window, or lets the instruction wait.
//!
//! An instruction has a window of `read_window` cycles for its reads, always, also if it needs fewer. It
//! waits until all of them fit into the window that begins in the next cycle. A bank makes `read_ports` reads
//! in a cycle. Two rules say what is free for the next instruction:
//!
//! - `packed`: all cycles in which nobody reads. H and its simulator have it so.
//! - `held`: an instruction of fixed latency keeps each bank that it reads for its whole window. A follower
//!   that reads the bank n times needs n free cycles behind it. It was fitted to the clocks of one GA100.
//!
//! Reads take the first free cycles, in the order of operands. An instruction of variable latency asks when
//! none of fixed latency does. It keeps no bank (our decision). An instruction that asks in cycle t, and
//! goes, reads in cycles t + 1 to t + `read_window`.

use gpurf_blocks::{ReadRule, OPERANDS, READS, READ_BANKS};
use rust_hdl::prelude::*;

use crate::dialect::{block, rtl, Register};
use crate::watch;

/// Bit 3 k + r of a place: port r of the bank, in cycle k of the window.
#[block(
    title = "Read allocator",
    paper = "H §5.3",
    parameters(read_rule, read_window, read_ports),
    sizes(turns = OPERANDS + 1)
)]
pub struct ReadAllocator {
    /// An instruction of fixed latency wants to read.
    pub fixed: In<Bit>,
    /// Its sources that must be read: source 2 o + b is operand o's in bank b.
    pub request: In<[Bit; READS]>,
    /// An instruction of variable latency wants to read.
    pub variable: In<Bit>,
    /// Its sources.
    pub variable_request: In<[Bit; READS]>,

    /// The instruction of fixed latency goes.
    pub go: Out<Bit>,
    /// The instruction of variable latency goes.
    pub variable_go: Out<Bit>,
    /// When each source of the one that goes is read: one bit, at 3 k + r for port r in cycle k of the
    /// window.
    pub grant: Out<[Bits<15>; READS]>,

    wants: Local<[Bit; READS]>,
    /// Free places of each bank, before each operand and behind the last.
    left: Local<[[Bits<15>; READ_BANKS]; turns]>,
    negated: Local<[[Bits<15>; READ_BANKS]; OPERANDS]>,
    /// The first of them.
    lowest: Local<[[Bits<15>; READ_BANKS]; OPERANDS]>,
    fits: Local<Bit>,
    goes: Local<Bit>,
    reads: Local<[Bit; READ_BANKS]>,
    after: Local<[Bits<15>; READ_BANKS]>,
    /// Places that are taken, from the next cycle on.
    taken: Register<[Bits<15>; READ_BANKS]>,
    #[value((0..read_window).map(|k| ((1 << read_ports) - 1) << (3 * k)).sum::<u64>())]
    places: Constant<Bits<15>>,
    #[value(read_rule == ReadRule::Held)]
    holds: Constant<Bit>,
}

watch!(ReadAllocator: [
    "wait if fixed && !go: reads do not fit into the window",
    "fault if go && variable_go: two instructions go",
    "fault if go && !fixed || variable_go && !variable: nobody goes",
    "fault for a in grant for b in grant if a < b && ((a ^ b) & 1) == 0 && (grant[a] & grant[b]) != 0: \
        sources {a} and {b} are read at one port at once",
    "fault for a in grant if grant[a] != 0 && (grant[a] & (grant[a] - 1)) != 0: source {a} is read twice",
    "fault for a in request if go && request[a] && grant[a] == 0: source {a} is never read",
    "fault for a in grant if (grant[a] & taken[a & 1]) != 0: source {a} is read at a port that is taken",
]);

#[rtl]
impl ReadAllocator {
    /// Each source takes the first place that is left.
    fn place() {
        fits = true;
        for b in 0..2 {
            left[0][b] = places & !taken[b];
            reads[b] = false;
            for o in 0..3 {
                wants[o * 2 + b] =
                    if fixed { request[o * 2 + b] } else { variable & variable_request[o * 2 + b] };
                reads[b] |= wants[o * 2 + b];
                negated[o][b] = bits::<15>(0) - left[o][b];
                lowest[o][b] = 0;
                if wants[o * 2 + b] {
                    lowest[o][b] = left[o][b] & negated[o][b];
                    fits &= left[o][b].any();
                }
                left[o + 1][b] = left[o][b] ^ lowest[o][b];
            }
        }
        go = fixed & fits;
        variable_go = (variable & !fixed) & fits;
        goes = (fixed | variable) & fits;
    }

    /// Moves the taken places on by a cycle.
    fn take() {
        for b in 0..2 {
            after[b] = taken[b];
            if goes {
                after[b] = if (holds & fixed) & reads[b] { places } else { places & !left[3][b] };
            }
            taken[b] = after[b] >> 3;
            for o in 0..3 {
                grant[o * 2 + b] = if goes { lowest[o][b] } else { 0 };
            }
        }
    }
}

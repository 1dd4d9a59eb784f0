// SPDX-License-Identifier: Apache-2.0
//! Queue of instructions of variable latency: H §5.4. They wait here for their reads, behind Control.
//!
//! It has `variable_depth` places and one for the instruction at its head. An instruction has its place from
//! its issue on, until its unit has taken it on (`give_back`), which may be later than its reads. So issue
//! stops, and not Control: the sixth load waits until the first one's address is known. An instruction that
//! enters in a cycle is in the queue in the next.

use rust_hdl::prelude::*;

use crate::bundles::Operation;
use crate::dialect::{block, rtl, Held, Register};
use crate::watch;

#[block(
    title = "Queue of instructions of variable latency",
    paper = "H §5.4",
    parameters(variable_depth),
    sizes(places = variable_depth + 1)
)]
pub struct VariableQueue {
    /// An instruction issues that will enter.
    pub reserve: In<Bit>,
    /// The unit has taken on an instruction that has left.
    pub give_back: In<Bit>,
    /// An instruction enters.
    pub enter: In<Bit>,
    /// Instruction that enters.
    #[prefix(enter)]
    pub entered: Operation<In>,
    /// Its warp.
    pub enter_warp: In<Bits<4>>,
    /// First row of the warp's registers in every bank.
    pub enter_base: In<Bits<8>>,
    /// The instruction at the head goes to its reads; there must be one.
    pub take: In<Bit>,

    /// There is a place to reserve.
    pub room: Out<Bit>,
    /// There is an instruction at the head.
    pub head_valid: Out<Bit>,
    /// Instruction at the head; zero without one.
    pub head: Operation<Out>,
    /// Its warp.
    pub head_warp: Out<Bits<4>>,
    /// First row of the warp's registers in every bank.
    pub head_base: Out<Bits<8>>,

    full: Local<[Bit; places]>,
    first: Local<[Bit; places]>,
    valid: Register<[Bit; places]>,
    entries: [Operation<Held>; places],
    warp: Register<[Bits<4>; places]>,
    base: Register<[Bits<8>; places]>,
    reserved: Register<Bits<4>>,
    #[value(variable_depth + 1)]
    depth: Constant<Bits<4>>,
}

watch!(VariableQueue: [
    "valid enter_source_register if enter_source_valid[i]",
    "misuse if reserve && !room: a place is reserved, and there is none",
    "misuse if give_back && reserved == 0: a place is given back that nobody has",
    "misuse if take && !head_valid: an instruction is taken from an empty queue",
    "fault for p in valid if p > 0 && valid[p] && !valid[p - 1]: there is a gap before place {p}",
    "fault if !head_valid && (head_payload != 0 || head_warp != 0 || head_base != 0): fields without an instruction",
    "fault if reserved > #valid: more places are reserved than there are",
]);

#[rtl]
impl VariableQueue {
    fn reserve() {
        room = reserved < depth;
        if reserve ^ give_back {
            reserved = if give_back { reserved - 1 } else { reserved + 1 };
        }
    }

    fn queue() {
        head_valid = valid[0];
        head.clear();
        head_warp = 0;
        head_base = 0;
        if valid[0] {
            pass!(entries[0] => head);
            head_warp = warp[0];
            head_base = base[0];
        }
        for p in 0..places - 1 {
            full[p] = if take { valid[p + 1] } else { valid[p] };
            pass!(entries[p + 1] => entries[p]);
            warp[p].d = warp[p + 1];
            base[p].d = base[p + 1];
        }
        for p in places - 1..places {
            full[p] = valid[p] & !take;
            pass!(entered => entries[p]);
            warp[p].d = enter_warp;
            base[p].d = enter_base;
        }
        for p in 0..1 {
            first[p] = enter & !full[p];
        }
        for p in 1..places {
            first[p] = (enter & !full[p]) & full[p - 1];
        }
        for p in 0..places {
            if first[p] {
                pass!(entered => entries[p]);
                warp[p].d = enter_warp;
                base[p].d = enter_base;
            }
            valid[p].load(take | enter, full[p] | first[p]);
            entries[p].enable = take | first[p];
            warp[p].enable = take | first[p];
            base[p].enable = take | first[p];
        }
    }
}

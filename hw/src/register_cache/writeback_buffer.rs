// SPDX-License-Identifier: Apache-2.0
//! Write-back buffer of a register cache: C §IV-E.
//!
//! It holds dirty values on their way to the register file. A replacement or a flush pushes out one value of
//! a warp in a cycle, lane by lane. Where lanes share their tags it is one register; where each thread has
//! its own, it may be a different one in each lane. The buffer sends the lanes of one register in a cycle,
//! and is full until all have left.
//!
//! A source must not be read from the register file while its new value is here: `conflict` says so.
//!
//! Lanes pushed in cycle t stand on the outputs from t + 1 on. In t + 1 `data` brings their values. A group
//! of lanes leaves in a cycle with `valid` and `ready`. C has no buffer. Its depth of one value is our
//! decision, the least that lets the entry's new value be written while the old one leaves.

use gpurf_blocks::LANES;
use rust_hdl::prelude::*;

use crate::dialect::{block, rtl, Register};
use crate::{monitor, watch};

/// `W`: width of a register of a warp in bits; `L`: lanes that share tags.
#[block(
    title = "Write-back buffer of a register cache",
    paper = "C §IV-E",
    parameters(width, rc_tag_lanes, slots),
    sizes(groups = LANES / rc_tag_lanes, lanes_of_group = rc_tag_lanes)
)]
pub struct WritebackBuffer<const W: usize, const L: usize> {
    /// Lanes enter; the buffer must be empty, or empty after this cycle.
    pub push: In<Bit>,
    /// Warp of the lanes that enter.
    pub push_warp: In<Bits<3>>,
    /// Lanes that enter, of each group of lanes that share tags.
    pub push_lanes: In<[Bits<L>; groups]>,
    /// The group's register.
    pub push_register: In<[Bits<8>; groups]>,
    /// Values of the lanes that entered in the last cycle.
    pub data: In<Bits<W>>,
    /// The register file takes the lanes that leave.
    pub ready: In<Bit>,
    /// A source that is looked for.
    pub look: In<[Bit; slots]>,
    /// Warp of the source that is looked for.
    pub look_warp: In<Bits<3>>,
    /// Register of the source that is looked for.
    pub look_register: In<[Bits<8>; slots]>,

    /// Lanes of a register leave.
    pub valid: Out<Bit>,
    /// Warp of the lanes that leave; zero without any, as all fields of theirs.
    pub warp: Out<Bits<3>>,
    /// Register of the lanes that leave.
    pub register: Out<Bits<8>>,
    /// Lanes that leave.
    pub lanes: Out<Bits<32>>,
    /// Values of the lanes that leave; other lanes are of no meaning.
    pub leaving_data: Out<Bits<W>>,
    /// The buffer will be empty after this cycle, or is.
    pub free: Out<Bit>,
    /// A source that is looked for is in here, in any lane.
    pub conflict: Out<Bit>,

    occupied: Local<Bit>,
    /// The register that leaves now is that of the first group that has any lane.
    first: Local<Bits<8>>,
    goes: Local<[Bit; groups]>,
    stays: Local<Bit>,
    pending: Register<[Bits<L>; groups]>,
    registers: Register<[Bits<8>; groups]>,
    held_warp: Register<Bits<3>>,
    /// The values come in this cycle.
    fresh: Register<Bit>,
    held: Register<Bits<W>>,
}

watch!(WritebackBuffer<W, L>: [
    "misuse if push && !free: lanes enter a buffer that is not empty",
    "fault if !valid && (warp != 0 || register != 0 || lanes != 0): fields without a register",
]);

monitor!(WritebackBuffer<W, L>: "writeback_buffer_monitor.v");

#[rtl]
impl<const W: usize, const L: usize> WritebackBuffer<W, L> {
    /// Lanes that leave.
    fn leave() {
        occupied = false;
        first = 0;
        for g in 0..groups {
            if !occupied & pending[g].any() {
                first = registers[g];
            }
            occupied |= pending[g].any();
        }
        stays = false;
        lanes = 0;
        for g in 0..groups {
            goes[g] = pending[g].any() & (registers[g] == first);
            stays |= (pending[g].any() & !goes[g]);
            for k in 0..lanes_of_group {
                // There is one group, or each has one lane.
                lanes = lanes.replace_bit(g + k, goes[g] & pending[g].get_bit(k));
            }
        }
        valid = occupied;
        warp = 0;
        register = 0;
        leaving_data = 0;
        if occupied {
            warp = held_warp;
            register = first;
            leaving_data = if fresh { data } else { held };
        }
        free = !occupied | (ready & !stays);
    }

    /// Sources that must wait.
    fn hold_back() {
        conflict = false;
        for r in 0..slots {
            for g in 0..groups {
                if (look[r] & (look_warp == held_warp))
                    & (pending[g].any() & (registers[g] == look_register[r]))
                {
                    conflict = true;
                }
            }
        }
    }

    /// Changes.
    fn change() {
        for g in 0..groups {
            if push {
                pending[g] = push_lanes[g];
                registers[g] = push_register[g];
            } else if ready & goes[g] {
                pending[g] = 0;
            }
        }
        held_warp.load(push, push_warp);
        fresh = push;
        held.reset = false;
        held.load(fresh, data);
    }
}

//! Write-back buffer of a register cache: dirty values on their way to the register file. C §IV-E.
//!
//! What a replacement or a flush pushes out in a cycle is one value of a warp, lane by lane. Where lanes share their
//! tags it is one register; where each thread has its own, it may be a different one in each lane. The buffer sends the
//! lanes of one register in a cycle, and is full until all have left.
//!
//! A source must not be read from the register file while its new value is here: `conflict` says so, and its
//! instruction waits.
//!
//! Timing: lanes pushed in cycle t stand on the outputs from t + 1 on, and `data` brings their values in t + 1. A
//! group of lanes leaves in a cycle with `valid` and `ready`. C has no buffer; its depth of one value is our decision,
//! the least that lets the entry's new value be written while the old one leaves.

use gpurf_blocks::LANES;
use rust_hdl::prelude::*;

use crate::dialect::{block, rtl, Register};

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
    /// Their warp.
    pub push_warp: In<Bits<3>>,
    /// Which, of each group of lanes that share tags.
    pub push_lanes: In<[Bits<L>; groups]>,
    /// The group's register.
    pub push_register: In<[Bits<8>; groups]>,
    /// Values of the lanes that entered in the last cycle.
    pub data: In<Bits<W>>,
    /// The register file takes what is shown.
    pub ready: In<Bit>,
    /// A source that is looked for.
    pub look: In<[Bit; slots]>,
    /// Its warp.
    pub look_warp: In<Bits<3>>,
    /// Its register.
    pub look_register: In<[Bits<8>; slots]>,

    /// Lanes of a register leave.
    pub valid: Out<Bit>,
    /// Their warp; zero without any, as the fields below.
    pub warp: Out<Bits<3>>,
    /// Their register.
    pub register: Out<Bits<8>>,
    /// Which lanes.
    pub lanes: Out<Bits<32>>,
    /// Their values; other lanes are of no meaning.
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

impl<const W: usize, const L: usize> Logic for WritebackBuffer<W, L> {
    #[rtl]
    fn update(&mut self) {
        // What leaves.
        self.occupied.next = false;
        self.first.next = 0.into();
        for g in 0..groups {
            if !self.occupied.val() & self.pending[g].val().any() {
                self.first.next = self.registers[g].val();
            }
            self.occupied.next = self.occupied.val() | self.pending[g].val().any();
        }
        self.stays.next = false;
        self.lanes.next = 0.into();
        for g in 0..groups {
            self.goes[g].next = self.pending[g].val().any() & (self.registers[g].val() == self.first.val());
            self.stays.next = self.stays.val() | (self.pending[g].val().any() & !self.goes[g].val());
            for k in 0..lanes_of_group {
                // There is one group, or each has one lane.
                self.lanes.next = self
                    .lanes
                    .val()
                    .replace_bit(g + k, self.goes[g].val() & self.pending[g].val().get_bit(k));
            }
        }
        self.valid.next = self.occupied.val();
        self.warp.next = 0.into();
        self.register.next = 0.into();
        self.leaving_data.next = 0.into();
        if self.occupied.val() {
            self.warp.next = self.held_warp.val();
            self.register.next = self.first.val();
            self.leaving_data.next = self.held.val();
            if self.fresh.val() {
                self.leaving_data.next = self.data.val();
            }
        }
        self.free.next = !self.occupied.val() | (self.ready.val() & !self.stays.val());

        // Sources that must wait.
        self.conflict.next = false;
        for r in 0..slots {
            for g in 0..groups {
                if (self.look[r].val() & (self.look_warp.val() == self.held_warp.val()))
                    & (self.pending[g].val().any() & (self.registers[g].val() == self.look_register[r].val()))
                {
                    self.conflict.next = true;
                }
            }
        }

        // What changes.
        for g in 0..groups {
            self.pending[g].load(self.push.val() | (self.ready.val() & self.goes[g].val()), 0.into());
            if self.push.val() {
                self.pending[g].d.next = self.push_lanes[g].val();
            }
            self.registers[g].load(self.push.val(), self.push_register[g].val());
        }
        self.held_warp.load(self.push.val(), self.push_warp.val());
        self.fresh.load(true, self.push.val());
        self.held.reset.next = false;
        self.held.load(self.fresh.val(), self.data.val());
    }
}

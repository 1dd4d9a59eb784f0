// SPDX-License-Identifier: Apache-2.0
//! Reference model of the write-back buffer: C §IV-E.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{WritebackBufferIn, WritebackBufferOut};
use gpurf_blocks::{Clocked, Data, Parameters, WarpId, LANES};
use gpurf_trace::RegisterId;

use super::{IssuedSources, RegisterLanes};
use crate::bits::{all, equal_of_32, mask};

/// Dirty values on their way to the register file.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct WritebackBuffer<D: Data> {
    tag_lanes: usize,
    slots: usize,
    warp: WarpId,
    /// Lanes that wait, one bit each.
    waiting: u32,
    /// The ones of them that leave next.
    next: u32,
    /// Register of each lane that waits.
    registers: [u8; LANES],
    /// The values come in this cycle.
    fresh: bool,
    held: D,
    #[borsh(skip)]
    inputs: WritebackBufferIn<D>,
}

impl<D: Data> WritebackBuffer<D> {
    /// After reset, with these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        let Parameters { slots, rc_tag_lanes, .. } = *parameters;
        WritebackBuffer {
            tag_lanes: rc_tag_lanes,
            slots,
            warp: WarpId(0),
            waiting: 0,
            next: 0,
            registers: [0; LANES],
            fresh: false,
            held: D::default(),
            inputs: WritebackBufferIn::default(),
        }
    }

    /// Nothing waits.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.waiting == 0
    }

    /// Nothing will wait after a cycle in which the register file is ready, or is not.
    #[inline]
    pub fn is_free(&self, ready: bool) -> bool {
        self.waiting == 0 || ready && self.waiting == self.next
    }

    /// A source of these is in here, in any lane.
    #[inline]
    pub fn holds_any(&self, sources: &IssuedSources) -> bool {
        let waits = |register: RegisterId| self.lanes_of(register.0) & self.waiting != 0;
        self.waiting != 0 && sources.warp == self.warp && sources.each().any(|(_, register)| waits(register))
    }

    /// The lanes that have a register, or had it last.
    #[inline]
    fn lanes_of(&self, register: u8) -> u32 {
        match self.tag_lanes {
            LANES if self.registers[0] == register => u32::MAX,
            LANES => 0,
            _ => equal_of_32(&self.registers, register),
        }
    }

    /// The value that leaves. `data`: the values that come in this cycle.
    #[inline]
    pub fn leaving(&self, data: &D) -> Option<RegisterLanes<D>> {
        (self.next != 0).then(|| RegisterLanes {
            warp: self.warp,
            register: RegisterId(self.next_register()),
            lanes: self.next,
            data: if self.fresh { *data } else { self.held },
        })
    }

    /// The clock edge of a cycle in which the register file is ready, or is not. `data` as of
    /// [`WritebackBuffer::leaving`].
    #[inline]
    pub fn edge(&mut self, ready: bool, data: &D) {
        if self.fresh {
            self.held = *data;
            self.fresh = false;
        }
        if ready && self.waiting != 0 {
            self.waiting &= !self.next;
            self.choose();
        }
    }

    /// The same edge, behind it: lanes of a warp enter, each of its register. Their values come in the next
    /// cycle.
    #[inline]
    pub fn push(&mut self, warp: WarpId, lanes: u32, registers: &[u8; LANES]) {
        (self.warp, self.waiting, self.registers, self.fresh) = (warp, lanes, *registers, true);
        self.choose();
    }

    /// The lanes of the lowest lane's register are next.
    #[inline]
    fn choose(&mut self) {
        self.next = match self.waiting {
            0 => 0,
            waiting => waiting & self.lanes_of(self.registers[waiting.trailing_zeros() as usize]),
        };
    }

    fn next_register(&self) -> u8 {
        self.registers[self.next.trailing_zeros() as usize]
    }
}

impl<D: Data> Clocked for WritebackBuffer<D> {
    type In = WritebackBufferIn<D>;
    type Out = WritebackBufferOut<D>;

    fn settle(&mut self, inputs: &WritebackBufferIn<D>) -> WritebackBufferOut<D> {
        self.inputs = *inputs;
        let mut outputs = WritebackBufferOut { free: self.is_free(inputs.ready), ..Default::default() };
        if let Some(RegisterLanes { warp, register, lanes, data }) = self.leaving(&inputs.data) {
            outputs.valid = true;
            outputs.warp = warp.into();
            outputs.register = register.into();
            outputs.lanes = lanes;
            outputs.leaving_data = data;
        }
        outputs.conflict = self.holds_any(&IssuedSources {
            read: mask(&inputs.look) & all(self.slots),
            registers: inputs.look_register.map(|register| RegisterId(register as u8)),
            warp: WarpId(inputs.look_warp as u8),
            ..IssuedSources::default()
        });
        outputs
    }

    fn tick(&mut self) {
        let inputs = self.inputs;
        self.edge(inputs.ready, &inputs.data);
        if inputs.push {
            let mut registers = [0; LANES];
            let mut lanes = 0;
            for (group, registers) in registers.chunks_exact_mut(self.tag_lanes).enumerate() {
                registers.fill(inputs.push_register[group] as u8);
                lanes |= inputs.push_lanes[group] << (group * self.tag_lanes);
            }
            self.push(WarpId(inputs.push_warp as u8), lanes, &registers);
        }
    }
}

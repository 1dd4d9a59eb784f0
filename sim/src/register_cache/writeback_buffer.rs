//! Reference model of the write-back buffer: C §IV-E.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{WritebackBufferIn, WritebackBufferOut};
use gpurf_blocks::{Clocked, Data, Parameters, LANES};

/// Dirty values on their way to the register file.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct WritebackBuffer<D: Data> {
    slots: usize,
    tag_lanes: usize,
    warp: u32,
    /// Register of each lane that waits.
    waiting: [Option<u32>; LANES],
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
            slots,
            tag_lanes: rc_tag_lanes,
            warp: 0,
            waiting: [None; LANES],
            fresh: false,
            held: D::default(),
            inputs: WritebackBufferIn::default(),
        }
    }

    /// The register that leaves, and its lanes.
    fn leaving(&self) -> Option<(u32, u32)> {
        let register = self.waiting.iter().flatten().next()?;
        let lanes = (0..LANES).filter(|lane| self.waiting[*lane] == Some(*register));
        Some((*register, lanes.fold(0, |lanes, lane| lanes | 1 << lane)))
    }
}

impl<D: Data> Clocked for WritebackBuffer<D> {
    type In = WritebackBufferIn<D>;
    type Out = WritebackBufferOut<D>;

    fn settle(&mut self, inputs: &WritebackBufferIn<D>) -> WritebackBufferOut<D> {
        self.inputs = *inputs;
        let mut outputs = WritebackBufferOut { free: true, ..Default::default() };
        if let Some((register, lanes)) = self.leaving() {
            outputs.valid = true;
            outputs.warp = self.warp;
            outputs.register = register;
            outputs.lanes = lanes;
            outputs.leaving_data = if self.fresh { inputs.data } else { self.held };
            let waiting = self.waiting.iter().flatten().count();
            outputs.free = inputs.ready && waiting == lanes.count_ones() as usize;
        }
        outputs.conflict = inputs.look_warp == self.warp
            && (0..self.slots)
                .any(|slot| inputs.look[slot] && self.waiting.contains(&Some(inputs.look_register[slot])));
        outputs
    }

    fn tick(&mut self) {
        let inputs = self.inputs;
        if self.fresh {
            self.held = inputs.data;
        }
        if inputs.ready {
            if let Some((register, _)) = self.leaving() {
                self.waiting.iter_mut().filter(|lane| **lane == Some(register)).for_each(|lane| *lane = None);
            }
        }
        self.fresh = inputs.push;
        if inputs.push {
            self.warp = inputs.push_warp;
            for lane in 0..LANES {
                let (group, bit) = (lane / self.tag_lanes, lane % self.tag_lanes);
                let waits = inputs.push_lanes[group] >> bit & 1 == 1;
                self.waiting[lane] = waits.then_some(inputs.push_register[group]);
            }
        }
    }
}

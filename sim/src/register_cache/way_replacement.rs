//! Reference model of the way replacement: C §IV-E.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{WayReplacementIn, WayReplacementOut};
use gpurf_blocks::Clocked;

/// The order in which the ways of a set were used.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct WayReplacement {
    /// The least recently used first.
    order: Vec<usize>,
    touched: Vec<usize>,
}

impl WayReplacement {
    /// With so many ways, after reset.
    pub fn new(ways: usize) -> Self {
        WayReplacement { order: (0..ways).collect(), touched: vec![] }
    }

    /// The way that makes room.
    pub fn victim(&self, is_valid: impl Fn(usize) -> bool) -> usize {
        (0..self.order.len()).find(|way| !is_valid(*way)).unwrap_or(self.order[0])
    }

    /// These ways, in rising order, were used last.
    pub fn touch(&mut self, ways: &[usize]) {
        self.order.retain(|way| !ways.contains(way));
        self.order.extend(ways);
    }
}

impl Clocked for WayReplacement {
    type In = WayReplacementIn;
    type Out = WayReplacementOut;

    fn settle(&mut self, inputs: &WayReplacementIn) -> WayReplacementOut {
        self.touched = (0..self.order.len()).filter(|way| inputs.touch[*way]).collect();
        let mut outputs = WayReplacementOut::default();
        outputs.victim[self.victim(|way| inputs.valid[way])] = true;
        outputs
    }

    fn tick(&mut self) {
        let touched = std::mem::take(&mut self.touched);
        self.touch(&touched);
    }
}

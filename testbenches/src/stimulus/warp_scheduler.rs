//! Stimulus of the warp scheduler.

use gpurf_blocks::{Occupied, Scheduling, WARPS};
use gpurf_hw::issue::{WarpSchedulerIn, WarpSchedulerOut};

use super::Stimulus;
use crate::Random;

/// Warps that are ready or not at random, few or many for some twenty cycles each, and collectors that are
/// theirs. No warp owns two collectors.
pub struct WarpSchedulerStimulus {
    collectors: usize,
    scheduling: Scheduling,
    occupied: Occupied,
    ready: usize,
    /// Issues of other warps since this one could issue or did.
    passed_over: [usize; WARPS],
}

impl WarpSchedulerStimulus {
    pub fn new(collectors: usize, scheduling: Scheduling, occupied: Occupied) -> Self {
        WarpSchedulerStimulus { collectors, scheduling, occupied, ready: 50, passed_over: [0; WARPS] }
    }

    /// The warp may be selected.
    fn is_candidate(&self, inputs: &WarpSchedulerIn, warp: usize) -> bool {
        let own = |&c: &usize| inputs.owned[c] && inputs.held_warp[c] == warp as u32;
        let blocked = (0..self.collectors).find(own).is_some_and(|own| inputs.occupied[own]);
        inputs.ready[warp] && !(blocked && self.occupied == Occupied::Skip)
    }
}

impl Stimulus<WarpSchedulerIn, WarpSchedulerOut> for WarpSchedulerStimulus {
    fn next(&mut self, random: &mut Random) -> WarpSchedulerIn {
        if random.percent(5) {
            self.ready = random.pick(&[10, 50, 90, 100]);
        }
        let mut inputs = WarpSchedulerIn::default();
        for warp in 0..WARPS {
            inputs.launch[warp] = random.percent(2);
            inputs.ready[warp] = !inputs.launch[warp] && random.percent(self.ready);
        }
        let first_owner = random.below(WARPS);
        for collector in 0..self.collectors {
            inputs.occupied[collector] = random.percent(50);
            inputs.owned[collector] = random.percent(80);
            inputs.held_warp[collector] = ((first_owner + collector) % WARPS) as u32;
        }
        let any = (0..WARPS).any(|warp| self.is_candidate(&inputs, warp));
        inputs.issue = any && random.percent(80);
        inputs
    }

    fn observe(&mut self, inputs: &WarpSchedulerIn, outputs: &WarpSchedulerOut) -> Result<(), String> {
        let any = (0..WARPS).any(|warp| self.is_candidate(inputs, warp));
        let selected: Vec<usize> = (0..WARPS).filter(|&warp| outputs.select[warp]).collect();
        let warp = outputs.warp as usize;
        if outputs.selected != any || selected != Vec::from_iter(any.then_some(warp)) {
            return Err(format!("selected {selected:?}, reported {} and {warp}", outputs.selected));
        }
        if any && !self.is_candidate(inputs, warp) {
            return Err(format!("warp {warp} cannot issue"));
        }
        for other in 0..WARPS {
            if !self.is_candidate(inputs, other) || (inputs.issue && other == warp) {
                self.passed_over[other] = 0;
            } else if inputs.issue {
                self.passed_over[other] += 1;
            }
            if self.scheduling == Scheduling::Lrr && self.passed_over[other] >= WARPS {
                return Err(format!("warp {other} is passed over for the eighth time"));
            }
        }
        Ok(())
    }
}

// SPDX-License-Identifier: Apache-2.0
//! Reference model of the STHLD controller: W §7, F §IV-B3.

mod walk;

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{SthldControllerIn, SthldControllerOut};
use gpurf_blocks::{Clocked, Parameters, SthldTable};

pub use self::walk::{Curve, Walk, WalkStep};

/// A state machine that runs at the end of each interval, and what it counts meanwhile.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct SthldController {
    interval: usize,
    table: SthldTable,
    cycle: usize,
    instructions: u32,
    /// Instructions of the interval before: the one register of W §9.4.
    previous: u32,
    /// 1 to 6.
    state: usize,
    sthld: u32,
    issued: u32,
}

impl SthldController {
    /// After reset, with these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        let Parameters { interval, sthld_table: table, .. } = *parameters;
        let (cycle, instructions, previous, issued) = (0, 0, 0, 0);
        SthldController { interval, table, cycle, instructions, previous, state: 1, sthld: 0, issued }
    }

    /// The present STHLD, in cycles.
    pub fn sthld(&self) -> u32 {
        self.sthld
    }

    /// 1 to 6, as the papers number them.
    pub fn state(&self) -> usize {
        self.state
    }

    /// The end of an interval in which so many instructions were issued. "A relative difference of less than
    /// 0.02 is considered small"; "once a transition happens, the STHLD will be increased or decreased by a
    /// delta shown on the transition edges" (F §IV-B3). Two intervals without instructions differ little.
    pub fn end_interval(&mut self, instructions: u32) {
        let difference = instructions.abs_diff(self.previous);
        let small = difference == 0 || self.table.inverse_threshold * difference < self.previous;
        let edges = &self.table.state[self.state - 1];
        let edge = if small { edges.small } else { edges.large };
        self.sthld = self.sthld.saturating_add_signed(edge.step).min(self.table.maximum);
        self.state = edge.next as usize;
        self.previous = instructions;
    }
}

impl Clocked for SthldController {
    type In = SthldControllerIn;
    type Out = SthldControllerOut;

    fn settle(&mut self, inputs: &SthldControllerIn) -> SthldControllerOut {
        self.issued = inputs.issued;
        let interval_end = self.cycle + 1 == self.interval;
        SthldControllerOut { sthld: self.sthld, state: self.state as u32, interval_end }
    }

    fn tick(&mut self) {
        self.instructions += self.issued;
        self.cycle += 1;
        if self.cycle == self.interval {
            self.end_interval(self.instructions);
            (self.cycle, self.instructions) = (0, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// STHLD after each of these intervals.
    fn trail(intervals: &[u32]) -> Vec<(usize, u32)> {
        let mut controller = SthldController::new(&Parameters::default());
        let step = |&instructions: &u32| {
            controller.end_interval(instructions);
            (controller.state(), controller.sthld())
        };
        intervals.iter().map(step).collect()
    }

    #[test]
    fn the_threshold_itself_is_large() {
        let last = |instructions| trail(&[10_000, instructions])[1];
        assert_eq!(last(10_199), (2, 4));
        assert_eq!(last(10_200), (3, 4));
        assert_eq!(last(9_801), (2, 4));
        assert_eq!(last(9_800), (3, 4));
    }

    #[test]
    fn idle_intervals_differ_little_and_waking_up_much() {
        assert_eq!(trail(&[0, 0, 0, 1]), [(2, 2), (2, 4), (2, 6), (3, 8)]);
    }

    #[test]
    fn sthld_saturates_at_both_ends() {
        let climb = trail(&[1_000; 40]);
        assert_eq!(climb[39], (2, 31));
        let fall: Vec<u32> = (0..8).map(|interval| 30_000 >> interval).collect();
        assert_eq!(trail(&fall)[2..6], [(4, 0), (4, 0), (4, 0), (4, 0)]);
    }
}

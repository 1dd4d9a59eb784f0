//! Stimulus of the STHLD controller.

use gpurf_hw::issue::SthldControllerIn;

use super::Stimulus;
use crate::Random;

/// A rate of issue that mostly stays the same from interval to interval, with a few instructions more or
/// less: changes are small and large, and now and then close to the threshold.
pub struct SthldControllerStimulus {
    interval: usize,
    cycle: usize,
    rate: u32,
    /// Of a hundred cycles, those in which the rate is not kept.
    jitter: usize,
}

impl SthldControllerStimulus {
    pub fn new(interval: usize) -> Self {
        SthldControllerStimulus { interval, cycle: 0, rate: 0, jitter: 0 }
    }
}

impl<O> Stimulus<SthldControllerIn, O> for SthldControllerStimulus {
    fn next(&mut self, random: &mut Random) -> SthldControllerIn {
        if self.cycle % self.interval == 0 {
            if random.percent(30) {
                self.rate = random.below(5) as u32;
            }
            self.jitter = random.pick(&[0, 1, 2, 5]);
        }
        self.cycle += 1;
        let issued = if random.percent(self.jitter) { random.below(5) as u32 } else { self.rate };
        SthldControllerIn { issued }
    }
}

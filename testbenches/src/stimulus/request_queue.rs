//! Stimulus of a bank's request queue.

use gpurf_hw::register_file::{RequestQueueIn, RequestQueueOut};

use super::Stimulus;
use crate::Random;

/// Bursts of pushes as of whole instructions, as far as there is room, and pops of what is there.
pub struct RequestQueueStimulus {
    collectors: usize,
    slots: usize,
    waiting: usize,
}

impl RequestQueueStimulus {
    pub fn new(collectors: usize, slots: usize) -> Self {
        RequestQueueStimulus { collectors, slots, waiting: 0 }
    }
}

impl Stimulus<RequestQueueIn, RequestQueueOut> for RequestQueueStimulus {
    fn next(&mut self, random: &mut Random) -> RequestQueueIn {
        let mut inputs = RequestQueueIn::default();
        let mut room = self.collectors * self.slots - self.waiting;
        if random.percent(40) {
            for slot in 0..self.slots {
                inputs.push[slot] = room > 0 && random.percent(60);
                room -= inputs.push[slot] as usize;
                inputs.push_row[slot] = random.below(256) as u32;
            }
        }
        inputs.push_collector = random.below(self.collectors) as u32;
        inputs.pop = self.waiting > 0 && random.percent(80);
        inputs
    }

    fn observe(&mut self, inputs: &RequestQueueIn, _: &RequestQueueOut) -> Result<(), String> {
        self.waiting += inputs.push.iter().filter(|push| **push).count();
        self.waiting -= inputs.pop as usize;
        Ok(())
    }
}

//! Testbench of a bank's request queue.

use gpurf_blocks::ports::{RequestQueueIn, RequestQueueOut};
use gpurf_blocks::Parameters;
use gpurf_hw::register_file::RequestQueue;

use crate::{register, Engine, Random, Stimulus, Testbench};

impl<const C: usize> Testbench for RequestQueue<C> {
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(gpurf_sim::register_file::RequestQueue::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(RequestQueueStimulus { parameters: *parameters, waiting: 0, rising: true })
    }
}

register!(RequestQueue<C>);

/// Bursts of pushes as of whole instructions, as far as there is room, and pops of what is there; with tides from empty to
/// full and back, since a queue that is nearly full hides what goes into its first entries.
struct RequestQueueStimulus {
    parameters: Parameters,
    waiting: usize,
    rising: bool,
}

impl Stimulus<RequestQueueIn, RequestQueueOut> for RequestQueueStimulus {
    fn next(&mut self, random: &mut Random) -> RequestQueueIn {
        let mut inputs = RequestQueueIn::default();
        let Parameters { collectors, slots, accesses, .. } = self.parameters;
        let mut room = collectors * slots - self.waiting;
        if room == 0 || self.waiting == 0 {
            self.rising = self.waiting == 0;
        }
        let (bursts, pops) = if self.rising { (40, 60) } else { (10, 90) };
        if random.percent(bursts) {
            for slot in 0..slots {
                inputs.push[slot] = room > 0 && random.percent(60);
                room -= inputs.push[slot] as usize;
                inputs.push_row[slot] = random.below(256) as u32;
            }
        }
        inputs.push_collector = random.below(collectors) as u32;
        inputs.pop = self.waiting > 0 && random.percent(pops);
        inputs.second_pop[0] = accesses > 1 && inputs.pop && self.waiting > 1 && random.percent(50);
        inputs
    }

    fn observe(&mut self, inputs: &RequestQueueIn, _: &RequestQueueOut) -> Result<(), String> {
        self.waiting += inputs.push.iter().filter(|push| **push).count();
        self.waiting -= usize::from(inputs.pop) + usize::from(inputs.second_pop[0]);
        Ok(())
    }
}

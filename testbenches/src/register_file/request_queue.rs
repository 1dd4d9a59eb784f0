// SPDX-License-Identifier: Apache-2.0
//! Testbench of a bank's request queue.

use std::collections::VecDeque;

use gpurf_blocks::ports::{RequestQueueIn, RequestQueueOut};
use gpurf_blocks::Parameters;
use gpurf_hw::register_file::RequestQueue;

use crate::{register, Engine, Random, Stimulus, Testbench};

impl<const C: usize> Testbench for RequestQueue<C> {
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(gpurf_sim::register_file::RequestQueue::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        let waiting = VecDeque::new();
        Box::new(RequestQueueStimulus { parameters: *parameters, waiting, rising: true })
    }

    fn protocol(parameters: &Parameters) -> Vec<String> {
        let Parameters { collectors, slots, accesses, .. } = *parameters;
        let collector = |place: usize| format!("collector[{} +: {C}]", C * place);
        let slot = |place: usize| format!("slot[{} +: 3]", 3 * place);
        // A collector gets an instruction when all that its last one asked for has been read.
        let asks_again =
            |place: usize| format!("!(valid[{place}] & (|push) & {} == push_collector)", collector(place));
        let is_slot = |place: usize| format!("!valid[{place}] | {} < {slots}", slot(place));
        // What it asks for stands in the order of its slots.
        let follows = |place: usize| {
            let [(here, first), (next, second)] = [place, place + 1].map(|at| (collector(at), slot(at)));
            format!("!valid[{}] | valid[{place}] & ({here} != {next} | {first} < {second})", place + 1)
        };
        let depth = collectors * slots;
        let of_places = (0..depth).flat_map(|place| [asks_again(place), is_slot(place)]);
        let asks = of_places.chain((0..depth - 1).map(follows));
        // So there is room for all that an instruction can ask for.
        let [first, last] = [depth - slots, depth - 1];
        let room = format!("!((|valid[{last}:{first}]) & (|push))");
        let pops = [("pop", 0), ("second_pop", 1)].into_iter().take(accesses);
        asks.chain([room]).chain(pops.map(|(pop, place)| format!("!{pop} | valid[{place}]"))).collect()
    }
}

register!(RequestQueue<C>);

/// Bursts of pushes as of whole instructions, for collectors without waiting reads, and pops of what is
/// there. They come in tides from empty to full and back, since a queue that is nearly full hides what goes
/// into its first entries.
struct RequestQueueStimulus {
    parameters: Parameters,
    /// The collector of each read, oldest first.
    waiting: VecDeque<u32>,
    rising: bool,
}

impl Stimulus<RequestQueueIn, RequestQueueOut> for RequestQueueStimulus {
    fn next(&mut self, random: &mut Random) -> RequestQueueIn {
        let mut inputs = RequestQueueIn::default();
        let Parameters { collectors, slots, accesses, .. } = self.parameters;
        let is_free = |collector: &u32| !self.waiting.contains(collector);
        let free: Vec<u32> = (0..collectors as u32).filter(is_free).collect();
        if free.is_empty() || self.waiting.is_empty() {
            self.rising = self.waiting.is_empty();
        }
        let (bursts, pops) = if self.rising { (60, 40) } else { (10, 90) };
        if !free.is_empty() && random.percent(bursts) {
            inputs.push_collector = free[random.below(free.len())];
            let asked = if random.percent(50) { 100 } else { 60 };
            for slot in 0..slots {
                inputs.push[slot] = random.percent(asked);
                inputs.push_row[slot] = random.below(256) as u32;
            }
        } else {
            inputs.push_collector = random.below(collectors) as u32;
        }
        inputs.pop = !self.waiting.is_empty() && random.percent(pops);
        inputs.second_pop[0] = accesses > 1 && inputs.pop && self.waiting.len() > 1 && random.percent(50);
        inputs
    }

    fn observe(&mut self, inputs: &RequestQueueIn, _: &RequestQueueOut) -> Result<(), String> {
        let pops = usize::from(inputs.pop) + usize::from(inputs.second_pop[0]);
        self.waiting.drain(..pops);
        let pushes = inputs.push.iter().filter(|push| **push);
        self.waiting.extend(pushes.map(|_| inputs.push_collector));
        Ok(())
    }
}

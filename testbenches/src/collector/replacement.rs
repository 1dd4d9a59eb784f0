// SPDX-License-Identifier: Apache-2.0
//! Testbench of the replacement of a cache table.

use gpurf_blocks::ports::ReplacementIn;
use gpurf_blocks::Parameters;
use gpurf_hw::collector::Replacement;

use crate::{register, Engine, Random, Stimulus, Testbench};

impl<const I: usize> Testbench for Replacement<I> {
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(gpurf_sim::collector::Replacement::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        let Parameters { slots, d_ports, allocate_on_arrival, .. } = *parameters;
        let sources = if allocate_on_arrival { 1 } else { slots };
        Box::new(ReplacementStimulus { entries: 1 << I, sources, d_ports })
    }

    fn protocol(parameters: &Parameters) -> Vec<String> {
        let Parameters { slots, d_ports, allocate_on_arrival, .. } = *parameters;
        let (entries, sources) = (1 << I, if allocate_on_arrival { 1 } else { slots });
        let newer = |one: usize, other: usize| format!("newer[{}]", 16 * other + one);
        let mut protocol = vec![];
        // Use has an order: of two entries one was used later, and nowhere in a circle.
        for one in 0..entries {
            protocol.push(format!("!{}", newer(one, one)));
            for other in 0..one {
                protocol.push(format!("{} != {}", newer(one, other), newer(other, one)));
                let circle = |a, b, c| format!("!({} & {} & {})", newer(a, b), newer(b, c), newer(c, a));
                protocol
                    .extend((0..other).flat_map(|last| [circle(one, other, last), circle(last, other, one)]));
            }
        }
        // There is room for whoever asks but a second result.
        let sum =
            |bits: Vec<String>| ["32'd0".to_string()].into_iter().chain(bits).collect::<Vec<_>>().join(" + ");
        let asking = (0..sources).map(|source| format!("miss[{source}]"));
        let asking = asking.chain((0..d_ports.min(1)).map(|port| format!("d_miss[{port}]")));
        let room = (0..entries).map(|entry| format!("!keep[{entry}]"));
        protocol.push(format!("{} <= {}", sum(asking.collect()), sum(room.collect())));
        protocol
    }
}

register!(Replacement<I>);

/// Any table in any order of use, with room for whoever asks except a second result.
struct ReplacementStimulus {
    entries: usize,
    sources: usize,
    d_ports: usize,
}

impl<O> Stimulus<ReplacementIn, O> for ReplacementStimulus {
    fn next(&mut self, random: &mut Random) -> ReplacementIn {
        let mut inputs = ReplacementIn { random: random.below(self.entries) as u32, ..Default::default() };
        let mut unused: Vec<usize> = (0..self.entries).collect();
        let mut newer = 0;
        while !unused.is_empty() {
            let entry = unused.swap_remove(random.below(unused.len()));
            inputs.newer[entry] = newer;
            newer |= 1 << entry;
        }
        let (valid, near) = (random.below(101), random.below(101));
        // Now and then all entries are wanted.
        let (keep, miss) = random.pick(&[(30, 50), (30, 50), (2, 97)]);
        let mut room = 0;
        for entry in 0..self.entries {
            inputs.valid[entry] = random.percent(valid);
            inputs.near[entry] = random.percent(near);
            inputs.keep[entry] = random.percent(keep);
            room += !inputs.keep[entry] as usize;
        }
        for source in 0..self.sources {
            inputs.miss[source] = room > 0 && random.percent(miss);
            room -= inputs.miss[source] as usize;
        }
        for port in 0..self.d_ports {
            inputs.d_miss[port] = (room > 0 || port > 0) && random.percent(miss);
        }
        inputs
    }
}

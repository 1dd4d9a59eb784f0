//! Testbench of the tag array.

use gpurf_blocks::ports::{TagArrayIn, TagArrayOut};
use gpurf_blocks::Parameters;
use gpurf_hw::register_cache::TagArray;

use super::registers;
use crate::{register, Engine, Random, Stimulus, Testbench};

impl<const L: usize> Testbench for TagArray<L> {
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(gpurf_sim::register_cache::TagArray::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(TagArrayStimulus::new(parameters))
    }
}

register!(TagArray<L>);

/// Sources, and one of a result, a fill, a flush and a drop, of few or many warps and registers.
struct TagArrayStimulus {
    slots: usize,
    entries: usize,
    sets: usize,
    lanes: usize,
    warps: usize,
    registers: Vec<u32>,
}

impl TagArrayStimulus {
    fn new(parameters: &Parameters) -> Self {
        let Parameters { slots, rc_entries, rc_ways, rc_tag_lanes, .. } = *parameters;
        TagArrayStimulus {
            slots,
            entries: rc_entries,
            sets: rc_entries / rc_ways,
            lanes: rc_tag_lanes,
            warps: 1,
            registers: vec![0],
        }
    }

    fn mask(&self, random: &mut Random) -> u32 {
        super::lanes(random) >> (32 - self.lanes)
    }
}

impl Stimulus<TagArrayIn, TagArrayOut> for TagArrayStimulus {
    fn next(&mut self, random: &mut Random) -> TagArrayIn {
        if random.percent(1) {
            self.warps = random.pick(&[1, 2, 8]);
            let count = random.pick(&[4, self.entries, 2 * self.entries, 128]);
            self.registers = registers(random, count);
        }
        let mut inputs = TagArrayIn {
            read_warp: random.below(self.warps) as u32,
            read_mask: self.mask(random),
            warp: random.below(self.warps) as u32,
            register: random.pick(&self.registers),
            set: random.below(self.sets) as u32,
            mask: self.mask(random),
            ..Default::default()
        };
        let density = random.pick(&[0, 30, 80]);
        for slot in 0..self.slots {
            inputs.read[slot] = random.percent(density);
            inputs.read_register[slot] = random.pick(&self.registers);
        }
        match random.below(200) {
            0 => inputs.drop = true,
            1..10 => {
                inputs.flush = true;
                inputs.flush_entry = random.below(self.entries) as u32;
            }
            10..130 => {
                inputs.write = true;
                inputs.fill = random.percent(40);
            }
            _ => {}
        }
        inputs
    }
}

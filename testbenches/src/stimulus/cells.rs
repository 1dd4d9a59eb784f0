//! Stimulus of the small cells.

use gpurf_hw::cells::{AgeMatrixIn, AgeMatrixOut, LfsrIn, LruOrderIn, RoundRobinIn};
use gpurf_hw::collector::ReplacementIn;

use super::Stimulus;
use crate::Random;

pub struct LfsrStimulus;

impl<O> Stimulus<LfsrIn, O> for LfsrStimulus {
    fn next(&mut self, random: &mut Random) -> LfsrIn {
        LfsrIn { step: random.percent(70) }
    }
}

pub struct RoundRobinStimulus {
    pub requesters: usize,
}

impl<O> Stimulus<RoundRobinIn, O> for RoundRobinStimulus {
    fn next(&mut self, random: &mut Random) -> RoundRobinIn {
        let mut inputs = RoundRobinIn::default();
        let density = random.pick(&[10, 50, 90]);
        inputs.request[..self.requesters].fill_with(|| random.percent(density));
        inputs.advance = inputs.request.contains(&true) && random.percent(80);
        inputs
    }
}

pub struct AgeMatrixStimulus {
    pub entries: usize,
}

impl Stimulus<AgeMatrixIn, AgeMatrixOut> for AgeMatrixStimulus {
    fn next(&mut self, random: &mut Random) -> AgeMatrixIn {
        let mut inputs = AgeMatrixIn::default();
        let density = random.pick(&[10, 50, 100]);
        inputs.request[..self.entries].fill_with(|| random.percent(density));
        let density = random.pick(&[0, 10, 50]);
        inputs.renew[..self.entries].fill_with(|| random.percent(density));
        inputs
    }

    fn observe(&mut self, inputs: &AgeMatrixIn, outputs: &AgeMatrixOut) -> Result<(), String> {
        let oldest = outputs.oldest.iter().filter(|&&oldest| oldest).count();
        match oldest == usize::from(inputs.request.contains(&true)) {
            true => Ok(()),
            false => Err(format!("{oldest} requests are the oldest")),
        }
    }
}

pub struct LruOrderStimulus {
    pub entries: usize,
}

impl<O> Stimulus<LruOrderIn, O> for LruOrderStimulus {
    fn next(&mut self, random: &mut Random) -> LruOrderIn {
        let mut inputs = LruOrderIn::default();
        let density = random.pick(&[0, 10, 50, 90]);
        inputs.touch[..self.entries].fill_with(|| random.percent(density));
        inputs
    }
}

/// Any table whose ranks are a permutation, with room for whoever asks except a second result.
pub struct ReplacementStimulus {
    pub entries: usize,
    pub slots: usize,
    pub d_ports: usize,
}

impl<O> Stimulus<ReplacementIn, O> for ReplacementStimulus {
    fn next(&mut self, random: &mut Random) -> ReplacementIn {
        let mut inputs = ReplacementIn { random: random.below(self.entries) as u32, ..Default::default() };
        let mut ranks: Vec<u32> = (0..self.entries as u32).collect();
        let (valid, near) = (random.below(101), random.below(101));
        // Now and then all entries are wanted.
        let (keep, miss) = random.pick(&[(30, 50), (30, 50), (2, 97)]);
        let mut room = 0;
        for entry in 0..self.entries {
            inputs.rank[entry] = ranks.swap_remove(random.below(ranks.len()));
            inputs.valid[entry] = random.percent(valid);
            inputs.near[entry] = random.percent(near);
            inputs.keep[entry] = random.percent(keep);
            room += !inputs.keep[entry] as usize;
        }
        for slot in 0..self.slots {
            inputs.miss[slot] = room > 0 && random.percent(miss);
            room -= inputs.miss[slot] as usize;
        }
        for port in 0..self.d_ports {
            inputs.d_miss[port] = (room > 0 || port > 0) && random.percent(miss);
        }
        inputs
    }
}

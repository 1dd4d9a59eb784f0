//! Stimulus of the collector allocator.

use gpurf_blocks::{Allocation, MAX_COLLECTORS};
use gpurf_hw::issue::{CollectorAllocatorIn, CollectorAllocatorOut};

use super::Stimulus;
use crate::Random;

/// Requests of any warp. Collectors are mostly free or mostly occupied, mostly near or mostly far, for some
/// fifty cycles each, so that long waits end. No warp owns two collectors.
pub struct CollectorAllocatorStimulus {
    collectors: usize,
    allocation: Allocation,
    occupied: usize,
    near: usize,
    sthld: u32,
    /// Cycles that a request waited since a near collector was given up.
    waited: usize,
}

impl CollectorAllocatorStimulus {
    pub fn new(collectors: usize, allocation: Allocation) -> Self {
        CollectorAllocatorStimulus { collectors, allocation, occupied: 0, near: 0, sthld: 0, waited: 0 }
    }

    /// The only collector that the warp may get, if there is one.
    fn own(&self, inputs: &CollectorAllocatorIn) -> Option<usize> {
        match self.allocation {
            Allocation::AnyFree => None,
            Allocation::Private => Some(inputs.warp as usize),
            Allocation::OwnElseAnyFree | Allocation::Malekeh => {
                (0..self.collectors).find(|&c| inputs.owned[c] && inputs.held_warp[c] == inputs.warp)
            }
        }
    }

    fn check(&mut self, inputs: &CollectorAllocatorIn, outputs: &CollectorAllocatorOut) -> Option<String> {
        let granted: Vec<usize> = (0..MAX_COLLECTORS).filter(|&c| outputs.grant[c]).collect();
        if granted.len() != usize::from(outputs.granted) {
            return Some(format!("granted {granted:?}, reported {}", outputs.granted));
        }
        let own = self.own(inputs);
        if let Some(&collector) = granted.first() {
            if !inputs.request || collector >= self.collectors || inputs.occupied[collector] {
                return Some(format!("collector {collector} cannot be granted"));
            }
            if own.is_some_and(|own| own != collector) {
                return Some(format!("the warp must get {own:?} and gets {collector}"));
            }
            if own != Some(collector) && inputs.near[collector] {
                self.waited = 0;
            }
        }
        self.waited += usize::from(outputs.waiting);
        // The greatest STHLD, and one more where the threshold itself is waited for.
        (self.waited > 32).then(|| "a wait without end".to_string())
    }
}

impl Stimulus<CollectorAllocatorIn, CollectorAllocatorOut> for CollectorAllocatorStimulus {
    fn next(&mut self, random: &mut Random) -> CollectorAllocatorIn {
        if random.percent(2) {
            self.occupied = random.pick(&[0, 30, 70]);
            self.near = random.pick(&[0, 50, 100]);
            self.sthld = random.pick(&[0, 1, 2, 5, 31]);
        }
        let mut inputs = CollectorAllocatorIn {
            request: random.percent(80),
            warp: random.below(8) as u32,
            sthld: self.sthld,
            ..Default::default()
        };
        // A private collector belongs to the warp of its number.
        let first_owner = if self.allocation == Allocation::Private { 0 } else { random.below(8) };
        for collector in 0..self.collectors {
            inputs.occupied[collector] = random.percent(self.occupied);
            inputs.owned[collector] = random.percent(80);
            inputs.held_warp[collector] = ((first_owner + collector) % 8) as u32;
            inputs.near[collector] = random.percent(self.near);
        }
        inputs
    }

    fn observe(
        &mut self,
        inputs: &CollectorAllocatorIn,
        outputs: &CollectorAllocatorOut,
    ) -> Result<(), String> {
        self.check(inputs, outputs).map_or(Ok(()), Err)
    }
}

//! Testbenches of the collectors.

use crate::Random;

gpurf_hw::dialect::modules!("src/collector");

/// What a stimulus knows of the instruction in the collector.
#[derive(Default)]
struct Tenant {
    occupied: bool,
    /// Slots whose value has been requested and has not arrived.
    pending: Vec<usize>,
    /// Registers that the instruction reads.
    registers: Vec<u32>,
}

impl Tenant {
    /// Whether the instruction may leave in this cycle.
    fn may_leave(&self) -> bool {
        self.occupied && self.pending.is_empty()
    }

    fn arrival(&self, random: &mut Random) -> Option<usize> {
        (!self.pending.is_empty() && random.percent(60))
            .then(|| self.pending[random.below(self.pending.len())])
    }

    fn observe(&mut self, issue: Option<Vec<u32>>, requests: &[bool], arrival: Option<u32>, left: bool) {
        if let Some(slot) = arrival {
            self.pending.retain(|pending| *pending != slot as usize);
        }
        if left {
            *self = Tenant::default();
        }
        if let Some(registers) = issue {
            let pending = requests.iter().enumerate().filter(|(_, request)| **request);
            *self = Tenant { occupied: true, pending: pending.map(|(slot, _)| slot).collect(), registers };
        }
    }
}

//! Testbenches of the collectors.

use gpurf_blocks::Parameters;

use crate::Random;

gpurf_hw::dialect::modules!("src/collector");

/// What a stimulus knows of the instruction in the collector.
struct Tenant {
    /// It can leave in the cycle in which its last value arrives.
    on_arrival: bool,
    occupied: bool,
    /// Slots whose value has been requested and has not arrived.
    pending: Vec<usize>,
    /// Registers that the instruction reads.
    registers: Vec<u32>,
}

/// What happens to it in a cycle.
struct Move {
    /// The slot whose value arrives.
    arrival: Option<usize>,
    leaves: bool,
    /// The next instruction enters.
    issue: bool,
}

impl Tenant {
    fn new(parameters: &Parameters) -> Self {
        let on_arrival = parameters.dispatch_on_arrival;
        Tenant { on_arrival, occupied: false, pending: vec![], registers: vec![] }
    }

    /// Whether the instruction is ready, with the value of this slot arriving.
    fn is_ready(&self, arrival: Option<usize>) -> bool {
        let complete = match self.pending[..] {
            [] => true,
            [last] => self.on_arrival && arrival == Some(last),
            _ => false,
        };
        self.occupied && complete
    }

    fn step(&self, random: &mut Random) -> Move {
        let arrival = (!self.pending.is_empty() && random.percent(60))
            .then(|| self.pending[random.below(self.pending.len())]);
        let leaves = self.is_ready(arrival) && random.percent(50);
        let issue = (!self.occupied || leaves) && random.percent(80);
        Move { arrival, leaves, issue }
    }

    fn observe(&mut self, issue: Option<Vec<u32>>, requests: &[bool], arrival: Option<u32>, left: bool) {
        if let Some(slot) = arrival {
            self.pending.retain(|pending| *pending != slot as usize);
        }
        if left {
            self.occupied = false;
            self.registers.clear();
        }
        if let Some(registers) = issue {
            let pending = requests.iter().enumerate().filter(|(_, request)| **request);
            self.pending = pending.map(|(slot, _)| slot).collect();
            self.registers = registers;
            self.occupied = true;
        }
    }
}

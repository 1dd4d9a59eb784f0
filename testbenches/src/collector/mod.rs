// SPDX-License-Identifier: Apache-2.0
//! Testbenches of the collectors.

use gpurf_blocks::ports::{CollectorIn, CollectorOut};
use gpurf_blocks::{Data, Parameters, MAX_ACCESSES};

use crate::{Drive, Random};

gpurf_hw::dialect::modules!("src/collector");

/// Engines of any collector under a scenario.
type Bench<'a, D> = Drive<'a, CollectorIn<D>, CollectorOut<D>>;

/// Two of so many, each two once.
fn pairs(count: usize) -> impl Iterator<Item = [usize; 2]> {
    (1..count).flat_map(|second| (0..second).map(move |first| [first, second]))
}

/// The protocol of port S: a value that arrives is for one of the slots.
fn port_s(parameters: &Parameters) -> Vec<String> {
    let Parameters { slots, accesses, .. } = *parameters;
    let ports = [("s_valid", "s_slot"), ("second_s_valid[0]", "second_s_slot[2:0]")];
    ports.into_iter().take(accesses).map(|(valid, slot)| format!("!{valid} | {slot} < {slots}")).collect()
}

/// The instruction in the collector, as far as a stimulus knows it.
struct Tenant {
    /// It can leave in the cycle in which its last value arrives.
    dispatch_on_arrival: bool,
    /// Values that can arrive in a cycle.
    accesses: usize,
    occupied: bool,
    /// Slots whose value has been requested and has not arrived.
    pending: Vec<usize>,
    /// Registers that the instruction reads.
    registers: Vec<u32>,
}

/// Slots whose values arrive in a cycle, of a first access and of a second.
type Arrivals = [Option<usize>; MAX_ACCESSES];

/// The changes to it in a cycle.
struct Move {
    arrivals: Arrivals,
    leaves: bool,
    /// The next instruction enters.
    issue: bool,
}

impl Tenant {
    fn new(parameters: &Parameters) -> Self {
        let Parameters { dispatch_on_arrival, accesses, .. } = *parameters;
        Tenant { dispatch_on_arrival, accesses, occupied: false, pending: vec![], registers: vec![] }
    }

    /// Returns true if the instruction is ready, with the values of these slots arriving.
    fn is_ready(&self, arrivals: Arrivals) -> bool {
        let arrives = |slot: &usize| self.dispatch_on_arrival && arrivals.contains(&Some(*slot));
        self.occupied && self.pending.iter().all(arrives)
    }

    fn step(&self, random: &mut Random) -> Move {
        let mut pending = self.pending.clone();
        let mut arrivals = Arrivals::default();
        for arrival in &mut arrivals[..self.accesses] {
            *arrival = (!pending.is_empty() && random.percent(60))
                .then(|| pending.swap_remove(random.below(pending.len())));
        }
        let leaves = self.is_ready(arrivals) && random.percent(50);
        let issue = (!self.occupied || leaves) && random.percent(80);
        Move { arrivals, leaves, issue }
    }

    fn observe(&mut self, issue: Option<Vec<u32>>, requests: &[bool], arrivals: Arrivals, left: bool) {
        self.pending.retain(|pending| !arrivals.contains(&Some(*pending)));
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

/// Values arrive on port S, for these slots.
fn arrive<D: Data>(inputs: &mut CollectorIn<D>, arrivals: Arrivals, slots: usize, random: &mut Random) {
    let [first, second] = arrivals.map(|arrival| {
        let slot = arrival.unwrap_or(random.below(slots)) as u32;
        (arrival.is_some(), slot, random.data())
    });
    (inputs.s_valid, inputs.s_slot, inputs.s_data) = first;
    (inputs.second_s_valid[0], inputs.second_s_slot[0], inputs.second_s_data[0]) = second;
}

/// The slots whose values arrive on port S.
fn arrivals_of<D: Data>(inputs: &CollectorIn<D>) -> Arrivals {
    let slot = |valid: bool, slot: u32| valid.then_some(slot as usize);
    [slot(inputs.s_valid, inputs.s_slot), slot(inputs.second_s_valid[0], inputs.second_s_slot[0])]
}

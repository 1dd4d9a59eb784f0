// SPDX-License-Identifier: Apache-2.0
//! Reference model of the caching collector unit: W §3.2, F §III-C.

mod cache;

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{CollectorIn, CollectorOut};
use gpurf_blocks::{Clocked, Data, Parameters, WarpId, MAX_D_PORTS, MAX_SLOTS};
use gpurf_trace::RegisterId;

use self::cache::{ArrivingValue, CollectorCache};
use super::{Collector, Edge, Issue, Placement, WrittenResults};
use crate::bits::{equal, members};

/// A result at a port D.
#[derive(Clone, Copy, Debug)]
pub struct DWrite<D: Data> {
    /// Register number in its warp.
    pub register: RegisterId,
    /// Its next use is near.
    pub near: bool,
    /// Its value.
    pub data: D,
}

/// Cache, the instruction that uses it, and the slots that tell which of its entries are operands.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct Ccu<D: Data> {
    parameters: Parameters,
    cache: CollectorCache<D>,
    /// The warp whose values are in the cache; none before the first instruction.
    owner: Option<WarpId>,
    occupied: bool,
    unit: u32,
    payload: u32,
    valid: u8,
    ready: u8,
    /// Entry of each slot. Under `allocate_on_arrival`, of a slot that waits: the one that asked for the
    /// value.
    index: [u8; MAX_SLOTS],
    registers: [RegisterId; MAX_SLOTS],
    near: u8,
    /// The instruction is dispatched in this cycle.
    leaves: bool,
    #[borsh(skip)]
    inputs: CollectorIn<D>,
    /// The instruction at the door in this cycle, and what of it was found.
    issue: Option<(Issue, Placement)>,
}

impl<D: Data> Ccu<D> {
    /// After reset, with these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        Ccu {
            parameters: *parameters,
            cache: CollectorCache::new(parameters),
            owner: None,
            occupied: false,
            unit: 0,
            payload: 0,
            valid: 0,
            ready: 0,
            index: [0; MAX_SLOTS],
            registers: [RegisterId::default(); MAX_SLOTS],
            near: 0,
            leaves: false,
            inputs: CollectorIn::default(),
            issue: None,
        }
    }

    /// The value in the entry of a slot, be it the slot's own already or not; zero if it has no entry.
    fn entry(&self, slot: usize) -> D {
        match self.parameters.allocate_on_arrival && (self.valid & self.ready) >> slot & 1 == 0 {
            true => D::default(),
            false => self.cache.data[self.index[slot] as usize],
        }
    }

    /// True if no value in the table is of the instruction's warp.
    fn finds_nothing(&self, issue: &Issue) -> bool {
        issue.flush || self.owner != Some(issue.warp)
    }

    /// Allocation and ports D at one clock edge. `issue`: with what it found in this cycle; `results`: by
    /// port; `filtered`: registers of the warp's results that are kept out.
    fn clock(
        &mut self,
        issue: Option<(&Issue, &Placement)>,
        results: &[Option<DWrite<D>>; MAX_D_PORTS],
        filtered: impl Iterator<Item = RegisterId>,
        random: u32,
    ) {
        let changes_hands = issue.is_some_and(|(issue, _)| self.finds_nothing(issue));
        if changes_hands {
            self.cache.valid = 0;
            self.cache.arrival = None;
        }
        let results = if changes_hands { &[None; MAX_D_PORTS] } else { results };
        let invalidates = self.parameters.invalidate;
        let invalid = filtered.filter(|_| invalidates);
        let index = match self.parameters.allocate_on_arrival {
            true => {
                let leaves = std::mem::take(&mut self.leaves);
                self.cache.update_on_arrival(issue, results, invalid, random, leaves);
                issue.map_or(self.index, |(issue, placement)| waiting(issue, placement))
            }
            false => self.cache.update(issue, results, invalid, random),
        };
        if let Some((issue, placement)) = issue {
            self.owner = Some(issue.warp);
            (self.registers, self.near) = (issue.registers, issue.near);
            (self.unit, self.payload) = (issue.unit, issue.payload);
            (self.valid, self.ready, self.index) = (issue.sources, placement.hit, index);
            self.occupied = true;
        }
    }
}

/// The entries that the slots of an instruction point to that gets entries on arrival. Each is the entry
/// that was found, or the first slot of the register.
fn waiting(issue: &Issue, placement: &Placement) -> [u8; MAX_SLOTS] {
    std::array::from_fn(|slot| match placement.hit >> slot & 1 {
        1 => placement.index[slot],
        _ => {
            let first = members(issue.sources).find(|other| issue.registers[*other] == issue.registers[slot]);
            first.filter(|_| issue.sources >> slot & 1 == 1).unwrap_or(slot) as u8
        }
    })
}

impl<D: Data> Collector<D> for Ccu<D> {
    const IS_FILTERED: bool = true;
    const RESTS: bool = true;

    fn numbered(parameters: &Parameters, _number: usize) -> Self {
        Ccu::new(parameters)
    }

    fn is_occupied(&self) -> bool {
        self.occupied
    }

    fn owner(&self) -> Option<WarpId> {
        self.owner
    }

    fn holds_near(&self) -> bool {
        self.cache.valid & self.cache.near != 0
    }

    fn is_ready(&self) -> bool {
        self.occupied && self.valid & !self.ready == 0
    }

    fn held(&self) -> (WarpId, u32, u32) {
        (self.owner.unwrap_or_default(), self.unit, self.payload)
    }

    fn used(&self) -> u8 {
        self.valid
    }

    fn operand(&self, slot: usize) -> D {
        self.entry(slot)
    }

    fn look_up(&self, issue: &Issue) -> Placement {
        self.cache.look_up(issue.sources, &issue.registers, self.finds_nothing(issue))
    }

    fn takes(
        &self,
        _issue: Option<&Issue>,
        results: &WrittenResults<D>,
        filter: impl Fn(u8) -> (u8, u8),
    ) -> (u8, u8) {
        filter(results.of(self.owner))
    }

    /// Fills the slot's entry, which makes ready all slots that share it. Under `allocate_on_arrival` it is
    /// chosen here, and the table shows it at the clock edge.
    fn receive(&mut self, slot: usize, data: D, random: u32) {
        if self.parameters.allocate_on_arrival {
            let waiting = equal(&self.index, slot as u8) & self.valid & !self.ready;
            // It may be received more than once.
            if waiting == 0 {
                return;
            }
            let entry = self.cache.replace(self.cache.valid, self.cache.lock, random);
            let entry = entry.expect("more entries than slots");
            let near = self.near & waiting != 0;
            self.cache.arrival = Some(ArrivingValue { entry, register: self.registers[slot], near });
            self.cache.data[entry] = data;
            self.ready |= waiting;
            members(waiting).for_each(|other| self.index[other] = entry as u8);
            return;
        }
        let entry = self.index[slot];
        self.cache.data[entry as usize] = data;
        self.ready |= equal(&self.index, entry) & self.valid;
    }

    fn update(&mut self, edge: &Edge<D>) {
        let Edge { issue, results, cached, filtered, random } = *edge;
        let changes = self.leaves || self.cache.arrival.is_some();
        if issue.is_none() && cached | filtered == 0 && !changes {
            return;
        }
        // The lowest bank's result goes to port 0, the next one's to port 1.
        let register = |bank: usize| results.register[bank];
        let mut at_ports = [None; MAX_D_PORTS];
        for (at_port, bank) in at_ports.iter_mut().zip(members(cached)) {
            let near = results.near >> bank & 1 == 1;
            *at_port = Some(DWrite { register: register(bank), near, data: results.data[bank] });
        }
        self.clock(issue, &at_ports, members(filtered).map(register), random);
    }

    /// Its operands leave in this cycle: they are no longer locked when others are chosen that take their
    /// entries. Under `allocate_on_arrival` they still are in this cycle.
    fn dispatch(&mut self) {
        self.occupied = false;
        match self.parameters.allocate_on_arrival {
            true => self.leaves = true,
            false => self.cache.lock = 0,
        }
    }
}

impl<D: Data> Clocked for Ccu<D> {
    type In = CollectorIn<D>;
    type Out = CollectorOut<D>;

    fn settle(&mut self, inputs: &CollectorIn<D>) -> CollectorOut<D> {
        self.inputs = *inputs;
        let issue = Issue::at_collector(inputs, &self.parameters);
        let (outputs, placement) = self.shown(inputs, issue.as_ref(), &self.parameters);
        self.issue = issue.map(|issue| (issue, placement));
        outputs
    }

    fn tick(&mut self) {
        let inputs = self.inputs;
        self.begin_edge(&inputs);
        let issue = self.issue;
        let results = std::array::from_fn(|port| {
            inputs.d_valid[port].then_some(DWrite {
                register: RegisterId(inputs.d_register[port] as u8),
                near: inputs.d_near[port],
                data: inputs.d_data[port],
            })
        });
        let filtered = (0..self.parameters.banks).filter(|&bank| inputs.filtered[bank]);
        let filtered = filtered.map(|bank| RegisterId(inputs.filtered_register[bank] as u8));
        let issue = issue.as_ref().map(|(issue, placement)| (issue, placement));
        self.clock(issue, &results, filtered, inputs.random);
    }
}

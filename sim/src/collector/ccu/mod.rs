//! Reference model of the caching collector unit: W §3.2, F §III-C.

mod cache;

use gpurf_blocks::{Clocked, Data, Parameters, MAX_BANKS, MAX_D_PORTS, MAX_SLOTS};
use gpurf_hw::collector::{CcuIn, CcuOut};

use self::cache::Cache;
use crate::bits::{all, mask, members};

pub use self::cache::Placement;

/// An instruction at the door of a collector.
#[derive(Clone, Copy, Debug, Default)]
pub struct CcuIssue {
    pub warp: u32,
    pub unit: u32,
    pub payload: u32,
    /// A bit per used source slot, and per slot whose next reuse is near.
    pub sources: u8,
    pub near: u8,
    pub registers: [u8; MAX_SLOTS],
}

/// A result at a port D.
#[derive(Clone, Copy, Debug)]
pub struct DWrite<D: Data> {
    pub register: u8,
    pub near: bool,
    pub data: D,
}

/// Cache, the instruction that uses it, and the slots that tell which of its entries are operands.
#[derive(Clone, Debug)]
pub struct Ccu<D: Data> {
    parameters: Parameters,
    pub cache: Cache<D>,
    /// The warp whose values are in the cache; none before the first instruction.
    pub owner: Option<u32>,
    pub occupied: bool,
    pub unit: u32,
    pub payload: u32,
    pub valid: u8,
    ready: u8,
    index: [u8; MAX_SLOTS],
    inputs: CcuIn<D>,
    /// The instruction at the door in this cycle, and what of it was found.
    issue: Option<(CcuIssue, Placement)>,
}

impl<D: Data> Ccu<D> {
    pub fn new(parameters: &Parameters) -> Self {
        Ccu {
            parameters: *parameters,
            cache: Cache::new(parameters),
            owner: None,
            occupied: false,
            unit: 0,
            payload: 0,
            valid: 0,
            ready: 0,
            index: [0; MAX_SLOTS],
            inputs: CcuIn::default(),
            issue: None,
        }
    }

    pub fn is_ready(&self) -> bool {
        self.occupied && self.valid & !self.ready == 0
    }

    /// Port R: some value has a near reuse.
    pub fn holds_near(&self) -> bool {
        self.cache.valid & self.cache.near != 0
    }

    pub fn operand(&self, slot: usize) -> D {
        self.cache.data[self.index[slot] as usize]
    }

    /// Hits and requests of an instruction, were it issued now.
    pub fn look_up(&self, issue: &CcuIssue) -> Placement {
        self.cache.look_up(issue.sources, &issue.registers, self.owner != Some(issue.warp))
    }

    /// Port S: fills the slot's entry, which makes ready all slots that share it.
    pub fn receive(&mut self, slot: usize, data: D) {
        let entry = self.index[slot];
        self.cache.data[entry as usize] = data;
        self.ready |= members(self.valid).filter(|s| self.index[*s] == entry).fold(0, |all, s| all | 1 << s);
    }

    /// The instruction leaves. Its operands are locked to the end of this cycle.
    pub fn dispatch(&mut self) {
        self.occupied = false;
        self.cache.lock = 0;
    }

    /// Allocation and ports D at one clock edge. `issue`: with what [`Ccu::look_up`] found in this cycle;
    /// `results`: by port; `filtered`: registers of the warp's results that are kept out.
    pub fn update(
        &mut self,
        issue: Option<(&CcuIssue, Placement)>,
        results: [Option<DWrite<D>>; MAX_D_PORTS],
        filtered: &[u8],
        random: u32,
    ) {
        let changes_hands = issue.is_some_and(|(issue, _)| self.owner != Some(issue.warp));
        if changes_hands {
            self.cache.valid = 0;
        }
        let results = if changes_hands { [None; MAX_D_PORTS] } else { results };
        let invalid = if self.parameters.invalidate { filtered } else { &[] };
        let sources =
            issue.map(|(issue, placement)| (issue.sources, placement, &issue.registers, issue.near));
        let index = self.cache.update(sources, &results, invalid, random);
        if let Some((issue, placement)) = issue {
            self.owner = Some(issue.warp);
            (self.unit, self.payload) = (issue.unit, issue.payload);
            (self.valid, self.ready, self.index) = (issue.sources, placement.hit, index);
            self.occupied = true;
        }
    }

    fn issue_of(&self, inputs: &CcuIn<D>) -> Option<CcuIssue> {
        inputs.issue.then(|| CcuIssue {
            warp: inputs.warp,
            unit: inputs.unit,
            payload: inputs.payload,
            sources: mask(&inputs.source_valid) & all(self.parameters.slots),
            near: mask(&inputs.source_near),
            registers: inputs.source_register.map(|register| register as u8),
        })
    }
}

impl<D: Data> Clocked for Ccu<D> {
    type In = CcuIn<D>;
    type Out = CcuOut<D>;

    fn settle(&mut self, inputs: &CcuIn<D>) -> CcuOut<D> {
        self.inputs = *inputs;
        let mut outputs = CcuOut {
            occupied: self.occupied,
            ready: self.is_ready(),
            owned: self.owner.is_some(),
            held_warp: self.owner.unwrap_or(0),
            any_near: self.holds_near(),
            held_unit: self.unit,
            held_payload: self.payload,
            ..CcuOut::default()
        };
        self.issue = self.issue_of(inputs).map(|issue| (issue, self.look_up(&issue)));
        let placement = self.issue.map(|(_, placement)| placement).unwrap_or_default();
        for slot in 0..self.parameters.slots {
            outputs.hit[slot] = placement.hit >> slot & 1 == 1;
            outputs.request[slot] = placement.request >> slot & 1 == 1;
            outputs.operand_valid[slot] = self.valid >> slot & 1 == 1;
            outputs.operand_data[slot] = self.operand(slot);
        }
        outputs
    }

    fn tick(&mut self) {
        let inputs = self.inputs;
        if inputs.s_valid {
            self.receive(inputs.s_slot as usize, inputs.s_data);
        }
        let issue = self.issue;
        let results = std::array::from_fn(|port| {
            inputs.d_valid[port].then_some(DWrite {
                register: inputs.d_register[port] as u8,
                near: inputs.d_near[port],
                data: inputs.d_data[port],
            })
        });
        let mut filtered = [0; MAX_BANKS];
        let mut count = 0;
        for bank in 0..self.parameters.banks {
            if inputs.filtered[bank] {
                filtered[count] = inputs.filtered_register[bank] as u8;
                count += 1;
            }
        }
        let issue = issue.as_ref().map(|(issue, placement)| (issue, *placement));
        self.update(issue, results, &filtered[..count], inputs.random);
        if inputs.dispatch {
            self.dispatch();
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
//! The model of an operand collector as the operand stage's model sees it: W §2, §3.2, F §II, §III, §VI-B.

use gpurf_trace::RegisterId;
use std::borrow::Cow;
use std::fmt;

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{CollectorIn, CollectorOut, OperandStageIn, SubCoreIn};
use gpurf_blocks::{
    Data, Isolation, Parameters, Row, WarpId, MAX_BANKS, MAX_DESTINATIONS, MAX_SLOTS, MAX_WARPS,
};

use crate::bits::{all, flags, mask, members, set};

/// The values that arrive on port S in a cycle, and the slots that they are for.
macro_rules! arrivals {
    ($inputs:expr) => {{
        let first = $inputs.s_valid.then_some(($inputs.s_slot as usize, $inputs.s_data));
        let second = $inputs.second_s_valid[0]
            .then_some(($inputs.second_s_slot[0] as usize, $inputs.second_s_data[0]));
        [first, second].into_iter().flatten()
    }};
}
pub(super) use arrivals;

/// A collector for an operand stage.
pub trait Collector<D: Data>:
    Clone + fmt::Debug + Send + BorshSerialize + BorshDeserialize + 'static
{
    /// True if results pass the arbiter's write filter to its ports D.
    const IS_FILTERED: bool = false;
    /// True if its operands can rest until they leave.
    const RESTS: bool = false;
    /// True if it looks at the destinations of an instruction.
    const TAKES_DESTINATIONS: bool = false;

    /// The collector of this number in its stage.
    fn numbered(parameters: &Parameters, number: usize) -> Self;

    /// Port R: an instruction occupies it; it belongs to a warp beyond its instruction; some value in it has
    /// a near reuse.
    fn is_occupied(&self) -> bool;
    /// The warp whose registers it caches, if it does.
    fn owner(&self) -> Option<WarpId> {
        None
    }
    /// A register in it has a near next use.
    fn holds_near(&self) -> bool {
        false
    }

    /// "Once all of its source operands are fetched" (F §II). Under `dispatch_on_arrival` they count as
    /// fetched in the cycle of their arrival: then [`Collector::receive`] comes before.
    fn is_ready(&self) -> bool;

    /// Warp, unit and payload of the present or last instruction.
    fn held(&self) -> (WarpId, u32, u32);

    /// Slots that the present or last instruction uses, a bit each.
    fn used(&self) -> u8;

    /// Its operand in a used slot, once it is ready.
    fn operand(&self, slot: usize) -> D;

    /// The placement that an instruction would find, were it issued now.
    fn look_up(&self, issue: &Issue) -> Placement;

    /// Which results of its warp would enter it, and which would be kept out, `issue` going first; a bit per
    /// bank each.
    /// `filter` is the arbiter's.
    fn takes(
        &self,
        _issue: Option<&Issue>,
        _results: &WrittenResults<D>,
        _filter: impl Fn(u8) -> (u8, u8),
    ) -> (u8, u8) {
        (0, 0)
    }

    /// Port S: a value for a slot, at the clock edge. `random`: for the choice of its entry.
    fn receive(&mut self, slot: usize, data: D, random: u32);

    /// Allocation and results at the clock edge, after [`Collector::dispatch`]. Under `allocate_on_arrival`
    /// also where a value has arrived or the instruction has left, with or without an issue or results.
    fn update(&mut self, edge: &Edge<D>);

    /// The instruction leaves at the clock edge.
    fn dispatch(&mut self);

    /// Outputs of the collector alone in a cycle, except for what is written. They have the value that
    /// arrives where it can leave in its cycle. With them, the placement that this instruction, at its
    /// door, finds.
    fn shown(
        &self,
        inputs: &CollectorIn<D>,
        issue: Option<&Issue>,
        parameters: &Parameters,
    ) -> (CollectorOut<D>, Placement) {
        let mut now = Cow::Borrowed(self);
        for (slot, data) in arrivals!(inputs).filter(|_| parameters.dispatch_on_arrival) {
            now.to_mut().receive(slot, data, inputs.random);
        }
        let placement = issue.map(|issue| now.look_up(issue)).unwrap_or_default();
        let (warp, held_unit, held_payload) = self.held();
        let mut outputs = CollectorOut {
            occupied: self.is_occupied(),
            ready: now.is_ready(),
            owned: self.owner().is_some(),
            held_warp: warp.into(),
            any_near: self.holds_near(),
            held_unit,
            held_payload,
            hit: flags(placement.hit),
            request: flags(placement.request),
            operand_valid: flags(self.used()),
            ..CollectorOut::default()
        };
        let rests = Self::RESTS && parameters.isolation == Isolation::Operands;
        let shown = |slot: &usize| !rests || inputs.dispatch && self.used() >> slot & 1 == 1;
        for slot in (0..parameters.slots).filter(shown) {
            outputs.operand_data[slot] = now.operand(slot);
        }
        (outputs, placement)
    }

    /// Does the first part of the clock edge of a collector alone: values arrive, and then the instruction
    /// leaves.
    fn begin_edge(&mut self, inputs: &CollectorIn<D>) {
        for (slot, data) in arrivals!(inputs) {
            self.receive(slot, data, inputs.random);
        }
        if inputs.dispatch {
            self.dispatch();
        }
    }
}

/// An instruction at the door of a collector.
#[derive(Clone, Copy, Debug, Default, BorshSerialize, BorshDeserialize)]
pub struct Issue {
    /// Its warp.
    pub warp: WarpId,
    /// First row of the warp's registers in every bank; a collector alone does not know it.
    pub base: Row,
    /// The unit that executes it.
    pub unit: u32,
    /// Data that is carried for whoever issued it.
    pub payload: u32,
    /// A bit per used source slot, and per slot whose next reuse is near.
    pub sources: u8,
    /// Bit i: the next use of source i is near.
    pub near: u8,
    /// Register number of each source.
    pub registers: [RegisterId; MAX_SLOTS],
    /// Registers that it writes.
    pub destinations: [Option<RegisterId>; MAX_DESTINATIONS],
    /// Cache table or window is emptied before.
    pub flush: bool,
    /// A bit per source that lies in another warp's row.
    pub lent: u8,
    /// The warp in whose row such a source lies, and that warp's first row.
    pub lenders: [(WarpId, u8); MAX_SLOTS],
}

impl Issue {
    /// From the ports of a collector of these parameters.
    pub fn at_collector<D: Data>(inputs: &CollectorIn<D>, parameters: &Parameters) -> Option<Self> {
        let issue = || Issue {
            warp: WarpId(inputs.warp as u8),
            base: Row::default(),
            unit: inputs.unit,
            payload: inputs.payload,
            sources: mask(&inputs.source_valid) & all(parameters.slots),
            near: mask(&inputs.source_near),
            registers: inputs.source_register.map(|register| RegisterId(register as u8)),
            destinations: named(&inputs.destination_valid, &inputs.destination_register, parameters),
            flush: inputs.flush,
            ..Issue::default()
        };
        inputs.issue.then(issue)
    }

    /// From the ports of a stage.
    pub fn at_stage<D: Data>(inputs: &OperandStageIn<D>, parameters: &Parameters) -> Self {
        Issue {
            warp: WarpId(inputs.warp as u8),
            base: Row(inputs.base),
            unit: inputs.unit,
            payload: inputs.payload,
            sources: mask(&inputs.source_valid) & all(parameters.slots),
            near: mask(&inputs.source_near),
            registers: inputs.source_register.map(|register| RegisterId(register as u8)),
            destinations: named(&inputs.destination_valid, &inputs.destination_register, parameters),
            flush: inputs.flush,
            lent: mask(&inputs.lender_valid) & all(parameters.slots * parameters.lenders),
            lenders: std::array::from_fn(|slot| {
                (WarpId(inputs.lender_warp[slot] as u8), inputs.lender_base[slot] as u8)
            }),
        }
    }

    /// The instruction at the head of a warp's buffer, with so many slots and destinations.
    pub fn at_head<D: Data>(inputs: &SubCoreIn<D>, warp: WarpId, slots: usize, destinations: usize) -> Self {
        let index = warp.index();
        let (used, first) = (all(slots), slots * index);
        let mut issue = Issue {
            warp,
            base: Row(inputs.head_base[index]),
            unit: inputs.head_unit[index],
            payload: inputs.head_payload[index],
            sources: mask(of_slots(&inputs.head_source_valid, first)) & used,
            near: mask(of_slots(&inputs.head_source_near, first)) & used,
            registers: of_slots(&inputs.head_source_register, first)
                .map(|register| RegisterId(register as u8)),
            destinations: [None; MAX_DESTINATIONS],
            flush: inputs.head_flush[index],
            lent: mask(of_slots(&inputs.head_lender_valid, first)) & used,
            lenders: std::array::from_fn(|slot| {
                let place = first + slot;
                (WarpId(inputs.head_lender_warp[place] as u8), inputs.head_lender_base[place] as u8)
            }),
        };
        for (destination, named) in issue.destinations.iter_mut().take(destinations).enumerate() {
            let place = destinations * index + destination;
            let register = RegisterId(inputs.head_destination_register[place] as u8);
            *named = inputs.head_destination_valid[place].then_some(register);
        }
        issue
    }

    /// Where the register of a slot lies: the warp whose row it is, and that warp's first row.
    #[inline]
    pub fn lender(&self, slot: usize) -> (WarpId, Row) {
        match self.lent >> slot & 1 {
            0 => (self.warp, self.base),
            _ => (self.lenders[slot].0, Row(self.lenders[slot].1.into())),
        }
    }

    /// The register of a slot that is used.
    pub fn source(&self, slot: usize) -> Option<RegisterId> {
        (self.sources >> slot & 1 == 1).then(|| self.registers[slot])
    }
}

/// Values of all slots that a collector may have, if the first of them has this place. Slots beyond those
/// that there are hold another warp's values.
#[inline]
fn of_slots<T>(heads: &[T; MAX_WARPS * MAX_SLOTS], first: usize) -> &[T; MAX_SLOTS] {
    heads[first..].first_chunk().expect("each warp has all slots")
}

fn named(
    valid: &[bool; MAX_DESTINATIONS],
    registers: &[u32; MAX_DESTINATIONS],
    parameters: &Parameters,
) -> [Option<RegisterId>; MAX_DESTINATIONS] {
    std::array::from_fn(|place| {
        (place < parameters.destinations && valid[place]).then_some(RegisterId(registers[place] as u8))
    })
}

/// The places of an instruction's operands in a collector.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Placement {
    /// Bit s: slot s was found; it has to be read from the banks. A slot that repeats the register of
    /// an earlier one that misses is neither, where the collector knows registers.
    pub hit: u8,
    /// Bit i: source i has to be read from its bank.
    pub request: u8,
    /// For a caching collector: the entry of each slot that was found.
    pub index: [u8; MAX_SLOTS],
}

/// Results that are written into the banks in a cycle.
#[derive(Clone, Copy, Debug, Default, BorshSerialize, BorshDeserialize)]
pub struct WrittenResults<D> {
    /// A bit per bank: there is a write; if so, whether its value is read soon.
    pub banks: u8,
    /// Bit b: the next use of what is written into bank b is near.
    pub near: u8,
    /// Whose register it is.
    pub warp: [WarpId; MAX_BANKS],
    /// First row of the warp's registers.
    pub base: [Row; MAX_BANKS],
    /// Register number in its warp.
    pub register: [RegisterId; MAX_BANKS],
    /// The written value.
    pub data: [D; MAX_BANKS],
}

impl<D: Data> WrittenResults<D> {
    /// Banks that are written, lowest first.
    pub fn banks(&self) -> impl Iterator<Item = usize> {
        members(self.banks)
    }

    /// This is written into a bank.
    #[inline]
    pub fn put(
        &mut self,
        bank: usize,
        (warp, register, base): (WarpId, RegisterId, Row),
        near: bool,
        data: D,
    ) {
        self.banks |= 1 << bank;
        (self.warp[bank], self.register[bank], self.base[bank]) = (warp, register, base);
        set(&mut self.near, bank, near);
        self.data[bank] = data;
    }

    /// The ones of them with results of a warp; a bit per bank.
    pub fn of(&self, warp: Option<WarpId>) -> u8 {
        let Some(warp) = warp else { return 0 };
        self.banks().filter(|&bank| self.warp[bank] == warp).fold(0, |all, bank| all | 1 << bank)
    }
}

/// Everything that reaches a collector at a clock edge.
#[derive(Clone, Copy, Debug)]
pub struct Edge<'a, D> {
    /// The instruction that enters, with what it found in this cycle.
    pub issue: Option<(&'a Issue, &'a Placement)>,
    /// Results that are written in the cycle.
    pub results: &'a WrittenResults<D>,
    /// Results that enter, and that are kept out; a bit per bank.
    pub cached: u8,
    /// Bit b: the write filter keeps what is written into bank b out.
    pub filtered: u8,
    /// For a random choice; in as many bits as the shift register has.
    pub random: u32,
}

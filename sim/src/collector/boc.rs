// SPDX-License-Identifier: Apache-2.0
//! Reference model of the bypassing operand collector of BOW: F §VI-B.

use gpurf_trace::RegisterId;
use std::collections::VecDeque;

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{CollectorIn, CollectorOut};
use gpurf_blocks::{Clocked, Data, Parameters, WarpId, MAX_SLOTS};

use super::window_instruction::{Operand, WindowInstruction};
use super::{Collector, Edge, Issue, Placement, WrittenResults};
use crate::bits::members;

/// The instructions of the window in program order, and whether the newest is still to be dispatched.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct Boc<D: Data> {
    parameters: Parameters,
    /// Newest first.
    window: VecDeque<WindowInstruction<D>>,
    occupied: bool,
    unit: u32,
    payload: u32,
    /// Its own in the stage, which is the warp that it belongs to.
    number: WarpId,
    #[borsh(skip)]
    inputs: CollectorIn<D>,
}

impl<D: Data> Boc<D> {
    /// After reset, with these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        Boc {
            parameters: *parameters,
            window: VecDeque::with_capacity(parameters.window),
            occupied: false,
            unit: 0,
            payload: 0,
            number: WarpId::default(),
            inputs: CollectorIn::default(),
        }
    }

    /// The present or last instruction's slot is used; its value, if it is there.
    fn slot(&self, slot: usize) -> Option<Option<D>> {
        self.window.front()?.sources[slot].map(|operand| operand.value)
    }

    /// Instructions of the window that stay when an instruction enters, or when none does.
    fn staying(&self, issue: Option<&Issue>) -> impl Iterator<Item = &WindowInstruction<D>> {
        let count = match issue {
            Some(issue) if issue.flush => 0,
            Some(_) => self.parameters.window - 1,
            None => self.parameters.window,
        };
        self.window.iter().take(count)
    }

    /// Forwarding: the value of each source of an instruction, were it issued now; of several, that of
    /// the youngest instruction.
    fn forwarded(&self, issue: &Issue) -> [Option<D>; MAX_SLOTS] {
        std::array::from_fn(|slot| {
            let source = issue.source(slot)?;
            let mut operands = self.staying(Some(issue)).flat_map(WindowInstruction::operands);
            operands.find(|operand| operand.register == source && operand.value.is_some())?.value
        })
    }

    /// Returns true if a slot waits for a result of this register, with `issue` going first.
    fn awaits(&self, issue: Option<&Issue>, register: RegisterId) -> bool {
        self.staying(issue).any(|instruction| instruction.awaits(register))
    }

    /// The window slides.
    fn issue(&mut self, issue: &Issue) {
        let found = self.forwarded(issue);
        if issue.flush {
            self.window.clear();
        }
        self.window.truncate(self.parameters.window - 1);
        let sources = std::array::from_fn(|slot| {
            issue.source(slot).map(|register| Operand { register, value: found[slot] })
        });
        let destinations =
            issue.destinations.map(|destination| Some(Operand { register: destination?, value: None }));
        self.window.push_front(WindowInstruction { sources, destinations });
        (self.unit, self.payload) = (issue.unit, issue.payload);
        self.occupied = true;
    }

    /// A result: it fills the slot that waits for it, and any other copy of its register is old.
    /// `entered`: an instruction entered in this cycle, which comes before the result and whose slots
    /// wait for a later one.
    fn write(&mut self, register: RegisterId, data: D, entered: bool) {
        for instruction in self.window.iter_mut().skip(entered.into()) {
            instruction.write(register, data);
        }
    }
}

impl<D: Data> Collector<D> for Boc<D> {
    const TAKES_DESTINATIONS: bool = true;

    fn numbered(parameters: &Parameters, number: usize) -> Self {
        Boc { number: WarpId(number as u8), ..Boc::new(parameters) }
    }

    fn is_occupied(&self) -> bool {
        self.occupied
    }

    fn owner(&self) -> Option<WarpId> {
        Some(self.number)
    }

    fn is_ready(&self) -> bool {
        self.occupied && (0..self.parameters.slots).all(|slot| self.slot(slot) != Some(None))
    }

    fn held(&self) -> (WarpId, u32, u32) {
        (self.number, self.unit, self.payload)
    }

    fn used(&self) -> u8 {
        (0..MAX_SLOTS).map(|slot| u8::from(self.slot(slot).is_some()) << slot).sum()
    }

    fn operand(&self, slot: usize) -> D {
        self.slot(slot).flatten().unwrap_or_default()
    }

    /// A missing register is requested once.
    fn look_up(&self, issue: &Issue) -> Placement {
        let found = self.forwarded(issue);
        let mut placement = Placement::default();
        for slot in members(issue.sources) {
            let is_first = !(0..slot).any(|earlier| issue.source(earlier) == issue.source(slot));
            match found[slot] {
                Some(_) => placement.hit |= 1 << slot,
                None if is_first => placement.request |= 1 << slot,
                None => {}
            }
        }
        placement
    }

    /// Every result of the warp comes by; one enters where a slot waits for it.
    fn takes(
        &self,
        issue: Option<&Issue>,
        results: &WrittenResults<D>,
        _filter: impl Fn(u8) -> (u8, u8),
    ) -> (u8, u8) {
        let of_warp = results.of(Some(self.number));
        let enters = |bank: &usize| self.awaits(issue, results.register[*bank]);
        let cached = members(of_warp).filter(enters).fold(0, |all, bank| all | 1 << bank);
        (cached, of_warp & !cached)
    }

    fn receive(&mut self, slot: usize, data: D, _random: u32) {
        if let Some(present) = self.window.front_mut() {
            present.receive(slot, data);
        }
    }

    fn update(&mut self, edge: &Edge<D>) {
        if let Some((issue, _)) = edge.issue {
            self.issue(issue);
        }
        for bank in members(edge.cached | edge.filtered) {
            let (register, data) = (edge.results.register[bank], edge.results.data[bank]);
            self.write(register, data, edge.issue.is_some());
        }
    }

    fn dispatch(&mut self) {
        self.occupied = false;
    }
}

impl<D: Data> Clocked for Boc<D> {
    type In = CollectorIn<D>;
    type Out = CollectorOut<D>;

    fn settle(&mut self, inputs: &CollectorIn<D>) -> CollectorOut<D> {
        self.inputs = *inputs;
        let issue = Issue::at_collector(inputs, &self.parameters);
        let (mut outputs, _) = self.shown(inputs, issue.as_ref(), &self.parameters);
        // Alone, it has no number but that which it is given.
        outputs.held_warp = inputs.number;
        for bank in (0..self.parameters.banks).filter(|bank| inputs.write_valid[*bank]) {
            outputs.cached[bank] = self.awaits(issue.as_ref(), RegisterId(inputs.write_register[bank] as u8));
        }
        outputs
    }

    fn tick(&mut self) {
        let inputs = self.inputs;
        self.begin_edge(&inputs);
        if let Some(issue) = Issue::at_collector(&inputs, &self.parameters) {
            self.issue(&issue);
        }
        for bank in (0..self.parameters.banks).filter(|bank| inputs.write_valid[*bank]) {
            self.write(RegisterId(inputs.write_register[bank] as u8), inputs.write_data[bank], inputs.issue);
        }
    }
}

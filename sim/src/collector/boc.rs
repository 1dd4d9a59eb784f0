//! Reference model of the bypassing operand collector of BOW: F §VI-B.

use std::collections::VecDeque;

use gpurf_blocks::{Clocked, Data, Parameters, MAX_DESTINATIONS, MAX_SLOTS};
use gpurf_hw::collector::{BocIn, BocOut};

/// An instruction at the door of a collector.
#[derive(Clone, Copy, Debug, Default)]
pub struct BocIssue {
    pub unit: u32,
    pub payload: u32,
    pub sources: [Option<u8>; MAX_SLOTS],
    pub destinations: [Option<u8>; MAX_DESTINATIONS],
    /// The window is emptied before.
    pub flush: bool,
}

/// A register, and its value if it is there.
#[derive(Clone, Copy, Debug)]
struct Operand<D> {
    register: u8,
    value: Option<D>,
}

/// The operands of an instruction in the window.
#[derive(Clone, Debug)]
struct Windowed<D> {
    sources: [Option<Operand<D>>; MAX_SLOTS],
    destinations: [Option<Operand<D>>; MAX_DESTINATIONS],
}

/// The instructions of the window in program order, and whether the newest is still to be dispatched.
#[derive(Clone, Debug)]
pub struct Boc<D: Data> {
    parameters: Parameters,
    /// Newest first.
    window: VecDeque<Windowed<D>>,
    pub occupied: bool,
    pub unit: u32,
    pub payload: u32,
    inputs: BocIn<D>,
}

impl<D: Data> Boc<D> {
    pub fn new(parameters: &Parameters) -> Self {
        Boc {
            parameters: *parameters,
            window: VecDeque::with_capacity(parameters.window),
            occupied: false,
            unit: 0,
            payload: 0,
            inputs: BocIn::default(),
        }
    }

    /// The present or last instruction's slot is used; its value, if it is there.
    pub fn operand(&self, slot: usize) -> Option<Option<D>> {
        self.window.front()?.sources[slot].map(|operand| operand.value)
    }

    pub fn is_ready(&self) -> bool {
        self.occupied && (0..self.parameters.slots).all(|slot| self.operand(slot) != Some(None))
    }

    /// Instructions of the window that stay when an instruction enters, or when none does.
    fn staying(&self, issue: Option<&BocIssue>) -> impl Iterator<Item = &Windowed<D>> {
        let count = match issue {
            Some(issue) if issue.flush => 0,
            Some(_) => self.parameters.window - 1,
            None => self.parameters.window,
        };
        self.window.iter().take(count)
    }

    /// Forwarding: the value of each source of an instruction, were it issued now; of several, that of
    /// the youngest instruction.
    pub fn look_up(&self, issue: &BocIssue) -> [Option<D>; MAX_SLOTS] {
        issue.sources.map(|source| {
            let mut operands = self.staying(Some(issue)).flat_map(Windowed::operands);
            operands.find(|operand| Some(operand.register) == source && operand.value.is_some())?.value
        })
    }

    /// The sources among those of [`Boc::look_up`] that have to be read: each missing register once. A bit
    /// per slot.
    pub fn requests(issue: &BocIssue, found: &[Option<D>; MAX_SLOTS]) -> u8 {
        let sources = &issue.sources;
        let missing = |slot: &usize| sources[*slot].is_some() && found[*slot].is_none();
        let first = |slot: &usize| !sources[..*slot].contains(&sources[*slot]);
        (0..MAX_SLOTS).filter(missing).filter(first).fold(0, |all, slot| all | 1 << slot)
    }

    /// Whether a slot waits for a result of this register, with `issue` going first.
    pub fn awaits(&self, issue: Option<&BocIssue>, register: u8) -> bool {
        let mut destinations =
            self.staying(issue).flat_map(|windowed| windowed.destinations.iter().flatten());
        destinations.any(|operand| operand.register == register && operand.value.is_none())
    }

    /// The window slides.
    pub fn issue(&mut self, issue: &BocIssue) {
        let found = self.look_up(issue);
        if issue.flush {
            self.window.clear();
        }
        self.window.truncate(self.parameters.window - 1);
        let mut sources = [None; MAX_SLOTS];
        for (slot, source) in issue.sources.into_iter().enumerate() {
            sources[slot] = source.map(|register| Operand { register, value: found[slot] });
        }
        let destinations =
            issue.destinations.map(|destination| Some(Operand { register: destination?, value: None }));
        self.window.push_front(Windowed { sources, destinations });
        (self.unit, self.payload) = (issue.unit, issue.payload);
        self.occupied = true;
    }

    /// Port S: the value of a slot, and of all that name the same register.
    pub fn receive(&mut self, slot: usize, data: D) {
        let Some(present) = self.window.front_mut() else { return };
        let register = present.sources[slot].map(|operand| operand.register);
        for operand in present.sources.iter_mut().flatten() {
            if Some(operand.register) == register {
                operand.value = Some(data);
            }
        }
    }

    /// A result: it fills the slot that waits for it, and any other copy of its register is old.
    /// `entered`: an instruction entered in this cycle, which comes before the result and whose slots
    /// wait for a later one.
    pub fn write(&mut self, register: u8, data: D, entered: bool) {
        for windowed in self.window.iter_mut().skip(entered.into()) {
            for source in &mut windowed.sources {
                *source = source.filter(|operand| operand.register != register);
            }
            for destination in &mut windowed.destinations {
                *destination = match *destination {
                    Some(Operand { register: own, value }) if own == register => {
                        value.is_none().then_some(Operand { register, value: Some(data) })
                    }
                    other => other,
                };
            }
        }
    }

    pub fn dispatch(&mut self) {
        self.occupied = false;
    }

    fn issue_of(&self, inputs: &BocIn<D>) -> Option<BocIssue> {
        inputs.issue.then(|| {
            BocIssue::new(
                &self.parameters,
                (inputs.unit, inputs.payload),
                (&inputs.source_valid, &inputs.source_register),
                (&inputs.destination_valid, &inputs.destination_register),
                inputs.flush,
            )
        })
    }
}

impl BocIssue {
    /// From ports: unit and payload; valid bits and registers of sources and of destinations.
    pub fn new(
        parameters: &Parameters,
        (unit, payload): (u32, u32),
        sources: (&[bool; MAX_SLOTS], &[u32; MAX_SLOTS]),
        destinations: (&[bool; MAX_DESTINATIONS], &[u32; MAX_DESTINATIONS]),
        flush: bool,
    ) -> Self {
        let mut issue = BocIssue { unit, payload, flush, ..BocIssue::default() };
        for slot in (0..parameters.slots).filter(|slot| sources.0[*slot]) {
            issue.sources[slot] = Some(sources.1[slot] as u8);
        }
        for slot in (0..parameters.destinations).filter(|slot| destinations.0[*slot]) {
            issue.destinations[slot] = Some(destinations.1[slot] as u8);
        }
        issue
    }
}

impl<D> Windowed<D> {
    /// Destinations are younger than sources.
    fn operands(&self) -> impl Iterator<Item = &Operand<D>> {
        self.destinations.iter().chain(&self.sources).flatten()
    }
}

impl<D: Data> Clocked for Boc<D> {
    type In = BocIn<D>;
    type Out = BocOut<D>;

    fn settle(&mut self, inputs: &BocIn<D>) -> BocOut<D> {
        self.inputs = *inputs;
        let mut outputs = BocOut {
            occupied: self.occupied,
            ready: self.is_ready(),
            held_unit: self.unit,
            held_payload: self.payload,
            ..BocOut::default()
        };
        let issue = self.issue_of(inputs);
        if let Some(issue) = &issue {
            let found = self.look_up(issue);
            let requests = Self::requests(issue, &found);
            outputs.hit = found.map(|value| value.is_some());
            outputs.request = std::array::from_fn(|slot| requests >> slot & 1 == 1);
        }
        for bank in (0..self.parameters.banks).filter(|bank| inputs.write_valid[*bank]) {
            outputs.cached[bank] = self.awaits(issue.as_ref(), inputs.write_register[bank] as u8);
        }
        for slot in 0..self.parameters.slots {
            let operand = self.operand(slot);
            outputs.operand_valid[slot] = operand.is_some();
            outputs.operand_data[slot] = operand.flatten().unwrap_or_default();
        }
        outputs
    }

    fn tick(&mut self) {
        let inputs = self.inputs;
        if inputs.s_valid {
            self.receive(inputs.s_slot as usize, inputs.s_data);
        }
        if inputs.dispatch {
            self.dispatch();
        }
        if let Some(issue) = self.issue_of(&inputs) {
            self.issue(&issue);
        }
        for bank in (0..self.parameters.banks).filter(|bank| inputs.write_valid[*bank]) {
            self.write(inputs.write_register[bank] as u8, inputs.write_data[bank], inputs.issue);
        }
    }
}

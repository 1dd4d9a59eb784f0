// SPDX-License-Identifier: Apache-2.0
//! Reference model of the CTA status monitor: R §V-B, Table IV.

use bitvec::prelude::*;
use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{CtaStatusMonitorIn, CtaStatusMonitorOut};
use gpurf_blocks::{Clocked, Parameters, Tie};

use crate::checkpoint::model_state;

/// Where a CTA's context or its registers are; the numbers are R's Table IV.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
#[borsh(use_discriminant = true)]
pub enum Location {
    /// There is no such CTA.
    #[default]
    NotLaunched = 0,
    /// Shared memory, the PCRF.
    BackedUp = 1,
    /// The pipeline, the ACRF.
    InUse = 2,
}

impl Location {
    /// # Panics
    /// If the number stands for nothing.
    pub fn of(number: u32) -> Self {
        match number {
            0 => Location::NotLaunched,
            1 => Location::BackedUp,
            2 => Location::InUse,
            _ => panic!("no location has the number {number}"),
        }
    }
}

/// The two fields of a CTA.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Status {
    /// Where its context is.
    pub context: Location,
    /// Where its registers are.
    pub registers: Location,
}

impl Status {
    /// Context and registers are in use.
    pub fn is_active(self) -> bool {
        self == Status { context: Location::InUse, registers: Location::InUse }
    }
}

/// The pending CTA that goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Number of the CTA.
    pub cta: usize,
    /// Its registers need not be moved.
    pub in_acrf: bool,
}

/// The status of every CTA.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct CtaStatusMonitor {
    status: Vec<Status>,
    tie: Tie,
    last: usize,
    #[borsh(skip)]
    inputs: CtaStatusMonitorIn,
}

impl CtaStatusMonitor {
    /// After reset, with these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        let Parameters { ctas, tie, .. } = *parameters;
        CtaStatusMonitor { status: vec![Status::default(); ctas], tie, last: 0, inputs: Default::default() }
    }

    /// The status of a CTA.
    pub fn status(&self, cta: usize) -> Status {
        self.status[cta]
    }

    /// Changes that of a CTA.
    pub fn set(&mut self, cta: usize, status: Status) {
        self.status[cta] = status;
    }

    /// The pending CTA that goes on, of those that could resume.
    pub fn candidate(&self, resumable: impl Fn(usize) -> bool) -> Option<Candidate> {
        let ctas = self.status.len();
        let start = match self.tie {
            Tie::Lowest => 0,
            Tie::RoundRobin => self.last + 1,
        };
        let first = |registers| {
            let wanted = Status { context: Location::BackedUp, registers };
            let mut around = (start..start + ctas).map(|number| number % ctas);
            around.find(|&cta| self.status[cta] == wanted && resumable(cta))
        };
        let in_acrf = first(Location::InUse).map(|cta| Candidate { cta, in_acrf: true });
        in_acrf.or_else(|| first(Location::BackedUp).map(|cta| Candidate { cta, in_acrf: false }))
    }

    /// The candidate has been selected.
    pub fn select(&mut self, candidate: Candidate) {
        self.last = candidate.cta;
    }

    /// The lowest number that is not in use.
    pub fn unlaunched(&self) -> Option<usize> {
        self.status.iter().position(|&status| status == Status::default())
    }

    fn asked(&self) -> Option<Candidate> {
        let resumable = self.inputs.resumable.view_bits::<Lsb0>();
        self.candidate(|cta| resumable[cta])
    }
}

impl Clocked for CtaStatusMonitor {
    type In = CtaStatusMonitorIn;
    type Out = CtaStatusMonitorOut;

    fn settle(&mut self, inputs: &CtaStatusMonitorIn) -> CtaStatusMonitorOut {
        self.inputs = *inputs;
        let (candidate, unlaunched) = (self.asked(), self.unlaunched());
        let inspected = self.status(inputs.inspect as usize);
        CtaStatusMonitorOut {
            any_candidate: candidate.is_some(),
            candidate: candidate.map_or(0, |candidate| candidate.cta as u32),
            candidate_in_acrf: candidate.is_some_and(|candidate| candidate.in_acrf),
            any_unlaunched: unlaunched.is_some(),
            unlaunched: unlaunched.unwrap_or(0) as u32,
            inspected_context: inspected.context as u32,
            inspected_registers: inspected.registers as u32,
            inspected_active: inspected.is_active(),
        }
    }

    fn tick(&mut self) {
        let inputs = self.inputs;
        if let Some(candidate) = self.asked().filter(|_| inputs.select) {
            self.select(candidate);
        }
        for update in 0..inputs.update_cta.len() {
            let status = &mut self.status[inputs.update_cta[update] as usize];
            if inputs.set_context[update] {
                status.context = Location::of(inputs.context_location[update]);
            }
            if inputs.set_registers[update] {
                status.registers = Location::of(inputs.register_location[update]);
            }
        }
    }

    model_state!();
}

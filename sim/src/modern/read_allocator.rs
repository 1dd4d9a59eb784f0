// SPDX-License-Identifier: Apache-2.0
//! Reference model of the read allocator: H §5.3.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{ReadAllocatorIn, ReadAllocatorOut};
use gpurf_blocks::{Clocked, Parameters, ReadRule, READS, READ_BANKS};

use crate::bits::{mask, members};

/// Which read ports of the banks are taken in the cycles to come. Bit 3 k + r: port r, k cycles after the
/// next one.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct ReadAllocator {
    taken: TakenPlaces,
    /// All ports in a window.
    places: u16,
    /// An instruction keeps the banks that it reads for its whole window.
    holds: bool,
    #[borsh(skip)]
    inputs: ReadAllocatorIn,
}

/// The places of an instruction's reads.
#[derive(Clone, Copy, Debug, BorshSerialize, BorshDeserialize)]
pub struct ReadGrant {
    /// When each source is read: at port r in cycle k of the window for 3 k + r.
    pub places: [Option<u8>; READS],
    /// Places of each bank that are taken then.
    pub taken: TakenPlaces,
}

/// Places of each bank.
pub type TakenPlaces = [u16; READ_BANKS];

impl ReadAllocator {
    /// After reset, with these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        let ports = (1 << parameters.read_ports) - 1;
        ReadAllocator {
            taken: [0; READ_BANKS],
            places: (0..parameters.read_window).fold(0, |all, cycle| all | ports << (3 * cycle)),
            holds: parameters.read_rule == ReadRule::Held,
            inputs: ReadAllocatorIn::default(),
        }
    }

    /// Places for the sources of an instruction in the window that begins in the next cycle, if they fit.
    /// Each has the first free one. Bit 2 o + b of `sources`: operand o is read from bank b.
    #[inline]
    pub fn place(&self, sources: u8, is_fixed: bool) -> Option<ReadGrant> {
        let mut grant = ReadGrant { places: [None; READS], taken: self.taken };
        for source in members(sources) {
            let bank = source % READ_BANKS;
            let free = self.places & !grant.taken[bank];
            if free == 0 {
                return None;
            }
            grant.taken[bank] |= free & free.wrapping_neg();
            grant.places[source] = Some(free.trailing_zeros() as u8);
        }
        for (bank, taken) in grant.taken.iter_mut().enumerate() {
            if self.holds && is_fixed && *taken != self.taken[bank] {
                *taken = self.places;
            }
        }
        Some(grant)
    }

    /// An instruction takes its places.
    #[inline]
    pub fn take(&mut self, taken: TakenPlaces) {
        self.taken = taken;
    }

    /// The clock edge: ports of a bank that nobody has taken in the cycle that begins.
    #[inline]
    pub fn edge(&mut self) {
        self.taken.iter_mut().for_each(|taken| *taken >>= 3);
    }
}

impl ReadAllocator {
    /// The decision of a cycle, if an instruction goes: true if it is the one of fixed latency.
    fn decide(&self) -> Option<(bool, ReadGrant)> {
        let inputs = &self.inputs;
        let sources = match (inputs.fixed, inputs.variable) {
            (true, _) => mask(&inputs.request),
            (false, true) => mask(&inputs.variable_request),
            (false, false) => return None,
        };
        self.place(sources, inputs.fixed).map(|grant| (inputs.fixed, grant))
    }
}

impl Clocked for ReadAllocator {
    type In = ReadAllocatorIn;
    type Out = ReadAllocatorOut;

    fn settle(&mut self, inputs: &ReadAllocatorIn) -> ReadAllocatorOut {
        self.inputs = *inputs;
        let mut outputs = ReadAllocatorOut::default();
        if let Some((is_fixed, grant)) = self.decide() {
            (outputs.go, outputs.variable_go) = (is_fixed, !is_fixed);
            outputs.grant = grant.places.map(|place| place.map_or(0, |place| 1 << place));
        }
        outputs
    }

    fn tick(&mut self) {
        if let Some((_, grant)) = self.decide() {
            self.take(grant.taken);
        }
        self.edge();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_held_bank_leaves_the_follower_the_cycle_behind_the_window() {
        for (rule, after) in [(ReadRule::Packed, 2), (ReadRule::Held, 1)] {
            let mut allocator = ReadAllocator::new(&Parameters { read_rule: rule, ..Parameters::default() });
            let of_bank_0 = [0b000001, 0b000101, 0b010101];
            let grant = allocator.place(of_bank_0[1], true).expect("two reads fit");
            assert_eq!(grant.places, [Some(0), None, Some(3), None, None, None]);
            allocator.take(grant.taken);
            allocator.edge();
            for (reads, sources) in of_bank_0.into_iter().enumerate() {
                assert_eq!(allocator.place(sources, true).is_some(), reads < after, "{rule:?}");
            }
            assert!(allocator.place(0b101010, true).is_some(), "the other bank is free");
        }
    }

    #[test]
    fn two_ports_take_twice_as_many() {
        let allocator = ReadAllocator::new(&Parameters { read_ports: 2, ..Parameters::default() });
        let places = allocator.place(0b101011, true).map(|grant| grant.places);
        assert_eq!(places, Some([Some(0), Some(0), None, Some(1), None, Some(3)]));
    }
}

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
    taken: [u16; READ_BANKS],
    /// All ports in a window.
    places: u16,
    /// Ports of a cycle.
    ports: u16,
    /// An instruction keeps the banks that it reads for its whole window.
    holds: bool,
    #[borsh(skip)]
    inputs: ReadAllocatorIn,
}

impl ReadAllocator {
    /// After reset, with these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        let ports = (1 << parameters.read_ports) - 1;
        ReadAllocator {
            taken: [0; READ_BANKS],
            places: (0..parameters.read_window).fold(0, |all, cycle| all | ports << (3 * cycle)),
            ports,
            holds: parameters.read_rule == ReadRule::Held,
            inputs: ReadAllocatorIn::default(),
        }
    }

    /// So many reads of a bank fit into the window that begins in the next cycle.
    #[inline]
    pub fn fits(&self, bank: usize, reads: u32) -> bool {
        (self.places & !self.taken[bank]).count_ones() >= reads
    }

    /// A read of a bank takes the first free place: the number of the cycle, of the window that begins in the
    /// next one.
    #[inline]
    pub fn take(&mut self, bank: usize) -> usize {
        self.take_place(bank) / 3
    }

    /// The same: the number of the place.
    #[inline]
    pub fn take_place(&mut self, bank: usize) -> usize {
        let place = (self.places & !self.taken[bank]).trailing_zeros();
        self.taken[bank] |= 1 << place;
        place as usize
    }

    /// The sources of an instruction take their places, if they fit: the places. Bit 2 o + b of `sources`:
    /// operand o is read from bank b.
    pub fn place(&mut self, sources: u8, is_fixed: bool) -> Option<[Option<u8>; READS]> {
        let mut after = self.clone();
        let mut places = [None; READS];
        for source in members(sources) {
            let bank = source % READ_BANKS;
            if !after.fits(bank, 1) {
                return None;
            }
            places[source] = Some(after.take_place(bank) as u8);
        }
        let banks =
            (0..READ_BANKS).filter(|bank| members(sources).any(|source| source % READ_BANKS == *bank));
        banks.filter(|_| is_fixed).for_each(|bank| after.hold(bank));
        self.taken = after.taken;
        Some(places)
    }

    /// All reads of an instruction of fixed latency have taken their places; it reads this bank.
    #[inline]
    pub fn hold(&mut self, bank: usize) {
        if self.holds {
            self.taken[bank] = self.places;
        }
    }

    /// The clock edge: ports of a bank that nobody has taken in the cycle that begins.
    #[inline]
    pub fn edge(&mut self) {
        self.taken.iter_mut().for_each(|taken| *taken >>= 3);
    }

    /// How many reads of each bank may be made a cycle.
    pub fn ports(&self) -> u32 {
        self.ports.count_ones()
    }
}

impl ReadAllocator {
    /// The decision of a cycle: true if the instruction of fixed latency goes, and its places.
    fn decide(&mut self) -> Option<(bool, [Option<u8>; READS])> {
        let inputs = self.inputs;
        let sources = match (inputs.fixed, inputs.variable) {
            (true, _) => mask(&inputs.request),
            (false, true) => mask(&inputs.variable_request),
            (false, false) => return None,
        };
        self.place(sources, inputs.fixed).map(|places| (inputs.fixed, places))
    }
}

impl Clocked for ReadAllocator {
    type In = ReadAllocatorIn;
    type Out = ReadAllocatorOut;

    fn settle(&mut self, inputs: &ReadAllocatorIn) -> ReadAllocatorOut {
        self.inputs = *inputs;
        let mut outputs = ReadAllocatorOut::default();
        if let Some((is_fixed, places)) = self.clone().decide() {
            (outputs.go, outputs.variable_go) = (is_fixed, !is_fixed);
            outputs.grant = places.map(|place| place.map_or(0, |place| 1 << place));
        }
        outputs
    }

    fn tick(&mut self) {
        self.decide();
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
            assert!(allocator.fits(0, 3) && !allocator.fits(0, 4));
            assert_eq!((allocator.take(0), allocator.take(0)), (0, 1));
            allocator.hold(0);
            allocator.edge();
            assert!(allocator.fits(0, after) && !allocator.fits(0, after + 1) && allocator.fits(1, 3));
        }
    }

    #[test]
    fn two_ports_take_twice_as_many() {
        let mut allocator = ReadAllocator::new(&Parameters { read_ports: 2, ..Parameters::default() });
        assert!(allocator.fits(1, 6));
        assert_eq!([0; 4].map(|_| allocator.take(1)), [0, 0, 1, 1]);
    }
}

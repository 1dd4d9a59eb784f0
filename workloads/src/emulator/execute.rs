// SPDX-License-Identifier: Apache-2.0
//! From registers to registers, by one group of lanes.

use super::access::Touched;
use super::constants::Constants;
use super::fault::Fault;
use super::operation::*;
use super::warp::{Group, Warp};

/// Values on their way through an instruction.
pub(crate) struct Scratch {
    /// Operands that are not just registers.
    words: [Lanes; MAX_SOURCES],
    outputs: Outputs,
    pub touched: Touched,
}

impl Default for Scratch {
    fn default() -> Scratch {
        Scratch {
            words: [[0; LANES]; MAX_SOURCES],
            outputs: Outputs { lanes: [[0; LANES]; MAX_RESULTS], predicates: [0; 7] },
            touched: Touched::default(),
        }
    }
}

impl Group {
    fn uniform_predicate(&self, index: u8) -> u32 {
        if self.uniform_predicates >> index & 1 != 0 {
            u32::MAX
        } else {
            0
        }
    }
}

impl Warp {
    pub fn running(&self) -> &Group {
        self.groups.last().expect("a group runs")
    }

    pub fn running_mut(&mut self) -> &mut Group {
        self.groups.last_mut().expect("a group runs")
    }

    /// A predicate as a bit per lane.
    #[inline]
    pub fn predicate(&self, source: PredicateSource) -> u32 {
        let value = if source.uniform {
            self.running().uniform_predicate(source.index)
        } else {
            self.predicates[usize::from(source.index)]
        };
        value ^ if source.negate { u32::MAX } else { 0 }
    }

    /// The value of an operand that is the same in all lanes, or that of the first of these lanes.
    pub fn scalar(
        &self,
        source: Source,
        mask: u32,
        constants: &Constants,
        number: u32,
    ) -> Result<u32, Fault> {
        let mut lanes = [0; LANES];
        self.fetch((source, Modifier::None), constants, number, &mut lanes)?;
        Ok(lanes[mask.trailing_zeros() as usize & 31])
    }

    /// An operand in all lanes. `number` is that of the warp in its block.
    #[inline]
    pub fn fetch(
        &self,
        (source, modifier): (Source, Modifier),
        constants: &Constants,
        number: u32,
        into: &mut Lanes,
    ) -> Result<(), Fault> {
        match source {
            Source::Row(row) => *into = self.registers[usize::from(row)],
            Source::Uniform(index) => *into = [self.running().uniform[usize::from(index)]; LANES],
            Source::Immediate(value) => *into = [value; LANES],
            Source::Constant { bank, offset } => *into = [constants.word(bank, offset.into())?; LANES],
            Source::Special(special) => *into = self.special(special, constants, number),
        }
        match modifier {
            Modifier::None => {}
            // The signs of single precision are flipped on the way to almost any instruction.
            Modifier::Sign { clear: false, flip: true } => {
                into.iter_mut().for_each(|value| *value ^= 0x8000_0000)
            }
            _ => into.iter_mut().for_each(|value| *value = modifier.apply(*value)),
        }
        Ok(())
    }

    fn special(&self, special: Special, constants: &Constants, number: u32) -> Lanes {
        std::array::from_fn(|lane| {
            let lane = lane as u32;
            match special {
                Special::Lane => lane,
                Special::Thread(dimension) => {
                    let [x, y, z] = constants.block_size;
                    let thread = number * LANES as u32 + lane;
                    match dimension {
                        0 => thread % x,
                        1 => thread / x % y,
                        _ => thread / x / y % z,
                    }
                }
                Special::Block(dimension) => constants.block[usize::from(dimension)],
                Special::Warp => number,
                Special::VirtualId => number << 8,
                Special::SharedSize => constants.shared_size,
                Special::LaneMask(mask) => match mask {
                    LaneMask::Equal => 1 << lane,
                    LaneMask::Below => (1 << lane) - 1,
                    LaneMask::AtOrBelow => u32::MAX >> (31 - lane),
                    LaneMask::Above => u32::MAX.checked_shl(lane + 1).unwrap_or(0),
                    LaneMask::AtOrAbove => u32::MAX << lane,
                },
                Special::Clock => self.executed as u32,
                Special::Zero => 0,
            }
        })
    }

    #[inline]
    pub fn store(&mut self, row: u16, mask: u32, value: &Lanes) {
        let row = &mut self.registers[usize::from(row)];
        if mask == u32::MAX {
            *row = *value;
        } else {
            for lane in 0..LANES {
                if mask >> lane & 1 != 0 {
                    row[lane] = value[lane];
                }
            }
        }
    }

    pub fn compute(
        &mut self,
        compute: &Compute,
        mask: u32,
        constants: &Constants,
        number: u32,
        scratch: &mut Scratch,
    ) -> Result<(), Fault> {
        if mask == 0 {
            return Ok(());
        }
        let Scratch { words, outputs, .. } = scratch;
        let mut inputs = Inputs { lanes: [&[0; LANES]; MAX_SOURCES], predicates: [0; 7], mask };
        for ((source, word), lanes) in compute.sources.iter().zip(words).zip(&mut inputs.lanes) {
            *lanes = match *source {
                (Source::Row(row), Modifier::None) => &self.registers[usize::from(row)],
                _ => {
                    self.fetch(*source, constants, number, word)?;
                    word
                }
            };
        }
        for (source, predicate) in compute.predicates.iter().zip(&mut inputs.predicates) {
            *predicate = self.predicate(*source);
        }
        (compute.function)(&inputs, outputs);
        let first = mask.trailing_zeros();
        for (destination, value) in compute.destinations.iter().zip(&outputs.lanes) {
            match *destination {
                Destination::Row(row) => self.store(row, mask, value),
                Destination::Uniform(index) => {
                    self.running_mut().uniform[usize::from(index)] = value[first as usize];
                }
                Destination::Nowhere => {}
            }
        }
        for (destination, &value) in compute.predicate_destinations.iter().zip(&outputs.predicates) {
            self.set_predicate(*destination, mask, value);
        }
        Ok(())
    }

    /// A lane of `mask` that a shuffle gives the value of a lane that does not execute, and that lane.
    pub fn idle_source(
        &self,
        shuffle: &Compute,
        mask: u32,
        constants: &Constants,
        number: u32,
        scratch: &mut Scratch,
    ) -> Option<(u32, u32)> {
        let Scratch { words, outputs, .. } = scratch;
        for (source, word) in shuffle.sources.iter().zip(words.iter_mut()) {
            self.fetch(*source, constants, number, word).ok()?;
        }
        // Each lane's own number instead of its value: first with all lanes, then with those that execute.
        words[0] = std::array::from_fn(|lane| lane as u32 + 1);
        let mut inputs =
            Inputs { lanes: std::array::from_fn(|i| &words[i]), predicates: [0; 7], mask: u32::MAX };
        (shuffle.function)(&inputs, outputs);
        let asked = outputs.lanes[0];
        inputs.mask = mask;
        (shuffle.function)(&inputs, outputs);
        let lane = super::warp::lanes_of(mask).find(|&lane| outputs.lanes[0][lane] == 0)?;
        Some((lane as u32, asked[lane] - 1))
    }

    /// Writes a predicate in these lanes; there must be one. A uniform predicate takes the value of the
    /// first of them.
    #[inline]
    pub fn set_predicate(&mut self, destination: PredicateDestination, mask: u32, value: u32) {
        match destination {
            PredicateDestination { index: 7, .. } => {}
            PredicateDestination { uniform: false, index } => {
                let predicate = &mut self.predicates[usize::from(index)];
                *predicate = *predicate & !mask | value & mask;
            }
            PredicateDestination { uniform: true, index } => {
                let first = mask.trailing_zeros();
                let predicates = &mut self.running_mut().uniform_predicates;
                *predicates = *predicates & !(1 << index) | ((value >> first & 1) as u8) << index;
            }
        }
    }
}

impl Constants<'_> {
    pub fn load(&self, bank: u8, address: u64, width: Width) -> Result<u64, Fault> {
        let bytes = usize::from(width.bytes());
        let data = self.banks.get(usize::from(bank)).copied().unwrap_or_default();
        // Offsets have 16 bits. One of 32 KB or more is printed as a negative one.
        let below_zero = (0xffff_0000..=0xffff_ffff).contains(&address);
        let address = if below_zero { address & 0xffff } else { address };
        let start = usize::try_from(address).unwrap_or(usize::MAX);
        let found = start.checked_add(bytes).and_then(|end| data.get(start..end));
        let Some(found) = found else {
            return Err(Fault::new(format!(
                "constant c[{bank:#x}][{address:#x}] is out of bounds: the bank has {} bytes{}",
                data.len(),
                if data.is_empty() {
                    "; the listing may lack it, as code alone does: give the output of `nvdisasm -hex`, not of \
                     `cuobjdump -sass` or with -c"
                } else {
                    ""
                },
            )));
        };
        if start % bytes != 0 {
            return Err(Fault::new(format!("constant c[{bank:#x}][{address:#x}] is misaligned")));
        }
        let value = found.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte));
        Ok(match width {
            Width::S8 => value as i8 as u64,
            Width::S16 => value as i16 as u64,
            _ => value,
        })
    }

    #[inline]
    pub fn word(&self, bank: u8, offset: u64) -> Result<u32, Fault> {
        let data = self.banks[usize::from(bank)];
        match data.get(offset as usize..offset as usize + 4) {
            Some(bytes) => Ok(u32::from_le_bytes(bytes.try_into().expect("four bytes"))),
            None => self.load(bank, offset, Width::B32).map(|value| value as u32),
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
//! Dynamic instructions: what the warps of a thread block executed.

use std::hash::Hasher;

use arrayvec::ArrayVec;
use borsh::{BorshDeserialize, BorshSerialize};
use rustc_hash::FxHasher;

/// Threads of a warp.
pub const WARP_SIZE: u32 = 32;

/// One execution of an instruction by a warp: 20 bytes, copied freely.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct DynamicInstruction {
    /// Index into the kernel's [`Program`](crate::Program).
    pub static_index: u32,
    /// Bit i: lane i is active and its guard predicate holds. 0 for an instruction the warp
    /// issued without effect.
    pub mask: u32,
    /// Where its addresses begin in the pool.
    address_start: u32,
    /// Its addresses, with [`STRIDED`] and [`DIGESTED`].
    address_count: u8,
    /// Bit i: the next read of the i-th source register is near. The last bit stands for the sixteenth and
    /// all behind it, the rest of one wide operand: it is set if they all are near. Zero until annotated.
    pub near_sources: u16,
    /// The same of the destination registers.
    pub near_destinations: u16,
}

/// Number of the last bit of a `near_` mask.
pub(crate) const LAST_MARK: usize = u16::BITS as usize - 1;

/// Marks register number `index` of an instruction's sources, or destinations, in their mask. `begins`: of
/// those that share the last bit, it is the first to be marked.
pub(crate) fn mark(mask: &mut u16, index: usize, near: bool, begins: bool) {
    let bit = 1 << index.min(LAST_MARK);
    match near {
        true if index < LAST_MARK || begins => *mask |= bit,
        false if index >= LAST_MARK => *mask &= !bit,
        _ => {}
    }
}

impl DynamicInstruction {
    /// Bit i: the next read of source register number `first + i` is near.
    #[inline]
    pub fn near_sources_from(&self, first: usize) -> u16 {
        // The sign stands for all that lies behind it.
        (self.near_sources as i16 >> first.min(LAST_MARK)) as u16
    }

    /// Returns true if the next read of destination register number `index` is near.
    #[inline]
    pub fn is_near_destination(&self, index: usize) -> bool {
        self.near_destinations >> index.min(LAST_MARK) & 1 == 1
    }

    /// How many addresses it has.
    fn count(&self) -> usize {
        usize::from(self.address_count & !(DIGESTED | STRIDED))
    }

    /// A digest follows its addresses.
    fn is_digested(&self) -> bool {
        self.address_count & DIGESTED != 0
    }

    /// The place in the pool behind its addresses.
    fn behind_addresses(&self) -> usize {
        let words = if self.address_count & STRIDED != 0 { 2 } else { self.count() };
        self.address_start as usize + words
    }
}

/// Set in an instruction's number of addresses, which is at most 32: a digest follows them in the pool.
const DIGESTED: u8 = 1 << 7;
/// Set there as well: the pool has the first address and the distance from each to the next, not all of them.
const STRIDED: u8 = 1 << 6;

/// Addresses of an instruction, one per active lane, lowest lane first.
pub type Addresses = ArrayVec<u64, { WARP_SIZE as usize }>;

/// A warp's instructions in program order, up to and with its last `EXIT`.
#[derive(Clone, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Warp {
    /// Number of the warp inside its thread block.
    pub id: u32,
    /// Instructions that it executes, in order.
    pub instructions: Vec<DynamicInstruction>,
}

/// A thread block: the warps the trace has for it, which may be fewer than were launched, each with
/// the instructions the trace has for it, which may be none.
#[derive(Clone, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct ThreadBlock {
    /// Position in the grid: x, y, z.
    pub id: [u32; 3],
    /// Its warps that have any instruction, by rising number.
    pub warps: Vec<Warp>,
    /// Addresses of all instructions, those of most as [`STRIDED`].
    pool: Vec<u64>,
    /// Every instruction's operands follow its addresses in the pool.
    has_operands: bool,
}

/// A vector register's value: a word of 32 bits for each lane.
pub type Lanes = [u32; WARP_SIZE as usize];
/// Words that a value takes in the pool.
const WORDS: usize = WARP_SIZE as usize / 2;

/// The values that an instruction found in its source registers and left in its destination registers, in all
/// lanes of the warp: lanes that the instruction did not write have what they had before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operands<'a> {
    /// A digest of each source: equal values have equal ones.
    pub sources: &'a [u64],
    destinations: &'a [u64],
}

impl Operands<'_> {
    /// The digest of a value.
    pub fn digest(value: &Lanes) -> u64 {
        let mut hasher = FxHasher::default();
        value.iter().for_each(|word| hasher.write_u32(*word));
        hasher.finish()
    }

    /// The values of the destinations, in their order.
    pub fn destinations(&self) -> impl Iterator<Item = Lanes> + '_ {
        let value = |words: &[u64]| std::array::from_fn(|lane| (words[lane / 2] >> (32 * (lane % 2))) as u32);
        self.destinations.chunks_exact(WORDS).map(value)
    }
}

impl ThreadBlock {
    /// A thread block without warps.
    pub fn new(id: [u32; 3]) -> ThreadBlock {
        ThreadBlock { id, ..ThreadBlock::default() }
    }

    /// Starts a warp; what is pushed from now on is its.
    pub fn begin_warp(&mut self, id: u32) {
        self.warps.push(Warp { id, instructions: Vec::new() });
    }

    /// Adds an instruction to the warp begun last. `addresses` holds one byte address per active
    /// lane, lowest lane first, for an instruction of non-zero width, and is empty for any other.
    ///
    /// # Panics
    /// If no warp was begun, or if there are addresses but not one per active lane.
    pub fn push(&mut self, static_index: u32, mask: u32, addresses: &[u64]) {
        assert!(
            addresses.is_empty() || addresses.len() == mask.count_ones() as usize,
            "an instruction carries one address per active lane"
        );
        let start = self.pool.len();
        self.pool.extend_from_slice(addresses);
        let instruction = self.seal(static_index, mask, start);
        let warp = self.warps.last_mut().expect("begin a warp first");
        warp.instructions.push(instruction);
    }

    /// Does as [`ThreadBlock::push`], for a load whose values are known: `digest` is equal for equal values
    /// in equal lanes.
    pub fn push_digested(&mut self, static_index: u32, mask: u32, addresses: &[u64], digest: u64) {
        self.push(static_index, mask, addresses);
        self.pool.push(digest);
        let warp = self.warps.last_mut().expect("just pushed to");
        warp.instructions.last_mut().expect("just pushed").address_count |= DIGESTED;
    }

    /// The operands of the instruction that was just pushed: digests of its sources and values of its
    /// destinations, as many as its [`StaticInstruction`](crate::StaticInstruction) has. Those of every
    /// instruction of the block are given, or none.
    pub fn push_operands(&mut self, sources: &[u64], destinations: impl IntoIterator<Item = Lanes>) {
        self.has_operands = true;
        self.pool.extend_from_slice(sources);
        for value in destinations {
            let word = |pair: &[u32]| u64::from(pair[0]) | u64::from(pair[1]) << 32;
            self.pool.extend(value.chunks_exact(2).map(word));
        }
    }

    /// Takes over the warps of another block.
    pub fn adopt(&mut self, other: ThreadBlock) {
        let start = u32::try_from(self.pool.len()).expect("a thread block holds under 2^32 addresses");
        for mut warp in other.warps {
            warp.instructions.shrink_to_fit();
            warp.instructions.iter_mut().for_each(|instruction| instruction.address_start += start);
            self.warps.push(warp);
        }
        self.pool.extend_from_slice(&other.pool);
        self.has_operands |= other.has_operands;
    }

    /// The byte addresses of an instruction of this block, one per active lane, lowest lane first.
    pub fn addresses(&self, instruction: &DynamicInstruction) -> Addresses {
        let pool = &self.pool[instruction.address_start as usize..];
        let count = instruction.count();
        match instruction.address_count & STRIDED {
            0 => pool[..count].iter().copied().collect(),
            _ => (0..count as u64).map(|lane| pool[0].wrapping_add(pool[1].wrapping_mul(lane))).collect(),
        }
    }

    /// The first of these addresses.
    pub fn first_address(&self, instruction: &DynamicInstruction) -> Option<u64> {
        (instruction.count() > 0).then(|| self.pool[instruction.address_start as usize])
    }

    /// Returns true if two instructions of this block have the same addresses.
    pub fn same_addresses(&self, one: &DynamicInstruction, other: &DynamicInstruction) -> bool {
        let count = |instruction: &DynamicInstruction| instruction.address_count & !DIGESTED;
        let words = |of: &DynamicInstruction| &self.pool[of.address_start as usize..of.behind_addresses()];
        count(one) == count(other) && words(one) == words(other)
            || self.addresses(one) == self.addresses(other)
    }

    /// The digest of what an instruction of this block loaded, if the stream tells.
    pub fn digest(&self, instruction: &DynamicInstruction) -> Option<u64> {
        instruction.is_digested().then(|| self.pool[instruction.behind_addresses()])
    }

    /// The operands of an instruction with so many sources and destinations, if the stream tells.
    pub fn operands(
        &self,
        instruction: &DynamicInstruction,
        (sources, destinations): (usize, usize),
    ) -> Option<Operands<'_>> {
        let start = instruction.behind_addresses() + usize::from(instruction.is_digested());
        self.has_operands.then(|| {
            let (sources, rest) = self.pool[start..].split_at(sources);
            Operands { sources, destinations: &rest[..destinations * WORDS] }
        })
    }

    /// Instructions of all warps.
    pub fn instruction_count(&self) -> u64 {
        let counts = self.warps.iter().map(|warp| warp.instructions.len() as u64);
        counts.sum()
    }

    /// Memory that the block takes, in bytes.
    pub fn bytes(&self) -> usize {
        let warps = self.warps.iter().map(|warp| size_of_val(&warp.instructions[..]));
        warps.sum::<usize>() + size_of_val(&self.pool[..])
    }

    /// The address pool, to append the addresses of the next instruction to.
    pub(crate) fn pool(&mut self) -> &mut Vec<u64> {
        &mut self.pool
    }

    /// An instruction whose addresses are those in the pool from `start` on.
    pub(crate) fn seal(&mut self, static_index: u32, mask: u32, start: usize) -> DynamicInstruction {
        let addresses = &self.pool[start..];
        let mut address_count = addresses.len() as u8;
        if let [first, second, _, ..] = *addresses {
            let stride = second.wrapping_sub(first);
            if addresses.windows(2).all(|pair| pair[1].wrapping_sub(pair[0]) == stride) {
                self.pool.truncate(start + 1);
                self.pool.push(stride);
                address_count |= STRIDED;
            }
        }
        DynamicInstruction {
            static_index,
            mask,
            address_start: u32::try_from(start).expect("a thread block holds under 2^32 addresses"),
            address_count,
            near_sources: 0,
            near_destinations: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_stay_with_their_instruction() {
        let mut block = ThreadBlock::new([1, 2, 3]);
        block.begin_warp(0);
        block.push(0, 0b101, &[16, 24]);
        block.push(1, u32::MAX, &[]);
        block.begin_warp(1);
        block.push(2, 0b1, &[8]);
        let [first, second] = block.warps[0].instructions[..] else {
            panic!("two instructions");
        };
        assert_eq!(block.addresses(&first)[..], [16, 24]);
        assert_eq!(block.addresses(&second)[..], []);
        assert_eq!(block.addresses(&block.warps[1].instructions[0])[..], [8]);
        assert_eq!(block.instruction_count(), 3);
        assert_eq!(size_of::<DynamicInstruction>(), 20);
    }

    #[test]
    fn addresses_are_the_same_however_they_are_kept() {
        let mut block = ThreadBlock::new([0; 3]);
        block.begin_warp(0);
        let evenly: Vec<u64> = (0..32).map(|lane| 64 + 4 * lane).collect();
        let unevenly: Vec<u64> = evenly.iter().map(|address| address * address).collect();
        for addresses in [&evenly[..], &evenly, &unevenly, &unevenly, &evenly[..16], &[]] {
            block.push(0, ((1u64 << addresses.len()) - 1) as u32, addresses);
        }
        block.push_digested(0, u32::MAX, &evenly, 5);
        let all = &block.warps[0].instructions;
        for one in all {
            for other in all {
                let expected = block.addresses(one) == block.addresses(other);
                assert_eq!(block.same_addresses(one, other), expected);
            }
        }
    }

    #[test]
    fn a_digest_stays_with_its_load() {
        let mut block = ThreadBlock::new([0; 3]);
        block.begin_warp(0);
        block.push_digested(0, 0b101, &[16, 24], 77);
        block.push(1, 0b1, &[8]);
        let [load, other] = block.warps[0].instructions[..] else { panic!("two instructions") };
        assert_eq!((&block.addresses(&load)[..], block.digest(&load)), (&[16, 24][..], Some(77)));
        assert_eq!((&block.addresses(&other)[..], block.digest(&other)), (&[8][..], None));
    }

    #[test]
    fn operands_stay_with_their_instruction() {
        let value =
            |seed: u32| -> Lanes { std::array::from_fn(|lane| seed.wrapping_mul(lane as u32 + 0x9e37_79b9)) };
        let mut other = ThreadBlock::new([0; 3]);
        other.begin_warp(1);
        other.push_digested(0, 0b11, &[16, 24], 77);
        other.push_operands(&[5, 6], [value(1)]);
        other.push(1, u32::MAX, &[]);
        other.push_operands(&[7], []);
        let mut block = ThreadBlock::new([0; 3]);
        block.begin_warp(0);
        block.push(2, 0b111, &[1, 2, 9]);
        block.push_operands(&[], [value(2), value(3)]);
        block.adopt(other);
        let of = |warp: usize, number: usize, counts| {
            let operands =
                block.operands(&block.warps[warp].instructions[number], counts).expect("it has them");
            (operands.sources.to_vec(), operands.destinations().collect::<Vec<_>>())
        };
        assert_eq!(of(0, 0, (0, 2)), (vec![], vec![value(2), value(3)]));
        assert_eq!(of(1, 0, (2, 1)), (vec![5, 6], vec![value(1)]));
        assert_eq!(of(1, 1, (1, 0)), (vec![7], vec![]));
        assert_eq!(block.digest(&block.warps[1].instructions[0]), Some(77));
        assert_ne!(Operands::digest(&value(1)), Operands::digest(&value(2)));
    }

    #[test]
    fn evenly_spaced_addresses_take_two_words_and_come_back() {
        let cases: [(u32, &[u64], usize); 6] = [
            (0b111, &[16, 20, 24], 2),
            (0b111, &[u64::MAX - 3, 0, 4], 2),
            (0b111, &[24, 16, 8], 2),
            (0b1111, &[7, 7, 7, 7], 2),
            (0b1111, &[0, 4, 8, 16], 4),
            (0b11, &[0, 4], 2),
        ];
        let mut block = ThreadBlock::new([0; 3]);
        let mut other = ThreadBlock::new([0; 3]);
        other.begin_warp(0);
        other.push(0, 1, &[1]);
        block.begin_warp(1);
        let mut words = 0;
        for (number, (mask, addresses, length)) in cases.iter().enumerate() {
            if number % 2 == 0 {
                block.push(0, *mask, addresses);
            } else {
                block.push_digested(0, *mask, addresses, number as u64);
                words += 1;
            }
            words += length;
            assert_eq!(block.pool.len(), words);
        }
        other.adopt(block);
        assert_eq!(other.warps[1].id, 1);
        for (number, (_, addresses, _)) in cases.iter().enumerate() {
            let instruction = &other.warps[1].instructions[number];
            assert_eq!(&other.addresses(instruction)[..], *addresses);
            assert_eq!(other.first_address(instruction), Some(addresses[0]));
            assert_eq!(other.digest(instruction), (number % 2 == 1).then_some(number as u64));
        }
    }
}

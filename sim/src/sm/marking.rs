// SPDX-License-Identifier: Apache-2.0
//! Which loads from shared memory of a kernel are multicasting loads, MLDS: I §3.1 and §3.4.
//!
//! The unit compares the address of the first lane alone, and keeps loads until a partner comes. It would
//! give a warp the wrong data if other lanes' addresses differ, and old loads too new data if their words are
//! stored to meanwhile. The paper rewrites kernels by hand, "when necessary", and replaces "redundant" loads.
//! [`Marking::Redundant`] does so by a profile of a kernel's first blocks; a load qualifies if, between two
//! barriers,
//! - another warp performs it alike (else there is nothing to gain, only time to lose);
//! - no two warps' loads with the same key disagree in a lane, or in what they load;
//! - nothing is stored to the words that it loads.
//!
//! Beside DARSIE, which serves the warps of a sub-core by itself, a load goes to the unit only if a warp of
//! another sub-core performs it alike: else its partner never comes. A compiler that finds what warps share,
//! as DARSIE's does, knows which warps these are.
//!
//! What the profile did not see is found when it happens: see [`super::load_sharing`].

use std::collections::HashSet;

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::SUB_CORES;
use gpurf_trace::{
    DynamicInstruction, Kernel, KernelHeader, Memory, MemoryAccess, MemorySpace, Program, RegisterId, Result,
    StaticInstruction, ThreadBlock,
};
use rustc_hash::FxHashMap;

use crate::config::{BesideDarsie, Marking, Mlds};
use crate::design::SharedLoads;

/// Blocks of a kernel that are profiled.
const PROFILED_BLOCKS: usize = 4;

/// Program counters of multicasting loads.
#[derive(Clone)]
pub(super) enum PartnerMarks {
    All,
    At {
        loads: HashSet<u32>,
        /// The ones that go to the multicasting unit.
        multicast: HashSet<u32>,
    },
}

impl PartnerMarks {
    /// Where it makes no difference.
    pub fn none() -> PartnerMarks {
        PartnerMarks::At { loads: HashSet::new(), multicast: HashSet::new() }
    }

    pub fn new(mlds: &Mlds, sharing: SharedLoads, kernel: &Kernel) -> Result<PartnerMarks> {
        let elsewhere = sharing.rename && mlds.beside_darsie == BesideDarsie::OtherSubCores;
        Ok(match &mlds.loads {
            Marking::All => PartnerMarks::All,
            Marking::At(places) => {
                let loads: HashSet<u32> = places.iter().copied().collect();
                PartnerMarks::At { multicast: loads.clone(), loads }
            }
            Marking::Redundant => {
                let Redundant { loads, across } = redundant(kernel)?;
                PartnerMarks::At { multicast: if elsewhere { across } else { loads.clone() }, loads }
            }
        })
    }

    /// The two marks of an instruction: it is a multicasting load; it goes to the multicasting unit.
    pub fn of(&self, instruction: &StaticInstruction) -> (bool, bool) {
        match self {
            _ if !loads_shared(instruction) => (false, false),
            PartnerMarks::All => (true, true),
            PartnerMarks::At { loads, multicast } => {
                (loads.contains(&instruction.pc), multicast.contains(&instruction.pc))
            }
        }
    }
}

/// Only what reads registers' worth from shared memory by name: `LDS`, `LDSM`. Not bytes: two in one half
/// word would have the same address in the multicasting unit.
fn loads_shared(instruction: &StaticInstruction) -> bool {
    let load = Memory { space: MemorySpace::Shared, access: MemoryAccess::Load };
    instruction.memory == Some(load) && !instruction.destinations.is_empty() && instruction.width > 1
}

/// Fields that the multicasting unit compares, warps apart: address, source and destination register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub(super) struct Key {
    pub address: u64,
    pub source: RegisterId,
    pub destination: RegisterId,
}

impl Key {
    /// `address`: of the first active lane. A load that names no register for its address has RZ for it.
    pub fn new(address: u64, source: Option<RegisterId>, destination: RegisterId) -> Key {
        Key { address, source: source.unwrap_or(RegisterId::RZ), destination }
    }
}

/// Loads that qualify.
#[derive(Default)]
struct Redundant {
    loads: HashSet<u32>,
    /// The ones that warps of several sub-cores perform alike.
    across: HashSet<u32>,
}

fn redundant(kernel: &Kernel) -> Result<Redundant> {
    let mut reader = kernel.open()?;
    let mut profile = Profile::default();
    for _ in 0..PROFILED_BLOCKS {
        let Some(block) = reader.next_block()? else { break };
        profile.see(kernel.header(), reader.program(), &block);
    }
    let places = |is_one: fn(&Known) -> bool| {
        let known = reader.program().instructions().iter().zip(&profile.known);
        known.filter(move |(_, known)| is_one(known)).map(|(instruction, _)| instruction.pc)
    };
    let refused: HashSet<u32> = places(|known| known.refused).collect();
    let left = |is_one| places(is_one).filter(|place| !refused.contains(place)).collect();
    Ok(Redundant { loads: left(|known| known.redundant), across: left(|known| known.across) })
}

/// Facts that are known of an instruction.
struct Known {
    /// It loads from shared memory, or changes what may lie there.
    access: Option<Access>,
    barrier: bool,
    /// Warps perform it alike, warps of several sub-cores do, and it must be no multicasting load.
    redundant: bool,
    across: bool,
    refused: bool,
}

#[derive(Clone, Copy)]
enum Access {
    Load,
    Change(MemorySpace),
}

impl Known {
    fn new(instruction: &StaticInstruction) -> Known {
        let changes = |memory: Memory| match (memory.access, memory.space) {
            (MemoryAccess::Load, _) => None,
            (_, space @ (MemorySpace::Shared | MemorySpace::Generic)) => Some(Access::Change(space)),
            _ => None,
        };
        let access = match loads_shared(instruction) {
            true => Some(Access::Load),
            false => instruction.memory.and_then(changes),
        };
        let barrier = instruction.barrier;
        Known { access, barrier, redundant: false, across: false, refused: false }
    }
}

/// Findings from a kernel's first blocks.
#[derive(Default)]
struct Profile {
    /// By static index.
    known: Vec<Known>,
    sections: Vec<Section>,
    stored: Words,
    /// The first load with a key in a section.
    first: FxHashMap<Key, First>,
}

#[derive(Clone, Copy)]
struct First {
    /// Its number in the section.
    number: usize,
    /// Words that it loads are stored to.
    is_stored: bool,
}

/// Accesses of a block's warps to shared memory between two barriers.
#[derive(Default)]
struct Section {
    /// Warp and instruction.
    loads: Vec<(u32, DynamicInstruction)>,
    changes: Vec<DynamicInstruction>,
}

impl Profile {
    fn see(&mut self, header: &KernelHeader, program: &Program, block: &ThreadBlock) {
        let seen = self.known.len();
        self.known.extend(program.instructions()[seen..].iter().map(Known::new));
        if !self.known.iter().any(|known| matches!(known.access, Some(Access::Load))) {
            return;
        }
        self.divide(header, block);
        for number in 0..self.sections.len() {
            self.judge(number, header, program, block);
        }
    }

    /// Divides the accesses of a block at its barriers.
    fn divide(&mut self, header: &KernelHeader, block: &ThreadBlock) {
        for Section { loads, changes } in &mut self.sections {
            loads.clear();
            changes.clear();
        }
        for warp in &block.warps {
            let mut number = 0;
            for instruction in warp.instructions.iter().filter(|instruction| instruction.mask != 0) {
                let Known { access, barrier, .. } = self.known[instruction.static_index as usize];
                if let (Some(access), Some(address)) = (access, block.first_address(instruction)) {
                    if self.sections.len() <= number {
                        self.sections.resize_with(number + 1, Section::default);
                    }
                    let section = &mut self.sections[number];
                    match access {
                        Access::Load => section.loads.push((warp.id, *instruction)),
                        Access::Change(MemorySpace::Generic)
                            if header.space_of(address) != MemorySpace::Shared => {}
                        Access::Change(_) => section.changes.push(*instruction),
                    }
                }
                number += usize::from(barrier);
            }
        }
    }

    fn judge(&mut self, number: usize, header: &KernelHeader, program: &Program, block: &ThreadBlock) {
        let Profile { known, sections, stored, first } = self;
        let Section { loads, changes } = &sections[number];
        stored.clear();
        first.clear();
        for change in changes {
            let width = program[change.static_index].width;
            stored.insert(header, &block.addresses(change), width);
        }
        for (number, (warp, load)) in loads.iter().enumerate() {
            let place = &program[load.static_index];
            let index = load.static_index as usize;
            let Some(address) = block.first_address(load) else { continue };
            let key = Key::new(address, place.sources.first().copied(), place.destinations[0]);
            let is_stored =
                || !stored.is_empty() && stored.meets(header, &block.addresses(load), place.width);
            let First { number: other_number, is_stored: other_is_stored } =
                *first.entry(key).or_insert_with(|| First { number, is_stored: is_stored() });
            let (other_warp, other) = &loads[other_number];
            let other_place = &program[other.static_index];
            let same_addresses = number == other_number || block.same_addresses(other, load);
            known[index].refused |= match same_addresses && other_place.width == place.width {
                true => other_is_stored,
                false => is_stored(),
            };
            let alike = same_addresses
                && other_place.opcode == place.opcode
                && other.mask == load.mask
                && block.digest(other) == block.digest(load);
            let is_across = warp.abs_diff(*other_warp) % SUB_CORES as u32 != 0;
            for index in [index, other.static_index as usize] {
                let known = &mut known[index];
                known.refused |= !alike;
                known.redundant |= alike && warp != other_warp;
                known.across |= alike && is_across;
            }
        }
    }
}

/// Words of shared memory, 64 to a chunk.
#[derive(Default)]
struct Words(FxHashMap<u64, u64>);

impl Words {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn clear(&mut self) {
        self.0.clear();
    }

    fn insert(&mut self, header: &KernelHeader, addresses: &[u64], width: u16) {
        chunks(header, addresses, width, |chunk, words| *self.0.entry(chunk).or_default() |= words);
    }

    /// Returns true if an access touches any of them.
    fn meets(&self, header: &KernelHeader, addresses: &[u64], width: u16) -> bool {
        let mut meets = false;
        chunks(header, addresses, width, |chunk, words| {
            meets |= self.0.get(&chunk).is_some_and(|own| own & words != 0);
        });
        meets
    }
}

/// Shows the words of shared memory that an access of all lanes touches, chunk by chunk: a bit each.
fn chunks(header: &KernelHeader, addresses: &[u64], width: u16, mut show: impl FnMut(u64, u64)) {
    let (mut chunk, mut words, mut last) = (0, 0, None);
    for &address in addresses.iter().filter(|address| last.replace(**address) != Some(**address)) {
        let offset = offset(header, address);
        for word in offset / 4..=(offset + u64::from(width.max(1)) - 1) / 4 {
            if word / 64 != chunk && words != 0 {
                show(chunk, words);
                words = 0;
            }
            chunk = word / 64;
            words |= 1 << (word % 64);
        }
    }
    if words != 0 {
        show(chunk, words);
    }
}

/// Where an address lies in the block's shared memory: instructions for shared memory name offsets, generic
/// ones addresses in its window.
pub(super) fn offset(header: &KernelHeader, address: u64) -> u64 {
    match header.space_of(address) {
        MemorySpace::Shared => address - header.shared_base,
        _ => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gpurf_trace::{Instruction, Register};

    /// An instruction of a warp: place, opcode, destination, sources, address of its only lane.
    type Line = (u32, &'static str, Option<u8>, &'static [u8], u64);

    const BARRIER: Line = (0xff0, "BAR.SYNC", None, &[], 0);

    fn marked(warps: &[&[Line]]) -> Vec<u32> {
        profiled(warps).0
    }

    /// Redundant loads, and those of several sub-cores.
    fn profiled(warps: &[&[Line]]) -> (Vec<u32>, Vec<u32>) {
        let mut program = Program::default();
        let mut block = ThreadBlock::new([0; 3]);
        for (number, lines) in warps.iter().enumerate() {
            block.begin_warp(number as u32);
            for &(pc, opcode, destination, sources, address) in *lines {
                let sources: Vec<_> = sources.iter().map(|&source| Register::vector(source)).collect();
                let access = opcode != "BAR.SYNC";
                let index = program.intern(&Instruction {
                    pc,
                    opcode,
                    destination: destination.map(Register::vector),
                    sources: &sources,
                    width: if access { 4 } else { 0 },
                    immediates: [0; 2],
                });
                let addresses: &[u64] = if access { &[address] } else { &[] };
                block.push(index.unwrap(), 1, addresses);
            }
        }
        let header = KernelHeader { block: [64, 1, 1], grid: [1; 3], ..KernelHeader::default() };
        let kernel = Kernel::in_memory(header, program, vec![block]);
        let Redundant { loads, across } = redundant(&kernel).unwrap();
        let sorted = |places: HashSet<u32>| {
            let mut places: Vec<_> = places.into_iter().collect();
            places.sort_unstable();
            places
        };
        (sorted(loads), sorted(across))
    }

    #[test]
    fn loads_that_warps_perform_alike_are_redundant() {
        let alike: Line = (0x10, "LDS", Some(4), &[2], 64);
        let alone: Line = (0x20, "LDS", Some(5), &[2], 68);
        assert_eq!(marked(&[&[alike, alone], &[alike]]), [0x10]);
        assert_eq!(marked(&[&[alike], &[(0x10, "LDS", Some(4), &[2], 96)]]), [0; 0], "other addresses");
        assert_eq!(marked(&[&[alike, BARRIER], &[BARRIER, alike]]), [0; 0], "a barrier between");
    }

    #[test]
    fn loads_of_several_sub_cores_are_known() {
        let load: Line = (0x10, "LDS", Some(4), &[2], 64);
        let other: Line = (0x20, "LDS", Some(5), &[2], 68);
        let idle: &[Line] = &[];
        let warps = [&[load, other][..], idle, idle, &[other], &[load]];
        assert_eq!(profiled(&warps), (vec![0x10, 0x20], vec![0x20]));
    }

    #[test]
    fn a_store_before_the_barrier_refuses_a_load() {
        let load: Line = (0x10, "LDS", Some(4), &[2], 64);
        let store: Line = (0x30, "STS", None, &[6, 7], 64);
        assert_eq!(marked(&[&[load, store], &[load]]), [0; 0]);
        assert_eq!(marked(&[&[load, BARRIER, store], &[load, BARRIER]]), [0x10]);
    }

    #[test]
    fn loads_that_would_be_taken_for_each_other_are_refused() {
        let word: Line = (0x10, "LDS", Some(4), &[2], 64);
        let byte: Line = (0x20, "LDS.U8", Some(4), &[2], 64);
        assert_eq!(marked(&[&[word], &[byte]]), [0; 0]);
        let other: Line = (0x40, "LDS", Some(8), &[2], 64);
        assert_eq!(marked(&[&[word, other], &[byte, other]]), [0x40]);
    }
}

// SPDX-License-Identifier: Apache-2.0
//! RFC-sim's cache of one thread as it is written down: two copies of the state, and ages that count
//! instructions.

use gpurf_blocks::{CacheAllocation, CacheReplacement, CacheWrite, DestinationMapping};
use gpurf_sim::register_traffic::{Configuration, InstructionRegisters, Traffic};

#[derive(Clone, Copy)]
struct TagEntry {
    tag: u16,
    age: u64,
    dirty: bool,
}

const FREE: u16 = 256;

pub struct Thread {
    seen: Vec<TagEntry>,
    next: Vec<TagEntry>,
}

/// Where an operand moved data.
#[derive(Clone, Copy, Default)]
pub struct Moved {
    pub cache_read: bool,
    pub cache_write: bool,
}

impl Thread {
    pub fn new(configuration: &Configuration) -> Thread {
        let free = vec![TagEntry { tag: FREE, age: 0, dirty: false }; configuration.entries];
        Thread { seen: free.clone(), next: free }
    }

    /// An instruction that this thread executes.
    pub fn step(
        &mut self,
        configuration: &Configuration,
        operands: &InstructionRegisters,
        traffic: &mut Traffic,
    ) -> Vec<Moved> {
        let sets = configuration.entries / configuration.ways;
        let mut moves = vec![];
        for source in &operands.sources {
            let set = usize::from(source.position) % sets;
            let mut moved = Moved::default();
            traffic.reads += 1;
            match self.find(configuration, set, source.register) {
                Some(way) => {
                    traffic.read_hits += 1;
                    moved.cache_read = true;
                    self.next[way].dirty = false;
                    if configuration.replacement == CacheReplacement::Lru {
                        self.next[way].age = 1;
                    }
                }
                None => {
                    traffic.register_file_reads += 1;
                    if configuration.allocation == CacheAllocation::CompilerAided && source.flagged {
                        moved.cache_write = true;
                        self.allocate(configuration, set, source.register, false, traffic);
                    }
                }
            }
            moves.push(moved);
        }
        for &register in &operands.destinations {
            let set = match configuration.mapping {
                DestinationMapping::Linear => usize::from(register) * sets / 256,
                DestinationMapping::Interleaving => usize::from(register) % sets,
            };
            traffic.writes += 1;
            let back = configuration.write == CacheWrite::Back;
            match self.find(configuration, set, register) {
                Some(way) => {
                    traffic.write_hits += 1;
                    traffic.register_file_writes += u64::from(!back);
                    self.next[way] = TagEntry { tag: self.next[way].tag, age: 1, dirty: back };
                }
                None => self.allocate(configuration, set, register, true, traffic),
            }
            moves.push(Moved { cache_read: false, cache_write: true });
        }
        self.seen.clone_from(&self.next);
        moves
    }

    /// Before every instruction of the warp.
    pub fn age(&mut self) {
        self.next.iter_mut().for_each(|entry| entry.age += 1);
    }

    pub fn dirty(&self) -> u64 {
        self.next.iter().filter(|entry| entry.dirty && entry.tag != FREE).count() as u64
    }

    fn find(&self, configuration: &Configuration, set: usize, register: u16) -> Option<usize> {
        let ways = set * configuration.ways..(set + 1) * configuration.ways;
        ways.into_iter().find(|&way| self.seen[way].tag == register)
    }

    fn allocate(
        &mut self,
        configuration: &Configuration,
        set: usize,
        tag: u16,
        dirty: bool,
        traffic: &mut Traffic,
    ) {
        let ways = set * configuration.ways..(set + 1) * configuration.ways;
        let free = ways.clone().find(|&way| self.next[way].tag == FREE);
        let way = free.unwrap_or_else(|| {
            let oldest = ways.clone().map(|way| self.next[way].age).max();
            ways.clone().find(|&way| Some(self.next[way].age) == oldest).expect("a way")
        });
        if free.is_none() && self.next[way].dirty {
            traffic.register_file_writes += 1;
        }
        self.next[way] = TagEntry { tag, age: 1, dirty };
    }
}

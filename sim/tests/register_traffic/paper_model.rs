// SPDX-License-Identifier: Apache-2.0
//! A register cache as C describes it, plainly: entries in the order in which they leave, with the versions
//! of values. It keeps tags for as many lanes as it is told, one for a thread.

use gpurf_blocks::{CacheAllocation, CacheReplacement, CacheWrite, DestinationMapping};
use gpurf_sim::register_traffic::{Configuration, InstructionRegisters, Reach, Traffic};

/// A value in a lane: which write of its register made it, and whether the register file lacks it.
#[derive(Clone, Copy)]
struct LaneValue {
    version: u64,
    dirty: bool,
}

struct LaneEntry {
    register: u16,
    values: Vec<Option<LaneValue>>,
    /// Order before the instruction, then that of being taken in by it; and whether the instruction uses it.
    rank: usize,
    used: bool,
}

pub struct Cache {
    /// Entries of each set, the next to leave first.
    sets: Vec<Vec<LaneEntry>>,
    /// By lane and register: the version in the register file, and the last one written.
    file: Vec<Vec<u64>>,
    last: Vec<Vec<u64>>,
}

/// Which lanes moved data for an operand.
#[derive(Clone, Default)]
pub struct Moved {
    pub cache_read: Vec<usize>,
    pub cache_write: Vec<usize>,
    pub victim: Vec<usize>,
}

impl Cache {
    pub fn new(configuration: &Configuration, lanes: usize) -> Cache {
        let sets = configuration.entries / configuration.ways;
        Cache {
            sets: (0..sets).map(|_| vec![]).collect(),
            file: vec![vec![0; 256]; lanes],
            last: vec![vec![0; 256]; lanes],
        }
    }

    /// An instruction in some of its lanes.
    pub fn step(
        &mut self,
        configuration: &Configuration,
        operands: &InstructionRegisters,
        lanes: &[usize],
        traffic: &mut Traffic,
    ) -> Vec<Moved> {
        for set in &mut self.sets {
            set.iter_mut().enumerate().for_each(|(rank, entry)| (entry.rank, entry.used) = (rank, false));
        }
        let mut moves = vec![Moved::default(); operands.sources.len() + operands.destinations.len()];
        let mut misses = vec![];
        for (number, source) in operands.sources.iter().enumerate() {
            let set = usize::from(source.position) % self.sets.len();
            let mut missing = vec![];
            for &lane in lanes {
                traffic.reads += 1;
                let last = self.last[lane][usize::from(source.register)];
                match self.value(configuration, set, source.register, lane) {
                    Some(value) => {
                        traffic.read_hits += 1;
                        traffic.stale_hits += u64::from(value.version != last);
                        moves[number].cache_read.push(lane);
                        self.used(configuration, set, source.register);
                    }
                    None => {
                        traffic.register_file_reads += 1;
                        let stale = self.file[lane][usize::from(source.register)] != last;
                        traffic.stale_misses += u64::from(stale);
                        missing.push(lane);
                    }
                }
            }
            misses.push(missing);
        }
        for (number, (source, missing)) in operands.sources.iter().zip(misses).enumerate() {
            let takes = match configuration.allocation {
                CacheAllocation::Read | CacheAllocation::ReadWrite => true,
                CacheAllocation::CompilerAided => source.flagged,
                CacheAllocation::Write => false,
            };
            if takes && !missing.is_empty() {
                let set = usize::from(source.position) % self.sets.len();
                let file: Vec<_> =
                    missing.iter().map(|&lane| self.file[lane][usize::from(source.register)]).collect();
                let entry = self.entry(configuration, set, source.register, &mut moves[number], traffic);
                for (&lane, version) in missing.iter().zip(file) {
                    entry.values[lane] = Some(LaneValue { version, dirty: false });
                }
                moves[number].cache_write = missing;
            }
        }
        for (number, &register) in operands.destinations.iter().enumerate() {
            let set = match configuration.mapping {
                DestinationMapping::Linear => usize::from(register) * self.sets.len() / 256,
                DestinationMapping::Interleaving => usize::from(register) % self.sets.len(),
            };
            let moved = &mut moves[operands.sources.len() + number];
            let through = configuration.write == CacheWrite::Through;
            let takes = configuration.allocation != CacheAllocation::Read;
            let (hit, missing): (Vec<usize>, Vec<usize>) =
                lanes.iter().partition(|&&lane| self.value(configuration, set, register, lane).is_some());
            traffic.writes += lanes.len() as u64;
            traffic.write_hits += hit.len() as u64;
            lanes.iter().for_each(|&lane| self.last[lane][usize::from(register)] += 1);
            let written = if takes { lanes } else { &hit };
            let versions: Vec<_> =
                written.iter().map(|&lane| self.last[lane][usize::from(register)]).collect();
            if !hit.is_empty() {
                self.used(configuration, set, register);
            }
            if !written.is_empty() {
                let entry = self.entry(configuration, set, register, moved, traffic);
                for (&lane, version) in written.iter().zip(versions) {
                    entry.values[lane] = Some(LaneValue { version, dirty: !through });
                }
            }
            moved.cache_write = written.to_vec();
            let to_file: &[usize] = match (through, takes) {
                (true, _) => lanes,
                (false, true) => &[],
                (false, false) => &missing,
            };
            traffic.register_file_writes += to_file.len() as u64;
            for &lane in to_file {
                self.file[lane][usize::from(register)] = self.last[lane][usize::from(register)];
            }
        }
        moves
    }

    /// Sets in which a lookup searches.
    fn reach(&self, configuration: &Configuration, set: usize) -> std::ops::Range<usize> {
        match configuration.reach {
            Reach::Set => set..set + 1,
            Reach::Cache => 0..self.sets.len(),
        }
    }

    fn value(
        &self,
        configuration: &Configuration,
        set: usize,
        register: u16,
        lane: usize,
    ) -> Option<LaneValue> {
        let mut entries = self.sets[self.reach(configuration, set)].iter().flatten();
        entries.find(|entry| entry.register == register).and_then(|entry| entry.values[lane])
    }

    /// Under LRU an entry that is used goes behind those that are not; those used keep their order.
    fn used(&mut self, configuration: &Configuration, set: usize, register: u16) {
        if configuration.replacement == CacheReplacement::Fifo {
            return;
        }
        let reach = self.reach(configuration, set);
        for set in &mut self.sets[reach] {
            if let Some(entry) = set.iter_mut().find(|entry| entry.register == register) {
                entry.used = true;
                set.sort_by_key(|entry| (entry.used, entry.rank));
            }
        }
    }

    /// The register's entry, taken in if it is not there.
    fn entry(
        &mut self,
        configuration: &Configuration,
        set: usize,
        register: u16,
        moved: &mut Moved,
        traffic: &mut Traffic,
    ) -> &mut LaneEntry {
        let reach = self.reach(configuration, set);
        let known = reach.clone().find(|&set| self.sets[set].iter().any(|entry| entry.register == register));
        let place = known.unwrap_or(set);
        if known.is_none() {
            if self.sets[set].len() == configuration.ways {
                let victim = self.sets[set].remove(0);
                for (lane, value) in victim.values.iter().enumerate() {
                    if let Some(LaneValue { version, dirty: true }) = value {
                        self.file[lane][usize::from(victim.register)] = *version;
                        traffic.register_file_writes += 1;
                        moved.victim.push(lane);
                    }
                }
            }
            let rank = 100 + self.sets[set].iter().map(|entry| entry.rank).max().unwrap_or(0);
            self.sets[set].push(LaneEntry {
                register,
                values: vec![None; self.file.len()],
                rank,
                used: true,
            });
        }
        self.sets[place].iter_mut().find(|entry| entry.register == register).expect("it is there now")
    }

    pub fn dirty(&self) -> u64 {
        let values = self.sets.iter().flatten().flat_map(|entry| &entry.values).flatten();
        values.filter(|value| value.dirty).count() as u64
    }
}

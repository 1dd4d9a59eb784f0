//! The register cache of lanes that share its tags: of a warp, or of threads that have been treated alike so far.

use gpurf_blocks::{CacheAllocation, CacheReplacement, CacheWrite};

use super::configuration::{Configuration, Reach};
use super::operands::{Operands, Source, EMPTY};
use super::rules::Rules;
use super::tally::Tally;

const MOST_ENTRIES: usize = 16;

/// Below the number of the instruction in an entry's age: order among the entries of one instruction.
const AGE_BITS: u32 = 6;

/// Every set is a range of ways. Each lane mask is within `lanes`.
#[derive(Clone, Debug)]
pub(super) struct Cache {
    pub lanes: u32,
    tags: [u16; MOST_ENTRIES],
    /// When the entry was taken in, or renewed: the least leaves first. 0 for a free way.
    ages: [u64; MOST_ENTRIES],
    /// Lanes that have a value. Of a free way all, as RFC-sim has RZ's neighbours hit it.
    valid: [u32; MOST_ENTRIES],
    /// Lanes whose value the register file does not have.
    dirty: [u32; MOST_ENTRIES],
    /// Lanes whose register was written elsewhere since.
    stale: [u32; MOST_ENTRIES],
}

/// An instruction on its way through a cache.
pub(super) struct Turn<'a> {
    pub configuration: &'a Configuration,
    pub rules: &'a Rules,
    pub operands: &'a Operands,
    /// Lanes that execute it, all of the cache's or, where a warp shares tags, some.
    pub lanes: u32,
    /// Its number, from 1 on.
    pub now: u64,
    /// Whether an instruction within the window names a register.
    pub ahead: &'a dyn Fn(u16) -> bool,
}

impl Cache {
    pub fn new(lanes: u32) -> Cache {
        Cache {
            lanes,
            tags: [EMPTY; MOST_ENTRIES],
            ages: [0; MOST_ENTRIES],
            valid: [lanes; MOST_ENTRIES],
            dirty: [0; MOST_ENTRIES],
            stale: [0; MOST_ENTRIES],
        }
    }

    pub fn step(&mut self, turn: &Turn, tally: &mut Tally) {
        let Turn { configuration, rules, operands, lanes, .. } = *turn;
        let mut order = Order { now: turn.now, taken: 0, before: None };
        if configuration.replacement == CacheReplacement::Lru && !rules.ages_by_instruction {
            order.before = Some(self.ages);
        }

        // Sources see the state before the instruction; where the rules say so, results do as well.
        tally.found.clear();
        for source in &operands.sources {
            let set = configuration.source_set(source.position);
            tally.found.push(self.find(configuration, source.register, set));
        }
        if rules.results_look_up_before {
            for &register in &operands.destinations {
                tally.found.push(self.find(configuration, register, configuration.destination_set(register)));
            }
        }

        for operand in 0..operands.sources.len() {
            let hit = tally.found[operand].map_or(0, |way| self.valid[way] & lanes);
            tally.missing[operand] = lanes & !hit;
            if hit != 0 {
                self.read_hit(turn, &mut order, operand, hit, tally);
            }
            if hit != lanes {
                self.read_miss(turn, operand, lanes & !hit, tally);
                if rules.results_look_up_before {
                    self.fill(turn, &mut order, operand, tally);
                }
            }
        }
        if !rules.results_look_up_before && configuration.takes_sources() {
            // All hits are renewed before the first victim is chosen.
            for operand in 0..operands.sources.len() {
                if tally.missing[operand] != 0 {
                    self.fill(turn, &mut order, operand, tally);
                }
            }
        }
        for number in 0..operands.destinations.len() {
            self.write(turn, &mut order, number, tally);
        }
    }

    /// The way that has a register, among those within reach.
    #[inline]
    fn find(&self, configuration: &Configuration, register: u16, set: usize) -> Option<usize> {
        let found = self.matching(register) & within_reach(configuration, set);
        (found != 0).then(|| found.trailing_zeros() as usize)
    }

    /// Ways that have a register, one bit each.
    #[inline]
    fn matching(&self, register: u16) -> u32 {
        let bits = self.tags.iter().enumerate().map(|(way, &tag)| u32::from(tag == register) << way);
        bits.fold(0, |found, bit| found | bit)
    }

    fn read_hit(&mut self, turn: &Turn, order: &mut Order, operand: usize, hit: u32, tally: &mut Tally) {
        let way = tally.found[operand].expect("it was found");
        tally.reads[operand] |= hit;
        tally.traffic.read_hits += count(hit);
        tally.traffic.stale_hits += count(self.stale[way] & hit);
        if turn.rules.read_hit_cleans {
            self.dirty[way] &= !hit;
        }
        if turn.configuration.replacement == CacheReplacement::Lru {
            self.renew(order, way);
        }
    }

    fn read_miss(&mut self, turn: &Turn, operand: usize, missing: u32, tally: &mut Tally) {
        tally.traffic.register_file_reads += count(missing);
        if turn.configuration.has_copies() {
            let Source { register, .. } = turn.operands.sources[operand];
            tally.traffic.stale_misses += count(self.dirty_copies(register) & missing);
        }
    }

    /// Lanes of which some set has a value of this register that the register file does not have.
    fn dirty_copies(&self, register: u16) -> u32 {
        ways(self.matching(register)).fold(0, |lanes, way| lanes | self.dirty[way])
    }

    /// Takes in a source that was read from the register file, if the configuration wants it.
    fn fill(&mut self, turn: &Turn, order: &mut Order, operand: usize, tally: &mut Tally) {
        let missing = tally.missing[operand];
        let Source { register, position, flagged } = turn.operands.sources[operand];
        if !turn.configuration.takes_source(flagged) {
            return;
        }
        let stale = match turn.configuration.has_copies() {
            true => self.dirty_copies(register) & missing,
            false => 0,
        };
        let way = match tally.found[operand].filter(|&way| self.tags[way] == register) {
            Some(way) => way,
            None => {
                self.take_in(turn, order, turn.configuration.source_set(position), register, operand, tally)
            }
        };
        self.valid[way] |= missing;
        self.dirty[way] &= !missing;
        self.stale[way] = self.stale[way] & !missing | stale;
        tally.writes[operand] |= missing;
    }

    fn write(&mut self, turn: &Turn, order: &mut Order, number: usize, tally: &mut Tally) {
        let Turn { configuration, rules, operands, lanes, .. } = *turn;
        let register = operands.destinations[number];
        let operand = operands.sources.len() + number;
        let set = configuration.destination_set(register);
        let through = configuration.write == CacheWrite::Through;
        let found = match rules.results_look_up_before {
            true => tally.found[operand],
            false => self.find(configuration, register, set),
        };
        let hit = found.map_or(0, |way| self.valid[way] & lanes);
        let missing = lanes & !hit;
        let mut place = found;
        if let (Some(way), true) = (found, hit != 0) {
            tally.writes[operand] |= hit;
            tally.traffic.write_hits += count(hit);
            if through {
                tally.traffic.register_file_writes += count(hit);
                self.dirty[way] &= !hit;
            } else {
                self.dirty[way] |= hit;
            }
            self.stale[way] &= !hit;
            if configuration.replacement == CacheReplacement::Lru || rules.ages_by_instruction {
                self.renew(order, way);
            }
        }
        if missing != 0 && takes_destination(turn, register) {
            let way = found.unwrap_or_else(|| self.take_in(turn, order, set, register, operand, tally));
            tally.writes[operand] |= missing;
            self.valid[way] |= missing;
            self.stale[way] &= !missing;
            if through && !rules.through_misses_stay {
                tally.traffic.register_file_writes += count(missing);
                self.dirty[way] &= !missing;
            } else if self.tags[way] != EMPTY {
                self.dirty[way] |= missing;
            }
            place = Some(way);
        } else {
            tally.traffic.register_file_writes += count(missing);
        }
        if configuration.has_copies() {
            for way in ways(self.matching(register)).filter(|&way| Some(way) != place) {
                self.stale[way] |= lanes & self.valid[way];
            }
        }
    }

    /// Makes room in a set and gives it to a register, of which no lane has a value yet.
    fn take_in(
        &mut self,
        turn: &Turn,
        order: &mut Order,
        set: usize,
        register: u16,
        operand: usize,
        tally: &mut Tally,
    ) -> usize {
        let first = set * turn.configuration.ways;
        let mut way = first;
        for other in first + 1..first + turn.configuration.ways {
            if self.ages[other] < self.ages[way] {
                way = other;
            }
        }
        tally.traffic.register_file_writes += count(self.dirty[way]);
        tally.victims[operand] |= self.dirty[way];
        self.tags[way] = register;
        self.valid[way] = 0;
        self.dirty[way] = 0;
        self.stale[way] = 0;
        self.ages[way] = order.newest(turn.rules);
        if register == EMPTY {
            // RFC-sim takes it for a free way from now on.
            self.ages[way] = 0;
            self.valid[way] = self.lanes;
        }
        way
    }

    /// The entry is used: it goes behind all that this instruction does not use.
    #[inline]
    fn renew(&mut self, order: &Order, way: usize) {
        let newest = order.now << AGE_BITS;
        if self.tags[way] == EMPTY || self.ages[way] >= newest {
            return;
        }
        let rank = match &order.before {
            Some(before) => before.iter().filter(|&&age| age < before[way]).count() as u64,
            None => 0,
        };
        self.ages[way] = newest | rank;
    }

    /// Leaves `inside` here, which is some of the lanes, and gives back the others.
    pub fn split(&mut self, inside: u32) -> Cache {
        let mut other = self.clone();
        other.restrict(self.lanes & !inside);
        self.restrict(inside);
        other
    }

    fn restrict(&mut self, lanes: u32) {
        self.lanes = lanes;
        for masks in [&mut self.valid, &mut self.dirty, &mut self.stale] {
            masks.iter_mut().for_each(|mask| *mask &= lanes);
        }
    }

    /// Whether threads of both will be treated alike from now on.
    pub fn is_like(&self, other: &Cache) -> bool {
        let alike = |mine: &[u32; MOST_ENTRIES], others: &[u32; MOST_ENTRIES]| {
            mine.iter().zip(others).all(|(&mine, &others)| (mine != 0) == (others != 0))
        };
        self.tags == other.tags
            && self.ages == other.ages
            && alike(&self.valid, &other.valid)
            && alike(&self.dirty, &other.dirty)
            && alike(&self.stale, &other.stale)
    }

    /// Takes in the lanes of a cache that is like it.
    pub fn join(&mut self, other: &Cache) {
        self.lanes |= other.lanes;
        for (masks, others) in [
            (&mut self.valid, &other.valid),
            (&mut self.dirty, &other.dirty),
            (&mut self.stale, &other.stale),
        ] {
            masks.iter_mut().zip(others).for_each(|(mask, other)| *mask |= other);
        }
    }

    /// A new warp has no value in here.
    pub fn forget(&mut self) {
        self.stale = self.valid;
    }

    /// Values that the register file does not have.
    pub fn unsaved(&self) -> u64 {
        self.dirty.iter().copied().map(count).sum()
    }

    /// Registers of a lane, way by way.
    pub fn registers(&self, lane: u32) -> impl Iterator<Item = u16> + '_ {
        let entries = self.tags.iter().zip(&self.valid);
        let of_lane = entries.filter(move |(&tag, &valid)| tag != EMPTY && valid >> lane & 1 == 1);
        of_lane.map(|(&tag, _)| tag)
    }
}

/// The order in which the entries of an instruction follow each other.
struct Order {
    now: u64,
    /// Entries taken in.
    taken: u64,
    /// Ages before the instruction, where they decide.
    before: Option<[u64; MOST_ENTRIES]>,
}

impl Order {
    /// The age of an entry that is taken in: behind all that the instruction uses.
    fn newest(&mut self, rules: &Rules) -> u64 {
        let behind = match rules.ages_by_instruction {
            true => 0,
            false => MOST_ENTRIES as u64 + self.taken,
        };
        self.taken += 1;
        self.now << AGE_BITS | behind
    }
}

impl Configuration {
    /// Whether some source may be taken in.
    fn takes_sources(&self) -> bool {
        self.look_ahead.is_some() || self.allocation != CacheAllocation::Write
    }
}

fn takes_destination(turn: &Turn, register: u16) -> bool {
    match turn.configuration.look_ahead {
        Some(_) => (turn.ahead)(register),
        None => turn.configuration.allocation != CacheAllocation::Read,
    }
}

#[inline]
fn within_reach(configuration: &Configuration, set: usize) -> u32 {
    match configuration.reach {
        Reach::Cache => u32::MAX,
        Reach::Set => ((1 << configuration.ways) - 1) << (set * configuration.ways),
    }
}

/// The ways of a mask.
fn ways(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let way = mask.trailing_zeros();
        mask &= mask.wrapping_sub(1);
        (way < 32).then_some(way as usize)
    })
}

#[inline]
fn count(lanes: u32) -> u64 {
    lanes.count_ones().into()
}

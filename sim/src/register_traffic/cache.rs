// SPDX-License-Identifier: Apache-2.0
//! The register cache of lanes that share its tags: of a warp, or of threads that have been treated alike so
//! far.

use super::operands::{InstructionRegisters, Source, EMPTY};
use super::rules::Rules;
use super::shape::Shape;
use super::tally::Tally;

const MOST_ENTRIES: usize = 16;

/// R0 to R254, RZ, and where RFC-sim widens RZ to.
const TAGS: usize = 260;

/// Instead of a way.
const NOWHERE: usize = MOST_ENTRIES;

/// An age is the number of an instruction; below it the order among the entries of one instruction; below
/// that the way, so that the least age names the way that leaves.
const ORDER_BITS: u32 = 6;
const WAY_BITS: u32 = MOST_ENTRIES.ilog2();

/// The cache of some lanes. Every set is a range of ways. Each lane mask is within `lanes`.
#[derive(Clone, Debug)]
pub(super) struct LaneCache {
    pub lanes: u32,
    tags: [u16; MOST_ENTRIES],
    /// Ways that have a register, one bit each.
    places: [u16; TAGS],
    /// When the entry was taken in, or renewed. A free way has the least.
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
    pub shape: &'a Shape,
    pub operands: &'a InstructionRegisters,
    /// Lanes that execute it, all of the cache's or, where a warp shares tags, some.
    pub lanes: u32,
    /// Its number, from 1 on.
    pub now: u64,
    /// True if an instruction within the window names a register.
    pub ahead: &'a dyn Fn(u16) -> bool,
}

impl LaneCache {
    pub fn new(lanes: u32) -> LaneCache {
        let mut places = [0; TAGS];
        places[usize::from(EMPTY)] = u16::MAX;
        LaneCache {
            lanes,
            tags: [EMPTY; MOST_ENTRIES],
            places,
            ages: std::array::from_fn(|way| way as u64),
            valid: [lanes; MOST_ENTRIES],
            dirty: [0; MOST_ENTRIES],
            stale: [0; MOST_ENTRIES],
        }
    }

    #[inline]
    pub fn step(&mut self, turn: &Turn, tally: &mut Tally) {
        let Turn { shape, operands, lanes, .. } = *turn;
        let mut order = Order { now: turn.now, taken: 0, before: None };
        if shape.keeps_order {
            order.before = Some(self.ages);
        }
        tally.begin(operands.sources.len() + operands.destinations.len());

        // Sources see the state before the instruction. So do results where the rules say so, and then
        // sources must be looked up before the first of them changes anything; else only fills change what a
        // source finds.
        if shape.rules.results_look_up_before {
            for (operand, source) in operands.sources.iter().enumerate() {
                tally.found[operand] = self.find(source.register, shape.source_reach(source.position));
            }
            for (number, &register) in operands.destinations.iter().enumerate() {
                let reach = shape.reach_of_set(shape.destination_set(register));
                tally.found[operands.sources.len() + number] = self.find(register, reach);
            }
        }

        for (operand, source) in operands.sources.iter().enumerate() {
            if !shape.rules.results_look_up_before {
                tally.found[operand] = self.find(source.register, shape.source_reach(source.position));
            }
            let way = usize::from(tally.found[operand]);
            let hit = if way < NOWHERE { self.valid[way] & lanes } else { 0 };
            tally.missing[operand] = lanes & !hit;
            if hit != 0 {
                self.read_hit(turn, &mut order, operand, way, hit, tally);
            }
            if hit != lanes {
                self.read_miss(turn, operand, tally);
                if shape.rules.results_look_up_before && shape.takes(source.flagged) {
                    self.fill(turn, &mut order, operand, tally);
                }
            }
        }
        if shape.takes_sources && !shape.rules.results_look_up_before {
            // All hits are renewed before the first victim is chosen.
            for (operand, source) in operands.sources.iter().enumerate() {
                if tally.missing[operand] != 0 && shape.takes(source.flagged) {
                    self.fill(turn, &mut order, operand, tally);
                }
            }
        }
        for number in 0..operands.destinations.len() {
            self.write(turn, &mut order, number, tally);
        }
    }

    /// The way that has a register, among those within reach; [`NOWHERE`] if none.
    #[inline]
    fn find(&self, register: u16, reach: u16) -> u8 {
        let found = self.places[usize::from(register)] & reach;
        found.trailing_zeros() as u8
    }

    #[inline]
    fn read_hit(
        &mut self,
        turn: &Turn,
        order: &mut Order,
        operand: usize,
        way: usize,
        hit: u32,
        tally: &mut Tally,
    ) {
        tally.read(operand, hit);
        tally.traffic.read_hits += tally.lanes(hit);
        tally.traffic.stale_hits += tally.lanes(self.stale[way] & hit);
        if turn.shape.rules.read_hit_cleans {
            self.dirty[way] &= !hit;
        }
        if turn.shape.lru {
            self.renew(order, way);
        }
    }

    #[inline]
    fn read_miss(&mut self, turn: &Turn, operand: usize, tally: &mut Tally) {
        let missing = tally.missing[operand];
        tally.traffic.register_file_reads += tally.lanes(missing);
        if turn.shape.has_copies {
            let Source { register, .. } = turn.operands.sources[operand];
            tally.traffic.stale_misses += tally.lanes(self.dirty_copies(register) & missing);
        }
    }

    /// Lanes that have a value of this register in some set, but not in the register file.
    fn dirty_copies(&self, register: u16) -> u32 {
        ways(self.places[usize::from(register)]).fold(0, |lanes, way| lanes | self.dirty[way])
    }

    /// Takes in a source that was read from the register file.
    fn fill(&mut self, turn: &Turn, order: &mut Order, operand: usize, tally: &mut Tally) {
        let missing = tally.missing[operand];
        let Source { register, position, .. } = turn.operands.sources[operand];
        let stale = if turn.shape.has_copies { self.dirty_copies(register) & missing } else { 0 };
        let mut way = usize::from(tally.found[operand]);
        if way == NOWHERE || self.tags[way] != register {
            way = self.take_in(turn, order, turn.shape.source_set(position), register, operand, tally);
        }
        self.valid[way] |= missing;
        self.dirty[way] &= !missing;
        self.stale[way] = self.stale[way] & !missing | stale;
        tally.write(operand, missing);
    }

    #[inline]
    fn write(&mut self, turn: &Turn, order: &mut Order, number: usize, tally: &mut Tally) {
        let Turn { shape, operands, lanes, .. } = *turn;
        let register = operands.destinations[number];
        let operand = operands.sources.len() + number;
        let set = shape.destination_set(register);
        let mut way = match shape.rules.results_look_up_before {
            true => usize::from(tally.found[operand]),
            false => usize::from(self.find(register, shape.reach_of_set(set))),
        };
        let hit = if way < NOWHERE { self.valid[way] & lanes } else { 0 };
        let missing = lanes & !hit;
        if hit != 0 {
            tally.traffic.write_hits += tally.lanes(hit);
            if shape.through {
                tally.traffic.register_file_writes += tally.lanes(hit);
                self.dirty[way] &= !hit;
            } else if self.tags[way] != EMPTY {
                self.dirty[way] |= hit;
            }
            self.stale[way] &= !hit;
            if shape.lru || shape.rules.ages_by_instruction {
                self.renew(order, way);
            }
        }
        let takes = missing != 0 && takes_destination(turn, register);
        if takes {
            if way == NOWHERE {
                way = self.take_in(turn, order, set, register, operand, tally);
            }
            self.valid[way] |= missing;
            self.stale[way] &= !missing;
            if shape.through && !shape.rules.through_misses_stay {
                tally.traffic.register_file_writes += tally.lanes(missing);
                self.dirty[way] &= !missing;
            } else if self.tags[way] != EMPTY {
                self.dirty[way] |= missing;
            }
        } else {
            tally.traffic.register_file_writes += tally.lanes(missing);
        }
        tally.write(operand, if takes { lanes } else { hit });
        if shape.has_copies {
            for copy in ways(self.places[usize::from(register)]).filter(|&copy| copy != way) {
                self.stale[copy] |= lanes & self.valid[copy];
            }
        }
    }

    /// Makes room in a set and gives it to a register without a value in any lane yet.
    #[inline]
    fn take_in(
        &mut self,
        turn: &Turn,
        order: &mut Order,
        set: usize,
        register: u16,
        operand: usize,
        tally: &mut Tally,
    ) -> usize {
        let first = set * turn.shape.ways;
        let oldest =
            self.ages[first..first + turn.shape.ways].iter().fold(u64::MAX, |oldest, &age| oldest.min(age));
        let way = oldest as usize % MOST_ENTRIES;
        if self.dirty[way] != 0 {
            tally.traffic.register_file_writes += tally.lanes(self.dirty[way]);
            tally.victim(operand, self.dirty[way]);
        }
        self.places[usize::from(self.tags[way])] &= !(1 << way);
        self.places[usize::from(register)] |= 1 << way;
        self.tags[way] = register;
        self.valid[way] = 0;
        self.dirty[way] = 0;
        self.stale[way] = 0;
        self.ages[way] = order.newest(&turn.shape.rules) | way as u64;
        if register == EMPTY {
            // RFC-sim takes it for a free way from now on.
            self.ages[way] = way as u64;
            self.valid[way] = self.lanes;
        }
        way
    }

    /// The entry is used: it goes behind all that this instruction does not use.
    #[inline]
    fn renew(&mut self, order: &Order, way: usize) {
        let newest = order.now << (ORDER_BITS + WAY_BITS);
        if self.tags[way] == EMPTY || self.ages[way] >= newest {
            return;
        }
        let rank = match &order.before {
            Some(before) => before.iter().filter(|&&age| age < before[way]).count() as u64,
            None => 0,
        };
        self.ages[way] = newest | rank << WAY_BITS | way as u64;
    }

    /// Leaves `inside` here, which is some of the lanes, and gives back the others.
    pub fn split(&mut self, inside: u32) -> LaneCache {
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

    /// Takes in the lanes of a cache whose threads will be treated alike from now on. Gives it back if they
    /// will not.
    pub fn join(&mut self, other: &LaneCache, shape: &Shape) -> bool {
        // Where the way does not decide who leaves, the same entries may lie in other ways.
        let counterpart = |way: usize| {
            let same_set = shape.reach_of_way(way) & other.places[usize::from(self.tags[way])];
            let entry = if shape.rules.ages_by_instruction { 1 << way } else { same_set };
            ways(same_set & entry).next()
        };
        let alike = |way: usize, others: usize| {
            self.ages[way] >> WAY_BITS == other.ages[others] >> WAY_BITS
                && (self.valid[way] != 0) == (other.valid[others] != 0)
                && (self.dirty[way] != 0) == (other.dirty[others] != 0)
                && (self.stale[way] != 0) == (other.stale[others] != 0)
        };
        // Free ways of a set are all the same, so their number is what counts.
        let free = |cache: &LaneCache, way| {
            (cache.places[usize::from(EMPTY)] & shape.reach_of_way(way)).count_ones()
        };
        let mut counterparts = [0; MOST_ENTRIES];
        for (way, found) in counterparts.iter_mut().enumerate() {
            *found = match counterpart(way) {
                Some(others) if self.tags[way] == EMPTY && free(self, way) == free(other, way) => others,
                Some(others) if self.tags[way] != EMPTY && alike(way, others) => others,
                _ => return false,
            };
        }
        for (way, others) in counterparts.into_iter().enumerate() {
            self.valid[way] |= other.valid[others];
            self.dirty[way] |= other.dirty[others];
            self.stale[way] |= other.stale[others];
        }
        self.lanes |= other.lanes;
        true
    }

    /// A new warp has no value in here.
    pub fn forget(&mut self) {
        self.stale = self.valid;
    }

    /// Values that the register file does not have.
    pub fn unsaved(&self) -> u64 {
        self.dirty.iter().map(|lanes| u64::from(lanes.count_ones())).sum()
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
        (self.now << ORDER_BITS | behind) << WAY_BITS
    }
}

#[inline]
fn takes_destination(turn: &Turn, register: u16) -> bool {
    turn.shape.takes_destinations || turn.shape.looks_ahead && (turn.ahead)(register)
}

/// The ways of a mask.
fn ways(mut mask: u16) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let way = mask.trailing_zeros();
        mask &= mask.wrapping_sub(1);
        (way < 16).then_some(way as usize)
    })
}

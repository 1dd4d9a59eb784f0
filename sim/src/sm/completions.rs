// SPDX-License-Identifier: Apache-2.0
//! When instructions leave their units, and loads come from memory.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use borsh::{BorshDeserialize, BorshSerialize};

use crate::checkpoint::heap;

use super::executing::Executing;

/// Cycles that the calendar reaches ahead: more than most instructions take.
const REACH: usize = 1024;
/// Cycles that one word tells of.
const WORD: usize = u64::BITS as usize;
const WORDS: usize = REACH / WORD;
/// No instruction.
const NONE: u32 = u32::MAX;

/// Instructions by the cycle of their completion; those of one cycle keep the order in which they were
/// planned.
///
/// A calendar has a list for each of the next cycles. A heap has what lies further ahead.
#[derive(BorshSerialize, BorshDeserialize)]
pub(super) struct Completions {
    /// Instructions under way. Places not in use are a list too, from `free` on.
    planned: Vec<Planned>,
    free: u32,
    /// First and last of each cycle's list, at the cycle's number modulo [`REACH`].
    calendar: Box<[(u32, u32); REACH]>,
    /// Cycles whose list is not empty, a bit each.
    taken: [u64; WORDS],
    /// The first cycle of the calendar.
    start: u64,
    /// Cycle, number in the order of planning, and place.
    #[borsh(serialize_with = "heap::save", deserialize_with = "heap::restore")]
    others: BinaryHeap<Reverse<(u64, u64, u32)>>,
    sequence: u64,
    /// The cycle of the next completion.
    next: Option<u64>,
    /// Registers between a unit and write-back: see `sm.result_registers`.
    delay: u64,
}

/// An instruction under way.
#[derive(BorshSerialize, BorshDeserialize)]
struct Planned {
    executing: Executing,
    /// The number in the order of planning.
    order: u64,
    /// The place of the next one in its list.
    next: u32,
}

fn day(cycle: u64) -> usize {
    cycle as usize % REACH
}

impl Completions {
    pub fn new(delay: u64) -> Self {
        Completions {
            planned: Vec::with_capacity(1024),
            free: NONE,
            calendar: Box::new([(NONE, NONE); REACH]),
            taken: [0; WORDS],
            start: 0,
            others: BinaryHeap::with_capacity(1024),
            sequence: 0,
            next: None,
            delay,
        }
    }

    /// The instruction leaves its unit, or memory answers, in `cycle`; it completes behind the registers
    /// between there and write-back.
    #[inline]
    pub fn plan(&mut self, cycle: u64, executing: &Executing) {
        let order = self.reserve();
        self.plan_late(order, cycle, executing);
    }

    /// A number in the order of planning, for [`Completions::plan_late`].
    #[inline]
    pub fn reserve(&mut self) -> u64 {
        self.sequence += 1;
        self.sequence
    }

    /// As [`Completions::plan`], as if it had been planned when the number was reserved.
    #[inline]
    pub fn plan_late(&mut self, order: u64, cycle: u64, executing: &Executing) {
        let cycle = cycle + self.delay;
        let place = self.store(executing, order);
        if self.reaches(cycle) {
            self.list(day(cycle), order, place);
        } else {
            self.others.push(Reverse((cycle, order, place)));
        }
        self.next = Some(self.next.map_or(cycle, |next| next.min(cycle)));
    }

    /// Puts an instruction into the list of a day, by its order. Nearly all are the last.
    #[inline]
    fn list(&mut self, day: usize, order: u64, place: u32) {
        let (first, last) = &mut self.calendar[day];
        let (mut before, mut after) = match *first {
            NONE => (NONE, NONE),
            _ if self.planned[*last as usize].order < order => (*last, NONE),
            _ => (NONE, *first),
        };
        while after != NONE && self.planned[after as usize].order < order {
            (before, after) = (after, self.planned[after as usize].next);
        }
        self.planned[place as usize].next = after;
        match before {
            NONE => *first = place,
            _ => self.planned[before as usize].next = place,
        }
        if after == NONE {
            *last = place;
        }
        self.taken[day / WORD] |= 1 << (day % WORD);
    }

    /// The calendar has the cycle.
    #[inline]
    fn reaches(&self, cycle: u64) -> bool {
        cycle >= self.start && cycle - self.start < REACH as u64
    }

    /// The next instruction that completes by cycle `now`. What is planned after there is none completes no
    /// earlier.
    #[inline]
    pub fn next(&mut self, now: u64) -> Option<Executing> {
        let Some(cycle) = self.next.filter(|&cycle| cycle <= now) else {
            self.start = now;
            return None;
        };
        let first = if self.reaches(cycle) { self.calendar[day(cycle)].0 } else { NONE };
        let is_first = |order| first == NONE || order < self.planned[first as usize].order;
        let of_others = self.others.peek().filter(|Reverse(other)| other.0 == cycle && is_first(other.1));
        let (place, rest) = match of_others {
            Some(&Reverse((.., place))) => {
                self.others.pop();
                (place, NONE)
            }
            None => {
                let first = &mut self.calendar[day(cycle)].0;
                let place = *first;
                *first = self.planned[place as usize].next;
                if *first == NONE {
                    self.taken[day(cycle) / WORD] &= !(1 << (day(cycle) % WORD));
                }
                (place, *first)
            }
        };
        // Nothing comes before the rest of a cycle's list.
        if rest == NONE {
            self.next = self.first_other().into_iter().chain(self.first_of_calendar()).min();
        }
        let Planned { executing, next, .. } = &mut self.planned[place as usize];
        (*next, self.free) = (self.free, place);
        Some(*executing)
    }

    /// The cycle of the next completion.
    #[inline]
    pub fn next_cycle(&self) -> Option<u64> {
        self.next
    }

    /// Gives an instruction a place, the last of its list.
    #[inline]
    fn store(&mut self, &executing: &Executing, order: u64) -> u32 {
        let new = Planned { executing, order, next: NONE };
        if self.free == NONE {
            self.planned.push(new);
            return (self.planned.len() - 1) as u32;
        }
        let place = self.free;
        let planned = &mut self.planned[place as usize];
        self.free = planned.next;
        *planned = new;
        place
    }

    fn first_other(&self) -> Option<u64> {
        self.others.peek().map(|&Reverse((cycle, ..))| cycle)
    }

    /// The first cycle whose list is not empty: the words are searched around, the first one's lower part
    /// last.
    #[inline]
    fn first_of_calendar(&self) -> Option<u64> {
        let start = day(self.start);
        let upper = u64::MAX << (start % WORD);
        (0..=WORDS).find_map(|step| {
            let index = (start / WORD + step) % WORDS;
            let taken = match step {
                0 => self.taken[index] & upper,
                WORDS => self.taken[index] & !upper,
                _ => self.taken[index],
            };
            let found = WORD * index + taken.trailing_zeros() as usize;
            (taken != 0).then(|| self.start + ((found + REACH - start) % REACH) as u64)
        })
    }
}

#[cfg(test)]
mod tests {
    use gpurf_blocks::WarpId;
    use gpurf_trace::ThreadBlock;

    use super::super::names::BlockId;
    use super::*;

    fn instruction(serial: u32) -> Executing {
        let mut block = ThreadBlock::new([0; 3]);
        block.begin_warp(0);
        block.push(0, u32::MAX, &[]);
        let instruction = block.warps[0].instructions[0];
        Executing { sub_core: 0, warp: WarpId(0), block: BlockId(0), number: 0, serial, instruction }
    }

    /// Against a sorted list: latencies within the calendar's reach and beyond it, none, and such as lie
    /// behind. Half of them are planned later than their place says.
    #[test]
    fn completions_go_by_cycle_and_then_as_they_were_planned() {
        let mut completions = Completions::new(2);
        let mut expected: Vec<(u64, u32)> = Vec::new();
        let mut late = Vec::new();
        let (mut now, mut random, mut far) = (5000u64, 1u64, 0);
        for serial in 0..20_000 {
            random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            let latency =
                [0, 1, 4, 30, 344, 1020, 1021, 1022, 1023, 1024, 3000, 70_000][(random >> 40) as usize % 12];
            let cycle = if random >> 60 == 0 { now - 7 } else { now + latency };
            far += u32::from(latency > REACH as u64);
            match random >> 21 & 1 {
                0 => completions.plan(cycle, &instruction(serial)),
                _ => late.push((completions.reserve(), cycle, serial)),
            }
            expected.push((cycle + 2, serial));
            if random >> 50 & 1 == 0 {
                for (order, cycle, serial) in late.drain(..).rev() {
                    completions.plan_late(order, cycle, &instruction(serial));
                }
                expected.sort();
                assert_eq!(completions.next_cycle(), expected.first().map(|&(cycle, _)| cycle));
                now += [1, 1, 2, 90, 2500][(random >> 30) as usize % 5];
                let due = expected.partition_point(|&(cycle, _)| cycle <= now);
                for (_, serial) in expected.drain(..due) {
                    assert_eq!(completions.next(now).map(|executing| executing.serial), Some(serial));
                }
                assert!(completions.next(now).is_none());
            }
        }
        assert!(far > 1000 && completions.planned.len() < 10_000, "places are used again");
    }
}

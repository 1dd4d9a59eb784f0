// SPDX-License-Identifier: Apache-2.0
//! The instruction front of a sub-core without collectors: instruction buffers, the L0 instruction cache with
//! a stream buffer behind it, and the L0 constant cache of instructions of fixed latency. H §5.1.1 and §5.2.
//!
//! An instruction is fetched in cycle t, decoded in t + 1, and may issue from t + 2 on. A cycle fetches one:
//! of the warp that issued last, else of the youngest with room in its buffer. A line that L0 does not hold
//! comes from L1, which has all code; the lines behind it come after it into the stream buffer, one a cycle.
//! Only executed code is known, so a fetch does not run ahead of a branch that is taken: it goes on when the
//! branch is over.

use std::collections::VecDeque;

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::{WarpId, WarpSet, MAX_WARPS};

use super::super::code::Code;
use super::super::warp::Warp;
use crate::config::{Config, FrontKind, MAX_BUFFER};

/// Bytes of an instruction, and of a line of instructions.
pub(super) const INSTRUCTION: u32 = 16;
const LINE: u32 = 128;
/// Cycles from a fetch to the first one in which the instruction may issue.
const DECODED: u64 = 2;

/// Instruction buffers of all warps, and L0.
#[derive(BorshSerialize, BorshDeserialize)]
pub(super) struct Fetch {
    /// Room of a buffer.
    room: usize,
    lines: Lines,
    stream: Stream,
    /// Cycles from a miss in L0 until its line is there.
    latency: u64,
    /// Cycles from the issue of a taken branch to the fetch of its target.
    branch: u64,
    buffers: [Buffer; MAX_WARPS],
    /// The warp that issued last.
    last: Option<WarpId>,
    constants: Option<Constants>,
}

/// The instruction buffer of a warp.
#[derive(Clone, Copy, Default, BorshSerialize, BorshDeserialize)]
struct Buffer {
    /// Instructions fetched and not issued, and the first cycle in which each may issue.
    count: usize,
    decoded: [u64; MAX_BUFFER],
    /// The first cycle in which the next one can be fetched.
    next: u64,
    /// The line that comes for it in that cycle.
    awaited: Option<u32>,
}

/// Lines of a cache by set.
#[derive(BorshSerialize, BorshDeserialize)]
struct Lines {
    sets: usize,
    ways: usize,
    places: Vec<Option<Line>>,
    uses: u64,
}

/// A line that a cache holds, or that comes to it.
#[derive(Clone, Copy, BorshSerialize, BorshDeserialize)]
struct Line {
    number: u32,
    /// The first cycle in which it is there.
    ready: u64,
    /// The number of its last use.
    used: u64,
}

/// Lines that come behind a miss, in their order, and when.
#[derive(BorshSerialize, BorshDeserialize)]
struct Stream {
    length: usize,
    lines: VecDeque<(u32, u64)>,
}

/// Constants that instructions of fixed latency name.
#[derive(BorshSerialize, BorshDeserialize)]
struct Constants {
    lines: Lines,
    latency: u64,
    /// The line that each warp waits for, and when it comes.
    awaited: [Option<(u32, u64)>; MAX_WARPS],
}

/// Bytes of a line of constants.
const CONSTANT_LINE: u32 = 64;

impl Lines {
    fn new(sets: usize, ways: usize) -> Lines {
        Lines { sets, ways, places: vec![None; sets * ways], uses: 0 }
    }

    /// Empties it.
    fn clear(&mut self) {
        self.places.fill(None);
    }

    fn set_of(&mut self, number: u32) -> &mut [Option<Line>] {
        let first = number as usize % self.sets * self.ways;
        &mut self.places[first..first + self.ways]
    }

    /// The first cycle in which a line is there, which is used then, if it has a place.
    fn find(&mut self, number: u32) -> Option<u64> {
        self.uses += 1;
        let uses = self.uses;
        let line = self.set_of(number).iter_mut().flatten().find(|line| line.number == number)?;
        line.used = uses;
        Some(line.ready)
    }

    /// A line takes the place of the one that was not used for longest.
    fn fill(&mut self, number: u32, ready: u64) {
        self.uses += 1;
        let used = self.uses;
        let oldest = self.set_of(number).iter_mut().min_by_key(|place| place.map_or(0, |line| line.used));
        if let Some(place) = oldest {
            *place = Some(Line { number, ready, used });
        }
    }
}

impl Stream {
    /// The cycle in which the line is there, if it comes. Those before it are dropped, and as many more are
    /// asked for.
    fn take(&mut self, line: u32, now: u64, latency: u64) -> Option<u64> {
        let place = self.lines.iter().position(|(held, _)| *held == line)?;
        let (_, ready) = self.lines[place];
        let last = self.lines.back().map_or(line, |(last, _)| *last);
        self.lines.drain(..=place);
        for number in 1..=place as u32 + 1 {
            self.lines.push_back((last + number, now + latency + u64::from(number) - 1));
        }
        Some(ready)
    }

    /// The lines behind one that comes in cycle `ready` are asked for.
    fn restart(&mut self, line: u32, ready: u64) {
        self.lines.clear();
        self.lines.extend((1..=self.length as u32).map(|number| (line + number, ready + u64::from(number))));
    }
}

impl Fetch {
    pub fn new(config: &Config) -> Option<Fetch> {
        let front = &config.front;
        (front.kind == FrontKind::Caches).then(|| Fetch {
            room: front.buffer,
            lines: Lines::new(front.l0_sets, front.l0_ways),
            stream: Stream { length: front.stream_buffer, lines: Default::default() },
            latency: front.l1_latency,
            branch: front.branch,
            buffers: [Buffer::default(); MAX_WARPS],
            last: None,
            constants: (front.constant_ways > 0).then(|| Constants {
                lines: Lines::new(front.constant_sets, front.constant_ways),
                latency: front.constant_latency,
                awaited: [None; MAX_WARPS],
            }),
        })
    }

    /// Another kernel starts: its code is in no L0.
    pub fn start_kernel(&mut self) {
        self.lines.clear();
        self.stream.lines.clear();
        if let Some(constants) = &mut self.constants {
            constants.lines.clear();
        }
    }

    /// Warps that start in a cycle have empty buffers.
    pub fn launch(&mut self, warps: WarpSet) {
        for warp in WarpId::all_of(warps) {
            self.buffers[warp.index()] = Buffer::default();
            self.last = self.last.filter(|last| *last != warp);
            if let Some(constants) = &mut self.constants {
                constants.awaited[warp.index()] = None;
            }
        }
    }

    /// Warps whose next instruction is decoded.
    pub fn decoded(&self, now: u64) -> WarpSet {
        let buffers = self.buffers.iter().enumerate();
        buffers.fold(0, |warps: WarpSet, (warp, buffer)| {
            warps | WarpSet::from(buffer.count > 0 && buffer.decoded[0] <= now) << warp
        })
    }

    /// Warps of these whose next instruction names a constant that is not there. It is asked for.
    pub fn misses(
        &mut self,
        now: u64,
        warps: WarpSet,
        constant_of: impl Fn(WarpId) -> Option<u32>,
    ) -> WarpSet {
        let Some(constants) = &mut self.constants else { return 0 };
        let mut misses = 0;
        for warp in WarpId::all_of(warps) {
            let Some(line) = constant_of(warp).map(|address| address / CONSTANT_LINE) else { continue };
            let awaited = &mut constants.awaited[warp.index()];
            // A constant that has come stays the warp's. Another line may have taken its place in the cache.
            let ready = match awaited.filter(|(other, _)| *other == line) {
                Some((_, ready)) => ready,
                None => constants.lines.find(line).unwrap_or_else(|| {
                    constants.lines.fill(line, now + constants.latency);
                    now + constants.latency
                }),
            };
            *awaited = Some((line, ready));
            misses |= if ready > now { warp.bit() } else { 0 };
        }
        misses
    }

    /// An instruction of a warp issues. `taken`: the next one is not the one behind it.
    pub fn issue(&mut self, now: u64, warp: WarpId, taken: bool) {
        let buffer = &mut self.buffers[warp.index()];
        buffer.decoded.copy_within(1.., 0);
        buffer.count = buffer.count.saturating_sub(1);
        if taken {
            (buffer.next, buffer.awaited) = (now + self.branch, None);
        }
        if let Some(constants) = &mut self.constants {
            constants.awaited[warp.index()] = None;
        }
        self.last = Some(warp);
    }

    /// The cycle fetches an instruction, if it can. `ages`: oldest first. Returns true if another cycle
    /// may fetch one without an issue.
    pub fn step(&mut self, now: u64, ages: &[WarpId], warps: &[Warp; MAX_WARPS], code: &Code) -> bool {
        let mut goes_on = false;
        let mut fetched = false;
        for warp in self.last.into_iter().chain(ages.iter().rev().copied()) {
            let buffer = self.buffers[warp.index()];
            goes_on |= buffer.count > 0 && buffer.decoded[buffer.count - 1] > now;
            let Some(pc) = self.next_place(warp, &warps[warp.index()], code) else { continue };
            goes_on = true;
            if fetched || buffer.next > now {
                continue;
            }
            fetched = true;
            let line = pc / LINE;
            let ready = match buffer.awaited == Some(line) {
                true => now,
                false => self.ready(line, now),
            };
            let buffer = &mut self.buffers[warp.index()];
            if ready <= now {
                buffer.decoded[buffer.count] = now + DECODED;
                buffer.count += 1;
                buffer.awaited = None;
            } else {
                (buffer.next, buffer.awaited) = (ready, Some(line));
            }
        }
        goes_on
    }

    /// The first cycle in which a line is there. What L0 does not hold is asked for.
    fn ready(&mut self, line: u32, now: u64) -> u64 {
        if let Some(ready) = self.lines.find(line) {
            return ready;
        }
        let ready = self.stream.take(line, now, self.latency).unwrap_or_else(|| {
            let ready = now + self.latency;
            self.stream.restart(line, ready);
            ready
        });
        self.lines.fill(line, ready);
        ready
    }

    /// The place of the next instruction that a warp fetches, if its buffer has room and the place is known.
    fn next_place(&self, warp: WarpId, slot: &Warp, code: &Code) -> Option<u32> {
        let count = self.buffers[warp.index()].count;
        let rest = slot.rest();
        let next = rest.get(count).filter(|_| count < self.room)?;
        let place = code.of(next).pc;
        let before = count.checked_sub(1).map(|before| code.of(&rest[before]).pc);
        before.is_none_or(|before| before + INSTRUCTION == place).then_some(place)
    }
}

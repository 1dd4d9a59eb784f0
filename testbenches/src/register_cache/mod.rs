// SPDX-License-Identifier: Apache-2.0
//! Testbenches of the register cache and its parts.

use gpurf_blocks::{Parameters, CACHED_WARPS};

use crate::Random;

gpurf_hw::dialect::modules!("src/register_cache");

/// Numbers of registers spread over all bits: some at random, each with neighbours that differ in one bit.
fn registers(random: &mut Random, count: usize) -> Vec<u32> {
    let mut registers = vec![];
    while registers.len() < count {
        let register = random.below(256) as u32;
        registers.extend([register, register ^ 1 << random.below(8)]);
    }
    registers
}

/// Some warps that follow each other.
struct Warps {
    first: usize,
    count: usize,
}

impl Warps {
    /// The first one alone.
    fn one() -> Self {
        Warps { first: 0, count: 1 }
    }

    /// One, two or all, from any on.
    fn draw(random: &mut Random) -> Self {
        Warps { first: random.below(CACHED_WARPS), count: random.pick(&[1, 2, 8]) }
    }

    fn any(&self, random: &mut Random) -> u32 {
        ((self.first + random.below(self.count)) % CACHED_WARPS) as u32
    }
}

/// Lanes: all, any, few, or one.
fn lanes(random: &mut Random) -> u32 {
    match random.below(8) {
        0 => random.word(),
        1 => random.word() & random.word() & random.word(),
        2..5 => 1 << random.below(32),
        _ => !0,
    }
}

/// Writes of all lines one after another, each with a single lane, then with others after it: what is wrong
/// in one lane of one line shows nowhere else. Phases are of them or have none.
struct LinesInTurn {
    entries: usize,
    lanes: usize,
    turn: usize,
    /// They are written in this phase.
    active: bool,
}

/// A write of them. The number of its register follows from that of the write.
struct LineWrite {
    warp: u32,
    number: usize,
    mask: u32,
}

impl LinesInTurn {
    fn new(parameters: &Parameters) -> Self {
        LinesInTurn { entries: parameters.rc_entries, lanes: parameters.rc_tag_lanes, turn: 0, active: false }
    }

    /// Writes of all entries of all warps with a single lane each, in all lanes.
    fn singles(&self) -> usize {
        CACHED_WARPS * self.entries * self.lanes
    }

    /// The next write is one of them.
    fn is_single(&self) -> bool {
        self.turn < self.singles()
    }

    /// The next phase.
    fn draw(&mut self, random: &mut Random) {
        self.active = random.percent(if self.is_single() { 15 } else { 60 });
    }

    /// Single lanes are being written, to their end: with a phase in between, some would fall on a line
    /// twice, and others never.
    fn goes_on(&self) -> bool {
        self.active && self.is_single()
    }

    fn next(&mut self, random: &mut Random) -> LineWrite {
        // Pairs follow the single lanes, again and again.
        let (singles, turn) = (self.singles(), self.turn);
        self.turn = if turn + 1 < 3 * singles { turn + 1 } else { singles };
        let (line, is_second) =
            if turn < singles { (turn, false) } else { ((turn - singles) / 2, (turn - singles) % 2 == 1) };
        let number = line / CACHED_WARPS;
        let lane = 1 << ((number / self.entries + number) % self.lanes);
        let all = u32::MAX >> (32 - self.lanes);
        let mask = if is_second { all & random.word() & !lane } else { lane };
        LineWrite { warp: (line % CACHED_WARPS) as u32, number, mask }
    }

    /// So far apart that it has left when it comes again.
    fn register(number: usize) -> u32 {
        (number * 5 % 256) as u32
    }
}

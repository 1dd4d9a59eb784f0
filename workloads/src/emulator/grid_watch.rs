// SPDX-License-Identifier: Apache-2.0
//! Races of the thread blocks of a launch. Two of them access the same word of global memory, and at least
//! one writes.
//!
//! Each block has a clock. It advances when the block gives something to others: by an atomic operation or a
//! strong store on a word. Whoever reads that word with an atomic operation or a strong load learns the
//! clocks that the writer knew. An access is ordered behind another one if its block knows the clock that
//! the other one had. A block's own accesses count in the order in which they were executed.

use rustc_hash::FxHashMap;

/// Words of a page.
const PAGE: u64 = 1024;
const WORD_BYTES: u64 = 4;

/// A lane's use of memory.
#[derive(Clone, Copy, Default)]
pub(super) struct Visit {
    pub block: u32,
    pub warp: u32,
    pub lane: u32,
    pub pc: u32,
    pub reads: bool,
    pub writes: bool,
    /// Orders blocks, and does not disturb others of its kind.
    pub strong: bool,
}

/// A visit of a word.
#[derive(Clone, Copy, Default)]
struct Touch {
    visit: Visit,
    /// When the clock is 0, there was none.
    clock: u32,
    /// A bit for each byte of the word.
    bytes: u8,
}

/// The history of a word: the last write, and the last reads of two blocks.
#[derive(Clone, Copy, Default)]
struct Word {
    write: Touch,
    reads: [Touch; 2],
}

/// Clocks by block; those that are left out are 0.
type Clocks = FxHashMap<u32, u32>;

fn learn(clocks: &mut Clocks, others: &Clocks) {
    for (&block, &other) in others {
        let own = clocks.entry(block).or_default();
        *own = (*own).max(other);
    }
}

/// A block that is being executed.
struct Known {
    clock: u32,
    /// The clocks of other blocks.
    clocks: Clocks,
    /// How often it learned something.
    lessons: u32,
    /// The state of the words that it learned from.
    seen: FxHashMap<u64, u64>,
}

impl Default for Known {
    fn default() -> Known {
        Known { clock: 1, clocks: Clocks::default(), lessons: 0, seen: FxHashMap::default() }
    }
}

/// Clocks that blocks passed on by a word.
#[derive(Default)]
struct Told {
    clocks: Clocks,
    /// Changes with the clocks.
    state: u64,
    /// The block that gave last, and how much it had learned then.
    giver: Option<(u32, u32)>,
}

/// The history of a launch.
#[derive(Default)]
pub(super) struct GridWatch {
    blocks: FxHashMap<u32, Known>,
    words: FxHashMap<u64, Told>,
    pages: FxHashMap<u64, Box<[Word]>>,
    states: u64,
}

impl GridWatch {
    /// Notes an access to so many bytes. If nothing orders it behind an earlier one of another block, that
    /// one is given.
    pub fn access(&mut self, visit: Visit, address: u64, bytes: u64) -> Option<Visit> {
        let mut found = None;
        let mut at = address;
        while at < address + bytes {
            let word = at / WORD_BYTES;
            let end = (address + bytes).min((word + 1) * WORD_BYTES);
            let mask = (at..end).fold(0, |mask, byte| mask | 1 << (byte % WORD_BYTES));
            if visit.strong && visit.reads {
                self.take(visit.block, word);
            }
            found = found.or(self.touch(visit, word, mask));
            if visit.strong && visit.writes {
                self.give(visit.block, word);
            }
            at = end;
        }
        found
    }

    /// A block is over.
    pub fn end(&mut self, block: u32) {
        self.blocks.remove(&block);
    }

    /// A block learns what others passed on by a word.
    fn take(&mut self, block: u32, word: u64) {
        let Some(told) = self.words.get(&word) else { return };
        let known = self.blocks.entry(block).or_default();
        if known.seen.insert(word, told.state) != Some(told.state) {
            learn(&mut known.clocks, &told.clocks);
            known.lessons += 1;
        }
    }

    /// A block passes on what it knows by a word.
    fn give(&mut self, block: u32, word: u64) {
        let known = self.blocks.entry(block).or_default();
        let told = self.words.entry(word).or_default();
        let giver = Some((block, known.lessons));
        if told.giver != giver {
            learn(&mut told.clocks, &known.clocks);
        }
        told.clocks.insert(block, known.clock);
        self.states += 1;
        (told.giver, told.state) = (giver, self.states);
        known.clock += 1;
    }

    fn touch(&mut self, visit: Visit, word: u64, bytes: u8) -> Option<Visit> {
        let known = &*self.blocks.entry(visit.block).or_default();
        let page =
            self.pages.entry(word / PAGE).or_insert_with(|| vec![Word::default(); PAGE as usize].into());
        let history = &mut page[(word % PAGE) as usize];
        let unordered = |earlier: &&Touch| {
            let Visit { block, strong, .. } = earlier.visit;
            earlier.clock != 0
                && block != visit.block
                && earlier.bytes & bytes != 0
                && !(strong && visit.strong)
                && known.clocks.get(&block).is_none_or(|&clock| clock < earlier.clock)
        };
        let read = history.reads.iter().find(|read| visit.writes && unordered(read));
        let found = Some(&history.write).filter(unordered).or(read).map(|earlier| earlier.visit);
        let touch = Touch { visit, clock: known.clock, bytes };
        if visit.writes {
            *history = Word { write: touch, reads: [Touch::default(); 2] };
        } else {
            if history.reads[0].visit.block != visit.block {
                history.reads[1] = history.reads[0];
            }
            history.reads[0] = touch;
        }
        found
    }
}

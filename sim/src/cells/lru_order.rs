//! Reference model of the LRU order: W §3.2, F §III-C.

use gpurf_blocks::ports::{LruOrderIn, LruOrderOut};
use gpurf_blocks::{Clocked, MAX_ENTRIES};

/// Entries from the most to the least recently used, as a list.
#[derive(Clone, Debug)]
pub struct LruOrder {
    list: [u8; MAX_ENTRIES],
    entries: usize,
    touched: u16,
}

impl LruOrder {
    /// `entries`: 4, 8 or 16. At first, entry 0 counts as the most recently used.
    pub fn new(entries: usize) -> Self {
        LruOrder { list: std::array::from_fn(|place| place as u8), entries, touched: 0 }
    }

    /// Entries from the least recently used on.
    pub fn oldest_first(&self) -> impl Iterator<Item = usize> + '_ {
        self.list[..self.entries].iter().rev().map(|entry| *entry as usize)
    }

    /// Moves the entries of the mask to the front; they and the others keep their order.
    pub fn touch(&mut self, mask: u16) {
        let old = self.list;
        let (front, back): (usize, usize) = (0, mask.count_ones() as usize);
        let (mut front, mut back) = (front, back);
        for entry in &old[..self.entries] {
            let place = if mask >> entry & 1 == 1 { &mut front } else { &mut back };
            self.list[*place] = *entry;
            *place += 1;
        }
    }
}

impl Clocked for LruOrder {
    type In = LruOrderIn;
    type Out = LruOrderOut;

    fn settle(&mut self, inputs: &LruOrderIn) -> LruOrderOut {
        self.touched = 0;
        let mut outputs = LruOrderOut::default();
        for place in 0..self.entries {
            self.touched |= (inputs.touch[place] as u16) << place;
            outputs.rank[self.list[place] as usize] = place as u32;
        }
        outputs
    }

    fn tick(&mut self) {
        self.touch(self.touched);
    }
}

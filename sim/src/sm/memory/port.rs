//! A port that takes one item a cycle, booked in advance.

/// Cycles of a word of the book.
const WORD: u64 = u64::BITS as u64;

/// Bookings need not come in the order of their cycles: what comes from DRAM is booked before what is asked for later
/// and comes from L2.
pub(super) struct Port {
    /// A bit for each cycle from `start` on, the first word at `start / WORD` modulo the length: the cycle is taken.
    words: Vec<u64>,
    /// A multiple of `WORD`.
    start: u64,
}

impl Port {
    pub fn new() -> Self {
        Port { words: vec![0; 64], start: 0 }
    }

    /// Takes the first free cycle from `cycle` on. Cycles before `now` are not asked for again.
    pub fn book(&mut self, now: u64, cycle: u64) -> u64 {
        self.forget_before(now);
        let mut at = cycle.max(self.start);
        loop {
            self.reach(at);
            let place = self.place(at);
            let free = !self.words[place] & (u64::MAX << (at % WORD));
            if free != 0 {
                let bit = free.trailing_zeros();
                self.words[place] |= 1 << bit;
                return at - at % WORD + u64::from(bit);
            }
            at = at - at % WORD + WORD;
        }
    }

    fn place(&self, cycle: u64) -> usize {
        (cycle / WORD) as usize % self.words.len()
    }

    fn forget_before(&mut self, now: u64) {
        let start = now - now % WORD;
        if start <= self.start {
            return;
        }
        let words = ((start - self.start) / WORD).min(self.words.len() as u64);
        for word in 0..words {
            let place = self.place(self.start + word * WORD);
            self.words[place] = 0;
        }
        self.start = start;
    }

    /// Makes room for bookings up to `cycle`.
    fn reach(&mut self, cycle: u64) {
        let needed = ((cycle - self.start) / WORD + 1) as usize;
        if needed <= self.words.len() {
            return;
        }
        let mut words = vec![0; needed.next_power_of_two()];
        for word in 0..self.words.len() as u64 {
            let cycle = self.start + word * WORD;
            words[(cycle / WORD) as usize % needed.next_power_of_two()] = self.words[self.place(cycle)];
        }
        self.words = words;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cycle_is_given_once_whatever_the_order() {
        let mut port = Port::new();
        assert_eq!(
            [500, 500, 100, 499, 499, 100].map(|cycle| port.book(0, cycle)),
            [500, 501, 100, 499, 502, 101]
        );
        let run: Vec<u64> = (0..300).map(|_| port.book(600, 700)).collect();
        assert_eq!(run, (700..1000).collect::<Vec<_>>());
    }

    #[test]
    fn far_bookings_stand_and_past_ones_are_forgotten() {
        let mut port = Port::new();
        assert_eq!(port.book(0, 10), 10);
        assert_eq!(port.book(0, 100_000), 100_000);
        assert_eq!(port.book(0, 10), 11);
        assert_eq!(port.book(90_000, 100_000), 100_001);
        assert_eq!(port.book(1_000_000, 1_000_000), 1_000_000);
    }
}

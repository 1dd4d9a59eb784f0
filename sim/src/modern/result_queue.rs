//! Reference model of the result queue of a bank: H §5.3.

use std::collections::VecDeque;

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::{Data, Parameters, Row, WarpId};
use gpurf_trace::RegisterId;

/// A result of fixed latency on its way to its bank.
#[derive(Clone, Copy, Debug, BorshSerialize, BorshDeserialize)]
pub struct FixedResult<D> {
    /// Its warp.
    pub warp: WarpId,
    /// Its register.
    pub register: RegisterId,
    /// Where that lies in the bank.
    pub row: Row,
    /// Its value.
    pub data: D,
    /// The pipe that it comes from.
    pub pipe: u8,
    /// The instruction that it is of.
    pub payload: u32,
}

/// Results of fixed latency that wait for the write port of their bank, and those that were written while an instruction may
/// still have read the register before. Consumers find them here: nobody waits for a port.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct ResultQueue<D> {
    /// With the cycles of its arrival and of its write, the oldest first. Those before `written` are in the bank.
    results: VecDeque<(FixedResult<D>, [u64; 2])>,
    written: usize,
    /// Places that instructions under way have reserved.
    reserved: usize,
    depth: usize,
    /// Cycles for which a result is found after its write.
    kept: u64,
}

impl<D: Data> ResultQueue<D> {
    /// After reset, with these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        ResultQueue {
            results: VecDeque::with_capacity(64),
            written: 0,
            reserved: 0,
            depth: parameters.result_depth,
            kept: parameters.read_window as u64,
        }
    }

    /// An instruction with so many results for this bank may issue.
    #[inline]
    pub fn has_room(&self, results: u8) -> bool {
        self.reserved + usize::from(results) <= self.depth
    }

    /// It issues.
    #[inline]
    pub fn reserve(&mut self, results: u8) {
        self.reserved += usize::from(results);
    }

    /// A result comes in cycle `now`.
    #[inline]
    pub fn arrive(&mut self, result: FixedResult<D>, now: u64) {
        self.results.push_back((result, [now, u64::MAX]));
    }

    /// Whether one waits for the write port.
    #[inline]
    pub fn waits(&self) -> bool {
        self.written < self.results.len()
    }

    /// Nothing is here, not even what was written lately.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.results.is_empty()
    }

    /// The one that is written in this cycle.
    #[inline]
    pub fn write(&mut self, now: u64) -> Option<FixedResult<D>> {
        while self.written > 0 && self.results[0].1[1] + self.kept < now {
            self.results.pop_front();
            self.written -= 1;
        }
        let (result, [_, write]) = self.results.get_mut(self.written)?;
        *write = now;
        self.written += 1;
        self.reserved -= 1;
        Some(*result)
    }

    /// The newest value of a register, for operands that leave their window in cycle `now` to this pipe. Between pipes a result
    /// takes a cycle more.
    #[inline]
    pub fn find(&self, warp: WarpId, register: RegisterId, pipe: u8, now: u64) -> Option<D> {
        let is_it = |&&(result, [arrival, write]): &&(FixedResult<D>, [u64; 2])| {
            result.warp == warp
                && result.register == register
                && (result.pipe == pipe || arrival < now)
                && write.saturating_add(self.kept) >= now
        };
        self.results.iter().rev().find(is_it).map(|(result, _)| result.data)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(register: u8, data: u32) -> FixedResult<u32> {
        let (warp, register) = (WarpId(1), RegisterId(register));
        FixedResult { warp, register, row: Row(0), data, pipe: 2, payload: 0 }
    }

    #[test]
    fn one_is_written_a_cycle_and_all_are_found() {
        let mut queue = ResultQueue::<u32>::new(&Parameters::default());
        queue.reserve(2);
        queue.arrive(result(4, 7), 10);
        queue.arrive(result(6, 8), 10);
        let find = |queue: &ResultQueue<u32>, register, pipe, now| {
            queue.find(WarpId(1), RegisterId(register), pipe, now)
        };
        assert_eq!((find(&queue, 6, 2, 10), find(&queue, 6, 3, 10)), (Some(8), None), "between pipes a cycle more");
        assert_eq!(queue.write(10).map(|result| result.data), Some(7));
        assert_eq!(queue.write(11).map(|result| result.data), Some(8));
        assert_eq!((find(&queue, 4, 3, 12), queue.write(12).is_none()), (Some(7), true));
        assert!(queue.write(14).is_none() && find(&queue, 4, 2, 14).is_none() && find(&queue, 6, 2, 14).is_some());
        assert!(!queue.is_empty() && queue.write(15).is_none() && queue.is_empty());
    }

    #[test]
    fn places_are_reserved_at_issue() {
        let mut queue = ResultQueue::<u32>::new(&Parameters::default());
        queue.reserve(7);
        assert!(queue.has_room(1) && !queue.has_room(2));
    }
}

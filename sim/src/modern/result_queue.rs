// SPDX-License-Identifier: Apache-2.0
//! Reference model of the result queue of a bank: H §5.3.

use std::collections::VecDeque;

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{ResultQueueIn, ResultQueueOut};
use gpurf_blocks::{Clocked, Data, Parameters, Row, WarpId, MAX_RESULT_PORTS, READ_BANKS};
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
}

/// Results of fixed latency that wait for the write port of their bank, and those that were written while an
/// instruction may still have read the register before. Consumers find them here: nobody waits for a port.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct ResultQueue<D: Data> {
    /// With the cycles of its arrival and of its write, the oldest first. Those before `written` are in the
    /// bank.
    results: VecDeque<(FixedResult<D>, [u64; 2])>,
    written: usize,
    /// Places that instructions under way have reserved.
    reserved: usize,
    depth: usize,
    /// Cycles for which a result is found after its write.
    kept: u64,
    read_ports: usize,
    /// The cycle, where ports tell of it.
    now: u64,
    #[borsh(skip)]
    inputs: ResultQueueIn<D>,
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
            read_ports: parameters.read_ports,
            now: 1,
            inputs: ResultQueueIn::default(),
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

    /// The newest value of a register that came before this cycle, and that the bank did not show in cycle
    /// `read`.
    #[inline]
    pub fn find(&self, warp: WarpId, register: RegisterId, read: u64) -> Option<D> {
        let is_it = |&&(result, [_, write]): &&(FixedResult<D>, [u64; 2])| {
            result.warp == warp && result.register == register && write >= read
        };
        self.results.iter().rev().find(is_it).map(|(result, _)| result.data)
    }
}

impl<D: Data> ResultQueue<D> {
    /// The newest value of a register that a bank might not show which it read in the cycle before `now`.
    pub fn find_shown(&self, warp: WarpId, register: RegisterId, now: u64) -> Option<D> {
        let is_it = |&&(result, [arrival, write]): &&(FixedResult<D>, [u64; 2])| {
            result.warp == warp
                && result.register == register
                && arrival < now
                && write.saturating_add(1) >= now
        };
        self.results.iter().rev().find(is_it).map(|(result, _)| result.data)
    }

    /// The one that is written next, if none comes.
    #[inline]
    pub fn first(&self) -> Option<&FixedResult<D>> {
        self.results.get(self.written).map(|(result, _)| result)
    }
}

/// The bank of a register.
#[inline]
pub fn bank_of(register: RegisterId) -> usize {
    usize::from(register.0) % READ_BANKS
}

/// Row of a register of a warp whose registers lie from row `base` on, as a bank's wires count.
#[inline]
pub fn row_at(base: u32, register: u32) -> Row {
    Row((base + register / READ_BANKS as u32) % 256)
}

/// The first row of a warp one of whose registers lies in this row.
pub(super) fn base_at(row: Row, register: RegisterId) -> u32 {
    row.0.wrapping_sub(u32::from(register.0) / READ_BANKS as u32) % 256
}

/// Results that come in a cycle to a bank whose first wires are at this place, and every so many after it.
pub(super) fn arrivals<D: Data>(
    valid: &[bool],
    result: impl Fn(usize) -> FixedResult<D>,
    (first, step): (usize, usize),
) -> Vec<FixedResult<D>> {
    (first..valid.len()).step_by(step).filter(|&place| valid[place]).map(result).collect()
}

impl<D: Data> ResultQueue<D> {
    fn arrivals(&self) -> Vec<FixedResult<D>> {
        let inputs = &self.inputs;
        let result = |place: usize| FixedResult {
            warp: WarpId(inputs.result_warp[place] as u8),
            register: RegisterId(inputs.result_register[place] as u8),
            row: row_at(inputs.result_base[place], inputs.result_register[place]),
            data: inputs.result_data[place],
            pipe: inputs.result_pipe[place] as u8,
        };
        arrivals(&inputs.result_valid[..MAX_RESULT_PORTS], result, (0, 1))
    }
}

impl<D: Data> Clocked for ResultQueue<D> {
    type In = ResultQueueIn<D>;
    type Out = ResultQueueOut<D>;

    fn settle(&mut self, inputs: &ResultQueueIn<D>) -> ResultQueueOut<D> {
        self.inputs = *inputs;
        let written = self.first().copied().or(self.arrivals().first().copied());
        let mut outputs = ResultQueueOut {
            room: self.has_room(1),
            write: written.is_some() || inputs.load_valid,
            load_taken: inputs.load_valid && written.is_none(),
            write_data: written.map_or(inputs.load_data, |result| result.data),
            ..Default::default()
        };
        let load_row = row_at(inputs.load_base, inputs.load_register);
        outputs.row = match outputs.write {
            true => written.map_or(load_row, |result| result.row).0,
            false => 0,
        };
        for port in 0..self.read_ports {
            let (warp, register) = (inputs.look_up_warp[port], inputs.look_up_register[port]);
            let found = self.find_shown(WarpId(warp as u8), RegisterId(register as u8), self.now);
            outputs.found[port] = found.is_some();
            outputs.found_data[port] = found.unwrap_or_default();
        }
        outputs
    }

    fn tick(&mut self) {
        for result in self.arrivals() {
            self.arrive(result, self.now);
        }
        self.reserve(self.inputs.reserve.into());
        self.write(self.now);
        self.now += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(register: u8, data: u32) -> FixedResult<u32> {
        let (warp, register) = (WarpId(1), RegisterId(register));
        FixedResult { warp, register, row: Row(0), data, pipe: 2 }
    }

    #[test]
    fn one_is_written_a_cycle_and_all_are_found() {
        let mut queue = ResultQueue::<u32>::new(&Parameters::default());
        queue.reserve(2);
        queue.arrive(result(4, 7), 10);
        queue.arrive(result(6, 8), 10);
        let find =
            |queue: &ResultQueue<u32>, register, read| queue.find(WarpId(1), RegisterId(register), read);
        assert_eq!(queue.write(10).map(|result| result.data), Some(7));
        assert_eq!((find(&queue, 4, 10), find(&queue, 6, 11)), (Some(7), Some(8)));
        assert_eq!(find(&queue, 4, 11), None, "a read behind the write shows it");
        assert_eq!(queue.write(11).map(|result| result.data), Some(8));
        assert_eq!((find(&queue, 4, 9), queue.write(12).is_none()), (Some(7), true));
        assert!(queue.write(14).is_none() && find(&queue, 4, 9).is_none() && find(&queue, 6, 9).is_some());
        assert!(queue.write(15).is_none() && find(&queue, 6, 9).is_none() && queue.first().is_none());
    }

    #[test]
    fn places_are_reserved_at_issue() {
        let mut queue = ResultQueue::<u32>::new(&Parameters::default());
        queue.reserve(7);
        assert!(queue.has_room(1) && !queue.has_room(2));
    }
}

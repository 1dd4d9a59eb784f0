// SPDX-License-Identifier: Apache-2.0
//! Reference model of the read window of a bank's port: H §5.3.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{ReadWindowIn, ReadWindowOut};
use gpurf_blocks::{Clocked, Data, Parameters, Row, WarpId, MAX_READ_WINDOW, MAX_RESULT_PORTS, OPERANDS};
use gpurf_trace::RegisterId;

use super::result_queue::{arrivals, row_at};
use super::FixedResult;
use crate::bits::members;

/// Reads that are to come, and values that have been read and wait until their operands leave.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct ReadWindow<D: Data> {
    window: usize,
    /// The read in each of the next cycles.
    reads: [Option<Read>; MAX_READ_WINDOW],
    /// Values read in each cycle of a window that has yet to end. The bank shows the value of the last.
    values: [Option<Value<D>>; MAX_READ_WINDOW],
    #[borsh(skip)]
    inputs: ReadWindowIn<D>,
}

/// A register that is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Read {
    /// Its warp.
    pub warp: WarpId,
    /// Its number.
    pub register: RegisterId,
    /// First row of its warp.
    pub base: u8,
}

#[derive(Clone, Copy, Debug, BorshSerialize, BorshDeserialize)]
struct Value<D: Data> {
    warp: WarpId,
    register: RegisterId,
    data: D,
}

/// News of a cycle for the values that wait.
#[derive(Clone, Copy, Debug)]
pub struct News<'a, D: Data> {
    /// The newest value of the register that the bank shows, as far as bank and result queue know.
    pub shown: D,
    /// Results that come in this cycle.
    pub results: &'a [FixedResult<D>],
}

impl<D: Data> ReadWindow<D> {
    /// After reset, with these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        ReadWindow {
            window: parameters.read_window,
            reads: [None; MAX_READ_WINDOW],
            values: [None; MAX_READ_WINDOW],
            inputs: ReadWindowIn::default(),
        }
    }

    /// The row that the bank reads in this cycle.
    #[inline]
    pub fn reading(&self) -> Option<Row> {
        self.reads[0].map(|read| row_at(read.base.into(), read.register.0.into()))
    }

    /// The register whose value the bank shows.
    #[inline]
    pub fn shown(&self) -> Option<(WarpId, RegisterId)> {
        self.values[self.window - 1].map(|value| (value.warp, value.register))
    }

    /// The value that was read in this cycle of the window that ends, for an operand that leaves.
    /// Of the results of this cycle it has those of its own pipe.
    pub fn leaving(&self, cycle: usize, pipe: u8, news: &News<D>) -> D {
        let value = self.waiting(cycle, news);
        value.map(|value| newest(&value, news.results, Some(pipe))).unwrap_or_default()
    }

    fn waiting(&self, cycle: usize, news: &News<D>) -> Option<Value<D>> {
        let value = self.values[cycle]?;
        Some(if cycle == self.window - 1 { Value { data: news.shown, ..value } } else { value })
    }

    /// A cycle passes.
    pub fn pass(&mut self, news: &News<D>) {
        for cycle in 1..self.window {
            let value = self.waiting(cycle, news);
            self.values[cycle - 1] =
                value.map(|value| Value { data: newest(&value, news.results, None), ..value });
        }
        let read = self.reads[0];
        self.values[self.window - 1] =
            read.map(|Read { warp, register, .. }| Value { warp, register, data: D::default() });
        self.reads.rotate_left(1);
        self.reads[MAX_READ_WINDOW - 1] = None;
    }

    /// An instruction has gone in the cycle that ended: it reads this register in this cycle of its window.
    pub fn schedule(&mut self, cycle: usize, read: Read) {
        self.reads[cycle] = Some(read);
    }
}

/// A value, or the result of its register that comes, of this pipe if one is given.
fn newest<D: Data>(value: &Value<D>, results: &[FixedResult<D>], pipe: Option<u8>) -> D {
    let same = |result: &&FixedResult<D>| {
        (result.warp, result.register) == (value.warp, value.register)
            && pipe.is_none_or(|pipe| result.pipe == pipe)
    };
    results.iter().rfind(same).map_or(value.data, |result| result.data)
}

impl<D: Data> Clocked for ReadWindow<D> {
    type In = ReadWindowIn<D>;
    type Out = ReadWindowOut<D>;

    fn settle(&mut self, inputs: &ReadWindowIn<D>) -> ReadWindowOut<D> {
        self.inputs = *inputs;
        let results = results(inputs);
        let news = News { shown: shown(inputs), results: &results };
        let (warp, register) = self.shown().map_or((0, 0), |(warp, register)| (warp.0, register.0));
        let mut outputs = ReadWindowOut {
            read: self.reading().is_some(),
            row: self.reading().map_or(0, |row| row.0),
            shown_warp: warp.into(),
            shown_register: register.into(),
            ..Default::default()
        };
        for operand in 0..OPERANDS {
            let cycle = members(inputs.leave_grant[operand]).next();
            let value = cycle.map(|cycle| self.leaving(cycle, inputs.leave_pipe as u8, &news));
            outputs.value[operand] = value.unwrap_or_default();
        }
        outputs
    }

    fn tick(&mut self) {
        let inputs = self.inputs;
        let results = results(&inputs);
        self.pass(&News { shown: shown(&inputs), results: &results });
        for operand in 0..OPERANDS {
            for cycle in members(inputs.grant[operand]) {
                let read = Read {
                    warp: WarpId(inputs.warp as u8),
                    register: RegisterId(inputs.register[operand] as u8),
                    base: inputs.base as u8,
                };
                self.schedule(cycle, read);
            }
        }
    }
}

fn shown<D: Data>(inputs: &ReadWindowIn<D>) -> D {
    if inputs.found {
        inputs.found_data
    } else {
        inputs.data
    }
}

fn results<D: Data>(inputs: &ReadWindowIn<D>) -> Vec<FixedResult<D>> {
    let result = |place: usize| FixedResult {
        warp: WarpId(inputs.result_warp[place] as u8),
        register: RegisterId(inputs.result_register[place] as u8),
        row: row_at(inputs.result_base[place], inputs.result_register[place]),
        data: inputs.result_data[place],
        pipe: inputs.result_pipe[place] as u8,
    };
    arrivals(&inputs.result_valid[..MAX_RESULT_PORTS], result, (0, 1))
}

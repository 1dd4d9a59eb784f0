//! Reference model of the read window of a bank's port: H §5.3.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{ReadWindowIn, ReadWindowOut};
use gpurf_blocks::{Clocked, Data, Parameters, Row, WarpId, MAX_READ_WINDOW, MAX_RESULT_PORTS, OPERANDS};

use super::result_queue::{row_of, RegisterResult};
use crate::bits::members;

/// Reads that are to come, and values that have been read and wait until their operands leave.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct ReadWindow<D: Data> {
    window: usize,
    /// The read in each of the next cycles.
    reads: [Option<Read>; MAX_READ_WINDOW],
    /// What was read in each cycle of a window that has yet to end. The bank shows the value of the last.
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
    pub register: u8,
    /// First row of its warp.
    pub base: u8,
}

#[derive(Clone, Copy, Debug, BorshSerialize, BorshDeserialize)]
struct Value<D: Data> {
    warp: WarpId,
    register: u8,
    data: D,
}

/// What a cycle brings to the values that wait.
#[derive(Clone, Copy, Debug)]
pub struct News<'a, D: Data> {
    /// The newest value of the register that the bank shows, as far as bank and result queue know.
    pub shown: D,
    /// Results that come in this cycle.
    pub results: &'a [RegisterResult<D>],
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
        self.reads[0].map(|read| row_of(read.base, read.register))
    }

    /// The register whose value the bank shows.
    #[inline]
    pub fn shown(&self) -> Option<(WarpId, u8)> {
        self.values[self.window - 1].map(|value| (value.warp, value.register))
    }

    /// The value that was read in this cycle of the window that ends, for an operand that leaves.
    pub fn leaving(&self, cycle: usize, is_variable: bool, news: &News<D>) -> D {
        let value = self.waiting(cycle, news).map(|value| match is_variable {
            true => value.data,
            false => newest(&value, news.results),
        });
        value.unwrap_or_default()
    }

    fn waiting(&self, cycle: usize, news: &News<D>) -> Option<Value<D>> {
        let value = self.values[cycle]?;
        Some(if cycle == self.window - 1 { Value { data: news.shown, ..value } } else { value })
    }

    /// A cycle passes.
    pub fn pass(&mut self, news: &News<D>) {
        for cycle in 1..self.window {
            let value = self.waiting(cycle, news);
            self.values[cycle - 1] = value.map(|value| Value { data: newest(&value, news.results), ..value });
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

/// A value, or the result of its register that comes.
fn newest<D: Data>(value: &Value<D>, results: &[RegisterResult<D>]) -> D {
    let same = |result: &&RegisterResult<D>| (result.warp, result.register) == (value.warp, value.register);
    results.iter().rfind(same).map_or(value.data, |result| result.data)
}

impl<D: Data> Clocked for ReadWindow<D> {
    type In = ReadWindowIn<D>;
    type Out = ReadWindowOut<D>;

    fn settle(&mut self, inputs: &ReadWindowIn<D>) -> ReadWindowOut<D> {
        self.inputs = *inputs;
        let results = results(inputs);
        let news = News { shown: shown(inputs), results: &results };
        let (warp, register) = self.shown().unwrap_or_default();
        let mut outputs = ReadWindowOut {
            read: self.reading().is_some(),
            row: self.reading().map_or(0, |row| row.0),
            shown_warp: warp.into(),
            shown_register: register.into(),
            ..Default::default()
        };
        for operand in 0..OPERANDS {
            let cycle = members(inputs.leave_grant[operand]).next();
            let value = cycle.map(|cycle| self.leaving(cycle, inputs.leave_variable, &news));
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
                    register: inputs.register[operand] as u8,
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

fn results<D: Data>(inputs: &ReadWindowIn<D>) -> Vec<RegisterResult<D>> {
    let result = |place: usize| RegisterResult {
        warp: WarpId(inputs.result_warp[place] as u8),
        register: inputs.result_register[place] as u8,
        base: inputs.result_base[place] as u8,
        data: inputs.result_data[place],
    };
    (0..MAX_RESULT_PORTS).filter(|&place| inputs.result_valid[place]).map(result).collect()
}

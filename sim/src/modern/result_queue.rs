//! Reference model of a bank's result queue: H §5.3.

use std::collections::VecDeque;

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{ResultQueueIn, ResultQueueOut};
use gpurf_blocks::{Clocked, Data, Parameters, Row, WarpId, MAX_RESULT_PORTS, READ_BANKS};

/// Results that wait for the bank's write port, the oldest first.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct ResultQueue<D: Data> {
    depth: usize,
    ports: usize,
    queue: VecDeque<RegisterResult<D>>,
    /// The one that was written in the last cycle: what was read beside it does not show it.
    written: Option<RegisterResult<D>>,
    /// Places, from the issue of an instruction until its result is written.
    reserved: usize,
    #[borsh(skip)]
    inputs: ResultQueueIn<D>,
}

/// A result on its way to its register.
#[derive(Clone, Copy, Debug, Default, PartialEq, BorshSerialize, BorshDeserialize)]
pub struct RegisterResult<D: Data> {
    /// Its warp.
    pub warp: WarpId,
    /// Its register.
    pub register: u8,
    /// First row of its warp.
    pub base: u8,
    /// Its value.
    pub data: D,
}

impl<D: Data> RegisterResult<D> {
    /// Row of its register.
    pub fn row(&self) -> Row {
        row_of(self.base, self.register)
    }
}

/// Row of a register in its bank.
pub fn row_of(base: u8, register: u8) -> Row {
    Row(base.wrapping_add(register / READ_BANKS as u8).into())
}

impl<D: Data> ResultQueue<D> {
    /// After reset, with these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        ResultQueue {
            depth: parameters.result_depth,
            ports: parameters.read_ports,
            queue: VecDeque::new(),
            written: None,
            reserved: 0,
            inputs: ResultQueueIn::default(),
        }
    }

    /// Whether an instruction may issue whose result comes here.
    #[inline]
    pub fn has_room(&self) -> bool {
        self.reserved < self.depth
    }

    /// Such an instruction issues.
    pub fn reserve(&mut self) {
        self.reserved += 1;
    }

    /// The result that is written in this cycle; if there is none, one of variable latency may be.
    #[inline]
    pub fn first(&self) -> Option<&RegisterResult<D>> {
        self.queue.front()
    }

    /// The newest value of a register that the bank might not show.
    pub fn find(&self, warp: WarpId, register: u8) -> Option<D> {
        let newest_first = self.queue.iter().rev().chain(&self.written);
        newest_first
            .filter(|result| (result.warp, result.register) == (warp, register))
            .map(|result| result.data)
            .next()
    }

    /// A cycle passes, in which the first is written.
    pub fn pass(&mut self) {
        self.written = self.queue.pop_front();
        self.reserved -= usize::from(self.written.is_some());
    }

    /// A result comes, in the cycle that ends.
    pub fn push(&mut self, result: RegisterResult<D>) {
        self.queue.push_back(result);
    }
}

impl<D: Data> Clocked for ResultQueue<D> {
    type In = ResultQueueIn<D>;
    type Out = ResultQueueOut<D>;

    fn settle(&mut self, inputs: &ResultQueueIn<D>) -> ResultQueueOut<D> {
        self.inputs = *inputs;
        let load = RegisterResult {
            warp: WarpId(inputs.load_warp as u8),
            register: inputs.load_register as u8,
            base: inputs.load_base as u8,
            data: inputs.load_data,
        };
        let first = self.first().copied();
        let written = first.or(inputs.load_valid.then_some(load));
        let mut outputs = ResultQueueOut {
            room: self.has_room(),
            write: written.is_some(),
            row: written.map_or(0, |result| result.row().0),
            write_data: written.map_or(inputs.load_data, |result| result.data),
            load_taken: inputs.load_valid && first.is_none(),
            ..Default::default()
        };
        for port in 0..self.ports {
            let (warp, register) = (inputs.look_up_warp[port], inputs.look_up_register[port]);
            let found = self.find(WarpId(warp as u8), register as u8);
            outputs.found[port] = found.is_some();
            outputs.found_data[port] = found.unwrap_or_default();
        }
        outputs
    }

    fn tick(&mut self) {
        let inputs = self.inputs;
        self.pass();
        if inputs.reserve {
            self.reserve();
        }
        for place in (0..MAX_RESULT_PORTS).filter(|&place| inputs.result_valid[place]) {
            self.push(RegisterResult {
                warp: WarpId(inputs.result_warp[place] as u8),
                register: inputs.result_register[place] as u8,
                base: inputs.result_base[place] as u8,
                data: inputs.result_data[place],
            });
        }
    }
}

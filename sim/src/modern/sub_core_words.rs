// SPDX-License-Identifier: Apache-2.0
//! A cycle of the sub-core that ships in words: what its ports [`ModernSubCoreIn`] and [`ModernSubCoreOut`]
//! show as flags is sets here, a bit each, and an instruction lies in one place. The SM and the model speak
//! to each other in words; engines that have nothing but ports get those made of them.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{ModernSubCoreIn, ModernSubCoreOut};
use gpurf_blocks::{
    Data, WarpId, WarpSet, DECREMENTS, DEPENDENCE_COUNTERS, MAX_WARPS, READS, READ_BANKS, VARIABLE_QUEUES,
};
use gpurf_trace::RegisterId;

use super::result_queue::{arrivals, base_at, row_at};
use super::variable_queue::Instruction;
use super::{BankedSources, CounterLimit, FixedResult};
use crate::bits::{flags, mask, members, warp_flags, warp_mask};

/// The number that names no dependence counter.
pub const NO_COUNTER: u8 = 7;

/// An instruction at the head of a warp's buffer.
#[derive(Clone, Copy, Debug, Default, BorshSerialize, BorshDeserialize)]
pub struct Operation {
    /// As its unit knows it.
    pub instruction: Instruction,
    /// Bit q: it has no fixed latency, and goes through queue q.
    pub queue: u8,
    /// It is a tensor instruction.
    pub tensor: bool,
    /// Bit b: it writes a register of bank b, with a fixed latency.
    pub writes: u8,
    /// Bit o: registers of operand o stay in the reuse cache.
    pub reuse: u8,
    /// Cycles until the next instruction of the warp may issue.
    pub stall: u8,
    /// The next cycle belongs to another warp.
    pub yields: bool,
    /// Dependence counters that it raises: one until its results are written, one until its sources are read.
    pub counters: [u8; 2],
    /// Dependence counters that must be zero before it issues, a bit each.
    pub wait_mask: u8,
    /// The limit that it makes its warp wait for.
    pub limit: Option<CounterLimit>,
}

impl Operation {
    /// The dependence counters that it raises.
    #[inline]
    pub fn raised(&self) -> impl Iterator<Item = u8> {
        self.counters.into_iter().filter(|&counter| usize::from(counter) < DEPENDENCE_COUNTERS)
    }
}

/// Inputs of a cycle.
#[derive(Clone, Debug, Default, BorshSerialize, BorshDeserialize)]
pub struct Told<D: Data> {
    /// Warps that have an instruction.
    pub present: WarpSet,
    /// New warps; they have no instruction yet.
    pub launch: WarpSet,
    /// Warps whose instructions name constants that are not there.
    pub misses: WarpSet,
    /// The next instruction of each warp.
    pub heads: [Operation; MAX_WARPS],
    /// Bit u: execution unit u, of fixed latency, takes an instruction.
    pub unit_ready: u32,
    /// Bit q: a unit has taken on an instruction of queue q.
    pub give_back: u8,
    /// Dependence counters that go down.
    pub decrements: Vec<(WarpId, u8)>,
    /// Results of fixed latency that come to each bank.
    pub results: [Vec<FixedResult<D>>; READ_BANKS],
    /// A result of variable latency that stands before each bank.
    pub loads: [Option<FixedResult<D>>; READ_BANKS],
}

/// Outputs of a cycle.
#[derive(Clone, Copy, Debug, Default)]
// The ports of the same names say what each is.
#[allow(missing_docs)]
pub struct Shown<D> {
    pub issued: Option<WarpId>,
    pub constant_waits: bool,
    /// Warp and payload of the instruction in Control.
    pub control: Option<(WarpId, u32)>,
    pub held: bool,
    pub unstalled: bool,
    pub counted: bool,
    pub dispatch: Option<Dispatch>,
    pub operand_data: [D; READS],
    pub load_taken: u8,
    pub reuse_hit: u8,
    pub bank_read: u8,
    pub bank_write: u8,
}

/// The instruction whose operands leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dispatch {
    /// The instruction's warp.
    pub warp: WarpId,
    /// The unit that takes it.
    pub unit: u8,
    /// The number by which the SM knows it.
    pub payload: u32,
    /// Bit q: it came through queue q.
    pub queue: u8,
    /// Sources that it has, a bit each.
    pub sources: u8,
}

impl<D: Data> Told<D> {
    /// From ports.
    pub fn of_ports(ports: &ModernSubCoreIn<D>) -> Self {
        let decrements = (0..DECREMENTS)
            .filter(|&place| ports.decrement_valid[place])
            .map(|place| (WarpId(ports.decrement_warp[place] as u8), ports.decrement_counter[place] as u8));
        let arrival = |warp, base, register, data, pipe| FixedResult {
            warp: WarpId(warp as u8),
            register: RegisterId(register as u8),
            row: row_at(base, register),
            data,
            pipe: pipe as u8,
        };
        let result = |place: usize| {
            let (warp, base) = (ports.result_warp[place], ports.result_base[place]);
            arrival(
                warp,
                base,
                ports.result_register[place],
                ports.result_data[place],
                ports.result_pipe[place],
            )
        };
        let load = |bank: usize| {
            let (warp, base) = (ports.load_warp[bank], ports.load_base[bank]);
            arrival(warp, base, ports.load_register[bank], ports.load_data[bank], ports.load_pipe[bank])
        };
        Told {
            present: warp_mask(&ports.head_valid),
            launch: warp_mask(&ports.launch),
            misses: warp_mask(&ports.head_misses),
            heads: std::array::from_fn(|warp| head(ports, warp)),
            unit_ready: ports.unit_ready,
            give_back: mask::<VARIABLE_QUEUES>(&ports.give_back),
            decrements: decrements.collect(),
            results: std::array::from_fn(|bank| arrivals(&ports.result_valid, result, (bank, READ_BANKS))),
            loads: std::array::from_fn(|bank| ports.load_valid[bank].then(|| load(bank))),
        }
    }

    /// At ports.
    pub fn ports(&self) -> ModernSubCoreIn<D> {
        let mut ports = ModernSubCoreIn {
            head_valid: warp_flags(self.present),
            launch: warp_flags(self.launch),
            head_misses: warp_flags(self.misses),
            unit_ready: self.unit_ready,
            give_back: flags(self.give_back),
            ..Default::default()
        };
        for (warp, head) in self.heads.iter().enumerate() {
            show_head(head, warp, &mut ports);
        }
        for (place, (warp, counter)) in self.decrements.iter().enumerate() {
            ports.decrement_valid[place] = true;
            ports.decrement_warp[place] = (*warp).into();
            ports.decrement_counter[place] = (*counter).into();
        }
        for bank in 0..READ_BANKS {
            for (number, result) in self.results[bank].iter().enumerate() {
                let place = READ_BANKS * number + bank;
                ports.result_valid[place] = true;
                ports.result_warp[place] = result.warp.into();
                ports.result_register[place] = result.register.into();
                ports.result_base[place] = base_at(result.row, result.register);
                ports.result_pipe[place] = result.pipe.into();
                ports.result_data[place] = result.data;
            }
            if let Some(load) = &self.loads[bank] {
                ports.load_valid[bank] = true;
                ports.load_warp[bank] = load.warp.into();
                ports.load_register[bank] = load.register.into();
                ports.load_base[bank] = base_at(load.row, load.register);
                ports.load_pipe[bank] = load.pipe.into();
                ports.load_data[bank] = load.data;
            }
        }
        ports
    }
}

/// The next instruction of a warp, from ports.
fn head<D: Data>(ports: &ModernSubCoreIn<D>, warp: usize) -> Operation {
    let limit = CounterLimit {
        counter: ports.head_limit_counter[warp] as u8,
        value: ports.head_limit_value[warp] as u8,
        mask: ports.head_limit_mask[warp] as u8,
    };
    let of_sources = READS * warp..READS * (warp + 1);
    let sources = BankedSources {
        valid: mask::<READS>(ports.head_source_valid[of_sources.clone()].try_into().expect("as many")),
        registers: std::array::from_fn(|source| ports.head_source_register[of_sources.start + source] as u8),
    };
    let writes = READ_BANKS * warp..READ_BANKS * (warp + 1);
    Operation {
        instruction: Instruction {
            warp: WarpId(warp as u8),
            base: ports.head_base[warp] as u8,
            unit: ports.head_unit[warp] as u8,
            pipe: ports.head_pipe[warp] as u8,
            payload: ports.head_payload[warp],
            sources,
        },
        queue: ports.head_queue[warp] as u8,
        tensor: ports.head_tensor[warp],
        writes: mask::<READ_BANKS>(ports.head_writes[writes].try_into().expect("as many")),
        reuse: ports.head_reuse[warp] as u8,
        stall: ports.head_stall[warp] as u8,
        yields: ports.head_yields[warp],
        counters: [ports.head_write_counter[warp] as u8, ports.head_read_counter[warp] as u8],
        wait_mask: ports.head_wait_mask[warp] as u8,
        limit: ports.head_limit_valid[warp].then_some(limit),
    }
}

/// The same at ports.
fn show_head<D: Data>(head: &Operation, warp: usize, ports: &mut ModernSubCoreIn<D>) {
    let Instruction { base, unit, pipe, payload, sources, .. } = head.instruction;
    (ports.head_base[warp], ports.head_unit[warp]) = (base.into(), unit.into());
    (ports.head_pipe[warp], ports.head_payload[warp]) = (pipe.into(), payload);
    for (source, register) in sources.registers.into_iter().enumerate() {
        ports.head_source_valid[READS * warp + source] = sources.valid >> source & 1 == 1;
        ports.head_source_register[READS * warp + source] = register.into();
    }
    (ports.head_queue[warp], ports.head_tensor[warp]) = (head.queue.into(), head.tensor);
    for bank in members(head.writes) {
        ports.head_writes[READ_BANKS * warp + bank] = true;
    }
    ports.head_reuse[warp] = head.reuse.into();
    (ports.head_stall[warp], ports.head_yields[warp]) = (head.stall.into(), head.yields);
    [ports.head_write_counter[warp], ports.head_read_counter[warp]] = head.counters.map(u32::from);
    ports.head_wait_mask[warp] = head.wait_mask.into();
    if let Some(CounterLimit { counter, value, mask }) = head.limit {
        ports.head_limit_valid[warp] = true;
        ports.head_limit_counter[warp] = counter.into();
        ports.head_limit_value[warp] = value.into();
        ports.head_limit_mask[warp] = mask.into();
    }
}

impl<D: Data> Shown<D> {
    /// From ports. An instruction that stays in Control is not told of.
    pub fn of_ports(ports: &ModernSubCoreOut<D>) -> Self {
        let control = (WarpId(ports.controlled_warp as u8), ports.controlled_payload);
        let dispatch = Dispatch {
            warp: WarpId(ports.dispatch_warp as u8),
            unit: ports.dispatch_unit as u8,
            payload: ports.dispatch_payload,
            queue: ports.dispatch_queue as u8,
            sources: mask(&ports.operand_valid),
        };
        Shown {
            issued: ports.issued.then_some(WarpId(ports.issued_warp as u8)),
            constant_waits: ports.constant_waits,
            control: ports.controlled.then_some(control),
            held: ports.held,
            unstalled: ports.unstalled,
            counted: ports.counted,
            dispatch: ports.dispatch.then_some(dispatch),
            operand_data: ports.operand_data,
            load_taken: mask(&ports.load_taken),
            reuse_hit: mask(&ports.reuse_hit),
            bank_read: mask(&ports.bank_read),
            bank_write: mask(&ports.bank_write),
        }
    }

    /// At ports.
    pub fn ports(&self) -> ModernSubCoreOut<D> {
        let mut ports = ModernSubCoreOut {
            issued: self.issued.is_some(),
            issued_warp: self.issued.map_or(0, u32::from),
            constant_waits: self.constant_waits,
            held: self.held,
            unstalled: self.unstalled,
            counted: self.counted,
            load_taken: flags(self.load_taken),
            reuse_hit: flags(self.reuse_hit),
            bank_read: flags(self.bank_read),
            bank_write: flags(self.bank_write),
            ..Default::default()
        };
        if let Some((warp, payload)) = self.control {
            ports.controlled = !self.held;
            (ports.controlled_warp, ports.controlled_payload) = (warp.into(), payload);
        }
        if let Some(Dispatch { warp, unit, payload, queue, sources }) = self.dispatch {
            ports.dispatch = true;
            (ports.dispatch_warp, ports.dispatch_unit) = (warp.into(), unit.into());
            (ports.dispatch_payload, ports.dispatch_queue) = (payload, queue.into());
            ports.operand_valid = flags(sources);
            ports.operand_data = self.operand_data;
        }
        ports
    }

    /// The payload of the instruction that leaves Control.
    #[inline]
    pub fn controlled(&self) -> Option<u32> {
        self.control.filter(|_| !self.held).map(|(_, payload)| payload)
    }
}

// SPDX-License-Identifier: Apache-2.0
//! Testbench of a bank's result queue.

use std::collections::HashMap;

use gpurf_blocks::ports::{ResultQueueIn, ResultQueueOut};
use gpurf_blocks::{Data, Parameters};
use gpurf_hw::dialect::Word;
use gpurf_hw::modern::ResultQueue;
use rust_hdl::prelude::Bits;

use crate::{expect, register, value, Drive, Engine, Random, Scenario, Stimulus, Testbench};

impl<const W: usize> Testbench for ResultQueue<W>
where
    Bits<W>: Word,
{
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(gpurf_sim::modern::ResultQueue::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(ResultQueueStimulus::<crate::collector::DataOf<W>>::new(*parameters))
    }

    fn protocol(parameters: &Parameters) -> Vec<String> {
        // A result comes for each place that is reserved.
        let places = (0..=parameters.result_depth).map(|place| format!("valid[{place}]"));
        let queued = places.skip(1).collect::<Vec<_>>().join(" + ");
        let coming = (0..parameters.result_ports).map(|port| format!("result_valid[{port}]"));
        let coming = coming.collect::<Vec<_>>().join(" + ");
        vec!["!reserve | room".into(), format!("{{2'b0, reserved}} >= 7'd0 + {queued} + {coming}")]
    }

    fn scenarios() -> Vec<Scenario<Self::In, Self::Out>> {
        scenarios()
    }
}

register!(ResultQueue<W>);

/// Results of instructions that have reserved their places, in bursts, and loads between; as the check, what
/// every register that is looked up has, and that every result is written.
struct ResultQueueStimulus<D: Data> {
    parameters: Parameters,
    /// Instructions under way, and results in the queue.
    coming: usize,
    queued: usize,
    bursts: usize,
    registers: usize,
    load: Option<ResultQueueIn<D>>,
    /// The newest value of each register of each warp, by row; and what the bank had before this cycle, and
    /// before the last.
    newest: HashMap<u32, D>,
    bank: HashMap<u32, D>,
    before: HashMap<u32, D>,
}

impl<D: Data> ResultQueueStimulus<D> {
    fn new(parameters: Parameters) -> Self {
        ResultQueueStimulus {
            parameters,
            coming: 0,
            queued: 0,
            bursts: 30,
            registers: 4,
            load: None,
            newest: HashMap::new(),
            bank: HashMap::new(),
            before: HashMap::new(),
        }
    }
}

/// First row of a warp's registers: there are two.
fn base_of(warp: u32) -> u32 {
    64 * (warp & 3)
}

fn row_of(warp: u32, register: u32) -> u32 {
    (base_of(warp) + register / 2) % 256
}

impl<D: Data> Stimulus<ResultQueueIn<D>, ResultQueueOut<D>> for ResultQueueStimulus<D> {
    fn next(&mut self, random: &mut Random) -> ResultQueueIn<D> {
        if random.percent(3) {
            self.bursts = random.pick(&[5, 40, 90]);
            self.registers = random.pick(&[2, 16, 64]);
        }
        let mut inputs = ResultQueueIn::<D>::default();
        let room = self.coming + self.queued < self.parameters.result_depth;
        inputs.reserve = room && random.percent(70);
        let is_burst = random.percent(self.bursts);
        for port in 0..self.parameters.result_ports {
            let register = random.below(self.registers) as u32 * 2;
            let warp = random.below(3) as u32;
            let is_here =
                |other: usize| inputs.result_valid[other] && inputs.result_register[other] == register;
            inputs.result_valid[port] =
                self.coming > 0 && is_burst && random.percent(60) && !(0..port).any(is_here);
            self.coming -= usize::from(inputs.result_valid[port]);
            (inputs.result_warp[port], inputs.result_register[port]) = (warp, register);
            (inputs.result_base[port], inputs.result_pipe[port]) = (base_of(warp), random.below(4) as u32);
            inputs.result_data[port] = random.data();
        }
        // Registers that no instruction of fixed latency has.
        if self.load.is_none() && random.percent(50) {
            let (load_warp, load_register) = (random.below(3) as u32, 128 + random.below(32) as u32);
            let load_base = 128;
            let load_data = random.data();
            let load = ResultQueueIn { load_warp, load_register, load_base, load_data, ..Default::default() };
            self.load = Some(load);
        }
        if let Some(load) = &self.load {
            inputs.load_valid = true;
            (inputs.load_warp, inputs.load_register) = (load.load_warp, load.load_register);
            (inputs.load_base, inputs.load_data) = (load.load_base, load.load_data);
        }
        for port in 0..self.parameters.read_ports {
            inputs.look_up_warp[port] = random.below(3) as u32;
            inputs.look_up_register[port] = random.below(self.registers) as u32 * 2;
        }
        inputs
    }

    fn observe(&mut self, inputs: &ResultQueueIn<D>, outputs: &ResultQueueOut<D>) -> Result<(), String> {
        for port in 0..self.parameters.read_ports {
            let row = row_of(inputs.look_up_warp[port], inputs.look_up_register[port]);
            let shown = match outputs.found[port] {
                true => outputs.found_data[port],
                false => self.before.get(&row).copied().unwrap_or_default(),
            };
            if shown != self.newest.get(&row).copied().unwrap_or_default() {
                return Err(format!("row {row} has {shown:?} at port {port}"));
            }
        }
        self.before = self.bank.clone();
        if outputs.write {
            self.bank.insert(outputs.row, outputs.write_data);
        }
        if outputs.load_taken {
            self.load = None;
        }
        for port in (0..self.parameters.result_ports).filter(|&port| inputs.result_valid[port]) {
            let row = row_of(inputs.result_warp[port], inputs.result_register[port]);
            self.newest.insert(row, inputs.result_data[port]);
            self.queued += 1;
        }
        let writes = outputs.write && !outputs.load_taken;
        if writes != (self.queued > 0) {
            return Err(format!("{} results are there, and one is written: {writes}", self.queued));
        }
        self.queued -= usize::from(writes);
        self.coming += usize::from(inputs.reserve);
        Ok(())
    }
}

type Bench<'a, D> = Drive<'a, ResultQueueIn<D>, ResultQueueOut<D>>;

/// Places for so many results are reserved.
fn reserve<D: Data>(bench: &mut Bench<D>, count: usize) -> Result<(), String> {
    for _ in 0..count {
        let out = bench.cycle(ResultQueueIn { reserve: true, ..Default::default() })?;
        expect(out.room, "there is a place")?;
    }
    Ok(())
}

/// Results of these registers of warp 1 come.
fn results<D: Data>(registers: &[u32]) -> ResultQueueIn<D> {
    let mut inputs = ResultQueueIn::<D>::default();
    for (port, &register) in registers.iter().enumerate() {
        (inputs.result_valid[port], inputs.result_warp[port]) = (true, 1);
        (inputs.result_register[port], inputs.result_data[port]) = (register, value(register));
    }
    inputs
}

fn load<D: Data>() -> ResultQueueIn<D> {
    ResultQueueIn {
        load_valid: true,
        load_warp: 2,
        load_register: 40,
        load_data: value(99),
        ..Default::default()
    }
}

fn scenarios<D: Data>() -> Vec<Scenario<ResultQueueIn<D>, ResultQueueOut<D>>> {
    vec![
        Scenario {
            name: "two_results_at_once_are_written_one_after_the_other",
            rule: "H 5.3: of two results of fixed latency in one bank neither instruction waits: one queues",
            play: |bench| {
                reserve(bench, 2)?;
                let out = bench.cycle(results(&[4, 6]))?;
                expect(out.write && out.row == 2 && out.write_data == value(4), "the first is written")?;
                let out = bench.cycle(ResultQueueIn::default())?;
                expect(out.write && out.row == 3 && out.write_data == value(6), "then the second")?;
                expect(!bench.cycle(ResultQueueIn::default())?.write, "and no other")
            },
        },
        Scenario {
            name: "a_load_waits_a_cycle",
            rule: "H 5.3: a load that meets a result of fixed latency in its bank waits a cycle",
            play: |bench| {
                reserve(bench, 1)?;
                let both = ResultQueueIn { load_valid: true, load_register: 40, load_data: value(99), ..results(&[4]) };
                let out = bench.cycle(both)?;
                expect(out.write && !out.load_taken && out.row == 2, "the result is written")?;
                let out = bench.cycle(load())?;
                expect(out.write && out.load_taken && out.row == 20, "then the load")?;
                expect(out.write_data == value(99), "with its value")
            },
        },
        Scenario {
            name: "a_waiting_result_is_found",
            rule: "H 5.3: a consumer has the result from the queue, and does not wait for its write",
            play: |bench| {
                reserve(bench, 2)?;
                bench.cycle(results(&[4, 6]))?;
                for register in [4, 6] {
                    let look_up = ResultQueueIn { look_up_warp: [1; 3], look_up_register: [register; 3], ..Default::default() };
                    let out = bench.peek(look_up)?;
                    expect(out.found[0] && out.found_data[0] == value(register), format!("R{register} is found"))?;
                    let out = bench.peek(ResultQueueIn { look_up_warp: [2; 3], ..look_up })?;
                    expect(!out.found[0], "of its warp alone")?;
                }
                // The first was written in the last cycle, beside which the bank may have been read; the
                // second in this.
                bench.cycle(ResultQueueIn::default())?;
                for (register, found) in [(4, false), (6, true)] {
                    let look_up = ResultQueueIn { look_up_warp: [1; 3], look_up_register: [register; 3], ..Default::default() };
                    expect(bench.peek(look_up)?.found[0] == found, format!("R{register} is found: {found}"))?;
                }
                Ok(())
            },
        },
        Scenario {
            name: "the_newest_of_two_is_found",
            rule: "our decision: of two results of one register the later one counts",
            play: |bench| {
                reserve(bench, 3)?;
                bench.cycle(results(&[4, 6]))?;
                let again = ResultQueueIn { result_data: [value(77); 4], ..results(&[4]) };
                bench.cycle(again)?;
                let look_up = ResultQueueIn { look_up_warp: [1; 3], look_up_register: [4; 3], ..Default::default() };
                let out = bench.cycle(look_up)?;
                expect(out.found[0] && out.found_data[0] == value(77), "the newer one is found")
            },
        },
        Scenario {
            name: "places_are_reserved_at_issue",
            rule: "H's simulator: an instruction reserves its place when it issues, so that the queue never overflows",
            play: |bench| {
                let depth = bench.parameters.result_depth;
                reserve(bench, depth)?;
                expect(!bench.peek(ResultQueueIn::default())?.room, "no place is left")?;
                bench.cycle(results(&[2]))?;
                expect(bench.peek(ResultQueueIn::default())?.room, "one is written")
            },
        },
        Scenario {
            name: "every_place_is_needed",
            rule: "our decision: results that come at once queue behind those that wait",
            play: |bench| {
                let (depth, ports) = (bench.parameters.result_depth, bench.parameters.result_ports);
                reserve(bench, depth)?;
                let registers: Vec<u32> = (0..depth as u32).map(|number| 2 * number).collect();
                let mut written = vec![];
                for burst in registers.chunks(ports) {
                    written.extend(Some(bench.cycle(results(burst))?.row));
                }
                while written.len() < depth {
                    let out = bench.cycle(ResultQueueIn::default())?;
                    expect(out.write && out.write_data == value(registers[written.len()]), "in their order")?;
                    written.push(out.row);
                }
                expect(written == (0..depth as u32).collect::<Vec<_>>(), "all are written, in their order")
            },
        },
    ]
}

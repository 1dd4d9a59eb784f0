// SPDX-License-Identifier: Apache-2.0
//! Energy of a design's operand stage under what a workload's code really moves.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use anyhow::{ensure, Context, Result};
use gpurf_blocks::{Data, Parameters, LANES};
use gpurf_sim::config::Config;
use gpurf_sim::engines::Engines;
use gpurf_sim::sm::{Design, Gpu, SharedLoads};
use gpurf_sim::stage_recording::{Checks, Events, Record, Recorder, TokenValues};
use gpurf_synth::power::{roles, Estimator, Mean, Meter, Role, Setting};
use gpurf_synth::{Circuit, Memories, MemoryEnergy, ProcessNode};
use gpurf_trace::{Reuse, Workload};
use serde::{Deserialize, Serialize};

use crate::window::{self, Follower, Netlists, Schedule};

/// Cycles of the SM between two looks at what was recorded.
const CHUNK: u64 = 4096;
/// Nets that a result keeps.
const NETS: usize = 20;
/// The part that the banks' memories are.
const MEMORIES: &str = "banks.memory.rows";

/// The measurements of one command.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MeasuredStages {
    /// Designs and inputs.
    pub names: Vec<String>,
    pub settings: Vec<String>,
    pub clock_gating: bool,
    pub sat_sweeping: bool,
    pub period_ns: f64,
    pub transition_ns: f64,
    /// The capacitance of wires is counted.
    pub wires: bool,
    pub seed: u64,
    pub windows: u64,
    pub window_cycles: u64,
    /// Only so many cycles of each run are followed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<u64>,
    /// The library of the cells.
    pub library: String,
    pub yosys: String,
    pub runs: Vec<StageRun>,
}

/// The energy of an operand stage under a workload. What a cycle takes is in femtojoules, and without leakage
/// where that is not said.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StageRun {
    pub design: String,
    /// The collectors of a sub-core.
    pub collectors: usize,
    pub workload: String,
    /// The events of the sub-core that was followed, over the whole run.
    pub events: Events,
    pub checks: Checks,
    pub windows: u64,
    pub window_cycles: u64,
    /// Instances of one module, the numbers of arrays left out, and what their cells are there for.
    pub parts: Vec<StagePart>,
    /// All cells.
    pub cells: Mean,
    /// The memories of the banks: their accesses over the whole run times what one takes, without an error.
    pub memories: Mean,
    /// Both.
    pub all: Mean,
    /// Energy that leaks away in a cycle, from cells and from memories.
    pub cell_leakage: Mean,
    pub memory_leakage: Mean,
    /// The nets that cost most.
    pub nets: Vec<(String, f64)>,
    /// Energy of an access of a bank's memory.
    pub bank_read_fj: f64,
    pub bank_write_fj: f64,
    /// Measurements of each window; they are not kept.
    #[serde(skip)]
    pub samples: Vec<WindowSample>,
}

/// A window.
#[derive(Clone, Debug)]
pub struct WindowSample {
    /// In as many cycles as changes were counted over.
    pub events: Events,
    /// The energy of the cells of each part, in a cycle.
    pub cells: Vec<f64>,
}

/// A part of the operand stage.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StagePart {
    pub name: String,
    pub roles: BTreeMap<Role, Mean>,
    pub all: Mean,
}

impl StageRun {
    /// Picojoules for each warp instruction.
    pub fn per_instruction(&self, of_cycle: Mean) -> Mean {
        of_cycle.scaled(1e-3 * self.events.cycles as f64 / self.events.instructions.max(1) as f64)
    }

    /// Picojoules for each operand read.
    pub fn per_operand(&self, of_cycle: Mean) -> Mean {
        of_cycle.scaled(1e-3 * self.events.cycles as f64 / self.events.operand_reads.max(1) as f64)
    }

    /// How many of them a warp instruction has.
    pub fn of_instruction(&self, events: u64) -> f64 {
        events as f64 / self.events.instructions.max(1) as f64
    }

    /// Picojoules that the reads of banks take for each warp instruction.
    pub fn bank_reads_pj(&self) -> f64 {
        1e-3 * self.bank_read_fj * self.of_instruction(self.events.bank_reads)
    }

    /// Picojoules that the writes of banks take for each warp instruction.
    pub fn bank_writes_pj(&self) -> f64 {
        1e-3 * self.bank_write_fj * self.of_instruction(self.events.bank_writes)
    }
}

/// The means by which a run is measured.
pub struct Measurement<'a> {
    pub config: &'a Config,
    pub memories: Memories,
    pub node: ProcessNode,
    pub setting: Setting,
    pub period_ns: f64,
    pub windows: u64,
    pub window_cycles: u64,
    /// Only so many cycles of each run are followed.
    pub first: Option<u64>,
    pub seed: u64,
}

/// The module that is the operand stage of a design, and its parameters, with all lanes of a register.
pub fn stage(design: &Design, config: &Config, seed: u64) -> Result<(&'static str, Parameters)> {
    let moves = design.switches() || design.shared_loads() != SharedLoads::APART;
    ensure!(
        !moves && design.register_cache.is_none(),
        "--design {design}: energies are those of an operand stage alone; a register cache, a multicasting unit or blocks \
         that give up their registers are not among them. Give a design without, as baseline, traditional, malekeh or bow"
    );
    let width = LANES * <u32 as Data>::WIDTH;
    Ok((design.collector.stage, Parameters { width, ..design.parameters(config, seed) }))
}

impl Measurement<'_> {
    /// Runs a workload twice: to know how long it takes, and followed by the netlists.
    pub fn run(&self, design: Design, workload: &Workload, netlists: &Netlists) -> Result<StageRun> {
        let cycles = self.simulate(design, workload, None, || Ok(()))?;
        let schedule = Schedule::drawn(cycles, self.windows, self.window_cycles, self.seed)
            .with_context(|| workload.name.clone())?;
        let (values, record) = (TokenValues::default(), Rc::new(RefCell::new(Record::default())));
        let circuit = netlists.circuit();
        let mut follower = Follower::new(netlists, values.clone(), schedule)?;
        let gauge = Gauge::new(circuit, &self.setting);
        let mut windows = vec![];
        self.simulate(design, workload, Some((record.clone(), values.clone())), || {
            let cycles = std::mem::take(&mut record.borrow_mut().cycles);
            follower.follow(&cycles, |window| windows.push(gauge.window(&window)))
        })?;
        let record = record.borrow();
        ensure!(values.are_complete(), "{}: the stream lacks values of registers", workload.name);
        ensure!(record.errors.is_empty(), "{}: {}", workload.name, record.errors[0]);
        self.result((design, workload), (*follower.events(), record.checks), circuit, &windows)
    }

    /// Runs a workload; its cycles. Whoever records is called after every few thousand cycles.
    fn simulate(
        &self,
        design: Design,
        workload: &Workload,
        record: Option<(Rc<RefCell<Record>>, TokenValues)>,
        look: impl FnMut() -> Result<()>,
    ) -> Result<u64> {
        let (config, seed) = (self.config, self.seed);
        let parameters = design.parameters(config, seed);
        let engine = |number: usize| {
            let record = record.clone().filter(|_| number == 0);
            Recorder::new(design.model(config, seed), parameters, record)
        };
        let mut gpu = Gpu::new(config, design, seed, Engines::around(config, design, engine));
        if let Some((_, values)) = &record {
            gpu.clock_every_cycle();
            gpu.listen(Box::new(values.clone()));
        }
        let reuse = Reuse { threshold: config.rthld, ..Reuse::default() };
        gpu.limit_cycles(self.first.unwrap_or(u64::MAX));
        gpu.run_in_steps(workload, Some(&reuse), CHUNK, look)?;
        Ok(gpu.cycles())
    }

    /// The energy of an access of a bank, and the leakage of all banks in nanowatts. All have memories of
    /// one kind.
    fn banks(&self, circuit: &Circuit) -> Result<(MemoryEnergy, f64)> {
        let energies = circuit.memories.iter().map(|memory| {
            let energy = self.memories.access(memory.rows, memory.width, memory.ports());
            Ok(energy.with_context(|| memory.name.clone())?.at(&self.node))
        });
        let energies: Vec<MemoryEnergy> = energies.collect::<Result<_>>()?;
        let leaking = energies.iter().map(|energy| energy.leakage_nw).sum();
        Ok((energies.into_iter().next().context("the stage has no memories")?, leaking))
    }

    /// A nanowatt over a nanosecond is 10⁻³ femtojoules.
    fn leaked(&self, leakage_nw: f64) -> f64 {
        1e-3 * leakage_nw * self.period_ns
    }

    fn result(
        &self,
        (design, workload): (Design, &Workload),
        (events, checks): (Events, Checks),
        circuit: &Circuit,
        windows: &[Window],
    ) -> Result<StageRun> {
        let controls: Vec<Vec<f64>> = windows.iter().map(|window| window.events.controls()).collect();
        let estimator = Estimator::new(&controls, &events.controls());
        let mean =
            |value: &dyn Fn(&Window) -> f64| estimator.mean(&windows.iter().map(value).collect::<Vec<_>>());
        let names: BTreeSet<&str> =
            windows.iter().flat_map(|window| window.parts.keys().map(|(name, _)| name.as_str())).collect();
        let of_role = |window: &Window, name: &str, role| {
            window.parts.get(&(name.to_string(), role)).copied().unwrap_or(0.0)
        };
        let of_part = |window: &Window, name: &str| -> f64 {
            Role::ALL.into_iter().map(|role| of_role(window, name, role)).sum()
        };
        let parts = names.into_iter().map(|name| {
            let has = |role: &Role| {
                windows.iter().any(|window| window.parts.contains_key(&(name.to_string(), *role)))
            };
            let roles = Role::ALL.into_iter().filter(has);
            StagePart {
                name: name.to_string(),
                roles: roles.map(|role| (role, mean(&|window| of_role(window, name, role)))).collect(),
                all: mean(&|window| of_part(window, name)),
            }
        });
        let mut parts: Vec<StagePart> = parts.collect();
        parts.sort_by(|a, b| b.all.mean.total_cmp(&a.all.mean));
        let samples = windows.iter().map(|window| WindowSample {
            events: window.events,
            cells: parts.iter().map(|part| of_part(window, &part.name)).collect(),
        });
        let samples = samples.collect();
        let (bank, bank_leakage_nw) = self.banks(circuit)?;
        let accesses = events.bank_reads as f64 * bank.read_fj + events.bank_writes as f64 * bank.write_fj;
        let memories = Mean::exact(accesses / events.cycles as f64);
        parts.insert(
            0,
            StagePart {
                name: MEMORIES.to_string(),
                roles: BTreeMap::from([(Role::Memories, memories)]),
                all: memories,
            },
        );
        let mut nets: Vec<(String, f64)> = vec![];
        for (net, name) in circuit.nets.iter().enumerate() {
            let energy: f64 = windows.iter().map(|window| window.nets[net]).sum();
            if energy > 0.0 {
                nets.push((name.clone(), energy / windows.len() as f64));
            }
        }
        nets.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        nets.truncate(NETS);
        let cells = mean(&|window| window.parts.values().sum());
        Ok(StageRun {
            design: design.to_string(),
            collectors: design.collectors(self.config),
            workload: workload.name.clone(),
            events,
            checks,
            windows: windows.len() as u64,
            window_cycles: self.window_cycles,
            parts,
            cells,
            memories,
            all: cells + memories,
            cell_leakage: mean(&|window| self.leaked(window.leakage_nw)),
            memory_leakage: Mean::exact(self.leaked(bank_leakage_nw)),
            nets,
            bank_read_fj: bank.read_fj,
            bank_write_fj: bank.write_fj,
            samples,
        })
    }
}

/// Measurements of one window, in femtojoules in a cycle.
struct Window {
    events: Events,
    /// The parts of the cells.
    parts: BTreeMap<(String, Role), f64>,
    leakage_nw: f64,
    /// The energy of each net.
    nets: Vec<f64>,
}

/// Energies of one netlist, window by window.
struct Gauge<'a> {
    meter: Meter<'a>,
    /// Parts, and what their cells are there for.
    shares: Vec<(String, Role)>,
    /// The places there of each instance's energies: at its clock pin, and elsewhere.
    places: Vec<[usize; 2]>,
    /// The place of the clock's net.
    clock: usize,
}

impl<'a> Gauge<'a> {
    fn new(circuit: &'a Circuit<'a>, setting: &Setting) -> Gauge<'a> {
        let mut known: BTreeMap<(&str, Role), usize> = BTreeMap::new();
        let mut place = |path, role| {
            let next = known.len();
            *known.entry((path, role)).or_insert(next)
        };
        let clock = place("", Role::Clock);
        let places = circuit.instances.iter().map(|instance| {
            let (at_clock, elsewhere) = roles(instance);
            [at_clock, elsewhere].map(|role| place(instance.path(), role))
        });
        let places = places.collect();
        let mut shares = vec![(String::new(), Role::Clock); known.len()];
        for ((path, role), place) in known {
            shares[place] = (part(path), role);
        }
        Gauge { meter: Meter::new(circuit, setting), shares, places, clock }
    }

    /// Energies of the cells, and what leaks away.
    fn window(&self, window: &window::Window) -> Window {
        let power = self.meter.power(window.activity);
        let mut sums = vec![0.0; self.shares.len()];
        sums[self.clock] = power.clock.dynamic_fj();
        for ([at_clock, elsewhere], (clock, rest)) in self.places.iter().zip(&power.instances) {
            sums[*at_clock] += clock.dynamic_fj();
            sums[*elsewhere] += rest.dynamic_fj();
        }
        let mut parts: BTreeMap<(String, Role), f64> = BTreeMap::new();
        for (share, energy) in self.shares.iter().zip(sums) {
            *parts.entry(share.clone()).or_default() += energy;
        }
        Window {
            events: window.events,
            parts,
            leakage_nw: power.total().leakage_nw,
            nets: power.nets.iter().map(|net| net.energy_fj).collect(),
        }
    }
}

/// The part that an instance belongs to: `collectors[0].each.table` is `collectors.table`.
fn part(path: &str) -> String {
    let names = path.split('.').filter(|name| !name.is_empty() && *name != "each");
    let names: Vec<&str> = names.map(|name| name.split('[').next().unwrap_or(name)).collect();
    if names.is_empty() {
        "crossbar".to_string()
    } else {
        names.join(".")
    }
}

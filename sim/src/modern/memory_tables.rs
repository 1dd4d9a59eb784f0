// SPDX-License-Identifier: Apache-2.0
//! H's Tables 1 and 2, and the SM's cycles beside them: when memory instructions issue, and how long their
//! sources and results keep others from it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use gpurf_trace::{
    Command, Control, Instruction, Kernel, KernelHeader, ListedControl, Program, Register, ThreadBlock,
    Workload,
};
use serde::Deserialize;

use crate::config::Config;
use crate::engines::Engines;
use crate::sm::{Design, Gpu, PipelineInstruction, PipelineListener};

/// Both tables, as H has them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryTables {
    /// Table 1.
    pub rates: Vec<IssueRates>,
    /// Table 2.
    pub latencies: Vec<MemoryLatency>,
}

/// Cycles in which memory instructions issue while so many sub-cores have a warp.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IssueRates {
    /// Sub-cores with a warp.
    pub sub_cores: usize,
    /// By the number of the instruction, and by sub-core.
    pub cycles: Vec<Vec<u64>>,
    /// Cycles from each instruction to the next, behind those.
    pub further: u64,
}

/// Latencies of an instruction, for 32, 64 and 128 bits a lane.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryLatency {
    /// The opcode.
    pub code: String,
    /// The registers that its address is in.
    pub address: AddressRegister,
    /// Cycles to the issue of an instruction that overwrites its sources.
    pub war: Vec<u64>,
    /// Cycles to the issue of one that uses its result; none of a store.
    #[serde(default)]
    pub raw: Vec<u64>,
    /// Widths whose latencies H could not measure.
    #[serde(default)]
    pub approximate: Vec<u64>,
}

/// The registers that an address is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AddressRegister {
    /// Uniform ones; of a constant, none.
    Uniform,
    /// A register of each lane.
    Regular,
}

/// Widths of Table 2, in bits a lane.
pub const WIDTHS: [u64; 3] = [32, 64, 128];
/// The cycle of the first issue, as H counts.
const FIRST_CYCLE: u64 = 2;
const LANES: u64 = 32;

impl MemoryTables {
    /// H's figures.
    pub fn of_h() -> MemoryTables {
        toml::from_str(include_str!("memory_tables.toml")).expect("tests read them")
    }
}

impl IssueRates {
    /// Cycles of instruction `number`, from 0, for each sub-core.
    pub fn cycles_of(&self, number: usize) -> Vec<u64> {
        let last = self.cycles.len() - 1;
        let beyond = number.saturating_sub(last) as u64 * self.further;
        self.cycles[number.min(last)].iter().map(|cycle| cycle + beyond).collect()
    }

    /// The same on the SM, of so many instructions: loads from shared memory without conflicts.
    pub fn measure(&self, config: &Config, count: usize) -> Vec<Vec<u64>> {
        let load = Line { pauses: 1, ..Line::memory("LDS", AddressRegister::Regular, 32) };
        let lines: Vec<Line> = (0..count).map(|_| load.clone()).collect();
        let issues = issues(config, self.sub_cores, &lines);
        let first = issues.iter().map(|cycles| cycles[0]).min().unwrap_or(0);
        (0..count)
            .map(|number| issues.iter().map(|cycles| cycles[number] - first + FIRST_CYCLE).collect())
            .collect()
    }
}

impl MemoryLatency {
    /// Widths that it stands for.
    pub fn widths(&self) -> impl Iterator<Item = u64> {
        WIDTHS.into_iter().take(self.war.len())
    }

    /// `LDG.128`.
    pub fn name(&self, width: u64) -> String {
        format!("{}{}", self.code, suffix(width))
    }

    /// On the SM: cycles to the issue of an instruction that overwrites its sources.
    pub fn measure_war(&self, config: &Config, width: u64) -> u64 {
        self.measure(config, width, |line| {
            line.control = line.control.with_read_barrier(AWAITED);
            // The last regular source, if there is one.
            ("MOV", line.sources.iter().rev().find_map(|source| vector(*source)), vec![])
        })
    }

    /// On the SM: cycles to the issue of one that uses its result.
    pub fn measure_raw(&self, config: &Config, width: u64) -> u64 {
        self.measure(config, width, |line| {
            line.control = line.control.with_write_barrier(AWAITED);
            ("MOV", Some(UNUSED), line.destination.into_iter().collect())
        })
    }

    /// Cycles from the issue of the instruction to that of one behind it, which waits for a counter. Before
    /// it, the same address is loaded, so that it hits.
    fn measure(
        &self,
        config: &Config,
        width: u64,
        follow: impl FnOnce(&mut Line) -> (&'static str, Option<u8>, Vec<u8>),
    ) -> u64 {
        let mut load = Line::memory("LDG", AddressRegister::Regular, 128);
        load.control = load.control.with_write_barrier(WARM);
        let waits = Line { control: Line::CONTROL.with_wait_mask(1 << WARM), ..Line::simple("NOP") };
        let mut line = Line::memory(&self.code, self.address, width);
        let (opcode, destination, sources) = follow(&mut line);
        let follower = Line {
            destination,
            sources: sources.into_iter().map(Register::vector).collect(),
            control: Line::CONTROL.with_wait_mask(1 << AWAITED),
            ..Line::simple(opcode)
        };
        let issues = issues(config, 1, &[load, waits, line, follower]);
        issues[0][3] - issues[0][2]
    }
}

/// Dependence counters: of the load that warms L1, and of what is measured.
const WARM: u8 = 0;
const AWAITED: u8 = 1;
/// A register that no instruction measured has.
const UNUSED: u8 = 30;
/// Registers: address, its place in shared memory, data.
const ADDRESS: u8 = 2;
const PLACE: u8 = 4;
const DATA: u8 = 8;

fn suffix(width: u64) -> &'static str {
    match width {
        64 => ".64",
        128 => ".128",
        _ => "",
    }
}

fn vector(register: Register) -> Option<u8> {
    match register {
        Register::Vector(register) => Some(register.0),
        Register::Uniform(_) => None,
    }
}

/// An instruction of the code that is measured.
#[derive(Clone)]
struct Line {
    opcode: String,
    destination: Option<u8>,
    sources: Vec<Register>,
    /// Bits a lane moves, if it has addresses.
    width: u64,
    control: Control,
    pauses: u8,
}

impl Line {
    const CONTROL: Control = Control::PLAIN;

    fn simple(opcode: &str) -> Line {
        Line {
            opcode: opcode.into(),
            destination: None,
            sources: vec![],
            width: 0,
            control: Line::CONTROL,
            // A counter is seen two cycles behind the instruction that raises it.
            pauses: 2,
        }
    }

    fn memory(code: &str, address: AddressRegister, width: u64) -> Line {
        let address = match address {
            AddressRegister::Uniform if code == "LDC" => vec![],
            AddressRegister::Uniform => vec![Register::Uniform(ADDRESS)],
            AddressRegister::Regular => vec![Register::vector(ADDRESS)],
        };
        let data = Register::vector(DATA);
        let (destination, sources) = match code {
            "STG" | "STS" => (None, [address, vec![data]].concat()),
            "LDGSTS" => (None, [vec![Register::vector(PLACE)], address].concat()),
            _ => (Some(DATA), address),
        };
        // A stream has no addresses of constants.
        let bits = if code == "LDC" { 0 } else { width };
        Line { destination, sources, width: bits, ..Line::simple(&format!("{code}{}", suffix(width))) }
    }
}

/// The cycles in which each sub-core's warp issues these instructions.
fn issues(config: &Config, sub_cores: usize, lines: &[Line]) -> Vec<Vec<u64>> {
    let mut program = Program::default();
    let mut block = ThreadBlock::new([0; 3]);
    let mut places = BTreeMap::new();
    let exit = Line::simple("EXIT");
    for warp in 0..sub_cores {
        block.begin_warp(warp as u32);
        for (number, line) in lines.iter().chain([&exit]).enumerate() {
            let pc = 16 * number as u32;
            let bytes = line.width / 8;
            let instruction = Instruction {
                pc,
                opcode: &line.opcode,
                destination: line.destination.map(Register::vector),
                sources: &line.sources,
                width: bytes as u16,
                immediates: [0; 2],
            };
            let addresses: Vec<u64> = (0..LANES).map(|lane| lane * bytes).collect();
            let addresses = if bytes == 0 { &[][..] } else { &addresses[..] };
            let place = program.intern(&instruction).expect("the opcodes are known");
            block.push(place, u32::MAX, addresses);
            let control = line.control.with_stall(line.pauses);
            places.insert(pc, ListedControl { control, limit: None, operands: vec![] });
        }
    }
    let header = KernelHeader {
        name: "memory".into(),
        grid: [1; 3],
        block: [LANES as u32 * sub_cores as u32, 1, 1],
        nregs: 32,
        ..KernelHeader::default()
    };
    let kernel = Kernel::in_memory(header, program, vec![block]).with_control_bits(Arc::new(places));
    let workload = Workload { name: "memory".into(), commands: vec![Command::Kernel(kernel)] };
    let mut gpu = Gpu::new(config, Design::MODERN, 1, Engines::models(config, Design::MODERN, 1));
    let heads = Heads::default();
    gpu.listen(Box::new(heads.clone()));
    gpu.run(&workload, None).expect("the code runs");
    assert!(gpu.statistics("model", 0).is_sound(), "the code has right operands");
    let begun = heads.0.lock().unwrap_or_else(PoisonError::into_inner);
    // An instruction issues when the next one comes to the head of its warp's buffer.
    (0..sub_cores)
        .map(|warp| (1..=lines.len()).map(|number| begun[&(warp as u16, 16 * number as u32)]).collect())
        .collect()
}

/// The cycle in which each instruction comes to the head of its warp's buffer, by warp and place.
#[derive(Clone, Default)]
struct Heads(Arc<Mutex<BTreeMap<(u16, u32), u64>>>);

impl PipelineListener for Heads {
    fn begin(&mut self, cycle: u64, instruction: &PipelineInstruction) {
        let mut begun = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        begun.insert((instruction.warp, instruction.pc), cycle);
    }
}

// SPDX-License-Identifier: Apache-2.0
//! Constants of the simulated machine: defaults, a user's file, single settings.
//!
//! Hardware parameters have their defaults where they are declared, in `gpurf_blocks`. `config/turing.toml`
//! holds every other constant with its unit and source. A user's file names what it changes; `key=value`
//! changes one.

// `config/turing.toml` documents every constant.
#![allow(missing_docs)]

mod check;
mod describe;
mod load;

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::{Parameters, LANES, MAX_ROWS, MAX_WARPS, MIN_WARPS, SUB_CORES};
use gpurf_trace::{Memory, MemoryAccess, MemorySpace, StaticInstruction};
use serde::{Deserialize, Serialize};

/// Registers of a lane that so many bytes take; one for an instruction that moves none.
pub(crate) fn registers_a_lane(bytes: u64) -> u64 {
    bytes.div_ceil(4).max(1)
}

pub use check::{LINE, MAX_BUFFER, OWN_STHLD, READ_IN_WINDOW};
pub use describe::{constants, preset};
pub use load::{ConfigError, FINEREG, PRESETS, TURING};

/// All constants. The TOML file documents each field but the first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Parameters of the register-file hardware. What a design sets of them is of no meaning here.
    #[serde(skip_deserializing, serialize_with = "load::settable")]
    pub hardware: Parameters,
    pub sms: usize,
    pub sthld: Sthld,
    pub sthld_counter: SthldCounter,
    pub rthld: u32,
    pub operands: OperandSelection,
    pub organisation: Organisation,
    pub finereg: FineReg,
    pub sm: Limits,
    pub int: Timing,
    pub fp32: Timing,
    pub half: Timing,
    pub fp64: Timing,
    pub sfu: Timing,
    pub tensor: Timing,
    pub branch: Timing,
    pub uniform: Timing,
    pub control: Control,
    pub fixed: Fixed,
    pub front: FrontConfig,
    pub constant: Constant,
    pub load_store: LoadStore,
    pub memory: MemoryPipeline,
    pub shared: Shared,
    pub mlds: Mlds,
    pub local: Local,
    pub l1: L1Config,
    pub l2: L2Config,
    pub dram: Dram,
}

/// Which warps a warp scheduler chooses from. F Fig. 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Organisation {
    /// Each sub-core's scheduler from its own.
    SubCores,
    /// One scheduler from those of the SM; it issues one instruction per cycle.
    Monolithic,
}

/// Which operands an instruction has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "lowercase")]
pub enum OperandSelection {
    /// All registers that it reads and writes, each once, without RZ.
    Registers,
    /// The ones that its trace names: [`gpurf_trace::Kernel::with_named_operands`].
    Named,
}

/// STHLD, the time that an allocation waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(
    untagged,
    expecting = "`sthld` is a number of cycles, 0 to 31 (to 255 with sthld_counter=sm), or \"adaptive\""
)]
pub enum Sthld {
    /// In cycles, for the whole run.
    Fixed(u32),
    Adaptive(Adaptive),
}

/// The part of an SM that counts waits for STHLD.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SthldCounter {
    /// Each sub-core those of its own.
    SubCores,
    /// The SM those of all of them together.
    Sm,
}

/// The controller of F §IV-B3 sets STHLD at the end of each interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "lowercase")]
pub enum Adaptive {
    Adaptive,
}

/// FineReg and the designs it is compared with. R.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(deny_unknown_fields)]
pub struct FineReg {
    pub transfer_port: bool,
    pub context_cycles: u64,
    pub contexts_beside: bool,
    pub prefer: Prefer,
    pub ready: Ready,
    pub dram_ctas: usize,
    pub srp: usize,
    pub brs: usize,
    pub renaming: bool,
    pub window: u64,
    pub stalled: Stalled,
}

/// Which CTA takes the place of a stalled one, if there is a choice. R §V-B and §V-E differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "lowercase")]
pub enum Prefer {
    /// One that was not launched yet.
    New,
    /// A pending one that can go on.
    Ready,
}

/// Which warps count as stalled where CTAs are watched and not switched. R Table III does not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stalled {
    /// The ones that would be switched: at a barrier, or waiting for a load that missed, with nothing else
    /// under way.
    Missed,
    /// At a barrier, or waiting for any load.
    Loads,
    /// All that cannot issue.
    Any,
}

/// When a pending CTA can go on. R does not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ready {
    /// As soon as one of its warps can.
    Any,
    /// When no warp waits for memory any more.
    All,
}

/// Room of an SM, and the start of its kernels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    pub warps: usize,
    pub threads: usize,
    pub blocks: usize,
    pub registers: usize,
    pub register_granularity: usize,
    pub shared_memory: u64,
    pub block_shared_memory: u64,
    pub launch_latency: u64,
    pub result_registers: u64,
}

/// An execution unit, in cycles.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(deny_unknown_fields)]
pub struct Timing {
    /// From dispatch to write-back.
    pub latency: u64,
    /// Between two dispatches to the unit.
    pub initiation: u64,
}

/// `BAR` and `EXIT`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(deny_unknown_fields)]
pub struct Control {
    pub unit: ControlUnit,
    pub latency: u64,
    pub initiation: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "lowercase")]
pub enum ControlUnit {
    Int,
    Branch,
}

/// Latencies of a core without collectors, in cycles from the issue of an instruction to that of one that
/// uses its result in the same pipe.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(deny_unknown_fields)]
pub struct Fixed {
    pub int: u64,
    pub fp32: u64,
    pub half: u64,
    pub uniform: u64,
    pub branch: u64,
}

/// The instruction front of a sub-core without collectors.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(deny_unknown_fields)]
pub struct FrontConfig {
    pub kind: FrontKind,
    pub buffer: usize,
    pub l0_sets: usize,
    pub l0_ways: usize,
    pub stream_buffer: usize,
    pub l1_latency: u64,
    pub branch: u64,
    pub constant_sets: usize,
    pub constant_ways: usize,
    pub constant_latency: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "snake_case")]
pub enum FrontKind {
    /// Every warp has its next instruction and its constants.
    Ideal,
    /// Instruction buffers, L0 caches of instructions and constants, and a stream buffer.
    Caches,
}

/// Loads of constants into registers, `LDC`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(deny_unknown_fields)]
pub struct Constant {
    pub unit: ConstantUnit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConstantUnit {
    /// As an integer instruction.
    Int,
    /// With the latency of L1.
    LoadStore,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(deny_unknown_fields)]
pub struct LoadStore {
    pub queue: usize,
    pub takes_idle: bool,
}

/// The way of memory instructions from a sub-core without collectors. Latencies count in cycles from the
/// issue of an instruction to that of one that overwrites its sources (`war`) or uses its result (`raw`). Two
/// stand for addresses in uniform registers and in regular ones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryPipeline {
    pub pipeline: MemoryWay,
    pub address_interval: u64,
    pub shared_interval: u64,
    pub return_cycles: u64,
    pub store_cycles: u64,
    pub global_load_war: [u64; 2],
    pub global_load_raw: [u64; 2],
    pub global_store_war: [u64; 2],
    pub shared_load_war: [u64; 2],
    pub shared_load_raw: [u64; 2],
    pub shared_store_war: [u64; 2],
    pub constant_war: [u64; 2],
    pub constant_raw: [u64; 2],
    pub copy_war: u64,
    pub copy_raw: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemoryWay {
    /// A queue of each sub-core before the load/store unit.
    Queues,
    /// An address unit in each sub-core, and the rates and latencies of H's Tables 1 and 2.
    AddressUnits,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(deny_unknown_fields)]
pub struct Shared {
    pub latency: u64,
    pub banks: usize,
    pub first_words: bool,
}

/// Which loads from shared memory are multicasting loads (MLDS), and what they take.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(deny_unknown_fields)]
pub struct Mlds {
    pub loads: Marking,
    pub beside_darsie: BesideDarsie,
    pub transfers: u64,
}

/// Which multicasting loads go to the multicasting unit under DARSIE, which serves the warps of a sub-core by
/// itself. I §5.2.2 does not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "snake_case")]
pub enum BesideDarsie {
    /// The ones that a warp of another sub-core performs alike, as the profile finds.
    OtherSubCores,
    /// All, as without DARSIE.
    All,
}

/// Which loads from shared memory are multicasting loads. I §3.4.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Marking {
    /// All.
    All,
    /// The ones that warps perform alike, as a profile of the kernel's first blocks finds, if no two warps
    /// would get each other's data.
    Redundant,
    /// The ones at these places in the code.
    At(Vec<u32>),
}

impl TryFrom<String> for Marking {
    type Error = String;

    fn try_from(text: String) -> Result<Marking, String> {
        let place = |place: &str| {
            let digits = place.trim();
            u32::from_str_radix(digits.strip_prefix("0x").unwrap_or(digits), 16).map_err(|_| {
                format!(
                    "`mlds.loads` is \"all\", \"redundant\" or program counters such as \"0x0c50,0x0c60\", \
                     not \"{text}\""
                )
            })
        };
        match text.as_str() {
            "all" => Ok(Marking::All),
            "redundant" => Ok(Marking::Redundant),
            _ => Ok(Marking::At(text.split(',').map(place).collect::<Result<_, _>>()?)),
        }
    }
}

impl From<Marking> for String {
    fn from(marking: Marking) -> String {
        match marking {
            Marking::All => "all".into(),
            Marking::Redundant => "redundant".into(),
            Marking::At(places) => {
                places.iter().map(|place| format!("{place:#06x}")).collect::<Vec<_>>().join(",")
            }
        }
    }
}

/// Local memory of the threads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(deny_unknown_fields)]
pub struct Local {
    pub interleaved: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(deny_unknown_fields)]
pub struct L1Config {
    pub unified: u64,
    pub carve_outs: Vec<u64>,
    pub ways: usize,
    pub sets: usize,
    pub latency: u64,
    pub banks: usize,
    pub interleaved: bool,
    pub outstanding: usize,
    pub write_back_port: bool,
    pub store_fill: bool,
    pub reserved: bool,
    pub kept_stores: usize,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(deny_unknown_fields)]
pub struct L2Config {
    pub size: u64,
    pub ways: usize,
    pub latency: u64,
    pub cycles_per_sector: u64,
    pub shared_requests: bool,
    pub partial_fill: bool,
    pub write_back: bool,
    pub copies: bool,
    pub shared: bool,
    pub slices: usize,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(deny_unknown_fields)]
pub struct Dram {
    pub latency: u64,
    pub cycles_per_sector: u64,
    pub channels: usize,
}

impl MemoryPipeline {
    /// It is that of H.
    pub fn has_address_units(&self) -> bool {
        self.pipeline == MemoryWay::AddressUnits
    }

    /// Cycles from the issue of a memory instruction to that of one that overwrites its sources. `uniform`:
    /// its address is in no regular register.
    pub fn source_cycles(&self, instruction: &StaticInstruction, uniform: bool) -> u64 {
        let Some(Memory { space, access }) = instruction.memory else { return READ_IN_WINDOW };
        let registers = registers_a_lane(u64::from(instruction.width));
        let (latencies, is_store) = match (space, access) {
            _ if instruction.copies_to_shared() => ([self.copy_war; 2], false),
            (MemorySpace::Constant, _) => (self.constant_war, false),
            (MemorySpace::Shared, MemoryAccess::Load) => (self.shared_load_war, false),
            (MemorySpace::Shared, _) => (self.shared_store_war, true),
            (_, MemoryAccess::Load) => (self.global_load_war, false),
            _ => (self.global_store_war, true),
        };
        let data = if is_store { self.store_cycles * (registers - 1) } else { 0 };
        latencies[usize::from(!uniform)] + data
    }
}

impl L1Config {
    /// Lines of a set, in a cache of so many bytes.
    pub fn ways_of(&self, size: u64) -> usize {
        match self.sets {
            0 => self.ways,
            sets => (size / LINE) as usize / sets,
        }
    }
}

impl Config {
    /// Warps that the hardware of a sub-core has room for: the least that is enough for its quarter of the
    /// SM's.
    pub fn warps(&self) -> usize {
        if self.sm.warps > SUB_CORES * MIN_WARPS {
            MAX_WARPS
        } else {
            MIN_WARPS
        }
    }

    /// Rows of a register bank; a row holds one register of a warp.
    pub fn rows(&self) -> usize {
        self.sm.registers / (SUB_CORES * LANES * self.hardware.banks)
    }

    /// Rows of a bank under vt-regmutex, whose warps keep rows for all their registers, the shared ones too:
    /// twice as many as there are, if a bank can have them.
    pub fn regmutex_rows(&self) -> usize {
        (2 * self.rows()).min(MAX_ROWS.max(self.rows()))
    }
}

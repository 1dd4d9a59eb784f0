// SPDX-License-Identifier: Apache-2.0
//! Windows of silicon: short sequences between two reads of the clock, and the cycles that lie between them
//! on a GPU and in the model.

use std::collections::BTreeMap;
use std::iter;

use gpurf_blocks::{Parameters, OPERANDS, READ_BANKS};
use gpurf_trace::{RegisterId, Unit};
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantNames};

use crate::engines::RunsModernSubCore;

use super::{bank_of, ModernSubCore, Operation, Shown, Told, NO_COUNTER};

/// Windows, and the GPUs that ran them.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Silicon {
    /// By the name that windows give.
    pub cards: BTreeMap<String, SiliconCard>,
    /// In the order of the file.
    #[serde(rename = "window")]
    pub windows: Vec<SiliconWindow>,
}

/// A GPU, and how it was measured.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct SiliconCard {
    /// Cycles for which an FP32 instruction keeps the input of its unit.
    pub fp32_initiation: u32,
    /// `8.6`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compute_capability: Option<String>,
    /// Driver, clocks, runs, date.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<String>,
}

/// A sequence, and the cycles between the clocks around it.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct SiliconWindow {
    /// The card that ran it.
    pub card: String,
    /// Instructions with `; ` between them, each with stall count 1.
    pub code: String,
    /// Cycles on the card.
    pub silicon: u64,
    /// Cycles of the model under the rule `packed`, where they are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub packed: Option<u64>,
    /// Cycles of the model under the rule `held`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<u64>,
}

impl Silicon {
    /// The windows that come with the project.
    pub fn built_in() -> Silicon {
        Silicon::parse(include_str!("windows.toml")).expect("tests read them")
    }

    /// Windows of a TOML file, each with its card and with code that can be run.
    pub fn parse(text: &str) -> Result<Silicon, String> {
        let silicon: Silicon = toml::from_str(text).map_err(|error| error.to_string())?;
        for SiliconWindow { card, code, .. } in &silicon.windows {
            let known = silicon.cards.get(card);
            let known = known.ok_or(format!("`{code}` is of `{card}`: add a table `[cards.\"{card}\"]`"))?;
            if !(1..=4).contains(&known.fp32_initiation) {
                return Err(format!("`fp32_initiation` of `{card}` must lie between 1 and 4"));
            }
            ClockedInstruction::sequence(code)?;
        }
        Ok(silicon)
    }

    /// Cycles of a window in the model.
    pub fn cycles(&self, window: &SiliconWindow, parameters: &Parameters) -> u64 {
        let code = ClockedInstruction::sequence(&window.code).expect("windows have code that can be run");
        cycles(&code, self.cards[&window.card].fp32_initiation, parameters)
    }
}

/// The operation of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "UPPERCASE")]
pub enum ClockedOpcode {
    /// Nothing.
    Nop,
    /// A copy, in the integer unit.
    Mov,
    /// The sum of three integers.
    Iadd3,
    /// The sum of two floats.
    Fadd,
    /// A product and a sum of floats.
    Ffma,
    /// A read of the clock, which stands at both ends.
    #[strum(serialize = "CS2R.32")]
    Clock,
}

impl ClockedOpcode {
    /// The unit that it goes to.
    pub fn unit(self) -> Unit {
        match self {
            ClockedOpcode::Nop => Unit::Branch,
            ClockedOpcode::Mov | ClockedOpcode::Iadd3 | ClockedOpcode::Clock => Unit::Int,
            ClockedOpcode::Fadd | ClockedOpcode::Ffma => Unit::Fp32,
        }
    }

    /// Registers or RZ that it reads.
    fn sources(self) -> usize {
        match self {
            ClockedOpcode::Nop | ClockedOpcode::Clock => 0,
            ClockedOpcode::Mov => 1,
            ClockedOpcode::Fadd => 2,
            ClockedOpcode::Iadd3 | ClockedOpcode::Ffma => 3,
        }
    }
}

/// An instruction of a window, with stall count 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockedInstruction {
    /// The operation.
    pub opcode: ClockedOpcode,
    /// The register of its result; RZ is none.
    pub destination: Option<u8>,
    /// Registers that it reads, by place.
    pub sources: [Option<u8>; OPERANDS],
    /// Operands that stay in the reuse cache, by place.
    pub reuse: u8,
}

impl ClockedInstruction {
    /// The most instructions of a window.
    pub const MOST: usize = 12;

    /// The clock, which stands at both ends.
    pub const CLOCK: ClockedInstruction = ClockedInstruction {
        opcode: ClockedOpcode::Clock,
        destination: None,
        sources: [None; OPERANDS],
        reuse: 0,
    };

    /// Instructions with `; ` between them.
    pub fn sequence(code: &str) -> Result<Vec<ClockedInstruction>, String> {
        let code: Vec<_> = code.split("; ").map(Self::parse).collect::<Result<_, _>>()?;
        match code.len() {
            1..=Self::MOST => Ok(code),
            length => Err(format!("{length} instructions: a window has {} at most", Self::MOST)),
        }
    }

    /// As it is written: `FFMA R12, R10.reuse, R6, R8`.
    pub fn parse(text: &str) -> Result<ClockedInstruction, String> {
        let (name, operands) = text.split_once(' ').unwrap_or((text, ""));
        let opcode: ClockedOpcode = name
            .parse()
            .map_err(|_| format!("`{text}`: write one of {}", ClockedOpcode::VARIANTS.join(", ")))?;
        let mut instruction = ClockedInstruction { opcode, ..ClockedInstruction::CLOCK };
        let operands: Vec<&str> = operands.split(", ").filter(|operand| !operand.is_empty()).collect();
        let expected = opcode.sources() + usize::from(opcode != ClockedOpcode::Nop);
        if operands.len() != expected {
            return Err(format!("`{text}`: write {expected} operands, with `, ` between them"));
        }
        for (place, text) in operands.into_iter().enumerate() {
            let (register, stays) = text.strip_suffix(".reuse").map_or((text, false), |rest| (rest, true));
            let number = match register {
                "RZ" => None,
                _ => Some(number(register).ok_or(format!("`{text}`: write R0 to R31, or RZ"))?),
            };
            match place.checked_sub(1) {
                None if stays => return Err(format!("`{text}`: a result is not reused")),
                None => instruction.destination = number,
                Some(operand) => {
                    instruction.sources[operand] = number;
                    instruction.reuse |= u8::from(stays) << operand;
                }
            }
        }
        Ok(instruction)
    }
}

fn number(register: &str) -> Option<u8> {
    register.strip_prefix('R')?.parse().ok().filter(|&number| number < 32)
}

/// Cycles between the clocks around this code in the model of the sub-core, whose warps have no other work.
fn cycles(code: &[ClockedInstruction], fp32_initiation: u32, parameters: &Parameters) -> u64 {
    let clock = &ClockedInstruction::CLOCK;
    let code: Vec<ClockedInstruction> = iter::once(clock).chain(code).chain([clock]).copied().collect();
    let mut model = ModernSubCore::<u32>::new(parameters);
    let mut busy = [0u32; 8];
    let (mut next, mut first) = (0, None);
    for cycle in 0.. {
        let mut told = Told::default();
        told.unit_ready = (0..8).fold(0, |ready, unit| ready | u32::from(busy[unit] == 0) << unit);
        if let Some(instruction) = code.get(next) {
            (told.present, told.heads[0]) = (1, operation(instruction));
            told.heads[0].instruction.payload = next as u32;
        }
        let mut shown = Shown::default();
        model.cycle(&told, &mut shown);
        if !shown.held {
            busy.iter_mut().for_each(|busy| *busy = busy.saturating_sub(1));
        }
        match (shown.controlled().map(|number| number as usize), first) {
            (Some(0), _) => first = Some(cycle),
            (Some(number), Some(first)) if number + 1 == code.len() => return cycle - first,
            _ => {}
        }
        if shown.issued.is_some() {
            let unit = code[next].opcode.unit();
            busy[unit as usize] = match unit {
                Unit::Int => 1,
                Unit::Fp32 => fp32_initiation - 1,
                _ => 0,
            };
            next += 1;
        }
    }
    unreachable!("each instruction leaves")
}

/// The instruction as the head of a warp.
fn operation(instruction: &ClockedInstruction) -> Operation {
    let mut operation = Operation { stall: 1, counters: [NO_COUNTER; 2], ..Operation::default() };
    operation.instruction.unit = instruction.opcode.unit() as u8;
    operation.reuse = instruction.reuse;
    for (operand, register) in instruction.sources.iter().enumerate() {
        let Some(number) = *register else { continue };
        let source = READ_BANKS * operand + bank_of(RegisterId(number));
        operation.instruction.sources.valid |= 1 << source;
        operation.instruction.sources.registers[source] = number;
    }
    operation
}

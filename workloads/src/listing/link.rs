// SPDX-License-Identifier: Apache-2.0
//! Puts addresses instead of names, and functions behind the kernels that may call them.
//!
//! Compiled with `-rdc=true` or `-G`, functions stand in sections of their own. They lie behind the longest
//! kernel, at the same place in the code of every kernel that may come to one, so that the address of a
//! function means the same everywhere.

use std::collections::{BTreeMap, HashMap};

use gpurf_trace::Control;

use super::operand::{Instruction, Operand, Predicate};
use super::{Data, Kernel, INSTRUCTION_BYTES};

/// The code of a section.
pub(super) struct Text {
    /// Or a function.
    pub kernel: Kernel,
    /// True if the listing says that it can be launched.
    pub entry: bool,
    /// Places in it by name.
    pub labels: HashMap<String, u32>,
    /// Numbers say where its branches go.
    pub is_dumped: bool,
}

impl Text {
    pub fn new(kernel: Kernel) -> Text {
        Text { kernel, entry: false, labels: HashMap::new(), is_dumped: false }
    }

    fn bytes(&self) -> u32 {
        self.kernel.instructions.len() as u32 * INSTRUCTION_BYTES
    }
}

/// Functions begin at multiples of so many bytes.
const ALIGNMENT: u32 = 128;

/// Kernels, and the places of functions.
pub(super) fn link(texts: Vec<Text>, constants: &Data) -> (Vec<Kernel>, BTreeMap<String, u32>) {
    // Code alone does not tell kernels from functions.
    let told = texts.iter().any(|text| text.entry);
    let (mut kernels, mut functions): (Vec<Text>, Vec<Text>) =
        texts.into_iter().partition(|text| text.entry || !told);
    let mut end = kernels.iter().map(Text::bytes).max().unwrap_or_default();
    let mut places = BTreeMap::new();
    let mut names = HashMap::new();
    for function in &functions {
        let start = end.next_multiple_of(ALIGNMENT);
        places.insert(function.kernel.name.clone(), start);
        names.extend(function.labels.iter().map(|(label, pc)| (label.clone(), start + pc)));
        end = start + function.bytes();
    }
    names.extend(places.iter().map(|(name, start)| (name.clone(), *start)));
    for function in &mut functions {
        let start = places[&function.kernel.name];
        resolve(function, start, &names, constants);
    }
    for kernel in &mut kernels {
        let calls = resolve(kernel, 0, &names, constants);
        if calls && !functions.is_empty() {
            append(&mut kernel.kernel, &functions, &places);
        }
    }
    (kernels.into_iter().map(|text| text.kernel).collect(), places)
}

/// Resolves the names in code that begins at `start`. Whether it may leave its section.
fn resolve(text: &mut Text, start: u32, names: &HashMap<String, u32>, constants: &Data) -> bool {
    let mut leaves = false;
    let end = i64::from(text.bytes());
    for instruction in &mut text.kernel.instructions {
        if let (true, Some(place)) = (text.is_dumped && jumps(instruction), instruction.operands.last_mut()) {
            match *place {
                Operand::Integer(pc) if (0..end).contains(&pc) && pc % i64::from(INSTRUCTION_BYTES) == 0 => {
                    *place = Operand::Target(pc as u32);
                }
                _ => {}
            }
        }
        leaves |= instruction.opcode.starts_with("CALL.ABS") || instruction.opcode.starts_with("JMP");
        for operand in &mut instruction.operands {
            let symbol = match operand {
                Operand::Label(symbol) | Operand::Half { symbol, .. } => &*symbol,
                _ => continue,
            };
            let inside = text.labels.get(symbol).map(|pc| start + pc);
            let outside = names.get(symbol).copied();
            leaves |= inside.is_none() && outside.is_some();
            let variable = constants.symbols.get(symbol).map(|(offset, _)| *offset);
            match (&*operand, inside.or(outside), variable) {
                (Operand::Label(_), Some(pc), _) => *operand = Operand::Target(pc),
                (Operand::Label(_), None, Some(offset)) => *operand = Operand::Integer(offset.into()),
                (Operand::Half { addend, upper, .. }, Some(place), _)
                | (Operand::Half { addend, upper, .. }, None, Some(place)) => {
                    let address = u64::from(place).wrapping_add(*addend);
                    *operand =
                        Operand::Integer(if *upper { (address >> 32) as i64 } else { address as u32 as i64 });
                }
                _ => {}
            }
        }
    }
    leaves
}

/// Returns true if an instruction names a place in the code.
fn jumps(instruction: &Instruction) -> bool {
    let base = instruction.opcode.split('.').next().unwrap_or_default();
    matches!(base, "BRA" | "BSSY" | "CALL" | "RET")
}

/// Puts functions behind a kernel, each with its own literals behind those of the kernel.
fn append(kernel: &mut Kernel, functions: &[Text], places: &BTreeMap<String, u32>) {
    for Text { kernel: function, .. } in functions {
        let start = places[&function.name];
        while (kernel.instructions.len() as u32) * INSTRUCTION_BYTES < start {
            let pc = kernel.instructions.len() as u32 * INSTRUCTION_BYTES;
            kernel.instructions.push(gap(pc));
        }
        let literals = kernel.literals.len().next_multiple_of(16);
        if !function.literals.is_empty() {
            kernel.literals.resize(literals, 0);
            kernel.literals.extend(&function.literals);
        }
        for instruction in &function.instructions {
            let mut moved = Instruction { pc: start + instruction.pc, ..instruction.clone() };
            for operand in &mut moved.operands {
                if let Operand::Constant(constant) = operand {
                    if constant.bank == 2 && !function.literals.is_empty() {
                        constant.address.offset += literals as i64;
                    }
                }
            }
            kernel.instructions.push(moved);
        }
        kernel.registers = kernel.registers.max(function.registers);
        kernel.defect = kernel.defect.take().or_else(|| function.defect.clone());
    }
    let least = |code: &Kernel| code.stack.unwrap_or(code.frame);
    let deepest = functions.iter().map(|function| least(&function.kernel)).max();
    kernel.stack = Some(least(kernel).saturating_add(deepest.unwrap_or_default()));
}

/// Between a kernel and functions: nothing comes here.
fn gap(pc: u32) -> Instruction {
    Instruction {
        pc,
        guard: Predicate::TRUE,
        opcode: "BPT.TRAP".into(),
        operands: vec![],
        text: "BPT.TRAP".into(),
        encoding: None,
        control: Control::UNKNOWN,
    }
}

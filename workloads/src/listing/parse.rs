// SPDX-License-Identifier: Apache-2.0
//! The sections of a listing, line by line.
//!
//! `cuobjdump -sass` prints no sections: a line `Function : name` begins the code of each function, and
//! numbers say where a branch goes. It prints code for several targets; Turing's is taken.

use std::collections::{BTreeMap, HashMap};

use gpurf_trace::Control;

use super::link::{link, Text};
use super::operand;
use super::{Data, Kernel, Module, Parameter, INSTRUCTION_BYTES, MAX_STACK, PARAMETER_BASE};
use crate::error::{Error, Result};

/// Most registers per thread.
const MAX_REGISTERS: u32 = 255;
/// The target whose code is executed.
const TARGET: u32 = 75;
/// The remedy where this cannot be read.
const REMEDY: &str = "give the output of `nvdisasm -hex` or of `cuobjdump -sass`";
/// Most bytes of a section.
const MAX_DATA: usize = 1 << 30;

const CUT: &str =
    "unclosed comment with an address: the listing is cut short; make it again with `nvdisasm -hex`";

pub(super) fn module(file: &str, text: &str) -> Result<Module> {
    let mut parser = Parser::default();
    let wrong =
        |parser: &Parser, message| Error::Listing { file: file.into(), line: parser.line.max(1), message };
    for (index, line) in text.lines().enumerate() {
        parser.line(index + 1, line).map_err(|message| wrong(&parser, message))?;
    }
    parser.finish().map_err(|message| wrong(&parser, message))?;
    Ok(parser.module)
}

/// The section that lines belong to.
#[derive(Default)]
enum Section {
    #[default]
    Other,
    /// Attributes, of the kernel if one is named.
    Info(Option<String>),
    /// Variables, constants: by section name.
    Data(String),
    /// Code of a kernel.
    Text,
    /// Code for another target, beside Turing's.
    Foreign,
    /// Shared memory of a kernel.
    Shared(String),
}

/// A number or name in a data directive, and its bytes.
struct Word {
    text: String,
    bytes: usize,
}

#[derive(Default)]
struct Parser {
    module: Module,
    section: Section,
    /// Sections with data, by name.
    data: BTreeMap<String, Data>,
    /// Attribute being read, with its words so far.
    attribute: Option<(String, Vec<Word>)>,
    parameters: HashMap<String, Vec<(u32, Parameter)>>,
    /// Sizes of parameter areas: of a kernel that has an entry, all parameters are known.
    stacks: HashMap<String, u32>,
    frames: HashMap<String, u32>,
    /// By kernel: where parameters start.
    parameter_bases: HashMap<String, u32>,
    /// Code, section by section.
    texts: Vec<Text>,
    /// The last target in a line `code for ..`, where `cuobjdump` writes one.
    dumped_target: Option<u32>,
    /// Number of the line being read, or to blame.
    line: usize,
}

impl Parser {
    fn line(&mut self, number: usize, line: &str) -> Result<(), String> {
        self.line = number;
        let line = line.trim();
        if let Some(attribute) = line.strip_prefix("//----- nvinfo :") {
            self.close_attribute()?;
            self.attribute = Some((attribute.trim().into(), vec![]));
            return Ok(());
        }
        if line.starts_with("//") || line.is_empty() {
            return Ok(());
        }
        if let Some(target) = line.strip_prefix("code for sm_") {
            self.dumped_target = Some(number_of(target));
            self.section = Section::Other;
            return Ok(());
        }
        if let Some(name) = line.strip_prefix("Function : ").map(str::trim) {
            self.section = match self.dumped_target {
                None | Some(TARGET) => {
                    self.module.target = TARGET;
                    let kernel = Kernel { name: name.into(), ..Kernel::default() };
                    self.texts.push(Text { is_dumped: true, ..Text::new(kernel) });
                    Section::Text
                }
                Some(_) => Section::Foreign,
            };
            return Ok(());
        }
        // Behind a function in a dump.
        if line.bytes().all(|byte| byte == b'.') {
            self.section = Section::Other;
            return Ok(());
        }
        if let Some(directive) = line.strip_prefix('.') {
            if let Some((name, argument)) = directive.split_once([' ', '\t']) {
                return self.directive(name, argument.trim());
            }
        }
        if let Some(label) = line.strip_suffix(':') {
            return self.label(label);
        }
        if let Some(rest) = line.strip_prefix("/*") {
            return self.addressed(rest);
        }
        match (&self.section, line.split([' ', '\t']).next()) {
            // A directive of a section nobody reads.
            (Section::Other | Section::Foreign, _) | (_, Some(".tkinfo" | ".cuinfo")) => Ok(()),
            _ => Err(format!("line `{line}` is not understood; {REMEDY}")),
        }
    }

    fn directive(&mut self, name: &str, argument: &str) -> Result<(), String> {
        match name {
            "section" => self.open_section(argument),
            "target" => {
                let target = argument.strip_prefix("sm_").unwrap_or(argument);
                let target = target.parse().map_err(|_| format!("target `{argument}` is not understood"))?;
                match (target, self.dumped_target) {
                    (TARGET, _) => self.module.target = TARGET,
                    (_, Some(_)) => {}
                    (_, None) => return Err(foreign(target)),
                }
                Ok(())
            }
            // Where a dump has no line `code for ..`, these say the target.
            "headerflags" => {
                match argument.split("EF_CUDA_SM").nth(1).map(number_of).filter(|&target| target > 0) {
                    Some(target) if target != TARGET && self.dumped_target.is_none() => Err(foreign(target)),
                    _ => Ok(()),
                }
            }
            "sectioninfo" => {
                let registers =
                    argument.split("SHI_REGISTERS=").nth(1).map(|rest| rest.trim_end_matches('"'));
                if let (Some(registers), Section::Text) = (registers, &self.section) {
                    let registers = registers.parse().ok().filter(|&registers| registers <= MAX_REGISTERS);
                    let registers = registers.ok_or_else(|| format!("`{argument}` has no register count"))?;
                    self.text()?.kernel.registers = registers;
                }
                Ok(())
            }
            "other" => {
                if let (Section::Text, true) = (&self.section, argument.contains("STO_CUDA_ENTRY")) {
                    self.text()?.entry = true;
                }
                Ok(())
            }
            "align" => self.align(argument),
            "size" => self.size(argument),
            "zero" => {
                let bytes = argument.parse().map_err(|_| format!("`.zero {argument}`: not a number"))?;
                self.zero(bytes)
            }
            "byte" | "short" | "word" | "dword" => self.words(name, argument),
            _ => Ok(()),
        }
    }

    fn open_section(&mut self, argument: &str) -> Result<(), String> {
        self.close_attribute()?;
        let name = argument.split(',').next().unwrap_or_default();
        let of_kernel = |prefix: &str| name.strip_prefix(prefix).map(str::to_string);
        self.section = if let Some(kernel) = of_kernel(".text.") {
            self.texts.push(Text::new(Kernel { name: kernel, ..Kernel::default() }));
            Section::Text
        } else if let Some(kernel) = of_kernel(".nv.info.") {
            self.parameters.entry(kernel.clone()).or_default();
            Section::Info(Some(kernel))
        } else if name == ".nv.info" {
            Section::Info(None)
        } else if let Some(kernel) = of_kernel(".nv.shared.") {
            Section::Shared(kernel)
        } else if name.starts_with(".nv.constant2")
            || matches!(name, ".nv.constant3" | ".nv.constant4" | ".nv.global" | ".nv.global.init")
        {
            self.data.entry(name.into()).or_default();
            Section::Data(name.into())
        } else {
            Section::Other
        };
        Ok(())
    }

    /// The code that is being read.
    fn text(&mut self) -> Result<&mut Text, String> {
        self.texts.last_mut().ok_or_else(|| "code outside a `.text` section".into())
    }

    fn align(&mut self, argument: &str) -> Result<(), String> {
        let alignment: usize = argument.parse().map_err(|_| format!("`.align {argument}`: not a number"))?;
        if let Section::Data(name) = &self.section {
            let bytes = &mut self.data.get_mut(name).expect("opened").bytes;
            if alignment.is_power_of_two() && alignment <= 4096 {
                bytes.resize(bytes.len().next_multiple_of(alignment), 0);
            }
        }
        Ok(())
    }

    /// `.size name,(.L_1 - name)`: a variable; its size is known once its end is.
    fn size(&mut self, argument: &str) -> Result<(), String> {
        if let (Section::Data(section), Some((name, _))) = (&self.section, argument.split_once(',')) {
            self.data.get_mut(section).expect("opened").symbols.insert(name.trim().into(), (u32::MAX, 0));
        }
        Ok(())
    }

    fn label(&mut self, label: &str) -> Result<(), String> {
        match &self.section {
            Section::Text => {
                let text = self.text()?;
                let address = text.kernel.instructions.len() as u32 * INSTRUCTION_BYTES;
                text.labels.insert(label.into(), address);
            }
            Section::Data(section) => {
                let data = self.data.get_mut(section).expect("opened");
                let end = data.bytes.len() as u32;
                if let Some(place) = data.symbols.get_mut(label) {
                    place.0 = end;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn zero(&mut self, bytes: usize) -> Result<(), String> {
        let grown = |size: usize| {
            let size = size.checked_add(bytes).filter(|&size| size <= MAX_DATA);
            size.ok_or_else(|| format!("`.zero {bytes}`: more than 1 GiB"))
        };
        match &self.section {
            Section::Data(name) => {
                let data = &mut self.data.get_mut(name).expect("opened").bytes;
                data.resize(grown(data.len())?, 0);
                self.grow_symbols();
            }
            Section::Shared(kernel) => {
                let text = self.texts.iter_mut().find(|known| known.kernel.name == *kernel);
                let kernel = &mut text.ok_or("shared memory of a kernel that is not in the listing")?.kernel;
                kernel.shared = grown(kernel.shared as usize)? as u32;
            }
            _ => {}
        }
        Ok(())
    }

    /// The variable begun last ends where the data now ends.
    fn grow_symbols(&mut self) {
        if let Section::Data(name) = &self.section {
            let data = self.data.get_mut(name).expect("opened");
            let end = data.bytes.len() as u32;
            let begun = data.symbols.values_mut().filter(|(offset, _)| *offset < end);
            if let Some(place) = begun.max_by_key(|(offset, _)| *offset) {
                place.1 = end - place.0;
            }
        }
    }

    /// A line that starts with its address in a comment: data, or an instruction.
    fn addressed(&mut self, rest: &str) -> Result<(), String> {
        let (address, rest) = rest.split_once("*/").ok_or(CUT)?;
        let rest = rest.trim();
        if let Some((name, argument)) = rest.strip_prefix('.').and_then(|rest| rest.split_once([' ', '\t'])) {
            return self.words(name, argument.trim());
        }
        if !matches!(self.section, Section::Text) {
            return Ok(());
        }
        if rest.is_empty() {
            return self.upper_half(address.trim());
        }
        let pc = u32::from_str_radix(address.trim(), 16).map_err(|_| format!("`{address}` is no address"))?;
        let (code, comment) = rest.split_once(';').ok_or_else(|| format!("`{rest}` has no `;`"))?;
        let line = self.line;
        let text = self.text()?;
        if text.kernel.defect.is_some() {
            return Ok(());
        }
        let parsed = operand::instruction(pc, code.trim()).and_then(|instruction| {
            if pc == text.kernel.instructions.len() as u32 * INSTRUCTION_BYTES {
                return Ok(instruction);
            }
            Err(format!("address {pc:#x} does not follow the instruction before it"))
        });
        match parsed {
            Ok(mut instruction) => {
                let encoding = comment.trim().strip_prefix("/* 0x").and_then(|rest| rest.split(' ').next());
                instruction.encoding = encoding.and_then(|digits| u64::from_str_radix(digits, 16).ok());
                text.kernel.instructions.push(instruction);
            }
            // It concerns those who run this code only.
            Err(message) => text.kernel.defect = Some((line, message)),
        }
        Ok(())
    }

    /// The upper half of the encoding of the instruction before it, with the control bits.
    fn upper_half(&mut self, digits: &str) -> Result<(), String> {
        let half = digits.strip_prefix("0x").and_then(|digits| u64::from_str_radix(digits, 16).ok());
        if let (Some(half), Some(instruction)) = (half, self.text()?.kernel.instructions.last_mut()) {
            instruction.control = Control::of_upper_half(half);
        }
        Ok(())
    }

    fn words(&mut self, kind: &str, argument: &str) -> Result<(), String> {
        let bytes = match kind {
            "byte" => 1,
            "short" => 2,
            "word" => 4,
            "dword" => 8,
            _ => return Ok(()),
        };
        for text in argument.split(',').map(str::trim) {
            match &self.section {
                Section::Info(_) => {
                    if let Some((_, words)) = &mut self.attribute {
                        words.push(Word { text: text.into(), bytes });
                    }
                }
                Section::Data(name) => {
                    let data = self.data.get_mut(name).expect("opened");
                    let value = match number(text) {
                        Some(value) => value,
                        None => {
                            let variable = address_of(text).filter(|_| bytes == 8);
                            let (name, offset) =
                                variable.ok_or_else(|| format!("`.{kind} {text}`: not a number"))?;
                            data.relocations.push((data.bytes.len() as u32, name.into()));
                            offset
                        }
                    };
                    data.bytes.extend_from_slice(&value.to_le_bytes()[..bytes]);
                }
                _ => {}
            }
        }
        self.grow_symbols();
        Ok(())
    }

    /// Takes what matters from the attribute read last.
    fn close_attribute(&mut self) -> Result<(), String> {
        let Some((name, words)) = self.attribute.take() else { return Ok(()) };
        let value = |index: usize, bytes: usize| {
            let word = words.get(index).filter(|word| word.bytes == bytes);
            let value = word.and_then(|word| number(&word.text));
            value.map(|value| value as u32).ok_or_else(|| format!("{name} is not understood"))
        };
        match (&self.section, name.as_str()) {
            (Section::Info(Some(kernel)), "EIATTR_KPARAM_INFO") => {
                // Format and size, then index, ordinal and offset; 14 bits of size on top of flags.
                let flags = (0..4).map(|byte| value(6 + byte, 1)).collect::<Result<Vec<_>, _>>()?;
                let flags = flags.iter().rev().fold(0, |flags, byte| flags << 8 | byte);
                let parameter = Parameter { offset: value(5, 2)?, size: flags >> 18 };
                let ordinal = value(4, 2)?;
                self.parameters.entry(kernel.clone()).or_default().push((ordinal, parameter));
            }
            // Where sizes need more bits, they have a place of their own.
            (Section::Info(Some(kernel)), "EIATTR_KPARAM_INFO_V2") => {
                let parameter = Parameter { offset: value(5, 2)?, size: value(6, 2)? };
                let ordinal = value(4, 2)?;
                self.parameters.entry(kernel.clone()).or_default().push((ordinal, parameter));
            }
            (Section::Info(Some(kernel)), "EIATTR_PARAM_CBANK") => {
                let base = value(4, 2)?;
                // More than 4,096 bytes of parameters start further behind.
                if base < PARAMETER_BASE {
                    return Err(format!("parameters start at {base:#x}, before {PARAMETER_BASE:#x}"));
                }
                self.parameter_bases.insert(kernel.clone(), base);
            }
            (Section::Info(None), "EIATTR_MIN_STACK_SIZE" | "EIATTR_FRAME_SIZE") => {
                let function = words.get(3).map(|word| word.text.clone()).unwrap_or_default();
                let function = function.strip_prefix("index@(").and_then(|rest| rest.strip_suffix(')'));
                let function = function.ok_or_else(|| format!("{name} is not understood"))?.to_string();
                // All ones where recursion leaves it open.
                let bytes = Some(value(4, 4)?).filter(|&bytes| bytes != u32::MAX);
                if bytes.is_some_and(|bytes| bytes > MAX_STACK) {
                    return Err(format!("{name}: more than {MAX_STACK} bytes"));
                }
                let sizes = if name == "EIATTR_FRAME_SIZE" { &mut self.frames } else { &mut self.stacks };
                sizes.extend(bytes.map(|bytes| (function, bytes)));
            }
            _ => {}
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), String> {
        self.close_attribute()?;
        for Text { kernel, .. } in &mut self.texts {
            kernel.stack = self.stacks.get(&kernel.name).copied();
            kernel.frame = self.frames.get(&kernel.name).copied().unwrap_or_default();
            kernel.parameter_base = self.parameter_bases.get(&kernel.name).copied();
            if let Some(mut parameters) = self.parameters.remove(&kernel.name) {
                parameters.sort_by_key(|(ordinal, _)| *ordinal);
                kernel.parameters = Some(parameters.into_iter().map(|(_, parameter)| parameter).collect());
            }
            let literals = self.data.remove(&format!(".nv.constant2.{}", kernel.name));
            kernel.literals = literals.unwrap_or_default().bytes;
        }
        let mut take = |name: &str| {
            let mut data = self.data.remove(name).unwrap_or_default();
            // What has a size but no place is in another listing.
            data.symbols.retain(|_, (offset, _)| *offset != u32::MAX);
            data
        };
        self.module.constants = take(".nv.constant3");
        self.module.addresses = take(".nv.constant4");
        self.module.globals = [take(".nv.global.init"), take(".nv.global")].into();
        (self.module.kernels, self.module.functions) =
            link(std::mem::take(&mut self.texts), &self.module.constants);
        match self.dumped_target {
            _ if !self.module.kernels.is_empty() => Ok(()),
            Some(target) if target != TARGET => Err(foreign(target)),
            _ => Err(format!("there is no kernel in this listing; {REMEDY}")),
        }
    }
}

fn foreign(target: u32) -> String {
    format!("code for sm_{target}; only Turing's is executed: compile with -arch=sm_75")
}

/// The number that a text begins with, or 0.
fn number_of(text: &str) -> u32 {
    let digits = text.split(|character: char| !character.is_ascii_digit()).next();
    digits.and_then(|digits| digits.parse().ok()).unwrap_or_default()
}

/// Variable and offset of an address: `name` or `fun@R_CUDA_G64((name + 0x8))`.
fn address_of(text: &str) -> Option<(&str, u64)> {
    let sum = match text.strip_prefix("fun@") {
        Some(rest) => rest.split_once('(')?.1.strip_suffix(')')?.trim_matches(['(', ')']),
        None => text,
    };
    match sum.split_once(" + ") {
        Some((name, offset)) => Some((name, number(offset)?)),
        None => Some((sum, 0)),
    }
}

/// A decimal or hexadecimal number.
fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Half, Operand, RegisterFile};
    use super::*;

    fn instruction(text: &str) -> super::super::Instruction {
        operand::instruction(0, text).unwrap()
    }

    #[test]
    fn operands_of_every_kind() {
        let found = instruction("@!P0 FFMA.FTZ R0, -|R1.reuse|, c[0x0][0x160], 1.5");
        assert!(found.guard.negate && found.guard.index == 0);
        let Operand::Register(register) = found.operands[1] else { panic!() };
        assert!(register.negate && register.absolute && register.reuse && register.index == 1);
        assert!(matches!(found.operands[2], Operand::Constant(constant) if constant.address.offset == 0x160));
        assert_eq!(found.operands[3], Operand::Float(1.5));

        // Sets of scoreboards, with a comma or without.
        for text in ["DEPBAR.LE SB0, 0x0, {1}", "DEPBAR.LE SB0, 0x0, {5,3,2}"] {
            assert!(matches!(instruction(text).operands[..2], [Operand::Name(_), Operand::Integer(0)]));
        }
        assert!(operand::instruction(0, "DEPBAR.LE SB0, 0x0, {6}").is_err());

        let found = instruction("LDG.E.SYS R2, [R4.64+UR6+-0x10]");
        let Operand::Memory(address) = found.operands[1] else { panic!() };
        assert_eq!(
            (address.register, address.wide, address.uniform, address.offset),
            (Some(4), true, Some(6), -16)
        );

        let found = instruction("LDS.U.128 R8, [R3.X16+0x100]");
        assert!(matches!(found.operands[1], Operand::Memory(address) if address.scale == 16));

        let found = instruction("HADD2 R2, R3.H0_H0, -R2.H1_H1");
        assert!(matches!(found.operands[1], Operand::Register(register) if register.half == Some(Half::Low)));
        assert!(matches!(found.operands[2], Operand::Register(register) if register.negate));

        let found = instruction("ISETP.GE.AND P0, PT, R0, UR4, !UP2");
        assert!(
            matches!(found.operands[3], Operand::Register(register) if register.file == RegisterFile::Uniform)
        );
        assert!(matches!(found.operands[4], Operand::Predicate(predicate) if predicate.negate));

        assert_eq!(instruction("FADD R5, R5, -12583039").operands[2], Operand::Float(-12583039.0));
        assert_eq!(instruction("IADD3 R4, R6, -0xd000000, RZ").operands[2], Operand::Integer(-0xd000000));
        assert_eq!(instruction("S2R R4, SR_TID.X").operands[1], Operand::Name("SR_TID.X".into()));
        assert_eq!(
            instruction("FSETP.GTU.FTZ.AND P0, PT, |R0|, +INF , PT").operands[3],
            Operand::Float(f64::INFINITY)
        );
        assert_eq!(
            instruction("BRX R4 -0x110 (*\"BRANCH_TARGETS .L_1\"*)").operands[1],
            Operand::Integer(-0x110)
        );
        assert!(operand::instruction(0, "FADD R5, R5, %").is_err());
    }
}

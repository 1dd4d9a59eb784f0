// SPDX-License-Identifier: Apache-2.0
//! From an instruction of a listing to one ready to execute.
//!
//! One file per family of opcodes. Every operand and every modifier must be taken by the code that
//! decodes the opcode: what is left over is an error, not ignored.

mod control;
mod convert;
mod cross_lane;
pub(crate) mod families;
mod float;
mod half;
mod images;
mod integer;
mod lanewise;
mod matrix;
mod memory;
mod moves;

use arrayvec::ArrayVec;
use gpurf_trace::{Positions, RegisterId, Registers};

use super::arithmetic::Widening;
use super::operation::{
    Compute, Decoded, Destination, Function, Modifier, PredicateDestination, PredicateSource, Source,
};
use crate::emulator::driver;
use crate::listing::{Constant, Instruction, Operand, Predicate, Register, RegisterFile, PARAMETER_BASE};

/// The operation of an instruction, and the vector registers it reads and writes.
pub(crate) struct Decoding {
    pub decoded: Decoded,
    /// Each register once, in the order of the operands, without RZ.
    pub sources: Registers,
    /// Source slots of each source: it stands in slot s of the machine code if bit s is set.
    pub slots: Positions,
    /// Bit s: the text has the `.reuse` flag of source slot s.
    pub reuse: u8,
    pub destinations: Registers,
}

/// Decodes an instruction of a kernel with so many registers per thread.
pub(crate) fn decode(
    instruction: &Instruction,
    registers: u32,
    widening: Widening,
) -> Result<Decoding, String> {
    let (base, modifiers) = instruction.opcode.split_once('.').unwrap_or((&instruction.opcode, ""));
    let mut decoder = Decoder {
        instruction,
        base,
        modifiers: modifiers.split('.').filter(|modifier| !modifier.is_empty()).collect(),
        next: 0,
        registers,
        widening,
        sources: Registers::new(),
        slots: Positions::new(),
        slot: None,
        reuse: 0,
        destinations: Registers::new(),
    };
    let operation = families::operation(&mut decoder, base)?;
    if let Some(modifier) = decoder.modifiers.first() {
        return Err(format!("modifier `.{modifier}` of `{base}` is not known to the emulator"));
    }
    if decoder.next < instruction.operands.len() {
        return Err(format!("operand {} of `{base}` is not known to the emulator", decoder.next + 1));
    }
    let guard = predicate_source(instruction.guard);
    let Decoder { sources, slots, reuse, destinations, .. } = decoder;
    Ok(Decoding { decoded: Decoded { guard, operation }, sources, slots, reuse, destinations })
}

/// Registers that code uses: one more than the highest. What is not understood uses none.
pub(crate) fn registers_used(code: &[Instruction]) -> u32 {
    let decoded = code.iter().filter_map(|instruction| decode(instruction, 255, Widening::default()).ok());
    let used = decoded.flat_map(|decoding| decoding.sources.into_iter().chain(decoding.destinations));
    used.map(|register| u32::from(register) + 1).max().unwrap_or_default()
}

/// How an operand is written down, which tells what a sign means.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Integer,
    /// 64 bits. Negated, it stands for its complement, and one is to be added.
    Long,
    Single,
    /// The upper word of a pair carries the sign.
    Double,
    /// Two halves.
    Half,
}

/// An operand of 32 bits, or a word of a longer one.
type Word = (Source, Modifier);

struct Decoder<'a> {
    instruction: &'a Instruction,
    /// The opcode up to its first dot.
    base: &'a str,
    /// The rest of the opcode, as far as not taken.
    modifiers: Vec<&'a str>,
    /// Number of the next operand.
    next: usize,
    registers: u32,
    widening: Widening,
    sources: Registers,
    slots: Positions,
    /// The source slot taken last, and the number of the operand behind the one that it is for.
    slot: Option<(u8, usize)>,
    reuse: u8,
    destinations: Registers,
}

impl<'a> Decoder<'a> {
    /// Takes a modifier.
    fn has(&mut self, modifier: &str) -> bool {
        match self.modifiers.iter().position(|found| *found == modifier) {
            Some(index) => {
                self.modifiers.remove(index);
                true
            }
            None => false,
        }
    }

    /// Takes the first of these modifiers that is there.
    fn one_of<T: Copy>(&mut self, choices: &[(&str, T)]) -> Option<T> {
        choices.iter().find(|(modifier, _)| self.has(modifier)).map(|(_, value)| *value)
    }

    /// Takes modifiers that change nothing here.
    fn ignore(&mut self, modifiers: &[&str]) {
        self.modifiers.retain(|found| !modifiers.contains(found));
    }

    /// Takes all modifiers, whatever they are.
    fn ignore_all(&mut self) {
        self.modifiers.clear();
    }

    fn peek(&self) -> Option<&'a Operand> {
        self.instruction.operands.get(self.next)
    }

    /// Takes the next operand.
    fn operand(&mut self) -> Result<&'a Operand, String> {
        let operand = self.peek();
        self.next += 1;
        operand.ok_or_else(|| format!("`{}` lacks operand {}", self.base, self.next))
    }

    fn unexpected<T>(&self) -> Result<T, String> {
        let operand = self.instruction.operands.get(self.next.saturating_sub(1));
        if let Some(Operand::Label(name)) = operand {
            return Err(format!("there is no label or variable `{name}` in this listing"));
        }
        Err(format!("operand {} of `{}` is of a kind not known to the emulator", self.next, self.base))
    }

    /// Returns true if the next operand has a minus.
    fn next_is_negated(&self) -> bool {
        match self.peek() {
            Some(Operand::Register(register)) => register.negate,
            Some(Operand::Constant(constant)) => constant.negate,
            _ => false,
        }
    }

    fn next_is_predicate(&self) -> bool {
        matches!(self.peek(), Some(Operand::Predicate(_)))
    }

    fn predicate(&mut self) -> Result<PredicateSource, String> {
        match self.operand()? {
            Operand::Predicate(predicate) => Ok(predicate_source(*predicate)),
            _ => self.unexpected(),
        }
    }

    /// The next operand if it is a predicate, else what is given.
    fn predicate_or(&mut self, default: PredicateSource) -> Result<PredicateSource, String> {
        if self.next_is_predicate() {
            self.predicate()
        } else {
            Ok(default)
        }
    }

    fn predicate_destination(&mut self) -> Result<PredicateDestination, String> {
        match self.operand()? {
            Operand::Predicate(Predicate { file, index, negate: false }) => {
                Ok(PredicateDestination { uniform: *file == RegisterFile::Uniform, index: *index })
            }
            _ => self.unexpected(),
        }
    }

    /// The source slot of the operand taken last, as a bit: slots are numbered in the order of the operands
    /// that are read, predicates apart. There are four. A sum of two numbers leaves out the slot of a factor.
    fn take_slot(&mut self) -> u8 {
        let number = match self.slot {
            Some((number, next)) if next == self.next => number,
            Some((0, _)) if matches!(self.base, "FADD" | "DADD") => 2,
            Some((number, _)) => number + 1,
            None => 0,
        };
        self.slot = Some((number, self.next));
        1u8.checked_shl(number.into()).unwrap_or(0) & 0xf
    }

    /// Row of a vector register that is read.
    fn read_row(&mut self, index: u8, reuse: bool) -> Result<u16, String> {
        let slot = self.take_slot();
        if index == 255 {
            return Ok(self.registers as u16);
        }
        self.check_register(index)?;
        let register = RegisterId(index);
        let position = self.sources.iter().position(|known| *known == register).unwrap_or(self.sources.len());
        if position == self.sources.len() {
            self.sources.push(register);
            self.slots.push(0);
        }
        self.slots[position] |= slot;
        self.reuse |= if reuse { slot } else { 0 };
        Ok(index.into())
    }

    /// Row of a vector register that is written.
    fn write_row(&mut self, index: u8) -> Result<u16, String> {
        if index == 255 {
            return Ok(self.registers as u16 + 1);
        }
        self.check_register(index)?;
        if !self.destinations.contains(&RegisterId(index)) {
            self.destinations.push(RegisterId(index));
        }
        Ok(index.into())
    }

    fn check_register(&self, index: u8) -> Result<(), String> {
        if u32::from(index) < self.registers {
            return Ok(());
        }
        Err(format!("R{index} is beyond the {} registers of the kernel", self.registers))
    }

    /// The next operand as `count` registers written.
    fn destination(&mut self, count: u8) -> Result<ArrayVec<Destination, 4>, String> {
        match *self.operand()? {
            Operand::Register(Register { file: RegisterFile::Vector, index, .. }) => {
                self.destination_rows(index, count)
            }
            Operand::Register(register @ Register { file: RegisterFile::Uniform, index, .. }) => {
                let word = |i| match index + i {
                    _ if register.is_zero() => Ok(Destination::Nowhere),
                    index if index < 63 => Ok(Destination::Uniform(index)),
                    _ => self.unexpected(),
                };
                (0..count).map(word).collect()
            }
            _ => self.unexpected(),
        }
    }

    fn destination_rows(&mut self, index: u8, count: u8) -> Result<ArrayVec<Destination, 4>, String> {
        (0..count)
            .map(|i| match index {
                255 => Ok(Destination::Nowhere),
                _ => self.write_row(after(index, i)?).map(Destination::Row),
            })
            .collect()
    }

    /// The next operand as 32 bits.
    fn source(&mut self, kind: Kind) -> Result<Word, String> {
        let [word] = self.words::<1>(kind)?;
        Ok(word)
    }

    /// The next operand as 64 bits, lower word first.
    fn source_pair(&mut self, kind: Kind) -> Result<[Word; 2], String> {
        self.words::<2>(kind)
    }

    /// The next operand as a number of words, lowest first.
    fn words<const N: usize>(&mut self, kind: Kind) -> Result<[Word; N], String> {
        let mut words = [(Source::Immediate(0), Modifier::None); N];
        let operand = self.operand()?;
        self.take_slot();
        match *operand {
            Operand::Register(register) => {
                for (i, word) in words.iter_mut().enumerate() {
                    let source = self.register_word(&register, i as u8)?;
                    *word = (source, self.modifier(kind, &register, i + 1 == N)?);
                }
            }
            Operand::Constant(constant) => {
                let address = &constant.address;
                if address.register.is_some() || address.uniform.is_some() {
                    return self.unexpected();
                }
                known_constant(&constant)?;
                let signs = Register {
                    negate: constant.negate,
                    absolute: constant.absolute,
                    invert: constant.invert,
                    half: constant.half,
                    ..Register::new(RegisterFile::Vector, 0)
                };
                for (i, word) in words.iter_mut().enumerate() {
                    let offset = (address.offset as u32).wrapping_add(4 * i as u32);
                    let source = Source::Constant { bank: constant.bank, offset };
                    *word = (source, self.modifier(kind, &signs, i + 1 == N)?);
                }
            }
            Operand::Integer(value) => {
                for (i, word) in words.iter_mut().enumerate() {
                    // Integers are sign-extended; a double's immediate is its upper word.
                    let bits = if kind == Kind::Double { value << 32 } else { value };
                    *word = (Source::Immediate((bits >> (32 * i)) as u32), Modifier::None);
                }
            }
            Operand::Float(value) => {
                let bits = match kind {
                    Kind::Double => value.to_bits(),
                    Kind::Single => u64::from(self.single_bits(value)),
                    Kind::Half => {
                        // The upper half stands first.
                        let upper = ::half::f16::from_f64(value).to_bits();
                        let Operand::Float(lower) = *self.operand()? else { return self.unexpected() };
                        u64::from(upper) << 16 | u64::from(::half::f16::from_f64(lower).to_bits())
                    }
                    Kind::Integer | Kind::Long => return self.unexpected(),
                };
                for (i, word) in words.iter_mut().enumerate() {
                    *word = (Source::Immediate((bits >> (32 * i)) as u32), Modifier::None);
                }
            }
            _ => return self.unexpected(),
        }
        Ok(words)
    }

    /// Word `i` of a register operand.
    fn register_word(&mut self, register: &Register, i: u8) -> Result<Source, String> {
        Ok(match register.file {
            _ if register.is_zero() => Source::Immediate(0),
            RegisterFile::Vector => Source::Row(self.read_row(after(register.index, i)?, register.reuse)?),
            RegisterFile::Uniform if register.index + i < 63 => Source::Uniform(register.index + i),
            RegisterFile::Uniform => return self.unexpected(),
        })
    }

    /// The effect of an operand's signs on a word of it; `top` is its highest word.
    fn modifier(&self, kind: Kind, register: &Register, top: bool) -> Result<Modifier, String> {
        let Register { negate, absolute, invert, half, byte, sign, .. } = *register;
        if sign {
            return self.unexpected();
        }
        let plain = !negate && !absolute && !invert && half.is_none() && byte.is_none();
        Ok(match kind {
            _ if plain => Modifier::None,
            Kind::Half if !invert && byte.is_none() => {
                Modifier::Halves { half, clear: absolute, flip: negate }
            }
            Kind::Double if !top => Modifier::None,
            Kind::Single | Kind::Double if !invert && half.is_none() && byte.is_none() => {
                Modifier::Sign { clear: absolute, flip: negate }
            }
            Kind::Integer if invert && !negate && !absolute => Modifier::Invert,
            Kind::Long if invert != negate && !absolute && half.is_none() && byte.is_none() => {
                Modifier::Invert
            }
            Kind::Integer if negate && !absolute && top => Modifier::Negate,
            Kind::Integer if absolute && !negate && top => Modifier::Magnitude,
            _ => return self.unexpected(),
        })
    }

    /// The next operand as consecutive registers read, lowest first.
    fn fragment<const N: usize>(&mut self) -> Result<[Word; N], String> {
        match self.peek() {
            Some(Operand::Register(register)) if !register.negate && !register.absolute => {
                self.words::<N>(Kind::Integer)
            }
            _ => {
                self.next += 1;
                self.unexpected()
            }
        }
    }

    /// The bits of a single-precision immediate. Which NaN is meant only the encoding tells.
    fn single_bits(&self, value: f64) -> u32 {
        match self.instruction.encoding {
            Some(encoding) if value.is_nan() => (encoding >> 32) as u32,
            None if value.is_nan() => 0x7fc0_0000 | u32::from(value.is_sign_negative()) << 31,
            _ => (value as f32).to_bits(),
        }
    }

    /// An instruction without predicate results.
    fn compute(
        &self,
        destinations: impl IntoIterator<Item = Destination>,
        sources: impl IntoIterator<Item = Word>,
        predicates: impl IntoIterator<Item = PredicateSource>,
        function: Function,
    ) -> Compute {
        Compute {
            sources: sources.into_iter().collect(),
            predicates: predicates.into_iter().collect(),
            destinations: destinations.into_iter().collect(),
            predicate_destinations: vec![],
            function,
        }
    }
}

/// The register `i` after this one.
fn after(index: u8, i: u8) -> Result<u8, String> {
    match index.checked_add(i) {
        Some(index) if index < 255 => Ok(index),
        _ => Err(format!("an operand of several registers that starts with R{index} does not fit")),
    }
}

fn predicate_source(predicate: Predicate) -> PredicateSource {
    PredicateSource {
        uniform: predicate.file == RegisterFile::Uniform,
        index: predicate.index,
        negate: predicate.negate,
    }
}

/// Returns an error unless the driver's value for the place is known, or the place is not the driver's.
fn known_constant(constant: &Constant) -> Result<(), String> {
    let address = &constant.address;
    let fixed = address.register.is_none() && address.uniform.is_none();
    let of_driver = constant.bank == 0 && (0..PARAMETER_BASE.into()).contains(&address.offset);
    if fixed && of_driver && !driver::is_known(address.offset) {
        return Err(format!("it is not known what the driver puts into c[0x0][{:#x}]", address.offset));
    }
    Ok(())
}

const TRUE: PredicateSource = PredicateSource { uniform: false, index: 7, negate: false };
const FALSE: PredicateSource = PredicateSource { uniform: false, index: 7, negate: true };

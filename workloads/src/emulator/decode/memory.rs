// SPDX-License-Identifier: Apache-2.0
//! Loads, stores, atomic operations.

use super::{after, known_constant, Decoder};
use crate::emulator::operation::{Access, AddressSum, AtomicFunction, AtomicType, Destination, Space, Width};
use crate::listing::{Operand, Register, RegisterFile};

impl Decoder<'_> {
    pub(super) fn access(&mut self, base: &str) -> Result<Access, String> {
        let space = match base {
            "LDG" | "STG" | "ATOMG" | "RED" => Space::Global,
            "LDS" | "STS" | "ATOMS" | "LDSM" => Space::Shared,
            "LDL" | "STL" => Space::Local,
            "LD" | "ST" | "ATOM" => Space::Generic,
            "QSPC" => return self.query_space(),
            _ => return self.load_constant(),
        };
        // Memory is coherent and in order, whatever the caches are told.
        self.ignore(&[
            "CONSTANT", "STRONG", "WEAK", "MMIO", "CTA", "SM", "GPU", "SYS", "EF", "EL", "EU", "LU", "NA",
            "PRIVATE", "LTC64B", "LTC128B", "LTC256B", "U",
        ]);
        let wide = self.has("E");
        Ok(match base {
            "LDSM" => self.load_matrices()?,
            "ATOMG" | "ATOMS" | "ATOM" | "RED" => self.atomic(space, wide)?,
            "LDG" | "LDS" | "LDL" | "LD" => {
                let width = self.width();
                let Operand::Register(Register { file: RegisterFile::Vector, index, .. }) =
                    *self.operand()?
                else {
                    return self.unexpected();
                };
                let destination = self.write_rows(index, width.registers())?;
                Access::Load { space, width, address: self.address(wide)?, destination }
            }
            _ => {
                let width = self.width();
                let address = self.address(wide)?;
                let source = self.read_data(width.registers())?;
                Access::Store { space, width, address, source }
            }
        })
    }

    pub(super) fn indexed_constant(&self) -> bool {
        matches!(self.instruction.operands.get(1), Some(Operand::Constant(constant))
            if constant.address.register.is_some() || constant.address.uniform.is_some())
    }

    pub(super) fn width(&mut self) -> Width {
        let choices = [
            ("U8", Width::U8),
            ("S8", Width::S8),
            ("U16", Width::U16),
            ("S16", Width::S16),
            ("64", Width::B64),
            ("128", Width::B128),
        ];
        let width = self.one_of(&choices);
        self.ignore(&["32"]);
        width.unwrap_or(Width::B32)
    }

    /// First row of consecutive registers written.
    pub(super) fn write_rows(&mut self, index: u8, count: usize) -> Result<u16, String> {
        let first = self.write_row(index)?;
        for i in 1..count as u8 {
            if index != 255 {
                self.write_row(after(index, i)?)?;
            }
        }
        Ok(first)
    }

    /// First row of the consecutive registers of the next operand, which are read.
    pub(super) fn read_data(&mut self, count: usize) -> Result<u16, String> {
        let Operand::Register(Register { file: RegisterFile::Vector, index, reuse, .. }) = *self.operand()?
        else {
            return self.unexpected();
        };
        let first = self.read_row(index, reuse)?;
        for i in 1..count as u8 {
            if index != 255 {
                self.read_row(after(index, i)?, reuse)?;
            }
        }
        Ok(first)
    }

    /// The next operand as an address; `wide` as the opcode's `.E` says.
    pub(super) fn address(&mut self, wide: bool) -> Result<AddressSum, String> {
        let Operand::Memory(address) = *self.operand()? else { return self.unexpected() };
        self.resolve(address, wide)
    }

    fn resolve(&mut self, address: crate::listing::Address, wide: bool) -> Result<AddressSum, String> {
        let register = match address.register {
            None | Some(255) => None,
            Some(index) => {
                let low = self.read_row(index, address.reuse)?;
                // Beside a uniform base a register is an offset of 32 bits unless marked.
                let pair = wide && (address.wide || address.uniform.is_none());
                let high = if pair { Some(self.read_row(after(index, 1)?, address.reuse)?) } else { None };
                Some((low, high))
            }
        };
        let uniform = address.uniform.filter(|&index| index != 63);
        Ok(AddressSum { register, scale: address.scale.into(), uniform, wide, offset: address.offset })
    }

    /// `LDC Rd, c[bank][R + offset]`, `ULDC` with a uniform register.
    pub(super) fn load_constant(&mut self) -> Result<Access, String> {
        let width = self.width();
        if width == Width::B128 {
            return Err(format!("`{}`: constants are loaded 8 bytes at most", self.instruction.opcode));
        }
        let destination = self.destination(width.registers() as u8)?;
        let Operand::Constant(constant) = *self.operand()? else { return self.unexpected() };
        known_constant(&constant)?;
        let address = self.resolve(constant.address, false)?;
        let first = destination.first().copied().unwrap_or(Destination::Nowhere);
        Ok(Access::LoadConstant { bank: constant.bank, width, address, destination: first })
    }

    /// `LDSM.16.M88.count Rd, [address]`; `.MT88` transposes each matrix.
    fn load_matrices(&mut self) -> Result<Access, String> {
        self.ignore(&["16"]);
        let transposed = self.has("MT88");
        if !transposed && !self.has("M88") {
            return Err(format!("`{}` names no shape known to the emulator", self.instruction.opcode));
        }
        let count = self.one_of(&[("4", 4), ("2", 2)]).unwrap_or(1u8);
        let Operand::Register(Register { file: RegisterFile::Vector, index, .. }) = *self.operand()? else {
            return self.unexpected();
        };
        let destination = self.write_rows(index, count.into())?;
        Ok(Access::LoadMatrices { count, transposed, address: self.address(false)?, destination })
    }

    /// `ATOMG.function.type P, Rd, [address], a [, b]`; `RED` and some forms have no result.
    fn atomic(&mut self, space: Space, wide: bool) -> Result<Access, String> {
        if self.base == "ATOMS" && self.has("POPC") {
            if !self.has("INC") {
                return self.unexpected();
            }
            self.ignore(&["32"]);
            let Operand::Register(Register { file: RegisterFile::Vector, index, .. }) = *self.operand()?
            else {
                return self.unexpected();
            };
            let destination = if index == 255 { None } else { Some(self.write_row(index)?) };
            return Ok(Access::CountingIncrement { address: self.address(false)?, destination });
        }
        let function = self.one_of(&[
            ("ADD", AtomicFunction::Add),
            ("MIN", AtomicFunction::Min),
            ("MAX", AtomicFunction::Max),
            ("AND", AtomicFunction::And),
            ("OR", AtomicFunction::Or),
            ("XOR", AtomicFunction::Xor),
            ("EXCH", AtomicFunction::Exchange),
            ("CAS", AtomicFunction::CompareAndSwap),
            ("CAST", AtomicFunction::CompareAndSwapTest),
            ("INC", AtomicFunction::Increment),
            ("DEC", AtomicFunction::Decrement),
        ]);
        let function = function.ok_or_else(|| {
            format!("`{}` names no function known to the emulator", self.instruction.opcode)
        })?;
        self.ignore(&["RN", "SPIN"]);
        let flush = self.has("FTZ");
        let kind = self.one_of(&[
            ("F32", AtomicType::F32 { flush }),
            ("F64", AtomicType::F64),
            ("F16x2", AtomicType::F16x2),
            ("S64", AtomicType::S64),
            ("U64", AtomicType::U64),
            ("64", AtomicType::U64),
            ("S32", AtomicType::S32),
            ("U32", AtomicType::U32),
        ]);
        let kind = kind.unwrap_or(AtomicType::U32);
        let words = usize::from(kind.bytes()) / 4;
        let done = if self.next_is_predicate() { Some(self.predicate_destination()?) } else { None };
        let destination = match self.peek() {
            Some(Operand::Register(Register { file: RegisterFile::Vector, index, .. })) => {
                self.next += 1;
                if *index == 255 {
                    None
                } else {
                    Some(self.write_rows(*index, words)?)
                }
            }
            _ => None,
        };
        let address = self.address(wide)?;
        let operand = self.read_data(words)?;
        let swap = match function {
            AtomicFunction::CompareAndSwap | AtomicFunction::CompareAndSwapTest => self.read_data(words)?,
            _ => operand,
        };
        Ok(Access::Atomic { space, function, kind, address, operand, swap, destination, done })
    }

    /// `QSPC.E.space P, RZ, [address]`.
    fn query_space(&mut self) -> Result<Access, String> {
        let space = self.one_of(&[("S", Space::Shared), ("L", Space::Local), ("G", Space::Global)]);
        let space = space.ok_or_else(|| format!("`{}` names no space", self.instruction.opcode))?;
        let wide = self.has("E");
        let holds = self.predicate_destination()?;
        let Operand::Register(Register { index: 255, .. }) = self.operand()? else {
            return self.unexpected();
        };
        Ok(Access::QuerySpace { space, address: self.address(wide)?, holds })
    }
}

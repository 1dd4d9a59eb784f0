// SPDX-License-Identifier: Apache-2.0
//! Textures and surfaces.

use arrayvec::ArrayVec;

use super::{after, Decoder};
use crate::emulator::operation::{
    AtomicFunction, AtomicType, Source, SurfaceAccess, SurfaceEffect, TextureAccess,
};
use crate::emulator::texture::{Geometry, Outside, Sampling};
use crate::listing::{Operand, Register, RegisterFile};

/// Registers that are read, in order.
type Rows = ArrayVec<u16, 8>;

impl Decoder<'_> {
    /// `TEX P, Rd of the upper channels, Rd of the lower ones, a, b, 0x0, handle, shape, mask of channels`;
    /// P, b and the mask may be missing. The handle is the number of a word in constant bank 0, or with `.B`
    /// stands among the registers. Coordinates, with the layer first, and then what else there is (level of
    /// detail, offsets) are spread over a and b.
    pub(super) fn texture(&mut self) -> Result<TextureAccess, String> {
        let scattered = self.has("SCR");
        let sampling = self.sampling()?;
        let in_register = self.has("B");
        let level = self.has("LL") || self.has("LB");
        self.ignore(&["LZ", "CL", "NODEP"]);
        let has_offsets = self.has("AOFFI");
        let missing = if self.next_is_predicate() { Some(self.predicate_destination()?) } else { None };
        let upper = self.texture_register()?;
        let lower = self.texture_register()?;
        let (shape, mask) = self.shape_and_mask()?;
        let query = sampling.is_none();
        let geometry = match query {
            true => Geometry { dimensions: 0, layered: false, cube: false },
            false => self.geometry(shape)?,
        };
        let words = geometry.words();
        let derivatives = self.base == "TXD";
        let extra = usize::from(level || query) + usize::from(has_offsets);
        // How many registers a and b have.
        let (first, second) = match (derivatives, in_register) {
            (true, _) => (words + usize::from(in_register), 2 * usize::from(geometry.dimensions)),
            (false, true) if query => (2, 0),
            (false, true) => (words, 1 + extra),
            (false, false) if query => (1, 0),
            (false, false) if scattered => ((words + extra).div_ceil(2), (words + extra) / 2),
            (false, false) => ((words + extra).min(4), (words + extra).saturating_sub(4)),
        };
        let mut rows: Rows = self.image_rows(first)?;
        if second > 0 {
            rows.try_extend_from_slice(&self.image_rows(second)?)
                .map_err(|_| format!("`{}` has too many operands", self.instruction.opcode))?;
        }
        let mut rows = rows.into_iter();
        let mut next = || rows.next().expect("counted");
        let mut handle = None;
        if in_register && (derivatives || query) {
            handle = Some(Source::Row(next()));
        }
        let mut layer = None;
        if geometry.layered && !derivatives {
            layer = Some(next());
        }
        let coordinates: ArrayVec<u16, 3> = (0..geometry.dimensions).map(|_| next()).collect();
        if geometry.layered && derivatives {
            layer = Some(next());
        }
        if in_register && handle.is_none() {
            handle = Some(Source::Row(next()));
        }
        let level = level.then(&mut next);
        let offsets = has_offsets.then(&mut next);
        if query {
            // Which of its properties.
            match self.operand()? {
                Operand::Name(name) if name == "TEX_HEADER_DIMENSION" => {}
                _ => return self.unexpected(),
            }
        }
        let handle = match handle {
            Some(handle) => handle,
            None => self.handle_in_constants()?,
        };
        // Shape and mask, which are known.
        self.next = self.instruction.operands.len();
        let derivatives = match derivatives {
            true => rows.collect(),
            false => ArrayVec::new(),
        };
        let chosen = (0..4u8).filter(|channel| mask >> channel & 1 != 0);
        let mut destinations = ArrayVec::new();
        for (number, channel) in chosen.enumerate() {
            let (register, i) = if number < 2 { (lower, number) } else { (upper, number - 2) };
            let row = self.image_destination(register, i as u8)?;
            destinations.push((channel, row));
        }
        Ok(TextureAccess {
            sampling,
            geometry,
            handle,
            layer,
            coordinates,
            level,
            derivatives,
            offsets,
            destinations,
            missing,
        })
    }

    /// How the opcode reads a texture; `None`: it asks for its extents.
    fn sampling(&mut self) -> Result<Option<Sampling>, String> {
        Ok(match self.base {
            "TEX" | "TXD" => Some(Sampling::Filtered),
            "TLD" => Some(Sampling::Fetched),
            "TLD4" => {
                // The channel stands before a `.B` that says where the handle is.
                let channels = ["R", "G", "B", "A"];
                let found = self.modifiers.iter().position(|name| channels.contains(name));
                let found = found.ok_or_else(|| format!("`{}` names no channel", self.instruction.opcode))?;
                let name = self.modifiers.remove(found);
                let channel = channels.iter().position(|known| *known == name).unwrap_or_default();
                Some(Sampling::Gathered(channel as u8))
            }
            _ => None,
        })
    }

    fn texture_register(&mut self) -> Result<u8, String> {
        match *self.operand()? {
            Operand::Register(Register { file: RegisterFile::Vector, index, .. }) => Ok(index),
            _ => self.unexpected(),
        }
    }

    fn image_destination(&mut self, register: u8, i: u8) -> Result<u16, String> {
        match register {
            255 => self.write_row(255),
            _ => self.write_row(after(register, i)?),
        }
    }

    /// The next operand as consecutive registers read.
    fn image_rows(&mut self, count: usize) -> Result<Rows, String> {
        let Operand::Register(Register { file: RegisterFile::Vector, index, reuse, .. }) = *self.operand()?
        else {
            return self.unexpected();
        };
        let row = |i| match index {
            255 => self.read_row(255, false),
            _ => self.read_row(after(index, i as u8)?, reuse),
        };
        (0..count).map(row).collect()
    }

    /// `0x0, 0x58`: a bank and a word in it.
    fn handle_in_constants(&mut self) -> Result<Source, String> {
        let Operand::Integer(bank @ 0..=15) = *self.operand()? else { return self.unexpected() };
        let Operand::Integer(word @ 0..=0x3fff) = *self.operand()? else { return self.unexpected() };
        Ok(Source::Constant { bank: bank as u8, offset: 4 * word as u32 })
    }

    /// The last operands: a shape, and perhaps which channels are wanted. A query has no shape.
    fn shape_and_mask(&self) -> Result<(&'static str, i64), String> {
        let operands = &self.instruction.operands;
        let mask = match operands.last() {
            Some(Operand::Integer(mask @ 1..=15)) => Some(*mask),
            _ => None,
        };
        let place = operands.len().saturating_sub(1 + usize::from(mask.is_some()));
        let shape = match operands.get(place) {
            Some(Operand::Name(name)) => {
                SHAPES.iter().find(|(known, _)| known == name).map(|(known, _)| *known)
            }
            _ => None,
        };
        Ok((shape.unwrap_or_default(), mask.unwrap_or(15)))
    }

    fn geometry(&self, shape: &str) -> Result<Geometry, String> {
        let found = SHAPES.iter().find(|(known, _)| *known == shape).map(|(_, geometry)| *geometry);
        found.ok_or_else(|| format!("`{}` has no shape known to the emulator", self.instruction.opcode))
    }

    /// `SULD.D.BA.shape Rd, [place], 0x0, handle`, `SUST.D.BA.shape [place], data, ..`,
    /// `SUST.P.shape.mask ..` for stores in the image's format, `SURED`.
    pub(super) fn surface(&mut self) -> Result<SurfaceAccess, String> {
        let formatted = self.has("P");
        let by_bytes = self.has("D") && self.has("BA");
        if !formatted && !by_bytes {
            return Err(format!(
                "`{}`: only `.D.BA` and `.P` are known to the emulator",
                self.instruction.opcode
            ));
        }
        let geometry = match &self.modifiers[..] {
            [shape, ..] => self.geometry(shape)?,
            [] => return Err(format!("`{}` names no shape", self.instruction.opcode)),
        };
        self.modifiers.remove(0);
        self.ignore(&["STRONG", "WEAK", "CTA", "SM", "GPU", "SYS", "EF", "EL", "EU", "LU", "NA"]);
        let outside =
            self.one_of(&[("TRAP", Outside::Trap), ("IGN", Outside::Ignore)]).unwrap_or(Outside::Clamp);
        let (effect, registers) = match self.base {
            "SURED" => self.surface_atomic()?,
            "SULD" | "SUST" if !formatted => {
                let width = self.width();
                let effect = if self.base == "SULD" {
                    SurfaceEffect::Load(width)
                } else {
                    SurfaceEffect::Store(width)
                };
                (effect, width.registers())
            }
            "SUST" => {
                let channels = self.one_of(&[("RGBA", 4), ("RG", 2), ("R", 1)]).unwrap_or(4u8);
                (SurfaceEffect::StoreFormatted(channels), channels.into())
            }
            _ => return Err(format!("`{}` is not known to the emulator", self.instruction.opcode)),
        };
        let load = matches!(effect, SurfaceEffect::Load(_));
        let mut data = 0;
        if load {
            let register = self.texture_register()?;
            data = self.write_rows(register, registers)?;
        }
        let Operand::Memory(address) = *self.operand()? else { return self.unexpected() };
        let (Some(first), None, 0) = (address.register, address.uniform, address.offset) else {
            return self.unexpected();
        };
        let row = |i| match first {
            255 => self.read_row(255, false),
            _ => self.read_row(after(first, i as u8)?, address.reuse),
        };
        let place = (0..geometry.words()).map(row).collect::<Result<_, _>>()?;
        if !load {
            data = self.read_data(registers)?;
        }
        let handle = match self.peek() {
            Some(Operand::Register(_)) => match self.image_rows(1)?[..] {
                [row] => Source::Row(row),
                _ => return self.unexpected(),
            },
            _ => self.handle_in_constants()?,
        };
        Ok(SurfaceAccess { effect, geometry, outside, handle, place, data })
    }

    fn surface_atomic(&mut self) -> Result<(SurfaceEffect, usize), String> {
        let functions = [
            ("ADD", AtomicFunction::Add),
            ("MIN", AtomicFunction::Min),
            ("MAX", AtomicFunction::Max),
            ("AND", AtomicFunction::And),
            ("OR", AtomicFunction::Or),
        ];
        let function = self.one_of(&functions).ok_or_else(|| {
            format!("`{}` names no function known to the emulator", self.instruction.opcode)
        })?;
        let kind = self.one_of(&[("S32", AtomicType::S32), ("U32", AtomicType::U32)]);
        Ok((SurfaceEffect::Atomic(function, kind.unwrap_or(AtomicType::U32)), 1))
    }
}

const fn shape(dimensions: u8, layered: bool, cube: bool) -> Geometry {
    Geometry { dimensions, layered, cube }
}

/// Textures' names of shapes, and surfaces'.
const SHAPES: [(&str, Geometry); 9] = [
    ("1D", shape(1, false, false)),
    ("2D", shape(2, false, false)),
    ("3D", shape(3, false, false)),
    ("CUBE", shape(3, false, true)),
    ("ARRAY_1D", shape(1, true, false)),
    ("ARRAY_2D", shape(2, true, false)),
    ("ARRAY_CUBE", shape(3, true, true)),
    ("1D_ARRAY", shape(1, true, false)),
    ("2D_ARRAY", shape(2, true, false)),
];

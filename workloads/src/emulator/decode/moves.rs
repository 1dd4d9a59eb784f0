// SPDX-License-Identifier: Apache-2.0
//! Moves, selections, logic, and special registers.

use super::lanewise::*;
use super::{Decoder, Kind, FALSE};
use crate::emulator::arithmetic::{integer, matrix};
use crate::emulator::operation::{
    Compute, Function, Inputs, LaneMask, Modifier, Outputs, PredicateDestination, PredicateSource, Source,
    Special, LANES,
};
use crate::listing::{Operand, Register};

impl Decoder<'_> {
    pub(super) fn moves(&mut self, base: &str) -> Result<Compute, String> {
        match base {
            "MOV" | "R2UR" => {
                let destination = self.destination(1)?;
                let source = self.source(Kind::Integer)?;
                // `MOV` may end with a mask of bytes that is always full.
                if let Some(Operand::Integer(0xf)) = self.peek() {
                    self.next += 1;
                }
                Ok(self.compute(destination, [source], [], map1(|a| a)))
            }
            "ULDC" => {
                let narrow = self.one_of(&[
                    ("U8", (0xff, false)),
                    ("S8", (0xff, true)),
                    ("U16", (0xffff, false)),
                    ("S16", (0xffff, true)),
                ]);
                if let Some((mask, signed)) = narrow {
                    return self.load_narrow_constant(mask, signed);
                }
                let count = if self.has("64") { 2 } else { 1 };
                let destination = self.destination(count)?;
                let sources = self.source_pair(Kind::Integer)?;
                Ok(self.compute(destination, sources.into_iter().take(count.into()), [], copy(count.into())))
            }
            "SEL" | "FSEL" => {
                self.ignore(&["FTZ"]);
                let kind = if base == "SEL" { Kind::Integer } else { Kind::Single };
                let destination = self.destination(1)?;
                let sources = [self.source(kind)?, self.source(kind)?];
                let first = self.predicate()?;
                Ok(self.compute(
                    destination,
                    sources,
                    [first],
                    map2_if(|a, b, first| if first { a } else { b }),
                ))
            }
            "S2R" | "S2UR" => {
                let destination = self.destination(1)?;
                let source = self.special()?;
                Ok(self.compute(destination, [(source, Modifier::None)], [], map1(|a| a)))
            }
            "CS2R" => {
                let count = if self.has("32") { 1 } else { 2 };
                let destination = self.destination(count)?;
                let lower = (self.special()?, Modifier::None);
                let upper = (Source::Immediate(0), Modifier::None);
                Ok(self.compute(
                    destination,
                    [lower, upper].into_iter().take(count.into()),
                    [],
                    copy(count.into()),
                ))
            }
            "LEPC" => {
                let destination = self.destination(2)?;
                let own = (Source::Immediate(self.instruction.pc), Modifier::None);
                Ok(self.compute(destination, [own, (Source::Immediate(0), Modifier::None)], [], copy(2)))
            }
            "PRMT" => {
                let mode = self.one_of(&[
                    ("F4E", integer::PermuteMode::F4E),
                    ("B4E", integer::PermuteMode::B4E),
                    ("RC8", integer::PermuteMode::RC8),
                    ("ECL", integer::PermuteMode::ECL),
                    ("ECR", integer::PermuteMode::ECR),
                    ("RC16", integer::PermuteMode::RC16),
                ]);
                let mode = mode.unwrap_or(integer::PermuteMode::Index);
                let destination = self.destination(1)?;
                let sources =
                    [self.source(Kind::Integer)?, self.source(Kind::Integer)?, self.source(Kind::Integer)?];
                let function = map3(move |a, selector, b| integer::prmt(a, b, selector, mode));
                Ok(self.compute(destination, sources, [], function))
            }
            "MOVM" => {
                if !(self.has("16") && self.has("MT88")) {
                    return Err(format!(
                        "`{}`: only `.16.MT88` is known to the emulator",
                        self.instruction.opcode
                    ));
                }
                let destination = self.destination(1)?;
                let source = self.source(Kind::Integer)?;
                let function: Function = Box::new(|inputs: &Inputs, outputs: &mut Outputs| {
                    outputs.lanes[0] = matrix::transpose_88(inputs.lanes[0]);
                });
                Ok(self.compute(destination, [source], [], function))
            }
            "LOP3" => self.logic(),
            "PLOP3" => self.predicate_logic(),
            "P2R" => self.predicates_to_register(),
            "R2P" => self.register_to_predicates(),
            _ => self.unexpected(),
        }
    }

    /// `ULDC.U8` and its like: the part of a word at a place that need not be aligned to a word.
    fn load_narrow_constant(&mut self, mask: u32, signed: bool) -> Result<Compute, String> {
        let destination = self.destination(1)?;
        let (source, modifier) = self.source(Kind::Integer)?;
        let Source::Constant { bank, offset } = source else { return self.unexpected() };
        let shift = 8 * (offset % 4);
        let word = (Source::Constant { bank, offset: offset / 4 * 4 }, modifier);
        let unused = mask.leading_zeros();
        let function = map1(move |word| {
            let part = word >> shift & mask;
            if signed {
                ((part << unused) as i32 >> unused) as u32
            } else {
                part
            }
        });
        Ok(self.compute(destination, [word], [], function))
    }

    fn special(&mut self) -> Result<Source, String> {
        let Operand::Name(name) = self.operand()? else { return self.unexpected() };
        Ok(Source::Special(match name.as_str() {
            "SR_LANEID" => Special::Lane,
            "SR_TID.X" => Special::Thread(0),
            "SR_TID.Y" => Special::Thread(1),
            "SR_TID.Z" => Special::Thread(2),
            "SR_CTAID.X" => Special::Block(0),
            "SR_CTAID.Y" => Special::Block(1),
            "SR_CTAID.Z" => Special::Block(2),
            "SR_VIRTID" => Special::VirtualId,
            "SR_WARPID" => Special::Warp,
            "SR_EQMASK" => Special::LaneMask(LaneMask::Equal),
            "SR_LTMASK" => Special::LaneMask(LaneMask::Below),
            "SR_LEMASK" => Special::LaneMask(LaneMask::AtOrBelow),
            "SR_GTMASK" => Special::LaneMask(LaneMask::Above),
            "SR_GEMASK" => Special::LaneMask(LaneMask::AtOrAbove),
            "SR_CLOCKLO" | "SR_CLOCK" => Special::Clock,
            "SR_GLOBALTIMERLO" => Special::Clock,
            "SR_SMEMSZ" => Special::SharedSize,
            // The stack may grow down to there.
            "SR_LMEMHIOFF" => Special::Zero,
            // One multiprocessor, whose performance counters nobody has started.
            "SR_CLOCKHI" | "SR_GLOBALTIMERHI" | "SRZ" | "SR_VIRTUALSMID" | "SR_SMID" => Special::Zero,
            "SR_PM0" | "SR_PM1" | "SR_PM2" | "SR_PM3" | "SR_PM4" | "SR_PM5" | "SR_PM6" | "SR_PM7" => {
                Special::Zero
            }
            _ => return Err(format!("special register {name} is not known to the emulator")),
        }))
    }

    /// `LOP3.LUT [P,] Rd, a, b, c, table, joined`: any function of three bits, bit by bit. P is whether
    /// the result has a bit set, or (`.PAND`: and) the joined predicate holds.
    fn logic(&mut self) -> Result<Compute, String> {
        if !self.has("LUT") {
            return Err(format!("`{}`: only `.LUT` is known to the emulator", self.instruction.opcode));
        }
        let and = self.has("PAND");
        let test = if self.next_is_predicate() { Some(self.predicate_destination()?) } else { None };
        let destination = self.destination(1)?;
        let sources = [self.source(Kind::Integer)?, self.source(Kind::Integer)?, self.source(Kind::Integer)?];
        let table = self.table()?;
        let joined = self.predicate_or(FALSE)?;
        let function: Function = Box::new(move |inputs: &Inputs, outputs: &mut Outputs| {
            let [a, b, c, ..] = inputs.lanes;
            for lane in 0..LANES {
                outputs.lanes[0][lane] = integer::lop3(a[lane], b[lane], c[lane], table);
            }
            if test.is_some() {
                let set =
                    (0..LANES).fold(0, |mask, lane| mask | u32::from(outputs.lanes[0][lane] != 0) << lane);
                let joined = inputs.predicates[0];
                outputs.predicates[0] = if and { set & joined } else { set | joined };
            }
        });
        let mut compute = self.compute(destination, sources, [joined], function);
        compute.predicate_destinations.extend(test);
        Ok(compute)
    }

    fn table(&mut self) -> Result<u8, String> {
        match self.operand()? {
            Operand::Integer(table @ 0..=0xff) => Ok(*table as u8),
            _ => self.unexpected(),
        }
    }

    /// `PLOP3.LUT P, Q, a, b, c, table of P, table of Q`; an operand may be the sign of a register.
    fn predicate_logic(&mut self) -> Result<Compute, String> {
        if !self.has("LUT") {
            return Err(format!("`{}`: only `.LUT` is known to the emulator", self.instruction.opcode));
        }
        let destinations = vec![self.predicate_destination()?, self.predicate_destination()?];
        let mut words = vec![];
        let mut predicates = [FALSE; 3];
        // Which operand is the sign of a word, and whether it is inverted.
        let mut signs: [Option<bool>; 3] = [None; 3];
        for (predicate, sign) in predicates.iter_mut().zip(&mut signs) {
            match self.peek() {
                Some(Operand::Register(register)) if register.sign => {
                    self.next += 1;
                    words.push((self.register_word(register, 0)?, Modifier::None));
                    *sign = Some(register.negate || register.invert);
                }
                _ => *predicate = self.predicate()?,
            }
        }
        let tables = [self.table()?, self.table()?];
        let function: Function = Box::new(move |inputs: &Inputs, outputs: &mut Outputs| {
            let [mut a, mut b, mut c, ..] = inputs.predicates;
            let mut words = inputs.lanes.iter();
            for (operand, sign) in [&mut a, &mut b, &mut c].into_iter().zip(signs) {
                let (Some(inverted), Some(word)) = (sign, sign.and_then(|_| words.next())) else { continue };
                let negative = (0..LANES).fold(0, |mask, lane| mask | (word[lane] >> 31) << lane);
                *operand = if inverted { !negative } else { negative };
            }
            for (predicate, table) in outputs.predicates.iter_mut().zip(tables) {
                *predicate = integer::lop3(a, b, c, table);
            }
        });
        let mut compute = self.compute([], words, predicates, function);
        compute.predicate_destinations = destinations;
        Ok(compute)
    }

    /// `P2R.Bn Rd, PR, a, mask`: predicates P0 to P6 as bits of byte n, instead of those bits of a that the
    /// mask has set there.
    fn predicates_to_register(&mut self) -> Result<Compute, String> {
        let byte = self.one_of(&[("B1", 1), ("B2", 2), ("B3", 3)]).unwrap_or(0);
        let destination = self.destination(1)?;
        let Operand::Name(_) = self.operand()? else { return self.unexpected() };
        let sources = [self.source(Kind::Integer)?, self.source(Kind::Integer)?];
        let uniform = self.is_uniform();
        let predicates = (0..7).map(|index| PredicateSource { uniform, index, negate: false });
        let function: Function = Box::new(move |inputs: &Inputs, outputs: &mut Outputs| {
            let [a, mask, ..] = inputs.lanes;
            for lane in 0..LANES {
                let bits =
                    (0..7).fold(0, |bits, index| bits | (inputs.predicates[index] >> lane & 1) << index);
                let mask = (mask[lane] & 0xff) << (8 * byte);
                outputs.lanes[0][lane] = a[lane] & !mask | bits << (8 * byte) & mask;
            }
        });
        Ok(self.compute(destination, sources, predicates, function))
    }

    /// `R2P PR, a.Bn, mask`: the predicates whose bits the mask has set take those bits of byte n of a.
    fn register_to_predicates(&mut self) -> Result<Compute, String> {
        let Operand::Name(_) = self.operand()? else { return self.unexpected() };
        let Operand::Register(register) = *self.operand()? else { return self.unexpected() };
        let byte = u32::from(register.byte.unwrap_or(0));
        let whole = Register { byte: None, ..register };
        let word = (self.register_word(&whole, 0)?, self.modifier(Kind::Integer, &whole, true)?);
        let Operand::Integer(mask) = *self.operand()? else { return self.unexpected() };
        let indices: Vec<u8> = (0..7).filter(|index| mask >> index & 1 != 0).collect();
        let places = indices.clone();
        let function: Function = Box::new(move |inputs: &Inputs, outputs: &mut Outputs| {
            for (predicate, index) in outputs.predicates.iter_mut().zip(&places) {
                *predicate = (0..LANES).fold(0, |mask, lane| {
                    mask | (inputs.lanes[0][lane] >> (8 * byte + u32::from(*index)) & 1) << lane
                });
            }
        });
        let mut compute = self.compute([], [word], [], function);
        let uniform = self.is_uniform();
        compute.predicate_destinations =
            indices.into_iter().map(|index| PredicateDestination { uniform, index }).collect();
        Ok(compute)
    }

    /// Returns true if the opcode is of the uniform datapath.
    fn is_uniform(&self) -> bool {
        self.base.starts_with('U')
    }
}

/// Sources to results, word by word.
fn copy(words: usize) -> Function {
    Box::new(move |inputs: &Inputs, outputs: &mut Outputs| {
        for (result, word) in outputs.lanes.iter_mut().zip(&inputs.lanes[..words]) {
            *result = **word;
        }
    })
}

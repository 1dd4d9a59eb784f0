// SPDX-License-Identifier: Apache-2.0
//! Conversions between formats.

use super::lanewise::*;
use super::{Decoder, Kind};
use crate::emulator::arithmetic::convert::{self, FloatType, IntegerType};
use crate::emulator::arithmetic::{FloatMode, Rounding};
use crate::emulator::operation::{Compute, Function, Modifier};

impl Decoder<'_> {
    /// `F2F`, `F2I`, `I2F` and `FRND`. Destination and source types stand in this order; 32-bit ones
    /// are left out unless both are floats.
    pub(super) fn convert(&mut self, base: &str) -> Result<Compute, String> {
        let rounding = self.one_of(&[
            ("FLOOR", Rounding::Down),
            ("CEIL", Rounding::Up),
            ("TRUNC", Rounding::Zero),
            ("RM", Rounding::Down),
            ("RP", Rounding::Up),
            ("RZ", Rounding::Zero),
            ("RN", Rounding::Nearest),
        ]);
        let rounding = rounding.unwrap_or_default();
        let (flush, saturate) = (self.has("FTZ"), self.has("SAT"));
        let nan_to_zero = self.has("NTZ");
        let integer = self.take_types(IntegerType::parse).first().copied().unwrap_or(IntegerType::S32);
        let floats = self.take_types(FloatType::parse);
        let float = floats.first().copied().unwrap_or(FloatType::F32);
        match base {
            "F2I" => {
                self.conversion(float == FloatType::F64, integer_is_wide(integer), Some(float), move |bits| {
                    convert::float_to_integer(bits, float, integer, rounding, flush, nan_to_zero)
                })
            }
            "I2F" => self.conversion(integer_is_wide(integer), float == FloatType::F64, None, move |bits| {
                convert::integer_to_float(bits, integer, float, rounding)
            }),
            "FRND" => {
                self.conversion(float == FloatType::F64, float == FloatType::F64, Some(float), move |bits| {
                    convert::round_to_integral(bits, float, rounding, flush)
                })
            }
            _ => {
                let [target, source] = floats[..] else {
                    return Err(format!("`{}` does not name two types", self.instruction.opcode));
                };
                let mode = FloatMode { rounding, flush, saturate };
                self.conversion(
                    source == FloatType::F64,
                    target == FloatType::F64,
                    Some(source),
                    move |bits| convert::float_to_float(bits, source, target, mode),
                )
            }
        }
    }

    /// Takes the modifiers that name types.
    fn take_types<T>(&mut self, parse: fn(&str) -> Option<T>) -> Vec<T> {
        let found = self.modifiers.iter().filter_map(|name| parse(name)).collect();
        self.modifiers.retain(|name| parse(name).is_none());
        found
    }

    /// A function of one operand; `float` is the operand's type if it is a float.
    fn conversion(
        &mut self,
        wide_source: bool,
        wide_target: bool,
        float: Option<FloatType>,
        f: impl Fn(u64) -> u64 + Send + Sync + 'static,
    ) -> Result<Compute, String> {
        let destination = self.destination(if wide_target { 2 } else { 1 })?;
        let kind = match float {
            None => Kind::Integer,
            Some(FloatType::F16) => Kind::Half,
            Some(FloatType::F32) => Kind::Single,
            Some(FloatType::F64) => Kind::Double,
        };
        let sources = match wide_source {
            true => self.source_pair(kind)?.to_vec(),
            // A byte or half that the operand does not choose is the lowest.
            false => vec![self.narrow_source(kind)?],
        };
        let function: Function = match (wide_source, wide_target) {
            (true, true) => wide1(f),
            (true, false) => narrow1(move |bits| f(bits) as u32),
            (false, true) => widen1(move |bits| f(bits.into())),
            (false, false) => map1(move |bits| f(bits.into()) as u32),
        };
        Ok(self.compute(destination, sources, [], function))
    }

    /// The next operand. `.B1` and its like choose a byte of it, and `.H1` and its like a half.
    fn narrow_source(&mut self, kind: Kind) -> Result<super::Word, String> {
        use crate::listing::Operand;
        match self.peek() {
            Some(Operand::Register(register)) if register.byte.is_some() => {
                self.next += 1;
                let index = register.byte.unwrap_or(0);
                let source = self.register_word(register, 0)?;
                Ok((source, Modifier::Byte { index, signed: false }))
            }
            _ if kind == Kind::Integer => {
                // `-a` is the value negated; `.H1` is the upper half.
                if let Some(Operand::Register(register)) = self.peek() {
                    if let Some(half) = register.half {
                        self.next += 1;
                        let source = self.register_word(register, 0)?;
                        return Ok((
                            source,
                            Modifier::Halves { half: Some(half), clear: false, flip: false },
                        ));
                    }
                }
                self.source(kind)
            }
            _ => self.source(kind),
        }
    }
}

fn integer_is_wide(kind: IntegerType) -> bool {
    matches!(kind, IntegerType::U64 | IntegerType::S64)
}

// SPDX-License-Identifier: Apache-2.0
//! Single and double precision.

use super::lanewise::*;
use super::{Decoder, Kind};
use crate::emulator::arithmetic::{double, half, single, special, FloatComparison, FloatMode, Rounding};
use crate::emulator::operation::{Compute, Function, Inputs, Modifier, Outputs, PredicateSource, Source};
use crate::listing::Operand;

/// For the bits of two operands: whether one is the lesser or greater, and whether neither is a number.
type Extreme = fn(u64, u64) -> (bool, bool);

impl Decoder<'_> {
    pub(super) fn float(&mut self, base: &str) -> Result<Compute, String> {
        match base {
            "FADD" | "FMUL" | "FFMA" => self.single_arithmetic(base),
            "FMNMX" => {
                let flush = self.has("FTZ");
                let destination = self.destination(1)?;
                let sources = [self.source(Kind::Single)?, self.source(Kind::Single)?];
                let minimum = self.predicate()?;
                let function = map2_if(move |a, b, minimum| {
                    if minimum {
                        single::minimum(a, b, flush)
                    } else {
                        single::maximum(a, b, flush)
                    }
                });
                Ok(self.compute(destination, sources, [minimum], function))
            }
            "FSETP" => {
                let flush = self.has("FTZ");
                let comparison = self.comparison()?;
                self.set_predicates(Kind::Single, |combine| {
                    test2(combine, move |a, b| single::compare(a, b, comparison, flush))
                })
            }
            "FSET" => {
                let (flush, float) = (self.has("FTZ"), self.has("BF"));
                let comparison = self.comparison()?;
                let combine = self.combine()?;
                let one = if float { 1.0f32.to_bits() } else { u32::MAX };
                let destination = self.destination(1)?;
                let sources = [self.source(Kind::Single)?, self.source(Kind::Single)?];
                let operand = self.predicate()?;
                let function = map2_if(move |a, b, operand| {
                    let holds = single::compare(a, b, comparison, flush);
                    if combine.join(holds, operand) {
                        one
                    } else {
                        0
                    }
                });
                Ok(self.compute(destination, sources, [operand], function))
            }
            "FCHK" => {
                self.ignore(&["DIVIDE"]);
                let destination = self.predicate_destination()?;
                let sources = [self.source(Kind::Single)?, self.source(Kind::Single)?];
                let always = PredicateSource { uniform: false, index: 7, negate: false };
                let mut compute =
                    self.compute([], sources, [always], test2(Combine::And, single::check_division));
                compute.predicate_destinations = vec![destination];
                Ok(compute)
            }
            "MUFU" => self.special_function(),
            "DADD" | "DMUL" | "DFMA" => self.double_arithmetic(base),
            "DSETP" => {
                // Which operand is the lesser or greater one, and whether neither is a number: the code
                // around it selects.
                let extreme: Option<Extreme> =
                    self.one_of(&[("MIN", double::minimum as fn(u64, u64) -> _), ("MAX", double::maximum)]);
                if let Some(extreme) = extreme {
                    return self.set_predicates(Kind::Double, |combine| wide_test2_both(combine, extreme));
                }
                let comparison = self.comparison()?;
                self.set_predicates(Kind::Double, |combine| {
                    wide_test2(combine, move |a, b| double::compare(a, b, comparison))
                })
            }
            _ => self.unexpected(),
        }
    }

    pub(super) fn rounding(&mut self) -> Rounding {
        let choices =
            [("RN", Rounding::Nearest), ("RM", Rounding::Down), ("RP", Rounding::Up), ("RZ", Rounding::Zero)];
        self.one_of(&choices).unwrap_or_default()
    }

    pub(super) fn float_mode(&mut self) -> FloatMode {
        FloatMode { rounding: self.rounding(), flush: self.has("FTZ"), saturate: self.has("SAT") }
    }

    pub(super) fn comparison(&mut self) -> Result<FloatComparison, String> {
        let found =
            self.modifiers.iter().find_map(|name| FloatComparison::parse(name).map(|found| (*name, found)));
        let (name, comparison) =
            found.ok_or_else(|| format!("`{}` names no comparison", self.instruction.opcode))?;
        self.has(name);
        Ok(comparison)
    }

    /// `xSETP P, complement, a, b, combined`.
    fn set_predicates(
        &mut self,
        kind: Kind,
        function: impl Fn(Combine) -> Function,
    ) -> Result<Compute, String> {
        let combine = self.combine()?;
        let destinations = vec![self.predicate_destination()?, self.predicate_destination()?];
        let sources = match kind {
            Kind::Double => [self.source_pair(kind)?, self.source_pair(kind)?].concat(),
            _ => vec![self.source(kind)?, self.source(kind)?],
        };
        let combined = self.predicate()?;
        let mut compute = self.compute([], sources, [combined], function(combine));
        compute.predicate_destinations = destinations;
        Ok(compute)
    }

    fn single_arithmetic(&mut self, base: &str) -> Result<Compute, String> {
        let mode = self.float_mode();
        let plain = mode == FloatMode::default();
        if base == "FMUL" {
            let scales = [("D2", 0.5), ("D4", 0.25), ("D8", 0.125), ("M2", 2.0), ("M4", 4.0), ("M8", 8.0)];
            if let Some(scale) = self.one_of(&scales) {
                let destination = self.destination(1)?;
                let sources = [self.source(Kind::Single)?, self.source(Kind::Single)?];
                let function = map2(move |a, b| single::multiply_scaled(a, b, scale, mode));
                return Ok(self.compute(destination, sources, [], function));
            }
        }
        let destination = self.destination(1)?;
        let count = if base == "FFMA" { 3 } else { 2 };
        let sources = (0..count).map(|_| self.source(Kind::Single)).collect::<Result<Vec<_>, _>>()?;
        // The mode of almost all instructions is compiled in.
        let function = match (base, plain) {
            ("FADD", true) => map2(|a, b| single::add(a, b, FloatMode::default())),
            ("FADD", false) => map2(move |a, b| single::add(a, b, mode)),
            ("FMUL", true) => map2(|a, b| single::multiply(a, b, FloatMode::default())),
            ("FMUL", false) => map2(move |a, b| single::multiply(a, b, mode)),
            (_, true) => Box::new(|inputs: &Inputs, outputs: &mut Outputs| {
                let [a, b, c, ..] = inputs.lanes;
                single::fused_lanes(a, b, c, &mut outputs.lanes[0]);
            }),
            (_, false) => map3(move |a, b, c| single::fused(a, b, c, mode)),
        };
        Ok(self.compute(destination, sources, [], function))
    }

    fn double_arithmetic(&mut self, base: &str) -> Result<Compute, String> {
        let rounding = self.rounding();
        let destination = self.destination(2)?;
        let count = if base == "DFMA" { 3 } else { 2 };
        let sources = (0..count).map(|_| self.source_pair(Kind::Double)).collect::<Result<Vec<_>, _>>()?;
        let function = match base {
            "DADD" => wide2(move |a, b| double::add(a, b, rounding)),
            "DMUL" => wide2(move |a, b| double::multiply(a, b, rounding)),
            _ => wide3(move |a, b, c| double::fused(a, b, c, rounding)),
        };
        Ok(self.compute(destination, sources.into_iter().flatten(), [], function))
    }

    /// `MUFU.name Rd, a`.
    fn special_function(&mut self) -> Result<Compute, String> {
        self.ignore(&["FTZ"]);
        if self.has("F16") {
            return self.special_function_of_half();
        }
        let of_double = self.modifiers.iter().any(|name| name.ends_with("64H"));
        let functions = [
            ("RCP", special::reciprocal as fn(u32) -> u32),
            ("RSQ", special::reciprocal_square_root),
            ("SQRT", special::square_root),
            ("EX2", special::exp2),
            ("LG2", special::log2),
            ("SIN", special::sine),
            ("COS", special::cosine),
            ("TANH", special::tanh),
            ("RCP64H", special::reciprocal64_high),
            ("RSQ64H", special::reciprocal_square_root64_high),
        ];
        let function = self.one_of(&functions).ok_or_else(|| {
            format!("`{}` names no function known to the emulator", self.instruction.opcode)
        })?;
        let destination = self.destination(1)?;
        // Of a double, the upper word alone is given; its sign is in the same place.
        let source = match self.peek() {
            Some(&Operand::Float(value)) if of_double => {
                self.next += 1;
                (Source::Immediate((value.to_bits() >> 32) as u32), Modifier::None)
            }
            _ => self.source(Kind::Single)?,
        };
        Ok(self.compute(destination, [source], [], map1(function)))
    }

    /// `MUFU.name.F16 Rd, a`: of the lower half of a, or of that which `.H1` chooses, to the lower half of
    /// Rd; in single precision inside.
    fn special_function_of_half(&mut self) -> Result<Compute, String> {
        let functions = [("EX2", special::exp2 as fn(u32) -> u32), ("TANH", special::tanh)];
        let function = self.one_of(&functions).ok_or_else(|| {
            format!("`{}` names no function known to the emulator", self.instruction.opcode)
        })?;
        let destination = self.destination(1)?;
        let source = self.source(Kind::Half)?;
        Ok(self.compute(
            destination,
            [source],
            [],
            map1(move |bits| half::by_single(bits as u16, function).into()),
        ))
    }
}

// SPDX-License-Identifier: Apache-2.0
//! Half precision, two values to a register.

use super::lanewise::*;
use super::{Decoder, Kind};
use crate::emulator::arithmetic::{half, FloatMode};
use crate::emulator::operation::{Compute, Function, Inputs, Outputs, LANES};

impl Decoder<'_> {
    pub(super) fn half(&mut self, base: &str) -> Result<Compute, String> {
        self.ignore(&["MMA", "F16", "F16_V2"]);
        // Of one half of each operand then, the lower one unless marked.
        let single_result = matches!(base, "HADD2" | "HMUL2" | "HFMA2") && self.has("F32");
        let widening = self.widening;
        let mode = FloatMode { flush: self.has("FTZ"), saturate: self.has("SAT"), ..FloatMode::default() };
        match base {
            "HADD2" if single_result => {
                let destination = self.destination(1)?;
                let sources = [self.source(Kind::Half)?, self.source(Kind::Half)?];
                let function = map2(move |a, b| half::add_to_single(a as u16, b as u16, mode, widening));
                Ok(self.compute(destination, sources, [], function))
            }
            "HADD2" => {
                let destination = self.destination(1)?;
                let sources = [self.source(Kind::Half)?, self.source(Kind::Half)?];
                Ok(self.compute(destination, sources, [], map2(move |a, b| half::add2(a, b, mode))))
            }
            "HMUL2" => {
                let destination = self.destination(1)?;
                let sources = [self.source(Kind::Half)?, self.source(Kind::Half)?];
                if single_result {
                    let function =
                        map2(move |a, b| half::multiply_to_single(a as u16, b as u16, mode, widening));
                    return Ok(self.compute(destination, sources, [], function));
                }
                Ok(self.compute(destination, sources, [], map2(move |a, b| half::multiply2(a, b, mode))))
            }
            "HFMA2" => {
                let destination = self.destination(1)?;
                let sources = [self.source(Kind::Half)?, self.source(Kind::Half)?, self.source(Kind::Half)?];
                if single_result {
                    let function = map3(move |a, b, c| {
                        half::fused_to_single(a as u16, b as u16, c as u16, mode, widening)
                    });
                    return Ok(self.compute(destination, sources, [], function));
                }
                Ok(self.compute(destination, sources, [], map3(move |a, b, c| half::fused2(a, b, c, mode))))
            }
            "HSETP2" => self.compare_halves(mode.flush),
            "HSET2" => {
                let float = self.has("BF");
                let comparison = self.comparison()?;
                let combine = self.combine()?;
                let destination = self.destination(1)?;
                let sources = [self.source(Kind::Half)?, self.source(Kind::Half)?];
                let operand = self.predicate()?;
                let one = if float { 0x3c00 } else { 0xffff };
                let function = map2_if(move |a, b, operand| {
                    let half = |shift: u32| {
                        let holds =
                            half::compare((a >> shift) as u16, (b >> shift) as u16, comparison, mode.flush);
                        if combine.join(holds, operand) {
                            one << shift
                        } else {
                            0
                        }
                    };
                    half(0) | half(16)
                });
                Ok(self.compute(destination, sources, [operand], function))
            }
            _ => self.unexpected(),
        }
    }

    /// `HSETP2 P, Q, a, b, combined`: P compares the lower halves, Q the upper ones; with `.H0_H0` on
    /// both operands P is the comparison and Q its complement, which the compiler never uses.
    fn compare_halves(&mut self, flush: bool) -> Result<Compute, String> {
        let comparison = self.comparison()?;
        let combine = self.combine()?;
        let destinations = vec![self.predicate_destination()?, self.predicate_destination()?];
        let sources = [self.source(Kind::Half)?, self.source(Kind::Half)?];
        let combined = self.predicate()?;
        let function: Function = Box::new(move |inputs: &Inputs, outputs: &mut Outputs| {
            for (predicate, shift) in outputs.predicates.iter_mut().zip([0, 16]) {
                *predicate = (0..LANES).fold(0, |mask, lane| {
                    let [a, b] = [inputs.lanes[0][lane], inputs.lanes[1][lane]];
                    let holds = half::compare((a >> shift) as u16, (b >> shift) as u16, comparison, flush);
                    let holds = combine.join(holds, inputs.predicates[0] >> lane & 1 != 0);
                    mask | u32::from(holds) << lane
                });
            }
        });
        let mut compute = self.compute([], sources, [combined], function);
        compute.predicate_destinations = destinations;
        Ok(compute)
    }
}

// SPDX-License-Identifier: Apache-2.0
//! Integer arithmetic.

use super::lanewise::*;
use super::{Decoder, Kind, FALSE, TRUE};
use crate::emulator::arithmetic::integer::{self, FunnelMode};
use crate::emulator::operation::{Compute, Function, Inputs, Modifier, Outputs, PredicateSource, LANES};
use crate::listing::Operand;

impl Decoder<'_> {
    pub(super) fn integer(&mut self, base: &str) -> Result<Compute, String> {
        match base {
            "IADD3" | "IADD" => self.add3(),
            "IMAD" | "IMUL" => self.multiply_add(base),
            "ISETP" => self.compare_integers(),
            "LEA" => self.load_effective_address(),
            "SHF" => self.funnel_shift(),
            "IMNMX" => {
                let unsigned = self.has("U32");
                let destination = self.destination(1)?;
                let sources = [self.source(Kind::Integer)?, self.source(Kind::Integer)?];
                let minimum = self.predicate()?;
                let function = if unsigned {
                    map2_if(|a, b, minimum| if minimum { a.min(b) } else { a.max(b) })
                } else {
                    map2_if(|a, b, minimum| {
                        let (a, b) = (a as i32, b as i32);
                        (if minimum { a.min(b) } else { a.max(b) }) as u32
                    })
                };
                Ok(self.compute(destination, sources, [minimum], function))
            }
            "IABS" => self.unary(map1(|a| (a as i32).unsigned_abs())),
            "POPC" => self.unary(map1(u32::count_ones)),
            "BREV" => self.unary(map1(u32::reverse_bits)),
            "FLO" => {
                let unsigned = self.has("U32");
                let shift = self.has("SH");
                self.ignore(&["S32"]);
                let destination = self.destination(1)?;
                // A predicate result that tells of an empty operand is never asked for.
                let source = self.source(Kind::Integer)?;
                Ok(self.compute(
                    destination,
                    [source],
                    [],
                    map1(move |a| integer::find_leading_one(a, !unsigned, shift)),
                ))
            }
            "BMSK" => {
                let wrap = self.has("W");
                self.ignore(&["C"]);
                self.binary(map2(move |start, width| integer::bit_mask(start, width, wrap)))
            }
            "SGXT" => {
                let (unsigned, wrap) = (self.has("U32"), self.has("W"));
                self.ignore(&["C"]);
                self.binary(map2(move |value, bits| integer::sign_extend(value, bits, !unsigned, wrap)))
            }
            "IDP" => self.dot_product(),
            "VABSDIFF" | "VABSDIFF4" => self.absolute_difference(base),
            "I2I" | "I2IP" => self.pack(base),
            _ => self.unexpected(),
        }
    }

    fn unary(&mut self, function: Function) -> Result<Compute, String> {
        let destination = self.destination(1)?;
        let source = self.source(Kind::Integer)?;
        Ok(self.compute(destination, [source], [], function))
    }

    fn binary(&mut self, function: Function) -> Result<Compute, String> {
        let destination = self.destination(1)?;
        let sources = [self.source(Kind::Integer)?, self.source(Kind::Integer)?];
        Ok(self.compute(destination, sources, [], function))
    }

    /// The carries an addition takes: with `.X` those after its sources, else none.
    fn carries_in(&mut self, extended: bool) -> Result<[PredicateSource; 2], String> {
        if !extended {
            return Ok([FALSE; 2]);
        }
        Ok([self.predicate_or(FALSE)?, self.predicate_or(FALSE)?])
    }

    /// `IADD3 Rd, [carry out, [carry out,]] a, b, c [, carry in, carry in]`.
    fn add3(&mut self) -> Result<Compute, String> {
        let extended = self.has("X");
        let destination = self.destination(1)?;
        let mut carries_out = vec![];
        while self.next_is_predicate() {
            carries_out.push(self.predicate_destination()?);
        }
        let mut sources =
            [self.source(Kind::Integer)?, self.source(Kind::Integer)?, self.source(Kind::Integer)?];
        let carries = self.carries_in(extended)?;
        // A negated operand is its complement and one more, so that its carry is that of a subtraction.
        let negate = sources.each_mut().map(|(_, modifier)| {
            let negate = *modifier == Modifier::Negate;
            if negate {
                *modifier = Modifier::Invert;
            }
            negate
        });
        let ones = negate.iter().filter(|&&negate| negate).count() as u64;
        let function: Function = Box::new(move |inputs: &Inputs, outputs: &mut Outputs| {
            let [a, b, c, ..] = inputs.lanes;
            let [first, second, ..] = inputs.predicates;
            outputs.predicates[..2].fill(0);
            for lane in 0..LANES {
                let carry_in = u64::from(first >> lane & 1) + u64::from(second >> lane & 1) + ones;
                let sum = u64::from(a[lane]) + u64::from(b[lane]) + u64::from(c[lane]) + carry_in;
                outputs.lanes[0][lane] = sum as u32;
                let carry = (sum >> 32) as u32;
                outputs.predicates[0] |= u32::from(carry >= 1) << lane;
                outputs.predicates[1] |= u32::from(carry >= 2) << lane;
            }
        });
        let mut compute = self.compute(destination, sources, carries, function);
        compute.predicate_destinations = carries_out;
        Ok(compute)
    }

    /// `IMAD` in all its forms, and `IMUL`, which has no addend.
    fn multiply_add(&mut self, base: &str) -> Result<Compute, String> {
        let signed = !self.has("U32");
        let (wide, high, extended) = (self.has("WIDE"), self.has("HI"), self.has("X"));
        // These name what the operands make of it.
        self.ignore(&["MOV", "SHL", "IADD", "S32"]);
        let destination = self.destination(if wide { 2 } else { 1 })?;
        let carry_out = if self.next_is_predicate() { Some(self.predicate_destination()?) } else { None };
        let [a, b] = [self.source(Kind::Integer)?, self.source(Kind::Integer)?];
        let zero = (crate::emulator::operation::Source::Immediate(0), Modifier::None);
        let long = wide || high;
        let subtract = long && self.next_is_negated();
        let c = match (base, long) {
            ("IMUL", _) => [zero, zero],
            (_, true) => self.source_pair(Kind::Long)?,
            (_, false) => [self.source(Kind::Integer)?, zero],
        };
        let carry = if extended { self.predicate_or(FALSE)? } else { FALSE };
        if carry_out.is_some() && !long {
            return Err("the carry of a 32-bit multiplication is not known to the emulator".into());
        }
        let product = move |a: u32, b: u32| {
            if signed {
                (i64::from(a as i32) * i64::from(b as i32)) as u64
            } else {
                u64::from(a) * u64::from(b)
            }
        };
        let function: Function = if long {
            Box::new(move |inputs: &Inputs, outputs: &mut Outputs| {
                let [a, b, low, upper, ..] = inputs.lanes;
                outputs.predicates[0] = 0;
                for lane in 0..LANES {
                    let addend = u64::from(upper[lane]) << 32 | u64::from(low[lane]);
                    let ones = u64::from(inputs.predicates[0] >> lane & 1) + u64::from(subtract);
                    let (sum, first) = product(a[lane], b[lane]).overflowing_add(addend);
                    let (sum, second) = sum.overflowing_add(ones);
                    outputs.lanes[0][lane] = if high { (sum >> 32) as u32 } else { sum as u32 };
                    outputs.lanes[1][lane] = (sum >> 32) as u32;
                    outputs.predicates[0] |= u32::from(first | second) << lane;
                }
            })
        } else {
            Box::new(move |inputs: &Inputs, outputs: &mut Outputs| {
                let [a, b, c, ..] = inputs.lanes;
                for lane in 0..LANES {
                    let carry = inputs.predicates[0] >> lane & 1;
                    outputs.lanes[0][lane] =
                        a[lane].wrapping_mul(b[lane]).wrapping_add(c[lane]).wrapping_add(carry);
                }
            })
        };
        let sources = [a, b].into_iter().chain(c).take(if long { 4 } else { 3 });
        let mut compute = self.compute(destination, sources, [carry], function);
        compute.predicate_destinations.extend(carry_out);
        Ok(compute)
    }

    /// `ISETP P, complement, a, b, combined [, result of the lower words]`.
    fn compare_integers(&mut self) -> Result<Compute, String> {
        let choices = [
            ("LT", std::cmp::Ordering::is_lt as fn(_) -> bool),
            ("LE", std::cmp::Ordering::is_le),
            ("GT", std::cmp::Ordering::is_gt),
            ("GE", std::cmp::Ordering::is_ge),
            ("EQ", std::cmp::Ordering::is_eq),
            ("NE", std::cmp::Ordering::is_ne),
        ];
        let constant = self.one_of(&[("F", false), ("T", true)]);
        let holds = self.one_of(&choices);
        let unsigned = self.has("U32");
        let extended = self.has("EX");
        let combine = self.combine()?;
        let destinations = vec![self.predicate_destination()?, self.predicate_destination()?];
        let sources = [self.source(Kind::Integer)?, self.source(Kind::Integer)?];
        let combined = self.predicate()?;
        // Not printed where it is PT.
        let lower = if extended { self.predicate_or(TRUE)? } else { TRUE };
        let function = match (constant, holds) {
            (Some(constant), _) => test2(combine, move |_, _| constant),
            (None, Some(holds)) => {
                let order =
                    move |a: u32, b: u32| if unsigned { a.cmp(&b) } else { (a as i32).cmp(&(b as i32)) };
                if extended {
                    // Equal upper words leave it to the lower ones.
                    test2_extended(
                        combine,
                        move |a, b, lower| if a == b { lower } else { holds(order(a, b)) },
                    )
                } else {
                    test2(combine, move |a, b| holds(order(a, b)))
                }
            }
            (None, None) => return Err(format!("`{}` names no comparison", self.instruction.opcode)),
        };
        let mut compute = self.compute([], sources, [combined, lower], function);
        compute.predicate_destinations = destinations;
        Ok(compute)
    }

    pub(super) fn combine(&mut self) -> Result<Combine, String> {
        let choices = [("AND", Combine::And), ("OR", Combine::Or), ("XOR", Combine::Xor)];
        self.one_of(&choices).ok_or_else(|| format!("`{}` says not how to combine", self.instruction.opcode))
    }

    /// `LEA Rd, [carry out,] a, b, [upper word of a,] shift [, carry in]`: a shifted left, plus b; with
    /// `.HI` the upper word of the shifted pair, plus b.
    fn load_effective_address(&mut self) -> Result<Compute, String> {
        let (high, extended, sign_extended) = (self.has("HI"), self.has("X"), self.has("SX32"));
        let destination = self.destination(1)?;
        let carry_out = if self.next_is_predicate() { Some(self.predicate_destination()?) } else { None };
        let (source_a, mut modifier_a) = self.source(Kind::Integer)?;
        // The shifted value is negated, not the value to shift.
        let negated = modifier_a == Modifier::Negate;
        if negated {
            modifier_a = Modifier::None;
        }
        let b = self.source(Kind::Integer)?;
        let zero = (crate::emulator::operation::Source::Immediate(0), Modifier::None);
        let upper = if high && !sign_extended { self.source(Kind::Integer)? } else { zero };
        let Operand::Integer(shift) = *self.operand()? else { return self.unexpected() };
        let shift = shift as u32 & 31;
        let carry = if extended { self.predicate_or(FALSE)? } else { FALSE };
        let function: Function = Box::new(move |inputs: &Inputs, outputs: &mut Outputs| {
            let [a, b, upper, ..] = inputs.lanes;
            outputs.predicates[0] = 0;
            for lane in 0..LANES {
                let upper = if sign_extended { (a[lane] as i32 >> 31) as u32 } else { upper[lane] };
                let shifted = (u64::from(upper) << 32 | u64::from(a[lane])) << shift;
                let shifted = if high { (shifted >> 32) as u32 } else { shifted as u32 };
                // As in `IADD3`: without `.X` the negation is whole, with it the carry completes it.
                let (shifted, one) = match (negated, extended) {
                    (false, _) => (shifted, 0),
                    (true, false) => (!shifted, 1),
                    (true, true) => (!shifted, 0),
                };
                let carry = u64::from(inputs.predicates[0] >> lane & 1) + one;
                let sum = u64::from(shifted) + u64::from(b[lane]) + carry;
                outputs.lanes[0][lane] = sum as u32;
                outputs.predicates[0] |= ((sum >> 32) as u32 & 1) << lane;
            }
        });
        let mut compute = self.compute(destination, [(source_a, modifier_a), b, upper], [carry], function);
        compute.predicate_destinations.extend(carry_out);
        Ok(compute)
    }

    /// `SHF Rd, low, shift, high`.
    fn funnel_shift(&mut self) -> Result<Compute, String> {
        let left = self.has("L");
        if !left && !self.has("R") {
            return Err(format!("`{}` says not which way to shift", self.instruction.opcode));
        }
        let kind = self.one_of(&[
            ("U32", integer::FunnelType::U32),
            ("S32", integer::FunnelType::S32),
            ("U64", integer::FunnelType::U64),
            ("S64", integer::FunnelType::S64),
        ]);
        let wrap = self.has("W");
        self.ignore(&["C"]);
        let high = self.has("HI");
        let mode = FunnelMode { left, wrap, high, kind: kind.unwrap_or(integer::FunnelType::U32) };
        let destination = self.destination(1)?;
        let sources = [self.source(Kind::Integer)?, self.source(Kind::Integer)?, self.source(Kind::Integer)?];
        Ok(self.compute(
            destination,
            sources,
            [],
            map3(move |low, shift, high| integer::funnel(low, shift, high, mode)),
        ))
    }

    /// `IDP.4A Rd, a, b, c`: a dot product of bytes, added to c; `IDP.2A`: of halves of a with the lower
    /// or upper two bytes of b.
    fn dot_product(&mut self) -> Result<Compute, String> {
        let four = self.has("4A");
        let upper = self.has("HI");
        if !four && !(self.has("2A") && (upper || self.has("LO"))) {
            return Err(format!("`{}` names no product known to the emulator", self.instruction.opcode));
        }
        // The types of a and b, in this order.
        let names = ["S8", "U8", "S16", "U16"];
        let found = self.modifiers.iter().filter(|name| names.contains(name));
        let types: Vec<bool> = found.map(|name| name.starts_with('S')).collect();
        self.ignore(&names);
        let (a_signed, b_signed) = match types[..] {
            [] => (true, true),
            [both] => (both, both),
            [a, b, ..] => (a, b),
        };
        let destination = self.destination(1)?;
        let sources = [self.source(Kind::Integer)?, self.source(Kind::Integer)?, self.source(Kind::Integer)?];
        let function = if four {
            map3(move |a, b, c| integer::dot_product_4(a, b, c, a_signed, b_signed))
        } else {
            let shift = if upper { 16 } else { 0 };
            map3(move |a, b, c| integer::dot_product_2(a, b >> shift, c, a_signed, b_signed))
        };
        Ok(self.compute(destination, sources, [], function))
    }

    /// `VABSDIFF Rd, a, b, c`: |a - b| + c, of whole words or summed over bytes.
    fn absolute_difference(&mut self, base: &str) -> Result<Compute, String> {
        let unsigned = self.has("U8") || self.has("U32");
        let accumulate = self.has("ACC");
        let destination = self.destination(1)?;
        let sources = [self.source(Kind::Integer)?, self.source(Kind::Integer)?, self.source(Kind::Integer)?];
        let bytes = base == "VABSDIFF4";
        let function = match bytes {
            false => map3(move |a, b, c| integer::absolute_difference(a, b, !unsigned).wrapping_add(c)),
            true => map3(move |a, b, c| integer::absolute_difference_4(a, b, c, !unsigned, accumulate)),
        };
        Ok(self.compute(destination, sources, [], function))
    }

    /// `I2I` and `I2IP` with saturation: `I2IP.S8.S32.SAT Rd, a, b, c` puts a and b, saturated to
    /// bytes, below the lower half of c; `I2IP.S4.S32.SAT Rd, a, b, c.24`, to four bits, below its lower 24
    /// bits.
    fn pack(&mut self, base: &str) -> Result<Compute, String> {
        let saturate = self.has("SAT");
        let to = self.one_of(&[
            ("S4", integer::Narrow::S4),
            ("U4", integer::Narrow::U4),
            ("S8", integer::Narrow::S8),
            ("U8", integer::Narrow::U8),
            ("S16", integer::Narrow::S16),
            ("U16", integer::Narrow::U16),
        ]);
        self.ignore(&["S32"]);
        let to = to.ok_or_else(|| format!("`{}` names no type", self.instruction.opcode))?;
        if !saturate {
            return Err(format!("`{}`: only `.SAT` is known to the emulator", self.instruction.opcode));
        }
        let destination = self.destination(1)?;
        if base == "I2I" {
            let source = self.source(Kind::Integer)?;
            return Ok(self.compute(destination, [source], [], map1(move |a| integer::saturate(a, to))));
        }
        let sources = [self.source(Kind::Integer)?, self.source(Kind::Integer)?, self.source(Kind::Integer)?];
        Ok(self.compute(destination, sources, [], map3(move |a, b, c| integer::pack(a, b, c, to))))
    }
}

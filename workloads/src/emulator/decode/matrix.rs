// SPDX-License-Identifier: Apache-2.0
//! Matrix products on the tensor cores.

use super::Decoder;
use crate::emulator::arithmetic::matrix;
use crate::emulator::operation::{Compute, Function, Inputs, Lanes, Outputs};
use crate::listing::Operand;

impl Decoder<'_> {
    /// `HMMA.1688`, `IMMA.8816`, `IMMA.8832`, `BMMA.88128` and Volta's `HMMA.884`: D = A × B + C, fragments
    /// spread over the lanes.
    pub(super) fn matrix(&mut self, base: &str) -> Result<Compute, String> {
        match base {
            "HMMA" if self.has("884") => self.quad_matrix(),
            "HMMA" => self.half_matrix(),
            "BMMA" => self.bit_matrix(),
            _ => self.integer_matrix(),
        }
    }

    fn half_matrix(&mut self) -> Result<Compute, String> {
        if !self.has("1688") {
            return Err(format!(
                "`{}`: of HMMA, only shapes 1688 and 884 are Turing's",
                self.instruction.opcode
            ));
        }
        let single = self.has("F32");
        self.ignore(&["F16"]);
        if single {
            let destination = self.destination(4)?;
            let a = self.fragment::<2>()?;
            let b = self.fragment::<1>()?;
            let c = self.fragment::<4>()?;
            let function: Function = Box::new(|inputs: &Inputs, outputs: &mut Outputs| {
                let [a0, a1, b, c0, c1, c2, c3, ..] = inputs.lanes;
                matrix::hmma_1688_f32([a0, a1], b, [c0, c1, c2, c3], &mut outputs.lanes);
            });
            let sources = a.into_iter().chain(b).chain(c);
            Ok(self.compute(destination, sources, [], function))
        } else {
            let destination = self.destination(2)?;
            let a = self.fragment::<2>()?;
            let b = self.fragment::<1>()?;
            let c = self.fragment::<2>()?;
            let function: Function = Box::new(|inputs: &Inputs, outputs: &mut Outputs| {
                let [a0, a1, b, c0, c1, ..] = inputs.lanes;
                let d = outputs.lanes.first_chunk_mut().expect("two of four");
                matrix::hmma_1688_f16([a0, a1], b, [c0, c1], d);
            });
            let sources = a.into_iter().chain(b).chain(c);
            Ok(self.compute(destination, sources, [], function))
        }
    }

    fn integer_matrix(&mut self) -> Result<Compute, String> {
        type Product = fn(&Lanes, &Lanes, &[Lanes; 2], bool, bool, bool) -> [Lanes; 2];
        let product: Option<Product> =
            self.one_of(&[("8816", matrix::imma::<8, 16> as Product), ("8832", matrix::imma::<4, 32>)]);
        let product = product.ok_or_else(|| {
            format!("`{}`: of IMMA, only shapes 8816 and 8832 are Turing's", self.instruction.opcode)
        })?;
        let saturate = self.has("SAT");
        // The types of A and B, in this order.
        let signed: Vec<bool> = self
            .modifiers
            .iter()
            .filter(|name| matches!(**name, "S8" | "U8" | "S4" | "U4"))
            .map(|name| name.starts_with('S'))
            .collect();
        self.ignore(&["S8", "U8", "S4", "U4"]);
        let [a_signed, b_signed] = signed[..] else {
            return Err(format!("`{}` does not name two types", self.instruction.opcode));
        };
        let destination = self.destination(2)?;
        let a = self.fragment::<1>()?;
        let b = self.fragment::<1>()?;
        let c = self.fragment::<2>()?;
        let function: Function = Box::new(move |inputs: &Inputs, outputs: &mut Outputs| {
            let [a, b, c0, c1, ..] = inputs.lanes;
            let [d0, d1] = product(a, b, &[*c0, *c1], a_signed, b_signed, saturate);
            outputs.lanes[0] = d0;
            outputs.lanes[1] = d1;
        });
        let sources = a.into_iter().chain(b).chain(c);
        Ok(self.compute(destination, sources, [], function))
    }

    /// `HMMA.884.type of D.type of C.STEPn D, A, B, C`: of the products of four threads with four others, the
    /// n-th pair of registers of the result.
    fn quad_matrix(&mut self) -> Result<Compute, String> {
        let steps = [("STEP0", 0), ("STEP1", 1), ("STEP2", 2), ("STEP3", 3)];
        let step: Option<usize> = self.one_of(&steps);
        type Add = fn(&matrix::QuadProduct, [&Lanes; 2], usize) -> [Lanes; 2];
        let (add, step): (Add, usize) = match (&self.modifiers[..], step) {
            (["F32", "F32"], Some(step)) => (matrix::QuadProduct::add_singles, step),
            (["F32", "F16"], Some(step)) => (matrix::QuadProduct::add_halves_to_singles, step),
            (["F16", "F16"], Some(step @ (0 | 1))) => (matrix::QuadProduct::add_halves, step),
            _ => {
                let opcode = &self.instruction.opcode;
                return Err(format!("`{opcode}` names no types and step known to the emulator"));
            }
        };
        self.modifiers.clear();
        let destination = self.destination(2)?;
        let a_by_row = self.by_row();
        let a = self.fragment::<2>()?;
        let b_by_row = self.by_row();
        let b = self.fragment::<2>()?;
        let c = self.fragment::<2>()?;
        let function: Function = Box::new(move |inputs: &Inputs, outputs: &mut Outputs| {
            let [a0, a1, b0, b1, c0, c1, ..] = inputs.lanes;
            let product = matrix::QuadProduct::new([a0, a1], a_by_row, [b0, b1], b_by_row);
            let [d0, d1] = add(&product, [c0, c1], step);
            outputs.lanes[0] = d0;
            outputs.lanes[1] = d1;
        });
        let sources = a.into_iter().chain(b).chain(c);
        Ok(self.compute(destination, sources, [], function))
    }

    /// Returns true if the next operand has `.ROW`.
    fn by_row(&self) -> bool {
        matches!(self.peek(), Some(Operand::Register(register)) if register.by_row)
    }

    /// `BMMA.88128.XOR.POPC`: counts of bits that differ.
    fn bit_matrix(&mut self) -> Result<Compute, String> {
        if !(self.has("88128") && self.has("XOR") && self.has("POPC")) {
            let opcode = &self.instruction.opcode;
            return Err(format!("`{opcode}`: of BMMA, only 88128.XOR.POPC is Turing's"));
        }
        let destination = self.destination(2)?;
        let a = self.fragment::<1>()?;
        let b = self.fragment::<1>()?;
        let c = self.fragment::<2>()?;
        let function: Function = Box::new(move |inputs: &Inputs, outputs: &mut Outputs| {
            let [a, b, c0, c1, ..] = inputs.lanes;
            let [d0, d1] = matrix::bmma_88128(a, b, &[*c0, *c1]);
            outputs.lanes[0] = d0;
            outputs.lanes[1] = d1;
        });
        let sources = a.into_iter().chain(b).chain(c);
        Ok(self.compute(destination, sources, [], function))
    }
}

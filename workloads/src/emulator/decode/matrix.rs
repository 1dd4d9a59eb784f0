//! Matrix products on the tensor cores.

use super::Decoder;
use crate::emulator::arithmetic::matrix;
use crate::emulator::operation::{Compute, Function, Inputs, Lanes, Outputs};

impl Decoder<'_> {
    /// `HMMA.1688` and `IMMA.8816`, `IMMA.8832`: D = A × B + C, fragments spread over the lanes.
    pub(super) fn matrix(&mut self, base: &str) -> Result<Compute, String> {
        match base {
            "HMMA" => self.half_matrix(),
            _ => self.integer_matrix(),
        }
    }

    fn half_matrix(&mut self) -> Result<Compute, String> {
        if !self.has("1688") {
            return Err(format!("`{}`: of HMMA, only shape 1688 is Turing's", self.instruction.opcode));
        }
        let single = self.has("F32");
        self.ignore(&["F16"]);
        if single {
            let destination = self.destination(4)?;
            let a = self.fragment::<2>()?;
            let b = self.fragment::<1>()?;
            let c = self.fragment::<4>()?;
            let function: Function = Box::new(|inputs: &Inputs, outputs: &mut Outputs| {
                let [a0, a1, b, c0, c1, c2, c3, ..] = &inputs.lanes;
                outputs.lanes = matrix::hmma_1688_f32(&[*a0, *a1], b, &[*c0, *c1, *c2, *c3]);
            });
            let sources = a.into_iter().chain(b).chain(c);
            Ok(self.compute(destination, sources, [], function))
        } else {
            let destination = self.destination(2)?;
            let a = self.fragment::<2>()?;
            let b = self.fragment::<1>()?;
            let c = self.fragment::<2>()?;
            let function: Function = Box::new(|inputs: &Inputs, outputs: &mut Outputs| {
                let [a0, a1, b, c0, c1, ..] = &inputs.lanes;
                let [d0, d1] = matrix::hmma_1688_f16(&[*a0, *a1], b, &[*c0, *c1]);
                outputs.lanes[0] = d0;
                outputs.lanes[1] = d1;
            });
            let sources = a.into_iter().chain(b).chain(c);
            Ok(self.compute(destination, sources, [], function))
        }
    }

    fn integer_matrix(&mut self) -> Result<Compute, String> {
        type Product = fn(&Lanes, &Lanes, &[Lanes; 2], bool, bool, bool) -> [Lanes; 2];
        let product: Option<Product> =
            self.one_of(&[("8816", matrix::imma_8816 as Product), ("8832", matrix::imma_8832)]);
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
            let [a, b, c0, c1, ..] = &inputs.lanes;
            let [d0, d1] = product(a, b, &[*c0, *c1], a_signed, b_signed, saturate);
            outputs.lanes[0] = d0;
            outputs.lanes[1] = d1;
        });
        let sources = a.into_iter().chain(b).chain(c);
        Ok(self.compute(destination, sources, [], function))
    }
}

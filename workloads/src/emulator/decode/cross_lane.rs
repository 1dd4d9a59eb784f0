// SPDX-License-Identifier: Apache-2.0
//! Exchange between the lanes of a warp.

use super::{Decoder, Kind};
use crate::emulator::operation::{Compute, Function, Inputs, Outputs, LANES};
use crate::emulator::warp::lanes_of;

/// Which lane a shuffle reads from.
#[derive(Clone, Copy)]
enum Shuffle {
    Index,
    Up,
    Down,
    Butterfly,
}

impl Decoder<'_> {
    pub(super) fn cross_lane(&mut self, base: &str) -> Result<Compute, String> {
        match base {
            "SHFL" => self.shuffle(),
            "VOTE" | "VOTEU" => self.vote(),
            _ => self.match_lanes(),
        }
    }

    /// `SHFL.mode P, Rd, a, lane, clamp and segment mask`, as PTX defines `shfl.sync`: P is whether the
    /// source lane is in range; out of range a lane reads itself. A lane that does not execute gives 0.
    fn shuffle(&mut self) -> Result<Compute, String> {
        let mode = self.one_of(&[
            ("IDX", Shuffle::Index),
            ("UP", Shuffle::Up),
            ("DOWN", Shuffle::Down),
            ("BFLY", Shuffle::Butterfly),
        ]);
        let mode = mode.ok_or_else(|| format!("`{}` names no way to shuffle", self.instruction.opcode))?;
        let in_range = self.predicate_destination()?;
        let destination = self.destination(1)?;
        let sources = [self.source(Kind::Integer)?, self.source(Kind::Integer)?, self.source(Kind::Integer)?];
        let function: Function = Box::new(move |inputs: &Inputs, outputs: &mut Outputs| {
            let [value, operand, limits, ..] = inputs.lanes;
            outputs.predicates[0] = 0;
            for lane in 0..LANES as u32 {
                let operand = operand[lane as usize] & 31;
                let clamp = limits[lane as usize] & 31;
                let segment = limits[lane as usize] >> 8 & 31;
                let highest = (lane & segment) | (clamp & !segment);
                let lowest = lane & segment;
                let (from, valid) = match mode {
                    Shuffle::Up => {
                        (lane.wrapping_sub(operand), lane as i32 - operand as i32 >= highest as i32)
                    }
                    Shuffle::Down => (lane + operand, lane + operand <= highest),
                    Shuffle::Butterfly => (lane ^ operand, lane ^ operand <= highest),
                    Shuffle::Index => {
                        let from = lowest | (operand & !segment);
                        (from, from <= highest)
                    }
                };
                let from = if valid { from & 31 } else { lane };
                let executes = inputs.mask >> from & 1;
                outputs.lanes[0][lane as usize] = value[from as usize] & executes.wrapping_neg();
                outputs.predicates[0] |= u32::from(valid) << lane;
            }
        });
        let mut compute = self.compute(destination, sources, [], function);
        compute.predicate_destinations = vec![in_range];
        Ok(compute)
    }

    /// `VOTE.mode [Rd,] P, a`: Rd has a bit for each executing lane for which a holds, P is the vote.
    fn vote(&mut self) -> Result<Compute, String> {
        enum Mode {
            All,
            Any,
            Equal,
        }
        let mode = if self.has("ALL") {
            Mode::All
        } else if self.has("ANY") {
            Mode::Any
        } else if self.has("EQ") {
            Mode::Equal
        } else {
            return Err(format!("`{}` names no vote", self.instruction.opcode));
        };
        let destination = if self.next_is_predicate() { Default::default() } else { self.destination(1)? };
        let result = self.predicate_destination()?;
        let operand = self.predicate()?;
        let function: Function = Box::new(move |inputs: &Inputs, outputs: &mut Outputs| {
            let ballot = inputs.predicates[0] & inputs.mask;
            let holds = match mode {
                Mode::All => ballot == inputs.mask,
                Mode::Any => ballot != 0,
                Mode::Equal => ballot == 0 || ballot == inputs.mask,
            };
            outputs.lanes[0] = [ballot; LANES];
            outputs.predicates[0] = if holds { u32::MAX } else { 0 };
        });
        let mut compute = self.compute(destination, [], [operand], function);
        compute.predicate_destinations = vec![result];
        Ok(compute)
    }

    /// `MATCH.ANY Rd, a`: the lanes with the same value. `MATCH.ALL P, Rd, a`: all executing lanes if
    /// they have the same value, else none.
    fn match_lanes(&mut self) -> Result<Compute, String> {
        let all = self.has("ALL");
        if !all && !self.has("ANY") {
            return Err(format!("`{}` names no way to match", self.instruction.opcode));
        }
        let wide = self.has("U64");
        self.ignore(&["U32"]);
        let result = if self.next_is_predicate() { Some(self.predicate_destination()?) } else { None };
        let destination = self.destination(1)?;
        let sources =
            if wide { self.source_pair(Kind::Integer)?.to_vec() } else { vec![self.source(Kind::Integer)?] };
        let words = sources.len();
        let function: Function = Box::new(move |inputs: &Inputs, outputs: &mut Outputs| {
            let same = |a: usize, b: usize| inputs.lanes[..words].iter().all(|word| word[a] == word[b]);
            for lane in lanes_of(inputs.mask) {
                let matching = lanes_of(inputs.mask)
                    .filter(|&other| same(lane, other))
                    .fold(0, |mask, other| mask | 1 << other);
                let matched = !all || matching == inputs.mask;
                outputs.lanes[0][lane] = if matched { matching } else { 0 };
                outputs.predicates[0] = if matched { u32::MAX } else { 0 };
            }
        });
        let mut compute = self.compute(destination, sources, [], function);
        compute.predicate_destinations.extend(result);
        Ok(compute)
    }
}

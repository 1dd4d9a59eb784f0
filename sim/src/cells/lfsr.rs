// SPDX-License-Identifier: Apache-2.0
//! Reference model of the linear-feedback shift register.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{LfsrIn, LfsrOut};
use gpurf_blocks::Clocked;

/// Random bytes from the recurrence over GF(2) `s[n+8] = 1 + s[n] + s[n+2] + s[n+3] + s[n+4]`,
/// the newest bit the lowest. It starts at zero and runs through 255 states.
#[derive(Clone, Debug, Default, BorshSerialize, BorshDeserialize)]
pub struct Lfsr {
    state: u8,
    step: bool,
}

impl Lfsr {
    /// The present state.
    pub fn value(&self) -> u8 {
        self.state
    }

    /// Goes on to the next state.
    pub fn advance(&mut self) {
        let taps = self.state & 0b1011_1000;
        self.state = self.state << 1 | (taps.count_ones() % 2 == 0) as u8;
    }
}

impl Clocked for Lfsr {
    type In = LfsrIn;
    type Out = LfsrOut;

    fn settle(&mut self, inputs: &LfsrIn) -> LfsrOut {
        self.step = inputs.step;
        LfsrOut { value: self.state as u32 }
    }

    fn tick(&mut self) {
        if self.step {
            self.advance();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Lfsr;

    #[test]
    fn runs_through_255_states_and_avoids_all_ones() {
        let mut lfsr = Lfsr::default();
        let mut seen = [false; 256];
        while !seen[lfsr.value() as usize] {
            seen[lfsr.value() as usize] = true;
            lfsr.advance();
        }
        assert_eq!(lfsr.value(), 0);
        assert_eq!(seen.iter().filter(|seen| **seen).count(), 255);
        assert!(!seen[255]);
    }
}

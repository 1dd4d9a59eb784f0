//! Reference model of the age matrix.

use gpurf_hw::cells::{AgeMatrixIn, AgeMatrixOut};
use gpurf_hw::dialect::Clocked;

/// Entries in the order of their age.
#[derive(Clone, Debug)]
pub struct AgeMatrix {
    oldest_first: Vec<usize>,
    renewals: u8,
}

impl AgeMatrix {
    pub fn new(entries: usize) -> Self {
        AgeMatrix { oldest_first: (0..entries).collect(), renewals: 0 }
    }

    /// The oldest of the entries in the mask.
    pub fn oldest(&self, requests: u8) -> Option<usize> {
        self.oldest_first.iter().copied().find(|entry| requests >> entry & 1 == 1)
    }

    /// The entries in the mask become the youngest, the lower-numbered first.
    pub fn renew(&mut self, renewals: u8) {
        let is_renewed = |entry: usize| renewals >> entry & 1 == 1;
        self.oldest_first.retain(|&entry| !is_renewed(entry));
        self.oldest_first.extend((0..8).filter(|&entry| is_renewed(entry)));
    }
}

impl Clocked for AgeMatrix {
    type In = AgeMatrixIn;
    type Out = AgeMatrixOut;

    fn settle(&mut self, inputs: &AgeMatrixIn) -> AgeMatrixOut {
        let mask = |bits: &[bool; 8]| (0..8).fold(0, |mask, entry| mask | u8::from(bits[entry]) << entry);
        self.renewals = mask(&inputs.renew);
        let mut outputs = AgeMatrixOut::default();
        if let Some(oldest) = self.oldest(mask(&inputs.request)) {
            outputs.oldest[oldest] = true;
        }
        outputs
    }

    fn tick(&mut self) {
        self.renew(self.renewals);
    }
}

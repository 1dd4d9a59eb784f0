// SPDX-License-Identifier: Apache-2.0
//! Reference model of the live-register bit-vector cache: R §V-C.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{LiveRegisterCacheIn, LiveRegisterCacheOut};
use gpurf_blocks::{Clocked, VECTOR_CACHE_ENTRIES};

use super::{halves, vector};

/// Progress of the look-up of a PC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
enum Progress {
    #[default]
    Idle,
    /// Its entry is being read.
    Looking,
    /// It missed: memory has to be asked, memory has been asked.
    Wanting,
    Waiting,
}

/// A vector per entry with its PC.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct LiveRegisterCache {
    entries: [Option<(u32, u64)>; VECTOR_CACHE_ENTRIES],
    asked: u32,
    progress: Progress,
    #[borsh(skip)]
    inputs: LiveRegisterCacheIn,
}

impl Default for LiveRegisterCache {
    fn default() -> Self {
        LiveRegisterCache {
            entries: [None; VECTOR_CACHE_ENTRIES],
            asked: 0,
            progress: Progress::Idle,
            inputs: Default::default(),
        }
    }
}

impl LiveRegisterCache {
    /// The entry of a PC.
    pub fn index(pc: u32) -> usize {
        ((pc >> 4 ^ pc >> 9) % VECTOR_CACHE_ENTRIES as u32) as usize
    }

    fn cached(&self) -> Option<u64> {
        let (pc, vector) = self.entries[Self::index(self.asked)]?;
        (pc == self.asked).then_some(vector)
    }
}

impl Clocked for LiveRegisterCache {
    type In = LiveRegisterCacheIn;
    type Out = LiveRegisterCacheOut;

    fn settle(&mut self, inputs: &LiveRegisterCacheIn) -> LiveRegisterCacheOut {
        self.inputs = *inputs;
        let looking = self.progress == Progress::Looking;
        let hit = self.cached().filter(|_| looking);
        let filled = self.progress == Progress::Waiting && inputs.memory_answer;
        let filled = filled.then(|| vector(inputs.memory_low, inputs.memory_high));
        let answer = hit.or(filled);
        let (low, high) = halves(answer.unwrap_or(0));
        LiveRegisterCacheOut {
            ready: self.progress == Progress::Idle || hit.is_some(),
            answer: answer.is_some(),
            low,
            high,
            memory_request: self.progress == Progress::Wanting,
            memory_pc: self.asked,
            hit: hit.is_some(),
            miss: looking && hit.is_none(),
        }
    }

    fn tick(&mut self) {
        let inputs = self.inputs;
        let hit = self.cached().is_some();
        match self.progress {
            Progress::Looking if !hit => self.progress = Progress::Wanting,
            Progress::Wanting if inputs.memory_ready => self.progress = Progress::Waiting,
            Progress::Waiting if inputs.memory_answer => {
                let vector = vector(inputs.memory_low, inputs.memory_high);
                self.entries[Self::index(self.asked)] = Some((self.asked, vector));
                self.progress = Progress::Idle;
            }
            Progress::Idle | Progress::Looking if inputs.request => {
                self.asked = inputs.pc;
                self.progress = Progress::Looking;
            }
            Progress::Looking => self.progress = Progress::Idle,
            _ => {}
        }
    }
}

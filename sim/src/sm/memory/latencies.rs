// SPDX-License-Identifier: Apache-2.0
//! Latencies of H's Table 2, as the load/store unit needs them: from the cycle in which it takes an
//! instruction.

use borsh::{BorshDeserialize, BorshSerialize};

use super::Access;
use crate::config::{registers_a_lane, Config};

/// Cycles from an issue to the first one in an address unit, if nothing is in the way.
const TO_ADDRESS_UNIT: u64 = 6;

/// Cycles from the unit's taking an instruction to its first results. Two stand for an address in uniform
/// registers and in regular ones.
#[derive(BorshSerialize, BorshDeserialize)]
pub(super) struct Latencies {
    global: [u64; 2],
    pub shared: [u64; 2],
    pub constant: [u64; 2],
    /// The latency of data that go to shared memory.
    copy: u64,
    /// Cycles of the way back for a register from L1.
    back: u64,
}

/// When the data of a load that hits begin to come.
#[derive(Clone, Copy, Default)]
pub(super) struct Delivery {
    /// Cycles by which the first of them can be ahead of the last ones of L1, as the way back is narrower.
    overlap: u64,
    /// Cycles beyond L1's latency.
    later: u64,
}

impl Delivery {
    /// The cycle, if L1 has the first ones in one cycle at the earliest, and the last ones in another.
    pub fn begins(self, first: u64, last: u64) -> u64 {
        last.saturating_sub(self.overlap).max(first) + self.later
    }
}

impl Latencies {
    pub fn new(config: &Config) -> Self {
        let memory = &config.memory;
        // Behind the results come the registers before write-back, and a cycle until a counter is seen.
        let around = TO_ADDRESS_UNIT + memory.address_interval + config.sm.result_registers + 1;
        let behind = |latency: u64| latency - around;
        Latencies {
            global: memory.global_load_raw.map(behind),
            shared: memory.shared_load_raw.map(behind),
            constant: memory.constant_raw.map(behind),
            copy: behind(memory.copy_raw),
            back: memory.return_cycles,
        }
    }

    /// The least latency of L1.
    fn l1(&self) -> u64 {
        self.global[0].min(self.global[1]).min(self.copy)
    }

    /// The constants with these latencies in place of those of the papers' machines.
    pub fn adapt(&self, config: &Config) -> Config {
        let mut config = config.clone();
        config.l1.latency = self.l1();
        config.shared.latency = self.shared[1];
        config
    }

    /// The delivery of a load through L1.
    pub fn delivery(&self, access: &Access) -> Delivery {
        let registers = registers_a_lane(access.width);
        let latency = if access.copies { self.copy } else { self.global[usize::from(!access.uniform)] };
        Delivery { overlap: self.back * (registers - 1), later: latency - self.l1() }
    }
}

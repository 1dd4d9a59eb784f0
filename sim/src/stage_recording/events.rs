// SPDX-License-Identifier: Apache-2.0
//! Counts of events in an operand stage.

use gpurf_trace::Lanes;
use serde::{Deserialize, Serialize};

use super::recorder::{Cycle, TokenValues};

macro_rules! events {
    ($($(#[$doc:meta])* $field:ident,)*) => {
        /// Events in the sub-core that is followed.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        pub struct Events { $($(#[$doc])* pub $field: u64,)* }

        impl Events {
            /// The ones since `earlier`.
            pub fn since(&self, earlier: &Events) -> Events {
                Events { $($field: self.$field - earlier.$field,)* }
            }
        }
    };
}

events! {
    /// Cycles.
    cycles,
    /// Instructions that enter a collector.
    instructions,
    /// Their sources.
    operand_reads,
    /// The ones of them that the collector has.
    hits,
    /// Registers read from banks.
    bank_reads,
    /// Results, each written into a bank.
    bank_writes,
    /// Results also written into a collector.
    cache_writes,
    /// Sources of instructions that leave their collector.
    dispatched_operands,
    /// Bits that change from one cycle to the next where results come in.
    result_bits,
    /// The same where operands leave.
    operand_bits,
}

impl Events {
    /// The ones in a cycle that say most about the energy of cells, the first ones more than the others.
    pub fn controls(&self) -> Vec<f64> {
        let Events { cycles, dispatched_operands, hits, bank_reads, bank_writes, .. } = *self;
        let Events { cache_writes, result_bits, operand_bits, .. } = *self;
        let counts =
            [dispatched_operands, bank_writes, operand_bits, result_bits, bank_reads, cache_writes, hits];
        counts.iter().map(|count| *count as f64 / cycles.max(1) as f64).collect()
    }
}

/// Counts, cycle by cycle.
#[derive(Default)]
pub struct EventCounter {
    /// The counts so far.
    pub events: Events,
    /// Values that stood at the ports of results and of operands, with the tokens that they stand for.
    results: Vec<(u32, Lanes)>,
    operands: Vec<(u32, Lanes)>,
}

impl EventCounter {
    /// Counts the events of the next cycle.
    pub fn count(&mut self, Cycle { inputs, outputs }: &Cycle, values: &TokenValues) {
        let high = |flags: &[bool]| flags.iter().filter(|flag| **flag).count() as u64;
        let events = &mut self.events;
        events.cycles += 1;
        events.instructions += u64::from(outputs.issued);
        events.operand_reads += high(&inputs.source_valid);
        events.hits += high(&outputs.hit);
        events.bank_reads += high(&outputs.bank_read) + high(&outputs.second_read);
        events.bank_writes += high(&inputs.write_valid);
        events.cache_writes += high(&outputs.write_cached);
        if outputs.dispatch.contains(&true) {
            events.dispatched_operands += high(&outputs.operand_valid);
        }
        events.result_bits += changed(&mut self.results, &inputs.write_data, values);
        events.operand_bits += changed(&mut self.operands, &outputs.operand_data, values);
    }
}

/// Bits that change where these tokens stand now.
fn changed(before: &mut Vec<(u32, Lanes)>, tokens: &[u32], values: &TokenValues) -> u64 {
    before.resize(tokens.len(), (0, [0; 32]));
    let mut bits = 0;
    for ((old, lanes), token) in before.iter_mut().zip(tokens).filter(|((old, _), token)| old != *token) {
        let new = values.of(*token);
        bits += lanes.iter().zip(&new).map(|(old, new)| u64::from((old ^ new).count_ones())).sum::<u64>();
        (*old, *lanes) = (*token, new);
    }
    bits
}

// SPDX-License-Identifier: Apache-2.0
//! Instructions complete: results wait for their banks and are written.

use gpurf_blocks::{BankId, WarpId};

use super::super::context::Context;
use super::super::executing::Executing;
use super::super::warp::token;
use super::results::WaitingResult;
use super::Core;
use crate::bits::members;
use crate::engines::RunsSubCore;

impl<E: RunsSubCore> Core<E> {
    /// One waiting result per bank is written.
    #[inline(always)]
    pub(super) fn write_back(&mut self, context: &mut Context) {
        self.hardware.inputs.results.banks = 0;
        for bank in members(self.results.wanted()) {
            let Some(result) = self.results.pop(BankId(bank as u8)) else {
                continue;
            };
            let WaitingResult { warp, register, home, base, near, token, .. } = result;
            self.hardware.inputs.results.put(bank, (warp, register, base), near, token);
            context.records.counters.bank_writes += 1;
            if result.restored {
                context.records.blocks.registers_restored += 1;
                continue;
            }
            self.warps[result.warp.index()].write(result.register);
            self.situation.look_again(result.warp, self.situation.states.pending());
            let now = context.clock.now;
            context.records.show(move |pipeline| pipeline.write(now, result.serial));
            self.complete_part(result.warp, context);
            if self.renamed.is_some() {
                self.tell_followers(home, register, context);
            }
        }
    }

    /// The instruction leaves its unit, or memory answers.
    pub fn complete(&mut self, executing: Executing, context: &mut Context) {
        if self.window.is_some() {
            return self.complete_in_window(executing, context);
        }
        let Executing { warp, serial, instruction, .. } = executing;
        if executing.is_idle() {
            return self.complete_part(warp, context);
        }
        let decoded = context.code.of(&instruction);
        let destinations = &decoded.destinations[..];
        if let Some(leader) = self.renamed.as_mut().and_then(|renamed| renamed.complete(warp, serial)) {
            return self.complete_skipped(&executing, leader, context);
        }
        if !self.send_to_cache(&executing, destinations) {
            for (index, &register) in destinations.iter().enumerate() {
                let near = instruction.is_near_destination(index);
                let token = token(serial, register);
                let home = self.renamed.as_mut().map_or(warp, |renamed| renamed.home(warp, register));
                let base = self.warps[home.index()].base;
                let restored = false;
                let result = WaitingResult { warp, register, home, near, token, serial, base, restored };
                self.results.push(result);
            }
        }
        let slot = &mut self.warps[warp.index()];
        if decoded.memory.is_some() {
            slot.arrive(destinations);
        }
        // Its results take the instruction's place among what is outstanding.
        let results = destinations.len() as u32;
        slot.outstanding += results;
        let now = context.clock.now;
        context.records.show(move |pipeline| pipeline.complete(now, serial, results));
        self.complete_part(warp, context);
    }

    /// One outstanding part of a warp's work is done.
    pub(super) fn complete_part(&mut self, warp: WarpId, context: &mut Context) {
        // No warp waits for that.
        self.situation.look_again(warp, 0);
        let slot = &mut self.warps[warp.index()];
        slot.outstanding -= 1;
        if slot.outstanding > 0 || !slot.is_issued() {
            return;
        }
        if let Some(cache) = &mut self.cached.cache {
            cache.end(warp);
        }
        if context.blocks.get_mut(slot.block).complete_warp() {
            context.blocks.completed.insert(slot.block);
        }
    }
}

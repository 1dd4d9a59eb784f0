// SPDX-License-Identifier: Apache-2.0
//! How a sub-core reads and writes registers that lie in other warps' rows: see [`super::super::renamed`].

use gpurf_blocks::{WarpId, WarpSet};
use gpurf_trace::RegisterId;

use super::super::context::Context;
use super::super::executing::Executing;
use super::Core;
use crate::bits::set;
use crate::engines::RunsSubCore;

impl<E: RunsSubCore> Core<E> {
    /// The warps of a warp's CTA.
    fn peers(&self, warp: WarpId) -> WarpSet {
        let block = self.warps[warp.index()].block;
        let peers = self.ages.iter().filter(|peer| self.warps[peer.index()].block == block);
        peers.fold(0, |peers, peer| peers | peer.bit())
    }

    /// Completes the head of a warp's buffer: where its sources lie.
    pub(super) fn present_lenders(&mut self, warp: WarpId, context: &Context) {
        let head = &mut self.hardware.inputs.heads[warp.index()];
        head.lent = 0;
        let Some(renamed) = self.renamed.as_mut().filter(|renamed| !renamed.is_idle()) else { return };
        let slot = &self.warps[warp.index()];
        let decoded = context.code.of(slot.head().0);
        let count = decoded.round(slot.round()).sources().len();
        let homes = renamed.look_up(warp, &head.registers[..count]);
        for (source, &home) in homes[..count].iter().enumerate() {
            set(&mut head.lent, source, home != warp);
            head.lenders[source] = (home, self.warps[home.index()].base.0 as u8);
        }
    }

    /// An instruction leaves for its unit, or for memory. What it writes gets a home; for a load that others
    /// may have performed, when it is known whether they have.
    #[inline(never)]
    pub(super) fn leave_renamed(&mut self, executing: Executing, completion: u64, context: &mut Context) {
        let peers = self.peers(executing.warp);
        let Some(renamed) = &mut self.renamed else { return };
        let decoded = context.code.of(&executing.instruction);
        if !decoded.mlds {
            renamed.load(executing.warp, &decoded.destinations, peers);
        }
        match decoded.memory.is_some() {
            true => context.send_to_memory(executing, Some((renamed, peers))),
            false => context.completions.plan(completion, &executing),
        }
    }

    /// A load is complete that was skipped. `leader`: number of the leader's load.
    #[inline(never)]
    pub(super) fn complete_skipped(&mut self, executing: &Executing, leader: u32, context: &mut Context) {
        let Executing { warp, serial, .. } = *executing;
        let destinations = context.code.of(&executing.instruction).destinations.clone();
        let slot = &mut self.warps[warp.index()];
        slot.arrive(&destinations);
        slot.follow(leader, &destinations);
        slot.outstanding += destinations.len() as u32;
        if self.shape.caches_operands {
            slot.is_to_be_flushed = true;
            self.situation.renew(warp);
        }
        let (now, results) = (context.clock.now, destinations.len() as u32);
        context.records.show(move |pipeline| pipeline.complete(now, serial, results));
        self.complete_part(warp, context);
        for &register in &destinations {
            if !self.renamed.as_mut().is_some_and(|renamed| renamed.wait(warp, register, serial)) {
                self.receive(warp, register, serial, context);
            }
        }
    }

    /// A result is written at a home. Warps that wait to read it there go on.
    pub(super) fn tell_followers(&mut self, home: WarpId, register: RegisterId, context: &mut Context) {
        if let Some(renamed) = &mut self.renamed {
            renamed.written(home, register);
        }
        while let Some(waiting) =
            self.renamed.as_mut().and_then(|renamed| renamed.take_waiting(home, register))
        {
            self.receive(waiting.warp, register, waiting.serial, context);
        }
    }

    /// A register of a load that was skipped can be read.
    fn receive(&mut self, warp: WarpId, register: RegisterId, serial: u32, context: &mut Context) {
        self.warps[warp.index()].write(register);
        self.situation.look_again(warp, self.situation.states.pending());
        let now = context.clock.now;
        context.records.show(move |pipeline| pipeline.write(now, serial));
        self.complete_part(warp, context);
    }
}

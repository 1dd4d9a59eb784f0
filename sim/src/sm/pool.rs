// SPDX-License-Identifier: Apache-2.0
//! The shared register pool of RegMutex (R §I, §VI-A): a warp owns some of its registers, the base register
//! set (BRS). The others it takes from the pool (SRP) of its sub-core, all at once, before an instruction at
//! which one of them is live or written, and gives them back where none is live any more. If the pool has
//! none left, it waits. The pool is cut into sections, each for the others of one warp; which are taken, and
//! by whom, [hardware](gpurf_blocks::ports::SharedRegisterPoolIn) knows that an engine runs.
//!
//! R gives no more of it than this. It keeps them while it waits for memory, at a barrier, and while its
//! block is pending (R §VI-C). RegMutex's compiler keeps warps that hold them from waiting for each other;
//! here, if nothing can move any more, one warp gets registers beyond the pool, which is counted.
//!
//! Which registers are a warp's own is for the compiler: it numbers them so that few instructions need the
//! pool. R does not say how RegMutex's does. Here they are those that are live at most places of the kernel's
//! code, the same ones in all of it (`finereg.renaming`); without renaming, those of the lowest numbers. What
//! is given back is lost: a token check would find a read of it.

use std::cmp::Reverse;

use gpurf_blocks::ports::SharedRegisterPoolIn;
use gpurf_blocks::{WarpId, WarpSet, MAX_WARPS, POOL_SECTIONS};
use gpurf_trace::{Liveness, RegisterId, RegisterSet};

use super::decoded::Decoded;
use super::warp::{State, Warp};
use crate::bits::{warp_flags, warp_mask};
use crate::checkpoint::checkpoint;
use crate::engines::RegisterPoolEngine;

/// The part of the pool that belongs to a sub-core.
///
/// The hardware is told in a cycle which warps ask for a section and which give theirs back. All of a block's
/// warps that have ended give them back in the next cycle.
pub(super) struct Pool {
    engine: RegisterPoolEngine,
    inputs: SharedRegisterPoolIn,
    /// There is something in the inputs.
    told: bool,
    /// Slots whose warps have ended with a section.
    ended: WarpSet,
    /// Registers of a warp that are its own, if those of the running kernel are shared.
    own: Option<RegisterSet>,
    /// Sections that warps have, a bit each: the hardware must not give them once more.
    taken: u64,
}

checkpoint! {
    [] Pool {
        values: told ended own taken;
        ports: inputs;
        engines: engine;
    }
}

/// The registers of a warp that are its own: `count` of those that it has.
pub(super) fn own_registers(
    liveness: &Liveness,
    registers: usize,
    count: usize,
    renames: bool,
) -> RegisterSet {
    let mut places = [0u32; 256];
    for (_, live) in liveness.places().filter(|_| renames) {
        live.iter().for_each(|register| places[register.index()] += 1);
    }
    let mut registers: Vec<_> =
        (0..registers.min(places.len())).map(|register| RegisterId(register as u8)).collect();
    registers.sort_by_key(|&register| Reverse(places[register.index()]));
    registers.into_iter().take(count).collect()
}

impl Pool {
    pub fn new(engine: RegisterPoolEngine) -> Pool {
        let inputs = SharedRegisterPoolIn::default();
        Pool { engine, inputs, told: false, ended: 0, own: None, taken: 0 }
    }

    /// A kernel is launched whose warps have these registers to themselves, and share so many sections; or
    /// share nothing.
    pub fn start_kernel(&mut self, shared: Option<(RegisterSet, usize)>) {
        self.own = shared.map(|(own, _)| own);
        self.inputs.sections = shared.map_or(0, |(_, sections)| sections.min(POOL_SECTIONS) as u32);
    }

    /// The state of a warp that may ask for a section, or give its own back.
    pub fn ask(
        &mut self,
        number: WarpId,
        warp: &mut Warp,
        state: State,
        liveness: &Liveness,
        decoded: &[Decoded],
    ) -> State {
        let Some(own) = self.own else { return state };
        let next = warp.rest().first().map(|next| &decoded[next.static_index as usize]);
        let needs = next.is_some_and(|next| next.needs_pool);
        match warp.section {
            None if needs && state == State::Ready => State::Pool,
            Some(section) if !needs && warp.can_return(own, liveness, decoded) => {
                self.inputs.give_back[number.index()] = true;
                self.told = true;
                self.taken &= !(1 << section);
                warp.return_section(own);
                state
            }
            _ => state,
        }
    }

    /// The warps that get a section, of those that wait for one, and which one.
    pub fn grants(&mut self, waiting: WarpSet) -> (WarpSet, [u32; MAX_WARPS]) {
        if waiting == 0 {
            return (0, [0; MAX_WARPS]);
        }
        self.inputs.acquire = warp_flags(waiting);
        self.told = true;
        let outputs = self.engine.settle(&self.inputs);
        (warp_mask(&outputs.granted) & waiting, outputs.given)
    }

    /// Notes that a warp has got this section. Returns true if no other warp has it.
    pub fn note(&mut self, section: u8) -> bool {
        let is_free = self.taken >> section & 1 == 0 && u32::from(section) < self.inputs.sections;
        self.taken |= 1 << section;
        is_free
    }

    /// A warp has ended with this section.
    pub fn end(&mut self, warp: WarpId, section: u8) {
        self.ended |= warp.bit();
        self.taken &= !(1 << section);
    }

    /// A warp leaves its slot, and takes the number of its section with it.
    pub fn leave(&mut self, warp: WarpId) {
        self.inputs.leave[warp.index()] = true;
        self.told = true;
    }

    /// A warp with a section comes back into a slot.
    pub fn come(&mut self, warp: WarpId, section: u8) {
        self.inputs.come[warp.index()] = true;
        self.inputs.come_section[warp.index()] = section.into();
        self.told = true;
    }

    /// The hardware's clock edge, if it was told something.
    pub fn end_cycle(&mut self) {
        if self.told {
            self.engine.settle(&self.inputs);
            self.engine.tick();
        }
        self.told = self.ended != 0;
        self.inputs = SharedRegisterPoolIn {
            sections: self.inputs.sections,
            give_back: warp_flags(std::mem::take(&mut self.ended)),
            ..SharedRegisterPoolIn::default()
        };
    }

    /// No warp can take a section. Asked between two cycles.
    pub fn is_empty(&mut self) -> bool {
        self.own.is_some() && !self.told && !self.engine.settle(&self.inputs).any_free
    }

    /// The pool has one more section, if the hardware has room for it. Asked between two cycles.
    pub fn grow(&mut self) -> bool {
        let grows = (self.inputs.sections as usize) < POOL_SECTIONS;
        self.inputs.sections += u32::from(grows);
        grows
    }
}

#[cfg(test)]
mod tests {
    use gpurf_trace::liveness::{FlowNode, Origin};

    use super::*;

    #[test]
    fn a_warp_owns_the_registers_that_are_live_longest() {
        // R7 is live from its write to the end, R3 at two places, R0 at one.
        let set = |registers: &[u8]| RegisterSet::from_iter(registers.iter().copied().map(RegisterId));
        let code: [(&[u8], &[u8]); 5] = [(&[], &[7]), (&[], &[3]), (&[], &[0]), (&[3, 0], &[]), (&[7], &[])];
        let node = |(index, (reads, kills)): (u32, &(&[u8], &[u8]))| FlowNode {
            pc: 16 * index,
            reads: set(reads),
            kills: set(kills),
            writes: set(kills),
            successors: if index < 4 { vec![index + 1] } else { vec![] },
        };
        let nodes: Vec<FlowNode> = (0..).zip(&code).map(node).collect();
        let liveness = Liveness::of(Origin::Listing, nodes);
        assert_eq!(own_registers(&liveness, 8, 1, true), set(&[7]));
        assert_eq!(own_registers(&liveness, 8, 4, true), set(&[7, 3, 0, 1]), "of equals the lowest number");
        assert_eq!(own_registers(&liveness, 8, 2, false), set(&[0, 1]));
    }
}

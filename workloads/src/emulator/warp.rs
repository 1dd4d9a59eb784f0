// SPDX-License-Identifier: Apache-2.0
//! The state of a warp: registers, and where its lanes are.
//!
//! Lanes that execute together form a group. A divergent branch splits one: the lanes that fall
//! through go on first, the others after these have ended or wait. Groups join again where the code
//! says so: `BSSY` notes in each executing lane which lanes take part in a convergence barrier,
//! `BSYNC` waits for those of them that are alive and have not left by `BREAK`; `BAR` and `WARPSYNC`
//! join too. Nothing else does: lanes that diverge at a branch outside any `BSSY` range stay apart,
//! even when they come to the same instruction. Lanes that sleep (`NANOSLEEP`) are not waited for: a lane
//! that has got what the others poll for may have to give it back first.
//!
//! Barriers and the uniform registers belong to a warp in hardware. Here each lane has its own copy
//! of the former and each group of the latter, so that groups that are apart cannot disturb each
//! other, whichever runs first.

use super::operation::{Lanes, LANES};

/// Why a group does not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Waiting {
    Not,
    /// At `BSYNC` of this barrier.
    Converge(u8),
    /// At `WARPSYNC`, for these lanes.
    Sync(u32),
    /// At `BAR` of this number.
    Barrier(u8),
}

/// Lanes at the same place.
#[derive(Clone, PartialEq)]
pub(crate) struct Group {
    pub mask: u32,
    pub pc: u32,
    pub waiting: Waiting,
    /// UR0 to UR62, and URZ.
    pub uniform: [u32; 64],
    /// UP0 to UP6 as bits, and UPT.
    pub uniform_predicates: u8,
}

#[derive(Clone)]
pub(crate) struct Warp {
    /// A row per register of a thread, then RZ's row, then one that swallows writes.
    pub registers: Vec<Lanes>,
    /// P0 to P6 as a bit per lane, and PT.
    pub predicates: [u32; 8],
    /// Per convergence barrier and lane: the lanes that take part.
    pub convergence: [Lanes; 16],
    /// Lanes that have not exited.
    pub live: u32,
    /// Lanes that have slept since they last met a convergence barrier.
    asleep: u32,
    /// The last one runs, if any does.
    pub groups: Vec<Group>,
    /// The result of the reduction at the barrier of the block that the warp passed last.
    pub reduced: u32,
    /// Instructions executed.
    pub executed: u64,
}

impl Warp {
    /// A warp at the start of a kernel.
    pub fn new(registers: u32, threads: u32) -> Warp {
        let live = if threads >= LANES as u32 { u32::MAX } else { (1 << threads) - 1 };
        let start =
            Group { mask: live, pc: 0, waiting: Waiting::Not, uniform: [0; 64], uniform_predicates: 1 << 7 };
        Warp {
            registers: vec![[0; LANES]; registers as usize + 2],
            predicates: [0, 0, 0, 0, 0, 0, 0, u32::MAX],
            convergence: [[0; LANES]; 16],
            live,
            asleep: 0,
            groups: vec![start],
            reduced: 0,
            executed: 0,
        }
    }

    /// Returns true if it is in the same state, so that it will do the same again if memory stays as it is.
    pub fn repeats(&self, before: &Warp) -> bool {
        self.groups == before.groups
            && self.predicates == before.predicates
            && self.registers == before.registers
            && self.convergence == before.convergence
    }

    /// Puts a group that can run last. False if there is none.
    pub fn select(&mut self) -> bool {
        match self.groups.iter().rposition(|group| group.waiting == Waiting::Not) {
            Some(index) => {
                let group = self.groups.remove(index);
                self.groups.push(group);
                true
            }
            None => false,
        }
    }

    /// Lets another group run for a while.
    pub fn rotate(&mut self) {
        self.groups.rotate_right(1);
    }

    /// Splits the running group: `lanes` of it go to `target`.
    pub fn split(&mut self, lanes: u32, target: u32) {
        let running = self.groups.last_mut().expect("a group runs");
        if lanes == running.mask {
            running.pc = target;
        } else if lanes != 0 {
            running.mask &= !lanes;
            let away = Group { mask: lanes, pc: target, ..running.clone() };
            let before = self.groups.len() - 1;
            self.groups.insert(before, away);
        }
    }

    /// Ends these lanes of the running group.
    pub fn exit(&mut self, lanes: u32) {
        self.live &= !lanes;
        let running = self.groups.last_mut().expect("a group runs");
        running.mask &= !lanes;
        if running.mask == 0 {
            self.groups.pop();
        }
        self.release();
    }

    /// Lets these lanes leave a convergence barrier.
    pub fn leave(&mut self, barrier: u8, lanes: u32) {
        for participants in &mut self.convergence[usize::from(barrier)] {
            *participants &= !lanes;
        }
        self.release();
    }

    /// These lanes meet a convergence barrier: they are awake.
    pub fn meet(&mut self, lanes: u32) {
        self.asleep &= !lanes;
    }

    /// The running lanes sleep. Lanes that wait at a convergence barrier for sleeping ones alone go on
    /// without them: what those sleep for may be what the others do next. Else another group runs for a
    /// while.
    pub fn sleep(&mut self) {
        self.asleep |= self.running().mask;
        let barriers = self.groups.iter().filter_map(|group| match group.waiting {
            Waiting::Converge(barrier) => Some((usize::from(barrier), group.mask)),
            _ => None,
        });
        let mut parted = false;
        for (barrier, lanes) in barriers.collect::<Vec<_>>() {
            let waiting = self.lanes_waiting(Waiting::Converge(barrier as u8));
            let participants = &mut self.convergence[barrier];
            let needed = lanes_of(lanes).fold(0, |all, lane| all | participants[lane]);
            let missing = needed & self.live & !waiting;
            if missing != 0 && missing & !self.asleep == 0 {
                lanes_of(waiting & needed).for_each(|lane| participants[lane] &= !missing);
                lanes_of(missing).for_each(|lane| participants[lane] &= !waiting);
                parted = true;
            }
        }
        if parted {
            self.release();
        } else {
            self.rotate();
            self.select();
        }
    }

    /// Joins the groups whose convergence barrier or warp synchronisation is complete.
    pub fn release(&mut self) {
        loop {
            let complete = self.groups.iter().find_map(|group| {
                let waiting = self.lanes_waiting(group.waiting);
                let (needed, waiting) = match group.waiting {
                    Waiting::Converge(barrier) => {
                        let participants = &self.convergence[usize::from(barrier)];
                        let needed = lanes_of(group.mask).fold(0, |all, lane| all | participants[lane]);
                        // A lane deeper in a recursion waits at the same barrier for others.
                        let same = |lane: &usize| participants[*lane] & group.mask != 0;
                        (needed, lanes_of(waiting & needed).filter(same).fold(0, |all, lane| all | 1 << lane))
                    }
                    Waiting::Sync(mask) => (mask, waiting),
                    Waiting::Not | Waiting::Barrier(_) => return None,
                };
                let needed = needed & self.live;
                let missing = needed & !waiting;
                (missing == 0).then_some((group.waiting, group.pc, needed | group.mask))
            });
            let Some((waiting, pc, lanes)) = complete else { return };
            self.join(pc, lanes, |group| group.waiting == waiting);
        }
    }

    /// The lanes that wait for the same.
    pub fn lanes_waiting(&self, waiting: Waiting) -> u32 {
        let groups = self.groups.iter().filter(|group| group.waiting == waiting);
        groups.fold(0, |lanes, group| lanes | group.mask)
    }

    /// How many threads these lanes are for a barrier that completes with a number of threads: it
    /// counts whole warps, the last one of a block too.
    pub fn threads_at_barrier(&self, lanes: u32) -> u32 {
        match lanes {
            0 => 0,
            _ if lanes == self.live => LANES as u32,
            _ => lanes.count_ones(),
        }
    }

    /// Joins those of the groups at `pc` that have one of these lanes and satisfy `which`; they run.
    /// Groups that satisfy it elsewhere only stop waiting.
    pub fn join(&mut self, pc: u32, lanes: u32, which: impl Fn(&Group) -> bool) {
        let mut joined: Option<Group> = None;
        self.groups.retain_mut(|group| {
            if group.mask & lanes == 0 || !which(group) {
                return true;
            }
            if group.pc != pc {
                group.waiting = Waiting::Not;
                return true;
            }
            match &mut joined {
                Some(joined) => joined.mask |= group.mask,
                None => joined = Some(Group { waiting: Waiting::Not, ..group.clone() }),
            }
            false
        });
        self.groups.extend(joined);
    }
}

/// The set bits of a mask, lowest first.
pub(crate) fn lanes_of(mask: u32) -> impl Iterator<Item = usize> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        let lane = rest.trailing_zeros() as usize;
        (rest != 0).then(|| {
            rest &= rest - 1;
            lane
        })
    })
}

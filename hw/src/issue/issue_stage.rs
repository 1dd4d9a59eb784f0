// SPDX-License-Identifier: Apache-2.0
//! Issue stage of a sub-core: F §IV-B and Fig. 6, W §5 and §6.
//!
//! It has the [warp scheduler](warp_scheduler.md), the [collector allocator](collector_allocator.md), and the
//! choice of the selected warp's instruction. At the head of each warp's instruction buffer stands its next
//! instruction, decoded. The scheduler selects a warp, the allocator grants it a collector or not. The
//! instruction goes to the operand stage in the same cycle. What the scheduler and the allocator remember
//! changes in the next.
//!
//! # Latches before the collectors (`issue_latch=blocking`)
//!
//! The selected instruction enters [a latch of its unit](issue_latches.md), and goes from there to the
//! operand stage, a cycle later at the earliest. A warp counts as ready only while that latch has room. The
//! scheduler does not look at what is occupied, and the allocator answers the instruction that a latch
//! offers. So `occupied` changes nothing. Issue and entry are two events: `issued` with `issued_warp`, and
//! `issue` with the instruction and its `warp`.

use gpurf_blocks::{Allocation, IssueLatch};
use rust_hdl::prelude::*;

use super::{CollectorAllocator, IssueLatches, WarpScheduler};
use crate::bundles::Instruction;
use crate::dialect::{block, rtl};

/// `C`: bits of a collector's number, at least one.
#[block(
    title = "Issue stage",
    paper = "W §5, 6, F §IV-B",
    parameters(
        warps,
        collectors,
        slots,
        destinations,
        scheduling,
        occupied,
        allocation,
        issue_latch,
        waiting,
        choice,
        seed
    )
)]
pub struct IssueStage<const C: usize> {
    /// The warp has an instruction that depends on nothing under way.
    pub ready: In<[Bit; warps]>,
    /// A new warp starts here; it is not ready yet.
    pub launch: In<[Bit; warps]>,
    /// The next instruction of each warp.
    pub head: [Instruction<In>; warps],
    /// First row of the warp's registers in every bank.
    pub head_base: In<[Bits<8>; warps]>,
    /// The warp's collector is to be empty before the instruction enters (caching and bypassing collectors
    /// only).
    pub head_flush: In<[Bit; warps]>,
    /// STHLD: cycles that a warp waits at most before it takes a collector with near values. F §IV-B2.
    pub sthld: In<Bits<5>>,
    /// The collector holds an instruction.
    pub occupied: In<[Bit; collectors]>,
    /// Port R of the collectors: whether each belongs to a warp, to which, and whether it holds a near value.
    pub owned: In<[Bit; collectors]>,
    /// Warp of the present or last instruction in it.
    pub held_warp: In<[Bits<4>; collectors]>,
    /// Port R: some value in it has a near reuse.
    pub near: In<[Bit; collectors]>,
    /// The instruction enters this collector. At most one is high.
    pub issue: Out<[Bit; collectors]>,
    /// An instruction issues.
    pub issued: Out<Bit>,
    /// With latches: warp of the instruction that issues; 0 if none does.
    #[when(issue_latch != IssueLatch::None)]
    pub issued_warp: Out<Bits<4>>,
    /// Event: a collector is free, and the warp waits for it.
    pub waiting: Out<Bit>,
    /// The instruction that enters a collector; all zero if none does, as the next ones.
    #[flat]
    pub instruction: Instruction<Out>,
    /// Warp of the instruction that enters a collector.
    pub warp: Out<Bits<4>>,
    /// First row of the warp's registers in every bank.
    pub base: Out<Bits<8>>,
    /// The collector is emptied before (caching and bypassing collectors only).
    pub flush: Out<Bit>,

    scheduler: WarpScheduler,
    allocator: CollectorAllocator<C>,
    #[when(issue_latch != IssueLatch::None)]
    latches: IssueLatches,
    #[value(|number| number)]
    number: Constant<[Bits<4>; warps]>,
    /// A warp may have to wait for a collector of its own.
    #[value(allocation != Allocation::AnyFree)]
    keeps_own: Constant<Bit>,
}

#[rtl]
impl<const C: usize> IssueStage<C> {
    /// The scheduler selects, and the allocator grants a collector: to the selected warp, or to that of the
    /// instruction that a latch offers.
    fn schedule() {
        if issue_latch == IssueLatch::None {
            connect!(scheduler { ready, launch, owned, held_warp });
            for c in 0..collectors {
                scheduler.occupied[c] = occupied[c] & keeps_own;
            }
            connect!(allocator { occupied, owned, held_warp, near, sthld });
            pass!(scheduler => allocator: selected as request, warp);
            pass!(allocator => scheduler: granted as issue);
            connect!(allocator -> grant as issue, granted as issued, waiting);
        } else {
            connect!(latches { owned, held_warp });
            for c in 0..collectors {
                latches.occupied[c] = occupied[c] & keeps_own;
            }
            connect!(allocator { occupied, owned, held_warp, near, sthld });
            pass!(latches => allocator: offers as request, offered_warp as warp);
            pass!(allocator => latches: granted as taken);
            connect!(allocator -> grant as issue, waiting);
            connect!(scheduler { launch, owned, held_warp, issue: scheduler.selected });
            for c in 0..collectors {
                scheduler.occupied[c] = false;
            }
            for w in 0..warps {
                scheduler.ready[w] = ready[w] & latches.room.get_bit(head[w].unit);
            }
            connect!(scheduler -> selected as issued, warp as issued_warp);
        }
    }

    /// The selected warp's instruction, and the one that enters a collector.
    fn selected() {
        if issue_latch == IssueLatch::None {
            warp = 0;
            base = 0;
            instruction.clear();
            flush = false;
            for w in 0..warps {
                let goes: Bit = scheduler.select[w] & allocator.granted;
                if goes {
                    warp = number[w];
                    base = head_base[w];
                    pass!(head[w] => instruction);
                    flush = head_flush[w];
                }
            }
        } else {
            connect!(latches { issue: scheduler.selected, warp: scheduler.warp, base: 0, flush: false });
            latches.instruction.clear();
            for w in 0..warps {
                if scheduler.select[w] {
                    latches.base = head_base[w];
                    pass!(head[w] => latches.instruction);
                    latches.flush = head_flush[w];
                }
            }
            connect!(latches ->
                entering as instruction, entering_warp as warp, entering_base as base,
                entering_flush as flush);
        }
    }
}

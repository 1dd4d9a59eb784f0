// SPDX-License-Identifier: Apache-2.0
//! Register-file side of one sub-core, issue stage and operand stage together: F §IV, Fig. 4 and 6; W §5, §6.
//!
//! Outside stand the instruction buffers and the scoreboard, which say what each warp would issue and whether
//! it may. So do the execution units, and the [STHLD controller](sthld_controller.md), which serves the whole
//! GPU.
//!
//! # Timing
//!
//! These follow each other within one cycle, from `ready` to `issue`: the scheduler, the allocator, the
//! choice of the instruction among the eight heads, and the collector's look-up (F Fig. 6). From there on the
//! timing is that of the [operand stage](operand_stage.md#timing).
//!
//! # Decisions
//!
//! - **If the selected warp gets no collector, nothing issues in this cycle.** The warps after it in the
//!   scheduler's order would be told the same, or are passed over (`occupied=skip`).
//! - **Heads come in decoded.** Instruction buffers and the scoreboard are outside, in the SM model.
//! - **STHLD comes in.** F keeps one per GPU, so the controller is not part of a sub-core.
//!
//! # Latches before the collectors (`issue_latch=blocking`)
//!
//! The instruction of the selected warp enters [a latch of its unit](issue_latches.md), and a collector from
//! there, a cycle later at the earliest. `issued` and `issued_warp` tell of the former, `issue`,
//! `entering_unit` and `hit` of the latter.

use gpurf_blocks::IssueLatch;
use rust_hdl::prelude::*;

use crate::bundles::{Dispatched, Instruction, Lenders, StageEvents, Transfer, Write};
use crate::collector::Collector;
use crate::dialect::{block, rtl};
use crate::issue::IssueStage;
use crate::operand_stage::OperandStage;

/// `K`: the kind of collector; `W`: data width in bits; `C`: bits of a collector's number, at least one.
#[block(
    naming = K::SUB_CORE,
    sizes(latched = usize::from(parameters.issue_latch != IssueLatch::None))
)]
pub struct SubCore<K: Collector<W>, const W: usize, const C: usize> {
    /// The warp has an instruction that depends on nothing under way.
    pub ready: In<[Bit; warps]>,
    /// A new warp starts here; it is not ready yet.
    pub launch: In<[Bit; warps]>,
    /// The next instruction of each warp.
    pub head: [Instruction<In>; warps],
    /// First row of the warp's registers in every bank.
    pub head_base: In<[Bits<8>; warps]>,
    /// Where sources of the warp's next instruction lie that do not lie with the warp.
    pub head_lender: [Lenders<In>; warps * lenders],
    /// The warp's collector is to be empty before the instruction enters (caching and bypassing collectors
    /// only).
    pub head_flush: In<[Bit; warps]>,
    /// How long an allocation waits; from the STHLD controller of the GPU.
    pub sthld: In<Bits<5>>,
    /// Write-back: one result register per bank, always taken. The register must live in that bank.
    pub write: [Write<In>; banks],
    /// Value of the result.
    pub write_data: In<[Bits<W>; banks]>,
    /// A register that is to leave the banks; it stands until it is read.
    pub transfer: [Transfer<In>; transfer_ports],
    /// Bit u: execution unit u takes an instruction this cycle.
    pub unit_ready: In<Bits<8>>,
    /// The register that is to leave is read in this cycle.
    pub transfer_taken: Out<[Bit; transfer_ports]>,
    /// The register that was read in the last cycle is there.
    pub transfer_arrives: Out<[Bit; transfer_ports]>,
    /// Value of the register that was read in the last cycle; zero while none is there.
    pub transfer_data: Out<[Bits<W>; transfer_ports]>,
    /// An instruction issues.
    pub issued: Out<Bit>,
    /// Warp of the instruction that issues.
    pub issued_warp: Out<Bits<4>>,
    /// The instruction that issues enters this collector; with latches, an instruction from one of them.
    pub issue: Out<[Bit; collectors]>,
    /// With latches: unit of the instruction that enters a collector; 0 if none does.
    #[when(latched == 1)]
    pub entering_unit: Out<Bits<3>>,
    /// Event: a collector is free, and the selected warp waits for it.
    pub waiting: Out<Bit>,
    /// The instruction in this collector goes to its unit in this cycle. At most one is high.
    pub dispatch: Out<[Bit; collectors]>,
    /// The instruction that leaves.
    #[flat]
    pub dispatched: Dispatched<Out, W>,
    /// The collector can take no instruction in this cycle.
    pub collector_occupied: Out<[Bit; collectors]>,
    /// Events of the operand stage.
    #[flat]
    pub events: StageEvents<Out>,

    issue_stage: IssueStage<C>,
    operand_stage: OperandStage<K, W, C>,
}

#[rtl]
impl<K: Collector<W>, const W: usize, const C: usize> SubCore<K, W, C> {
    /// The next instruction of each warp.
    fn candidates() {
        connect!(issue_stage { ready, launch, head, head_base, head_flush, sthld });
    }

    /// Port R of the collectors, and the instruction on its way to one.
    fn head() {
        pass!(operand_stage => issue_stage:
            collector_occupied[..] as occupied, collector_owned[..] as owned,
            collector_warp[..] as held_warp, collector_near[..] as near);
        pass!(issue_stage => operand_stage: issue[..], instruction, warp, base, flush);
        connect!(issue_stage -> issue, issued);
        if latched == 1 {
            connect!(issue_stage -> issued_warp);
            entering_unit = issue_stage.instruction.unit;
        } else {
            connect!(issue_stage -> warp as issued_warp);
        }
        connect!(issue_stage -> waiting);
    }

    /// Rows of other warps in which the issued instruction's sources lie.
    fn lend() {
        for l in 0..lenders {
            operand_stage.lender[l].clear();
            for w in 0..warps {
                if issue_stage.issued & (issue_stage.warp == w) {
                    pass!(head_lender[w + l] => operand_stage.lender[l]);
                }
            }
        }
    }

    /// Results, and registers that leave.
    fn results() {
        connect!(operand_stage {
            write, write_data, transfer, unit_ready,
        } -> transfer_taken, transfer_arrives, transfer_data);
    }

    /// Dispatch, and events.
    fn dispatches() {
        connect!(operand_stage -> dispatch, dispatched, collector_occupied, events);
    }
}

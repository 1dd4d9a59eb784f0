//! Register-file side of one sub-core: issue stage and operand stage together. F Fig. 4 and 6.
//!
//! Outside stand the instruction buffers and the scoreboard, which say what each warp would issue and
//! whether it may, the execution units, and the STHLD controller, which serves the whole GPU.
//!
//! Timing: an instruction whose warp is `ready` in cycle t can enter its collector in cycle t; from there
//! on as in [`crate::operand_stage`].

use gpurf_blocks::WARPS;
use rust_hdl::prelude::*;

use crate::collector::Collector;
use crate::dialect::{block, rtl};
use crate::issue::IssueStage;
use crate::operand_stage::OperandStage;

/// `K`: the kind of collector; `W`: data width in bits; `C`: bits of a collector's number, at least one.
#[block(naming = K::SUB_CORE, sizes(flushed = if destinations == 0 { 0 } else { WARPS }))]
pub struct SubCore<K: Collector<W>, const W: usize, const C: usize> {
    /// The warp has an instruction that depends on nothing under way.
    pub ready: In<[Bit; WARPS]>,
    /// A new warp starts here; it is not ready yet.
    pub launch: In<[Bit; WARPS]>,
    /// The next instruction of each warp, as of the issue stage.
    pub head_unit: In<[Bits<3>; WARPS]>,
    /// The next instruction of each warp: execution unit, a name for it, the warp's first register row.
    pub head_payload: In<[Bits<32>; WARPS]>,
    /// The next instruction of each warp: execution unit, a name for it, the warp's first register row.
    pub head_base: In<[Bits<8>; WARPS]>,
    /// Its sources.
    pub head_source_valid: In<[Bit; WARPS * slots]>,
    /// Their registers.
    pub head_source_register: In<[Bits<8>; WARPS * slots]>,
    /// Their next reuse is near (caching collectors only).
    pub head_source_near: In<[Bit; WARPS * slots]>,
    /// Its destinations, for BOCs.
    pub head_destination_valid: In<[Bit; WARPS * destinations]>,
    /// Their registers.
    pub head_destination_register: In<[Bits<8>; WARPS * destinations]>,
    /// A branch has left the window before it, for BOCs.
    pub head_flush: In<[Bit; flushed]>,
    /// How long an allocation waits; from the STHLD controller of the GPU.
    pub sthld: In<Bits<5>>,
    /// Results, as of the operand stage.
    pub write_valid: In<[Bit; banks]>,
    /// Warp of the result.
    pub write_warp: In<[Bits<3>; banks]>,
    /// Its register.
    pub write_register: In<[Bits<8>; banks]>,
    /// First row of the warp's registers.
    pub write_base: In<[Bits<8>; banks]>,
    /// The next reuse of the result is near.
    pub write_near: In<[Bit; banks]>,
    /// Its value.
    pub write_data: In<[Bits<W>; banks]>,
    /// Bit u: execution unit u takes an instruction this cycle.
    pub unit_ready: In<Bits<8>>,
    /// An instruction issues; its warp, and the collector that it enters.
    pub issued: Out<Bit>,
    /// An instruction issues: of which warp, into which collector.
    pub issued_warp: Out<Bits<3>>,
    /// An instruction issues: of which warp, into which collector.
    pub issue: Out<[Bit; collectors]>,
    /// Event: a collector is free, and the selected warp waits for it.
    pub waiting: Out<Bit>,
    /// The others are the operand stage's.
    pub dispatch: Out<[Bit; collectors]>,
    /// Warp of the dispatched instruction; zero without one, as the fields below.
    pub dispatch_warp: Out<Bits<3>>,
    /// Its execution unit.
    pub dispatch_unit: Out<Bits<3>>,
    /// Its payload.
    pub dispatch_payload: Out<Bits<32>>,
    /// The slot is used.
    pub operand_valid: Out<[Bit; slots]>,
    /// Its value.
    pub operand_data: Out<[Bits<W>; slots]>,
    /// The collector can take no instruction in this cycle.
    pub collector_occupied: Out<[Bit; collectors]>,
    /// Event: this source of the instruction issued this cycle was found in its collector.
    pub hit: Out<[Bit; slots]>,
    /// Event: the bank performs a read this cycle.
    pub bank_read: Out<[Bit; banks]>,
    /// Event: a read waits and is not granted.
    pub bank_conflict: Out<[Bit; banks]>,
    /// Event: the write also goes into a collector.
    pub write_cached: Out<[Bit; banks]>,
    /// Event: a collector has data of the write's warp, and the write is kept out of it.
    pub write_filtered: Out<[Bit; banks]>,

    issue_stage: IssueStage<C>,
    operand_stage: OperandStage<K, W, C>,
}

impl<K: Collector<W>, const W: usize, const C: usize> Logic for SubCore<K, W, C> {
    #[rtl]
    fn update(&mut self) {
        // What each warp would issue.
        pass!(self => self.issue_stage:
            ready[..], launch[..], head_unit[..], head_payload[..], head_base[..], head_flush[..],
            head_source_valid[..], head_source_register[..], head_source_near[..],
            head_destination_valid[..], head_destination_register[..], sthld);

        // Port R of the collectors, and the instruction on its way to one.
        pass!(self.operand_stage => self.issue_stage:
            collector_occupied[..] as occupied, collector_owned[..] as owned, collector_warp[..] as held_warp,
            collector_near[..] as near);
        pass!(self.issue_stage => self.operand_stage:
            issue[..], warp, unit, payload, base, source_valid[..], source_register[..], source_near[..],
            destination_valid[..], destination_register[..], flush);
        pass!(self.issue_stage => self: issue[..], issued, warp as issued_warp, waiting);

        // Results.
        pass!(self => self.operand_stage:
            write_valid[..], write_warp[..], write_register[..], write_base[..], write_near[..], write_data[..],
            unit_ready);

        // Dispatch, and events.
        pass!(self.operand_stage => self:
            dispatch[..], dispatch_warp, dispatch_unit, dispatch_payload, operand_valid[..], operand_data[..],
            collector_occupied[..], hit[..], bank_read[..], bank_conflict[..], write_cached[..],
            write_filtered[..]);
    }
}

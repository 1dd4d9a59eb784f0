// SPDX-License-Identifier: Apache-2.0
//! An operand collector as the stage around it sees it: W §2, §3.2, F §II, §III, §VI-B.
//!
//! All kinds of collectors have the same ports. Arrays whose length is zero for a kind are not there in its
//! hardware: results on ports D are for caching collectors, destinations and the results of all banks for
//! bypassing ones.

use std::ops::DerefMut;

use rust_hdl::prelude::*;

use super::{Boc, Ccu, Ocu};
use crate::bundles::Instruction;
use crate::catalogue::Naming;
use crate::dialect::{bundle, Clocking, Configured};
use crate::watch;

/// A collector for an [`OperandStage`](crate::operand_stage::OperandStage) and a
/// [`SubCore`](crate::sub_core::SubCore). `W`: data width in bits.
pub trait Collector<const W: usize>:
    Block + Clocking + Configured + DerefMut<Target = CollectorPorts<W>>
{
    /// Names of its operand stage.
    const STAGE: Naming;
    /// Names of its sub-core.
    const SUB_CORE: Naming;
}

/// Ports of an operand collector.
#[bundle(ports(CollectorIn, CollectorOut))]
pub struct CollectorPorts<const W: usize> {
    /// Number of the collector among its stage's.
    pub number: In<Bits<4>>,
    /// An instruction enters; the collector must not be occupied, or the instruction in it must leave in this
    /// cycle.
    pub issue: In<Bit>,
    /// With `issue`: cache table or window is emptied before (caching and bypassing collectors only).
    pub flush: In<Bit>,
    /// Warp of the instruction, within the sub-core; of a bypassing collector its `number`.
    pub warp: In<Bits<4>>,
    /// The instruction that enters.
    #[flat]
    pub instruction: Instruction<In>,
    /// Where the search for a random far entry starts, in its lowest bits (caching collectors only).
    pub random: In<Bits<8>>,
    /// Port S: the value of a source slot arrives from the banks.
    pub s_valid: In<Bit>,
    /// Slot of the value on port S.
    pub s_slot: In<Bits<3>>,
    /// The value on port S.
    pub s_data: In<Bits<W>>,
    /// With two accesses per cycle: the value of another slot arrives, of a bank's second access.
    #[when(accesses == 2)]
    pub second_s_valid: In<Bit>,
    /// Slot of the other value that arrives.
    #[when(accesses == 2)]
    pub second_s_slot: In<Bits<3>>,
    /// The other value that arrives.
    #[when(accesses == 2)]
    pub second_s_data: In<Bits<W>>,
    /// Ports D: results of the warp that the collector belongs to, of different registers; the second is used
    /// only together with the first.
    pub d_valid: In<[Bit; d_ports]>,
    /// Register of the result.
    pub d_register: In<[Bits<8>; d_ports]>,
    /// The result's next reuse is near.
    pub d_near: In<[Bit; d_ports]>,
    /// Value of the result.
    pub d_data: In<[Bits<W>; d_ports]>,
    /// Results of that warp which the write filter keeps out.
    #[when(d_ports > 0)]
    pub filtered: In<[Bit; banks]>,
    /// Register of the result that is kept out.
    #[when(d_ports > 0)]
    pub filtered_register: In<[Bits<8>; banks]>,
    /// All results of the warp that the collector belongs to, no two of one register.
    #[when(destinations > 0)]
    pub write_valid: In<[Bit; banks]>,
    /// Register of the result.
    #[when(destinations > 0)]
    pub write_register: In<[Bits<8>; banks]>,
    /// Value of the result.
    #[when(destinations > 0)]
    pub write_data: In<[Bits<W>; banks]>,
    /// The instruction leaves; it must be ready.
    pub dispatch: In<Bit>,

    /// Read requests of the instruction issued in this cycle.
    pub request: Out<[Bit; slots]>,
    /// Sources of the instruction issued in this cycle that were found.
    pub hit: Out<[Bit; slots]>,
    /// Port R: an instruction occupies it.
    pub occupied: Out<Bit>,
    /// All sources have arrived, or under `dispatch_on_arrival` the last one arrives.
    pub ready: Out<Bit>,
    /// Port R: the collector belongs to a warp, `held_warp`.
    pub owned: Out<Bit>,
    /// Warp of the present or last instruction.
    pub held_warp: Out<Bits<4>>,
    /// Port R: some value in the collector has a near reuse.
    pub any_near: Out<Bit>,
    /// Execution unit of the present or last instruction.
    pub held_unit: Out<Bits<3>>,
    /// Payload of the present or last instruction.
    pub held_payload: Out<Bits<32>>,
    /// This result also goes into a slot of the window.
    #[when(destinations > 0)]
    pub cached: Out<[Bit; banks]>,
    /// Sources of the present or last instruction.
    pub operand_valid: Out<[Bit; slots]>,
    /// Value of the slot's source once it is there; before that, zero or an older value.
    pub operand_data: Out<[Bits<W>; slots]>,
}

watch!(*: [
    "valid s_slot s_data if s_valid",
    "valid d_register d_near d_data if d_valid[i]",
    "valid second_s_slot second_s_data if second_s_valid[i]",
    "valid filtered_register if filtered[i]",
]);

/// Enters the operand stage and the sub-core of a collector into the catalogue: `stages!(Ccu<W, I>)`.
macro_rules! stages {
    ($collector:ty) => {
        $crate::enter!($crate::operand_stage::OperandStage<$collector, W, C>);
        $crate::enter!($crate::sub_core::SubCore<$collector, W, C>);
    };
}
pub(super) use stages;

/// Parameters of an operand stage or a sub-core, in the order of its name: at the `;` stand those that say
/// how much the banks do, when an instruction enters and leaves its collector, and whether registers leave
/// without one.
macro_rules! stage_parameters {
    ($($before:literal),*; $($after:literal),*) => {
        &[
            $($before,)* "accesses", "grant_at_issue", "dispatch_on_arrival", "issue_on_dispatch", "transfer_ports", "lenders",
            $($after,)*
        ]
    };
}
pub(super) use stage_parameters;

watch!(Ocu<W>, Boc<W>, Ccu<W, I>: [
    "misuse if issue && occupied && !dispatch: an instruction enters beside another",
    "misuse if dispatch && !ready: an instruction leaves before its sources are there",
    "misuse if s_valid && !occupied: a value arrives for no instruction",
    "misuse if s_valid && s_slot >= #operand_valid: a value arrives for slot {s_slot}, which is not there",
    "fault if ready && !occupied: there is no instruction, and it is ready",
    "fault for s in request if request[s] && !(issue && source_valid[s]): slot {s} asks for a \
        register that nothing names",
    "fault for s in hit if hit[s] && request[s]: the source of slot {s} is found and asked for",
]);

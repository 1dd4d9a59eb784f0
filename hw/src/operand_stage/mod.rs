//! Operand stage of one sub-core: collectors, crossbar, arbiter, banks and dispatch selection.
//!
//! F §II and Fig. 3 with operand collector units ([`OcuStage`]); W §3.1, F §III-B and Fig. 4 with
//! caching collector units ([`CcuStage`]); F §VI-B with bypassing operand collectors ([`BocStage`]). All
//! have the same ports, so that one takes another's place.
//!
//! Timing, for an instruction issued in cycle t:
//!
//! | cycle | what happens |
//! |---|---|
//! | t | it enters its collector; sources are looked up; what is missing joins the banks' queues |
//! | t + 1 | the oldest read of each queue is granted, if bank and port S are free |
//! | t + 2 | the value crosses from the bank to the collector |
//! | t + 3 | with all sources present the instruction can be dispatched (t + 1 if none was missing) |
//!
//! The papers fix no such latencies; these follow from a synchronous memory and registered queues.
//! Collectors that are ready, and whose execution unit takes an instruction, are dispatched in turn,
//! one per cycle (the papers speak of a dispatch scheduler and not of its order). A collector can take
//! the next instruction in the cycle after dispatch.

mod boc_stage;
mod ccu_stage;
mod ocu_stage;

pub use boc_stage::BocStage;
pub use ccu_stage::CcuStage;
pub use ocu_stage::{OcuStage, OcuStageIn as OperandStageIn, OcuStageOut as OperandStageOut};

use crate::cells::Choice;
use crate::collector::{BocParameters, CcuParameters, Policy};
use crate::register_file::ArbiterParameters;

/// Most collectors, banks and source slots that the plain structs of ports have room for.
pub const MAX_COLLECTORS: usize = 8;
pub const MAX_BANKS: usize = 4;
pub const MAX_SLOTS: usize = 7;
/// Most ports D of a caching collector.
pub const MAX_D_PORTS: usize = 2;
/// Most destinations of an instruction that a bypassing operand collector keeps.
pub const MAX_DESTINATIONS: usize = 4;

/// Sizes and policies of an operand stage; data width and table entries are types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperandStageParameters {
    /// 1, 2, 4 or 8.
    pub collectors: usize,
    /// Source slots of a collector, 3 to 7.
    pub slots: usize,
    /// 2 or 4.
    pub banks: usize,
    /// Registers of warps per bank, up to 256.
    pub rows: usize,
    /// Caching collectors only, as the four after it.
    pub policy: Policy,
    /// Far results are cached too; the papers filter them.
    pub cache_far: bool,
    /// Filtered results invalidate; see [`crate::collector::Ccu`].
    pub invalidate: bool,
    /// Of one of several far entries to replace.
    pub choice: Choice,
    /// Results that a collector takes in a cycle, 1 (the papers') or 2.
    pub d_ports: usize,
    /// Bypassing operand collectors only, as the next one. Instructions in the window, 2 to 8.
    pub window: usize,
    /// Destinations of an instruction that are kept, 1 to 4.
    pub destinations: usize,
}

impl Default for OperandStageParameters {
    /// A sub-core of the papers: 2 collectors of 7 slots (W §2), 2 banks, 64 KB of registers. Window and
    /// destinations are those of BOW in F §VI-B.
    fn default() -> Self {
        OperandStageParameters {
            collectors: 2,
            slots: 7,
            banks: 2,
            rows: 256,
            policy: Policy::Malekeh,
            cache_far: false,
            invalidate: true,
            choice: Choice::Random,
            d_ports: 1,
            window: 3,
            destinations: 2,
        }
    }
}

impl OperandStageParameters {
    /// The same with a collector of its own for every warp of the sub-core: warp w in collector w.
    pub fn private(&self) -> Self {
        OperandStageParameters { collectors: MAX_COLLECTORS, ..*self }
    }

    pub fn boc(&self) -> BocParameters {
        BocParameters {
            window: self.window,
            slots: self.slots,
            destinations: self.destinations,
            banks: self.banks,
        }
    }

    pub fn ccu(&self) -> CcuParameters {
        CcuParameters {
            slots: self.slots,
            banks: self.banks,
            d_ports: self.d_ports,
            policy: self.policy,
            invalidate: self.invalidate,
        }
    }

    pub fn arbiter(&self, caching: bool) -> ArbiterParameters {
        ArbiterParameters {
            collectors: self.collectors,
            banks: self.banks,
            slots: self.slots,
            caching,
            cache_far: caching && self.cache_far,
            d_ports: self.d_ports,
        }
    }
}

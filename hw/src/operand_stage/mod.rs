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

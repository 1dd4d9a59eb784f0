//! Random stimulus that keeps to each module's protocol.
//!
//! What a module may be asked depends on what it answered: an occupied collector takes no instruction,
//! a value arrives only for a request. A stimulus therefore watches the outputs.

mod arbiter;
mod bank;
mod boc;
mod cells;
mod collector_allocator;
mod collectors;
mod finereg;
mod iwmu;
mod lrt;
mod operand_stage;
mod pcrf;
mod request_queue;
mod rmu;
mod sthld_controller;
mod sub_core;
mod tables;
mod warp_scheduler;

pub use arbiter::ArbiterStimulus;
pub use bank::BankStimulus;
pub use boc::BocStimulus;
pub use cells::{AgeMatrixStimulus, LfsrStimulus, LruOrderStimulus, ReplacementStimulus, RoundRobinStimulus};
pub use collector_allocator::CollectorAllocatorStimulus;
pub use collectors::{CcuStimulus, OcuStimulus};
pub use finereg::{
    CtaStatusMonitorStimulus, FreeSpaceMonitorStimulus, LiveRegisterCacheStimulus, PcrfPointerTableStimulus,
    RegisterIndexDecoderStimulus,
};
pub use iwmu::IwmuStimulus;
pub use lrt::LrtStimulus;
pub use operand_stage::OperandStageStimulus;
pub use pcrf::PcrfStimulus;
pub use request_queue::RequestQueueStimulus;
pub use rmu::RmuStimulus;
pub use sthld_controller::SthldControllerStimulus;
pub use sub_core::{IssueStageStimulus, SubCoreStimulus};
pub use tables::{CacheTableStimulus, OperandCollectorTableStimulus};
pub use warp_scheduler::WarpSchedulerStimulus;

use crate::Random;

/// Inputs for a module, cycle by cycle.
pub trait Stimulus<I, O> {
    /// Inputs of the next cycle.
    fn next(&mut self, random: &mut Random) -> I;

    /// What the module answered to them. An error says which answer was wrong on its own account,
    /// whatever other engines answered.
    fn observe(&mut self, _inputs: &I, _outputs: &O) -> Result<(), String> {
        Ok(())
    }

    /// What the run has met, counted.
    fn coverage(&self) -> Vec<(&'static str, u64)> {
        vec![]
    }
}

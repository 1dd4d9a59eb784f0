//! Collectors: units that gather the source operands of one instruction.

mod boc;
mod cache_table;
mod ccu;
mod collector;
mod ocu;
mod operand_collector_table;
mod replacement;
mod window_instruction;

pub use boc::Boc;
pub use cache_table::{CacheTable, CacheTableIn, CacheTableOut};
pub use ccu::Ccu;
pub(self) use collector::stages;
pub use collector::{Collector, CollectorPorts};
pub use gpurf_blocks::ports::{CollectorIn, CollectorOut};
pub use ocu::Ocu;
pub use operand_collector_table::{OperandCollectorTable, OperandCollectorTableIn, OperandCollectorTableOut};
pub use replacement::{Replacement, ReplacementIn, ReplacementOut};
pub use window_instruction::{WindowInstruction, WindowInstructionIn, WindowInstructionOut};

//! Reference models of the collectors, written from the papers.

mod boc;
mod cache_table;
mod ccu;
mod collector;
mod ocu;
mod operand_collector_table;
mod replacement;
mod window_instruction;

pub use boc::Boc;
pub use cache_table::CacheTable;
pub use ccu::Ccu;
pub use collector::{Collector, Edge, Issue, Placement, Results};
pub use ocu::Ocu;
pub use operand_collector_table::OperandCollectorTable;
pub use replacement::{choose, Replacement};
pub use window_instruction::WindowPlace;

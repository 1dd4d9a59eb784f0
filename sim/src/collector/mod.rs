//! Reference models of the collectors, written from the papers.

mod boc;
mod cache_table;
mod ccu;
mod ocu;
mod operand_collector_table;
mod replacement;

pub use boc::{Boc, BocIssue};
pub use cache_table::CacheTable;
pub use ccu::{Ccu, CcuIssue, DWrite, Placement};
pub use ocu::Ocu;
pub use operand_collector_table::OperandCollectorTable;
pub use replacement::{choose, Replacement};

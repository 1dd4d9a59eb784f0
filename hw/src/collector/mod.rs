//! Collectors: units that gather the source operands of one instruction.

mod cache_table;
mod ccu;
mod ocu;
mod operand_collector_table;
mod replacement;

pub use cache_table::{CacheTable, CacheTableIn, CacheTableOut};
pub use ccu::{Ccu, CcuIn, CcuOut, CcuParameters};
pub use ocu::{Ocu, OcuIn, OcuOut};
pub use operand_collector_table::{OperandCollectorTable, OperandCollectorTableIn, OperandCollectorTableOut};
pub use replacement::{Policy, Replacement, ReplacementIn, ReplacementOut};

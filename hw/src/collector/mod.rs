//! Collectors: units that gather the source operands of one instruction.

mod boc;
mod cache_table;
mod ccu;
mod ocu;
mod operand_collector_table;
mod replacement;
mod window_instruction;

pub use boc::{Boc, BocIn, BocOut};
pub use cache_table::{CacheTable, CacheTableIn, CacheTableOut};
pub use ccu::{Ccu, CcuIn, CcuOut};
pub use ocu::{Ocu, OcuIn, OcuOut};
pub use operand_collector_table::{OperandCollectorTable, OperandCollectorTableIn, OperandCollectorTableOut};
pub use replacement::{Replacement, ReplacementIn, ReplacementOut};
pub use window_instruction::{WindowInstruction, WindowInstructionIn, WindowInstructionOut};

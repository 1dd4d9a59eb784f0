//! Reference models of the collectors, written from the papers.

mod cache;
mod ccu;
mod ocu;
mod replacement;
mod tables;

pub use cache::{Cache, Placement};
pub use ccu::{Ccu, CcuIssue, DWrite};
pub use ocu::Ocu;
pub use replacement::{choose, Replacement};
pub use tables::{CacheTable, OperandCollectorTable};

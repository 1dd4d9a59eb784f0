//! Reference models of the collectors, written from the papers.

mod boc;
mod cache;
mod ccu;
mod ocu;
mod replacement;
mod tables;

pub use boc::{Boc, BocIssue};
pub use cache::{Cache, Placement};
pub use ccu::{Ccu, CcuIssue, DWrite};
pub use ocu::Ocu;
pub use replacement::{choose, Replacement};
pub use tables::{CacheTable, OperandCollectorTable};

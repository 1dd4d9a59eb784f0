//! Reference models of the collectors, written from the papers.

mod cache;
mod ccu;
mod ocu;
mod replacement;

pub use cache::{Cache, Placement};
pub use ccu::{Ccu, CcuIssue, DWrite};
pub use ocu::Ocu;
pub use replacement::{Replacement, choose};

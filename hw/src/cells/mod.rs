//! Small cells that the larger modules share.

mod lfsr;
mod lru_order;
mod round_robin;

pub use lfsr::{Lfsr, LfsrIn, LfsrOut};
pub use lru_order::{LruOrder, LruOrderIn, LruOrderOut, MAX_ENTRIES};
pub use round_robin::{RoundRobin, RoundRobinIn, RoundRobinOut};

//! Small cells that the larger modules share.

mod age_matrix;
mod lfsr;
mod lru_order;
mod round_robin;

pub use age_matrix::{AgeMatrix, AgeMatrixIn, AgeMatrixOut};
pub use lfsr::{Lfsr, LfsrIn, LfsrOut};
pub use lru_order::{LruOrder, LruOrderIn, LruOrderOut};
pub use round_robin::{RoundRobin, RoundRobinIn, RoundRobinOut};

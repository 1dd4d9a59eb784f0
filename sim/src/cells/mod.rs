//! Reference models of the small cells.

mod age_matrix;
mod lfsr;
mod lru_order;
mod round_robin;

pub use age_matrix::AgeMatrix;
pub use lfsr::Lfsr;
pub use lru_order::LruOrder;
pub use round_robin::RoundRobin;

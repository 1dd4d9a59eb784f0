//! Reference models of the small cells.

mod lfsr;
mod lru_order;
mod round_robin;

pub use lfsr::Lfsr;
pub use lru_order::LruOrder;
pub use round_robin::RoundRobin;

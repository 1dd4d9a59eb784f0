//! Testbenches of the small cells.

mod age_matrix;
mod lfsr;
mod lru_order;
mod round_robin;

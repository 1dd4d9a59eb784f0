//! Reference models and the streaming multiprocessor around them.

mod bits;
pub mod cells;
pub mod collector;
pub mod config;
pub mod energy;
pub mod finereg;
pub mod gemm_traffic;
pub mod issue;
pub mod multicast;
pub mod operand_stage;
pub mod register_cache;
pub mod register_file;
pub mod register_traffic;
pub mod sm;
pub mod statistics;
pub mod sub_core;

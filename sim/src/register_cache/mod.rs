//! Reference models of the register cache, written from C §IV and §V-B and the rules of the hardware,
//! `hw/src/register_cache`.

mod register_cache;
mod set_mapping;
mod tag_array;
mod way_replacement;
mod writeback_buffer;

pub use register_cache::RegisterCache;
pub use set_mapping::SetMapping;
pub use tag_array::{TagArray, Written};
pub use way_replacement::WayReplacement;
pub use writeback_buffer::WritebackBuffer;

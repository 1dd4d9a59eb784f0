//! Register cache: the registers that a thread used last, in a small memory in front of the register file. C §IV, §V.
//!
//! C is *Investigating Register Cache Behavior*. The [`RegisterCache`] of a sub-core stands between its collectors and
//! its banks; a [`TagArray`] says what is in it, and the [`WritebackBuffer`] takes what leaves it.

mod register_cache;
mod set_mapping;
mod tag_array;
mod way_replacement;
mod writeback_buffer;

pub use register_cache::{RegisterCache, RegisterCacheIn, RegisterCacheOut};
pub use set_mapping::{SetMapping, SetMappingIn, SetMappingOut};
pub use tag_array::{TagArray, TagArrayIn, TagArrayOut};
pub use way_replacement::{WayReplacement, WayReplacementIn, WayReplacementOut};
pub use writeback_buffer::{WritebackBuffer, WritebackBufferIn, WritebackBufferOut};

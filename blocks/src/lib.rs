//! What models and hardware share, and nothing else: the contract of a block and its ports.
//!
//! Nothing of the house is imported here, and nothing is known of how a block is made.

mod contract;

pub use contract::{difference, Clocked, Data, Divergence, Lockstep, Wide};
pub use contract::{layout, pack, unpack, Field, PortName, PortValue, PortVisitor, Ports};

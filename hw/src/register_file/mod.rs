//! Register file of a sub-core: single-ported banks, their read queues, and the arbiter.

mod arbiter;
mod bank;
mod request_queue;

pub use arbiter::{Arbiter, ArbiterIn, ArbiterOut};
pub use bank::{Bank, BankIn, BankOut};
pub use request_queue::{RequestQueue, RequestQueueIn, RequestQueueOut};

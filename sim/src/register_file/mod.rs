//! Reference models of the banks, their queues and the arbiter, written from F §II, §III-B and §IV-A2.

mod arbiter;
mod bank;
mod request_queue;

pub use arbiter::{Arbiter, Grants};
pub use bank::Bank;
pub use request_queue::{Request, RequestQueue};

//! Testbenches of the banks, their queues and the arbiter.

mod arbiter;
mod bank;
mod request_queue;

//! Testbenches of the issue stage and its parts.

mod collector_allocator;
mod issue_stage;
mod sthld_controller;
mod warp_scheduler;

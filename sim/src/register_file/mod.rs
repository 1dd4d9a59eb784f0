//! Reference models of the banks, their queues and the arbiter, written from F §II, §III-B and §IV-A2.

mod arbiter;
mod bank;
mod request_queue;

pub use arbiter::{Arbiter, Grants};
pub use bank::Bank;
pub use request_queue::{Request, RequestQueue};

/// Where a register of a warp lives: bank, and row; the warp's registers begin in row `base`. `banks`: 2 or 4.
pub fn home(banks: usize, warp: u32, base: u32, register: u32) -> (usize, u32) {
    let bank = (register + 1 + warp) & (banks as u32 - 1);
    (bank as usize, (base + (register >> banks.ilog2())) & 0xff)
}

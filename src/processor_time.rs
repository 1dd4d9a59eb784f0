// SPDX-License-Identifier: Apache-2.0
//! Time of the processor: how much of it was spent on this thread alone.

use std::time::Duration;

use rustix::time::{clock_gettime, ClockId};

/// Time that the processor has spent on this thread, and on all threads of the process.
pub struct ProcessorTime {
    thread: Duration,
    process: Duration,
}

fn read(clock: ClockId) -> Duration {
    let now = clock_gettime(clock);
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

impl ProcessorTime {
    /// So far.
    pub fn now() -> ProcessorTime {
        ProcessorTime { thread: read(ClockId::ThreadCPUTime), process: read(ClockId::ProcessCPUTime) }
    }

    /// Part of the time since `start` that was spent on this thread, in percent. What threads do side by side
    /// is done by others: so this is the part that more threads do not make shorter.
    pub fn alone(&self, start: &ProcessorTime) -> f64 {
        let (thread, process) = (self.thread - start.thread, self.process - start.process);
        100.0 * thread.as_secs_f64() / process.as_secs_f64().max(f64::MIN_POSITIVE)
    }
}

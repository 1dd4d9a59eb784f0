// SPDX-License-Identifier: Apache-2.0
//! Events inside the RTL of a run: how many there are, and which instruction each belongs to.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

use gpurf_verilog::Occurrence;

/// The events that have been heard of. A copy is the same log.
#[derive(Clone, Default)]
pub struct EventLog(Arc<Mutex<Log>>);

#[derive(Default)]
struct Log {
    counts: BTreeMap<String, u64>,
    labels: Vec<(u32, String)>,
}

/// The value of an event that is an instruction's serial number.
const INSTRUCTION: &str = "instruction";

impl EventLog {
    fn lock(&self) -> MutexGuard<'_, Log> {
        self.0.lock().expect("nobody panics with the log in hand")
    }

    /// Counts an event, and keeps the text of one that belongs to an instruction.
    pub fn hear(&self, event: &Occurrence) {
        let log = &mut *self.lock();
        match log.counts.get_mut(event.kind()) {
            Some(count) => *count += 1,
            None => drop(log.counts.insert(event.kind().into(), 1)),
        }
        if let Some(serial) = event.field(INSTRUCTION) {
            let mut text = String::new();
            event.write(&mut text);
            log.labels.push((serial as u32, text));
        }
    }

    /// Texts since the last call, with serial numbers of instructions.
    pub fn take_labels(&self) -> Vec<(u32, String)> {
        std::mem::take(&mut self.lock().labels)
    }

    /// How many of each kind.
    pub fn counts(&self) -> BTreeMap<String, u64> {
        self.lock().counts.clone()
    }
}

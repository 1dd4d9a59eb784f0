// SPDX-License-Identifier: Apache-2.0
//! Remarks that do not stop a run: what a trace lacks, and what is left out of it.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

/// Where remarks about a trace go. Each is made once, however often the trace is read.
#[derive(Clone)]
pub(crate) struct Notes(Arc<Inner>);

struct Inner {
    made: Mutex<HashSet<String>>,
    say: Box<dyn Fn(&str) + Send + Sync>,
}

impl Notes {
    pub fn new(say: impl Fn(&str) + Send + Sync + 'static) -> Notes {
        Notes(Arc::new(Inner { made: Mutex::default(), say: Box::new(say) }))
    }

    /// Makes a remark, unless it was made before.
    pub fn say(&self, note: String) {
        let mut made = self.0.made.lock().unwrap_or_else(PoisonError::into_inner);
        if !made.contains(&note) {
            (self.0.say)(&note);
            made.insert(note);
        }
    }
}

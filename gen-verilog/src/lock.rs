// SPDX-License-Identifier: Apache-2.0
//! A lock for the things that the threads of a process share.

use std::sync::{Mutex, MutexGuard};

/// Takes the lock. What a thread that panicked left behind is whole: it is changed in one step.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|error| error.into_inner())
}

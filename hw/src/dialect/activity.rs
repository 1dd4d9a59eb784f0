// SPDX-License-Identifier: Apache-2.0
//! A count of clock edges that changed state.

use std::cell::Cell;

thread_local! {
    static CHANGES: Cell<u64> = const { Cell::new(0) };
}

/// Called by the state-holding primitives when an edge changes what they hold.
pub(super) fn record() {
    CHANGES.with(|changes| changes.set(changes.get() + 1));
}

/// Changes recorded on this thread so far.
pub(super) fn changes() -> u64 {
    CHANGES.with(Cell::get)
}

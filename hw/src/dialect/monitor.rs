// SPDX-License-Identifier: Apache-2.0
//! Monitors of modules. A monitor is Verilog beside a module, and states what is proved of it beyond its
//! [contract](super::Watch).
//!
//! A monitor is the body of a module. It sees every port of the watched module by name, its own inside by
//! `inside.NAME`, and its parameters in capitals (`ENTRIES`). It sees registers of its parts by their path:
//! `cache_table.entry_tag`, or `queues.each.valid` of an array of parts side by side. It declares signals of
//! one bit. Their names give their purpose:
//!
//! * `assume_NAME`: the driver owes it; a run counts only while it has been high.
//! * `prove_NAME`: it is high in every cycle.
//! * `lemma_NAME`: the same, and there because proofs of others need it.
//! * `cover_NAME`: some run makes it high, so that no proof is empty.
//!
//! The comment above a declaration says it in words. An input that nothing drives is `(* anyseq *)`. A
//! register that is loaded with one at a reset, and never after, stands for *any* value. A line `// At
//! entries=4 slots=3` names a size that is proved. `// Within 8 cycles.` limits the proof to runs of so many.
//! Lines from `` `ifdef SEARCH_SCAN `` on are there under `search=scan`, those from `` `else `` on otherwise,
//! and those behind `` `endif `` always. Memories answer anything: where that does not do, a
//! monitor keeps the one row that it watches, and assumes that the memory gives it.

use super::Declared;

/// The monitor of a module.
#[derive(Debug)]
pub struct Monitor {
    /// The module's name without its parameters.
    pub module: &'static str,
    /// Verilog.
    pub text: &'static str,
}

inventory::collect!(Monitor);

impl Monitor {
    /// The monitor of a module.
    pub const fn on<M: Declared>(text: &'static str) -> Self {
        Monitor { module: M::NAMING.module, text }
    }

    /// The one of the module of this name, if it has one.
    pub fn of(module: &str) -> Option<&'static Monitor> {
        inventory::iter::<Monitor>.into_iter().find(|monitor| monitor.module == module)
    }
}

/// Declares the monitor of a module, from a file beside it: `monitor!(Ccu<W, I>: "ccu_monitor.v")`. What
/// several modules keep stands in a file of its own, before those that have the rest.
#[macro_export]
macro_rules! monitor {
    ($module:ty: $($file:literal),+) => {
        $crate::catalogue::submit! {
            $crate::example!($crate::dialect::Monitor::on::<$module>(concat!($(include_str!($file)),+)))
        }
    };
}

// SPDX-License-Identifier: Apache-2.0
//! Things to watch for inside a module: events, as texts, and values that are valid.
//!
//! A declaration stands beside the module or its ports, one line for each thing:
//!
//! * `hit(register = source_register[s]) for s in hit if hit[s]: hit R{register}` is an event. `hit` is its
//!   kind, and `register` a value by which it can be searched for. A clause `for s in hit` counts through the
//!   elements of the signal `hit`, from 0; one with `?` behind the name is skipped in modules without that
//!   signal. A clause `if` says when the event happens. The text follows the colon, with values in braces;
//!   `{near:far,near}` has a name for each value.
//! * `valid entry_tag entry_near if entry_valid[i]` says when element `i` of these signals has a meaning. A
//!   `*` before each name stands for the beginning that they share in a module.
//! * `show random cache_table.entry_lock` names signals that views of a waveform show beside those that
//!   events speak of. One with `?` behind it may be missing.
//!
//! Names are those of the emitted Verilog, also those of parts: `cache_table.entry_tag[e]`. `a[i]` is an
//! element of an array, or a bit. `#a` is the number of elements.

use super::Declared;

/// The declaration of a module, or of ports that several modules have.
#[derive(Debug)]
pub struct Watch {
    /// The module's name without its parameters; all modules with these signals if it is empty.
    pub module: &'static str,
    /// Its lines.
    pub lines: &'static [&'static str],
}

inventory::collect!(Watch);

impl Watch {
    /// The declaration of a module.
    pub const fn of<M: Declared>(lines: &'static [&'static str]) -> Self {
        Watch { module: M::NAMING.module, lines }
    }

    /// All declarations.
    pub fn all() -> impl Iterator<Item = &'static Watch> {
        inventory::iter::<Watch>.into_iter()
    }
}

/// Declares what is watched for: `watch!(Ccu<W, I>: ["hit(...) ...: hit R{register}"])`, with the const
/// generics of [`crate::generics!`], or `watch!(*: ["valid ..."])` for whichever module has the signals.
#[macro_export]
macro_rules! watch {
    (*: [$($line:literal),+ $(,)?]) => {
        $crate::catalogue::submit! { $crate::dialect::Watch { module: "", lines: &[$($line),+] } }
    };
    (@ $module:ty: [$($line:literal),+ $(,)?]) => {
        $crate::catalogue::submit! {
            $crate::example!($crate::dialect::Watch::of::<$module>(&[$($line),+]))
        }
    };
    ($($module:ty),+: $lines:tt) => {
        $($crate::watch!(@ $module: $lines);)+
    };
}

// SPDX-License-Identifier: Apache-2.0
//! Choices of a design beside the policies of the hardware's parameters, and how a choice is written.

use gpurf_blocks::{Allocation, IssueLatch, ReplacementPolicy, Scheduling};
use strum::{EnumString, IntoStaticStr, VariantNames};

macro_rules! values {
    ($($(#[$attribute:meta])+ $name:ident { $($(#[$variant_attribute:meta])+ $variant:ident,)+ })+) => {$(
        $(#[$attribute])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr, VariantNames)]
        #[strum(serialize_all = "snake_case")]
        pub enum $name {
            $($(#[$variant_attribute])+ $variant,)+
        }
    )+};
}

values! {
    /// The means to tell when a warp may issue its next instruction.
    Dependences {
        /// A scoreboard of the registers that are to be written or read.
        Scoreboard,
        /// The control bits that the compiler has put beside each instruction: stall counts and dependence
        /// counters. H §4.
        ControlBits,
    }

    /// When an active warp becomes pending, where only a few may issue: see `sim/src/issue/active_set.rs`.
    TwoLevel {
        /// When it waits for memory.
        Rfc,
        /// When a strand ends.
        SoftwareRfc,
    }

    /// Whose registers a register cache keeps.
    Caching {
        /// The ones of all warps; the parameters say which. C §IV.
        AllWarps,
        /// Results of active warps. A warp that becomes pending is flushed. RFC, F §VI-A.
        ActiveWarps,
        /// The same, and what the warp does not read again is not written back: the compiler knows it.
        /// Software RFC.
        Strands,
        /// Registers of active warps; those of each register interval are fetched when a warp enters it.
        /// LTRF.
        Intervals,
    }
}

impl TwoLevel {
    /// The end of a strand is a reason to become pending.
    pub fn cuts_strands(self) -> bool {
        self == TwoLevel::SoftwareRfc
    }
}

/// The treatment of loads from shared memory that several warps of a block perform alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedLoads {
    /// One access serves two warps, by the inter-warp multicasting unit. I §3.
    pub multicast: bool,
    /// The warps of a sub-core after the first find the data in its register file, by renaming: DARSIE. I
    /// §5.2.2.
    pub rename: bool,
}

impl SharedLoads {
    /// Each accesses shared memory.
    pub const APART: SharedLoads = SharedLoads { multicast: false, rename: false };
}

/// A value of a choice, by its name.
pub(super) trait ChoiceValue: Sized {
    fn names() -> Vec<&'static str>;
    fn of_name(name: &str) -> Option<Self>;
    fn name(self) -> &'static str;
}

/// Rows of a type, which are told apart by their names, as the values of a choice.
macro_rules! named_rows {
    ($type:ident: $($(#[$doc:meta])+ $constant:ident = $row:expr;)+) => {
        impl $type {
            $($(#[$doc])+ pub const $constant: &'static $type = &$row;)+

            /// All rows.
            pub const ALL: &'static [&'static $type] = &[$($type::$constant),+];
        }

        impl PartialEq for $type {
            fn eq(&self, other: &Self) -> bool {
                self.name == other.name
            }
        }

        impl Eq for $type {}

        impl std::fmt::Debug for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name)
            }
        }

        impl ChoiceValue for &'static $type {
            fn names() -> Vec<&'static str> {
                $type::ALL.iter().map(|row| row.name).collect()
            }

            fn of_name(name: &str) -> Option<Self> {
                $type::ALL.iter().find(|row| row.name == name).copied()
            }

            fn name(self) -> &'static str {
                self.name
            }
        }
    };
}

pub(super) use named_rows;

macro_rules! named_by_strum {
    ($($name:ident),*) => {$(
        impl ChoiceValue for $name {
            fn names() -> Vec<&'static str> {
                $name::VARIANTS.to_vec()
            }

            fn of_name(name: &str) -> Option<Self> {
                name.parse().ok()
            }

            fn name(self) -> &'static str {
                self.into()
            }
        }
    )*};
}

named_by_strum!(Allocation, Caching, Dependences, IssueLatch, ReplacementPolicy, TwoLevel);

impl ChoiceValue for Scheduling {
    fn names() -> Vec<&'static str> {
        Scheduling::NAMES.to_vec()
    }

    fn of_name(name: &str) -> Option<Self> {
        Scheduling::of_name(name)
    }

    fn name(self) -> &'static str {
        self.name
    }
}

impl ChoiceValue for bool {
    fn names() -> Vec<&'static str> {
        vec!["false", "true"]
    }

    fn of_name(name: &str) -> Option<bool> {
        name.parse().ok()
    }

    fn name(self) -> &'static str {
        if self {
            "true"
        } else {
            "false"
        }
    }
}

impl<V: ChoiceValue> ChoiceValue for Option<V> {
    fn names() -> Vec<&'static str> {
        [vec!["none"], V::names()].concat()
    }

    fn of_name(name: &str) -> Option<Option<V>> {
        match name {
            "none" => Some(None),
            name => V::of_name(name).map(Some),
        }
    }

    fn name(self) -> &'static str {
        self.map_or("none", V::name)
    }
}

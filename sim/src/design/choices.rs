// SPDX-License-Identifier: Apache-2.0
//! The choices that a design consists of, declared once.

use gpurf_blocks::{Allocation, IssueLatch, ReplacementPolicy, Scheduling};

use super::collectors::CollectorKind;
use super::residency::Residency;
use super::values::{Caching, ChoiceValue, Dependences, TwoLevel};

/// A choice that two parts of a composition make differently.
pub(super) struct Conflict {
    pub choice: &'static str,
    pub values: [&'static str; 2],
}

macro_rules! choices {
    ($($(#[doc = $doc:literal])+ $name:ident: $type:ty = $default:expr;)+) => {
        /// A register-file design: a value of each of these choices. None depends on another, except for
        /// combinations that make no sense, which [parsing](std::str::FromStr) refuses.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct Design {
            $($(#[doc = $doc])+ pub $name: $type,)+
        }

        /// Some of a design's choices; those that are left open are the baseline's.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct Choices {
            $($(#[doc = $doc])+ pub $name: Option<$type>,)+
        }

        impl Choices {
            /// Names of all choices, with what each says and the names of its values, the baseline's first.
            pub fn known() -> Vec<(&'static str, &'static str, Vec<&'static str>)> {
                let of = |name, what: &'static str, first: &'static str, mut names: Vec<&'static str>| {
                    names.sort_by_key(|value| *value != first);
                    (name, what.trim_ascii(), names)
                };
                vec![$(of(stringify!($name), concat!($($doc),+), <$type as ChoiceValue>::name($default), <$type>::names()),)+]
            }

            /// All left open.
            pub const OPEN: Choices = Choices { $($name: None,)+ };

            /// The design that makes these choices, and the baseline's where they are open.
            pub const fn design(self) -> Design {
                Design { $($name: match self.$name { Some(value) => value, None => $default },)+ }
            }

            /// The ones that a design makes otherwise than the baseline.
            pub(super) fn of(design: &Design) -> Choices {
                Choices { $($name: Some(design.$name).filter(|value| *value != $default),)+ }
            }

            /// These, and those of `other` for what is open here.
            pub(super) fn or(self, other: Choices) -> Choices {
                Choices { $($name: self.$name.or(other.$name),)+ }
            }

            /// These without those that `other` makes.
            pub(super) fn without(self, other: Choices) -> Choices {
                Choices { $($name: self.$name.filter(|_| other.$name.is_none()),)+ }
            }

            /// The first choice that these and others make differently.
            pub(super) fn conflict(&self, other: &Choices) -> Option<Conflict> {
                $(if let (Some(own), Some(its)) = (self.$name, other.$name) {
                    if own != its {
                        return Some(Conflict {
                            choice: stringify!($name),
                            values: [own.name(), its.name()],
                        });
                    }
                })+
                None
            }

            /// Returns true if a design makes all of these.
            pub(super) fn are_of(&self, design: &Design) -> bool {
                true $(&& self.$name.is_none_or(|value| value == design.$name))+
            }

            /// Returns true if others are made wherever these are.
            pub(super) fn are_among(&self, others: &Choices) -> bool {
                true $(&& (self.$name.is_none() || self.$name == others.$name))+
            }

            /// Name and value of each that is made.
            pub fn made(&self) -> Vec<(&'static str, &'static str)> {
                let all = [$((stringify!($name), self.$name.map(ChoiceValue::name)),)+];
                all.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
            }

            /// One choice alone. `None` if it has no such value; an error if there is no such choice.
            pub(super) fn one(name: &str, value: &str) -> Result<Option<Choices>, ()> {
                match name {
                    $(stringify!($name) => Ok(<$type>::of_name(value)
                        .map(|value| Choices { $name: Some(value), ..Choices::OPEN })),)+
                    _ => Err(()),
                }
            }
        }
    };
}

choices! {
    /// The collectors of operands.
    collector: &'static CollectorKind = CollectorKind::OCU;
    /// The means to tell when a warp may issue its next instruction.
    dependences: Dependences = Dependences::Scoreboard;
    /// Which collector an instruction enters.
    allocation: Allocation = Allocation::AnyFree;
    /// The latches that an instruction passes on its way to a collector; none are those of the machine.
    issue_latch: IssueLatch = IssueLatch::None;
    /// Which of the warps that may issue does.
    scheduling: Scheduling = Scheduling::GTO;
    /// Replacement in a caching collector.
    replacement: ReplacementPolicy = ReplacementPolicy::Lru;
    /// Results whose reuse is far are cached in collectors too.
    cache_far: bool = false;
    /// A collector takes as many results in a cycle as the banks are written, two at most.
    all_results: bool = false;
    /// Only a few warps of a sub-core may issue: those that are active, until this policy makes them pending.
    two_level: Option<TwoLevel> = None;
    /// A register cache stands between the collectors and the register file, and keeps registers of these
    /// warps.
    register_cache: Option<Caching> = None;
    /// One access to shared memory serves two warps that load alike, by the inter-warp multicasting unit. I
    /// §3.
    multicast: bool = false;
    /// Warps of a sub-core find what another has loaded alike in its register file, by renaming. I §5.2.2.
    rename: bool = false;
    /// Which CTAs are resident, and where their registers are.
    residency: &'static Residency = Residency::BASELINE;
}

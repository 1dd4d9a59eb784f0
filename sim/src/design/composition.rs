// SPDX-License-Identifier: Apache-2.0
//! Designs by name: presets and single choices put together with `+`.

use std::fmt;
use std::str::FromStr;

use gpurf_blocks::{suggestion, Allocation};

use super::choices::{Choices, Conflict, Design};
use super::collectors::KeptOperands;
use super::presets::PRESETS;
use super::values::Dependences;

/// Why there is no such design.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
// The message of a variant says what it is, and what its fields are.
#[allow(missing_docs)]
pub enum DesignError {
    #[error(
        "{name}: there is no such design{}. Put several together with `+`, as in malekeh+iwma, or make one choice with \
         CHOICE=VALUE, as in allocation=any_free",
        suggestion(name, PRESETS.iter().map(|preset| preset.name), "`gpurf names designs` lists them")
    )]
    Unknown { name: String },

    #[error(
        "{part}: there is no such choice; there are {}",
        names(Choices::known().into_iter().map(|(name, _, values)| format!("{name} ({})", values.join(", "))))
    )]
    UnknownChoice { part: String },

    #[error(
        "`{first}` and `{second}` cannot be put together: `{choice}` is {} in the one and {} in the other; leave one of \
         them out, or decide with {choice}=VALUE",
        values[0], values[1]
    )]
    Conflict { first: String, second: String, choice: &'static str, values: [&'static str; 2] },

    #[error("`{first}` and `{second}` cannot be put together: {reason}; leave one of them out")]
    Senseless { first: String, second: String, reason: &'static str },
}

fn names(all: impl Iterator<Item = String>) -> String {
    all.collect::<Vec<_>>().join(", ")
}

/// Two properties that no design has both of, and why.
struct Rule {
    first: fn(&Design) -> bool,
    second: fn(&Design) -> bool,
    reason: &'static str,
}

const RULES: &[Rule] = &[
    Rule {
        first: |design| design.dependences == Dependences::ControlBits,
        second: |design| !design.reads_in_window(),
        reason: "a stall count says after how many cycles a result is there, which holds if operands are read in a fixed \
                 time; in a collector they take as long as banks and allocation make them: collector=window, or \
                 dependences=scoreboard",
    },
    Rule {
        first: |design| design.dependences == Dependences::ControlBits,
        second: |design| design.multicast || design.rename,
        reason: "the compiler counts on loads from shared memory to complete in their order, and gives only the last \
                 of several a dependence counter; a load that waits for a partner, or finds its data in another warp's \
                 registers, does not: dependences=scoreboard",
    },
    Rule {
        first: |design| design.reads_in_window(),
        second: |design| design.register_cache.is_some(),
        reason: "a register cache stands between collectors and banks, and there are no collectors",
    },
    Rule {
        first: |design| design.reads_in_window(),
        second: |design| design.two_level.is_some(),
        reason: "a two-level scheduler chooses by a scoreboard; without collectors the scheduler is \
                 greedy-then-youngest, and guided by the compiler",
    },
    Rule {
        first: |design| design.reads_in_window(),
        second: |design| design.switches(),
        reason: "registers and contexts that leave are read through the arbiter of collectors",
    },
    Rule {
        first: |design| design.has_caching_collectors(),
        second: |design| design.register_cache.is_some(),
        reason: "a result enters the register cache, and its bank only when it leaves that; a caching collector sees \
                 what its banks are written, and would keep older values than the register cache",
    },
    Rule {
        first: |design| design.register_cache.is_some(),
        second: |design| design.residency.pool,
        reason: "what a warp gives back to the shared register pool would leave the register cache later, for registers \
                 that are another warp's by then",
    },
    Rule {
        first: |design| design.collector.keeps == KeptOperands::Values && design.allocation == Allocation::AnyFree,
        second: |design| design.switches(),
        reason: "a warp that comes empties the collector that its first instruction enters; if any free one will do, \
                 others keep values of the warp that was in its place",
    },
    Rule {
        first: |design| design.collector.keeps == KeptOperands::Window,
        second: |design| design.allocation != Allocation::Private,
        reason: "a bypassing collector holds the window of one warp, which has it to itself: allocation=private",
    },
    Rule {
        first: Design::has_latches,
        second: |design| design.collector.keeps == KeptOperands::Window,
        reason: "a bypassing collector keeps the values of consecutive instructions of its warp, which pass each other \
                 in the latches of different units: issue_latch=none",
    },
    Rule {
        first: Design::has_latches,
        second: |design| design.reads_in_window(),
        reason: "the latches stand before collectors, and there are none: issue_latch=none",
    },
    Rule {
        first: Design::has_latches,
        second: |design| design.register_cache.is_some(),
        reason: "the register cache is asked for operands in the cycle in which an instruction issues, and latches \
                 would hold it then: issue_latch=none",
    },
    Rule {
        first: Design::has_latches,
        second: |design| design.switches(),
        reason: "a warp that comes has its collector emptied with its first instruction, which others could pass in the \
                 latches: issue_latch=none",
    },
];

/// A preset or a single choice.
struct DesignPart {
    name: String,
    choices: Choices,
    /// A single choice goes before those of presets.
    is_single: bool,
}

// By hand: what stands before `=` is a choice, what stands behind it one of the values of that choice; only
// these are names of enums.
impl FromStr for DesignPart {
    type Err = DesignError;

    fn from_str(text: &str) -> Result<DesignPart, DesignError> {
        let name = text.to_string();
        if let Some((choice, value)) = text.split_once('=') {
            return match Choices::one(choice, value) {
                Ok(Some(choices)) => Ok(DesignPart { name, choices, is_single: true }),
                _ => Err(DesignError::UnknownChoice { part: name }),
            };
        }
        match PRESETS.iter().find(|preset| preset.name == text) {
            Some(preset) => Ok(DesignPart { name, choices: preset.choices, is_single: false }),
            None => Err(DesignError::Unknown { name }),
        }
    }
}

impl FromStr for Design {
    type Err = DesignError;

    /// Presets and single choices with `+` between them, in any order.
    fn from_str(text: &str) -> Result<Design, DesignError> {
        let parts: Vec<DesignPart> = text.split('+').map(str::parse).collect::<Result<_, _>>()?;
        let pairs = parts.iter().enumerate();
        let pairs =
            pairs.flat_map(|(number, second)| parts[..number].iter().map(move |first| (first, second)));
        for (first, second) in pairs.filter(|(first, second)| first.is_single == second.is_single) {
            if let Some(Conflict { choice, values }) = first.choices.conflict(&second.choices) {
                let [first, second] = [first, second].map(|part| part.name.clone());
                return Err(DesignError::Conflict { first, second, choice, values });
            }
        }
        let of = |single: bool| parts.iter().filter(move |part| part.is_single == single);
        let choices = of(true).chain(of(false)).fold(Choices::OPEN, |all, part| all.or(part.choices));
        let design = choices.design();
        let Some(rule) = design.broken_rule() else { return Ok(design) };
        // What the baseline chooses too is a part's if that says so.
        let culprit = |breaks: fn(&Design) -> bool| {
            let brought = |part: &&DesignPart| part.is_single || !breaks(&Design::BASELINE);
            let part = parts.iter().find(|part| brought(part) && breaks(&part.choices.design()));
            part.map_or_else(|| text.to_string(), |part| part.name.clone())
        };
        let (first, mut second) = (culprit(rule.first), culprit(rule.second));
        if first == second {
            second = Design::BASELINE.name();
        }
        Err(DesignError::Senseless { first, second, reason: rule.reason })
    }
}

impl Design {
    /// Why it makes no sense, if it does not.
    pub(crate) fn refusal(&self) -> Option<&'static str> {
        self.broken_rule().map(|rule| rule.reason)
    }

    fn broken_rule(&self) -> Option<&'static Rule> {
        RULES.iter().find(|rule| (rule.first)(self) && (rule.second)(self))
    }

    /// Its name: that of the preset which it is, or of those that it is put together from, always in the same
    /// order, and then every choice that none of them makes. [`Design::from_str`] reads it.
    pub fn name(&self) -> String {
        let own =
            || PRESETS.iter().filter(|preset| preset.choices != Choices::OPEN && preset.choices.are_of(self));
        let covered = |choices: &Choices| {
            own().any(|other| other.choices != *choices && choices.are_among(&other.choices))
        };
        let presets: Vec<_> = own().filter(|preset| !covered(&preset.choices)).collect();
        let named = presets.iter().fold(Choices::OPEN, |all, preset| all.or(preset.choices));
        let others = Choices::of(self).without(named).made();
        let others = others.iter().map(|(choice, value)| format!("{choice}={value}"));
        let parts: Vec<String> = presets.iter().map(|preset| preset.name.to_string()).chain(others).collect();
        match parts.is_empty() {
            true => PRESETS[0].name.into(),
            false => parts.join("+"),
        }
    }
}

impl fmt::Display for Design {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::Design;

    fn named(text: &str) -> Design {
        text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    fn refused(text: &str) -> String {
        text.parse::<Design>().unwrap_err().to_string()
    }

    #[test]
    fn a_preset_is_its_own_name() {
        for preset in PRESETS {
            assert_eq!(named(preset.name), preset.choices.design());
            assert_eq!(named(preset.name).name(), preset.name);
        }
        assert_eq!(named("baseline+malekeh"), Design::MALEKEH, "the baseline leaves all open");
    }

    #[test]
    fn a_name_reads_back_and_does_not_depend_on_the_order() {
        for first in PRESETS {
            for second in PRESETS {
                let [one, other] =
                    [[first, second], [second, first]].map(|[a, b]| format!("{}+{}", a.name, b.name));
                match (one.parse::<Design>(), other.parse::<Design>()) {
                    (Ok(design), Ok(same)) => {
                        assert_eq!((design, design.name()), (same, same.name()));
                        assert_eq!(named(&design.name()), design, "{one}");
                        assert_eq!(design.broken_rule().map(|rule| rule.reason), None);
                    }
                    (Err(_), Err(_)) => {}
                    (one, other) => panic!("{one:?} and {other:?}"),
                }
            }
        }
        assert_eq!(named("finereg+iwma+malekeh").name(), "malekeh+iwma+finereg");
        assert_eq!(named("iwma+darsie"), Design::IWMA_DARSIE);
        assert_eq!(named("iwma+darsie").name(), "iwma-darsie");
        assert_eq!(named("rfc+rfc-scheduler"), Design::RFC);
    }

    #[test]
    fn a_single_choice_goes_before_a_preset() {
        let any = named("traditional+allocation=any_free");
        assert_eq!(any, Design { allocation: Allocation::AnyFree, ..Design::TRADITIONAL });
        assert_eq!(any.name(), "collector=ccu+cache_far=true");
        assert_eq!(named(&any.name()), any);
        assert_eq!(named("malekeh+two_level=rfc").name(), "malekeh+rfc-scheduler");
        assert_eq!(named("rfc+register_cache=none").name(), "rfc-scheduler");
    }

    #[test]
    fn what_cannot_be_put_together_is_refused_by_name() {
        let parts = |text: &str, parts: &[&str]| {
            let message = refused(text);
            parts.iter().for_each(|part| assert!(message.contains(part), "{message}"));
        };
        parts("best", &["best", "baseline", "finereg", "malekeh+iwma"]);
        parts("malekeh+", &["no such design"]);
        parts("malekeh+bow", &["`malekeh` and `bow`", "`collector` is ccu in the one and boc in the other"]);
        parts("malekeh+malekeh-pr", &["`allocation` is malekeh in the one and private"]);
        parts("iwma+virtual-thread+finereg", &["`virtual-thread` and `finereg`", "residency"]);
        parts("rfc+ltrf", &["`register_cache` is active_warps in the one and intervals"]);
        parts("rfc+iwma+malekeh", &["`malekeh` and `rfc`", "caching collector"]);
        parts("vt-regmutex+register-cache", &["`register-cache` and `vt-regmutex`", "pool"]);
        parts("bow+allocation=any_free", &["`bow` and `allocation=any_free`", "window"]);
        parts("collector=boc", &["`collector=boc` and `baseline`", "allocation=private"]);
        parts("traditional+allocation=any_free+finereg", &["finereg`", "any free one"]);
        parts("traditional-2021+finereg", &["`traditional-2021` and `finereg`", "issue_latch=none"]);
        parts("bow+issue_latch=passing", &["`issue_latch=passing` and `bow`", "pass each other"]);
        parts("register-cache+issue_latch=blocking", &["`register-cache`", "asked for operands"]);
        parts("modern+issue_latch=blocking", &["`modern`", "there are none"]);
        parts("allocation=some", &["allocation=some", "any_free", "private"]);
        parts("colour=red", &["colour=red", "collector (ocu, ccu, boc, window)"]);
    }
}

// SPDX-License-Identifier: Apache-2.0
//! Points of the space of parameters, for those who try what is declared possible.

use super::{Allocation, IssueLatch, Parameters, MAX_COLLECTORS, PARAMETERS};

/// The least of every number and the first of every policy.
pub fn smallest() -> Parameters {
    chosen(|texts, _| texts[0].clone())
}

/// The greatest of every number and the last of every policy.
pub fn largest() -> Parameters {
    chosen(|texts, _| texts[texts.len() - 1].clone())
}

/// Parameters number `number` of so many, four or more: together they have every value of a parameter that
/// has no more, and of the others both ends.
pub fn varied(number: usize, of: usize) -> Parameters {
    chosen(|texts, place| {
        let few = match texts.len() {
            count if count <= of => texts.to_vec(),
            count => [0, count - 1, 1, count / 2].map(|index| texts[index].clone()).to_vec(),
        };
        few[(number + place) % few.len()].clone()
    })
}

/// Parameters chosen by their place among all: one possible value of each, changed where they do not go
/// together.
pub fn chosen(mut choose: impl FnMut(&[String], usize) -> String) -> Parameters {
    let mut parameters = Parameters::default();
    for (place, parameter) in PARAMETERS.iter().enumerate() {
        let texts: Vec<String> = parameter.values.texts().collect();
        if !texts.is_empty() {
            parameters.set(parameter.name, &choose(&texts, place)).expect("a possible value is taken");
        }
    }
    parameters.slots = parameters.slots.min(parameters.entries - 1);
    parameters.next_latency = parameters.next_latency.min(parameters.pcrf_latency);
    parameters.rc_ways = parameters.rc_ways.min(parameters.rc_entries);
    parameters.allocate_on_arrival &= parameters.accesses == 1;
    if parameters.issue_latch != IssueLatch::None {
        parameters.lenders = 0;
    }
    if parameters.allocation == Allocation::Private {
        parameters.warps = parameters.warps.min(MAX_COLLECTORS);
        parameters.collectors = parameters.warps;
    }
    parameters.check().expect("the values go together");
    parameters
}

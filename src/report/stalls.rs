// SPDX-License-Identifier: Apache-2.0
//! The use of the sub-cores' issue slots: a stack per design.

use maud::{html, Markup};

use super::page::{command, Section};
use super::table::{folded, Cell};
use crate::compare::evaluation::Evaluation;
use crate::compare::outcome::Outcome;
use crate::sim::by_cause;

const WIDTH: f64 = 1180.0;
/// Room for a letter of the names on the left, and beside them.
const LETTER: f64 = 7.0;
const GAP: f64 = 8.0;
const ROW: f64 = 30.0;
const BAR: f64 = 22.0;

/// Shares of the issue slots, an issued instruction first, then the stalls by cause.
fn shares(outcome: &Outcome) -> Vec<(String, f64)> {
    let mut slots = vec![("issued".to_string(), outcome.counters.warp_instructions)];
    slots.extend(by_cause(&outcome.stalls));
    let all: u64 = slots.iter().map(|(_, count)| count).sum();
    slots.into_iter().map(|(name, count)| (name, count as f64 / all.max(1) as f64)).collect()
}

/// Means over the workloads of a design.
fn means(outcomes: &[&Outcome]) -> Vec<(String, f64)> {
    let mut sums: Vec<(String, f64)> = vec![];
    for (name, share) in outcomes.iter().flat_map(|outcome| shares(outcome)) {
        match sums.iter_mut().find(|(known, _)| *known == name) {
            Some((_, sum)) => *sum += share,
            None => sums.push((name, share)),
        }
    }
    sums.into_iter().map(|(name, sum)| (name, sum / outcomes.len() as f64)).collect()
}

pub fn section(evaluation: &Evaluation, line: &str) -> Section {
    let outcomes = &evaluation.outcomes;
    let stacks: Vec<(String, Vec<(String, f64)>)> = evaluation
        .designs
        .iter()
        .map(|design| {
            let of_design: Vec<_> = outcomes.iter().filter(|outcome| outcome.label == design.label).collect();
            (design.label.clone(), means(&of_design))
        })
        .collect();
    // A cause that no design knows takes no place.
    let mut causes: Vec<&str> = vec![];
    for (name, share) in stacks.iter().flat_map(|(_, stack)| stack) {
        if *share > 0.0 && !causes.contains(&name.as_str()) {
            causes.push(name);
        }
    }
    let rows: Vec<Vec<Cell>> = outcomes
        .iter()
        .map(|outcome| {
            let shares = shares(outcome);
            let share =
                |cause: &&str| shares.iter().find(|(name, _)| name == cause).map(|(_, share)| 100.0 * share);
            let names = [Cell::from(outcome.workload.as_str()), outcome.label.as_str().into()];
            names.into_iter().chain(causes.iter().map(|cause| Cell::number(share(cause), 1))).collect()
        })
        .collect();
    let body = html! {
        p { "Issue slots of the sub-cores, means over the workloads: an instruction issued, or why none did." }
        (command(line))
        (legend(&causes))
        (picture(&stacks, &causes))
        (folded("by workload, %", &[&["workload", "design"], &causes[..]].concat(), &rows))
    };
    Section { id: "stalls", title: "Where cycles go", body }
}

fn colour(cause: usize) -> String {
    match cause {
        // What one wants.
        0 => "hsl(145 45% 50%)".into(),
        cause => format!("hsl({} 55% {}%)", (cause * 67 + 190) % 360, if cause % 2 == 0 { 72 } else { 58 }),
    }
}

fn legend(causes: &[&str]) -> Markup {
    html! {
        ul.legend {
            @for (number, cause) in causes.iter().enumerate() {
                li { i style={ "background:" (colour(number)) } {} (cause) }
            }
        }
    }
}

fn picture(stacks: &[(String, Vec<(String, f64)>)], causes: &[&str]) -> Markup {
    let height = ROW * stacks.len() as f64 + 24.0;
    let longest = stacks.iter().map(|(design, _)| design.chars().count()).max().unwrap_or(0);
    let names = LETTER * longest as f64 + 2.0 * GAP;
    html! {
        figure.own {
            svg viewBox={ "0 0 " (WIDTH) " " (height) } width=(WIDTH) height=(height) role="img"
                aria-label="Issue slots by what happens in them" {
                @for (row, (design, stack)) in stacks.iter().enumerate() {
                    @let top = ROW * row as f64;
                    text x=(names - GAP) y=(top + BAR * 0.7) text-anchor="end" { (design) }
                    @for (number, start, share) in places(stack, causes) {
                        @let width = share * (WIDTH - names);
                        rect.cell x=(names + start * (WIDTH - names)) y=(top) width=(width) height=(BAR)
                            fill=(colour(number)) {
                            title { (design) ", " (causes[number]) ": " (format!("{:.1}%", 100.0 * share)) }
                        }
                        @if share > 0.04 {
                            text.in-cell x=(names + start * (WIDTH - names) + width / 2.0) y=(top + BAR * 0.7)
                                text-anchor="middle" { (format!("{:.0}", 100.0 * share)) }
                        }
                    }
                }
                text x=(WIDTH) y=(height - 6.0) text-anchor="end" { "% of the issue slots" }
            }
        }
    }
}

/// For each part of a stack: which cause, where it starts, its share.
fn places(stack: &[(String, f64)], causes: &[&str]) -> Vec<(usize, f64, f64)> {
    let mut start = 0.0;
    let mut places = vec![];
    for (number, cause) in causes.iter().enumerate() {
        let Some((_, share)) = stack.iter().find(|(name, share)| name == cause && *share > 0.0) else {
            continue;
        };
        places.push((number, start, *share));
        start += share;
    }
    places
}

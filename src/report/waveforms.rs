// SPDX-License-Identifier: Apache-2.0
//! Excerpts of recorded waveforms as timing diagrams.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use anyhow::{Context, Result};
use maud::{html, Markup};
use vcd::{Command, IdCode, Parser, ScopeItem, Value};

use super::page::{command, Section};
use crate::input::Input;
use crate::sim;

const DESIGNS: [&str; 3] = ["baseline", "malekeh", "bow"];
/// Cycles that are run, and those of them that are shown: where most operands are read.
const CYCLES: usize = 1500;
const SHOWN: usize = 48;

/// Signals that are counted for that, a bit each.
const BUSY: [&str; 3] = ["issued", "hit", "bank_read"];

/// Signals that tell what the register-file side of a sub-core does, in the order of the pipeline.
const SIGNALS: [&str; 16] = [
    "ready",
    "issued",
    "issued_warp",
    "issue",
    "waiting",
    "hit",
    "collector_occupied",
    "bank_read",
    "bank_conflict",
    "dispatch",
    "dispatch_warp",
    "dispatch_unit",
    "write_valid",
    "write_warp",
    "write_cached",
    "write_filtered",
];

/// A design's waveform.
pub struct Waveform {
    pub command: String,
    design: &'static str,
    /// Numbers of the cycles shown.
    cycles: Vec<u64>,
    /// Value in each of the cycles, by signal; a signal of one bit has values 0 and 1.
    signals: Vec<Signal>,
}

struct Signal {
    name: String,
    is_bit: bool,
    values: Vec<u64>,
}

/// Runs the workload under some designs and records the ports of sub-core 0.
pub fn record(workload: &str) -> Result<Vec<Waveform>> {
    let folder = tempfile::tempdir().context("there is no temporary folder")?;
    let record = |design: &'static str| {
        let path = folder.path().join(format!("{design}.vcd"));
        let line = format!("sim {workload} --design {design} --cycles {CYCLES} --waveform");
        let words: Vec<&str> = line.split(' ').skip(1).collect();
        let file = path.display().to_string();
        sim::Arguments::of(&[&words[..], &[&file]].concat())?.simulate(&Input::find(workload)?)?;
        let (cycles, signals) = read(&path)?;
        Ok(Waveform { command: format!("gpurf {line} {design}.vcd"), design, cycles, signals })
    };
    DESIGNS.into_iter().map(record).collect()
}

/// The last cycles of a file, and the chosen signals in them.
fn read(path: &Path) -> Result<(Vec<u64>, Vec<Signal>)> {
    let context = || format!("{}: the waveform cannot be read", path.display());
    let mut parser = Parser::new(BufReader::new(File::open(path).with_context(context)?));
    let header = parser.parse_header().with_context(context)?;
    let mut names = BTreeMap::new();
    collect(&header.items, &mut names);
    let (clock, counter) = (find(&names, "clock"), find(&names, "cycle"));
    let mut values: BTreeMap<IdCode, u64> = BTreeMap::new();
    let mut samples: Vec<BTreeMap<IdCode, u64>> = vec![];
    for command in parser {
        match command.with_context(context)? {
            // A cycle's values stand from its rising edge on: at the falling one all of them are there.
            Command::ChangeScalar(id, Value::V0) if Some(id) == clock => samples.push(values.clone()),
            Command::ChangeScalar(id, value) => {
                values.insert(id, u64::from(value == Value::V1));
            }
            Command::ChangeVector(id, bits) => {
                let number = bits.iter().fold(0, |number, bit| number << 1 | u64::from(bit == Value::V1));
                values.insert(id, number);
            }
            _ => {}
        }
    }
    let busy: Vec<IdCode> =
        names.iter().filter(|((base, _), _)| BUSY.contains(&base.as_str())).map(|(_, (id, _))| *id).collect();
    let events = |window: &[BTreeMap<IdCode, u64>]| -> u64 {
        window.iter().flat_map(|sample| busy.iter().map(|id| value(sample, id))).sum()
    };
    // The earliest of several.
    let windows = samples.windows(SHOWN.min(samples.len()).max(1));
    let shown = windows.rev().max_by_key(|window| events(window)).unwrap_or(&[]);
    let cycles = shown.iter().map(|sample| counter.map_or(0, |id| value(sample, &id))).collect();
    let signals = SIGNALS.into_iter().filter_map(|name| {
        let parts: Vec<_> = names.iter().filter(|((base, _), _)| base == name).collect();
        let widest = parts.iter().map(|(_, (_, width))| *width).max()?;
        // An array of bits is shown as one number, its first element lowest.
        let values = shown.iter().map(|sample| {
            let shift = |at: usize| if widest == 1 { at } else { 8 * at };
            parts.iter().enumerate().map(|(at, (_, (id, _)))| value(sample, id) << shift(at)).sum()
        });
        let name = match parts.len() {
            1 => name.to_string(),
            count => format!("{name}[{}:0]", count - 1),
        };
        Some(Signal { name, is_bit: parts.len() == 1 && widest == 1, values: values.collect() })
    });
    Ok((cycles, signals.collect()))
}

/// The value of a signal in a cycle; a signal that was never written is zero.
fn value(sample: &BTreeMap<IdCode, u64>, id: &IdCode) -> u64 {
    sample.get(id).copied().unwrap_or(0)
}

/// Names with their place in an array, and under what number and width they are recorded.
type Names = BTreeMap<(String, usize), (IdCode, u32)>;

fn collect(items: &[ScopeItem], names: &mut Names) {
    for item in items {
        match item {
            ScopeItem::Scope(scope) => collect(&scope.items, names),
            ScopeItem::Var(variable) => {
                // The elements of an array are recorded as `issue_0`, `issue_1`.
                let name = variable.reference.as_str();
                let element =
                    name.rsplit_once('_').and_then(|(base, place)| Some((base, place.parse().ok()?)));
                let (base, place) = element.unwrap_or((name, 0));
                names.insert((base.to_string(), place), (variable.code, variable.size));
            }
            _ => {}
        }
    }
}

fn find(names: &Names, name: &str) -> Option<IdCode> {
    names.get(&(name.to_string(), 0)).map(|(id, _)| *id)
}

const NAMES: f64 = 150.0;
const CYCLE: f64 = 21.0;
const ROW: f64 = 22.0;
const HIGH: f64 = 15.0;
const HEAD: f64 = 18.0;

pub fn section(waveforms: &[Waveform]) -> Section {
    let body = html! {
        p { "Ports of sub-core 0 where most operands are read in a short run, as the hardware of "
            "every engine has them. Numbers are hexadecimal; an array of bits is one number, its first element lowest." }
        @for waveform in waveforms {
            h3 { (waveform.design) }
            (command(&waveform.command))
            (diagram(waveform))
        }
    };
    Section { id: "waveforms", title: "Waveforms", body }
}

fn diagram(waveform: &Waveform) -> Markup {
    let width = NAMES + CYCLE * waveform.cycles.len() as f64 + 4.0;
    let height = HEAD + ROW * waveform.signals.len() as f64 + 4.0;
    html! {
        figure.own {
            svg viewBox={ "0 0 " (width) " " (height) } width=(width) height=(height) role="img"
                aria-label={ "Timing diagram of a sub-core under " (waveform.design) } {
                @for (at, cycle) in waveform.cycles.iter().enumerate() {
                    @let x = NAMES + CYCLE * at as f64;
                    line.axis x1=(x) x2=(x) y1=(HEAD - 4.0) y2=(height) {}
                    @if at % 4 == 0 { text x=(x) y="11" { (cycle) } }
                }
                @for (row, signal) in waveform.signals.iter().enumerate() {
                    @let top = HEAD + ROW * row as f64;
                    text x=(NAMES - 8.0) y=(top + HIGH - 3.0) text-anchor="end" { (signal.name) }
                    @if signal.is_bit { path.wave d=(steps(&signal.values, top)) {} }
                    @else { (numbers(&signal.values, top)) }
                }
            }
        }
    }
}

/// A line that is high where the bit is set.
fn steps(values: &[u64], top: f64) -> String {
    let level = |value: u64| if value == 0 { top + HIGH } else { top };
    let mut path = format!("M{NAMES} {}", level(values.first().copied().unwrap_or(0)));
    for (at, value) in values.iter().enumerate() {
        let x = NAMES + CYCLE * at as f64;
        path += &format!("V{}H{}", level(*value), x + CYCLE);
    }
    path
}

/// A box for each stretch of equal values; zero is a line.
fn numbers(values: &[u64], top: f64) -> Markup {
    let mut stretches: Vec<(usize, usize, u64)> = vec![];
    for (at, value) in values.iter().enumerate() {
        match stretches.last_mut() {
            Some((_, length, last)) if last == value => *length += 1,
            _ => stretches.push((at, 1, *value)),
        }
    }
    html! {
        @for (at, length, value) in stretches {
            @let (x, width) = (NAMES + CYCLE * at as f64, CYCLE * length as f64);
            @if value == 0 {
                path.wave d={ "M" (x) " " (top + HIGH) "h" (width) } {}
            } @else {
                rect.bus x=(x) y=(top) width=(width) height=(HIGH) {}
                text x=(x + width / 2.0) y=(top + HIGH - 3.0) text-anchor="middle" { (format!("{value:x}")) }
            }
        }
    }
}

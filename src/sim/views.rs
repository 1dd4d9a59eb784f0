// SPDX-License-Identifier: Apache-2.0
//! Views that waveform viewers show when they open a file: events, and the signals that they are made of.

use std::fmt::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::Result;
use gpurf_testbenches::tap::EventPlace;
use gpurf_verilog::{is_fst, WaveformVariable, CYCLE_NS};

use crate::output::write;

/// Signals of the outermost scope by name, group by group; of an array, all of its elements.
pub type Groups = [(&'static str, &'static [&'static str])];

/// The ones of a sub-core that tell what it does, in the order of its pipeline.
pub const SUB_CORE: [(&str, &[&str]); 4] = [
    ("Issue", &["issued", "issue", "waiting", "sthld", "hit"]),
    ("Banks", &["bank_read", "bank_conflict", "write_valid", "write_register", "write_cached"]),
    ("Collectors", &["collector_occupied"]),
    ("Dispatch", &["dispatched", "dispatch", "dispatch_unit"]),
];

/// The same of a sub-core without collectors.
pub const MODERN_SUB_CORE: [(&str, &[&str]); 4] = [
    ("Issue", &["issued", "issued_warp", "unstalled", "counted"]),
    ("Control and Allocate", &["controlled", "controlled_warp", "held", "reuse_hit"]),
    ("Banks", &["bank_read", "load_taken", "bank_write"]),
    ("Dispatch", &["dispatch", "dispatch_warp", "dispatch_unit"]),
];

/// For GTKWave: a nanosecond takes 200 pixels times two to this power, a whole number. A cycle is as wide as
/// most texts.
const ZOOM: f64 = -1.0;
/// Cycles that are seen then. GTKWave opens on the beginning if it is to show more than there is.
const SEEN: u64 = 7;
/// Cycles before the event that are seen at first.
const LEAD: u64 = 1;
/// Rows of signals that events are made of.
const MOST_WATCHED: usize = 48;

/// A waveform that views are made of.
pub struct Views<'a> {
    pub waveform: &'a Path,
    pub variables: &'a [WaveformVariable],
    /// The ones that it shows.
    pub cycles: Range<u64>,
    /// The event that it is opened on; without one, its beginning.
    pub event: Option<&'a EventPlace>,
    pub groups: &'a Groups,
}

impl Views<'_> {
    /// Writes a save file for GTKWave and a command file for Surfer: see [`files`].
    pub fn write(&self) -> Result<()> {
        let [gtkwave, surfer] = files(self.waveform);
        write(&gtkwave, self.gtkwave().as_bytes())?;
        Ok(write(&surfer, self.surfer().as_bytes())?)
    }

    /// Headings, and the variables under each.
    fn rows(&self) -> Vec<(String, Vec<&WaveformVariable>)> {
        let all = || self.variables.iter();
        let mut rows: Vec<(String, Vec<&WaveformVariable>)> = vec![("Cycle".into(), all().take(2).collect())];
        // Viewers show a row's own name alone, and that of all of these is `events`.
        for text in all().filter(|variable| is_event_text(variable)) {
            let title = match inside(&text.path) {
                Some(instance) if name_of(text) == "events" => format!("Events in {instance}"),
                _ => "Events".into(),
            };
            match rows.last_mut() {
                Some((last, texts)) if *last == title => texts.push(text),
                _ => rows.push((title, vec![text])),
            }
        }
        rows.extend(self.watched());
        for (title, names) in self.groups {
            let variables = names.iter().flat_map(|name| all().filter(move |variable| is_of(variable, name)));
            rows.push((title.to_string(), variables.collect()));
        }
        rows.retain(|(_, variables)| !variables.is_empty());
        rows
    }

    /// Signals that events of one instance are made of, and their parts, each under its name: that of the
    /// event, else the top.
    fn watched(&self) -> Vec<(String, Vec<&WaveformVariable>)> {
        let mut rows: Vec<(String, Vec<&WaveformVariable>)> = vec![];
        let path = self.event.map_or(&[][..], |event| &event.path[..]);
        if path.is_empty() && !self.groups.is_empty() {
            return rows;
        }
        let Some(top) = self.variables.first().and_then(|first| first.path.split('.').next()) else {
            return rows;
        };
        let steps: Vec<&str> = [top].into_iter().chain(path.iter().map(String::as_str)).collect();
        let scope: String = steps.iter().map(|step| format!("{step}.")).collect();
        let around = scope.len() - steps.last().map_or(0, |own| own.len() + 1);
        let is_inside =
            |variable: &&WaveformVariable| variable.is_watched && variable.path.starts_with(&scope);
        for variable in self.variables.iter().filter(is_inside).take(MOST_WATCHED) {
            let own = variable.path[around..].rsplit_once('.').map_or("", |(own, _)| own);
            let title = format!("Inside {own}");
            match rows.last_mut() {
                Some((last, watched)) if *last == title => watched.push(variable),
                _ => rows.push((title, vec![variable])),
            }
        }
        rows
    }

    /// The first cycle that is seen.
    fn start(&self) -> u64 {
        let event = self.event.map_or(0, |event| event.cycle.saturating_sub(LEAD));
        event.min(self.cycles.end.saturating_sub(SEEN)).max(self.cycles.start)
    }

    /// The views lie beside the waveform.
    fn file(&self) -> String {
        self.waveform.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    fn gtkwave(&self) -> String {
        // How a trace is shown: as a number at the right, in hexadecimal, decimal or binary; as text; as a
        // heading.
        let (hexadecimal, decimal, binary, text, heading) = ("@22", "@24", "@28", "@820", "@200");
        let start = CYCLE_NS * self.start();
        // The marker stands at the event.
        let marker = CYCLE_NS * self.event.map_or(self.start(), |event| event.cycle);
        let mut view = format!(
            "[dumpfile] \"{}\"\n[timestart] {start}\n[size] 1800 900\n*{ZOOM:.1} {marker}{}\n[signals_width] 300\n",
            self.file(),
            " -1".repeat(26),
        );
        for (title, variables) in self.rows() {
            let _ = writeln!(view, "{heading}\n-{title}");
            for WaveformVariable { path, width, is_text, .. } in variables {
                let (flags, range) = match width {
                    _ if *is_text => (text, self.range(*width)),
                    1 => (binary, String::new()),
                    _ if is_number(path) => (decimal, format!("[{}:0]", width - 1)),
                    _ => (hexadecimal, format!("[{}:0]", width - 1)),
                };
                let _ = writeln!(view, "{flags}\n{path}{range}");
            }
        }
        view
    }

    /// A text is a vector in FST, and none in VCD.
    fn range(&self, width: usize) -> String {
        match is_fst(self.waveform) {
            true => format!("[{}:0]", width - 1),
            false => String::new(),
        }
    }

    fn surfer(&self) -> String {
        let (mut view, mut formats) = (String::new(), String::new());
        // Surfer counts headings too.
        let mut items = 0..;
        for (title, variables) in self.rows() {
            let _ = writeln!(view, "divider_add {title}");
            items.next();
            for (WaveformVariable { path, is_text, .. }, item) in variables.into_iter().zip(&mut items) {
                let _ = writeln!(view, "variable_add {path}");
                let format = match *is_text {
                    true if is_fst(self.waveform) => "ASCII",
                    _ if is_number(path) => "Unsigned",
                    _ => continue,
                };
                let _ = writeln!(formats, "item_focus {}_\nitem_set_format {format}", letters(item));
            }
        }
        // So many cycles are as wide as most texts; each zoom halves what is seen. The cursor is brought to
        // the middle.
        let halves = (self.cycles.end / SEEN).max(1).ilog2() as usize;
        let cursor = CYCLE_NS * self.event.map_or(self.start() + SEEN / 2, |event| event.cycle);
        let zoom = "zoom_in\n".repeat(halves);
        view + &formats + "item_unfocus\nzoom_fit\n" + &zoom + &format!("cursor_set {cursor}\ngoto_cursor\n")
    }
}

/// How Surfer names an item: its number in hexadecimal, of at least two digits, with letters from `a` on.
fn letters(item: usize) -> String {
    let letter = |digit: char| (b'a' + digit.to_digit(16).expect("a digit") as u8) as char;
    format!("{item:02x}").chars().map(letter).collect()
}

/// The views of a waveform, which lie beside it: for GTKWave, and for Surfer.
pub fn files(waveform: &Path) -> [PathBuf; 2] {
    ["gtkw", "sucl"].map(|ending| {
        let mut name = waveform.as_os_str().to_owned();
        name.push(".");
        name.push(ending);
        PathBuf::from(name)
    })
}

/// Scopes of signals lie between the outermost one and the name.
fn name_of(variable: &WaveformVariable) -> &str {
    variable.path.rsplit('.').next().unwrap_or_default()
}

/// The scopes of a signal within the outermost one.
fn inside(path: &str) -> Option<&str> {
    let (_, inner) = path.split_once('.')?;
    Some(inner.rsplit_once('.')?.0)
}

/// A text of events or instructions, or of where a scenario stands.
fn is_event_text(variable: &WaveformVariable) -> bool {
    let is_instruction = variable.path.split('.').nth(1) == Some("instructions");
    variable.is_text && (is_instruction || ["events", "scenario", "step"].contains(&name_of(variable)))
}

/// People count cycles, registers and warps in decimal.
fn is_number(path: &str) -> bool {
    ["cycle", "register", "warp", "tag", "sthld"]
        .iter()
        .any(|word| path.rsplit('.').next().is_some_and(|name| name.contains(word)))
}

/// Returns true if a variable is the signal of this name, or an element of the array. Ports have a scope each
/// for inputs and outputs, which signals inside a module do not.
fn is_of(variable: &WaveformVariable, name: &str) -> bool {
    let mut scopes = variable.path.split('.').skip(1);
    let (first, second) = (scopes.next().unwrap_or_default(), scopes.next());
    let own = match second {
        None => first,
        Some(second) if ["inputs", "outputs"].contains(&first) => second,
        Some(_) => return false,
    };
    let is_element = |rest: &str| {
        let number = rest.strip_prefix('_').or_else(|| rest.strip_prefix('[')?.strip_suffix(']'));
        number.is_some_and(|number| number.parse::<u32>().is_ok())
    };
    scopes.next().is_none() && own.strip_prefix(name).is_some_and(|rest| rest.is_empty() || is_element(rest))
}

//! What viewers show of a sub-core's waveform when they open it: the signals that tell what it does, in the order of its
//! pipeline.

use std::fmt::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::Result;
use gpurf_hw::dialect::{is_fst, WaveformVariable, CYCLE_NS};

use crate::output::write;

/// Signals of the sub-core, group by group; of an array, all of its elements.
const GROUPS: [(&str, &[&str]); 5] = [
    ("Cycle", &["clock", "cycle"]),
    ("Issue", &["issued", "ready", "issued_warp", "issue", "waiting", "sthld", "hit"]),
    ("Banks", &["bank_read", "bank_conflict", "write_valid", "write_warp", "write_register", "write_cached"]),
    ("Collectors", &["collector_occupied"]),
    (
        "Dispatch",
        &["dispatched", "dispatch", "dispatch_warp", "dispatch_unit", "operand_valid", "operand_data"],
    ),
];

/// Of GTKWave: a nanosecond takes 200 pixels times two to this power. A cycle is as wide as most instructions.
const ZOOM: f64 = -1.0;

/// A waveform that views are made of.
pub struct Views<'a> {
    pub waveform: &'a Path,
    pub variables: &'a [WaveformVariable],
    /// Those that it shows.
    pub cycles: Range<u64>,
}

impl Views<'_> {
    /// Writes a save file for GTKWave and a command file for Surfer: see [`files`].
    pub fn write(&self) -> Result<()> {
        let [gtkwave, surfer] = files(self.waveform);
        write(&gtkwave, self.gtkwave().as_bytes())?;
        Ok(write(&surfer, self.surfer().as_bytes())?)
    }

    /// The variables of a group that are in the waveform, in the group's order.
    fn group(&self, names: &'static [&str]) -> impl Iterator<Item = &WaveformVariable> {
        names.iter().flat_map(move |name| self.variables.iter().filter(move |variable| is_of(variable, name)))
    }

    /// The views lie beside the waveform.
    fn file(&self) -> String {
        self.waveform.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    fn gtkwave(&self) -> String {
        // How a trace is shown: as a number at the right, in hexadecimal, decimal or binary; as text; as a heading.
        let (hexadecimal, decimal, binary, text, heading) = ("@22", "@24", "@28", "@820", "@200");
        let start = CYCLE_NS * self.cycles.start;
        // The marker and the left edge stand at the first cycle.
        let mut view = format!(
            "[dumpfile] \"{}\"\n[timestart] {start}\n[size] 1500 900\n*{ZOOM:.1} {start}{}\n[signals_width] 230\n",
            self.file(),
            " -1".repeat(26),
        );
        for (title, names) in GROUPS {
            let _ = writeln!(view, "{heading}\n-{title}");
            for WaveformVariable { path, width, is_text } in self.group(names) {
                let (flags, range) = match width {
                    _ if *is_text => (text, self.range(*width)),
                    1 => (binary, String::new()),
                    _ if path.ends_with(".cycle") => (decimal, format!("[{}:0]", width - 1)),
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
        for (title, names) in GROUPS {
            let _ = writeln!(view, "divider_add {title}");
            items.next();
            for (WaveformVariable { path, is_text, .. }, item) in self.group(names).zip(&mut items) {
                let _ = writeln!(view, "variable_add {path}");
                let format = match *is_text {
                    true if is_fst(self.waveform) => "ASCII",
                    _ if path.ends_with(".cycle") => "Unsigned",
                    _ => continue,
                };
                let _ = writeln!(formats, "item_focus {}_\nitem_set_format {format}", letters(item));
            }
        }
        // So many cycles are as wide as most instructions; each zoom halves what is seen. The cursor is brought to the middle.
        const SEEN: u64 = 20;
        let halves = (self.cycles.end / SEEN).max(1).ilog2() as usize;
        let middle = CYCLE_NS * (self.cycles.start + SEEN / 2);
        let zoom = "zoom_in\n".repeat(halves);
        view + &formats + "item_unfocus\nzoom_fit\n" + &zoom + &format!("cursor_set {middle}\ngoto_cursor\n")
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

/// Whether a variable is the signal of this name, or an element of the array. Ports have a scope each for inputs and
/// outputs, which signals inside a module do not.
fn is_of(variable: &WaveformVariable, name: &str) -> bool {
    let mut scopes = variable.path.split('.').skip(1);
    let (first, second) = (scopes.next().unwrap_or_default(), scopes.next());
    let own = match second {
        None => first,
        Some(second) if ["inputs", "outputs", "instructions"].contains(&first) => second,
        Some(_) => return false,
    };
    let is_element = |rest: &str| rest.strip_prefix('_').is_some_and(|number| number.parse::<u32>().is_ok());
    scopes.next().is_none() && own.strip_prefix(name).is_some_and(|rest| rest.is_empty() || is_element(rest))
}

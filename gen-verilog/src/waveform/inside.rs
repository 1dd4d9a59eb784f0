// SPDX-License-Identifier: Apache-2.0
//! Recording of what is inside compiled RTL.

use std::io;
use std::path::Path;

use super::file::{Shown, WaveformFile, WaveformVariable};
use super::{write_texts, Extent};
use crate::{Events, ObservedScope, ObservedSignal, SignalRole, Values};

/// Records every signal inside compiled RTL, and the events that its modules declare.
///
/// A module is a scope. An element of an array is a variable, `entry_tag[1]`; an array of single bits is one
/// vector. A value without a meaning is `x`. A module's events of a cycle are a text, `events`.
///
/// Errors are those of [`super::PortWaveform`].
pub struct ModuleWaveform {
    file: WaveformFile,
    texts: Vec<usize>,
    signals: Vec<Signal>,
    events: Events,
    /// Scope and variable of each text of events.
    event_texts: Vec<(usize, usize)>,
    /// A text under construction.
    text: String,
}

/// A signal that is recorded.
struct Signal {
    signal: ObservedSignal,
    /// The scope, and the place in it.
    place: (usize, usize),
    /// Variables of its elements follow on this one; of an array of bits it is the only one.
    first: usize,
    is_vector: bool,
    /// The last record: value after value, each with a byte that says if it has a meaning.
    last: Vec<u8>,
    now: Vec<u8>,
}

/// The scope of a module's own signals.
const OWN: &str = "top";

/// Bytes of the longest text of events.
const LONGEST_EVENTS: usize = 160;

impl ModuleWaveform {
    /// Each scope that is chosen for a waveform must be the name of an instance.
    pub fn check_scopes(path: &Path, scopes: &[ObservedScope], chosen: &[String]) -> io::Result<()> {
        let mut names = vec![OWN.to_string()];
        for name in scopes.iter().filter_map(|scope| scope.path.last()) {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        Extent { scopes: chosen, ..Extent::default() }.check(path, &names)
    }

    /// `top` is the name of the outermost scope; `scopes` are those of the engine, and the events theirs.
    pub fn create(
        path: &Path,
        top: &str,
        scopes: &[ObservedScope],
        events: &Events,
        extent: Extent,
    ) -> io::Result<Self> {
        ModuleWaveform::check_scopes(path, scopes, extent.scopes)?;
        let mut file = WaveformFile::create(path)?;
        file.open_top(top)?;
        let texts = extent.declare_texts(&mut file)?;
        let mut waveform = ModuleWaveform {
            file,
            texts,
            signals: vec![],
            events: events.clone(),
            event_texts: vec![],
            text: String::new(),
        };
        waveform.declare(scopes, &extent).map_err(|error| waveform.file.named(error))?;
        waveform.file.close_top()?;
        Ok(waveform)
    }

    fn declare(&mut self, scopes: &[ObservedScope], extent: &Extent) -> io::Result<()> {
        let mut open: &[String] = &[];
        for (number, scope) in scopes.iter().enumerate() {
            let is_chosen = match scope.path.is_empty() {
                true => extent.chooses(OWN),
                false => extent.scopes.is_empty() || scope.path.iter().any(|name| extent.chooses(name)),
            };
            if !is_chosen {
                continue;
            }
            let common = open.iter().zip(&scope.path).take_while(|(one, other)| one == other).count();
            for _ in common..open.len() {
                self.file.close_scope()?;
            }
            for name in &scope.path[common..] {
                self.file.open_scope(name)?;
            }
            open = &scope.path;
            if self.events.scopes().any(|place| place == number) {
                self.event_texts.push((number, self.file.declare_text(LONGEST_EVENTS, "events")?));
            }
            for (place, signal) in scope.signals.iter().enumerate() {
                let is_left_out = signal.role == SignalRole::Load && !extent.loads;
                // The reset is low in all cycles that are recorded.
                if signal.name != "reset" && !is_left_out {
                    self.declare_signal((number, place), signal)?;
                }
            }
        }
        open.iter().try_for_each(|_| self.file.close_scope())
    }

    fn declare_signal(&mut self, place: (usize, usize), signal: &ObservedSignal) -> io::Result<()> {
        let ObservedSignal { name, width, states, .. } = signal;
        let is_vector = signal.is_array && *width == 1 && states.is_empty();
        let longest = states.iter().map(String::len).max().unwrap_or(0);
        let mut declare = |name: &str| match (is_vector, states.is_empty()) {
            (true, _) => self.file.declare(signal.count(), name),
            (_, true) => self.file.declare(*width, name),
            _ => self.file.declare_text(longest, name),
        };
        let first = match signal.is_array && !is_vector {
            false => declare(name)?,
            true => {
                let first = declare(&format!("{name}[0]"))?;
                for element in 1..signal.count() {
                    declare(&format!("{name}[{element}]"))?;
                }
                first
            }
        };
        if self.events.mention(place) {
            self.file.variables[first..].iter_mut().for_each(|variable| variable.is_watched = true);
        }
        self.signals.push(Signal {
            signal: signal.clone(),
            place,
            first,
            is_vector,
            last: vec![],
            now: vec![],
        });
        Ok(())
    }

    /// The signals of an engine that has been observed in this cycle, and the texts, in the order of their
    /// names. Cycles must rise; over those left out, values stand still.
    pub fn sample(&mut self, cycle: u64, values: &dyn Values, texts: &[&str]) -> io::Result<()> {
        self.file.begin_cycle(cycle)?;
        write_texts(&mut self.file, &self.texts, texts)?;
        for &(scope, variable) in &self.event_texts {
            self.events.text(scope, values, &mut self.text);
            self.file.change_text(variable, &self.text)?;
        }
        for signal in &mut self.signals {
            signal.write(&mut self.file, &self.events, values).map_err(|error| self.file.named(error))?;
        }
        self.file.end_cycle(cycle)
    }

    /// The variables that it records.
    pub fn variables(&self) -> &[WaveformVariable] {
        &self.file.variables
    }

    /// Completes the file and gives it its name.
    pub fn finish(self) -> io::Result<()> {
        self.file.finish()
    }
}

impl Signal {
    fn write(&mut self, file: &mut WaveformFile, events: &Events, values: &dyn Values) -> io::Result<()> {
        let has_condition = events.has_condition(self.place);
        let bytes = self.signal.width.div_ceil(8);
        self.now.clear();
        for element in 0..self.signal.count() {
            let is_valid = !has_condition || events.is_valid(self.place, element, values);
            self.now.push(u8::from(is_valid));
            self.now.extend(&values.value(&self.signal, element)[..bytes]);
        }
        if self.now == self.last {
            return Ok(());
        }
        let elements = || self.now.chunks(1 + bytes).map(|chunk| (chunk[0] == 1, &chunk[1..]));
        if self.is_vector {
            let bits = elements().rev().map(|(is_valid, value)| bit(is_valid, value, 0)).collect();
            file.change(self.first, Shown::Bits(bits))?;
        } else {
            for (element, (is_valid, value)) in elements().enumerate() {
                let states = &self.signal.states;
                let shown = if states.is_empty() {
                    let bits = (0..self.signal.width).rev();
                    Shown::Bits(bits.map(|place| bit(is_valid, value, place)).collect())
                } else {
                    let state = states.get(usize::from(value[0]));
                    Shown::Text(state.cloned().unwrap_or_else(|| value[0].to_string()))
                };
                file.change(self.first + element, shown)?;
            }
        }
        std::mem::swap(&mut self.now, &mut self.last);
        Ok(())
    }
}

/// A bit of a value, or `x` if the value has no meaning.
fn bit(is_valid: bool, value: &[u8], place: usize) -> u8 {
    match is_valid {
        true => b'0' + (value[place / 8] >> (place % 8) & 1),
        false => b'x',
    }
}

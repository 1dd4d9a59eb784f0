// SPDX-License-Identifier: Apache-2.0
//! Output: tables, JSON files, progress.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use anyhow::Result;
use clap::builder::{PathBufValueParser, TypedValueParser};
use clap::Args;
pub use gpurf_files::{write, NewFile};
pub use gpurf_synth::table;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle, TermLike};
use serde::Serialize;

use crate::program;

/// Where the results of a command go.
#[derive(Args)]
pub struct JsonArgument {
    /// Write the results to this file as JSON; `-` is the standard output
    #[arg(long, value_name = "FILE", value_parser = file())]
    json: Option<PathBuf>,
}

/// Results, and the program that they are of.
#[derive(Serialize)]
struct Versioned<'a, T> {
    version: &'static str,
    #[serde(flatten)]
    of: &'a T,
}

impl<'a, T> Versioned<'a, T> {
    fn new(of: &'a T) -> Self {
        Versioned { version: program::version(), of }
    }
}

impl JsonArgument {
    /// Writes results if a file is named: an object, which gets the program's version.
    pub fn write(&self, results: &impl Serialize) -> Result<()> {
        self.write_as_they_are(&Versioned::new(results))
    }

    /// Writes results if a file is named: a list of objects. Each gets the version, so that one taken out
    /// still has it.
    pub fn write_list(&self, results: &[impl Serialize]) -> Result<()> {
        self.write_as_they_are(&results.iter().map(Versioned::new).collect::<Vec<_>>())
    }

    /// Writes what are no results of this program, if a file is named.
    pub fn write_as_they_are(&self, results: &impl Serialize) -> Result<()> {
        self.json.as_ref().map_or(Ok(()), |path| write_json(path, results))
    }

    /// Returns true if standard output is free for tables.
    pub fn leaves_tables(&self) -> bool {
        !self.json.as_deref().is_some_and(is_standard_output)
    }

    pub fn is_given(&self) -> bool {
        self.json.is_some()
    }
}

/// Reads the name of a file that will be written, and tries that: a run whose results cannot be written does
/// not begin.
pub fn file() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| match is_standard_output(&path) {
        true => Ok(path),
        false => gpurf_files::check(&path).map(|()| path).map_err(|error| error.reason),
    })
}

/// Reads a number of at least one.
pub fn from_one(text: &str) -> Result<u64, &'static str> {
    text.parse().ok().filter(|number| *number > 0).ok_or("a whole number from 1 on is expected")
}

/// Writes a line to standard error. If nobody reads that, nobody misses it.
macro_rules! say {
    ($($text:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), $($text)*);
    }};
}
pub(crate) use say;

/// Makes a text and writes it, if a file is named.
pub fn write_text(path: Option<&Path>, text: impl FnOnce() -> Result<String>) -> Result<()> {
    path.map_or(Ok(()), |path| Ok(write(path, text()?)?))
}

/// Files that are written one by one, each whatever becomes of the others; the first error of any.
pub fn all<const COUNT: usize>(written: [Result<()>; COUNT]) -> Result<()> {
    written.into_iter().collect()
}

fn is_standard_output(path: &Path) -> bool {
    path == Path::new("-")
}

/// Writes results as JSON; `-` stands for standard output.
pub fn write_json(path: &Path, results: &impl Serialize) -> Result<()> {
    let mut text = serde_json::to_string_pretty(results)?;
    text.push('\n');
    if is_standard_output(path) {
        print!("{text}");
        return Ok(());
    }
    Ok(write(path, text)?)
}

/// Progress towards `total` steps with the time that went by: a bar on a terminal, elsewhere a line from time
/// to time. Steps take unlike times, so the time that is left is not known.
pub fn progress(total: u64, unit: &str) -> ProgressBar {
    let template = match io::stderr().is_terminal() {
        true => "{bar:30} {human_pos}/{human_len} UNIT, {elapsed}  {msg}",
        false => "{human_pos}/{human_len} UNIT, {elapsed}  {msg}",
    };
    let style = ProgressStyle::with_template(&template.replace("UNIT", unit)).expect("the template is valid");
    let bar = ProgressBar::with_draw_target(Some(total), target()).with_style(style);
    bar.enable_steady_tick(Duration::from_millis(250));
    bar
}

/// A sign that something of unknown length goes on.
pub fn spinner(message: String) -> ProgressBar {
    let style = ProgressStyle::with_template("{spinner} {msg}, {elapsed}").expect("the template is valid");
    let spinner = ProgressBar::with_draw_target(None, target()).with_style(style).with_message(message);
    spinner.enable_steady_tick(Duration::from_millis(250));
    spinner
}

/// Works on one item after the other and shows how far it is, and the name of the one under way.
pub fn each<T, R>(
    items: Vec<T>,
    unit: &str,
    name: impl Fn(&T) -> &'static str,
    mut work: impl FnMut(T) -> Result<R>,
) -> Result<Vec<R>> {
    let bar = progress(items.len() as u64, unit);
    let mut results = Vec::with_capacity(items.len());
    for item in items {
        bar.set_message(name(&item));
        results.push(work(item)?);
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(results)
}

/// Where progress is shown.
fn target() -> ProgressDrawTarget {
    match io::stderr().is_terminal() {
        true => ProgressDrawTarget::stderr(),
        false => ProgressDrawTarget::term_like(Box::new(Lines::default())),
    }
}

/// A log instead of a terminal: what a bar would show, as a line every few seconds.
#[derive(Debug, Default)]
struct Lines(Mutex<(String, Option<Instant>)>);

impl Lines {
    const EVERY: Duration = Duration::from_secs(8);
}

impl TermLike for Lines {
    fn width(&self) -> u16 {
        200
    }

    fn move_cursor_up(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_down(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_right(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_left(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn write_line(&self, text: &str) -> io::Result<()> {
        self.write_str(text)
    }

    fn write_str(&self, text: &str) -> io::Result<()> {
        self.0.lock().expect("no panic").0 += text;
        Ok(())
    }

    fn clear_line(&self) -> io::Result<()> {
        self.0.lock().expect("no panic").0.clear();
        Ok(())
    }

    /// A run that ends before the first line is due prints none.
    fn flush(&self) -> io::Result<()> {
        let (line, last) = &mut *self.0.lock().expect("no panic");
        let line = std::mem::take(line);
        if last.get_or_insert_with(Instant::now).elapsed() >= Lines::EVERY && !line.trim().is_empty() {
            *last = Some(Instant::now());
            writeln!(io::stderr(), "{}", line.trim())?;
        }
        Ok(())
    }
}

/// A number with thousands separated.
pub fn grouped(number: u64) -> String {
    indicatif::HumanCount(number).to_string()
}

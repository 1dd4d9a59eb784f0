// SPDX-License-Identifier: Apache-2.0
//! Opening a workload: a trace folder, a kernel list, or one kernel's file.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::fields::{decimal, hexadecimal, show};
use crate::kernel::{Command, Kernel, Workload};
use crate::lines::{find_file, Lines};
use crate::notes::Notes;
use crate::trace_file;

/// How the name of a list begins that the tracer writes for each context.
const CONTEXT_LIST: &str = "kernelslist_ctx_";

/// Opens an Accel-Sim trace, versions 2 to 6 and 1.2; remarks go to standard error.
///
/// `path` is a folder holding `kernelslist.g`, `kernelslist` or the list of one context, such a list itself
/// (any file with `kernelslist` in its name), or a single kernel's file. Files may be packed with xz, gzip or
/// zstd, or be `.tracez` files; a name that is missing as written may exist with `.xz`, `.gz` or `.zst` added
/// or taken off. Every kernel's header is read now, and the first thread block of each different kernel, so
/// that an opcode that is not read stops no run half-way. All other instructions are read when a kernel is
/// opened.
///
/// The workload is named after its folder, or after the single file.
pub fn open(path: impl AsRef<Path>) -> Result<Workload> {
    open_with(path, |note| eprintln!("note: {note}"))
}

/// As [`open`], with remarks for `note`: what a trace lacks, and what is left out of it. Some come while it
/// is read.
pub fn open_with(path: impl AsRef<Path>, note: impl Fn(&str) + Send + Sync + 'static) -> Result<Workload> {
    let notes = Notes::new(note);
    let file = file_at(path.as_ref(), &notes)?;
    if is_list(&file) {
        return open_list(&file, &notes);
    }
    let kernel = trace_file::kernel(&file, &notes)?;
    check_opcodes(&kernel)?;
    Ok(Workload { name: file_name(&file), commands: vec![Command::Kernel(kernel)] })
}

/// The files that [`open`] and the kernels that it opens read, in the order of the list.
///
/// # Errors
/// As those of [`open`]: a list or a kernel is missing or cannot be read.
pub fn files(path: impl AsRef<Path>) -> Result<Vec<PathBuf>> {
    let file = file_at(path.as_ref(), &Notes::new(|_| {}))?;
    let mut files = vec![file.clone()];
    if is_list(&file) {
        each_line(&file, |_, line| {
            if let Line::Kernel(file) = line {
                files.push(file);
            }
            Ok(())
        })?;
    }
    Ok(files)
}

/// The file that a path stands for: a list of kernels, or a kernel.
fn file_at(path: &Path, notes: &Notes) -> Result<PathBuf> {
    match path.is_dir() {
        true => list_in(path, notes),
        false => Ok(find_file(path).unwrap_or_else(|| path.into())),
    }
}

fn is_list(file: &Path) -> bool {
    file_name(file).contains("kernelslist")
}

/// Reads the first thread block of a kernel.
fn check_opcodes(kernel: &Kernel) -> Result<()> {
    kernel.open()?.next_block().map(|_| ())
}

/// The list to read in a folder.
fn list_in(folder: &Path, notes: &Notes) -> Result<PathBuf> {
    let io_error = |cause| Error::Io { path: folder.into(), cause };
    let mut names = vec![];
    for entry in std::fs::read_dir(folder).map_err(io_error)? {
        let name = entry.map_err(io_error)?.file_name().to_string_lossy().into_owned();
        if name.starts_with(CONTEXT_LIST) {
            names.push(name);
        }
    }
    // Where a list was grouped, the list of what the tracer left is not read.
    let grouped: HashSet<String> =
        names.iter().filter_map(|name| Some(name.strip_suffix(".g")?.into())).collect();
    names.retain(|name| !grouped.contains(name));
    names.sort();

    let main = ["kernelslist.g", "kernelslist"].into_iter().find_map(|name| find_file(&folder.join(name)));
    match (main, &names[..]) {
        (Some(list), _) => {
            say_other_contexts(&list, &names, notes)?;
            Ok(list)
        }
        (None, []) => Err(Error::MissingList { path: folder.into() }),
        (None, [name]) => Ok(folder.join(name)),
        (None, _) => Err(Error::SeveralContexts { path: folder.into(), lists: names }),
    }
}

/// Remarks on lists of contexts whose kernels a list does not name.
fn say_other_contexts(list: &Path, names: &[String], notes: &Notes) -> Result<()> {
    if names.is_empty() {
        return Ok(());
    }
    let mut lines = Lines::open(list)?;
    let mut text = String::new();
    while let Some(line) = lines.next_line()? {
        text.push_str(&String::from_utf8_lossy(line));
    }
    // As the names of its kernels have it: `kernel-1-ctx_0x55d7.traceg`.
    let context = |name: &str| format!("{}.", name.trim_start_matches("kernelslist_").trim_end_matches(".g"));
    let others: Vec<&str> =
        names.iter().filter(|name| !text.contains(&context(name))).map(String::as_str).collect();
    if !others.is_empty() {
        notes.say(format!(
            "{} is read; lists of other contexts are left out, name them to read them: {}",
            list.display(),
            others.join(", ")
        ));
    }
    Ok(())
}

fn open_list(list: &Path, notes: &Notes) -> Result<Workload> {
    let folder = list.parent().unwrap_or(Path::new(""));
    let mut commands = Vec::new();
    let mut checked = HashSet::new();
    let mut skipped: Option<(u64, String)> = None;
    let mut skipped_count = 0;
    each_line(list, |number, line| {
        match line {
            Line::Copy(copy) => commands.push(copy),
            Line::Kernel(file) => {
                let kernel = trace_file::kernel(&file, notes)?;
                if checked.insert(kernel.header().name.clone()) {
                    check_opcodes(&kernel)?;
                }
                commands.push(Command::Kernel(kernel));
            }
            Line::Other(shown) => {
                skipped_count += 1;
                skipped.get_or_insert((number, shown));
            }
        }
        Ok(())
    })?;
    if let Some((line, shown)) = skipped {
        notes.say(format!(
            "{}: lines skipped that are neither kernels nor copies to the device: {skipped_count}; the first is \
             line {line}, `{shown}`",
            list.display()
        ));
    }
    if commands.is_empty() {
        let path = list.into();
        return Err(if skipped_count > 0 { Error::NoKernels { path } } else { Error::Empty { path } });
    }
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.into());
    Ok(Workload { name: file_name(&folder), commands })
}

/// A line of a list.
enum Line {
    Copy(Command),
    Kernel(PathBuf),
    /// As it is shown.
    Other(String),
}

/// Reads a list line by line, each with its number.
fn each_line(list: &Path, mut take: impl FnMut(u64, Line) -> Result<()>) -> Result<()> {
    let folder = list.parent().unwrap_or(Path::new(""));
    let mut lines = Lines::open(list)?;
    while let Some(line) = lines.next_line()? {
        let line = line.trim_ascii();
        if line.is_empty() {
            continue;
        }
        let shown = show(line);
        let text = String::from_utf8_lossy(line).into_owned();
        let line = if text.starts_with("MemcpyHtoD") {
            Line::Copy(memcpy(&text).ok_or_else(|| {
                lines
                    .garbled(format!("`MemcpyHtoD,0xADDRESS,BYTES` or a file name expected, `{shown}` found"))
            })?)
        } else if let Some(file) = find_file(&folder.join(&text)) {
            Line::Kernel(file)
        } else if text.starts_with("kernel") || text.contains(".trace") && !text.starts_with('#') {
            return Err(Error::MissingKernel { path: list.into(), line: lines.number(), name: shown });
        } else {
            Line::Other(shown)
        };
        take(lines.number(), line)?;
    }
    Ok(())
}

fn memcpy(text: &str) -> Option<Command> {
    let mut parts = text.split(',').skip(1).map(|part| part.trim().as_bytes());
    let address = hexadecimal(parts.next()?)?;
    let bytes = decimal(parts.next()?)? as u64;
    match parts.next() {
        None => Some(Command::MemcpyHtoD { address, bytes }),
        Some(_) => None,
    }
}

fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

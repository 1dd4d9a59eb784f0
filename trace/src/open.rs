//! Opening a workload: a trace folder, a kernel list, or one kernel's file.

use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::fields::{decimal, hexadecimal, show};
use crate::kernel::{Command, Workload};
use crate::lines::{find_file, Lines};
use crate::trace_file;

/// Opens an Accel-Sim trace, versions 2 to 6.
///
/// `path` is a folder holding `kernelslist.g` or `kernelslist`, such a list itself (any file with
/// `kernelslist` in its name), or a single kernel's file. Files may be compressed with xz, gzip or
/// zstd; a name that is missing as written may exist with `.xz`, `.gz` or `.zst` added. Every
/// kernel's header is read now, its instructions when it is opened.
///
/// The workload is named after its folder, or after the single file.
pub fn open(path: impl AsRef<Path>) -> Result<Workload> {
    match Found::at(path.as_ref())? {
        Found::List(list) => open_list(&list),
        Found::Kernel(file) => {
            let kernel = trace_file::kernel(&file)?;
            Ok(Workload { name: file_name(&file), commands: vec![Command::Kernel(kernel)] })
        }
    }
}

/// The files that [`open`] and the kernels that it opens read, in the order of the list.
///
/// # Errors
/// As those of [`open`]: a list or a kernel is missing or cannot be read.
pub fn files(path: impl AsRef<Path>) -> Result<Vec<PathBuf>> {
    match Found::at(path.as_ref())? {
        Found::List(list) => {
            let mut files = vec![list.clone()];
            each_line(&list, |line| {
                if let Line::Kernel(file) = line {
                    files.push(file);
                }
                Ok(())
            })?;
            Ok(files)
        }
        Found::Kernel(file) => Ok(vec![file]),
    }
}

/// The file that a path stands for.
enum Found {
    List(PathBuf),
    Kernel(PathBuf),
}

impl Found {
    fn at(path: &Path) -> Result<Found> {
        if path.is_dir() {
            let list =
                ["kernelslist.g", "kernelslist"].into_iter().find_map(|name| find_file(&path.join(name)));
            return list.map(Found::List).ok_or_else(|| Error::MissingList { path: path.into() });
        }
        let file = find_file(path).unwrap_or_else(|| path.into());
        let is_list = file_name(&file).contains("kernelslist");
        Ok(if is_list { Found::List(file) } else { Found::Kernel(file) })
    }
}

/// A line of a list.
enum Line {
    Copy { address: u64, bytes: u64 },
    Kernel(PathBuf),
}

fn open_list(list: &Path) -> Result<Workload> {
    let folder = list.parent().unwrap_or(Path::new(""));
    let mut commands = Vec::new();
    each_line(list, |line| {
        commands.push(match line {
            Line::Copy { address, bytes } => Command::MemcpyHtoD { address, bytes },
            Line::Kernel(file) => Command::Kernel(trace_file::kernel(&file)?),
        });
        Ok(())
    })?;
    if commands.is_empty() {
        return Err(Error::Empty { path: list.into() });
    }
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.into());
    Ok(Workload { name: file_name(&folder), commands })
}

/// Reads a list line by line.
fn each_line(list: &Path, mut take: impl FnMut(Line) -> Result<()>) -> Result<()> {
    let folder = list.parent().unwrap_or(Path::new(""));
    let mut lines = Lines::open(list)?;
    while let Some(line) = lines.next_line()? {
        let text = line.trim_ascii();
        if text.is_empty() {
            continue;
        }
        let text = String::from_utf8_lossy(text).into_owned();
        take(if text.contains(',') {
            memcpy(&text).ok_or_else(|| {
                let shown = show(text.as_bytes());
                lines
                    .garbled(format!("`MemcpyHtoD,0xADDRESS,BYTES` or a file name expected, `{shown}` found"))
            })?
        } else {
            let file = find_file(&folder.join(&text)).ok_or_else(|| Error::MissingKernel {
                path: list.into(),
                line: lines.number(),
                name: text,
            })?;
            Line::Kernel(file)
        })?;
    }
    Ok(())
}

fn memcpy(text: &str) -> Option<Line> {
    let mut parts = text.split(',').map(str::as_bytes);
    if parts.next() != Some(b"MemcpyHtoD") {
        return None;
    }
    let address = hexadecimal(parts.next()?)?;
    let bytes = decimal(parts.next()?)? as u64;
    match parts.next() {
        None => Some(Line::Copy { address, bytes }),
        Some(_) => None,
    }
}

fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

// SPDX-License-Identifier: Apache-2.0
//! The header of a kernel's file: `-key = value` lines, then a comment on the format of instruction lines.

use crate::block::WARP_SIZE;
use crate::error::{Error, Result};
use crate::fields::{decimal, hexadecimal, number, show, triple, value_of};
use crate::kernel::{KernelHeader, MOST_SHARED_MEMORY};
use crate::lines::Lines;

/// Registers of a thread, at most.
const MOST_REGISTERS: u32 = 255;
/// Registers of a thread block, at most.
const MOST_BLOCK_REGISTERS: u32 = 1 << 16;

/// Facts that the header has beyond [`KernelHeader`].
pub(crate) struct HeaderEnd {
    /// Each line begins with the number of a source line.
    pub has_line_numbers: bool,
    /// The header ended at a `#BEGIN_TB`.
    pub block_begun: bool,
}

/// Keys that are read. Those of tracers to come do not change what is known.
const KEYS: [&str; 13] = [
    "kernel name",
    "kernel id",
    "grid dim",
    "block dim",
    "shmem",
    "nregs",
    "binary version",
    "cuda stream id",
    "shmem base_addr",
    "local mem base_addr",
    "nvbit version",
    "accelsim tracer version",
    "enable lineinfo",
];
/// The ones that every tracer writes.
const NEEDED: [&str; 6] = ["kernel name", "grid dim", "block dim", "shmem", "nregs", "binary version"];

/// Reads `-key = value` lines up to the first line that starts with `#`.
pub(crate) fn read_header(lines: &mut Lines) -> Result<(KernelHeader, HeaderEnd)> {
    let mut header = KernelHeader {
        // Traces before version 3 do not name theirs.
        tracer_version: 2,
        ..KernelHeader::default()
    };
    let mut end = HeaderEnd { has_line_numbers: false, block_begun: false };
    let mut missing = NEEDED.to_vec();
    loop {
        let Some(line) = lines.next_line()? else {
            return Err(lines.truncated("it ends within the header"));
        };
        let line = line.trim_ascii();
        if line.starts_with(b"#") {
            end.block_begun = line.starts_with(b"#BEGIN_TB");
            // Since 2025 lines of version 5 are those of version 6, except for the values behind them.
            if header.tracer_version == 5 && memchr::memmem::find(line, b"immediate2").is_some() {
                header.tracer_version = 6;
            }
            break;
        }
        if line.is_empty() {
            continue;
        }
        let Some(line) = line.strip_prefix(b"-").filter(|line| line.contains(&b'=')) else {
            let reason = format!("`-key = value` expected, `{}` found", show(line));
            return Err(lines.garbled(reason));
        };
        let known = KEYS.iter().find_map(|key| Some((*key, value_of(line, key)?)));
        let Some((key, value)) = known else { continue };
        missing.retain(|needed| *needed != key);
        let (value_shown, is_number) =
            (show(value), value.iter().all(u8::is_ascii_digit) && !value.is_empty());
        match set(&mut header, &mut end, key, value) {
            None if is_number && !bound(key).is_empty() => {
                return Err(impossible(lines, format!("`{value_shown}` is no {key}: {}", bound(key))));
            }
            None => return Err(lines.garbled(format!("`{value_shown}` is no {key}"))),
            Some(()) if (2..=6).contains(&header.tracer_version) => {}
            Some(()) => {
                let (path, line, version) = (lines.path().into(), lines.number(), header.tracer_version);
                return Err(Error::UnknownVersion { path, line, version });
            }
        }
    }
    if let Some(key) = missing.first() {
        return Err(lines.garbled(format!("the header has no `-{key}`")));
    }
    let threads = header.warps_per_block() * WARP_SIZE;
    let registers = threads * header.nregs;
    if registers > MOST_BLOCK_REGISTERS {
        let nregs = header.nregs;
        return Err(impossible(
            lines,
            format!(
                "{threads} threads of {nregs} registers have {registers}, and no thread block has more than \
                 {MOST_BLOCK_REGISTERS}"
            ),
        ));
    }
    Ok((header, end))
}

/// Takes over a value; `None` if it cannot be one of its key.
fn set(header: &mut KernelHeader, end: &mut HeaderEnd, key: &str, value: &[u8]) -> Option<()> {
    match key {
        "kernel name" => header.name = text(value)?,
        "kernel id" => header.id = number(value)?,
        "grid dim" => {
            let possible = |[x, y, z]: &[u32; 3]| *x.min(y).min(z) > 0 && *x < 1 << 31 && *y.max(z) < 1 << 16;
            header.grid = triple(value).filter(possible)?;
        }
        "block dim" => {
            let possible = |size: &[u32; 3]| {
                size.iter().all(|n| (1..=1024).contains(n)) && size.iter().product::<u32>() <= 1024
            };
            header.block = triple(value).filter(possible)?;
        }
        "shmem" => header.shared_memory = number(value).filter(|&bytes| bytes <= MOST_SHARED_MEMORY)?,
        "nregs" => header.nregs = number(value).filter(|&count| count <= MOST_REGISTERS)?,
        "binary version" => header.binary_version = number(value)?,
        "cuda stream id" => header.stream_id = decimal(value)? as u64,
        "shmem base_addr" => header.shared_base = hexadecimal(value)?,
        "local mem base_addr" => header.local_base = hexadecimal(value)?,
        "nvbit version" => header.nvbit_version = text(value)?,
        "accelsim tracer version" => header.tracer_version = tracer_version(value)?,
        "enable lineinfo" => end.has_line_numbers = number::<u8>(value)? != 0,
        _ => {}
    }
    Some(())
}

/// Why a number may be impossible, for messages.
fn bound(key: &str) -> String {
    match key {
        "nregs" => format!("a thread has {MOST_REGISTERS} registers at most"),
        "shmem" => format!("a thread block has {MOST_SHARED_MEMORY} bytes at most"),
        _ => String::new(),
    }
}

fn impossible(lines: &Lines, reason: String) -> Error {
    Error::Header { path: lines.path().into(), line: lines.number(), reason }
}

/// `5`, or `1.2`: the tracer of June to August 2020 wrote lines of version 2.
fn tracer_version(value: &[u8]) -> Option<u32> {
    let mut parts = value.split(|&byte| byte == b'.');
    let major = number(parts.next()?)?;
    parts.all(|part| number::<u32>(part).is_some()).then_some(if major == 1 { 2 } else { major })
}

fn text(value: &[u8]) -> Option<String> {
    let text = String::from_utf8(value.to_vec()).ok()?;
    (!text.contains(char::is_control)).then_some(text)
}

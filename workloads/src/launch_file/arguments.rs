// SPDX-License-Identifier: Apache-2.0
//! Kernel arguments: numbers, vectors, addresses, handles, structs of all of them.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::{Table, Value};

use super::elements::{ElementType, Number};

/// An argument as the file has it, one key and what it means.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(transparent)]
pub(super) struct DeclaredArgument(Table);

/// Values that are known only when the file is run.
pub(super) trait Places {
    fn buffer(&self, name: &str) -> Result<u64, String>;
    fn variable(&self, name: &str) -> Result<u64, String>;
    fn image(&self, name: &str) -> Result<u64, String>;
    /// How often the loop around has been run.
    fn round(&self) -> u64;
}

/// Bytes, and the alignment they want among the members of a struct.
struct Bytes {
    bytes: Vec<u8>,
    alignment: usize,
}

/// Most bytes of all parameters of a kernel.
const MAX_BYTES: usize = 4096;
/// How deep structs nest.
const MAX_DEPTH: usize = 16;

impl DeclaredArgument {
    /// Adds the files that it is read from, as they are written.
    pub fn files(&self, files: &mut Vec<PathBuf>) {
        files_of(&self.0, files);
    }

    /// Its bytes. Paths start from `folder`.
    pub fn bytes(&self, places: &dyn Places, folder: &Path) -> Result<Vec<u8>, String> {
        Ok(bytes_of(&self.0, places, folder, 0)?.bytes)
    }
}

fn files_of(table: &Table, files: &mut Vec<PathBuf>) {
    for (kind, value) in table {
        match value {
            Value::String(path) if kind == "file" => files.push(path.into()),
            Value::Array(members) => {
                members.iter().filter_map(Value::as_table).for_each(|member| files_of(member, files))
            }
            _ => {}
        }
    }
}

fn bytes_of(table: &Table, places: &dyn Places, folder: &Path, depth: usize) -> Result<Bytes, String> {
    if depth > MAX_DEPTH {
        return Err("structs are nested too deep".into());
    }
    let mut kinds = table.iter().filter(|(key, _)| !matches!(key.as_str(), "at" | "size" | "offset"));
    let (Some((kind, value)), None) = (kinds.next(), kinds.next()) else {
        return Err(format!("an argument has one kind; give one of {KINDS}"));
    };
    if table.contains_key("offset") && !matches!(kind.as_str(), "buffer" | "variable") {
        return Err("`offset` belongs to a buffer or a variable".into());
    }
    let name = || value.as_str().ok_or_else(|| format!("`{kind}` wants a name"));
    let address = |base: u64| -> Result<Bytes, String> {
        let offset = match table.get("offset") {
            None => 0,
            Some(offset) => offset.as_integer().ok_or("`offset` is a number of bytes")?,
        };
        Ok(Bytes { bytes: base.wrapping_add_signed(offset).to_le_bytes().to_vec(), alignment: 8 })
    };
    let found = match kind.as_str() {
        // Of a list, each round takes the next.
        "buffer" => match value.as_array() {
            Some(names) if !names.is_empty() => {
                let name = names[(places.round() % names.len() as u64) as usize].as_str();
                address(places.buffer(name.ok_or("`buffer` wants names")?)?)?
            }
            _ => address(places.buffer(name()?)?)?,
        },
        "variable" => address(places.variable(name()?)?)?,
        "image" => address(places.image(name()?)?)?,
        "bool" => {
            Bytes { bytes: vec![value.as_bool().ok_or("`bool` is true or false")?.into()], alignment: 1 }
        }
        "bytes" => {
            let byte = |value: &Value| value.as_integer().and_then(|byte| u8::try_from(byte).ok());
            let bytes = value.as_array().and_then(|list| list.iter().map(byte).collect());
            Bytes { bytes: bytes.ok_or("`bytes` is a list of numbers from 0 to 255")?, alignment: 1 }
        }
        "file" => {
            let path = folder.join(name()?);
            let bytes = std::fs::read(&path)
                .map_err(|error| format!("{}: cannot be read: {error}; check the path", path.display()))?;
            Bytes { bytes, alignment: 1 }
        }
        "struct" => members(value, table.get("size"), true, places, folder, depth)?,
        "array" => members(value, None, false, places, folder, depth)?,
        _ => {
            let element = ElementType::named(kind)
                .ok_or_else(|| format!("unknown kind of argument `{kind}`; give one of {KINDS}"))?;
            let mut bytes = vec![];
            for value in value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice) {
                element.encode(number(value, places)?, &mut bytes)?;
            }
            Bytes { bytes, alignment: element.size() }
        }
    };
    if found.bytes.is_empty() || found.bytes.len() > MAX_BYTES {
        return Err(format!("`{kind}` has {} bytes: give 1 to {MAX_BYTES}", found.bytes.len()));
    }
    Ok(found)
}

const KINDS: &str =
    "`buffer`, `variable`, `image`, `bool`, `i8`, `u8`, `i16`, `u16`, `i32`, `u32`, `i64`, `u64`, \
                     `f16`, `f32`, `f64`, `bytes`, `file`, `struct`, `array`";

/// A number, or one that depends on the round: `"round"`, `{ start = 5, step = -1 }`.
fn number(value: &Value, places: &dyn Places) -> Result<Number, String> {
    let of_round = |start: i64, step: i64| {
        let distance = (places.round() as i64).wrapping_mul(step);
        Number::Integer(start.wrapping_add(distance))
    };
    match value {
        Value::Integer(value) => Ok(Number::Integer(*value)),
        Value::Float(value) => Ok(Number::Float(*value)),
        Value::String(text) if text == "round" => Ok(of_round(0, 1)),
        Value::Table(table) if table.len() == 2 => {
            let part = |key: &str| table.get(key).and_then(Value::as_integer);
            match (part("start"), part("step")) {
                (Some(start), Some(step)) => Ok(of_round(start, step)),
                _ => Err("a number by the round is `{ start = .., step = .. }`".into()),
            }
        }
        other => Err(format!("`{other}` is no number; give one, a list, or \"round\"")),
    }
}

/// The members of a struct, each where it says or aligned behind the one before; or elements of an array.
fn members(
    value: &Value,
    size: Option<&Value>,
    placed: bool,
    places: &dyn Places,
    folder: &Path,
    depth: usize,
) -> Result<Bytes, String> {
    let list = value.as_array().ok_or("members are a list of tables")?;
    let mut all = Bytes { bytes: vec![], alignment: 1 };
    for member in list {
        let member = member.as_table().ok_or("a member is a table such as { i32 = 5 }")?;
        let Bytes { bytes, alignment } = bytes_of(member, places, folder, depth + 1)?;
        let start = match member.get("at") {
            Some(at) if placed => {
                let at = at.as_integer().and_then(|at| usize::try_from(at).ok());
                at.filter(|at| *at <= MAX_BYTES).ok_or("`at` is an offset in bytes")?
            }
            Some(_) => return Err("elements of an array follow each other; `at` belongs to a struct".into()),
            None => all.bytes.len().next_multiple_of(alignment),
        };
        if start < all.bytes.len() {
            return Err(format!("members overlap at byte {start}"));
        }
        all.bytes.resize(start, 0);
        all.bytes.extend(bytes);
        all.alignment = all.alignment.max(alignment);
    }
    let end = match size {
        None => all.bytes.len().next_multiple_of(all.alignment),
        Some(size) => {
            let size = size.as_integer().and_then(|size| usize::try_from(size).ok());
            size.filter(|size| (all.bytes.len()..=MAX_BYTES).contains(size))
                .ok_or_else(|| format!("`size` is a number of bytes, at least {}", all.bytes.len()))?
        }
    };
    all.bytes.resize(end, 0);
    Ok(all)
}

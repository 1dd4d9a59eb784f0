//! A kernel's file: header, then thread blocks.
//!
//! A `.traceg` file has its instructions grouped by thread block and warp; a `.trace` file, as the
//! tracer leaves it, has them in order of arrival, each line naming its block and warp. The second
//! kind is grouped in memory when the first block is asked for.

use std::collections::BTreeMap;
use std::path::Path;

use crate::block::{ThreadBlock, Warp};
use crate::decoder::{Decoder, LineError};
use crate::error::{Error, Result};
use crate::fields::{decimal, hexadecimal, number, show, triple, Fields};
use crate::kernel::{BlockSource, Kernel, KernelHeader};
use crate::lines::Lines;
use crate::program::Program;

/// Fields before the program counter that name block and warp.
const PLACE_FIELDS: usize = 4;

/// The kernel in a trace file, which is read again each time the kernel is opened.
pub(crate) fn kernel(path: &Path) -> Result<Kernel> {
    let (header, _) = read_header(&mut Lines::open(path)?)?;
    let path = path.to_owned();
    Ok(Kernel::new(header, move || open_blocks(&path)))
}

fn open_blocks(path: &Path) -> Result<Box<dyn BlockSource>> {
    let mut lines = Lines::open(path)?;
    let (header, end) = read_header(&mut lines)?;
    let mut block_begun = end.block_begun;
    let mut first_line = None;
    while !block_begun && first_line.is_none() {
        match lines.next_line()? {
            None => break,
            Some(line) if line.trim_ascii().is_empty() => {}
            Some(line) if line.starts_with(b"#BEGIN_TB") => block_begun = true,
            Some(line) => first_line = Some(line.to_vec()),
        }
    }
    let line_fields = usize::from(end.has_line_numbers);
    Ok(match first_line {
        None => {
            let place_fields = if header.tracer_version < 3 { PLACE_FIELDS } else { 0 };
            Box::new(GroupedBlocks {
                decoder: Decoder::new(header.tracer_version, place_fields + line_fields),
                header,
                lines,
                block_begun,
            })
        }
        Some(_) => Box::new(RawBlocks {
            decoder: Decoder::new(header.tracer_version, line_fields),
            header,
            lines,
            first_line,
            blocks: Vec::new().into_iter(),
        }),
    })
}

/// What the header says beyond [`KernelHeader`].
struct HeaderEnd {
    has_line_numbers: bool,
    /// The header ended at a `#BEGIN_TB`.
    block_begun: bool,
}

/// Reads `-key = value` lines up to the first line that starts with `#`.
fn read_header(lines: &mut Lines) -> Result<(KernelHeader, HeaderEnd)> {
    let mut header = KernelHeader {
        // Traces before version 3 do not name theirs.
        tracer_version: 2,
        ..KernelHeader::default()
    };
    let mut has_line_numbers = false;
    let mut missing = vec!["kernel name", "grid dim", "block dim", "shmem", "nregs", "binary version"];
    let block_begun = loop {
        let Some(line) = lines.next_line()? else {
            return Err(lines.truncated("it ends within the header"));
        };
        if line.starts_with(b"#") {
            break line.starts_with(b"#BEGIN_TB");
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let Some((key, value)) = key_and_value(line) else {
            let reason = format!("`-key = value` expected, `{}` found", show(line));
            return Err(lines.garbled(reason));
        };
        missing.retain(|needed| needed.as_bytes() != key);
        let understood = match key {
            b"kernel name" => text(value).map(|name| header.name = name),
            b"kernel id" => number(value).map(|id| header.id = id),
            b"grid dim" => triple(value)
                .filter(|&[x, y, z]| x.min(y).min(z) > 0 && x < 1 << 31 && y.max(z) < 1 << 16)
                .map(|size| header.grid = size),
            b"block dim" => triple(value)
                .filter(|size| size.iter().all(|n| (1..=1024).contains(n)))
                .filter(|size| size.iter().product::<u32>() <= 1024)
                .map(|size| header.block = size),
            b"shmem" => number(value).map(|bytes| header.shared_memory = bytes),
            b"nregs" => number(value).map(|count| header.nregs = count),
            b"binary version" => number(value).map(|version| header.binary_version = version),
            b"cuda stream id" => decimal(value).map(|id| header.stream_id = id as u64),
            b"shmem base_addr" => hexadecimal(value).map(|base| header.shared_base = base),
            b"local mem base_addr" => hexadecimal(value).map(|base| header.local_base = base),
            b"nvbit version" => text(value).map(|version| header.nvbit_version = version),
            b"accelsim tracer version" => match number::<u32>(value) {
                Some(version) if !(2..=6).contains(&version) => {
                    return Err(Error::UnknownVersion {
                        path: lines.path().into(),
                        line: lines.number(),
                        version,
                    });
                }
                version => version.map(|version| header.tracer_version = version),
            },
            b"enable lineinfo" => number::<u8>(value).map(|flag| has_line_numbers = flag != 0),
            // Keys of tracers to come do not change what is known.
            _ => Some(()),
        };
        if understood.is_none() {
            let reason = format!("`{}` is no {}", show(value), show(key));
            return Err(lines.garbled(reason));
        }
    };
    if let Some(key) = missing.first() {
        return Err(lines.garbled(format!("the header has no `-{key}`")));
    }
    let end = HeaderEnd { has_line_numbers, block_begun };
    Ok((header, end))
}

fn text(value: &[u8]) -> Option<String> {
    String::from_utf8(value.to_vec()).ok()
}

fn key_and_value(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let line = line.strip_prefix(b"-")?;
    let equals = line.iter().position(|&byte| byte == b'=')?;
    Some((line[..equals].trim_ascii(), line[equals + 1..].trim_ascii()))
}

/// Checks that a block and a warp can exist in the launch.
fn check_place(header: &KernelHeader, block: [u32; 3], warp: u32) -> std::result::Result<(), String> {
    if (0..3).any(|axis| block[axis] >= header.grid[axis]) {
        return Err(format!("thread block {block:?} lies outside grid {:?}", header.grid));
    }
    if warp >= header.warps_per_block() {
        return Err(format!(
            "warp {warp} does not exist in thread blocks of {} threads",
            header.threads_per_block()
        ));
    }
    Ok(())
}

fn line_error(lines: &Lines, error: LineError) -> Error {
    match error {
        LineError::Garbled(reason) => lines.garbled(reason),
        LineError::Opcode(source) => {
            Error::Opcode { path: lines.path().into(), line: lines.number(), source }
        }
    }
}

struct GroupedBlocks {
    header: KernelHeader,
    lines: Lines,
    decoder: Decoder,
    /// The `#BEGIN_TB` of the next block has been read.
    block_begun: bool,
}

impl BlockSource for GroupedBlocks {
    fn next_block(&mut self, program: &mut Program) -> Result<Option<ThreadBlock>> {
        while !self.block_begun {
            match self.lines.next_line()? {
                None => return Ok(None),
                Some(line) if line.trim_ascii().is_empty() => {}
                Some(line) if line.starts_with(b"#BEGIN_TB") => self.block_begun = true,
                Some(line) => {
                    let reason = format!("`#BEGIN_TB` expected, `{}` found", show(line));
                    return Err(self.lines.garbled(reason));
                }
            }
        }
        self.block_begun = false;

        let id = self.assignment(b"thread block", triple)?;
        self.check(check_place(&self.header, id, 0))?;
        let mut block = ThreadBlock::new(id);
        loop {
            let Some(line) = self.lines.next_line()? else {
                return Err(self.lines.truncated("a thread block has no `#END_TB`"));
            };
            if line.trim_ascii().is_empty() {
                continue;
            }
            if line.starts_with(b"#END_TB") {
                return Ok(Some(block));
            }
            let warp = assigned(line, b"warp", number).map_err(|reason| self.lines.garbled(reason))?;
            self.check(check_place(&self.header, id, warp))?;
            if block.warps.iter().any(|known| known.id == warp) {
                return Err(self.lines.garbled(format!("warp {warp} stands twice in its thread block")));
            }
            self.read_warp(warp, &mut block, program)?;
        }
    }
}

impl GroupedBlocks {
    fn read_warp(&mut self, id: u32, block: &mut ThreadBlock, program: &mut Program) -> Result<()> {
        let promised: u32 = self.assignment(b"insts", number)?;
        let mut instructions = Vec::with_capacity(promised.min(1 << 16) as usize);
        for found in 0..promised {
            let line = match self.lines.next_line()? {
                Some(line) if line.first().is_some_and(u8::is_ascii_hexdigit) => line,
                _ => {
                    let reason = format!("warp {id} promises {promised} instructions and has {found}");
                    return Err(self.lines.truncated(reason));
                }
            };
            let start = block.pool().len();
            match self.decoder.decode(line, program, block.pool()) {
                Ok((index, mask)) => instructions.push(block.seal(index, mask, start)),
                Err(error) => return Err(line_error(&self.lines, error)),
            }
        }
        block.warps.push(Warp { id, instructions });
        Ok(())
    }

    /// Reads `key = value` from the next line that is not blank.
    fn assignment<T>(&mut self, key: &[u8], value: fn(&[u8]) -> Option<T>) -> Result<T> {
        loop {
            let Some(line) = self.lines.next_line()? else {
                let reason = format!("`{} = ` is missing", show(key));
                return Err(self.lines.truncated(reason));
            };
            if !line.trim_ascii().is_empty() {
                return assigned(line, key, value).map_err(|reason| self.lines.garbled(reason));
            }
        }
    }

    fn check(&self, result: std::result::Result<(), String>) -> Result<()> {
        result.map_err(|reason| self.lines.garbled(reason))
    }
}

/// The value in a line `key = value`.
fn assigned<T>(line: &[u8], key: &[u8], value: fn(&[u8]) -> Option<T>) -> std::result::Result<T, String> {
    line.strip_prefix(key)
        .and_then(|rest| rest.strip_prefix(b" = "))
        .and_then(|text| value(text.trim_ascii_end()))
        .ok_or_else(|| format!("`{} = ..` expected, `{}` found", show(key), show(line)))
}

struct RawBlocks {
    header: KernelHeader,
    lines: Lines,
    decoder: Decoder,
    /// The first instruction line, read to tell the kinds of file apart.
    first_line: Option<Vec<u8>>,
    blocks: std::vec::IntoIter<ThreadBlock>,
}

impl BlockSource for RawBlocks {
    fn next_block(&mut self, program: &mut Program) -> Result<Option<ThreadBlock>> {
        if let Some(first_line) = self.first_line.take() {
            self.blocks = self.group(first_line, program)?.into_iter();
        }
        Ok(self.blocks.next())
    }
}

impl RawBlocks {
    /// All blocks, in launch order (x fastest), their warps in order of number.
    fn group(&mut self, first_line: Vec<u8>, program: &mut Program) -> Result<Vec<ThreadBlock>> {
        let mut blocks = BTreeMap::new();
        let added = self.add(&first_line, &mut blocks, program);
        added.map_err(|error| line_error(&self.lines, error))?;
        while let Some(line) = self.lines.next_line()? {
            if line.trim_ascii().is_empty() {
                continue;
            }
            let line = line.to_vec();
            let added = self.add(&line, &mut blocks, program);
            added.map_err(|error| line_error(&self.lines, error))?;
        }
        let mut blocks: Vec<ThreadBlock> = blocks.into_values().collect();
        for block in &mut blocks {
            block.warps.sort_by_key(|warp| warp.id);
        }
        Ok(blocks)
    }

    fn add(
        &mut self,
        line: &[u8],
        blocks: &mut BTreeMap<[u32; 3], ThreadBlock>,
        program: &mut Program,
    ) -> std::result::Result<(), LineError> {
        let mut fields = Fields(line);
        let mut place = || number::<u32>(fields.next());
        let (Some(x), Some(y), Some(z), Some(warp)) = (place(), place(), place(), place()) else {
            let reason = format!("`#BEGIN_TB` or block and warp numbers expected, `{}` found", show(line));
            return Err(LineError::Garbled(reason));
        };
        let id = [x, y, z];
        check_place(&self.header, id, warp).map_err(LineError::Garbled)?;
        let block = blocks.entry([z, y, x]).or_insert_with(|| ThreadBlock::new(id));
        let start = block.pool().len();
        let (index, mask) = self.decoder.decode(fields.0, program, block.pool())?;
        let instruction = block.seal(index, mask, start);
        match block.warps.iter_mut().find(|known| known.id == warp) {
            Some(known) => known.instructions.push(instruction),
            None => block.warps.push(Warp { id: warp, instructions: vec![instruction] }),
        }
        Ok(())
    }
}

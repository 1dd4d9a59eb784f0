// SPDX-License-Identifier: Apache-2.0
//! Files whose instructions are grouped by thread block and warp.

use crate::block::{ThreadBlock, Warp};
use crate::decoder::{line_error, Decoder};
use crate::error::Result;
use crate::fields::{number, show, triple, value_of};
use crate::grid::Grid;
use crate::kernel::BlockSource;
use crate::lines::Lines;
use crate::program::Program;

/// The thread blocks of such a file.
pub(crate) struct GroupedBlocks {
    pub grid: Grid,
    pub lines: Lines,
    pub decoder: Decoder,
    /// The `#BEGIN_TB` of the next block has been read.
    pub block_begun: bool,
}

impl BlockSource for GroupedBlocks {
    fn next_block(&mut self, program: &mut Program) -> Result<Option<ThreadBlock>> {
        while !self.block_begun {
            match self.lines.next_line()?.map(<[u8]>::trim_ascii) {
                None => {
                    self.grid.end(self.lines.path());
                    return Ok(None);
                }
                Some(b"") => {}
                Some(line) if line.starts_with(b"#BEGIN_TB") => self.block_begun = true,
                Some(line) => {
                    let reason = format!("`#BEGIN_TB` expected, `{}` found", show(line));
                    return Err(self.lines.garbled(reason));
                }
            }
        }
        self.block_begun = false;

        let id = self.assignment("thread block", triple)?;
        self.check(self.grid.check(id, 0))?;
        let given = self.grid.give(id);
        self.check(given)?;
        let mut block = ThreadBlock::new(id);
        loop {
            let Some(line) = self.lines.next_line()? else {
                return Err(self.lines.truncated("a thread block has no `#END_TB`"));
            };
            let line = line.trim_ascii();
            // Which cluster the block belongs to is of no use here.
            if line.is_empty() || line.starts_with(b"cluster") {
                continue;
            }
            if line.starts_with(b"#END_TB") {
                return Ok(Some(block));
            }
            let warp = assigned(line, "warp", number).map_err(|reason| self.lines.garbled(reason))?;
            self.check(self.grid.check(id, warp))?;
            if block.warps.iter().any(|known| known.id == warp) {
                return Err(self.lines.garbled(format!("warp {warp} stands twice in its thread block")));
            }
            self.read_warp(warp, &mut block, program)?;
        }
    }
}

impl GroupedBlocks {
    fn read_warp(&mut self, id: u32, block: &mut ThreadBlock, program: &mut Program) -> Result<()> {
        let promised: u32 = self.assignment("insts", number)?;
        let mut instructions = Vec::with_capacity(promised.min(1 << 16) as usize);
        for found in 0..promised {
            let line = match self.lines.next_line()? {
                Some(line) if is_instruction(line) => line,
                _ => {
                    let reason = format!("warp {id} promises {promised} instructions and has {found}");
                    return Err(self.lines.truncated(reason));
                }
            };
            let start = block.pool().len();
            match self.decoder.decode(line, program, block.pool()) {
                Ok(Some((index, mask))) => instructions.push(block.seal(index, mask, start)),
                Ok(None) => {}
                Err(error) => return Err(line_error(&self.lines, error)),
            }
        }
        block.warps.push(Warp { id, instructions });
        Ok(())
    }

    /// Reads `key = value` from the next line that is not blank.
    fn assignment<T>(&mut self, key: &str, value: fn(&[u8]) -> Option<T>) -> Result<T> {
        loop {
            let Some(line) = self.lines.next_line()? else {
                return Err(self.lines.truncated(format!("`{key} = ` is missing")));
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

/// Returns true if a line begins with a number, as instructions do, perhaps behind blanks.
fn is_instruction(line: &[u8]) -> bool {
    let starts = |line: &[u8]| line.first().is_some_and(u8::is_ascii_hexdigit);
    starts(line) || starts(line.trim_ascii_start())
}

/// The value in a line `key = value`.
fn assigned<T>(line: &[u8], key: &str, value: fn(&[u8]) -> Option<T>) -> std::result::Result<T, String> {
    value_of(line, key)
        .and_then(value)
        .ok_or_else(|| format!("`{key} = ..` expected, `{}` found", show(line)))
}

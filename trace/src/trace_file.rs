// SPDX-License-Identifier: Apache-2.0
//! A kernel's file: header, then thread blocks.
//!
//! A `.traceg` file has its instructions grouped by thread block and warp, a `.tracez` file too, packed; a
//! `.trace` file, as the tracer leaves it, has them in order of arrival.

use std::path::Path;

use crate::decoder::Decoder;
use crate::error::Result;
use crate::grid::Grid;
use crate::grouped::GroupedBlocks;
use crate::header::read_header;
use crate::kernel::{BlockSource, Kernel};
use crate::lines::Lines;
use crate::notes::Notes;
use crate::raw::RawBlocks;

/// Fields before the program counter that name block and warp, in grouped files before version 3.
const PLACE_FIELDS: usize = 4;

/// The kernel in a trace file, which is read again each time the kernel is opened.
pub(crate) fn kernel(path: &Path, notes: &Notes) -> Result<Kernel> {
    let (header, _) = read_header(&mut Lines::open(path)?)?;
    let (path, notes) = (path.to_owned(), notes.clone());
    Ok(Kernel::new(header, move || open_blocks(&path, &notes)))
}

fn open_blocks(path: &Path, notes: &Notes) -> Result<Box<dyn BlockSource>> {
    let mut lines = Lines::open(path)?;
    let (header, end) = read_header(&mut lines)?;
    let mut block_begun = end.block_begun;
    let mut first_line = None;
    while !block_begun && first_line.is_none() {
        match lines.next_line()?.map(<[u8]>::trim_ascii) {
            None => break,
            Some(line) if line.starts_with(b"#BEGIN_TB") => block_begun = true,
            Some(b"") => {}
            Some(line) => first_line = Some(line.to_vec()),
        }
    }
    let line_fields = usize::from(end.has_line_numbers);
    let version = header.tracer_version;
    let grid = Grid::new(header, notes.clone());
    Ok(match first_line {
        None => {
            let place_fields = if version < 3 { PLACE_FIELDS } else { 0 };
            let decoder = Decoder::new(version, place_fields + line_fields);
            Box::new(GroupedBlocks { grid, lines, decoder, block_begun })
        }
        Some(first_line) => {
            let decoder = Decoder::new(version, line_fields);
            Box::new(RawBlocks::new(lines, grid, decoder, line_fields, first_line))
        }
    })
}

// SPDX-License-Identifier: Apache-2.0
//! Files as the tracer leaves them: a line names its block and warp, in the order of arrival.
//!
//! They are grouped while they are read. A thread block whose warps have all left is complete, and complete
//! blocks wait to be given in launch order, x fastest. Only a few megabytes of them do, so that memory does
//! not grow with the file.

use std::collections::btree_map::{BTreeMap, Entry};

use crate::block::WARP_SIZE;
use crate::block::{DynamicInstruction, ThreadBlock, Warp};
use crate::decoder::{line_error, Decoder, LineError};
use crate::error::Result;
use crate::fields::{number, show, words, Fields};
use crate::grid::Grid;
use crate::kernel::{BlockSource, KernelHeader};
use crate::lines::Lines;
use crate::program::Program;

/// Complete blocks that wait, in bytes.
const MOST_WAITING: usize = 16 << 20;
/// Numbers in front of the program counter: block and warp; since 2025, cluster and the block's place in it
/// too; each perhaps with the multiprocessor and its warp.
const PLACE_FIELDS: [usize; 4] = [4, 6, 11, 13];

/// The thread blocks of such a file.
pub(crate) struct RawBlocks {
    lines: Lines,
    /// The first instruction line, read to tell the kinds of file apart.
    first_line: Option<Vec<u8>>,
    grouping: Grouping,
    at_end: bool,
}

/// Blocks are held by z, y, x: in launch order.
struct Grouping {
    grid: Grid,
    decoder: Decoder,
    place_fields: usize,
    under_way: BTreeMap<[u32; 3], RawBlock>,
    complete: BTreeMap<[u32; 3], RawBlock>,
    complete_bytes: usize,
}

/// A thread block being grouped.
struct RawBlock {
    /// Without its warps.
    block: ThreadBlock,
    warps: Vec<RawWarp>,
    /// Warps that have not left.
    running: usize,
}

#[derive(Clone)]
struct RawWarp {
    instructions: Vec<DynamicInstruction>,
    /// Lanes that have not left.
    running: u32,
    /// The last instruction is an `LDGSTS` with its shared-memory addresses: one with the global ones
    /// follows.
    half: bool,
}

impl RawBlocks {
    pub fn new(
        lines: Lines,
        grid: Grid,
        decoder: Decoder,
        line_fields: usize,
        first_line: Vec<u8>,
    ) -> RawBlocks {
        let grouping = Grouping {
            place_fields: place_fields(&first_line, line_fields),
            grid,
            decoder,
            under_way: BTreeMap::new(),
            complete: BTreeMap::new(),
            complete_bytes: 0,
        };
        RawBlocks { lines, first_line: Some(first_line), grouping, at_end: false }
    }
}

impl BlockSource for RawBlocks {
    fn next_block(&mut self, program: &mut Program) -> Result<Option<ThreadBlock>> {
        let RawBlocks { lines, first_line, grouping, at_end } = self;
        if let Some(line) = first_line.take() {
            grouping.add(&line, program).map_err(|error| line_error(lines, error))?;
        }
        while !*at_end && grouping.complete_bytes <= MOST_WAITING {
            let Some(line) = lines.next_line()? else {
                grouping.complete.append(&mut grouping.under_way);
                *at_end = true;
                break;
            };
            if !line.trim_ascii().is_empty() {
                grouping.add(line, program).map_err(|error| line_error(lines, error))?;
            }
        }
        let Some((_, block)) = grouping.complete.pop_first() else {
            grouping.grid.end(lines.path());
            return Ok(None);
        };
        grouping.complete_bytes = grouping.complete_bytes.saturating_sub(block.bytes());
        let block = block.grouped();
        grouping.grid.give(block.id).map_err(|reason| lines.garbled(reason))?;
        Ok(Some(block))
    }
}

impl Grouping {
    fn add(&mut self, line: &[u8], program: &mut Program) -> std::result::Result<(), LineError> {
        let mut fields = Fields(line);
        let mut next = || number::<u32>(fields.next_word());
        let (Some(x), Some(y), Some(z), Some(warp)) = (next(), next(), next(), next()) else {
            let reason = format!("`#BEGIN_TB` or block and warp numbers expected, `{}` found", show(line));
            return Err(LineError::Garbled(reason));
        };
        for _ in 4..self.place_fields {
            fields.next_word();
        }
        let id = [x, y, z];
        self.grid.check(id, warp).map_err(LineError::Garbled)?;
        let place = [z, y, x];
        let raw = match self.under_way.entry(place) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let begun = match self.complete.remove(&place) {
                    // It seemed complete.
                    Some(raw) => {
                        self.complete_bytes = self.complete_bytes.saturating_sub(raw.bytes());
                        raw
                    }
                    None => {
                        self.grid.check_new(id).map_err(LineError::Garbled)?;
                        RawBlock::new(id, self.grid.header())
                    }
                };
                entry.insert(begun)
            }
        };
        let start = raw.block.pool().len();
        let Some((index, mask)) = self.decoder.decode(fields.0, program, raw.block.pool())? else {
            return Ok(());
        };
        let instruction = raw.block.seal(index, mask, start);
        raw.push(warp, instruction, program);
        if raw.running == 0 {
            let raw = self.under_way.remove(&place).expect("it is the block of this line");
            self.complete_bytes += raw.bytes();
            self.complete.insert(place, raw);
        }
        Ok(())
    }
}

impl RawBlock {
    fn new(id: [u32; 3], header: &KernelHeader) -> RawBlock {
        let warp = |warp: u32| {
            let threads = (header.threads_per_block() - warp * WARP_SIZE).min(WARP_SIZE);
            RawWarp { instructions: vec![], running: u32::MAX >> (WARP_SIZE - threads), half: false }
        };
        let warps: Vec<RawWarp> = (0..header.warps_per_block()).map(warp).collect();
        RawBlock { block: ThreadBlock::new(id), running: warps.len(), warps }
    }

    fn push(&mut self, warp: u32, instruction: DynamicInstruction, program: &Program) {
        let place = &program[instruction.static_index];
        let warp = &mut self.warps[warp as usize];
        let is_copy = place.opcode.starts_with("LDGSTS");
        match warp.instructions.last_mut() {
            Some(last) if is_copy && warp.half && last.static_index == instruction.static_index => {
                *last = instruction;
                warp.half = false;
            }
            _ => {
                warp.instructions.push(instruction);
                warp.half = is_copy;
            }
        }
        if place.exit && warp.running != 0 {
            warp.running &= !instruction.mask;
            self.running -= usize::from(warp.running == 0);
        }
    }

    fn bytes(&self) -> usize {
        let warps = self.warps.iter().map(|warp| size_of_val(&warp.instructions[..]));
        warps.sum::<usize>() + self.block.bytes()
    }

    /// Its warps that have any instruction, by rising number.
    fn grouped(self) -> ThreadBlock {
        let RawBlock { mut block, warps, .. } = self;
        let warps = (0..).zip(warps).filter(|(_, warp)| !warp.instructions.is_empty());
        block.warps.extend(warps.map(|(id, RawWarp { instructions, .. })| Warp { id, instructions }));
        block
    }
}

/// How many numbers stand in front of the line number, if any, and the program counter: a mask of eight
/// digits and a count of destinations, 0 or 1, follow.
fn place_fields(line: &[u8], line_fields: usize) -> usize {
    let words: Vec<&[u8]> = words(line).take(20).collect();
    let is_followed = |place: &usize| match words.get(place + line_fields + 1..) {
        Some([mask, b"0" | b"1", ..]) => mask.len() == 8 && mask.iter().all(u8::is_ascii_hexdigit),
        _ => false,
    };
    PLACE_FIELDS.into_iter().find(is_followed).unwrap_or(PLACE_FIELDS[0])
}

// SPDX-License-Identifier: Apache-2.0
//! Files that Accel-Sim 2.0 packs warp by warp, `.tracez`, as the text of a `.traceg` file.
//!
//! Such a file has, in this order, numbers being little-endian:
//! 1. the header of the text, ended by a zero byte,
//! 2. the size of a zstd dictionary (32 bits), how many instructions a chunk has at most (32 bits), the
//!    dictionary,
//! 3. for each warp, the numbers of its instructions and of its chunks (32 bits each), then its chunks: the
//!    size (32 bits) and a zstd frame of lines, without an end of line behind the last,
//! 4. the index: the number of thread blocks, then for each the block's number, the cluster's number and the
//!    block's number in it (three coordinates each), its rank, the number of its warps, and for each warp the
//!    numbers of its instructions and of its chunks, where in the file it stands (64 bits), and each chunk's
//!    number of instructions,
//! 5. where the index begins (64 bits).
//!
//! The index and the warps are read side by side, so that memory does not grow with the file.

use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::path::Path;

use zstd::stream::raw::{Decoder, Operation};

use crate::error::{Error, Result};

/// No header is longer than this.
const LONGEST_HEADER: u64 = 1 << 20;
/// Bytes behind the index.
const END: u64 = 8;

/// The text of a `.tracez` file, made while it is read.
pub(crate) struct Text {
    /// Text that is to be given next.
    pending: Vec<u8>,
    /// How much of it was given.
    given: usize,
    index: BufReader<File>,
    warps: BufReader<File>,
    /// Bytes of the file, which bound every size in it.
    bytes: u64,
    /// Thread blocks of the index not yet begun.
    blocks: u32,
    block: Option<Block>,
    /// Chunks of the current warp not yet begun.
    chunks: u32,
    /// The current chunk as it is packed.
    packed: Vec<u8>,
    /// How much of it was unpacked.
    unpacked: usize,
    decoder: Decoder<'static>,
}

/// Warps of the current thread block.
struct Block {
    number: u32,
    count: u32,
}

impl Text {
    pub fn open(path: &Path) -> Result<Text> {
        Text::start(path).map_err(|cause| match cause.raw_os_error() {
            Some(_) => Error::Io { path: path.into(), cause },
            None if cause.kind() == ErrorKind::UnexpectedEof => {
                Error::Tracez { path: path.into(), reason: "it is cut short".into() }
            }
            None => Error::Tracez { path: path.into(), reason: cause.to_string() },
        })
    }

    fn start(path: &Path) -> io::Result<Text> {
        let mut index = BufReader::new(File::open(path)?);
        let mut warps = BufReader::new(File::open(path)?);
        let bytes = warps.get_ref().metadata()?.len();

        let mut header = vec![];
        warps.by_ref().take(LONGEST_HEADER).read_until(0, &mut header)?;
        if !header.starts_with(b"-") || header.pop() != Some(0) {
            return Err(damaged("it does not begin as a .tracez file of Accel-Sim 2.0 does"));
        }
        let dictionary_bytes = number(&mut warps)?;
        let _most_instructions_of_a_chunk = number(&mut warps)?;
        let mut dictionary = vec![];
        warps.by_ref().take(dictionary_bytes.into()).read_to_end(&mut dictionary)?;
        let decoder = match dictionary.is_empty() {
            true => Decoder::new()?,
            false => Decoder::with_dictionary(&dictionary)?,
        };

        let end = bytes.checked_sub(END).ok_or_else(cut)?;
        index.seek(SeekFrom::Start(end))?;
        let start = long_number(&mut index)?;
        if start >= end {
            return Err(damaged("its index is not in it; it is cut short or damaged"));
        }
        index.seek(SeekFrom::Start(start))?;
        let blocks = number(&mut index)?;
        Ok(Text {
            pending: header,
            given: 0,
            index,
            warps,
            bytes,
            blocks,
            block: None,
            chunks: 0,
            packed: vec![],
            unpacked: 0,
            decoder,
        })
    }

    /// Begins what comes behind all that was given: a block, a warp, a chunk. Whether there was something.
    fn advance(&mut self) -> io::Result<bool> {
        self.pending.clear();
        self.given = 0;
        match &self.block {
            _ if self.chunks > 0 => self.begin_chunk()?,
            Some(Block { number, count }) if number < count => self.begin_warp()?,
            Some(_) => {
                self.block = None;
                self.pending.extend_from_slice(b"\n#END_TB\n");
            }
            None if self.blocks > 0 => self.begin_block()?,
            None if self.index.stream_position()? != self.bytes - END => {
                return Err(damaged("its index is damaged"))
            }
            None => return Ok(false),
        }
        Ok(true)
    }

    fn begin_block(&mut self) -> io::Result<()> {
        self.blocks -= 1;
        let mut numbers = [0; 11];
        for place in &mut numbers {
            *place = number(&mut self.index)?;
        }
        // Clusters are of no use here.
        let [x, y, z, .., count] = numbers;
        self.block = Some(Block { number: 0, count });
        self.pending.extend(format!("\n#BEGIN_TB\n\nthread block = {x},{y},{z}\n").bytes());
        Ok(())
    }

    fn begin_warp(&mut self) -> io::Result<()> {
        let Some(Block { number: warp, .. }) = &mut self.block else { return Ok(()) };
        let (instructions, chunks) = (number(&mut self.index)?, number(&mut self.index)?);
        let place = long_number(&mut self.index)?;
        self.index.seek_relative(4 * i64::from(chunks))?;
        self.warps.seek(SeekFrom::Start(place))?;
        if (number(&mut self.warps)?, number(&mut self.warps)?) != (instructions, chunks) {
            return Err(damaged("a warp is not where the index has it"));
        }
        self.chunks = chunks;
        self.pending.extend(format!("\nwarp = {warp}\ninsts = {instructions}\n").bytes());
        *warp += 1;
        Ok(())
    }

    fn begin_chunk(&mut self) -> io::Result<()> {
        self.chunks -= 1;
        let size = number(&mut self.warps)?;
        if u64::from(size) > self.bytes {
            return Err(cut());
        }
        self.packed.resize(size as usize, 0);
        self.warps.read_exact(&mut self.packed)?;
        self.unpacked = 0;
        self.decoder.reinit()
    }

    /// Unpacks more of the current chunk; how many bytes.
    fn unpack(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let status = self.decoder.run_on_buffers(&self.packed[self.unpacked..], out)?;
        self.unpacked += status.bytes_read;
        if status.remaining == 0 {
            self.packed.clear();
            self.unpacked = 0;
            self.pending.push(b'\n');
        } else if status.bytes_read == 0 && status.bytes_written == 0 {
            return Err(damaged("a chunk has no end"));
        }
        Ok(status.bytes_written)
    }
}

impl Read for Text {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while !out.is_empty() {
            let count = if self.given < self.pending.len() {
                let count = out.len().min(self.pending.len() - self.given);
                out[..count].copy_from_slice(&self.pending[self.given..][..count]);
                self.given += count;
                count
            } else if !self.packed.is_empty() {
                self.unpack(out)?
            } else if self.advance()? {
                0
            } else {
                break;
            };
            if count > 0 {
                return Ok(count);
            }
        }
        Ok(0)
    }
}

fn number(file: &mut impl Read) -> io::Result<u32> {
    let mut bytes = [0; 4];
    file.read_exact(&mut bytes)?;
    Ok(u32::from_le_bytes(bytes))
}

fn long_number(file: &mut impl Read) -> io::Result<u64> {
    let mut bytes = [0; 8];
    file.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

fn damaged(reason: &'static str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, reason)
}

fn cut() -> io::Error {
    ErrorKind::UnexpectedEof.into()
}

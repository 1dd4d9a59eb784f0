// SPDX-License-Identifier: Apache-2.0
//! Lines of a plain or packed file, without copying them.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::gzip::Members;
use crate::tracez;

/// Read at once from the file or its decompressor.
const CHUNK: usize = 1 << 18;

/// No line of a trace comes near this; a binary file has no line ends at all.
const LONGEST_LINE: usize = 1 << 22;

/// How packed files begin that are not unpacked here, and what packs them.
const PACKED: [(&[u8], &str); 4] =
    [(b"BZh", "bzip2"), (b"PK\x03\x04", "zip"), (b"7z\xbc\xaf", "7z"), (b"\x04\x22\x4d\x18", "lz4")];

/// The lines of a file, one borrowed at a time.
pub(crate) struct Lines {
    path: PathBuf,
    input: Box<dyn Read + Send>,
    buffer: Vec<u8>,
    /// The unread part of `buffer`.
    start: usize,
    end: usize,
    at_end: bool,
    number: u64,
    /// The line returned last had no line end.
    unterminated: bool,
}

impl Lines {
    /// Opens a file, unpacking it if its first bytes say xz, gzip or zstd, or if its name ends in `.tracez`.
    pub fn open(path: &Path) -> Result<Lines> {
        let input = Lines::unpacked(path)?;
        let mut lines = Lines {
            path: path.into(),
            input,
            buffer: vec![0; 2 * CHUNK],
            start: 0,
            end: 0,
            at_end: false,
            number: 0,
            unterminated: false,
        };
        lines.pass_byte_order_mark()?;
        Ok(lines)
    }

    fn unpacked(path: &Path) -> Result<Box<dyn Read + Send>> {
        let io_error = |cause| Error::Io { path: path.into(), cause };
        if path.extension().is_some_and(|extension| extension == "tracez") {
            return Ok(Box::new(tracez::Text::open(path)?));
        }
        let mut file = File::open(path).map_err(io_error)?;
        let mut magic = Vec::new();
        file.by_ref().take(6).read_to_end(&mut magic).map_err(io_error)?;
        if magic.is_empty() {
            return Err(Error::Empty { path: path.into() });
        }
        let plain = io::Cursor::new(magic.clone()).chain(file);
        Ok(match magic[..] {
            [0xfd, b'7', b'z', b'X', b'Z', 0] => Box::new(liblzma::read::XzDecoder::new_multi_decoder(plain)),
            [0x1f, 0x8b, ..] => Box::new(Members::new(BufReader::with_capacity(CHUNK, plain))),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => {
                Box::new(zstd::stream::read::Decoder::new(plain).map_err(io_error)?)
            }
            _ => match PACKED.iter().find(|(start, _)| magic.starts_with(start)) {
                Some((_, packer)) => return Err(Error::Packed { path: path.into(), packer }),
                None => Box::new(plain),
            },
        })
    }

    fn pass_byte_order_mark(&mut self) -> Result<()> {
        while self.end < 3 && !self.at_end {
            self.refill()?;
        }
        match self.buffer[..self.end] {
            [0xef, 0xbb, 0xbf, ..] => self.start = 3,
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => {
                self.number = 1;
                return Err(self.garbled("the text is UTF-16, and UTF-8 is read"));
            }
            _ => {}
        }
        Ok(())
    }

    /// Number of the line returned last, from 1.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The next line without its end, which may be that of Windows; `None` at the end of the file.
    pub fn next_line(&mut self) -> Result<Option<&[u8]>> {
        let mut searched = 0;
        loop {
            let unread = &self.buffer[self.start..self.end];
            if let Some(found) = memchr::memchr(b'\n', &unread[searched..]) {
                return Ok(Some(self.take(searched + found, 1)));
            }
            searched = unread.len();
            if self.at_end {
                return Ok((searched > 0).then(|| self.take(searched, 0)));
            }
            self.refill()?;
        }
    }

    fn take(&mut self, length: usize, line_end: usize) -> &[u8] {
        let line = self.start..self.start + length;
        self.start = line.end + line_end;
        self.number += 1;
        self.unterminated = line_end == 0;
        let line = &self.buffer[line];
        line.strip_suffix(b"\r").unwrap_or(line)
    }

    fn refill(&mut self) -> Result<()> {
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        if self.end > LONGEST_LINE {
            return Err(self.garbled("the line never ends"));
        }
        if self.buffer.len() < self.end + CHUNK {
            self.buffer.resize(self.end + CHUNK, 0);
        }
        match self.input.read(&mut self.buffer[self.end..]) {
            Ok(0) => self.at_end = true,
            Ok(count) => self.end += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                self.number += 1;
                return Err(self.truncated("its compressed stream has no end"));
            }
            Err(error) if error.raw_os_error().is_none() => {
                self.number += 1;
                return Err(self.garbled(format!("it does not decompress: {error}")));
            }
            Err(cause) => return Err(Error::Io { path: self.path.clone(), cause }),
        }
        Ok(())
    }

    /// An error about the line returned last. If that line has no end, the file was cut in it.
    pub fn garbled(&self, reason: impl Into<String>) -> Error {
        if self.unterminated {
            return self.truncated(reason);
        }
        Error::Garbled { path: self.path.clone(), line: self.number, reason: reason.into() }
    }

    /// An error about the line returned last, where more should have come.
    pub fn truncated(&self, reason: impl Into<String>) -> Error {
        Error::Truncated { path: self.path.clone(), line: self.number, reason: reason.into() }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Endings of files that are unpacked while reading.
pub(crate) const PACKED_ENDINGS: [&str; 3] = ["xz", "gz", "zst"];

/// `path` as it is, or with the ending of a packed file added or taken off, whichever exists.
pub(crate) fn find_file(path: &Path) -> Option<PathBuf> {
    let packed = path.extension().is_some_and(|ending| PACKED_ENDINGS.iter().any(|packed| ending == *packed));
    let plain = if packed { path.with_extension("") } else { path.into() };
    let with = |ending: &str| {
        let mut name = plain.clone().into_os_string();
        name.push(".");
        name.push(ending);
        PathBuf::from(name)
    };
    let candidates = [path.into(), plain.clone()].into_iter().chain(PACKED_ENDINGS.map(with));
    candidates.into_iter().find(|candidate| candidate.is_file())
}

// SPDX-License-Identifier: Apache-2.0
//! Errors of an instruction stream, each said once and with its remedy.

use std::io;
use std::path::PathBuf;

use crate::opcode::OpcodeError;

/// Result of reading or writing instruction streams.
pub type Result<T> = std::result::Result<T, Error>;

/// Every message names the file, the line where there is one, the reason and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
// The message of a variant says what it is, and what its fields are.
#[allow(missing_docs)]
pub enum Error {
    #[error("{}: {cause}; check that the path exists and that you may access it", path.display())]
    Io { path: PathBuf, cause: io::Error },

    #[error(transparent)]
    Unwritable(#[from] gpurf_files::Unwritable),

    #[error("{}: the file is empty; fetch it or trace the program again", path.display())]
    Empty { path: PathBuf },

    #[error("{}: the file is packed with {packer}, which is not read; unpack it", path.display())]
    Packed { path: PathBuf, packer: &'static str },

    #[error("{}: {reason}; fetch it again, or have Accel-Sim's traceDsm write it as text", path.display())]
    Tracez { path: PathBuf, reason: String },

    #[error(
        "{}:{line}: {reason}; a tracer that does not know the launch writes such a header: correct it, or trace the \
         program again",
        path.display()
    )]
    Header { path: PathBuf, line: u64, reason: String },

    #[error(
        "{}:{line}: {reason}; the file is damaged or no Accel-Sim trace: fetch it or trace the program again",
        path.display()
    )]
    Garbled { path: PathBuf, line: u64, reason: String },

    #[error(
        "{}:{line}: the trace is cut short: {reason}; fetch it or trace the program again",
        path.display()
    )]
    Truncated { path: PathBuf, line: u64, reason: String },

    #[error(
        "{}:{line}: tracer version {version} is unknown; versions 2 to 6, and 1.2, are read: trace with one of those",
        path.display()
    )]
    UnknownVersion { path: PathBuf, line: u64, version: u32 },

    #[error(
        "{}:{line}: kernel file `{name}` is missing, also with .xz, .gz or .zst added or taken off; put it beside the list or \
         take its line out",
        path.display()
    )]
    MissingKernel { path: PathBuf, line: u64, name: String },

    #[error(
        "{}: the folder holds neither kernelslist.g nor kernelslist nor kernelslist_ctx_..; name the folder of a trace, or a .traceg file itself",
        path.display()
    )]
    MissingList { path: PathBuf },

    #[error("{}: the list names no kernel and no copy; name a list that does", path.display())]
    NoKernels { path: PathBuf },

    #[error(
        "{}: the folder holds lists of several contexts; name one of them: {}",
        path.display(),
        lists.join(", ")
    )]
    SeveralContexts { path: PathBuf, lists: Vec<String> },

    #[error("{}:{line}: {cause}", path.display())]
    Opcode { path: PathBuf, line: u64, cause: OpcodeError },

    /// An instruction built by a program rather than read from a file.
    #[error(transparent)]
    Instruction(#[from] OpcodeError),

    /// A source of blocks other than a file.
    #[error("{message}")]
    Source { message: String },

    #[error("{}: already exists; remove it or choose another folder", path.display())]
    Exists { path: PathBuf },
}

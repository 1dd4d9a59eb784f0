// SPDX-License-Identifier: Apache-2.0
//! Pictures that stand beside the documents' tables, in folders of their own.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::output;

/// Writes the pictures that are not there as they should be, and removes other files of their folder; or, to
/// `check`, only lists both.
pub fn renew<'a>(
    folder: &Path,
    pictures: impl Iterator<Item = (&'a PathBuf, &'a String)>,
    check: bool,
) -> Result<Vec<PathBuf>> {
    let pictures: BTreeMap<&PathBuf, &String> = pictures.collect();
    let unusable = || format!("{}: cannot be read or changed", folder.display());
    let mut stale = vec![];
    for (&path, &picture) in &pictures {
        if !fs::read_to_string(path).is_ok_and(|old| old == *picture) {
            stale.push(path.clone());
            if !check {
                fs::create_dir_all(folder).with_context(unusable)?;
                output::write(path, picture.as_bytes())?;
            }
        }
    }
    for entry in folder.read_dir().into_iter().flatten() {
        let path = entry.with_context(unusable)?.path();
        if !pictures.contains_key(&path) {
            if !check {
                fs::remove_file(&path).with_context(unusable)?;
            }
            stale.push(path);
        }
    }
    Ok(stale)
}

// SPDX-License-Identifier: Apache-2.0
//! Results that Yosys took long to make, kept in a file that tells whether it is whole.
//!
//! The first line is a digest of the others; the second is a report as JSON; after it comes text of any
//! length.

use std::fs;
use std::path::Path;

use gpurf_verilog::cache;
use serde::de::DeserializeOwned;
use serde::Serialize;

/// The report and the text of a file; none if it is not there or damaged.
pub fn read<T: DeserializeOwned>(path: &Path) -> Option<(T, String)> {
    let all = fs::read_to_string(path).ok()?;
    let (digest, rest) = all.split_once('\n')?;
    let (report, text) = rest.split_once('\n')?;
    if digest != cache::key(&[report, text]) {
        return None;
    }
    Some((serde_json::from_str(report).ok()?, text.to_string()))
}

/// Writes a file whole. One that cannot be written costs time later, and nothing else.
pub fn write(path: &Path, report: &impl Serialize, text: &str) {
    let written = || -> Option<()> {
        let folder = path.parent()?;
        let report = serde_json::to_string(report).ok()?;
        fs::create_dir_all(folder).ok()?;
        let digest = cache::key(&[&report, text]);
        gpurf_files::write(path, format!("{digest}\n{report}\n{text}")).ok()
    };
    let _ = written();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_with_any_byte_changed_or_lost_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("not/there/yet");
        assert_eq!(read::<Vec<u32>>(&path), None);
        let (report, text) = (vec![1, 2], "cells\nand more\n".to_string());
        write(&path, &report, &text);
        assert_eq!(read(&path), Some((report, text)));
        let whole = fs::read(&path).unwrap();
        for place in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[place] ^= 1;
            fs::write(&path, &damaged).unwrap();
            assert_eq!(read::<Vec<u32>>(&path), None, "byte {place}");
            fs::write(&path, &whole[..place]).unwrap();
            assert_eq!(read::<Vec<u32>>(&path), None, "cut at {place}");
        }
    }
}

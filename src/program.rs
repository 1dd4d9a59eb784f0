// SPDX-License-Identifier: Apache-2.0
//! The program that runs: what its results are of.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

/// A program that has the tool in it.
#[derive(Debug)]
pub struct Program {
    /// The file that the code was loaded from.
    pub file: PathBuf,
    /// Name and date of the commit that it is built from, and whether files differed from it: the value of
    /// `gpurf_commit::commit!`.
    pub commit: Option<(&'static str, &'static str, bool)>,
}

static PROGRAM: OnceLock<Program> = OnceLock::new();

/// Tells which program this process is. The first call counts.
pub fn is(program: Program) {
    let _ = PROGRAM.set(program);
}

/// The release and the commit, as `--version` and all results have them.
pub fn version() -> &'static str {
    static VERSION: OnceLock<String> = OnceLock::new();
    VERSION.get_or_init(|| {
        let release = env!("CARGO_PKG_VERSION");
        match PROGRAM.get().and_then(|program| program.commit) {
            Some((name, date, false)) => format!("{release}, commit {name} of {date}"),
            Some((name, date, true)) => format!("{release}, commit {name} of {date}, with changes"),
            None => format!("{release}, commit unknown: built without git"),
        }
    })
}

/// The commit in short, with a plus if files differed from it.
pub fn commit() -> String {
    match PROGRAM.get().and_then(|program| program.commit) {
        Some((name, _, changed)) => format!("{name}{}", if changed { "+" } else { "" }),
        None => "unknown".into(),
    }
}

/// Properties that tell a run from others, by name and value.
pub type Properties = Vec<(String, String)>;

/// The ones that every run has: the build of the program, and the digest of the input.
pub fn properties(input: &str) -> Result<Properties> {
    let all = [("build of gpurf", digest()?), ("content of the input", input)];
    Ok(all.map(|(name, value)| (name.into(), value.into())).into())
}

/// The first property that differs: its name, its value there, and its value here.
pub fn difference<'a>(there: &'a Properties, here: &'a Properties) -> Option<(&'a str, &'a str, &'a str)> {
    let value = |of: &'a Properties, wanted: &str| {
        of.iter().find(|(name, _)| name == wanted).map_or("", |(_, value)| value)
    };
    let names = here.iter().chain(there).map(|(name, _)| name.as_str());
    names.map(|name| (name, value(there, name), value(here, name))).find(|(_, there, here)| there != here)
}

/// SHA-256 of the program: another build gives other results, or may.
pub fn digest() -> Result<&'static str> {
    static DIGEST: OnceLock<String> = OnceLock::new();
    if let Some(known) = DIGEST.get() {
        return Ok(known);
    }
    let file = &PROGRAM.get().context("it is not known which program runs")?.file;
    let found = digest_of([file.as_path()])
        .context("the results of this program cannot be told from those of others")?;
    Ok(DIGEST.get_or_init(|| found))
}

/// SHA-256 of the contents of files, one by one.
pub fn digest_of<'a>(files: impl IntoIterator<Item = &'a Path>) -> Result<String> {
    let mut all = Sha256::new();
    for path in files {
        let mut content = Sha256::new();
        let copied = File::open(path).and_then(|mut file| io::copy(&mut file, &mut content));
        copied.with_context(|| format!("{}: cannot be read; check the file", path.display()))?;
        all.update(content.finalize());
    }
    Ok(format!("{:x}", all.finalize()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_tell_contents_and_their_borders_apart() {
        let folder = tempfile::tempdir().expect("a folder");
        let digest = |texts: &[&str]| {
            let files: Vec<PathBuf> =
                (0..texts.len()).map(|number| folder.path().join(number.to_string())).collect();
            files.iter().zip(texts).for_each(|(file, text)| std::fs::write(file, text).expect("written"));
            digest_of(files.iter().map(PathBuf::as_path)).expect("read")
        };
        assert_eq!(digest(&["ab", "c"]), digest(&["ab", "c"]));
        assert_ne!(digest(&["ab", "c"]), digest(&["a", "bc"]));
        assert_ne!(digest(&["ab", "c"]), digest(&["ab", "d"]));
        let missing = digest_of([folder.path().join("missing").as_path()]).unwrap_err();
        assert!(missing.to_string().contains("missing: cannot be read"), "{missing}");
    }
}

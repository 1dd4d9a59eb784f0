// SPDX-License-Identifier: Apache-2.0
//! The commit that a program is built from.
//!
//! A macro reads it, and not a build script: after a commit, a build script would have the whole package
//! compiled again, and the macro only the program that calls it.

#![warn(missing_docs)]

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use proc_macro::TokenStream;

/// The commit as `Some((name, date, changed))`; `changed` tells that files which git knows differed from it.
/// `None` if the package is in no git repository, as in an archive of the source.
///
/// The program that calls it is compiled again when another commit is checked out.
#[proc_macro]
pub fn commit(_: TokenStream) -> TokenStream {
    let folder = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let text = folder.and_then(|folder| expression(&folder)).unwrap_or_else(|| "None".into());
    text.parse().expect("an expression")
}

fn expression(folder: &Path) -> Option<String> {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).current_dir(folder).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_string())
    };
    // A repository that an archive was unpacked in does not know the package.
    git(&["ls-files", "--error-unmatch", "Cargo.toml"])?;
    let commit = git(&["log", "-1", "--abbrev=12", "--format=%h %cs"])?;
    let (name, date) = commit.split_once(' ')?;
    let changed = !git(&["status", "--porcelain", "--untracked-files=no", "--", ":/"])?.is_empty();
    // The log grows when HEAD moves. Without a log, HEAD itself moves at least to another branch.
    let moves = |name: &&str| {
        Some(folder.join(git(&["rev-parse", "--git-path", name])?)).filter(|path| path.exists())
    };
    let log = ["logs/HEAD", "HEAD"].iter().find_map(moves)?;
    Some(format!("{{ const _: &[u8] = include_bytes!({log:?}); Some(({name:?}, {date:?}, {changed})) }}"))
}

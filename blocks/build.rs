// SPDX-License-Identifier: Apache-2.0
//! The plain structs of all modules' ports, from the declarations of the hardware.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    // Asked for when this runs: a build folder may have been copied from where it was compiled.
    let declarations = Path::new(&std::env::var("CARGO_MANIFEST_DIR")?).join("../hw/src");
    println!("cargo::rerun-if-changed={}", declarations.display());
    let mut paths = vec![];
    sources(&declarations, &mut paths)?;
    paths.sort();
    let mut files = vec![];
    for path in paths {
        let text = fs::read_to_string(&path)?;
        files.push(syn::parse_file(&text).map_err(|error| in_file(&path, error))?);
    }
    let structs = gpurf_declaration::ports(&files)?;
    let generated = Path::new(&std::env::var("OUT_DIR")?).join("ports.rs");
    fs::write(generated, prettyplease::unparse(&syn::parse2(structs)?))?;
    Ok(())
}

fn sources(folder: &Path, paths: &mut Vec<PathBuf>) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            sources(&path, paths)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            paths.push(path);
        }
    }
    Ok(())
}

fn in_file(path: &Path, error: syn::Error) -> String {
    let at = error.span().start();
    format!("{}:{}:{}: {error}", path.display(), at.line, at.column + 1)
}

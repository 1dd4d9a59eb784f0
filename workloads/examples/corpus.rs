//! How many kernels of listings can be executed, and what refuses the others.
//!
//! `cargo run -p gpurf-workloads --example corpus -- FILE.sass..`, without files on those of the project.

use std::collections::BTreeMap;
use std::path::PathBuf;

use gpurf_workloads::{Error, Module};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut paths: Vec<PathBuf> = std::env::args().skip(1).map(PathBuf::from).collect();
    if paths.is_empty() {
        for folder in ["kernels", "tests/listings"] {
            let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(folder);
            for entry in std::fs::read_dir(folder)? {
                paths.push(entry?.path());
            }
        }
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "sass"));
        paths.sort();
    }
    let (mut kernels, mut executable) = (0, 0);
    // By the opcode that is not known, or the message.
    let mut refused: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for path in paths {
        let file = path.display().to_string();
        let module = match Module::parse(&file, &std::fs::read_to_string(&path)?) {
            Ok(module) => module,
            Err(error) => {
                refused.entry(error.to_string()).or_default().push(file);
                continue;
            }
        };
        for kernel in &module.kernels {
            kernels += 1;
            match module.check(kernel) {
                Ok(()) => executable += 1,
                Err(Error::Fault { place, .. }) => {
                    let words = place.instruction.split(' ').find(|word| !word.starts_with('@'));
                    refused.entry(words.unwrap_or_default().into()).or_default().push(kernel.name.clone());
                }
                Err(error) => refused.entry(error.to_string()).or_default().push(kernel.name.clone()),
            }
        }
    }
    println!("{executable} of {kernels} kernels can be executed");
    for (what, by) in refused {
        println!("{what}: {}", by.join(", "));
    }
    Ok(())
}

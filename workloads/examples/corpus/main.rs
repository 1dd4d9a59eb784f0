// SPDX-License-Identifier: Apache-2.0
//! Counts the kernels of the project's own corpus: how many are right, what refuses others, and which are
//! wrong.
//!
//! `make corpus`, or `cargo run -p gpurf-workloads --example corpus`, counts three parts: the kernels of the
//! built-in workloads, which compare their answers with references; the kernels of `tests/listings`, which
//! the tests launch and compare; and every function that the CUDA headers declare for device code, compiled
//! in a kernel of its own with the compiler of `workloads/build` and compared with answers computed here.
//! Exit code 1 if any is wrong, or if no test launches a kernel of the listings.
//!
//! `cargo run -p gpurf-workloads --example corpus -- FILE.sass..` says of other listings how many kernels can
//! be executed, and what refuses the others.

mod answers;
mod function;
mod functions;
mod headers;
mod project;
mod report;

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use gpurf_workloads::Module;
use report::{CorpusReport, Outcome};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<ExitCode> {
    let paths: Vec<PathBuf> = std::env::args().skip(1).map(PathBuf::from).collect();
    if !paths.is_empty() {
        let report = executable(&paths)?;
        print!(
            "{} of {} kernels can be executed\n{}",
            report.unanswered.len(),
            report.count(),
            report.refusals()
        );
        return Ok(ExitCode::SUCCESS);
    }
    let mut parts = vec![
        ("kernels of the workloads", project::workloads()?),
        ("kernels of the tests", project::tests()?),
    ];
    match headers::cuda() {
        Ok(cuda) => parts.push(("functions of the CUDA headers", headers::functions(&cuda)?)),
        Err(missing) => println!("functions of the CUDA headers are not counted: {missing}"),
    }
    println!("{}", report::HEADER);
    let mut all = CorpusReport::default();
    for (name, report) in parts {
        println!("{}", report.row(name));
        all.join(report);
    }
    print!("{}\n{all}", all.row("all"));
    Ok(ExitCode::from(u8::from(all.is_wrong())))
}

/// Which kernels of listings can be executed; those that can have no answer here.
fn executable(paths: &[PathBuf]) -> Result<CorpusReport> {
    let mut report = CorpusReport::default();
    for path in paths {
        let file = path.display().to_string();
        match Module::parse(&file, &std::fs::read_to_string(path)?) {
            Ok(module) => {
                for kernel in &module.kernels {
                    let outcome = module.check(kernel).map_or_else(Outcome::of, |()| Outcome::Unanswered);
                    report.add(kernel.name.clone(), outcome);
                }
            }
            Err(error) => report.add(file, Outcome::Refused(error.to_string())),
        }
    }
    Ok(report)
}

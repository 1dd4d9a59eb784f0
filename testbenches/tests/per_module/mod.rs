// SPDX-License-Identifier: Apache-2.0
//! One test for each module of the catalogue and concern, so that the failure of one hides no other.

use std::process::ExitCode;

use gpurf_hw::catalogue::{catalogue, CatalogueEntry};
use libtest_mimic::{Arguments, Trial};

/// A name, the modules it is tested of, and the test, which panics if the concern is not met.
pub type Concern = (&'static str, fn(&CatalogueEntry) -> bool, fn(&CatalogueEntry));

/// Runs them as tests called `module::concern`, under the command line of any test.
pub fn run(concerns: &[Concern]) -> ExitCode {
    let tests = concerns.iter().flat_map(|&(name, concerns, test)| {
        catalogue().iter().filter(move |entry| concerns(entry)).map(move |entry| {
            Trial::test(format!("{}::{name}", entry.name), move || {
                test(entry);
                Ok(())
            })
        })
    });
    libtest_mimic::run(&Arguments::from_args(), tests.collect()).exit_code()
}

/// Concerns every module.
pub fn all(_: &CatalogueEntry) -> bool {
    true
}

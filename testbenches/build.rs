// SPDX-License-Identifier: Apache-2.0
//! A new file in `src` is a module without any other edit, so the package is compiled again when one comes.

fn main() {
    println!("cargo::rerun-if-changed=src");
}

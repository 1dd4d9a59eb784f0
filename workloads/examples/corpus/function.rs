// SPDX-License-Identifier: Apache-2.0
//! A function that the CUDA headers declare for device code.

/// A function with the types of its parameters.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub struct Function {
    pub result: String,
    pub name: String,
    pub parameters: Vec<String>,
}

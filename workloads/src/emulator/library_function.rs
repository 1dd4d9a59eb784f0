// SPDX-License-Identifier: Apache-2.0
//! Functions of the CUDA runtime that no listing has, and the addresses that stand for them.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LibraryFunction {
    Print,
    AssertFail,
    Allocate,
    Free,
    SetCondition,
}

const FUNCTIONS: [(&str, LibraryFunction); 5] = [
    ("vprintf", LibraryFunction::Print),
    ("__assertfail", LibraryFunction::AssertFail),
    ("malloc", LibraryFunction::Allocate),
    ("free", LibraryFunction::Free),
    ("cudaGraphSetConditional", LibraryFunction::SetCondition),
];

/// Where the functions seem to be.
const BASE: u64 = 0x7e00_0000_0000;
const DISTANCE: u64 = 16;
impl LibraryFunction {
    pub fn named(name: &str) -> Option<LibraryFunction> {
        FUNCTIONS.iter().find(|(known, _)| *known == name).map(|(_, function)| *function)
    }

    pub fn address(self) -> u64 {
        let place = FUNCTIONS.iter().position(|(_, function)| *function == self).expect("listed");
        BASE + DISTANCE * place as u64
    }

    pub fn at(address: u64) -> Option<LibraryFunction> {
        FUNCTIONS.iter().map(|(_, function)| *function).find(|function| function.address() == address)
    }
}

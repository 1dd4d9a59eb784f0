// SPDX-License-Identifier: Apache-2.0
//! The SM as the way to memory sees it, and whom it tells.

use super::blocks::Blocks;
use super::clock::Clock;
use super::code::Code;
use super::completions::Completions;
use super::records::Records;

pub(super) struct Surroundings<'a> {
    pub code: &'a Code,
    pub blocks: &'a Blocks,
    pub clock: &'a mut Clock,
    pub completions: &'a mut Completions,
    pub records: &'a mut Records,
}

// SPDX-License-Identifier: Apache-2.0
//! The sub-cores of an SM and what they have in common.

use gpurf_blocks::SUB_CORES;

use crate::checkpoint::checkpoint;
use crate::engines::RunsSubCore;

use super::context::Context;
use super::core::Core;
use super::monolithic::Monolithic;

/// `E` runs the hardware of the sub-cores.
pub(super) struct Machine<E> {
    pub sub_cores: [Core<E>; SUB_CORES],
    pub context: Context,
    /// The scheduler that chooses for all of them, in the monolithic organisation.
    pub monolithic: Option<Monolithic>,
    /// Number of the next instruction to be launched.
    pub next_serial: u32,
}

checkpoint! {
    [<E: RunsSubCore>] Machine<E> {
        values: monolithic next_serial;
        parts: sub_cores context;
    }
}

// SPDX-License-Identifier: Apache-2.0
//! Emitted Verilog, run behind [`Clocked`](gpurf_blocks::Clocked).
//!
//! Both engines reset for one cycle when they are made, exactly as
//! [`Rtl`](gpurf_hw::dialect::Rtl) does, so that engines of one module stand in the same cycle.

mod harness;
mod icarus;
mod model;
mod shim;
mod verilated;

use thiserror::Error;

pub use icarus::Icarus;
pub use verilated::Verilated;

use crate::tools::{MissingTool, ToolError};
use crate::EmitError;

/// Why there is no engine for a module.
// The message of a variant says what it is, and what its fields are.
#[allow(missing_docs)]
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EngineError {
    #[error(transparent)]
    Emit(#[from] EmitError),
    #[error(transparent)]
    Tool(#[from] ToolError),
    #[error("{library} cannot be loaded: {problem}")]
    Load { library: String, problem: String },
}

impl From<MissingTool> for EngineError {
    fn from(missing: MissingTool) -> Self {
        EngineError::Tool(missing.into())
    }
}

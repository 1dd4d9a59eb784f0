//! Emitted Verilog, run behind [`Clocked`](gpurf_hw::dialect::Clocked).
//!
//! Both engines reset for one cycle when they are made, exactly as
//! [`Rtl`](gpurf_hw::dialect::Rtl) does, so that engines of one module stand in the same cycle.

mod cache;
mod icarus;
mod shim;
mod verilated;

use gpurf_hw::dialect::{layout, Ports};
use thiserror::Error;

pub use icarus::Icarus;
pub use verilated::Verilated;

use crate::tools::{MissingTool, ToolError};
use crate::{Design, EmitError};

/// Why there is no engine for a module.
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

/// A Verilog port, and where its value stands in the packed words of the plain struct.
struct Wire {
    name: String,
    width: usize,
    first_word: usize,
}

/// The ports of the top module that `P` names, in its order.
///
/// Elements of an array past the module's own count have no port: they are left out.
fn wires<P: Ports>(design: &Design) -> Vec<Wire> {
    let ports = &design.top_module().ports;
    let fields = layout::<P>().into_iter();
    fields
        .filter_map(|field| {
            let name = field.name.to_string();
            let width = ports.iter().find(|port| port.name == name)?.width;
            Some(Wire { name, width, first_word: field.first_word })
        })
        .collect()
}

/// Words that `P` takes when packed.
fn words<P: Ports>() -> usize {
    layout::<P>().last().map_or(0, |field| field.first_word + field.words)
}

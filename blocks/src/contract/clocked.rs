// SPDX-License-Identifier: Apache-2.0
//! The contract that every engine of a block keeps.

use std::io;

/// A synchronous block, seen one clock cycle at a time.
///
/// A cycle is one or more calls of `settle` and then one `tick`. `settle` may be repeated with other
/// inputs: only the inputs of the last call before the edge count, as on wires.
pub trait Clocked {
    /// Inputs of a cycle.
    type In;
    /// Outputs of a cycle.
    type Out;

    /// Combinational outputs of this cycle, for these inputs.
    fn settle(&mut self, inputs: &Self::In) -> Self::Out;

    /// The rising clock edge.
    fn tick(&mut self);

    /// Appends the block's state between two cycles to `state`.
    ///
    /// # Errors
    /// [`io::ErrorKind::Unsupported`]: the engine does not show its registers. Models do, hardware does not.
    fn save(&self, state: &mut Vec<u8>) -> io::Result<()> {
        let _ = state;
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Takes over what an engine of the same type and parameters saved, from the front of `state`.
    ///
    /// # Errors
    /// As of [`Clocked::save`], and if it is not such a state.
    fn restore(&mut self, state: &mut &[u8]) -> io::Result<()> {
        let _ = state;
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// A pointer to an engine is one.
macro_rules! forwarded {
    ($($pointer:ty),*) => {$(
        impl<B: Clocked + ?Sized> Clocked for $pointer {
            type In = B::In;
            type Out = B::Out;

            fn settle(&mut self, inputs: &Self::In) -> Self::Out {
                (**self).settle(inputs)
            }

            fn tick(&mut self) {
                (**self).tick()
            }

            fn save(&self, state: &mut Vec<u8>) -> io::Result<()> {
                (**self).save(state)
            }

            fn restore(&mut self, state: &mut &[u8]) -> io::Result<()> {
                (**self).restore(state)
            }
        }
    )*};
}

forwarded!(&mut B, Box<B>);

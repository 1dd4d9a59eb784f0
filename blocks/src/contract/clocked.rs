//! The contract that every engine of a block keeps.

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
}

impl<B: Clocked + ?Sized> Clocked for Box<B> {
    type In = B::In;
    type Out = B::Out;

    fn settle(&mut self, inputs: &Self::In) -> Self::Out {
        (**self).settle(inputs)
    }

    fn tick(&mut self) {
        (**self).tick()
    }
}

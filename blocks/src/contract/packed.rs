// SPDX-License-Identifier: Apache-2.0
//! Engines behind packed words, for those who do not know the types of the ports: a bench is compiled once,
//! whatever modules there are.

use std::marker::PhantomData;

use super::{layout, pack, unpack, Clocked, Field, Ports};

/// An engine whose ports are packed words, in the order of its [`PortLayout`]. Its cycles are those of
/// [`Clocked`].
pub trait PackedClocked {
    /// Writes the combinational outputs of this cycle, for these inputs.
    fn settle(&mut self, inputs: &[u32], outputs: &mut [u32]);

    /// The rising clock edge.
    fn tick(&mut self);
}

impl<E: PackedClocked + ?Sized> PackedClocked for Box<E> {
    fn settle(&mut self, inputs: &[u32], outputs: &mut [u32]) {
        (**self).settle(inputs, outputs);
    }

    fn tick(&mut self) {
        (**self).tick();
    }
}

/// Where each port of a module stands in the packed words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortLayout {
    /// Ports of the inputs, in packed order.
    pub inputs: Vec<Field>,
    /// Ports of the outputs, in packed order.
    pub outputs: Vec<Field>,
}

impl PortLayout {
    /// The layout of the ports of these types.
    pub fn of<I: Ports, O: Ports>() -> Self {
        PortLayout { inputs: layout::<I>(), outputs: layout::<O>() }
    }

    /// Numbers of words of the inputs and of the outputs.
    pub fn words(&self) -> (usize, usize) {
        let words = |fields: &[Field]| fields.last().map_or(0, |last| last.first_word + last.words);
        (words(&self.inputs), words(&self.outputs))
    }

    /// Words of the inputs, all zero.
    pub fn no_inputs(&self) -> Vec<u32> {
        vec![0; self.words().0]
    }

    /// Words of the outputs, all zero.
    pub fn no_outputs(&self) -> Vec<u32> {
        vec![0; self.words().1]
    }
}

/// An engine of known ports, behind packed words.
pub struct Packed<E>(pub E);

impl<E: Clocked> PackedClocked for Packed<E>
where
    E::In: Ports,
    E::Out: Ports,
{
    fn settle(&mut self, inputs: &[u32], outputs: &mut [u32]) {
        pack(&self.0.settle(&unpack(inputs)), outputs);
    }

    fn tick(&mut self) {
        self.0.tick();
    }
}

/// A packed engine, seen with the types of its ports.
pub struct Typed<E, I, O> {
    /// The engine behind packed words.
    pub engine: E,
    words: (Vec<u32>, Vec<u32>),
    ports: PhantomData<fn(I) -> O>,
}

impl<E, I: Ports, O: Ports> Typed<E, I, O> {
    /// The engine must have these ports.
    pub fn new(engine: E) -> Self {
        let layout = PortLayout::of::<I, O>();
        Typed { engine, words: (layout.no_inputs(), layout.no_outputs()), ports: PhantomData }
    }
}

impl<E: PackedClocked, I: Ports, O: Ports> Clocked for Typed<E, I, O> {
    type In = I;
    type Out = O;

    fn settle(&mut self, inputs: &I) -> O {
        let (packed_inputs, outputs) = &mut self.words;
        pack(inputs, packed_inputs);
        self.engine.settle(packed_inputs, outputs);
        unpack(outputs)
    }

    fn tick(&mut self) {
        self.engine.tick();
    }
}

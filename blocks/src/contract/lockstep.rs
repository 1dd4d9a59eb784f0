// SPDX-License-Identifier: Apache-2.0
//! Two engines of one block, compared in every cycle.

use std::fmt;

use super::{layout, packed, Clocked, Field, PortName, Ports};

/// The first difference that a [`Lockstep`] met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// Clock cycles since the start; the cycle of the difference.
    pub cycle: u64,
    /// The first port that differs.
    pub port: PortName,
    /// Values in hexadecimal.
    pub first: String,
    /// The same port in the second engine.
    pub second: String,
}

impl fmt::Display for Divergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Divergence { cycle, port, first, second } = self;
        write!(f, "cycle {cycle}: {port} is {first} in the first engine and {second} in the second")
    }
}

/// Runs two engines on the same inputs and hands on the outputs of the first.
pub struct Lockstep<A, B> {
    /// The engine whose outputs count.
    pub first: A,
    /// The engine that is held against it.
    pub second: B,
    cycle: u64,
    /// Cycles in which some output differed.
    pub divergent_cycles: u64,
    /// The first of them.
    pub divergence: Option<Divergence>,
    differs_now: bool,
}

impl<A, B> Lockstep<A, B> {
    /// Two engines of one block, both after reset.
    pub fn new(first: A, second: B) -> Self {
        Lockstep { first, second, cycle: 0, divergent_cycles: 0, divergence: None, differs_now: false }
    }

    /// Clock edges so far.
    pub fn cycles(&self) -> u64 {
        self.cycle
    }
}

impl<A, B> Clocked for Lockstep<A, B>
where
    A: Clocked,
    B: Clocked<In = A::In, Out = A::Out>,
    A::Out: Ports,
{
    type In = A::In;
    type Out = A::Out;

    fn settle(&mut self, inputs: &A::In) -> A::Out {
        let first = self.first.settle(inputs);
        let second = self.second.settle(inputs);
        self.differs_now = first != second;
        if self.differs_now && self.divergence.is_none() {
            self.divergence = Some(difference(self.cycle, first, second));
        }
        first
    }

    fn tick(&mut self) {
        self.first.tick();
        self.second.tick();
        self.divergent_cycles += self.differs_now as u64;
        self.cycle += 1;
    }
}

/// Names the first port in which two outputs differ; they must not be equal.
pub fn difference<P: Ports>(cycle: u64, first: P, second: P) -> Divergence {
    packed_difference(cycle, &layout::<P>(), &packed(&first), &packed(&second))
}

/// The same of packed outputs with this layout.
pub fn packed_difference(cycle: u64, layout: &[Field], first: &[u32], second: &[u32]) -> Divergence {
    let field = layout.iter().find(|field| field.of(first) != field.of(second)).expect("outputs differ");
    let (first, second) = (field.hexadecimal(first), field.hexadecimal(second));
    Divergence { cycle, port: field.name, first, second }
}

// SPDX-License-Identifier: Apache-2.0
//! Bundles: wires that travel together, and are assigned as one.
//!
//! A kernel under `#[rtl]` writes `pass!(from => to)`, `to.clear()`, `to.merge(from.val())` and
//! `to.load(enable, from.val())`. The attribute makes an [`assign`] of each: in Rust it moves values, and for
//! Verilog it is an [`Assigned`].

use std::ops::BitOr;

use rust_hdl::ast::{VerilogLink, VerilogLinkDetails};
use rust_hdl::prelude::*;
use smallvec::SmallVec;

use super::{Clocking, Driven, Register};

/// A value that a wire of a bundle can carry.
pub trait Carried: Synth + BitOr<Output = Self> {}

impl Carried for Bit {}
impl<const N: usize> Carried for Bits<N> {}

/// The role of a bundle's wires in the module that has it: `In`, `Out`, `Local` or [`Held`].
pub trait Role {
    /// A wire of the role.
    type Of<T: Carried>: Wires<Value = T>
        + Merged
        + Enabled<Self::Enable>
        + Driven
        + Block
        + Clocking
        + Default;
    /// The signal that says when they are loaded.
    type Enable: Default;
}

/// The wires are registers, which are loaded together.
pub struct Held;

impl Role for In {
    type Of<T: Carried> = Signal<In, T>;
    type Enable = ();
}

impl Role for Out {
    type Of<T: Carried> = Signal<Out, T>;
    type Enable = ();
}

impl Role for Local {
    type Of<T: Carried> = Signal<Local, T>;
    type Enable = ();
}

impl Role for Held {
    type Of<T: Carried> = Register<T>;
    type Enable = Enable;
}

/// The enable of all registers of a bundle, `self.bundle.enable.next`.
#[derive(Default)]
pub struct Enable {
    /// Its value in this cycle.
    pub next: bool,
}

impl Logic for Enable {
    fn update(&mut self) {}
}

/// A wire, or several that are assigned as one.
pub trait Wires {
    /// One value of all of them.
    type Value;

    /// The value that they carry; of registers, the value that they hold.
    fn value(&self) -> Self::Value;
    /// All bits zero.
    fn zero(&self) -> Self::Value;
    /// Assigns all; of registers, what they are loaded with.
    fn drive(&mut self, value: Self::Value);
}

/// Wires that can be put together with others bit by bit.
pub trait Merged: Wires {
    /// The value that they carry, or the other.
    fn either(&self, other: Self::Value) -> Self::Value;
}

/// Wires that a bundle's enable reaches.
pub trait Enabled<E> {
    /// Drives their enables.
    fn enable(&mut self, _enable: &E) {}
}

/// Single wires, and the signal in each that is driven.
macro_rules! single {
    ($($wire:ty $(, $driven:ident)?;)*) => {$(
        impl<T: Synth> Wires for $wire {
            type Value = T;

            fn value(&self) -> T {
                self.val()
            }

            fn zero(&self) -> T {
                T::default()
            }

            fn drive(&mut self, value: T) {
                self$(.$driven)?.next = value;
            }
        }

        impl<T: Carried> Merged for $wire {
            fn either(&self, other: T) -> T {
                self.val() | other
            }
        }
    )*};
}
single! {
    Signal<In, T>;
    Signal<Out, T>;
    Signal<Local, T>;
    Register<T>, d;
}

impl<D: rust_hdl::direction::Direction, T: Synth> Enabled<()> for Signal<D, T> {}

impl<D: rust_hdl::direction::Direction, T: Synth> Clocking for Signal<D, T> {
    fn shows_anew(&self) -> bool {
        self.changed
    }
}

impl<T: Synth> Enabled<Enable> for Register<T> {
    fn enable(&mut self, enable: &Enable) {
        self.enable.next = enable.next;
    }
}

impl<W: Wires> Wires for Vec<W> {
    // Most arrays in a bundle have an element for each source slot.
    type Value = SmallVec<[W::Value; 8]>;

    fn value(&self) -> Self::Value {
        self.iter().map(W::value).collect()
    }

    fn zero(&self) -> Self::Value {
        self.iter().map(W::zero).collect()
    }

    fn drive(&mut self, value: Self::Value) {
        self.iter_mut().zip(value).for_each(|(wire, value)| wire.drive(value));
    }
}

impl<W: Merged> Merged for Vec<W> {
    fn either(&self, other: Self::Value) -> Self::Value {
        self.iter().zip(other).map(|(wire, other)| wire.either(other)).collect()
    }
}

impl<E, W: Enabled<E>> Enabled<E> for Vec<W> {
    fn enable(&mut self, enable: &E) {
        self.iter_mut().for_each(|wire| wire.enable(enable));
    }
}

/// The values that wires carry.
pub fn value<W: Wires>(from: &W) -> W::Value {
    from.value()
}

/// Zeros for wires like these.
pub fn zero<W: Wires>(like: &W) -> W::Value {
    like.zero()
}

/// The values of two bundles, joined bit by bit with `or`.
pub fn either<A: Merged, B: Wires<Value = A::Value>>(one: &A, other: &B) -> A::Value {
    one.either(other.value())
}

/// Assigns a value, which is taken before its target is.
pub fn assign<W: Wires>(value: W::Value, to: &mut W) {
    to.drive(value);
}

/// The field path of what a probe meets, its namespaces first: `evicted$warp$3` for a bundle `evicted!evict`,
/// whose wires are called by another name than its own.
pub fn field_path(steps: &[String]) -> String {
    let steps = steps.iter().flat_map(|step| step.split('$'));
    steps.map(|step| step.split('!').next().unwrap_or(step)).collect::<Vec<_>>().join("$")
}

/// The same as Verilog has it: `evict$warp$3`.
pub fn verilog_path(steps: &[String]) -> String {
    let steps = steps.iter().flat_map(|step| step.split('$'));
    let steps = steps.map(|step| step.split_once('!').map_or(step, |(_, name)| name));
    steps.filter(|step| !step.is_empty()).collect::<Vec<_>>().join("$")
}

/// The name of a link that stands for an assignment.
const MARK: &str = "assigned as one";

/// An assignment to a bundle, or to a single wire, as a kernel says it: paths with `$` between names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Assigned<'a> {
    /// The wires that are assigned.
    pub target: &'a str,
    /// The value that they are assigned.
    pub value: AssignedValue<'a>,
}

/// A value that is assigned to wires; paths with `$` between names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AssignedValue<'a> {
    /// Zero in all of them.
    Zero,
    /// The value that these carry.
    Of(&'a str),
    /// Both, bit by bit.
    Either(&'a str, &'a str),
}

impl<'a> Assigned<'a> {
    /// The same as a link, the statement of rust-hdl's that is closest.
    pub fn link(&self) -> VerilogLink {
        let value = match self.value {
            AssignedValue::Zero => String::new(),
            AssignedValue::Of(path) => path.to_string(),
            AssignedValue::Either(one, other) => format!("{one} {other}"),
        };
        VerilogLink::Forward(VerilogLinkDetails {
            my_name: MARK.to_string(),
            owner_name: value,
            other_name: self.target.to_string(),
        })
    }

    /// Reads a link that [`Assigned::link`] made; none if it is one between interfaces of rust-hdl's own.
    pub fn of(link: &'a VerilogLink) -> Option<Self> {
        let VerilogLink::Forward(link) = link else { return None };
        let value = match (link.owner_name.as_str(), link.owner_name.split_once(' ')) {
            ("", _) => AssignedValue::Zero,
            (_, Some((one, other))) => AssignedValue::Either(one, other),
            (path, None) => AssignedValue::Of(path),
        };
        (link.my_name == MARK).then_some(Assigned { target: &link.other_name, value })
    }
}

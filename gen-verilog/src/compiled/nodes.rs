// SPDX-License-Identifier: Apache-2.0
//! Values of a cycle as a graph: each node is a function of other nodes, and equal nodes are one.
//!
//! Nodes fold when they are made: constants, slices of concatenations, choices between equal values. A node
//! has no side effect, so whoever evaluates the graph may leave out all that nobody asks for.

use std::collections::HashMap;

use num_bigint::BigUint;

use super::layout::LIMB;
use crate::emit::expression::Binary;

/// A node's place in [`Nodes`]. Its operands come before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(u32);

impl NodeId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// State, an input, or a value that one piece of code stores for others: a place in memory.
pub type SlotId = u32;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    Constant(BigUint),
    Slot(SlotId),
    /// As many bits as the node has, from this one up.
    Slice(NodeId, u32),
    /// The lowest part first.
    Concatenation(Box<[NodeId]>),
    Not(NodeId),
    All(NodeId),
    Any(NodeId),
    Parity(NodeId),
    Binary(Binary, NodeId, NodeId),
    /// Bits from the one up that the second node selects; zeros beyond the end.
    Window(NodeId, NodeId),
    /// The first with the bit that the second selects replaced by the third.
    SetBit(NodeId, NodeId, NodeId),
    /// The second if the first holds, else the third.
    Mux(NodeId, NodeId, NodeId),
    /// The arm whose label the selector has.
    Choose(Box<Choice>),
}

/// One of many.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Choice {
    pub selector: NodeId,
    /// No label twice.
    pub arms: Box<[(u64, NodeId)]>,
    pub otherwise: NodeId,
}

impl Op {
    /// Calls `visit` for each operand.
    pub fn operands(&self, visit: &mut impl FnMut(NodeId)) {
        match self {
            Op::Constant(_) | Op::Slot(_) => {}
            Op::Slice(one, _) | Op::Not(one) | Op::All(one) | Op::Any(one) | Op::Parity(one) => visit(*one),
            Op::Concatenation(parts) => parts.iter().for_each(|part| visit(*part)),
            Op::Binary(_, one, other) | Op::Window(one, other) => [*one, *other].into_iter().for_each(visit),
            Op::SetBit(one, other, third) | Op::Mux(one, other, third) => {
                [*one, *other, *third].into_iter().for_each(visit)
            }
            Op::Choose(choice) => {
                visit(choice.selector);
                choice.arms.iter().for_each(|(_, arm)| visit(*arm));
                visit(choice.otherwise);
            }
        }
    }
}

/// All nodes of a design.
#[derive(Default)]
pub struct Nodes {
    list: Vec<(Op, u32)>,
    known: HashMap<(Op, u32), NodeId>,
}

impl Nodes {
    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn all(&self) -> impl DoubleEndedIterator<Item = NodeId> {
        (0..self.list.len() as u32).map(NodeId)
    }

    pub fn op(&self, node: NodeId) -> &Op {
        &self.list[node.index()].0
    }

    pub fn width(&self, node: NodeId) -> usize {
        self.list[node.index()].1 as usize
    }

    /// The value of a constant.
    pub fn value(&self, node: NodeId) -> Option<&BigUint> {
        match self.op(node) {
            Op::Constant(value) => Some(value),
            _ => None,
        }
    }

    /// Tells if it is always this number.
    pub fn is(&self, node: NodeId, number: u32) -> bool {
        self.value(node).is_some_and(|value| *value == BigUint::from(number))
    }

    fn is_ones(&self, node: NodeId) -> bool {
        self.value(node).is_some_and(|value| value.count_ones() == self.width(node) as u64)
    }

    fn make(&mut self, op: Op, width: usize) -> NodeId {
        let next = NodeId(self.list.len() as u32);
        let node = *self.known.entry((op.clone(), width as u32)).or_insert(next);
        if node == next {
            self.list.push((op, width as u32));
        }
        node
    }

    pub fn constant(&mut self, value: impl Into<BigUint>, width: usize) -> NodeId {
        let value: BigUint = value.into();
        debug_assert!(value.bits() <= width as u64, "{value} in {width} bits");
        self.make(Op::Constant(value), width)
    }

    pub fn slot(&mut self, slot: SlotId, width: usize) -> NodeId {
        self.make(Op::Slot(slot), width)
    }

    pub fn slice(&mut self, of: NodeId, low: usize, width: usize) -> NodeId {
        if low == 0 && width == self.width(of) {
            return of;
        }
        match self.op(of) {
            Op::Constant(value) => {
                let value = (value >> low) % (BigUint::from(1u32) << width);
                self.constant(value, width)
            }
            Op::Slice(inner, first) => {
                let (inner, first) = (*inner, *first as usize);
                self.slice(inner, first + low, width)
            }
            Op::Concatenation(parts) => {
                let (mut first, mut taken) = (0, vec![]);
                for part in parts.clone().iter() {
                    let end = first + self.width(*part);
                    let (from, to) = (low.max(first), (low + width).min(end));
                    if from < to {
                        taken.push(self.slice(*part, from - first, to - from));
                    }
                    first = end;
                }
                self.concatenation(taken)
            }
            _ => self.make(Op::Slice(of, low as u32), width),
        }
    }

    /// The lowest part first.
    pub fn concatenation(&mut self, parts: Vec<NodeId>) -> NodeId {
        let mut joined: Vec<NodeId> = vec![];
        for part in parts {
            let inner = match self.op(part) {
                Op::Concatenation(inner) => inner.to_vec(),
                _ => vec![part],
            };
            for part in inner {
                match joined.last().and_then(|last| self.neighbours(*last, part)) {
                    Some(both) => *joined.last_mut().expect("there is a last part") = both,
                    None => joined.push(part),
                }
            }
        }
        if let [only] = joined[..] {
            return only;
        }
        let width = joined.iter().map(|part| self.width(*part)).sum();
        self.make(Op::Concatenation(joined.into()), width)
    }

    /// Two parts as one: numbers, or bits of one node that follow on each other.
    fn neighbours(&mut self, low: NodeId, high: NodeId) -> Option<NodeId> {
        let (low_width, high_width) = (self.width(low), self.width(high));
        let width = low_width + high_width;
        let both = match (self.op(low), self.op(high)) {
            (Op::Constant(one), Op::Constant(other)) => Op::Constant((other << low_width) + one),
            (Op::Slice(one, from), Op::Slice(other, next))
                if one == other && *from as usize + low_width == *next as usize =>
            {
                let (of, from) = (*one, *from as usize);
                return Some(self.slice(of, from, width));
            }
            _ => return None,
        };
        Some(self.make(both, width))
    }

    pub fn widen(&mut self, node: NodeId, width: usize) -> NodeId {
        match width - self.width(node) {
            0 => node,
            zeros => {
                let zeros = self.constant(0u32, zeros);
                self.concatenation(vec![node, zeros])
            }
        }
    }

    pub fn not(&mut self, node: NodeId) -> NodeId {
        let width = self.width(node);
        match self.op(node) {
            Op::Not(inner) => *inner,
            Op::Constant(value) => {
                let ones = (BigUint::from(1u32) << width) - 1u32;
                let value = ones ^ value;
                self.constant(value, width)
            }
            _ => self.make(Op::Not(node), width),
        }
    }

    /// `All`, `Any` or `Parity` of all bits.
    pub fn reduction(&mut self, make: fn(NodeId) -> Op, node: NodeId) -> NodeId {
        if self.width(node) == 1 {
            return node;
        }
        let op = make(node);
        if let Some(value) = self.value(node) {
            let holds = match op {
                Op::All(_) => value.count_ones() == self.width(node) as u64,
                Op::Any(_) => value.count_ones() > 0,
                _ => value.count_ones() % 2 == 1,
            };
            return self.constant(holds as u32, 1);
        }
        self.make(op, 1)
    }

    pub fn binary(&mut self, operator: Binary, left: NodeId, right: NodeId) -> NodeId {
        let width = operator.width(self.width(left));
        if let (Some(one), Some(other)) = (self.value(left), self.value(right)) {
            let value = operator.of_values(one, other, self.width(left));
            return self.constant(value, width);
        }
        self.folded(operator, left, right, width).unwrap_or_else(|| {
            // One order for what has none.
            let swaps = matches!(
                operator,
                Binary::Add
                    | Binary::Mul
                    | Binary::And
                    | Binary::Or
                    | Binary::Xor
                    | Binary::Equal
                    | Binary::NotEqual
            );
            let (left, right) = if swaps && right < left { (right, left) } else { (left, right) };
            self.make(Op::Binary(operator, left, right), width)
        })
    }

    fn folded(&mut self, operator: Binary, left: NodeId, right: NodeId, width: usize) -> Option<NodeId> {
        let pairs = [(left, right), (right, left)];
        let zero = pairs.iter().find(|(one, _)| self.is(*one, 0)).map(|(zero, other)| (*zero, *other));
        let ones = pairs.iter().find(|(one, _)| self.is_ones(*one)).map(|(ones, other)| (*ones, *other));
        match (operator, zero, ones) {
            (Binary::And, Some((zero, _)), _) => Some(zero),
            (Binary::And, _, Some((_, other))) => Some(other),
            (Binary::Or, _, Some((ones, _))) => Some(ones),
            (Binary::Or | Binary::Xor | Binary::Add, Some((_, other)), _) => Some(other),
            (Binary::Xor, _, Some((_, other))) => Some(self.not(other)),
            (Binary::Equal, _, Some((_, other))) if self.width(other) == 1 => Some(other),
            (Binary::NotEqual, Some((_, other)), _) if self.width(other) == 1 => Some(other),
            (Binary::Equal, Some((_, other)), _) if self.width(other) == 1 => Some(self.not(other)),
            (Binary::NotEqual, _, Some((_, other))) if self.width(other) == 1 => Some(self.not(other)),
            (Binary::Equal, Some((_, other)), _) => {
                let any = self.reduction(Op::Any, other);
                Some(self.not(any))
            }
            (Binary::NotEqual, Some((_, other)), _) => Some(self.reduction(Op::Any, other)),
            (Binary::Sub | Binary::ShiftLeft | Binary::ShiftRight, ..) if self.is(right, 0) => Some(left),
            (Binary::ShiftLeft | Binary::ShiftRight, ..) => {
                let amount = u64::try_from(self.value(right)?.clone()).unwrap_or(u64::MAX);
                let amount = amount.min(width as u64) as usize;
                let zeros = |nodes: &mut Self| nodes.constant(0u32, amount);
                Some(match (amount == width, operator) {
                    (true, _) => self.constant(0u32, width),
                    (false, Binary::ShiftLeft) => {
                        let kept = self.slice(left, 0, width - amount);
                        let parts = vec![zeros(self), kept];
                        self.concatenation(parts)
                    }
                    (false, _) => {
                        let kept = self.slice(left, amount, width - amount);
                        let parts = vec![kept, zeros(self)];
                        self.concatenation(parts)
                    }
                })
            }
            _ if left == right => match operator {
                Binary::And | Binary::Or => Some(left),
                Binary::Xor | Binary::Sub | Binary::NotEqual | Binary::Less | Binary::Greater => {
                    Some(self.constant(0u32, width))
                }
                Binary::Equal | Binary::LessEqual | Binary::GreaterEqual => Some(self.constant(1u32, 1)),
                _ => None,
            },
            _ => None,
        }
    }

    /// `width` bits of a value from the one up that `low` selects.
    pub fn window(&mut self, of: NodeId, low: NodeId, width: usize) -> NodeId {
        let Some(first) = self.value(low) else { return self.make(Op::Window(of, low), width) };
        let (first, end) = (usize::try_from(first).unwrap_or(usize::MAX), self.width(of));
        if first >= end {
            return self.constant(0u32, width);
        }
        let taken = self.slice(of, first, width.min(end - first));
        self.widen(taken, width)
    }

    /// A value with some of its bits replaced.
    pub fn with_bits(&mut self, of: NodeId, low: usize, bits: NodeId) -> NodeId {
        let (width, end) = (self.width(of), low + self.width(bits));
        let mut parts = vec![];
        if low > 0 {
            parts.push(self.slice(of, 0, low));
        }
        parts.push(bits);
        if end < width {
            parts.push(self.slice(of, end, width - end));
        }
        self.concatenation(parts)
    }

    pub fn with_bit(&mut self, of: NodeId, index: NodeId, bit: NodeId) -> NodeId {
        match self.value(index).map(usize::try_from) {
            Some(Ok(index)) if index < self.width(of) => self.with_bits(of, index, bit),
            Some(_) => of,
            None => {
                let width = self.width(of);
                self.make(Op::SetBit(of, index, bit), width)
            }
        }
    }

    pub fn mux(&mut self, condition: NodeId, then: NodeId, otherwise: NodeId) -> NodeId {
        if then == otherwise || self.is(condition, 1) {
            return then;
        }
        if self.is(condition, 0) {
            return otherwise;
        }
        if let Op::Not(inner) = self.op(condition) {
            let inner = *inner;
            return self.mux(inner, otherwise, then);
        }
        let width = self.width(then);
        // An inner choice by the same condition is decided already.
        let inner = |nodes: &Self, node: NodeId, place: usize| match nodes.op(node) {
            Op::Mux(known, one, other) if *known == condition => Some([*one, *other][place]),
            _ => None,
        };
        if let Some(then) = inner(self, then, 0) {
            return self.mux(condition, then, otherwise);
        }
        if let Some(otherwise) = inner(self, otherwise, 1) {
            return self.mux(condition, then, otherwise);
        }
        if width == 1 {
            let (one, zero) = (self.is(then, 1), self.is(then, 0));
            if one && self.is(otherwise, 0) {
                return condition;
            }
            if zero && self.is(otherwise, 1) {
                return self.not(condition);
            }
            if one || then == condition {
                return self.binary(Binary::Or, condition, otherwise);
            }
            if self.is(otherwise, 0) || otherwise == condition {
                return self.binary(Binary::And, condition, then);
            }
            if zero {
                let not = self.not(condition);
                return self.binary(Binary::And, not, otherwise);
            }
            if self.is(otherwise, 1) {
                let not = self.not(condition);
                return self.binary(Binary::Or, not, then);
            }
        }
        self.make(Op::Mux(condition, then, otherwise), width)
    }

    /// The arm whose label the selector has, or what is left.
    pub fn choose(
        &mut self,
        selector: NodeId,
        mut arms: Vec<(u64, NodeId)>,
        mut otherwise: NodeId,
    ) -> NodeId {
        if let Some(selected) = self.value(selector) {
            let selected = u64::try_from(selected.clone()).ok();
            return arms
                .iter()
                .find(|(label, _)| Some(*label) == selected)
                .map_or(otherwise, |(_, arm)| *arm);
        }
        let (width, selector_width) = (self.width(otherwise), self.width(selector));
        // A jump takes a number of one limb.
        if selector_width > LIMB {
            return arms.into_iter().rev().fold(otherwise, |otherwise, (label, arm)| {
                let label = self.constant(label, selector_width);
                let condition = self.binary(Binary::Equal, selector, label);
                self.mux(condition, arm, otherwise)
            });
        }
        if selector_width < 32 && arms.len() as u64 == 1 << selector_width {
            otherwise = arms.pop().expect("there are arms").1;
        }
        arms.retain(|(_, arm)| *arm != otherwise);
        arms.sort();
        match &arms[..] {
            [] => return otherwise,
            [(label, arm)] => {
                let (label, arm) = (*label, *arm);
                let label = self.constant(label, selector_width);
                let condition = self.binary(Binary::Equal, selector, label);
                return self.mux(condition, arm, otherwise);
            }
            _ => {}
        }
        // A condition that all arms have stands outside.
        if let Op::Mux(condition, _, last) = *self.op(arms[0].1) {
            let inner = |nodes: &Self, node: NodeId| match *nodes.op(node) {
                Op::Mux(known, then, otherwise) if known == condition && otherwise == last => Some(then),
                _ => None,
            };
            let inside: Option<Vec<_>> =
                arms.iter().map(|(label, arm)| Some((*label, inner(self, *arm)?))).collect();
            if let Some(inside) = inside {
                let left = if otherwise == last { Some(last) } else { inner(self, otherwise) };
                if let Some(left) = left {
                    let chosen = self.choose(selector, inside, left);
                    return self.mux(condition, chosen, last);
                }
            }
        }
        self.make(Op::Choose(Box::new(Choice { selector, arms: arms.into(), otherwise })), width)
    }
}

// SPDX-License-Identifier: Apache-2.0
//! How the kernel is split into the processes of the text.
//!
//! The text keeps arrays whole and loops as they are, so it is split vector by vector. Vectors whose values
//! are read between two assignments stand together in one process, in the kernel's order. So do vectors that
//! feed each other in a circle, as long as nothing is then read before it is assigned: signal by signal there
//! is no circle. Processes that share a loop are joined, unless an output would come to depend on an input
//! that it does not depend on now: around the module, that could close a circle. Where the kernel's order is
//! not right the process is written out, signal by signal, in an order that is.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigUint;
use rustc_hash::FxHashMap;

use super::error::{EmitError, Result};
use super::expression::Expression;
use super::paths::{circle, reached, Followers};
use super::runs::joined;
use super::schedule::{check_paths, settled_values, Process};
use super::signals::{Role, SignalId, Signals, VectorId};
use super::simplify::tidied;
use super::statement::{projected, AssignedPart, Position, Statement};
use super::unroll::unrolled;
use super::uses::Uses;

/// Vectors that one process assigns.
#[derive(Clone, Debug)]
pub struct VectorGroup {
    pub vectors: BTreeSet<VectorId>,
    pub body: Vec<Statement>,
    reads: BTreeSet<VectorId>,
    /// The kernel's order would not be right: the body has no loops and an order of its own.
    pub is_written_out: bool,
}

/// One assignment to each element of a vector, in nothing but loops.
pub struct Regular<'a> {
    /// Variable, first number, and the one past the last.
    pub loops: Vec<(&'a str, usize, usize)>,
    pub assignment: &'a Statement,
    pub value: &'a Expression,
}

/// Inputs with the outputs that depend on them within the cycle.
type PortPaths = BTreeSet<(VectorId, VectorId)>;

pub struct VectorPlan<'a> {
    pub signals: &'a Signals,
    /// The kernel, with loops.
    pub statements: Vec<Statement>,
    /// The same, loops written out.
    flat: Vec<Statement>,
    uses: Uses,
    /// Checked signal by signal.
    processes: Vec<Process>,
    pub groups: Vec<VectorGroup>,
    /// Inputs of the children with the outputs that follow on them.
    through: Vec<(VectorId, VectorId)>,
    /// Elements that are assigned once and under no condition, with what they are assigned.
    continuous: FxHashMap<SignalId, Expression>,
}

impl<'a> VectorPlan<'a> {
    pub fn of(
        signals: &'a Signals,
        kernel: Vec<Statement>,
        processes: Vec<Process>,
        through: Vec<(VectorId, VectorId)>,
    ) -> Result<Self> {
        let statements = tidied(signals, kernel);
        let flat = unrolled(&statements);
        let uses = Uses::of(&flat);
        let continuous = flat.iter().filter_map(|statement| match statement {
            Statement::Assign { target, part: AssignedPart::Whole, value, .. } => {
                let (first, last) = uses.writes[&target.id()];
                (first == last).then(|| (target.id(), value.clone()))
            }
            _ => None,
        });
        let continuous = continuous.collect();
        let groups = vec![];
        let mut plan = VectorPlan { signals, statements, flat, uses, processes, groups, through, continuous };
        plan.groups = plan.tied();
        plan.resolve_circles()?;
        Ok(plan)
    }

    /// Joins processes that share a loop or a condition, except for those of `apart`.
    pub fn join(&mut self, apart: &BTreeSet<VectorId>) {
        let is_joined = |plan: &VectorPlan, group: &VectorGroup| {
            !group.is_written_out
                && group.vectors.is_disjoint(apart)
                && plan.assigned_at_once(group).is_none()
        };
        // An answer takes a walk through the kernel, so each group keeps its own.
        let mut are_joined: Vec<bool> = self.groups.iter().map(|group| is_joined(self, group)).collect();
        let paths = self.port_paths(&self.followers(&self.groups));
        for place in 0..self.statements.len() {
            if matches!(self.statements[place], Statement::Assign { .. }) {
                continue;
            }
            let mut vectors = BTreeSet::new();
            self.statements[place].targets(&mut |target| {
                vectors.insert(target.vector);
            });
            let mut first = 0;
            while first < self.groups.len() {
                let concerns = |groups: &[VectorGroup], are_joined: &[bool], number: usize| {
                    are_joined[number] && !groups[number].vectors.is_disjoint(&vectors)
                };
                let mut second = first + 1;
                while concerns(&self.groups, &are_joined, first) && second < self.groups.len() {
                    if concerns(&self.groups, &are_joined, second) && self.try_join(first, second, &paths) {
                        are_joined.remove(second);
                        are_joined[first] = is_joined(self, &self.groups[first]);
                    } else {
                        second += 1;
                    }
                }
                first += 1;
            }
        }
    }

    /// Pairs of an input and an output that depends on it, as the text has them.
    pub fn paths(&self) -> BTreeSet<(String, String)> {
        self.port_paths(&self.followers(&self.groups))
            .into_iter()
            .map(|(input, output)| (self.signals[input].name.clone(), self.signals[output].name.clone()))
            .collect()
    }

    /// The group that assigns a vector.
    pub fn group_of(&self, vector: VectorId) -> Option<&VectorGroup> {
        self.groups.iter().find(|group| group.vectors.contains(&vector))
    }

    /// Where a group first assigns something.
    pub fn position(&self, group: &VectorGroup) -> Position {
        let elements = group.vectors.iter().flat_map(|vector| self.signals[*vector].elements());
        elements.filter_map(|id| self.uses.writes.get(&id)).map(|(first, _)| *first).min().unwrap_or_default()
    }

    /// The one assignment that a vector gets, if it stands in nothing but loops and in a process of its own.
    pub fn regular(&self, vector: VectorId) -> Option<Regular<'_>> {
        let group = self.group_of(vector)?;
        let once = |id: SignalId| self.uses.writes.get(&id).is_some_and(|(first, last)| first == last);
        if group.is_written_out || group.vectors.len() > 1 || !self.signals[vector].elements().all(once) {
            return None;
        }
        let [only] = &group.body[..] else { return None };
        let mut statement = only;
        let mut loops = vec![];
        while let Statement::For { variable, from, to, body } = statement {
            let [inner] = &body[..] else { return None };
            loops.push((variable.as_str(), *from, *to));
            statement = inner;
        }
        match statement {
            Statement::Assign { part: AssignedPart::Whole, value, .. } if !group.reads.contains(&vector) => {
                Some(Regular { loops, assignment: statement, value })
            }
            _ => None,
        }
    }

    /// Values assigned to elements, each once and under no condition, in a process of their vector alone.
    pub fn values(&self, vector: VectorId, elements: std::ops::Range<SignalId>) -> Option<Vec<&Expression>> {
        let group = self.group_of(vector)?;
        let alone = !group.is_written_out && group.vectors.len() == 1 && !group.reads.contains(&vector);
        alone.then(|| elements.map(|id| self.continuous.get(&id)).collect()).flatten()
    }

    /// Targets and values, if a group is nothing but continuous assignments.
    pub fn assigned_at_once(&self, group: &VectorGroup) -> Option<Vec<(String, String)>> {
        let flat = match group.is_written_out {
            true => group.body.clone(),
            false => self.flat_body(&group.vectors),
        };
        if let Some(values) = settled_values(self.signals, &flat) {
            let text = |vector: &VectorId| {
                let parts = self.signals[*vector].elements().rev().map(|id| values[&id].clone());
                let width = self.signals[*vector].width;
                let value = parts.fold(BigUint::default(), |high, low| (high << width) + low);
                let value = Expression::literal(value, self.signals[*vector].bits());
                (self.signals[*vector].name.clone(), value.text(self.signals))
            };
            return Some(group.vectors.iter().map(text).collect());
        }
        let vector = *group.vectors.first().filter(|_| group.vectors.len() == 1)?;
        let values = self.values(vector, self.signals[vector].elements())?;
        if let Some(value) = joined(self.signals, &values) {
            return Some(vec![(self.signals[vector].name.clone(), value)]);
        }
        let assigns = group.body.iter().map(|statement| match statement {
            Statement::Assign { target, part: AssignedPart::Whole, value, .. } => {
                let target = Expression::signal(self.signals, target.clone());
                Some((target.text(self.signals), value.text(self.signals)))
            }
            _ => None,
        });
        assigns.collect()
    }

    fn flat_body(&self, vectors: &BTreeSet<VectorId>) -> Vec<Statement> {
        projected(&self.flat, &|target| vectors.contains(&target.vector))
    }

    fn group(&self, vectors: BTreeSet<VectorId>) -> VectorGroup {
        let is_written_out = !self.is_right(&vectors);
        let body = match is_written_out {
            true => self.in_order(&vectors),
            false => projected(&self.statements, &|target| vectors.contains(&target.vector)),
        };
        let mut reads = BTreeSet::new();
        body.iter().for_each(|statement| {
            statement.reads(&mut |element| {
                reads.insert(element.vector);
            });
        });
        VectorGroup { vectors, body, reads, is_written_out }
    }

    /// Returns true if the statements in the kernel's order read everything after it is assigned, on every
    /// path.
    fn is_right(&self, vectors: &BTreeSet<VectorId>) -> bool {
        let elements = vectors.iter().flat_map(|vector| self.signals[*vector].elements());
        let targets: Vec<_> = elements.collect();
        let early = |vector: &VectorId| {
            // Rust reads the settled value of a child's input, Verilog would read the present one.
            matches!(self.signals[*vector].role, Role::ChildInput(_))
                && self.signals[*vector].elements().any(|id| self.is_read_between(id))
        };
        check_paths(self.signals, &targets, &self.flat_body(vectors)).is_ok() && !vectors.iter().any(early)
    }

    /// Statements that assign the single signals of these vectors, each after all that it reads.
    fn in_order(&self, vectors: &BTreeSet<VectorId>) -> Vec<Statement> {
        let is_ours = |id: &SignalId| vectors.contains(&self.signals.vector_of(*id));
        let mut waiting: Vec<Process> = vec![];
        let mut missing: BTreeSet<SignalId> =
            vectors.iter().flat_map(|vector| self.signals[*vector].elements()).collect();
        for process in self.processes.iter().filter(|process| is_ours(&process.targets()[0])) {
            process.targets().iter().for_each(|id| {
                missing.remove(id);
            });
            waiting.push(process.clone());
        }
        let assigned = |target: SignalId, value: Expression| Statement::Assign {
            target: self.signals.element(target),
            part: AssignedPart::Whole,
            value,
            at: 0,
        };
        // Signals that are constant, or that nothing depends on.
        let mut body: Vec<Statement> = vec![];
        for id in missing {
            let number = self.continuous.get(&id).and_then(|value| value.constant(self.signals));
            let width = self.signals.owner(id).width;
            body.push(assigned(id, Expression::literal(number.unwrap_or_default(), width)));
        }
        while !waiting.is_empty() {
            let open: BTreeSet<SignalId> =
                waiting.iter().flat_map(|process| process.targets().to_vec()).collect();
            let is_ready = |process: &Process| {
                let mut ready = true;
                process.reads(&mut |id| ready &= !open.contains(&id) || process.targets().contains(&id));
                ready
            };
            let (ready, rest): (Vec<_>, Vec<_>) = waiting.into_iter().partition(is_ready);
            assert!(!ready.is_empty(), "signal by signal there is no circle");
            waiting = rest;
            for process in ready {
                match process {
                    Process::Continuous { target, value } => body.push(assigned(target, value)),
                    Process::Block { body: own, .. } => body.extend(own),
                }
            }
        }
        body
    }

    fn is_read_between(&self, id: SignalId) -> bool {
        let Some((first, last)) = self.uses.writes.get(&id) else { return false };
        first < last
            && self.uses.reads.range((id, first + 1, 0)..=(id, *last, SignalId::MAX)).next().is_some()
    }

    /// Vectors that are read between two of their assignments, with those that read them.
    fn tied(&self) -> Vec<VectorGroup> {
        let mut sets: BTreeMap<VectorId, BTreeSet<VectorId>> = BTreeMap::new();
        let mut leader: BTreeMap<VectorId, VectorId> = BTreeMap::new();
        for id in self.uses.writes.keys() {
            let vector = self.signals.vector_of(*id);
            sets.entry(vector).or_default().insert(vector);
            leader.insert(vector, vector);
        }
        for (id, at, reader) in &self.uses.reads {
            let Some((first, last)) = self.uses.writes.get(id) else { continue };
            if !(first + 1..=*last).contains(at) {
                continue;
            }
            let (one, other) =
                (leader[&self.signals.vector_of(*id)], leader[&self.signals.vector_of(*reader)]);
            if one != other {
                let joined = sets.remove(&other).expect("a leader has a set");
                joined.iter().for_each(|vector| {
                    leader.insert(*vector, one);
                });
                sets.entry(one).or_default().extend(joined);
            }
        }
        let mut groups: Vec<_> = sets.into_values().map(|vectors| self.group(vectors)).collect();
        groups.sort_by_key(|group| self.position(group));
        groups
    }

    fn resolve_circles(&mut self) -> Result<()> {
        while let Some(circle) = circle(&self.followers(&self.groups)) {
            let on_circle: Vec<usize> = (0..self.groups.len())
                .filter(|group| circle.iter().any(|vector| self.groups[*group].vectors.contains(vector)))
                .collect();
            let is_inside = circle.iter().all(|vector| self.signals[*vector].is_assigned());
            if !is_inside || on_circle.len() < 2 {
                return Err(EmitError::Loop {
                    module: self.signals.module.clone(),
                    signals: circle.iter().map(|vector| self.signals[*vector].name.clone()).collect(),
                });
            }
            let vectors = on_circle.iter().flat_map(|group| self.groups[*group].vectors.clone()).collect();
            let joined = self.group(vectors);
            self.replace(&on_circle, joined);
        }
        Ok(())
    }

    /// Joins two groups, unless that changes these paths between the ports.
    fn try_join(&mut self, first: usize, second: usize, paths: &PortPaths) -> bool {
        let vectors = self.groups[first].vectors.union(&self.groups[second].vectors).copied().collect();
        let joined = self.group(vectors);
        if joined.is_written_out {
            return false;
        }
        let others = self.groups.iter().enumerate().filter(|(number, _)| ![first, second].contains(number));
        let followers = self.followers(others.map(|(_, group)| group).chain([&joined]));
        if circle(&followers).is_some() || self.port_paths(&followers) != *paths {
            return false;
        }
        self.replace(&[first, second], joined);
        true
    }

    fn replace(&mut self, groups: &[usize], by: VectorGroup) {
        self.groups[groups[0]] = by;
        groups[1..].iter().rev().for_each(|group| {
            self.groups.remove(*group);
        });
    }

    /// The vectors that follow on each vector within the cycle.
    fn followers<'g>(&self, groups: impl IntoIterator<Item = &'g VectorGroup>) -> Followers {
        let mut followers: Followers = vec![BTreeSet::new(); self.signals.vectors.len()];
        for group in groups {
            for read in group.reads.difference(&group.vectors) {
                followers[*read].extend(&group.vectors);
            }
        }
        for (input, output) in &self.through {
            followers[*input].insert(*output);
        }
        followers
    }

    fn port_paths(&self, followers: &Followers) -> PortPaths {
        let ports = |role: Role| {
            (0..self.signals.vectors.len()).filter(move |vector| self.signals[*vector].role == role)
        };
        let mut paths = BTreeSet::new();
        for input in ports(Role::Input) {
            let reached = reached(followers, input);
            paths.extend(
                ports(Role::Output).filter(|output| reached.contains(output)).map(|output| (input, output)),
            );
        }
        paths
    }
}

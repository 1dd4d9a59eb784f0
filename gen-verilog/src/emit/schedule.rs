// SPDX-License-Identifier: Apache-2.0
//! From a kernel's statements, loops written out, to continuous assignments and `always @(*)` blocks.
//!
//! rust-hdl runs a kernel from top to bottom, again and again until nothing changes. A value read
//! after its last assignment, or before its first, is therefore the settled one, and its reader needs
//! no place in any order. Only a value read between two assignments ties its reader to them. Statements
//! are split along these lines: small blocks simulate faster, and none of them feeds back into itself.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use num_bigint::BigUint;
use rustc_hash::FxHashMap;

use super::error::{EmitError, Result};
use super::expression::Expression;
use super::index::Index;
use super::signals::{Element, Role, SignalId, Signals};
use super::simplify::simplified;
use super::statement::{AssignedPart, Statement};
use super::uses::Uses;

#[derive(Clone)]
pub enum Process {
    /// `assign`
    Continuous { target: SignalId, value: Expression },
    /// `always @(*)`
    Block { targets: Vec<SignalId>, body: Vec<Statement> },
}

impl Process {
    pub fn targets(&self) -> &[SignalId] {
        match self {
            Process::Continuous { target, .. } => std::slice::from_ref(target),
            Process::Block { targets, .. } => targets,
        }
    }

    /// Calls `read` for every signal that the process reads, its own included.
    pub fn reads(&self, read: &mut impl FnMut(SignalId)) {
        let mut read = |element: &Element| read(element.id());
        match self {
            Process::Continuous { value, .. } => value.reads(&mut read),
            Process::Block { body, .. } => body.iter().for_each(|statement| statement.reads(&mut read)),
        }
    }
}

/// Splits statements into processes, in the order of their first assignments.
pub fn processes(signals: &Signals, statements: Vec<Statement>) -> Result<Vec<Process>> {
    check_driven(signals, &Uses::of(&statements))?;
    let statements = simplified(signals, statements);
    let uses = Uses::of(&statements);
    check_read_back(signals, &uses)?;
    let groups = groups(signals, &uses)?;
    // Statements of the top level that assign a signal, in their order.
    let mut assigning: BTreeMap<SignalId, Vec<usize>> = BTreeMap::new();
    for (number, statement) in statements.iter().enumerate() {
        for target in targets(statement) {
            assigning.entry(target).or_default().push(number);
        }
    }
    let mut processes = vec![];
    for group in groups {
        let members: BTreeSet<_> = group.iter().copied().collect();
        let concerned: BTreeSet<usize> =
            members.iter().filter_map(|member| assigning.get(member)).flatten().copied().collect();
        let body = concerned
            .into_iter()
            .filter_map(|number| statements[number].projected(&|target| members.contains(&target.id())));
        processes.extend(process(signals, group, body.collect())?);
    }
    Ok(processes)
}

/// No input of a part is made of itself.
fn check_read_back(signals: &Signals, uses: &Uses) -> Result<()> {
    let is_input_of_part = |id: SignalId| matches!(signals.owner(id).role, Role::ChildInput(_));
    match uses.reads.iter().find(|(read, _, target)| read == target && is_input_of_part(*read)) {
        Some((id, ..)) => {
            Err(EmitError::ReadBack { module: signals.module.clone(), signal: signals.name_of(*id) })
        }
        None => Ok(()),
    }
}

fn process(signals: &Signals, targets: Vec<SignalId>, body: Vec<Statement>) -> Result<Vec<Process>> {
    check_paths(signals, &targets, &body)?;
    if let ([target], [Statement::Assign { value, part: AssignedPart::Whole, .. }]) =
        (&targets[..], &body[..])
    {
        return Ok(vec![Process::Continuous { target: *target, value: value.clone() }]);
    }
    Ok(settled(signals, &targets, &body).unwrap_or_else(|| vec![Process::Block { targets, body }]))
}

fn check_driven(signals: &Signals, uses: &Uses) -> Result<()> {
    let undriven =
        (0..signals.len()).find(|id| signals.owner(*id).is_assigned() && !uses.writes.contains_key(id));
    match undriven {
        Some(id) => Err(EmitError::Undriven { module: signals.module.clone(), signal: signals.name_of(id) }),
        None => Ok(()),
    }
}

/// Signals whose assignments must keep their order, by first assignment.
fn groups(signals: &Signals, uses: &Uses) -> Result<Vec<Vec<SignalId>>> {
    let mut leader: HashMap<SignalId, SignalId> = uses.writes.keys().map(|id| (*id, *id)).collect();
    fn find(leader: &mut HashMap<SignalId, SignalId>, id: SignalId) -> SignalId {
        let mut root = id;
        while leader[&root] != root {
            root = leader[&root];
        }
        leader.insert(id, root);
        root
    }
    for (id, at, reader) in &uses.reads {
        let Some((first, last)) = uses.writes.get(id) else { continue };
        if (first + 1..=*last).contains(at) {
            if matches!(signals.owner(*id).role, Role::ChildInput(_)) {
                // Rust reads the settled value of a child's input, Verilog would read the present one.
                return Err(read_too_early(signals, *id));
            }
            let (id, reader) = (find(&mut leader, *id), find(&mut leader, *reader));
            leader.insert(id, reader);
        }
    }
    let mut groups: BTreeMap<SignalId, Vec<SignalId>> = BTreeMap::new();
    for id in uses.writes.keys() {
        groups.entry(find(&mut leader, *id)).or_default().push(*id);
    }
    let mut groups: Vec<_> = groups.into_values().collect();
    groups.iter_mut().for_each(|group| group.sort_by_key(|id| uses.writes[id].0));
    groups.sort_by_key(|group| uses.writes[&group[0]].0);
    Ok(groups)
}

/// All signals that a statement assigns.
fn targets(statement: &Statement) -> BTreeSet<SignalId> {
    let mut found = BTreeSet::new();
    statement.targets(&mut |target| {
        found.insert(target.id());
    });
    found
}

/// The signals that a block is to assign, and what is assigned on every path so far.
struct Assigned<'a> {
    signals: &'a Signals,
    /// Bits of each.
    bits: FxHashMap<SignalId, BigUint>,
    /// The bits before each change, so that a branch can be taken back.
    changes: Vec<(SignalId, BigUint)>,
}

/// Checks that a block assigns all its signals on every path, and none after reading it.
pub fn check_paths(signals: &Signals, targets: &[SignalId], body: &[Statement]) -> Result<()> {
    let bits = targets.iter().map(|id| (*id, BigUint::default())).collect();
    let mut assigned = Assigned { signals, bits, changes: vec![] };
    assigned.walk(body)?;
    match targets.iter().find(|id| !assigned.is_complete(**id)) {
        Some(id) => Err(EmitError::Latch { module: signals.module.clone(), signal: signals.name_of(*id) }),
        None => Ok(()),
    }
}

impl Assigned<'_> {
    fn is_complete(&self, id: SignalId) -> bool {
        self.bits[&id].count_ones() == self.signals.owner(id).width as u64
    }

    fn add(&mut self, id: SignalId, bits: &BigUint) {
        let present = self.bits.get_mut(&id).expect("a target of the block");
        let all = &*present | bits;
        if all != *present {
            self.changes.push((id, std::mem::replace(present, all)));
        }
    }

    fn walk(&mut self, body: &[Statement]) -> Result<()> {
        for statement in body {
            match statement {
                Statement::Assign { target, part, value, .. } => {
                    self.check_reads(value)?;
                    let low = match part {
                        AssignedPart::Whole => 0,
                        AssignedPart::Bits { low } => known(low),
                        AssignedPart::Bit(index) => {
                            self.check_reads(index)?;
                            continue;
                        }
                    };
                    let mask = ((BigUint::from(1u32) << value.width) - 1u32) << low;
                    self.add(target.id(), &mask);
                }
                Statement::If { condition, then, otherwise, .. } => {
                    self.check_reads(condition)?;
                    self.walk_branches([then, otherwise].into_iter())?;
                }
                Statement::Case { selector, arms, .. } => {
                    self.check_reads(selector)?;
                    self.walk_branches(arms.iter().map(|(_, body)| body))?;
                }
                Statement::For { .. } => unreachable!("loops are written out"),
            }
        }
        Ok(())
    }

    /// Signals that all branches assign are assigned.
    fn walk_branches<'b>(&mut self, bodies: impl Iterator<Item = &'b Vec<Statement>>) -> Result<()> {
        let mut common: Option<FxHashMap<SignalId, BigUint>> = None;
        for body in bodies {
            let before = self.changes.len();
            self.walk(body)?;
            let mut end = FxHashMap::default();
            for (id, bits) in self.changes.drain(before..).rev() {
                let present = self.bits.get_mut(&id).expect("it was changed");
                let last = std::mem::replace(present, bits);
                end.entry(id).or_insert(last);
            }
            common = Some(match common {
                None => end,
                Some(common) => {
                    let both = |(id, bits)| end.get(&id).map(|other| (id, bits & other));
                    common.into_iter().filter_map(both).collect()
                }
            });
        }
        for (id, bits) in common.unwrap_or_default() {
            self.add(id, &bits);
        }
        Ok(())
    }

    fn check_reads(&self, value: &Expression) -> Result<()> {
        let mut early = None;
        value.reads(&mut |element| {
            let id = element.id();
            if self.bits.contains_key(&id) && !self.is_complete(id) {
                early.get_or_insert(id);
            }
        });
        early.map_or(Ok(()), |id| Err(read_too_early(self.signals, id)))
    }
}

fn read_too_early(signals: &Signals, id: SignalId) -> EmitError {
    let (module, signal) = (signals.module.clone(), signals.name_of(id));
    EmitError::ReadBeforeAssignment { module, signal }
}

/// The values that a block assigns, if it depends on no signal but its own: nothing would ever
/// trigger it.
fn settled(signals: &Signals, targets: &[SignalId], body: &[Statement]) -> Option<Vec<Process>> {
    let values = settled_values(signals, body)?;
    let process = |target: &SignalId| Process::Continuous {
        target: *target,
        value: Expression::literal(values[target].clone(), signals.owner(*target).width),
    };
    Some(targets.iter().map(process).collect())
}

/// The values that statements assign in the end, if they read nothing but constants and each other.
pub fn settled_values(signals: &Signals, body: &[Statement]) -> Option<HashMap<SignalId, BigUint>> {
    let mut values = HashMap::new();
    run(signals, body, &mut values)?;
    Some(values)
}

/// Runs statements on known values; none if an unknown one is read.
fn run(signals: &Signals, body: &[Statement], values: &mut HashMap<SignalId, BigUint>) -> Option<()> {
    for statement in body {
        let value_of = |expression: &Expression| {
            expression.value(&|id| signals.constant(id).or_else(|| values.get(&id).cloned()))
        };
        match statement {
            Statement::Assign { target, part, value, .. } => {
                let new = value_of(value)?;
                let low = match part {
                    AssignedPart::Whole => 0,
                    AssignedPart::Bits { low } => known(low),
                    AssignedPart::Bit(index) => usize::try_from(value_of(index)?).ok()?,
                };
                let all = (BigUint::from(1u32) << signals[target.vector].width) - 1u32;
                let ones = ((BigUint::from(1u32) << value.width) - 1u32) << low;
                let present = values.entry(target.id()).or_default();
                *present = (&*present & (all ^ ones)) | (new << low);
            }
            Statement::If { condition, then, otherwise, .. } => {
                let holds = value_of(condition)? != BigUint::default();
                run(signals, if holds { then } else { otherwise }, values)?;
            }
            Statement::Case { selector, arms, .. } => {
                let selected = value_of(selector)?;
                let arm = arms.iter().find(|(label, _)| value_of(label).as_ref() == Some(&selected));
                if let Some((_, body)) = arm.or(arms.last()) {
                    run(signals, body, values)?;
                }
            }
            Statement::For { .. } => unreachable!("loops are written out"),
        }
    }
    Some(())
}

fn known(low: &Index) -> usize {
    low.number().expect("loops are written out") as usize
}

// SPDX-License-Identifier: Apache-2.0
//! From the processes of modules to nodes: each kernel runs once, on nodes instead of numbers.

use std::collections::HashMap;

use num_bigint::BigUint;

use super::nodes::{NodeId, Op};
use super::tree::{Driver, Net, TranslatedModule, Tree};
use crate::emit::expression::{Binary, Expression, Kind, Unary};
use crate::emit::schedule::Process;
use crate::emit::signals::SignalId;
use crate::emit::statement::{AssignedPart, Statement};

/// Finds the node of each net.
pub struct NetNodes<'a> {
    pub tree: &'a mut Tree,
    known: HashMap<Net, NodeId>,
}

/// A chain of values is as long as the hardware has it; each link of it takes no more than this.
const STACK: usize = 256 * 1024;

impl<'a> NetNodes<'a> {
    pub fn new(tree: &'a mut Tree) -> Self {
        NetNodes { tree, known: HashMap::new() }
    }

    /// The value of a net of so many bits.
    pub fn net(&mut self, net: Net, width: usize) -> NodeId {
        if let Some(known) = self.known.get(&net) {
            return *known;
        }
        match self.tree.drivers[net].clone() {
            Driver::None => self.tree.nodes.constant(0u32, width),
            Driver::Node(node) => node,
            Driver::Process(instance, process) => {
                stacker::maybe_grow(STACK, 16 * STACK, || self.process(instance, process));
                self.known[&net]
            }
        }
    }

    fn process(&mut self, instance: usize, process: usize) {
        let module = self.tree.instances[instance].module.clone();
        match &module.processes[process] {
            Process::Continuous { target, value } => {
                let mut run = Run { values: self, instance, own: HashMap::new(), log: vec![] };
                let node = run.expression(value);
                let net = self.tree.instances[instance].nets[*target];
                self.known.insert(net, node);
            }
            Process::Block { targets, body } => {
                let own = targets.iter().map(|id| (*id, None)).collect();
                let mut run = Run { values: self, instance, own, log: vec![] };
                run.body(&module, body);
                let own = run.own;
                for id in targets {
                    let node = own[id].expect("every target is assigned on every path");
                    let net = self.tree.instances[instance].nets[*id];
                    self.known.insert(net, node);
                }
            }
        }
    }
}

/// A process that runs.
struct Run<'a, 'b> {
    values: &'a mut NetNodes<'b>,
    instance: usize,
    /// The present value of each target, once it has one.
    own: HashMap<SignalId, Option<NodeId>>,
    /// Former values of what was assigned since a branch began.
    log: Vec<(SignalId, Option<NodeId>)>,
}

impl Run<'_, '_> {
    fn signal(&mut self, id: SignalId, width: usize) -> NodeId {
        match self.own.get(&id) {
            Some(Some(node)) => *node,
            Some(None) => self.values.tree.nodes.constant(0u32, width),
            None => {
                let net = self.values.tree.instances[self.instance].nets[id];
                self.values.net(net, width)
            }
        }
    }

    fn of_signal(&mut self, id: SignalId) -> NodeId {
        let width = self.values.tree.instances[self.instance].module.signals.owner(id).width;
        self.signal(id, width)
    }

    fn expression(&mut self, expression: &Expression) -> NodeId {
        let width = expression.width;
        match &expression.kind {
            Kind::Literal(value) => {
                let value = value % (BigUint::from(1u32) << width);
                self.values.tree.nodes.constant(value, width)
            }
            Kind::Number(index) | Kind::Counted(index) => {
                let number = index.number().expect("loops are written out");
                let number = u64::try_from(number).expect("numbers of loops are not negative");
                self.values.tree.nodes.constant(number, width)
            }
            Kind::Signal(element) => self.signal(element.id(), width),
            Kind::Part(element, low) => {
                let of = self.of_signal(element.id());
                let low = low.number().expect("loops are written out") as usize;
                self.values.tree.nodes.slice(of, low, width)
            }
            Kind::Bit(element, low) | Kind::Window(element, low) => {
                let of = self.of_signal(element.id());
                let low = self.expression(low);
                self.values.tree.nodes.window(of, low, width)
            }
            Kind::Concatenation(parts) => {
                let parts = parts.iter().rev().map(|part| self.expression(part)).collect();
                self.values.tree.nodes.concatenation(parts)
            }
            Kind::Unary(operator, operand) => {
                let operand = self.expression(operand);
                let nodes = &mut self.values.tree.nodes;
                match operator {
                    Unary::Not => nodes.not(operand),
                    Unary::All => nodes.reduction(Op::All, operand),
                    Unary::Any => nodes.reduction(Op::Any, operand),
                    Unary::Parity => nodes.reduction(Op::Parity, operand),
                }
            }
            Kind::Binary(operator, left, right) => {
                let (left, right) = (self.expression(left), self.expression(right));
                self.values.tree.nodes.binary(*operator, left, right)
            }
        }
    }

    fn body(&mut self, module: &TranslatedModule, body: &[Statement]) {
        let mut rest = body;
        while let Some((first, after)) = rest.split_first() {
            if let Some(choice) = Exclusive::of(module, rest) {
                let (these, others) = rest.split_at(choice.labels.len());
                self.choose(module, &choice, these);
                rest = others;
                continue;
            }
            self.statement(module, first);
            rest = after;
        }
    }

    fn statement(&mut self, module: &TranslatedModule, statement: &Statement) {
        match statement {
            Statement::Assign { target, part, value, .. } => {
                let value = self.expression(value);
                let id = target.id();
                let present = |run: &mut Self| run.of_signal(id);
                let value = match part {
                    AssignedPart::Whole => value,
                    AssignedPart::Bits { low } => {
                        let low = low.number().expect("loops are written out") as usize;
                        let present = present(self);
                        self.values.tree.nodes.with_bits(present, low, value)
                    }
                    AssignedPart::Bit(index) => {
                        let (present, index) = (present(self), self.expression(index));
                        self.values.tree.nodes.with_bit(present, index, value)
                    }
                };
                self.assign(id, Some(value));
            }
            Statement::If { condition, then, otherwise, .. } => {
                let condition = self.expression(condition);
                match self.values.tree.nodes.value(condition).map(|value| value.bit(0)) {
                    Some(true) => self.body(module, then),
                    Some(false) => self.body(module, otherwise),
                    None => {
                        let then = self.branch(|run| run.body(module, then));
                        let otherwise = self.branch(|run| run.body(module, otherwise));
                        for id in changed([&then, &otherwise]) {
                            let ends = [&then, &otherwise].map(|end| self.end(end, id));
                            let node = self.merged(ends, |nodes, [then, otherwise]| {
                                nodes.mux(condition, then, otherwise)
                            });
                            self.assign(id, node);
                        }
                    }
                }
            }
            Statement::Case { selector, arms, .. } => {
                let selector = self.expression(selector);
                let ends = arms.iter().map(|(_, body)| self.branch(|run| run.body(module, body)));
                let ends: Vec<_> = ends.collect();
                let labels = arms.iter().map(|(label, _)| {
                    let label = label.constant(&module.signals).expect("a label is constant");
                    u64::try_from(label).expect("a label of no more than 64 bits")
                });
                let labels: Vec<_> = labels.collect();
                for id in changed(&ends) {
                    let ends: Vec<_> = ends.iter().map(|end| self.end(end, id)).collect();
                    let Some(any) = ends.iter().flatten().next().copied() else { continue };
                    let ends: Vec<_> = ends.iter().map(|end| end.unwrap_or(any)).collect();
                    let (last, others) = ends.split_last().expect("a case has arms");
                    // The first of two equal labels is taken.
                    let mut choices: Vec<(u64, NodeId)> = vec![];
                    for (label, end) in labels.iter().zip(others) {
                        if choices.iter().all(|(known, _)| known != label) {
                            choices.push((*label, *end));
                        }
                    }
                    let node = self.values.tree.nodes.choose(selector, choices, *last);
                    self.assign(id, Some(node));
                }
            }
            Statement::For { .. } => unreachable!("loops are written out"),
        }
    }

    /// Runs statements that exclude each other, as arms of a choice.
    fn choose(&mut self, module: &TranslatedModule, choice: &Exclusive, statements: &[Statement]) {
        let selector = self.expression(choice.selector);
        let mut ends = vec![];
        for (statement, rest) in statements.iter().zip(&choice.rest) {
            let Statement::If { then, .. } = statement else { unreachable!("each is an if") };
            ends.push(self.branch(|run| {
                let conditions: Vec<_> = rest.iter().map(|condition| run.expression(condition)).collect();
                let one = run.values.tree.nodes.constant(1u32, 1);
                let both = |run: &mut Self, one, other| run.values.tree.nodes.binary(Binary::And, one, other);
                let condition = conditions.into_iter().fold(one, |all, next| both(run, all, next));
                let then = run.branch(|run| run.body(module, then));
                for id in changed([&then]) {
                    let (then, before) = (run.end(&then, id), run.own[&id]);
                    let node = run
                        .merged([then, before], |nodes, [then, before]| nodes.mux(condition, then, before));
                    run.assign(id, node);
                }
            }));
        }
        for id in changed(&ends) {
            let before = self.own[&id];
            let arms: Vec<_> = ends.iter().map(|end| self.end(end, id)).collect();
            let Some(any) = before.or_else(|| arms.iter().flatten().next().copied()) else { continue };
            let arms = choice.labels.iter().zip(arms).map(|(label, arm)| (*label, arm.unwrap_or(any)));
            let node = self.values.tree.nodes.choose(selector, arms.collect(), before.unwrap_or(any));
            self.assign(id, Some(node));
        }
    }

    fn assign(&mut self, id: SignalId, value: Option<NodeId>) {
        let former = self.own.insert(id, value).expect("a target of the process");
        self.log.push((id, former));
    }

    /// Runs statements, takes their assignments back, and returns them.
    fn branch(&mut self, body: impl FnOnce(&mut Self)) -> HashMap<SignalId, Option<NodeId>> {
        let start = self.log.len();
        body(self);
        let ends = self.log[start..].iter().map(|(id, _)| (*id, self.own[id])).collect();
        for (id, former) in self.log.split_off(start).into_iter().rev() {
            self.own.insert(id, former);
        }
        ends
    }

    /// A target's value at the end of a branch.
    fn end(&self, branch: &HashMap<SignalId, Option<NodeId>>, id: SignalId) -> Option<NodeId> {
        branch.get(&id).copied().unwrap_or(self.own[&id])
    }

    /// One value of two; the other where one branch leaves the target without a value, which nobody then
    /// reads.
    fn merged(
        &mut self,
        ends: [Option<NodeId>; 2],
        merge: impl FnOnce(&mut super::nodes::Nodes, [NodeId; 2]) -> NodeId,
    ) -> Option<NodeId> {
        match ends {
            [Some(one), Some(other)] => Some(merge(&mut self.values.tree.nodes, [one, other])),
            [one, other] => one.or(other),
        }
    }
}

/// All that any of these branches assigns, in order.
fn changed<'a>(ends: impl IntoIterator<Item = &'a HashMap<SignalId, Option<NodeId>>>) -> Vec<SignalId> {
    let mut ids: Vec<SignalId> = ends.into_iter().flat_map(|end| end.keys().copied()).collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// Statements that follow on each other, and at most one is executed: each asks if one selector has another
/// number.
struct Exclusive<'a> {
    selector: &'a Expression,
    labels: Vec<u64>,
    /// The conditions of each beside that.
    rest: Vec<Vec<&'a Expression>>,
}

impl<'a> Exclusive<'a> {
    /// At least three, from the first statement on.
    fn of(module: &TranslatedModule, statements: &'a [Statement]) -> Option<Self> {
        let mut found: Option<Exclusive> = None;
        let mut assigned: Vec<SignalId> = vec![];
        for statement in statements {
            let Statement::If { condition, then, otherwise, .. } = statement else { break };
            if !otherwise.is_empty() {
                break;
            }
            let mut reads_assigned = false;
            condition.reads(&mut |element| reads_assigned |= assigned.contains(&element.id()));
            let factors = factors(condition);
            let selector = found.as_ref().map(|found| found.selector);
            let comparison = factors.iter().enumerate().find_map(|(place, factor)| {
                let (compared, label) = comparison(module, factor)?;
                (selector.is_none_or(|selector| *selector == *compared)).then_some((place, compared, label))
            });
            let Some((place, selector, label)) = comparison.filter(|_| !reads_assigned) else { break };
            let exclusive = found.get_or_insert(Exclusive { selector, labels: vec![], rest: vec![] });
            if exclusive.labels.contains(&label) {
                break;
            }
            exclusive.labels.push(label);
            let others = factors.iter().enumerate().filter(|(other, _)| *other != place);
            exclusive.rest.push(others.map(|(_, factor)| *factor).collect());
            then.iter().for_each(|statement| statement.targets(&mut |target| assigned.push(target.id())));
            // The selector stays as it is while the statements run.
            let mut changes = false;
            selector.reads(&mut |element| changes |= assigned.contains(&element.id()));
            if changes {
                break;
            }
        }
        found.filter(|found| found.labels.len() >= 3)
    }
}

/// A conjunction's parts.
fn factors(condition: &Expression) -> Vec<&Expression> {
    match &condition.kind {
        Kind::Binary(Binary::And, left, right) if condition.width == 1 => {
            factors(left).into_iter().chain(factors(right)).collect()
        }
        _ => vec![condition],
    }
}

/// The two sides of a comparison with a number.
fn comparison<'a>(module: &TranslatedModule, factor: &'a Expression) -> Option<(&'a Expression, u64)> {
    let Kind::Binary(Binary::Equal, left, right) = &factor.kind else { return None };
    let number = |side: &Expression| u64::try_from(side.constant(&module.signals)?).ok();
    match (number(left), number(right)) {
        (None, Some(label)) => Some((left, label)),
        (Some(label), None) => Some((right, label)),
        _ => None,
    }
}

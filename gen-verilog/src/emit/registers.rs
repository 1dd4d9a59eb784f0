// SPDX-License-Identifier: Apache-2.0
//! Registers, as clocked blocks in the module that holds them.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::expression::Expression;
use super::index::Index;
use super::lines::filled;
use super::plan::VectorPlan;
use super::runs::copied;
use super::scope::Scope;
use super::signals::{is_register, Element, Signals, VectorId};
use super::statement::{AssignedPart, Statement};
use super::text::{is_number, variables, write_body, Assignment, IN_MEMORY};
use super::Language;

/// The registers of a module.
#[derive(Default)]
pub struct Registers {
    list: Vec<Register>,
    /// Their inputs that are written where they are used, without a name.
    pub inline: BTreeSet<VectorId>,
}

/// A register, or an array of them.
struct Register {
    q: VectorId,
    clock: String,
    /// None where it is never reset.
    reset: Option<String>,
    /// The load at a clock edge without reset.
    load: Load,
}

enum Load {
    /// The whole vector at once.
    Whole { enable: Option<String>, d: String },
    /// Element by element.
    Each(Statement),
}

pub fn registers(scope: &Scope, plan: &VectorPlan, read: &BTreeSet<VectorId>) -> Registers {
    let mut registers = Registers::default();
    for children in &plan.signals.children {
        if is_register(&scope.children[children.members[0]]) {
            let port = |name: &str| {
                let found = plan.signals.find(&format!("{}${name}", children.path));
                found.expect("a register's port").0
            };
            let inputs = ["clock", "reset", "enable", "d"].map(port);
            let [clock, reset, mut enable, d] =
                inputs.map(|vector| Input::of(plan, vector, read.contains(&vector)));
            // The enable of other registers serves these as well.
            if let Some(source) = enable.source(plan) {
                registers.inline.insert(enable.vector);
                enable = Input { vector: source, is_read: true, same: None };
            }
            let register = register(plan, port("q"), clock, reset, enable, d, &mut registers.inline);
            registers.list.push(register);
        }
    }
    registers
}

/// The connection of an input of an array of registers.
struct Input {
    /// Its own, or the one that it is a copy of.
    vector: VectorId,
    /// Something else reads it, so that it needs a name.
    is_read: bool,
    /// The same for all registers.
    same: Option<Expression>,
}

impl Input {
    fn of(plan: &VectorPlan, vector: VectorId, is_read: bool) -> Self {
        let values = plan.values(vector, plan.signals[vector].elements());
        let same = values.filter(|values| values.iter().all(|value| *value == values[0]));
        Input { vector, is_read, same: same.map(|values| values[0].clone()) }
    }

    /// The array that it is nothing but a copy of.
    fn source(&self, plan: &VectorPlan) -> Option<VectorId> {
        let values = plan.values(self.vector, plan.signals[self.vector].elements())?;
        copied(plan.signals, &values).filter(|_| !self.is_read)
    }

    /// The expression that can stand for it everywhere.
    fn shared(&self) -> Option<&Expression> {
        self.same.as_ref().filter(|_| !self.is_read)
    }
}

fn register(
    plan: &VectorPlan,
    q: VectorId,
    clock: Input,
    reset: Input,
    enable: Input,
    d: Input,
    inline: &mut BTreeSet<VectorId>,
) -> Register {
    let signals = plan.signals;
    for input in [&clock, &reset, &enable] {
        if input.shared().is_some() {
            inline.insert(input.vector);
        }
    }
    let name = |input: &Input| signals[input.vector].name.clone();
    let clock = clock.same.as_ref().map_or(name(&clock), |value| value.text(signals));
    let single = !signals[q].is_packed();
    // Whole vectors can be loaded at once if all of them are at the same time.
    let condition = |input: &Input| match input.shared() {
        Some(value) => Some(value.clone()),
        None if single => Some(Expression::signal(signals, signals.element(signals[input.vector].first))),
        None => input.same.clone(),
    };
    let reset_of_all = condition(&reset);
    let is_reset = reset_of_all.as_ref().is_none_or(|reset| !is_number(reset, signals, 0));

    let regular = plan.regular(d.vector).filter(|_| !d.is_read);
    let each = |vector: VectorId, index: &Index| Element {
        vector,
        first: signals[vector].first,
        index: index.clone(),
    };
    let source = d.source(plan);
    let load = match (regular, condition(&enable)) {
        (regular, Some(enable)) if reset_of_all.is_some() && (regular.is_none() || source.is_some()) => {
            if source.is_some() {
                inline.insert(d.vector);
            }
            Load::Whole {
                enable: (!is_number(&enable, signals, 1)).then(|| enable.text(signals)),
                d: source.map_or(name(&d), |source| signals[source].name.clone()),
            }
        }
        (regular, enable_of_all) => {
            let (mut loops, index, value) = match &regular {
                Some(regular) => {
                    inline.insert(d.vector);
                    let Statement::Assign { target, .. } = regular.assignment else {
                        unreachable!("an assignment is one")
                    };
                    (regular.loops.clone(), target.index.clone(), regular.value.clone())
                }
                None => {
                    let value =
                        Expression::signal(signals, each(d.vector, &Index::Variable("i".to_string())));
                    (vec![("i", 0, signals[q].count)], Index::Variable("i".to_string()), value)
                }
            };
            if signals[q].count == 1 && regular.is_none() {
                loops.clear();
            }
            let own = plan.regular(enable.vector).filter(|_| !enable.is_read);
            let condition = match (enable_of_all, own) {
                (Some(enable), _) => enable,
                (None, Some(own)) if own.loops == loops && target_index(own.assignment) == &index => {
                    inline.insert(enable.vector);
                    own.value.clone()
                }
                _ => Expression::signal(signals, each(enable.vector, &index)),
            };
            let target = each(q, &index);
            let mut load =
                Statement::Assign { target: target.clone(), part: AssignedPart::Whole, value, at: 0 };
            if !is_number(&condition, signals, 1) {
                load = Statement::If { condition, at: 0, then: vec![load], otherwise: vec![] };
            }
            if reset_of_all.is_none() {
                let zero = Expression::literal(0u32, signals[q].width);
                let clear = Statement::Assign { target, part: AssignedPart::Whole, value: zero, at: 0 };
                let condition = Expression::signal(signals, each(reset.vector, &index));
                load = Statement::If { condition, at: 0, then: vec![clear], otherwise: vec![load] };
            }
            let nest = |inner, (variable, from, to): &(&str, usize, usize)| Statement::For {
                variable: variable.to_string(),
                from: *from,
                to: *to,
                body: vec![inner],
            };
            Load::Each(loops.iter().rev().fold(load, nest))
        }
    };
    let reset = reset_of_all.filter(|_| is_reset).map(|reset| reset.text(signals));
    Register { q, clock, reset, load }
}

fn target_index(assignment: &Statement) -> &Index {
    match assignment {
        Statement::Assign { target, .. } => &target.index,
        _ => unreachable!("an assignment is one"),
    }
}

/// The clocked blocks: one for all registers with the same clock and reset. In simulation of Verilog
/// registers start at zero.
pub fn text(plan: &VectorPlan, registers: &Registers) -> String {
    let signals = plan.signals;
    let mut kinds: Vec<(&str, Option<&str>)> = vec![];
    for register in &registers.list {
        let kind = (register.clock.as_str(), register.reset.as_deref());
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    let mut blocks = vec![];
    for (clock, reset) in kinds {
        let of_kind = registers
            .list
            .iter()
            .filter(|register| (register.clock.as_str(), register.reset.as_deref()) == (clock, reset));
        blocks.push(block(signals, clock, reset, &of_kind.collect::<Vec<_>>(), blocks.len()));
    }
    if blocks.is_empty() {
        return String::new();
    }
    let blocks = blocks.join("\n");
    if signals.language == Language::SystemVerilog {
        return blocks;
    }
    let initial = match &registers.list[..] {
        [register] => {
            let q = &signals[register.q];
            let zero = Expression::literal(0u32, q.bits()).text(signals);
            format!("  initial {} = {zero};\n", q.name)
        }
        all => {
            let names: Vec<_> = all.iter().map(|register| signals[register.q].name.as_str()).collect();
            let list = names.join(", ") + "} = 0;";
            filled("  initial {", list.split(' '), "   ").replacen("{ ", "{", 1)
        }
    };
    format!("{blocks}\n`ifndef SYNTHESIS\n{initial}`endif\n")
}

fn block(
    signals: &Signals,
    clock: &str,
    reset: Option<&str>,
    registers: &[&Register],
    number: usize,
) -> String {
    let always = match signals.language {
        Language::Verilog => "always",
        Language::SystemVerilog => "always_ff",
    };
    let clear = |register: &Register| {
        let q = &signals[register.q];
        let state =
            q.states.as_deref().filter(|_| !q.is_packed()).and_then(|states| signals.first_state(states));
        let zero = || Expression::literal(0u32, q.bits()).text(signals);
        format!("{} <= {};", q.name, state.map_or_else(zero, str::to_string))
    };
    let whole = |register: &Register| match &register.load {
        Load::Whole { enable, d } => {
            let load = format!("{} <= {d};\n", signals[register.q].name);
            Some(enable.as_ref().map_or(load.clone(), |enable| format!("if ({enable}) {load}")))
        }
        Load::Each(_) => None,
    };
    let statements = registers.iter().filter_map(|register| match &register.load {
        Load::Each(statement) => Some(statement.clone()),
        Load::Whole { .. } => None,
    });
    let statements = one_loop_each(statements.collect());
    let written = |depth: usize| {
        let margin = "  ".repeat(depth);
        let whole = registers.iter().filter_map(|register| whole(register));
        let mut text: String = whole.map(|line| format!("{margin}{line}")).collect();
        write_body(signals, &statements, Assignment::Nonblocking, depth, &mut text);
        text
    };
    let variables = variables(&statements);
    let head = format!("  {always} @(posedge {clock})");
    if let ([register], []) = (registers, &variables[..]) {
        let load = written(2);
        return match reset {
            Some(reset) => {
                let clear = clear(register);
                format!("{head}\n    if ({reset}) {clear}\n    else {}", load.trim_start())
            }
            None => format!("{head}\n{load}"),
        };
    }
    let mut text = match variables.is_empty() {
        true => format!("{head} begin\n"),
        false => {
            let suffix = if number == 0 { String::new() } else { format!("_{number}") };
            format!("{head} begin : {}\n", signals.fresh(&format!("registers{suffix}")))
        }
    };
    for variable in &variables {
        writeln!(text, "    integer {variable};").expect(IN_MEMORY);
    }
    match reset {
        Some(reset) => {
            writeln!(text, "    if ({reset}) begin").expect(IN_MEMORY);
            for register in registers {
                writeln!(text, "      {}", clear(register)).expect(IN_MEMORY);
            }
            write!(text, "    end else begin\n{}    end\n", written(3)).expect(IN_MEMORY);
        }
        None => text += &written(2),
    }
    text + "  end\n"
}

/// Joins loops over the same numbers: what they do at a clock edge has no order.
fn one_loop_each(statements: Vec<Statement>) -> Vec<Statement> {
    let mut joined: Vec<Statement> = vec![];
    for statement in statements {
        let Statement::For { variable, from, to, body } = statement else {
            joined.push(statement);
            continue;
        };
        let same = joined.iter_mut().find_map(|known| match known {
            Statement::For { variable: v, from: f, to: t, body }
                if (&*v, *f, *t) == (&variable, from, to) =>
            {
                Some(body)
            }
            _ => None,
        });
        match same {
            Some(known) => known.extend(body),
            None => joined.push(Statement::For { variable, from, to, body }),
        }
    }
    for statement in &mut joined {
        if let Statement::For { body, .. } = statement {
            *body = one_loop_each(std::mem::take(body));
        }
    }
    joined
}

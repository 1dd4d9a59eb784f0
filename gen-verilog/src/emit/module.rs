// SPDX-License-Identifier: Apache-2.0
//! The text of one Verilog module.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;

use gpurf_hw::dialect::PortDoc;
use rust_hdl::ast::{Verilog, VerilogBlock};

use super::error::{EmitError, Result};
use super::expression::{Expression, Kind};
use super::instances::{self, Connections};
use super::kernel::{self, Kernel};
use super::lines::{broken, comment, LONGEST};
use super::paths::{self, Paths};
use super::plan::VectorPlan;
use super::registers::{self, Registers};
use super::schedule::{self, Process};
use super::scope::Scope;
use super::sections::Sections;
use super::signals::{is_register, Role, SignalId, Signals, Vector, VectorId, CLOCK};
use super::statement::Statement;
use super::text::{declared, skipped, variables, write_body, Assignment, IN_MEMORY};
use super::{contract, header, implicit, Language, Port, Style, VerilogModule};

/// Writes a module and finds the paths through it, given those through its children by module name.
///
/// Children are modules of their own, except for registers.
pub fn module(
    scope: &Scope,
    style: &Style,
    children: &HashMap<String, Paths>,
) -> Result<(VerilogModule, Paths)> {
    let mut signals = Signals::of(scope, style)?;
    // Verilog of its own speaks of one dimension.
    if matches!(scope.code, Verilog::Custom(_)) {
        signals.language = Language::Verilog;
    }
    let combinational = |kernel: &VerilogBlock| -> Result<([String; 2], Vec<String>, Paths)> {
        let Kernel { statements, sections } = kernel::translated(&signals, kernel)?;
        let statements = implicit::with_clocks(scope, &signals, statements);
        let processes = schedule::processes(&signals, super::unroll::unrolled(&statements))?;
        let mut paths = paths::paths(scope, &signals, &processes, children)?;
        check_clocks(&signals, &processes)?;
        let through = paths::through_children(scope, &signals, children);
        let plan = VectorPlan::of(&signals, statements, processes, through)?;
        let module = Combinational::of(scope, plan, sections);
        paths.vectors = module.plan.paths();
        Ok((module.texts(), module.unused_inputs(), paths))
    };
    let ([text, code], unused_inputs, paths) = match &scope.code {
        // The outputs of a primitive with Verilog of its own are registers.
        Verilog::Custom(text) => {
            let text = custom(scope, &signals, text)?;
            ([text.clone(), text], vec![], Paths::default())
        }
        Verilog::Combinatorial(kernel) => combinational(kernel)?,
        Verilog::Empty => combinational(&vec![])?,
        Verilog::Blackbox(_) | Verilog::Wrapper(_) => {
            return Err(EmitError::Kernel {
                module: signals.module.clone(),
                problem: "black boxes and wrappers are not exported".to_string(),
            })
        }
    };
    let ports = signals.vectors.iter();
    let ports = ports.filter(|vector| matches!(vector.role, Role::Input | Role::Output));
    let contract = contract::rules(scope, &signals, &code);
    let head = header::text(scope, &signals, &contract);
    let module = VerilogModule {
        name: scope.identity.verilog_name.clone(),
        origin: scope.identity.origin.clone(),
        parameters: scope.identity.parameters.clone(),
        ports: ports.map(port).collect(),
        unused_inputs,
        contract,
        text: format!("{head}{text}"),
        code,
    };
    Ok((module, paths))
}

fn port(vector: &Vector) -> Port {
    Port {
        name: vector.name.clone(),
        width: vector.width,
        count: vector.count,
        is_input: vector.role == Role::Input,
    }
}

/// `module name ( ports );`, with these outputs as `reg`; each port below what is said about it.
fn opening(scope: &Scope, signals: &Signals, is_reg: impl Fn(VectorId) -> bool) -> String {
    let is_verilog = signals.style.language == Language::Verilog;
    let docs = docs(scope, signals);
    let ports = (0..signals.vectors.len()).filter_map(|id| {
        let kind = match signals[id].role {
            Role::Input if is_verilog => "input wire",
            Role::Output if is_verilog && is_reg(id) => "output reg",
            Role::Output if is_verilog => "output wire",
            Role::Input => "input logic",
            Role::Output => "output logic",
            _ => return None,
        };
        let doc = docs.get(&id).map_or_else(String::new, |doc| doc.lines());
        Some((doc, declared(signals, kind, &signals[id])))
    });
    let ports: Vec<_> = ports.collect();
    let mut text = format!("module {} (\n", signals.module);
    for (number, (doc, port)) in ports.iter().enumerate() {
        let comma = if number + 1 < ports.len() { "," } else { "" };
        writeln!(text, "{doc}  {port}{comma}").expect(IN_MEMORY);
    }
    text + ");\n"
}

/// The comments of a port, and of the ports that follow it.
#[derive(Default)]
struct Said<'a> {
    bundle: &'a str,
    doc: &'a str,
}

impl Said<'_> {
    /// A bundle's comment stands apart from that of its first wire.
    fn lines(&self) -> String {
        let [bundle, doc] =
            [self.bundle, self.doc]
                .map(|text| if text.is_empty() { String::new() } else { comment("  ", text) });
        if bundle.is_empty() {
            return doc;
        }
        format!("\n{bundle}\n{doc}")
    }
}

/// The comments of each port. A comment of the ports of several modules stands above the first of them.
fn docs<'a>(scope: &'a Scope, signals: &Signals) -> HashMap<VectorId, Said<'a>> {
    let is_port = |vector: &Vector| matches!(vector.role, Role::Input | Role::Output);
    let port = |fits: &dyn Fn(&str) -> bool| {
        signals.vectors.iter().position(|vector| is_port(vector) && fits(&vector.name))
    };
    let mut docs: HashMap<VectorId, Said> = HashMap::new();
    for PortDoc { name: field, bundle, doc } in &scope.identity.port_docs {
        let first_of = format!("{field}_");
        let own = port(&|name| name == field);
        if let Some(own) = own {
            docs.insert(own, Said { bundle, doc });
        } else if let Some(first) = port(&|name| name.starts_with(&first_of)) {
            docs.entry(first).or_default().bundle = doc;
        }
    }
    docs
}

/// A primitive that brings its own Verilog.
fn custom(scope: &Scope, signals: &Signals, text: &str) -> Result<String> {
    if !scope.children.is_empty() {
        return Err(EmitError::Kernel {
            module: signals.module.clone(),
            problem: "Verilog of its own cannot have children".to_string(),
        });
    }
    let text = in_words(text, CLOCK, &signals.style.clock.0);
    let lines: String = text.lines().map(indented).collect();
    Ok(format!("{}\n{lines}endmodule\n", opening(scope, signals, |_| true)))
}

/// A text with another word instead of one.
fn in_words(text: &str, word: &str, other: &str) -> String {
    let mut changed = String::new();
    for part in text.split_inclusive(|letter: char| !is_word(letter)) {
        let end =
            part.len() - part.chars().next_back().filter(|last| !is_word(*last)).map_or(0, char::len_utf8);
        changed += if &part[..end] == word { other } else { &part[..end] };
        changed += &part[end..];
    }
    changed
}

/// Compiler directives stay at the margin.
fn indented(line: &str) -> String {
    match line {
        "" => "\n".to_string(),
        line if line.starts_with('`') => format!("{line}\n"),
        line => format!("  {line}\n"),
    }
}

fn check_clocks(signals: &Signals, processes: &[Process]) -> Result<()> {
    let is_clock = |id: SignalId| signals.owner(id).is_clock;
    let is_clock_input = |id: SignalId| is_clock(id) && signals.owner(id).role == Role::Input;
    let mut passed_down = BTreeSet::new();
    for process in processes {
        if let Process::Continuous { target, value: Expression { kind: Kind::Signal(element), .. } } = process
        {
            if is_clock_input(element.id()) && is_clock(*target) {
                passed_down.insert(*target);
            }
        }
    }
    let stray = (0..signals.len())
        .filter(|id| is_clock(*id) && !is_clock_input(*id))
        .find(|id| !passed_down.contains(id) || !matches!(signals.owner(*id).role, Role::ChildInput(_)));
    let as_data = processes.iter().find_map(|process| {
        let mut clock = None;
        process.reads(&mut |id| clock = clock.or(is_clock(id).then_some(id)));
        let target = process.targets()[0];
        clock.filter(|_| !passed_down.contains(&target)).map(|_| target)
    });
    match stray.or(as_data) {
        Some(id) => Err(EmitError::ClockPath { module: signals.module.clone(), signal: signals.name_of(id) }),
        None => Ok(()),
    }
}

/// A module whose kernel is combinational; all state is in its children.
struct Combinational<'a> {
    scope: &'a Scope,
    plan: VectorPlan<'a>,
    sections: Sections,
    connections: Connections,
    registers: Registers,
    /// Vectors whose value is used, so that they need a name.
    read: BTreeSet<VectorId>,
}

impl<'a> Combinational<'a> {
    fn of(scope: &'a Scope, mut plan: VectorPlan<'a>, sections: Sections) -> Self {
        let mut read = BTreeSet::new();
        let mut note = |vector: VectorId| {
            read.insert(vector);
        };
        plan.statements.iter().for_each(|statement| statement.reads(&mut |element| note(element.vector)));
        let connections = instances::connections(scope, &plan, &read);
        let registers = registers::registers(scope, &plan, &read);
        let shown = plan.signals.shown.keys();
        let apart = connections.inline.keys().chain(&registers.inline).chain(shown).copied().collect();
        plan.join(&apart);
        Combinational { scope, plan, sections, connections, registers, read }
    }

    fn unused_inputs(&self) -> Vec<String> {
        let vectors = self.plan.signals.vectors.iter().enumerate();
        let unused = vectors.filter(|(id, vector)| vector.role == Role::Input && !self.read.contains(id));
        unused.map(|(_, vector)| vector.name.clone()).collect()
    }

    fn is_inline(&self, vector: VectorId) -> bool {
        self.connections.inline.contains_key(&vector) || self.registers.inline.contains(&vector)
    }

    /// The module, and the same without its sections' comments and its contract.
    fn texts(&self) -> [String; 2] {
        let logic = self.logic();
        let in_block = &logic.in_block;
        let instances = instances::text(self.scope, &self.plan, &self.connections, &self.read);
        let registers = registers::text(&self.plan, &self.registers);
        let constants = self.constants(&[&instances, &logic.text(false), &registers]);
        let declarations = self.declarations(in_block);
        [true, false].map(|has_comments| {
            let logic = logic.text(has_comments);
            let is_reg = |id| in_block.contains(&id) || self.plan.signals.shown.contains_key(&id);
            let mut text = opening(self.scope, self.plan.signals, is_reg);
            let parts = [&constants, &declarations, &instances, &logic, &registers];
            for part in parts.into_iter().filter(|part| !part.is_empty()) {
                text.push('\n');
                text.push_str(part);
            }
            if has_comments {
                let contract = contract::text(self.scope, self.plan.signals, &text);
                text += &contract;
            }
            broken(&text) + "endmodule\n"
        })
    }

    /// The constants that the rest of the text names.
    fn constants(&self, rest: &[&str]) -> String {
        let signals = self.plan.signals;
        let words: BTreeSet<&str> =
            rest.iter().flat_map(|text| text.split(|letter: char| !is_word(letter))).collect();
        let mut text = String::new();
        let is_named = |vector: &&Vector| words.contains(vector.name.as_str());
        let mut enums: Vec<&str> = vec![];
        for vector in signals.vectors.iter().filter(is_named) {
            let Role::Constant(values) = &vector.role else { continue };
            if let (Some(states), Language::SystemVerilog) = (&vector.states, signals.language) {
                if !enums.contains(&states.as_str()) {
                    enums.push(states);
                    text += &enumeration(signals, states);
                }
                continue;
            }
            let number = |value| Expression::literal(value, vector.width).text(signals);
            let values: Vec<_> = values.iter().rev().cloned().map(number).collect();
            let declaration = declared(signals, "localparam", vector);
            if !vector.is_packed() {
                writeln!(text, "  {declaration} = {};", values[0]).expect(IN_MEMORY);
                continue;
            }
            let mut lines = vec![format!("  {declaration} = {{")];
            for (number, value) in values.iter().enumerate() {
                let value = if number + 1 < values.len() { format!("{value}, ") } else { value.clone() };
                if lines.last().is_some_and(|line| line.len() + value.len() > LONGEST) {
                    lines.push("    ".to_string());
                }
                lines.last_mut().expect("there is a line").push_str(&value);
            }
            let lines: Vec<_> = lines.iter().map(|line| line.trim_end()).collect();
            writeln!(text, "{}}};", lines.join("\n")).expect(IN_MEMORY);
        }
        text
    }

    fn declarations(&self, in_block: &BTreeSet<VectorId>) -> String {
        let signals = self.plan.signals;
        let is_verilog = signals.language == Language::Verilog;
        let mut text = String::new();
        for (id, vector) in signals.vectors.iter().enumerate() {
            let is_assigned = self.plan.group_of(id).is_some() && !self.is_inline(id);
            let kind = match vector.role {
                Role::Local | Role::ChildInput(_) if in_block.contains(&id) => "reg",
                Role::Local | Role::ChildInput(_) if is_assigned => "wire",
                // It is declared as the output that it is.
                Role::ChildOutput(_) if signals.shown.values().any(|held| *held == id) => continue,
                Role::ChildOutput(children) => {
                    let child = &self.scope.children[signals.children[children].members[0]];
                    match (is_register(child), self.read.contains(&id)) {
                        (true, _) => "reg",
                        (false, true) => "wire",
                        (false, false) => continue,
                    }
                }
                _ => continue,
            };
            let kind = if is_verilog { kind } else { "logic" };
            writeln!(text, "  {};", declared(signals, kind, vector)).expect(IN_MEMORY);
        }
        text
    }

    fn logic(&self) -> Logic {
        let signals = self.plan.signals;
        let mut logic = Logic::default();
        // Sections that were begun; a process that belongs to several stands in its first.
        let mut begun = 0;
        for group in &self.plan.groups {
            if group
                .vectors
                .iter()
                .any(|vector| self.is_inline(*vector) || signals.shown.contains_key(vector))
            {
                continue;
            }
            let sections = group.vectors.iter().filter_map(|vector| self.sections.of.get(vector));
            if let Some(section) = sections.min().filter(|section| **section >= begun) {
                begun = section + 1;
                logic.comment(&self.sections.comments[*section]);
            }
            match self.plan.assigned_at_once(group) {
                Some(assigns) => {
                    for (target, value) in assigns {
                        logic.assign(&target, &value);
                    }
                }
                None => logic.block(signals, &group.vectors, &group.body),
            }
        }
        logic
    }
}

/// All states of an enum.
fn enumeration(signals: &Signals, states: &str) -> String {
    let is_state = |vector: &&Vector| vector.states.as_deref() == Some(states);
    let all = signals.vectors.iter().filter(is_state).filter_map(|vector| match &vector.role {
        Role::Constant(values) => Some((vector, values[0].clone())),
        _ => None,
    });
    let all: Vec<_> = all.collect();
    let width = all[0].0.width;
    let labels = all.iter().map(|(vector, value)| {
        format!("    {} = {}", vector.name, Expression::literal(value.clone(), width).text(signals))
    });
    let range = if width == 1 { String::new() } else { format!(" [{}:0]", width - 1) };
    let labels = labels.collect::<Vec<_>>().join(",\n");
    format!("  typedef enum logic{range} {{\n{labels}\n  }} {states};\n")
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// The text of the processes, and the vectors that they assign in blocks.
#[derive(Default)]
struct Logic {
    in_block: BTreeSet<VectorId>,
    parts: Vec<LogicPart>,
}

enum LogicPart {
    Comment(String),
    Assign(String),
    Block(String),
}

impl Logic {
    /// Says what the processes that follow are about.
    fn comment(&mut self, text: &str) {
        if !text.is_empty() {
            self.parts.push(LogicPart::Comment(comment("  ", text)));
        }
    }

    fn assign(&mut self, name: &str, value: &str) {
        self.parts.push(LogicPart::Assign(format!("  assign {name} = {value};\n")));
    }

    fn block(&mut self, signals: &Signals, vectors: &BTreeSet<VectorId>, body: &[Statement]) {
        self.in_block.extend(vectors);
        let always = match signals.language {
            Language::Verilog => "always @(*)",
            Language::SystemVerilog => "always_comb",
        };
        let mut first = None;
        body[0].targets(&mut |target| {
            first.get_or_insert(target.vector);
        });
        let name = &signals[first.expect("a block assigns something")].name;
        self.parts.push(LogicPart::Block(block(signals, always, name, body)));
    }

    /// An empty line stands before a comment, and around a block.
    fn text(&self, has_comments: bool) -> String {
        use LogicPart::{Assign, Block, Comment};
        let parts = self.parts.iter().filter(|part| has_comments || !matches!(part, Comment(_)));
        let mut text = String::new();
        let mut last: Option<&LogicPart> = None;
        for part in parts {
            if matches!(
                (last, part),
                (Some(_), Comment(_)) | (Some(Block(_)), Assign(_)) | (Some(Assign(_) | Block(_)), Block(_))
            ) {
                text.push('\n');
            }
            let (Comment(lines) | Assign(lines) | Block(lines)) = part;
            text += lines;
            last = Some(part);
        }
        text
    }
}

/// A block of logic; one with loops has a name, since its loop variables are declared in it.
fn block(signals: &Signals, always: &str, name: &str, body: &[Statement]) -> String {
    let variables = variables(body);
    let mut text = match variables.is_empty() {
        true => format!("  {always} begin\n"),
        false => format!("  {always} begin : {}\n", signals.fresh(&format!("{name}_logic"))),
    };
    for variable in &variables {
        writeln!(text, "    integer {variable};").expect(IN_MEMORY);
    }
    for variable in skipped(body) {
        writeln!(text, "    {variable} = 0;").expect(IN_MEMORY);
    }
    write_body(signals, body, Assignment::Blocking, 2, &mut text);
    text + "  end\n"
}

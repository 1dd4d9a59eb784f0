//! The text of one Verilog module.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;

use rust_hdl::core::ast::{Verilog, VerilogBlock};

use super::error::{EmitError, Result};
use super::expression::{range, Expression, Kind, Unary};
use super::kernel::{self, Part, Statement};
use super::paths::{self, Paths};
use super::schedule::{self, Process};
use super::scope::Scope;
use super::signals::{is_register, Role, Signal, SignalId, Signals};
use super::{Port, VerilogModule};

/// Writes a module and finds the paths through it, given those through its children by module name.
///
/// Children are modules of their own, except for registers.
pub fn module(scope: &Scope, children: &HashMap<String, Paths>) -> Result<(VerilogModule, Paths)> {
    let signals = Signals::of(scope)?;
    let combinational = |kernel: &VerilogBlock| -> Result<(String, Vec<String>, Paths)> {
        let statements = kernel::statements(&signals, kernel)?;
        let processes = schedule::processes(&signals, statements)?;
        let paths = paths::paths(scope, &signals, &processes, children)?;
        let module = Combinational::of(scope, &signals, processes)?;
        Ok((module.text(), module.unused_inputs(), paths))
    };
    let (body, unused_inputs, paths) = match &scope.code {
        // The outputs of a primitive with Verilog of its own are registers.
        Verilog::Custom(text) => (custom(scope, &signals, text)?, vec![], Paths::new()),
        Verilog::Combinatorial(kernel) => combinational(kernel)?,
        Verilog::Empty => combinational(&vec![])?,
        Verilog::Blackbox(_) | Verilog::Wrapper(_) => {
            return Err(EmitError::Kernel {
                module: signals.module.clone(),
                problem: "black boxes and wrappers are not exported".to_string(),
            })
        }
    };
    let ports = (0..signals.len()).map(|id| &signals[id]);
    let ports = ports.filter(|signal| matches!(signal.role, Role::Input | Role::Output));
    let module = VerilogModule {
        name: scope.identity.verilog.clone(),
        origin: scope.identity.origin.clone(),
        parameters: scope.identity.parameters.clone(),
        ports: ports.map(port).collect(),
        unused_inputs,
        text: format!("{}{body}", header(scope)),
    };
    Ok((module, paths))
}

fn port(signal: &Signal) -> Port {
    Port { name: signal.name.clone(), width: signal.width, is_input: signal.role == Role::Input }
}

fn header(scope: &Scope) -> String {
    let identity = &scope.identity;
    let mut header = format!("// {}: {}\n", identity.verilog, identity.origin);
    if !identity.parameters.is_empty() {
        let parameters = identity.parameters.iter().map(|(name, value)| format!("{name} = {value}"));
        header += &format!("// Parameters: {}\n", parameters.collect::<Vec<_>>().join(", "));
    }
    header
}

/// `module name ( ports );`, with these outputs as `reg`.
fn opening(signals: &Signals, is_reg: impl Fn(SignalId) -> bool) -> String {
    let ports = (0..signals.len()).filter_map(|id| {
        let kind = match signals[id].role {
            Role::Input => "input wire",
            Role::Output if is_reg(id) => "output reg",
            Role::Output => "output wire",
            _ => return None,
        };
        Some(format!("  {}", declaration(kind, &signals[id])))
    });
    format!("module {} (\n{}\n);\n", signals.module, ports.collect::<Vec<_>>().join(",\n"))
}

fn declaration(kind: &str, signal: &Signal) -> String {
    match signal.width {
        1 => format!("{kind} {}", signal.name),
        width => format!("{kind} [{}:0] {}", width - 1, signal.name),
    }
}

/// A primitive that brings its own Verilog.
fn custom(scope: &Scope, signals: &Signals, text: &str) -> Result<String> {
    if !scope.children.is_empty() {
        return Err(EmitError::Kernel {
            module: signals.module.clone(),
            problem: "Verilog of its own cannot have children".to_string(),
        });
    }
    let lines: String = text.lines().map(indented).collect();
    Ok(format!("{}\n{lines}endmodule\n", opening(signals, |_| true)))
}

/// Compiler directives stay at the margin.
fn indented(line: &str) -> String {
    match line {
        "" => "\n".to_string(),
        line if line.starts_with('`') => format!("{line}\n"),
        line => format!("  {line}\n"),
    }
}

/// A module whose kernel is combinational; all state is in its children.
struct Combinational<'a> {
    scope: &'a Scope,
    signals: &'a Signals,
    processes: Vec<Process>,
    /// Signals whose value is used, so that they need a name.
    read: BTreeSet<SignalId>,
    /// Signals that some process assigns; a local that is constant is not.
    assigned: BTreeSet<SignalId>,
    /// Inputs of children that are connected to an expression, not to a wire of their own.
    inline: BTreeMap<SignalId, Expression>,
}

impl<'a> Combinational<'a> {
    fn of(scope: &'a Scope, signals: &'a Signals, processes: Vec<Process>) -> Result<Self> {
        let mut read = BTreeSet::new();
        for process in &processes {
            process.reads(&mut |id| {
                read.insert(id);
            });
        }
        let assigned = processes.iter().flat_map(|process| process.targets()).copied().collect();
        let mut module = Combinational { scope, signals, processes, read, assigned, inline: BTreeMap::new() };
        module.check_clocks()?;
        module.inline_connections();
        Ok(module)
    }

    fn unused_inputs(&self) -> Vec<String> {
        let signals =
            (0..self.signals.len()).filter(|id| !self.read.contains(id)).map(|id| &self.signals[id]);
        signals.filter(|signal| signal.role == Role::Input).map(|signal| signal.name.clone()).collect()
    }

    fn check_clocks(&self) -> Result<()> {
        let signals = self.signals;
        let is_clock_input = |id: SignalId| signals[id].is_clock && signals[id].role == Role::Input;
        let mut passed_down = BTreeSet::new();
        for process in &self.processes {
            if let Process::Continuous { target, value: Expression { kind: Kind::Signal(id), .. } } = process
            {
                if is_clock_input(*id) && signals[*target].is_clock {
                    passed_down.insert(*target);
                }
            }
        }
        let stray = (0..signals.len())
            .filter(|id| signals[*id].is_clock && !is_clock_input(*id))
            .find(|id| !passed_down.contains(id) || !matches!(signals[*id].role, Role::ChildInput(_)));
        let as_data = self.processes.iter().find_map(|process| {
            let mut clock = None;
            process.reads(&mut |id| clock = clock.or(signals[id].is_clock.then_some(id)));
            let target = process.targets()[0];
            clock.filter(|_| !passed_down.contains(&target)).map(|_| target)
        });
        match stray.or(as_data) {
            Some(id) => {
                Err(EmitError::ClockPath { module: signals.module.clone(), signal: signals[id].name.clone() })
            }
            None => Ok(()),
        }
    }

    /// Takes out the assignments to children's inputs that read well where they are used: any to a
    /// register, plain signals and numbers to an instance.
    fn inline_connections(&mut self) {
        let (scope, signals, read) = (self.scope, self.signals, &self.read);
        let inline = &mut self.inline;
        self.processes.retain(|process| {
            let Process::Continuous { target, value } = process else { return true };
            let Role::ChildInput(child) = signals[*target].role else { return true };
            let is_plain = matches!(value.kind, Kind::Signal(_) | Kind::Literal(_));
            if read.contains(target) || !(is_plain || is_register(&scope.children[child])) {
                return true;
            }
            inline.insert(*target, value.clone());
            false
        });
    }

    fn text(&self) -> String {
        let in_block: BTreeSet<_> = self
            .processes
            .iter()
            .filter(|process| matches!(process, Process::Block { .. }))
            .flat_map(|process| process.targets())
            .copied()
            .collect();
        let sections = [
            self.constants(),
            self.declarations(&in_block),
            self.instances(),
            self.logic(),
            self.registers(),
        ];
        let mut text = opening(self.signals, |id| in_block.contains(&id));
        for section in sections.iter().filter(|section| !section.is_empty()) {
            text.push('\n');
            text.push_str(section);
        }
        text + "endmodule\n"
    }

    fn constants(&self) -> String {
        let mut text = String::new();
        for id in &self.read {
            if let Role::Constant(value) = &self.signals[*id].role {
                let signal = &self.signals[*id];
                let value = Expression::literal(value.clone(), signal.width).text(self.signals);
                writeln!(text, "  {} = {value};", declaration("localparam", signal)).expect(IN_MEMORY);
            }
        }
        text
    }

    fn declarations(&self, in_block: &BTreeSet<SignalId>) -> String {
        let mut text = String::new();
        for id in 0..self.signals.len() {
            let signal = &self.signals[id];
            let kind = match signal.role {
                Role::Local | Role::ChildInput(_) if in_block.contains(&id) => "reg",
                Role::Local if self.assigned.contains(&id) => "wire",
                Role::ChildInput(_) if !self.inline.contains_key(&id) => "wire",
                Role::ChildOutput(child) if is_register(&self.scope.children[child]) => "reg",
                Role::ChildOutput(_) if self.read.contains(&id) => "wire",
                _ => continue,
            };
            writeln!(text, "  {};", declaration(kind, signal)).expect(IN_MEMORY);
        }
        text
    }

    /// Instances of all children but registers.
    fn instances(&self) -> String {
        let mut texts = vec![];
        for child in self.scope.children.iter().filter(|child| !is_register(child)) {
            let connections = child.atoms.iter().filter_map(|atom| {
                let id = self.signals.find(&format!("{}${}", child.key, atom.key))?;
                let connection = match (&self.signals[id].role, self.inline.get(&id)) {
                    (_, Some(value)) => value.text(self.signals),
                    (Role::ChildOutput(_), _) if !self.read.contains(&id) => String::new(),
                    _ => self.signals[id].name.clone(),
                };
                Some(format!("    .{}({connection})", atom.key.replace('$', "_")))
            });
            let connections = connections.collect::<Vec<_>>().join(",\n");
            let (module, instance) = (&child.identity.verilog, child.key.replace('$', "_"));
            texts.push(format!("  {module} {instance} (\n{connections}\n  );\n"));
        }
        texts.join("\n")
    }

    fn logic(&self) -> String {
        let signals = self.signals;
        let mut text = String::new();
        let mut after_block = false;
        for process in &self.processes {
            match process {
                Process::Continuous { target, value } => {
                    if after_block {
                        text.push('\n');
                    }
                    after_block = false;
                    let name = &signals[*target].name;
                    writeln!(text, "  assign {name} = {};", value.text(signals)).expect(IN_MEMORY);
                }
                Process::Block { body, .. } => {
                    if !text.is_empty() {
                        text.push('\n');
                    }
                    after_block = true;
                    text.push_str("  always @(*) begin\n");
                    write_body(signals, body, 2, &mut text);
                    text.push_str("  end\n");
                }
            }
        }
        text
    }

    /// Registers, as one clocked block each; in simulation they start at zero.
    fn registers(&self) -> String {
        let signals = self.signals;
        let (mut initial, mut blocks) = (String::new(), vec![]);
        for child in self.scope.children.iter().filter(|child| is_register(child)) {
            let port = |name: &str| {
                let id = signals.find(&format!("{}${name}", child.key)).expect("a register's port");
                self.inline.get(&id).cloned().unwrap_or_else(|| Expression::signal(signals, id))
            };
            let (clock, q) = (port("clock").text(signals), port("q"));
            let (name, zero) = (q.text(signals), Expression::literal(0u32, q.width).text(signals));
            let next = format!("{name} <= {};", port("d").text(signals));
            let (reset, enable) = (port("reset"), port("enable"));
            let is = |port: &Expression, level: u32| port.constant(signals) == Some(level.into());
            let update = match is(&enable, 1) {
                true => next,
                false => format!("if ({}) {next}", enable.text(signals)),
            };
            let body = match is(&reset, 0) {
                true => update,
                false => format!("if ({}) {name} <= {zero};\n    else {update}", reset.text(signals)),
            };
            blocks.push(format!("  always @(posedge {clock})\n    {body}\n"));
            writeln!(initial, "    {name} = {zero};").expect(IN_MEMORY);
        }
        if blocks.is_empty() {
            return String::new();
        }
        let initial = format!("`ifndef SYNTHESIS\n  initial begin\n{initial}  end\n`endif\n");
        format!("{}\n{initial}", blocks.join("\n"))
    }
}

const IN_MEMORY: &str = "writing to a String never fails";

fn write_body(signals: &Signals, body: &[Statement], depth: usize, text: &mut String) {
    let margin = "  ".repeat(depth);
    for statement in body {
        match statement {
            Statement::Assign { target, part, value, .. } => {
                let place = match part {
                    Part::Whole => String::new(),
                    Part::Bits { low } => range(signals, *target, *low, value.width),
                    Part::Bit(index) => format!("[{}]", index.text(signals)),
                };
                let (name, value) = (&signals[*target].name, value.text(signals));
                writeln!(text, "{margin}{name}{place} = {value};").expect(IN_MEMORY);
            }
            Statement::If { condition, then, otherwise, .. } if then.is_empty() => {
                let condition = Expression::unary(Unary::Not, condition.clone());
                write!(text, "{margin}if ({})", condition.text(signals)).expect(IN_MEMORY);
                write_branch(signals, otherwise, depth, text);
            }
            Statement::If { condition, then, otherwise, .. } => {
                write!(text, "{margin}if ({})", condition.text(signals)).expect(IN_MEMORY);
                write_branch(signals, then, depth, text);
                if !otherwise.is_empty() {
                    write!(text, "{margin}else").expect(IN_MEMORY);
                    write_branch(signals, otherwise, depth, text);
                }
            }
            Statement::Case { selector, arms, .. } => {
                writeln!(text, "{margin}case ({})", selector.text(signals)).expect(IN_MEMORY);
                for (number, (label, body)) in arms.iter().enumerate() {
                    let label = match number + 1 == arms.len() {
                        true => "default".to_string(),
                        false => label.text(signals),
                    };
                    writeln!(text, "{margin}  {label}: begin").expect(IN_MEMORY);
                    write_body(signals, body, depth + 2, text);
                    writeln!(text, "{margin}  end").expect(IN_MEMORY);
                }
                writeln!(text, "{margin}endcase").expect(IN_MEMORY);
            }
        }
    }
}

/// One assignment stands on the line of its condition, all else in a block of its own.
fn write_branch(signals: &Signals, body: &[Statement], depth: usize, text: &mut String) {
    if let [Statement::Assign { .. }] = body {
        text.push(' ');
        return write_body(signals, body, 0, text);
    }
    text.push_str(" begin\n");
    write_body(signals, body, depth + 1, text);
    writeln!(text, "{}end", "  ".repeat(depth)).expect(IN_MEMORY);
}

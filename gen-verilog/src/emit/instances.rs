// SPDX-License-Identifier: Apache-2.0
//! Instances of the children that are modules of their own.

use std::collections::{BTreeMap, BTreeSet};

use super::index::Index;
use super::plan::VectorPlan;
use super::runs::{joined, range, run};
use super::scope::Scope;
use super::signals::{is_register, Children, Role, SignalId, Signals, VectorId, CLOCK};
use super::text::{is_plain, variables};
use super::Language;

/// How the inputs of the children are connected.
#[derive(Default)]
pub struct Connections {
    /// Inputs without a name of their own: the text for each child.
    pub inline: BTreeMap<VectorId, Inline>,
}

pub struct Inline {
    each: Vec<String>,
    /// Instead of all of them: elements of this vector, as many for each child, from the first on.
    run: Option<(VectorId, SignalId)>,
}

/// Inputs that read well where they are used: signals and numbers, and arrays that are parts of others.
pub fn connections(scope: &Scope, plan: &VectorPlan, read: &BTreeSet<VectorId>) -> Connections {
    let mut connections = Connections::default();
    for (vector, of) in plan.signals.vectors.iter().enumerate() {
        let Role::ChildInput(children) = of.role else { continue };
        let members = &plan.signals.children[children].members;
        if is_register(&scope.children[members[0]]) || read.contains(&vector) {
            continue;
        }
        let length = of.count / members.len();
        let Some(values) = plan.values(vector, of.elements()) else { continue };
        let each = values.chunks(length).map(|values| match values {
            [value] => is_plain(value).then(|| value.text(plan.signals)),
            values => joined(plan.signals, values),
        });
        let Some(each) = each.collect::<Option<Vec<_>>>() else { continue };
        connections.inline.insert(vector, Inline { each, run: run(&values) });
    }
    connections
}

pub fn text(
    scope: &Scope,
    plan: &VectorPlan,
    connections: &Connections,
    read: &BTreeSet<VectorId>,
) -> String {
    let signals = plan.signals;
    let writer = Writer { scope, signals, connections, read, variable: free_variable(plan) };
    let mut texts = vec![];
    let mut has_array = false;
    for children in &signals.children {
        let first = &scope.children[children.members[0]];
        if is_register(first) {
            continue;
        }
        let is_alike =
            |member: &usize| scope.children[*member].identity.verilog_name == first.identity.verilog_name;
        if children.members.len() > 1 && children.members.iter().all(is_alike) {
            if let Some(text) = writer.array(children) {
                texts.push(text);
                has_array = true;
                continue;
            }
        }
        for place in 0..children.members.len() {
            texts.push(writer.single(children, place));
        }
    }
    let declaration = match has_array {
        true => format!("  genvar {};\n\n", writer.variable),
        false => String::new(),
    };
    declaration + &texts.join("\n")
}

/// A name for a `genvar` that hides nothing.
fn free_variable(plan: &VectorPlan) -> String {
    let used = variables(&plan.statements);
    let names = ["n", "m", "number", "instance_number"];
    let free = names
        .iter()
        .find(|name| plan.signals.fresh(name) == **name && !used.iter().any(|variable| variable == *name));
    free.map_or_else(|| plan.signals.fresh("instance_number_"), |name| name.to_string())
}

struct Writer<'a> {
    scope: &'a Scope,
    signals: &'a Signals,
    connections: &'a Connections,
    read: &'a BTreeSet<VectorId>,
    variable: String,
}

impl Writer<'_> {
    /// The vectors of the children's ports, in the order of the ports, with the ports' names.
    fn ports(&self, children: &Children) -> Vec<(String, VectorId)> {
        let number = self.signals.children.iter().position(|other| other.path == children.path);
        let number = number.expect("the children are the module's");
        let vectors = self.signals.vectors.iter().enumerate();
        let ports = vectors.filter_map(|(id, vector)| match vector.role {
            Role::ChildInput(of) | Role::ChildOutput(of) if of == number => {
                let name = vector.name.strip_prefix(&format!("{}_", children.name))?;
                let style = &self.signals.style;
                let name = match (vector.is_clock && name == CLOCK, vector.is_reset) {
                    (true, _) => style.clock.0.clone(),
                    (_, true) => style.reset.name.clone(),
                    _ => name.to_string(),
                };
                Some((name, id))
            }
            _ => None,
        });
        ports.collect()
    }

    /// The connection of a port, at the level that the port takes.
    fn levelled(&self, vector: VectorId, connection: String) -> String {
        if !(self.signals[vector].is_reset && self.signals.style.reset.is_low) {
            return connection;
        }
        match connection.as_str() {
            "1'd0" => "1'd1".to_string(),
            "1'd1" => "1'd0".to_string(),
            text => text.strip_prefix('!').map_or_else(|| format!("!{text}"), str::to_string),
        }
    }

    fn is_open(&self, vector: VectorId) -> bool {
        matches!(self.signals[vector].role, Role::ChildOutput(_)) && !self.read.contains(&vector)
    }

    fn single(&self, children: &Children, place: usize) -> String {
        let connections = self.ports(children).into_iter().map(|(port, vector)| {
            let of = &self.signals[vector];
            let length = of.count / children.members.len();
            let connection = match self.connections.inline.get(&vector) {
                Some(inline) => inline.each[place].clone(),
                None if self.is_open(vector) => String::new(),
                None => range(self.signals, vector, of.first + place * length, length),
            };
            format!("    .{port}({})", self.levelled(vector, connection))
        });
        let connections = connections.collect::<Vec<_>>().join(",\n");
        let module = &self.scope.children[children.members[place]].identity.verilog_name;
        let name = &children.name;
        match children.is_array {
            true => format!("  {module} {name}_{place} (\n{connections}\n  );\n"),
            false => format!("  {module} {name} (\n{connections}\n  );\n"),
        }
    }

    /// Children of one module in a loop; none if their connections do not follow one pattern.
    fn array(&self, children: &Children) -> Option<String> {
        let count = children.members.len();
        let mut connections = vec![];
        for (port, vector) in self.ports(children) {
            let of = &self.signals[vector];
            let length = of.count / count;
            let connection = match self.connections.inline.get(&vector) {
                Some(inline) if inline.each.iter().all(|text| *text == inline.each[0]) => {
                    inline.each[0].clone()
                }
                Some(Inline { run: Some((source, first)), .. }) => self.part(*source, *first, length),
                Some(_) => return None,
                None if self.is_open(vector) => String::new(),
                None => self.part(vector, of.first, length),
            };
            connections.push(format!("        .{port}({})", self.levelled(vector, connection)));
        }
        let connections = connections.join(",\n");
        let module = &self.scope.children[children.members[0]].identity.verilog_name;
        let (name, variable) = (&children.name, &self.variable);
        let instance = self.signals.fresh("each");
        Some(format!(
            "  generate\n    for ({variable} = 0; {variable} < {count}; {variable} = {variable} + 1) begin : \
             {name}\n      {module} {instance} (\n{connections}\n      );\n    end\n  endgenerate\n"
        ))
    }

    /// The elements that belong to one child of an array: `length` for each, from `first` on.
    fn part(&self, vector: VectorId, first: SignalId, length: usize) -> String {
        let of = &self.signals[vector];
        let before = first - of.first;
        let variable = Index::Variable(self.variable.clone());
        let name = &of.name;
        if self.signals.language == Language::SystemVerilog && of.width > 1 {
            let index = variable.times(length).plus(Index::of(before));
            return match length {
                1 => format!("{name}[{index}]"),
                _ => format!("{name}[{index} +: {length}]"),
            };
        }
        let bits = length * of.width;
        let low = variable.times(bits).plus(Index::of(before * of.width));
        match bits {
            1 => format!("{name}[{low}]"),
            _ => format!("{name}[{low} +: {bits}]"),
        }
    }
}

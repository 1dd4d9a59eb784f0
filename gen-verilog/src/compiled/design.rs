// SPDX-License-Identifier: Apache-2.0
//! A module with all that is in it, flat: its state, and each value of a cycle as a node of one graph.

use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use rust_hdl::ast::Verilog;
use rust_hdl::atom::AtomKind;
use rust_hdl::prelude::Block;

use super::nodes::{NodeId, Nodes, SlotId};
use super::storage::{CompiledMemory, MemoryKind};
use super::tree::{Child, Driver, Instance, Net, TranslatedModule, Tree};
use super::values::NetNodes;
use crate::emit::schedule;
use crate::emit::scope::{self, Scope};
use crate::emit::signals::{is_register, Role, SignalId, Signals};
use crate::emit::{implicit, kernel, unroll};
use crate::{EmitError, Style};

/// A module and all below it.
pub struct ModuleTree {
    pub nodes: Nodes,
    /// Bits of each slot. The elements of an array of registers follow on each other.
    pub slots: Vec<usize>,
    pub inputs: Vec<PortElement<SlotId>>,
    pub outputs: Vec<PortElement<NodeId>>,
    /// Holds the level of the port `reset`.
    pub reset: Option<SlotId>,
    pub registers: Vec<Register>,
    pub memories: Vec<CompiledMemory>,
    /// Every signal, by the path of its module, for those who look inside; else none.
    pub scopes: Vec<NamedScope>,
}

/// A port of the module, or an element of one.
pub struct PortElement<T> {
    pub name: String,
    /// The place in its array, if it is in one.
    pub index: Option<usize>,
    pub width: usize,
    pub at: T,
}

/// A register.
pub struct Register {
    pub q: SlotId,
    pub reset: RegisterReset,
    pub enable: NodeId,
    pub d: NodeId,
}

/// When a register is cleared.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum RegisterReset {
    Never,
    /// With the module.
    Common,
    /// Where its own kernel says so.
    When(NodeId),
}

/// A module of the tree and its signals.
pub struct NamedScope {
    /// Names of the instances around it, and its own: none of the top.
    pub path: Vec<String>,
    /// Name of the module, and without its parameters.
    pub module: String,
    pub block: String,
    pub signals: Vec<NamedSignal>,
}

/// A signal of a module, by its name in Verilog.
pub struct NamedSignal {
    pub name: String,
    /// It is an array, if of one element only.
    pub is_array: bool,
    /// Bits of an element.
    pub width: usize,
    pub role: SignalRole,
    /// Names of its values, by number, if it holds an enum.
    pub states: Vec<String>,
    /// The value of each element.
    pub elements: Vec<NodeId>,
}

/// Kinds of signals that a reader of waveforms tells apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SignalRole {
    /// A port that others drive.
    Input,
    /// A port that the module drives.
    Output,
    /// Logic within the module.
    Wire,
    /// State.
    Register,
    /// An input of a register: `NAME_d`, the next value, or `NAME_enable`.
    Load,
}

impl ModuleTree {
    /// Reads the tree below a block; `is_observed`: with the names of all signals.
    pub fn of(top: &dyn Block, is_observed: bool) -> Result<Self, EmitError> {
        let scope = scope::read(top)?;
        let module = Translator::default().module(&scope)?;
        let mut tree = Tree::default();
        tree.place(&scope, &module, vec![], HashMap::new());
        Ok(tree.design(&module, is_observed))
    }
}

#[derive(Default)]
struct Translator {
    /// By fingerprint of the scope.
    known: HashMap<u64, Rc<TranslatedModule>>,
}

impl Translator {
    fn module(&mut self, scope: &Scope) -> Result<Rc<TranslatedModule>, EmitError> {
        if let Some(known) = self.known.get(&scope.fingerprint) {
            return Ok(known.clone());
        }
        let signals = Signals::of(scope, &Style::default())?;
        let statements = match &scope.code {
            Verilog::Combinatorial(kernel) => kernel::translated(&signals, kernel)?.statements,
            Verilog::Empty => vec![],
            _ => {
                let problem = "brings Verilog of its own, which only Verilog simulators run".to_string();
                return Err(EmitError::Kernel { module: signals.module.clone(), problem });
            }
        };
        let statements = implicit::with_clocks(scope, &signals, statements);
        let processes = schedule::processes(&signals, unroll::unrolled(&statements))?;
        let children = scope.children.iter().map(|child| self.child(&signals, child));
        let children = children.collect::<Result<_, _>>()?;
        let module = Rc::new(TranslatedModule { signals, processes, children });
        self.known.insert(scope.fingerprint, module.clone());
        Ok(module)
    }

    fn child(&mut self, signals: &Signals, child: &Scope) -> Result<Child, EmitError> {
        let port = |key: &str| signals.at(&format!("{}${key}", child.key)).expect("a port of a child");
        if is_register(child) {
            let [reset, enable, d, q] = ["reset", "enable", "d", "q"].map(port);
            return Ok(Child::Register { reset, enable, d, q });
        }
        let is_port = |kind: AtomKind| matches!(kind, AtomKind::InputParameter | AtomKind::OutputParameter);
        let ports = child.atoms.iter().filter(|atom| is_port(atom.kind));
        if let Some(kind) = MemoryKind::of(&child.identity.module, &child.identity.parameters) {
            let ports = ports.map(|atom| (atom.key.clone(), port(&atom.key)));
            return Ok(Child::Memory(kind, ports.collect()));
        }
        let module = self.module(child)?;
        let ports = ports.map(|atom| (module.signals.at(&atom.key).expect("a port"), port(&atom.key)));
        let ports = ports.collect();
        Ok(Child::Module(module, ports))
    }
}

impl Tree {
    /// Adds a module; `ports`: the nets of those that the module around it connects.
    fn place(
        &mut self,
        scope: &Scope,
        module: &Rc<TranslatedModule>,
        path: Vec<String>,
        ports: HashMap<SignalId, Net>,
    ) {
        let signals = &module.signals;
        let number = self.instances.len();
        let nets: Vec<Net> = (0..signals.len())
            .map(|id| {
                ports.get(&id).copied().unwrap_or_else(|| {
                    self.drivers.push(Driver::None);
                    self.drivers.len() - 1
                })
            })
            .collect();
        for (place, process) in module.processes.iter().enumerate() {
            let driven = process.targets().iter().filter(|id| !signals.owner(**id).is_clock);
            driven.for_each(|id| self.drivers[nets[*id]] = Driver::Process(number, place));
        }
        for vector in &signals.vectors {
            match &vector.role {
                Role::Constant(values) => {
                    for (id, value) in vector.elements().zip(values) {
                        let node = self.nodes.constant(value.clone(), vector.width);
                        self.drivers[nets[id]] = Driver::Node(node);
                    }
                }
                Role::Input if path.is_empty() && !vector.is_clock => {
                    self.hold(&nets, vector.elements(), vector.width)
                }
                Role::ChildOutput(children) => {
                    let children = &signals.children[*children];
                    let is_state = |member: &usize| !matches!(module.children[*member], Child::Module(..));
                    if children.members.iter().all(is_state) {
                        self.hold(&nets, vector.elements(), vector.width);
                    }
                }
                _ => {}
            }
        }
        let children = scope.children.iter().zip(&module.children);
        let block = scope.identity.module.clone();
        let instance = Instance { module: module.clone(), nets: nets.clone(), path: path.clone(), block };
        self.instances.push(instance);
        for (scope, child) in children {
            match child {
                Child::Register { reset, enable, d, q } => {
                    let slot = self.slot_of(nets[*q]).expect("state has a slot");
                    self.registers.push((slot, [reset, enable, d].map(|id| nets[*id])));
                }
                Child::Memory(kind, ports) => {
                    let slot =
                        |(name, id): (&String, &SignalId)| Some((name.clone(), self.slot_of(nets[*id])?));
                    let slots = ports.iter().filter_map(slot).collect();
                    let ports = ports.iter().map(|(name, id)| (name.clone(), nets[*id])).collect();
                    self.memories.push((kind.clone(), ports, slots));
                }
                Child::Module(module, ports) => {
                    let path = path.iter().cloned().chain([scope.key.replace('$', "_")]).collect();
                    let ports = ports.iter().map(|(of_child, id)| (*of_child, nets[*id])).collect();
                    self.place(scope, module, path, ports);
                }
            }
        }
    }

    /// Gives these signals slots that follow on each other.
    fn hold(&mut self, nets: &[Net], ids: Range<SignalId>, width: usize) {
        for id in ids {
            let node = self.nodes.slot(self.slots.len() as SlotId, width);
            self.slots.push(width);
            self.drivers[nets[id]] = Driver::Node(node);
        }
    }

    fn slot_of(&self, net: Net) -> Option<SlotId> {
        match self.drivers[net] {
            Driver::Node(node) => match self.nodes.op(node) {
                super::nodes::Op::Slot(slot) => Some(*slot),
                _ => None,
            },
            _ => None,
        }
    }

    fn design(mut self, top: &TranslatedModule, is_observed: bool) -> ModuleTree {
        let nets = self.instances[0].nets.clone();
        let reset = top.signals.at("reset").filter(|id| top.signals.owner(*id).role == Role::Input);
        let reset = reset.and_then(|id| self.slot_of(nets[id]));
        let (registers, memories) = (std::mem::take(&mut self.registers), std::mem::take(&mut self.memories));
        let mut values = NetNodes::new(&mut self);
        let (mut inputs, mut outputs) = (vec![], vec![]);
        for vector in top.signals.vectors.iter().filter(|vector| !vector.is_clock) {
            let port = |id: SignalId| {
                (vector.name.clone(), vector.is_array.then(|| id - vector.first), vector.width)
            };
            for id in vector.elements() {
                let (name, index, width) = port(id);
                match vector.role {
                    Role::Input => {
                        let at = values.tree.slot_of(nets[id]).expect("an input has a slot");
                        if Some(at) != reset {
                            inputs.push(PortElement { name, index, width, at });
                        }
                    }
                    Role::Output => {
                        outputs.push(PortElement { name, index, width, at: values.net(nets[id], width) })
                    }
                    _ => {}
                }
            }
        }
        let registers = registers.into_iter().map(|(q, [of_reset, enable, d])| {
            let width = values.tree.slots[q as usize];
            let node = values.net(of_reset, 1);
            let is_common = reset.is_some_and(|reset| values.tree.nodes.slot(reset, 1) == node);
            let reset = match is_common {
                true => RegisterReset::Common,
                false if values.tree.nodes.is(node, 0) => RegisterReset::Never,
                false => RegisterReset::When(node),
            };
            Register { q, reset, enable: values.net(enable, 1), d: values.net(d, width) }
        });
        let registers = registers.collect();
        let memories = memories
            .into_iter()
            .map(|(kind, ports, slots)| kind.memory(&slots, |name, width| values.net(ports[name], width)));
        let memories = memories.collect();
        let scopes = if is_observed { values.named_scopes() } else { vec![] };
        let Tree { nodes, slots, .. } = self;
        ModuleTree { nodes, slots, inputs, outputs, reset, registers, memories, scopes }
    }
}

impl NetNodes<'_> {
    /// Every signal with its name in Verilog; the ports of parts have theirs in the part.
    fn named_scopes(&mut self) -> Vec<NamedScope> {
        let instances = (0..self.tree.instances.len()).map(|number| {
            let Instance { module, nets, path, block } = &self.tree.instances[number];
            let (module, nets, path, block) = (module.clone(), nets.clone(), path.clone(), block.clone());
            let signals = &module.signals;
            let mut named = vec![];
            for vector in signals.vectors.iter().filter(|vector| !vector.is_clock) {
                let is_of_registers = |children: usize| {
                    let mut members = signals.children[children].members.iter();
                    members.all(|member| matches!(module.children[*member], Child::Register { .. }))
                };
                let role = match vector.role {
                    Role::Input => SignalRole::Input,
                    Role::Output => SignalRole::Output,
                    Role::Local => SignalRole::Wire,
                    Role::ChildOutput(children) if is_of_registers(children) => SignalRole::Register,
                    Role::ChildInput(children)
                        if is_of_registers(children)
                            && ["_d", "_enable"].iter().any(|port| vector.name.ends_with(port)) =>
                    {
                        SignalRole::Load
                    }
                    Role::Constant(_) | Role::ChildInput(_) | Role::ChildOutput(_) => continue,
                };
                let elements = vector.elements().map(|id| self.net(nets[id], vector.width)).collect();
                named.push(NamedSignal {
                    name: vector.name.clone(),
                    is_array: vector.is_array,
                    width: vector.width,
                    role,
                    states: vector.states.iter().flat_map(|states| plain_states(signals, states)).collect(),
                    elements,
                });
            }
            NamedScope { path, module: signals.module.clone(), block, signals: named }
        });
        instances.collect()
    }
}

/// Names of an enum's states without its own.
fn plain_states(signals: &Signals, states: &str) -> Vec<String> {
    let prefix = format!("{states}_");
    let names = signals.states(states).into_iter();
    names.map(|name| name.strip_prefix(&prefix).unwrap_or(&name).to_string()).collect()
}

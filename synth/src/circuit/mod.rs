// SPDX-License-Identifier: Apache-2.0
//! A netlist as cells and nets.

mod cells;
mod gates;
mod json;
mod memory;
mod places;
mod widen;

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::{bail, ensure, Context, Result};

pub use gates::{Activity, Gates};
pub use widen::StateWidening;

use crate::liberty::{Cell, Library};
use cells::Logic;
use json::{Bit, NetlistModule};
pub use memory::CircuitMemory;

/// Number of a net; 0 and 1 are the constants.
pub(crate) type Net = u32;

/// A netlist: cells of a library, memories, and the nets between them.
pub struct Circuit<'a> {
    /// Name of the module.
    pub top: String,
    /// The library of its cells.
    pub library: &'a Library,
    /// Cells of the library.
    pub instances: Vec<Instance<'a>>,
    /// Names of the nets for readers, the constants first: what nobody named is known by its driver.
    pub nets: Vec<String>,
    /// Names of the nets in the netlist's Verilog; empty where it has none.
    pub wires: Vec<String>,
    /// The bits of each port, the lowest first.
    pub(crate) ports: BTreeMap<String, NetlistPort>,
    /// Memories: they have no cells.
    pub memories: Vec<CircuitMemory>,
    /// Combinational cells, latches and reads of memories, each after those that it depends on.
    order: Vec<Node>,
    /// The clock, if the module has state.
    pub(crate) clock: Option<Net>,
    /// Pins of cells and memories that each net drives.
    pub fanouts: Vec<u32>,
}

/// A port of the module.
#[derive(Clone, Debug)]
pub(crate) struct NetlistPort {
    pub is_input: bool,
    pub bits: Vec<Net>,
}

/// A cell of the library in its place.
pub struct Instance<'a> {
    /// Its name, behind the instance of the module that it stands in: `queues[0].each.u17`.
    pub name: String,
    /// Name of the cell.
    pub kind: &'a str,
    /// The cell.
    pub cell: &'a Cell,
    /// The net at each of the cell's pins, in their order; an output that goes nowhere has none.
    pub(crate) pins: Vec<Option<Net>>,
    /// Its function; cells of one kind share it.
    pub(crate) logic: Arc<Logic>,
}

impl Instance<'_> {
    /// The instance of a module that it stands in; empty for the top.
    pub fn path(&self) -> &str {
        self.name.rsplit_once('.').map_or("", |(path, _)| path)
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Node {
    Cell(usize),
    /// Read port of a memory.
    Read(usize, usize),
}

impl<'a> Circuit<'a> {
    pub(crate) fn read(text: &str, top: &str, library: &'a Library) -> Result<Self> {
        let module = NetlistModule::parse(text, top)?;
        let mut nets = module.names();
        let mut instances = vec![];
        let mut memories = vec![];
        let mut kinds: BTreeMap<&str, Arc<Logic>> = BTreeMap::new();
        for (name, found) in &module.cells {
            if found.kind.starts_with("$mem") {
                memories.push(CircuitMemory::read(name, found).with_context(|| format!("memory {name}"))?);
                continue;
            }
            let Some((kind, cell)) = library.cells.get_key_value(&found.kind) else {
                bail!("cell {name} is a {}, which library {} does not have", found.kind, library.name);
            };
            let logic = match kinds.get(kind.as_str()) {
                Some(logic) => logic.clone(),
                None => {
                    let logic = Arc::new(Logic::of(cell).with_context(|| format!("cell {kind}"))?);
                    kinds.insert(kind, logic.clone());
                    logic
                }
            };
            let pins =
                cell.pins.iter().map(|pin| match found.connections.get(&pin.name).map(|bits| &bits[..]) {
                    None | Some([]) => Ok(None),
                    Some([bit]) => Ok(Some(bit.net())),
                    Some(_) => bail!("pin {} of cell {name} has several bits", pin.name),
                });
            instances.push(Instance {
                name: name.clone(),
                kind,
                cell,
                pins: pins.collect::<Result<_>>()?,
                logic,
            });
        }
        let ports = module.ports.iter().map(|(name, port)| {
            let bits = port.bits.iter().map(Bit::net).collect();
            (name.clone(), NetlistPort { is_input: port.direction == "input", bits })
        });
        let ports: BTreeMap<String, NetlistPort> = ports.collect();
        let clock = ports.get("clock").and_then(|port| port.bits.first().copied());
        let mut circuit = Circuit {
            top: top.to_string(),
            library,
            fanouts: vec![0; nets.len()],
            instances,
            nets: vec![],
            wires: nets.clone(),
            ports,
            memories,
            order: vec![],
            clock,
        };
        circuit.order = circuit.levelize(nets.len())?;
        for instance in &circuit.instances {
            for net in instance.inputs() {
                circuit.fanouts[net as usize] += 1;
            }
            for (pin, net) in instance.cell.pins.iter().zip(&instance.pins) {
                if let (Some(net), true) = (net, pin.function.is_some()) {
                    let name = &mut nets[*net as usize];
                    if name.is_empty() || json::is_made(name) {
                        *name = format!("{}.{}", instance.name, pin.name);
                    }
                }
            }
        }
        for net in circuit.memories.iter().flat_map(CircuitMemory::inputs) {
            circuit.fanouts[net as usize] += 1;
        }
        circuit.nets = nets;
        Ok(circuit)
    }

    /// An order in which everything comes after what it depends on.
    fn levelize(&self, nets: usize) -> Result<Vec<Node>> {
        let combinational = |instance: &Instance| !instance.cell.sequential || instance.logic.is_latch;
        let mut nodes: Vec<(Node, Vec<Net>, Vec<Net>)> = vec![];
        for (place, instance) in
            self.instances.iter().enumerate().filter(|(_, instance)| combinational(instance))
        {
            nodes.push((Node::Cell(place), instance.inputs().collect(), instance.outputs().collect()));
        }
        for (place, memory) in self.memories.iter().enumerate() {
            for (number, read) in memory.reads.iter().enumerate().filter(|(_, read)| !read.clocked) {
                nodes.push((Node::Read(place, number), read.address.clone(), read.data.clone()));
            }
        }
        let mut readers: Vec<Vec<u32>> = vec![vec![]; nets];
        let mut driven = vec![false; nets];
        nodes.iter().flat_map(|(_, _, outputs)| outputs).for_each(|net| driven[*net as usize] = true);
        let mut missing = vec![0u32; nodes.len()];
        for (place, (_, inputs, _)) in nodes.iter().enumerate() {
            for net in inputs.iter().filter(|net| driven[**net as usize]) {
                readers[*net as usize].push(place as u32);
                missing[place] += 1;
            }
        }
        let mut ready: Vec<usize> = (0..nodes.len()).filter(|place| missing[*place] == 0).collect();
        let mut order = vec![];
        while let Some(place) = ready.pop() {
            let (node, _, outputs) = &nodes[place];
            order.push(*node);
            for reader in outputs.iter().flat_map(|net| &readers[*net as usize]) {
                missing[*reader as usize] -= 1;
                if missing[*reader as usize] == 0 {
                    ready.push(*reader as usize);
                }
            }
        }
        ensure!(order.len() == nodes.len(), "there is a combinational loop");
        Ok(order)
    }

    /// The combinational cells and the latches, each after those that drive it.
    pub(crate) fn combinational(&self) -> impl Iterator<Item = usize> + '_ {
        self.order.iter().filter_map(|node| match node {
            Node::Cell(place) => Some(*place),
            Node::Read(..) => None,
        })
    }
}

impl Instance<'_> {
    pub(crate) fn inputs(&self) -> impl Iterator<Item = Net> + '_ {
        self.logic.inputs.iter().chain(&self.logic.clock).filter_map(|pin| self.pins[*pin])
    }

    /// The place of a pin by its name.
    pub(crate) fn pin(&self, name: &str) -> Option<usize> {
        self.cell.pins.iter().position(|pin| pin.name == name)
    }

    pub(crate) fn outputs(&self) -> impl Iterator<Item = Net> + '_ {
        self.logic.outputs.iter().filter_map(|(pin, _)| self.pins[*pin])
    }
}

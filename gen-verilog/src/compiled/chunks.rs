// SPDX-License-Identifier: Apache-2.0
//! How the graph is cut into chunks, which run as a whole if one of the values that they read has changed.
//!
//! A node that only one place needs belongs to that place: it need not be computed where that place does not
//! ask for it. A node that several need is the head of a cluster of its own, computed before them. Clusters
//! in an order in which each follows those that it needs are cut into chunks of about the same size.
//!
//! Within a cluster, an arm of a choice is a region: what only that arm needs is computed in it, once.

use std::collections::HashMap;

use super::design::{ModuleTree, RegisterReset};
use super::layout::LIMB;
use super::nodes::{NodeId, Nodes, Op};

/// Operations of a cluster before what it needs becomes a cluster of its own.
const CLUSTER: usize = 250;
/// Operations of a chunk: more are run in vain, with fewer it takes longer to find those that have to run.
pub const CHUNK: usize = 150;
/// Groups of registers of a chunk: bits of a word.
const GROUPS: usize = 64;
/// Registers of a group.
const GROUP: usize = 32;

/// A value that is computed for its own sake.
#[derive(Clone, Debug)]
pub enum Root {
    /// Registers that are loaded under one condition.
    Registers(Vec<usize>),
    /// An output of the module.
    Output(usize),
    /// An input of a memory.
    Latch(usize, usize),
}

/// A root, or a node that several places need, and all that only it needs.
#[derive(Clone, Debug)]
pub enum Head {
    Root(Root),
    Node(NodeId),
}

pub struct Chunk {
    pub heads: Vec<Head>,
}

pub struct Chunks {
    pub list: Vec<Chunk>,
    /// The chunk that computes each head.
    pub chunk_of: HashMap<NodeId, usize>,
    /// By node: the chunks that read it, beside the one that computes it.
    pub readers: HashMap<NodeId, Vec<usize>>,
    pub regions: Regions,
    /// All nodes that are computed.
    pub nodes: Vec<NodeId>,
}

/// Nodes that an arm of a choice, or a head, needs in several places: they are computed there first.
#[derive(Default)]
pub struct Regions {
    shared: HashMap<Needed, Vec<NodeId>>,
}

/// Where a node is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Needed {
    /// For the head that is a node.
    Head(NodeId),
    /// For the registers that begin with this one, whether they are loaded or not.
    Registers(usize),
    /// For those registers if they are loaded.
    Load(usize),
    Output(usize),
    Latch(usize, usize),
    /// In an arm of a choice.
    Arm(NodeId, usize),
}

impl Regions {
    /// Nodes that a place needs more than once, each after those that it needs.
    pub fn shared(&self, place: Needed) -> &[NodeId] {
        self.shared.get(&place).map_or(&[], Vec::as_slice)
    }
}

/// Operations that a node takes.
pub fn cost(nodes: &Nodes, node: NodeId) -> usize {
    let limbs = |node: NodeId| match nodes.width(node) {
        width if width <= LIMB => 1,
        width => 4 + width.div_ceil(LIMB),
    };
    match nodes.op(node) {
        Op::Constant(_) | Op::Slot(_) => 0,
        Op::Mux(..) => 1,
        Op::Choose(choice) => choice.arms.len(),
        Op::Slice(..) => limbs(node),
        Op::Concatenation(parts) => parts.len() * limbs(node),
        Op::Not(of) | Op::All(of) | Op::Any(of) | Op::Parity(of) => limbs(*of),
        Op::Binary(_, left, _) => limbs(*left),
        Op::Window(..) | Op::SetBit(..) => 3 * limbs(node),
    }
}

/// Tells if computing a node takes no more than reading a stored value.
fn is_free(nodes: &Nodes, node: NodeId) -> bool {
    let is_leaf = |node: NodeId| matches!(nodes.op(node), Op::Constant(_) | Op::Slot(_));
    match nodes.op(node) {
        Op::Constant(_) | Op::Slot(_) => true,
        Op::Slice(of, _) | Op::Not(of) => nodes.width(node) <= LIMB && is_leaf(*of),
        _ => false,
    }
}

impl Root {
    /// The nodes that it needs, and where.
    fn needs(&self, design: &ModuleTree) -> Vec<(NodeId, Needed)> {
        match self {
            Root::Registers(registers) => {
                let first = &design.registers[registers[0]];
                let reset = match first.reset {
                    RegisterReset::When(node) => Some(node),
                    _ => None,
                };
                let always = [first.enable].into_iter().chain(reset);
                let always = always.map(|node| (node, Needed::Registers(registers[0])));
                let loads = registers.iter().map(|register| design.registers[*register].d);
                always.chain(loads.map(|node| (node, Needed::Load(registers[0])))).collect()
            }
            Root::Output(output) => vec![(design.outputs[*output].at, Needed::Output(*output))],
            Root::Latch(memory, input) => {
                vec![(design.memories[*memory].inputs[*input], Needed::Latch(*memory, *input))]
            }
        }
    }
}

/// All roots of a design, in the order of its parts.
fn roots(design: &ModuleTree) -> Vec<Root> {
    let mut roots: Vec<Root> = vec![];
    let mut open: HashMap<(NodeId, Option<NodeId>), usize> = HashMap::new();
    for (number, register) in design.registers.iter().enumerate() {
        // It never changes.
        if design.nodes.is(register.enable, 0) && !matches!(register.reset, RegisterReset::When(_)) {
            continue;
        }
        let reset = match register.reset {
            RegisterReset::When(node) => Some(node),
            _ => None,
        };
        let place = *open.entry((register.enable, reset)).or_insert(roots.len());
        match roots.get_mut(place) {
            Some(Root::Registers(registers)) if registers.len() < GROUP => registers.push(number),
            _ => {
                open.insert((register.enable, reset), roots.len());
                roots.push(Root::Registers(vec![number]));
            }
        }
    }
    for (number, memory) in design.memories.iter().enumerate() {
        roots.extend((0..memory.inputs.len()).map(|input| Root::Latch(number, input)));
    }
    roots.extend((0..design.outputs.len()).map(Root::Output));
    roots
}

/// Clusters: the head of each, its nodes and their cost.
#[derive(Default)]
struct Clusters {
    heads: Vec<Head>,
    nodes: Vec<Vec<NodeId>>,
    cost: Vec<usize>,
    of_head: HashMap<NodeId, usize>,
    regions: Regions,
}

/// Operations of a node that is computed wherever it is needed.
const REPEATED: usize = 2;

/// Who needs a node.
#[derive(Clone, Copy)]
enum Owner {
    Nobody,
    /// One cluster, in this place; several times.
    One(usize, usize, bool),
    Several,
}

/// The places of all clusters: each but the outermost lies in another.
#[derive(Default)]
struct Nested {
    places: Vec<(Needed, Option<usize>, usize)>,
}

impl Nested {
    fn add(&mut self, place: Needed, inside: Option<usize>) -> usize {
        let depth = inside.map_or(0, |outer| self.places[outer].2 + 1);
        self.places.push((place, inside, depth));
        self.places.len() - 1
    }

    /// The innermost place around two.
    fn common(&self, mut one: usize, mut other: usize) -> usize {
        while one != other {
            let deeper = if self.places[one].2 >= self.places[other].2 { &mut one } else { &mut other };
            *deeper = self.places[*deeper].1.expect("places of one cluster have one outermost place");
        }
        one
    }
}

impl Clusters {
    fn of(design: &ModuleTree, roots: Vec<Root>) -> Self {
        let nodes = &design.nodes;
        let mut clusters = Clusters::default();
        let mut nested = Nested::default();
        let mut owners = vec![Owner::Nobody; nodes.len()];
        let claim = |owners: &mut Vec<Owner>, nested: &Nested, node: NodeId, cluster: usize, place: usize| {
            let owner = &mut owners[node.index()];
            *owner = match *owner {
                Owner::Nobody => Owner::One(cluster, place, false),
                Owner::One(other, before, _) if other == cluster => {
                    Owner::One(cluster, nested.common(before, place), true)
                }
                _ => Owner::Several,
            };
        };
        for root in roots {
            let cluster = clusters.add(Head::Root(root.clone()));
            let mut outer = None;
            for (node, place) in root.needs(design) {
                let place = match outer {
                    Some((outer, of_outer)) if of_outer == place => outer,
                    Some((outer, _)) => match nested.places.last() {
                        Some((last, ..)) if *last == place => nested.places.len() - 1,
                        _ => nested.add(place, Some(outer)),
                    },
                    None => {
                        let added = nested.add(place, None);
                        outer = Some((added, place));
                        added
                    }
                };
                claim(&mut owners, &nested, node, cluster, place);
            }
        }
        let mut tree_cost = vec![0; nodes.len()];
        for node in nodes.all() {
            let mut sum = cost(nodes, node);
            nodes.op(node).operands(&mut |operand| sum += tree_cost[operand.index()]);
            tree_cost[node.index()] = sum.min(1 << 20);
        }
        for node in nodes.all().rev() {
            let (cluster, place) = match owners[node.index()] {
                Owner::Nobody => continue,
                _ if is_free(nodes, node) => continue,
                Owner::One(cluster, place, is_shared) if clusters.cost[cluster] < CLUSTER => {
                    if is_shared && tree_cost[node.index()] > REPEATED {
                        clusters.regions.shared.entry(nested.places[place].0).or_default().push(node);
                    }
                    (cluster, place)
                }
                _ => {
                    let cluster = clusters.add(Head::Node(node));
                    clusters.of_head.insert(node, cluster);
                    (cluster, nested.add(Needed::Head(node), None))
                }
            };
            clusters.nodes[cluster].push(node);
            clusters.cost[cluster] += cost(nodes, node);
            let mut need = |operand: NodeId, arm: Option<usize>| {
                let place = match arm {
                    Some(arm) => nested.add(Needed::Arm(node, arm), Some(place)),
                    None => place,
                };
                claim(&mut owners, &nested, operand, cluster, place);
            };
            match nodes.op(node) {
                Op::Mux(condition, then, otherwise) => {
                    need(*condition, None);
                    need(*then, Some(0));
                    need(*otherwise, Some(1));
                }
                Op::Choose(choice) => {
                    need(choice.selector, None);
                    choice.arms.iter().enumerate().for_each(|(arm, (_, value))| need(*value, Some(arm)));
                    need(choice.otherwise, Some(choice.arms.len()));
                }
                op => op.operands(&mut |operand| need(operand, None)),
            }
        }
        clusters.regions.shared.values_mut().for_each(|nodes| nodes.reverse());
        clusters
    }

    fn add(&mut self, head: Head) -> usize {
        let cost = match &head {
            Head::Root(Root::Registers(registers)) => 2 * registers.len(),
            _ => 1,
        };
        self.heads.push(head);
        self.nodes.push(vec![]);
        self.cost.push(cost);
        self.heads.len() - 1
    }

    /// All nodes that a cluster reads: those of others, and free ones.
    fn reads(&self, design: &ModuleTree, cluster: usize) -> Vec<NodeId> {
        let mut reads = vec![];
        if let Head::Root(root) = &self.heads[cluster] {
            reads.extend(root.needs(design).into_iter().map(|(node, _)| node));
        }
        for node in &self.nodes[cluster] {
            design.nodes.op(*node).operands(&mut |operand| reads.push(operand));
        }
        reads
    }

    /// Each after those that it needs, close to the first that needs it.
    fn order(&self, design: &ModuleTree) -> Vec<usize> {
        let mut order = vec![];
        let mut is_placed = vec![false; self.heads.len()];
        for root in 0..self.heads.len() {
            let mut path = vec![(root, None)];
            while let Some((cluster, needs)) = path.last_mut() {
                let cluster = *cluster;
                if is_placed[cluster] {
                    path.pop();
                    continue;
                }
                let needs = needs.get_or_insert_with(|| {
                    let reads = self.reads(design, cluster);
                    let others = reads.iter().filter_map(|node| self.of_head.get(node).copied());
                    others.filter(|other| *other != cluster).collect::<Vec<_>>()
                });
                match needs.pop() {
                    Some(next) => path.push((next, None)),
                    None => {
                        is_placed[cluster] = true;
                        order.push(cluster);
                        path.pop();
                    }
                }
            }
        }
        order
    }
}

impl Chunks {
    /// `most`: operations of a chunk.
    pub fn of(design: &ModuleTree, most: usize) -> Self {
        let clusters = Clusters::of(design, roots(design));
        let mut list: Vec<(Vec<usize>, usize, usize)> = vec![];
        for cluster in clusters.order(design) {
            let groups = matches!(clusters.heads[cluster], Head::Root(Root::Registers(_))) as usize;
            let cost = clusters.cost[cluster];
            match list.last_mut() {
                Some((members, sum, count)) if *sum + cost <= most && *count + groups <= GROUPS => {
                    members.push(cluster);
                    *sum += cost;
                    *count += groups;
                }
                _ => list.push((vec![cluster], cost, groups)),
            }
        }
        let mut list_of_chunks = vec![];
        let (mut chunk_of, mut readers) = (HashMap::new(), HashMap::<NodeId, Vec<usize>>::new());
        for (number, (members, ..)) in list.into_iter().enumerate() {
            for member in &members {
                if let Head::Node(node) = clusters.heads[*member] {
                    chunk_of.insert(node, number);
                }
            }
            let mut reads: Vec<NodeId> = vec![];
            for read in members.iter().flat_map(|member| clusters.reads(design, *member)) {
                leaves(design, &clusters, read, &mut reads);
            }
            reads.sort();
            reads.dedup();
            reads.retain(|node| chunk_of.get(node) != Some(&number));
            for node in &reads {
                readers.entry(*node).or_default().push(number);
            }
            let heads = members.iter().map(|member| clusters.heads[*member].clone()).collect();
            list_of_chunks.push(Chunk { heads });
        }
        let nodes = clusters.nodes.into_iter().flatten().collect();
        Chunks { list: list_of_chunks, chunk_of, readers, regions: clusters.regions, nodes }
    }
}

/// The heads and slots that a read comes down to.
fn leaves(design: &ModuleTree, clusters: &Clusters, read: NodeId, to: &mut Vec<NodeId>) {
    if clusters.of_head.contains_key(&read) || matches!(design.nodes.op(read), Op::Slot(_)) {
        to.push(read);
    } else if is_free(&design.nodes, read) {
        design.nodes.op(read).operands(&mut |operand| leaves(design, clusters, operand, to));
    }
}

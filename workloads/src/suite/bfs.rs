// SPDX-License-Identifier: Apache-2.0
//! Rodinia's BFS: the distance of every node of a graph from node 0.
//!
//! The graph is random and undirected, with an average of six neighbours per node: every node but
//! the first is joined to a random earlier one, so that all can be reached, and random pairs make up
//! the rest. Small resembles the graph of the public Accel-Sim trace of Rodinia's program, so that the
//! two can be compared: 24,576 directed edges and nodes at distances from 0 to 7.
//! Each level of the search launches `expand`, which reaches the neighbours of the frontier, and
//! `advance`, which makes them the next frontier; the host goes on until `advance` found none.

use std::collections::VecDeque;

use bytemuck::NoUninit;
use rustc_hash::FxHashSet;

use crate::device::Device;
use crate::error::Result;
use crate::listing::Module;

use super::{counted, expect_equal, Benchmark, Size};

pub(super) const BFS: Benchmark = Benchmark {
    name: "bfs",
    stands_for: "Rodinia bfs",
    about: "breadth-first search of a random graph, a thread per node",
    size: |size| counted(nodes(size), "node"),
    run,
};

const THREADS: u32 = 512;
const SOURCE: usize = 0;
/// Undirected edges per node: half the average number of neighbours.
const EDGES_PER_NODE: usize = 3;
const UNREACHED: i32 = -1;

fn nodes(size: Size) -> usize {
    size.pick(4096, 65_536, 1_000_000)
}

fn run(device: &mut Device, size: Size) -> Result<()> {
    let count = nodes(size);
    let Graph { nodes, edges } = Graph::random(count, &mut fastrand::Rng::with_seed(6));
    let mut frontier = vec![0u8; count];
    frontier[SOURCE] = 1;
    let mut distance = vec![UNREACHED; count];
    distance[SOURCE] = 0;

    let module = Module::parse("bfs.sass", include_str!("../../kernels/bfs.sass"))?;
    let device_nodes = device.upload(&nodes);
    let device_edges = device.upload(&edges);
    let device_frontier = device.upload(&frontier);
    let device_reached = device.upload(&vec![0u8; count]);
    let device_visited = device.upload(&frontier);
    let device_distance = device.upload(&distance);
    let device_more = device.allocate(1);
    let expand = [
        device_nodes.into(),
        device_edges.into(),
        device_frontier.into(),
        device_reached.into(),
        device_visited.into(),
        device_distance.into(),
        (count as i32).into(),
    ];
    let advance = [
        device_frontier.into(),
        device_reached.into(),
        device_visited.into(),
        device_more.into(),
        (count as i32).into(),
    ];

    let blocks = (count as u32).div_ceil(THREADS);
    loop {
        device.write(device_more, &[0u8])?;
        device.launch(&module, "expand", blocks, THREADS, 0, &expand)?;
        device.launch(&module, "advance", blocks, THREADS, 0, &advance)?;
        if device.read::<u8>(device_more, 1)? == [0] {
            break;
        }
    }

    expect_equal("distance", &device.read::<i32>(device_distance, count)?, &distances(&nodes, &edges))
}

/// As the kernels have it.
#[derive(Clone, Copy, NoUninit)]
#[repr(C)]
struct Node {
    first_edge: i32,
    edges: i32,
}

impl Node {
    fn edges(&self) -> std::ops::Range<usize> {
        self.first_edge as usize..(self.first_edge + self.edges) as usize
    }
}

/// Neighbours back to back, and where each node's begin.
struct Graph {
    nodes: Vec<Node>,
    edges: Vec<i32>,
}

impl Graph {
    fn random(count: usize, random: &mut fastrand::Rng) -> Graph {
        let pairs = random_pairs(count, random);
        let mut nodes = vec![Node { first_edge: 0, edges: 0 }; count];
        for &end in pairs.iter().flatten() {
            nodes[end as usize].edges += 1;
        }
        let mut first_edge = 0;
        for node in &mut nodes {
            node.first_edge = first_edge;
            first_edge += std::mem::take(&mut node.edges);
        }
        let mut edges = vec![0; 2 * pairs.len()];
        for [a, b] in pairs {
            for (from, to) in [(a, b), (b, a)] {
                let node = &mut nodes[from as usize];
                edges[node.edges().end] = to as i32;
                node.edges += 1;
            }
        }
        Graph { nodes, edges }
    }
}

/// Nodes that are joined, no two of them twice.
fn random_pairs(count: usize, random: &mut fastrand::Rng) -> Vec<[u32; 2]> {
    let mut pairs = Vec::with_capacity(EDGES_PER_NODE * count);
    let mut known = FxHashSet::default();
    for edge in 1..=EDGES_PER_NODE * count {
        loop {
            // The first edges are those of a tree that holds all nodes.
            let (a, b) = if edge < count {
                (edge, random.usize(..edge))
            } else {
                (random.usize(..count), random.usize(..count))
            };
            let (a, b) = (a as u32, b as u32);
            if a != b && known.insert((a.min(b), a.max(b))) {
                pairs.push([a, b]);
                break;
            }
        }
    }
    pairs
}

/// The same search with a queue.
fn distances(nodes: &[Node], edges: &[i32]) -> Vec<i32> {
    let mut distance = vec![UNREACHED; nodes.len()];
    distance[SOURCE] = 0;
    let mut queue = VecDeque::from([SOURCE]);
    while let Some(node) = queue.pop_front() {
        for &neighbour in &edges[nodes[node].edges()] {
            let neighbour = neighbour as usize;
            if distance[neighbour] == UNREACHED {
                distance[neighbour] = distance[node] + 1;
                queue.push_back(neighbour);
            }
        }
    }
    distance
}

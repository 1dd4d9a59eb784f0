//! Rodinia's BFS: the distance of every node of a graph from node 0.
//!
//! The graph is random and undirected, with an average of six neighbours per node: every node but
//! the first is joined to a random earlier one, so that all can be reached, and random pairs make up
//! the rest. Small is 4096 nodes, medium 65,536, large a million. Small resembles the graph of the
//! public Accel-Sim trace of Rodinia's program, so that the two can be compared: 24,576 directed edges
//! and nodes at distances from 0 to 7.
//! Each level of the search launches `expand`, which reaches the neighbours of the frontier, and
//! `advance`, which makes them the next frontier; the host goes on until `advance` found none.

use std::collections::{HashSet, VecDeque};

use bytemuck::NoUninit;

use crate::device::Device;
use crate::error::Result;
use crate::listing::Module;

use super::{expect_equal, Benchmark, Size};

pub(super) const BFS: Benchmark =
    Benchmark { name: "bfs", about: "breadth-first search of a random graph, a thread per node", run };

const THREADS: u32 = 512;
const SOURCE: usize = 0;
/// Undirected edges per node: half the average number of neighbours.
const EDGES_PER_NODE: usize = 3;
const UNREACHED: i32 = -1;

fn run(device: &mut Device, size: Size) -> Result<()> {
    let graph = random_graph(size.pick(4096, 65_536, 1_000_000), &mut fastrand::Rng::with_seed(6));
    let count = graph.len();

    // Neighbours back to back, and where each node's begin.
    let edges: Vec<i32> = graph.iter().flatten().map(|&neighbour| neighbour as i32).collect();
    let mut first_edge = 0;
    let nodes: Vec<Node> = graph
        .iter()
        .map(|neighbours| {
            let node = Node { first_edge, edges: neighbours.len() as i32 };
            first_edge += node.edges;
            node
        })
        .collect();
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

    expect_equal("distance", &device.read::<i32>(device_distance, count)?, &distances(&graph))
}

/// As the kernels have it.
#[derive(Clone, Copy, NoUninit)]
#[repr(C)]
struct Node {
    first_edge: i32,
    edges: i32,
}

/// The neighbours of every node.
fn random_graph(count: usize, random: &mut fastrand::Rng) -> Vec<Vec<usize>> {
    let mut graph = vec![Vec::new(); count];
    let mut pairs = HashSet::new();
    for edge in 1..=EDGES_PER_NODE * count {
        loop {
            // The first edges are those of a tree that holds all nodes.
            let (a, b) = if edge < count {
                (edge, random.usize(..edge))
            } else {
                (random.usize(..count), random.usize(..count))
            };
            if a != b && pairs.insert((a.min(b), a.max(b))) {
                graph[a].push(b);
                graph[b].push(a);
                break;
            }
        }
    }
    graph
}

/// The same search with a queue.
fn distances(graph: &[Vec<usize>]) -> Vec<i32> {
    let mut distance = vec![UNREACHED; graph.len()];
    distance[SOURCE] = 0;
    let mut queue = VecDeque::from([SOURCE]);
    while let Some(node) = queue.pop_front() {
        for &neighbour in &graph[node] {
            if distance[neighbour] == UNREACHED {
                distance[neighbour] = distance[node] + 1;
                queue.push_back(neighbour);
            }
        }
    }
    distance
}

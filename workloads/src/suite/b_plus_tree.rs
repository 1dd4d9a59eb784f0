// SPDX-License-Identifier: Apache-2.0
//! Rodinia's B+tree: queries on a B+ tree of order 256, a block of 256 threads per query.
//!
//! Keys rise in random steps; record `i` belongs to key `i`. `find_key` looks up single keys, one in
//! four of them not in the tree, and `find_range` the first record and the number of records of a
//! range between two keys. Large is what Rodinia has.

use std::collections::BTreeMap;

use bytemuck::NoUninit;

use crate::device::Device;
use crate::error::Result;
use crate::listing::Module;
use crate::pointer::Pointer;

use super::{counted, expect_equal, grouped, Benchmark, Size};

pub(super) const B_PLUS_TREE: Benchmark = Benchmark {
    name: "b+tree",
    stands_for: "Rodinia b+tree",
    about: "key and range queries on a B+ tree of order 256, a block per query",
    size: |size| {
        let (keys, of_keys, of_ranges) = input(size);
        format!("{}, {} queries", counted(keys, "key"), grouped(of_keys + of_ranges))
    },
    run,
};

const ORDER: usize = 256;
/// Fills the unused key slots of a node: larger than every key.
const NO_KEY: i32 = i32::MAX;
/// The answer for a key that is not in the tree.
const NO_RECORD: i32 = -1;

/// Keys of the tree, queries of keys and queries of ranges.
fn input(size: Size) -> (usize, usize, usize) {
    size.pick((60_000, 40, 30), (250_000, 900, 600), (1_000_000, 10_000, 6000))
}

fn run(device: &mut Device, size: Size) -> Result<()> {
    let (key_count, of_keys, of_ranges) = input(size);
    let mut random = fastrand::Rng::with_seed(1);
    let mut keys: Vec<i32> = Vec::with_capacity(key_count);
    for _ in 0..key_count {
        keys.push(keys.last().unwrap_or(&0) + random.i32(1..=4));
    }
    let records: Vec<i32> = keys.iter().map(|_| random.i32(0..)).collect();

    let module = Module::parse("b_plus_tree.sass", include_str!("../../kernels/b_plus_tree.sass"))?;
    let tree = Tree::over(&keys, &mut random);
    let device_tree = DeviceTree {
        module: &module,
        nodes: device.upload(&tree.nodes),
        node_count: tree.nodes.len() as i32,
        height: tree.height,
        root: tree.nodes.len() as i32 - 1,
    };
    find_keys(device, &device_tree, &keys, &records, of_keys, &mut random)?;
    find_ranges(device, &device_tree, &keys, of_ranges, &mut random)
}

fn find_keys(
    device: &mut Device,
    tree: &DeviceTree,
    keys: &[i32],
    records: &[i32],
    queries: usize,
    random: &mut fastrand::Rng,
) -> Result<()> {
    let sought: Vec<i32> = (0..queries)
        .map(|query| match query % 4 {
            3 => random.i32(keys[0]..=keys[keys.len() - 1]),
            _ => keys[random.usize(..keys.len())],
        })
        .collect();

    let device_records = device.upload(records);
    let (current, next) = tree.cursors(device, queries);
    let device_sought = device.upload(&sought);
    let answers = device.upload(&vec![NO_RECORD; queries]);
    let arguments = [
        tree.height.into(),
        tree.nodes.into(),
        tree.node_count.into(),
        device_records.into(),
        current.into(),
        next.into(),
        device_sought.into(),
        answers.into(),
    ];
    device.launch(tree.module, "find_key", queries as u32, ORDER as u32, 0, &arguments)?;

    let map: BTreeMap<i32, i32> = keys.iter().copied().zip(records.iter().copied()).collect();
    let expected: Vec<i32> = sought.iter().map(|key| *map.get(key).unwrap_or(&NO_RECORD)).collect();
    expect_equal("record", &device.read::<i32>(answers, queries)?, &expected)
}

fn find_ranges(
    device: &mut Device,
    tree: &DeviceTree,
    keys: &[i32],
    queries: usize,
    random: &mut fastrand::Rng,
) -> Result<()> {
    // Both ends are keys of the tree, as the kernel demands.
    let ranges: Vec<(usize, usize)> = (0..queries)
        .map(|_| {
            let first = random.usize(..keys.len());
            (first, random.usize(first..keys.len()))
        })
        .collect();
    let first_keys: Vec<i32> = ranges.iter().map(|&(first, _)| keys[first]).collect();
    let last_keys: Vec<i32> = ranges.iter().map(|&(_, last)| keys[last]).collect();

    let (current_first, next_first) = tree.cursors(device, queries);
    let (current_last, next_last) = tree.cursors(device, queries);
    let device_first_keys = device.upload(&first_keys);
    let device_last_keys = device.upload(&last_keys);
    let starts = device.upload(&vec![0i32; queries]);
    let lengths = device.upload(&vec![0i32; queries]);
    let arguments = [
        tree.height.into(),
        tree.nodes.into(),
        tree.node_count.into(),
        current_first.into(),
        next_first.into(),
        current_last.into(),
        next_last.into(),
        device_first_keys.into(),
        device_last_keys.into(),
        starts.into(),
        lengths.into(),
    ];
    device.launch(tree.module, "find_range", queries as u32, ORDER as u32, 0, &arguments)?;

    let expected: Vec<i32> = ranges.iter().map(|&(first, _)| first as i32).collect();
    expect_equal("start of range", &device.read::<i32>(starts, queries)?, &expected)?;
    let expected: Vec<i32> = ranges.iter().map(|&(first, last)| (last - first + 1) as i32).collect();
    expect_equal("length of range", &device.read::<i32>(lengths, queries)?, &expected)
}

/// A tree in device memory, and the kernels that search it.
struct DeviceTree<'a> {
    module: &'a Module,
    nodes: Pointer,
    node_count: i32,
    height: i32,
    root: i32,
}

impl DeviceTree<'_> {
    /// The nodes where the queries stand and where they go next: both the root at first.
    fn cursors(&self, device: &mut Device, queries: usize) -> (Pointer, Pointer) {
        let at_root = vec![self.root; queries];
        (device.upload(&at_root), device.upload(&at_root))
    }
}

/// As the kernels have it.
#[derive(Clone, Copy, NoUninit)]
#[repr(C)]
struct TreeNode {
    location: i32,
    /// In a leaf: records.
    children: [i32; ORDER + 1],
    keys: [i32; ORDER + 1],
    is_leaf: u8,
    padding: [u8; 3],
    key_count: i32,
}

/// A B+ tree, leaves first, the root last.
struct Tree {
    nodes: Vec<TreeNode>,
    /// Levels above the leaves.
    height: i32,
}

impl Tree {
    /// The tree of sorted keys, built level by level from nodes that are full to half or more.
    fn over(keys: &[i32], random: &mut fastrand::Rng) -> Tree {
        let mut tree = Tree { nodes: Vec::new(), height: 0 };
        // The entries of the level being built: the smallest key under each, and its record or node.
        let mut entries: Vec<(i32, i32)> = keys.iter().copied().zip(0..).collect();
        loop {
            let is_leaf = tree.nodes.is_empty();
            let mut above = Vec::new();
            while !entries.is_empty() {
                let taken = random.usize(ORDER / 2..=ORDER).min(entries.len());
                let location = tree.nodes.len() as i32;
                above.push((entries[0].0, location));
                tree.nodes.push(TreeNode::new(location, is_leaf, entries.drain(..taken)));
            }
            if above.len() == 1 {
                return tree;
            }
            tree.height += 1;
            entries = above;
        }
    }
}

impl TreeNode {
    fn new(location: i32, is_leaf: bool, entries: impl Iterator<Item = (i32, i32)>) -> TreeNode {
        let mut node = TreeNode {
            location,
            children: [0; ORDER + 1],
            keys: [NO_KEY; ORDER + 1],
            is_leaf: is_leaf.into(),
            padding: [0; 3],
            key_count: 0,
        };
        for (slot, (key, child)) in entries.enumerate() {
            node.keys[slot] = key;
            node.children[slot] = child;
            node.key_count += 1;
        }
        node
    }
}

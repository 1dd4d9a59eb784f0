// SPDX-License-Identifier: Apache-2.0
//! Facts of a kernel found by reading its stream beforehand: live registers, and how near values are used
//! again.

use std::collections::HashSet;
use std::sync::Arc;

use crate::error::Result;
use crate::kernel::{Kernel, KernelReader};
use crate::liveness::{add_edges, FlowNode, Liveness, Origin};
use crate::registers::RegisterSet;
use crate::reuse::{near_masks, Annotator, Histogram, Reuse, ReuseMode};

impl Kernel {
    /// Its live registers: from its listing, else from what its stream shows, which is read for it.
    pub fn liveness(&self) -> Result<Arc<Liveness>> {
        match self.listed_liveness() {
            Some(liveness) => Ok(liveness),
            None => Ok(Arc::new(Liveness::observe(self)?)),
        }
    }

    /// The kernel with its `near_` masks set as `reuse` says. Profiling reads its first warps, once for all
    /// that read the kernel afterwards.
    pub fn annotated(&self, reuse: &Reuse) -> Result<Kernel> {
        let annotator = match reuse.mode {
            ReuseMode::Exact => Annotator::Exact { threshold: reuse.threshold },
            ReuseMode::Profile { warps } => profile(self, reuse.threshold, warps)?,
        };
        Ok(self.with_annotator(annotator))
    }

    /// Starts reading the kernel, [annotated](Kernel::annotated).
    pub fn open_annotated(&self, reuse: &Reuse) -> Result<KernelReader> {
        self.annotated(reuse)?.open()
    }
}

impl Liveness {
    /// From what a kernel's stream shows.
    pub fn observe(kernel: &Kernel) -> Result<Liveness> {
        let (mut edges, mut guarded) = (HashSet::new(), HashSet::new());
        let mut reader = kernel.open()?;
        while let Some(block) = reader.next_block()? {
            for warp in &block.warps {
                add_edges(&warp.instructions, &mut edges);
                let failed = warp.instructions.iter().filter(|instruction| instruction.mask == 0);
                guarded.extend(failed.map(|instruction| instruction.static_index));
            }
        }
        let instructions = reader.program().instructions().iter();
        let mut nodes: Vec<FlowNode> = instructions
            .zip(0..)
            .map(|(instruction, index)| FlowNode {
                pc: instruction.pc,
                reads: instruction.sources.iter().copied().collect(),
                kills: match guarded.contains(&index) {
                    true => RegisterSet::default(),
                    false => instruction.destinations.iter().copied().collect(),
                },
                writes: instruction.destinations.iter().copied().collect(),
                successors: vec![],
            })
            .collect();
        for (from, to) in edges {
            nodes[from as usize].successors.push(to);
        }
        Ok(Liveness::of(Origin::Observed, nodes))
    }
}

impl Histogram {
    /// The histogram of a whole kernel.
    pub fn of(kernel: &Kernel) -> Result<Histogram> {
        let mut histogram = Histogram::default();
        let mut reader = kernel.open()?;
        while let Some(block) = reader.next_block()? {
            histogram.add(reader.program(), &block);
        }
        Ok(histogram)
    }
}

/// Votes of the executions of one static instruction.
#[derive(Clone, Default)]
struct Votes {
    executions: u64,
    near_sources: [u64; 16],
    near_destinations: [u64; 16],
}

impl Votes {
    fn count(&mut self, [sources, destinations]: [u16; 2]) {
        self.executions += 1;
        for i in 0..16 {
            self.near_sources[i] += u64::from(sources >> i & 1);
            self.near_destinations[i] += u64::from(destinations >> i & 1);
        }
    }

    fn result(&self) -> [u16; 2] {
        let majority = |votes: &[u64; 16]| {
            (0..16).filter(|&i| 2 * votes[i] > self.executions).fold(0, |mask, i| mask | 1 << i)
        };
        [majority(&self.near_sources), majority(&self.near_destinations)]
    }
}

/// The static indices are those any other reading of the kernel gives: interning is in trace order.
fn profile(kernel: &Kernel, threshold: u32, warps: usize) -> Result<Annotator> {
    let mut votes: Vec<Votes> = Vec::new();
    let mut reader = kernel.open()?;
    let mut remaining = warps;
    while remaining > 0 {
        let Some(block) = reader.next_block()? else {
            break;
        };
        votes.resize(reader.program().instructions().len(), Votes::default());
        let executed = block.warps.iter().filter(|warp| !warp.instructions.is_empty());
        for warp in executed.take(remaining) {
            let near = near_masks(reader.program(), &warp.instructions, threshold);
            for (instruction, near) in warp.instructions.iter().zip(near) {
                votes[instruction.static_index as usize].count(near);
            }
            remaining -= 1;
        }
    }
    Ok(Annotator::Static { near: votes.iter().map(Votes::result).collect() })
}

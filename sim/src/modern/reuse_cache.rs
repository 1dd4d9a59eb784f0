//! Reference model of the reuse cache: H §5.3.1.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{ReuseCacheIn, ReuseCacheOut};
use gpurf_blocks::{Clocked, Data, Parameters, ReuseEntries, WarpId, WarpSet, READS, READ_BANKS};

use crate::bits::{flags, mask, members, warp_mask};

/// What each operand and bank has of which register.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct ReuseCache<D: Data> {
    entries: ReuseEntries,
    /// Of other instructions and of tensor instructions, by source.
    tags: [[Option<(WarpId, u8)>; READS]; 2],
    data: [[D; READS]; 2],
    #[borsh(skip)]
    inputs: ReuseCacheIn<D>,
}

/// Sources of an instruction: those that it has, a bit each, and their registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Sources {
    /// Bit 2 o + b: operand o has a register in bank b.
    pub valid: u8,
    /// That register.
    pub registers: [u8; READS],
}

impl<D: Data> ReuseCache<D> {
    /// After reset, with these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        ReuseCache {
            entries: parameters.reuse_cache,
            tags: [[None; READS]; 2],
            data: [[D::default(); READS]; 2],
            inputs: ReuseCacheIn::default(),
        }
    }

    /// Whose entries those of an instruction are.
    fn set(&self, is_tensor: bool) -> usize {
        usize::from(is_tensor && self.entries == ReuseEntries::TensorApart)
    }

    /// The sources that are here.
    pub fn hits(&self, warp: WarpId, is_tensor: bool, sources: &Sources) -> u8 {
        let tags = &self.tags[self.set(is_tensor)];
        let is_here = |&source: &usize| tags[source] == Some((warp, sources.registers[source]));
        members(sources.valid).filter(is_here).fold(0, |hits, source| hits | 1 << source)
    }

    /// The instruction goes to its reads. `reuse`: a bit for each operand that stays here.
    pub fn go(&mut self, warp: WarpId, is_tensor: bool, sources: &Sources, reuse: u8) {
        if self.entries == ReuseEntries::Off {
            return;
        }
        let set = self.set(is_tensor);
        for source in members(sources.valid) {
            let stays = reuse >> (source / READ_BANKS) & 1 == 1;
            self.tags[set][source] = stays.then_some((warp, sources.registers[source]));
        }
    }

    /// Values for an instruction whose operands leave.
    pub fn data(&self, is_tensor: bool) -> &[D; READS] {
        &self.data[self.set(is_tensor)]
    }

    /// Operands leave, of which some stay here.
    pub fn leave(&mut self, is_tensor: bool, fills: u8, values: &[D; READS]) {
        if self.entries == ReuseEntries::Off {
            return;
        }
        let set = self.set(is_tensor);
        for source in members(fills) {
            self.data[set][source] = values[source];
        }
    }

    /// New warps start in these slots.
    pub fn launch(&mut self, warps: WarpSet) {
        for tag in self.tags.iter_mut().flatten() {
            *tag = tag.filter(|(warp, _)| warps & warp.bit() == 0);
        }
    }
}

impl<D: Data> Clocked for ReuseCache<D> {
    type In = ReuseCacheIn<D>;
    type Out = ReuseCacheOut<D>;

    fn settle(&mut self, inputs: &ReuseCacheIn<D>) -> ReuseCacheOut<D> {
        self.inputs = *inputs;
        let hits = self.hits(WarpId(inputs.warp as u8), inputs.tensor, &sources(inputs));
        ReuseCacheOut { hit: flags(hits), data: *self.data(inputs.leave_tensor) }
    }

    fn tick(&mut self) {
        let inputs = self.inputs;
        // What an instruction leaves in this cycle is its own, whatever begins.
        self.launch(warp_mask(&inputs.launch));
        if inputs.go {
            self.go(WarpId(inputs.warp as u8), inputs.tensor, &sources(&inputs), inputs.reuse as u8);
        }
        if inputs.leave {
            self.leave(inputs.leave_tensor, mask(&inputs.leave_fill), &inputs.leave_data);
        }
    }
}

fn sources<D: Data>(inputs: &ReuseCacheIn<D>) -> Sources {
    Sources {
        valid: mask(&inputs.source_valid),
        registers: inputs.source_register.map(|register| register as u8),
    }
}

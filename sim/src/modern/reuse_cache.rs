// SPDX-License-Identifier: Apache-2.0
//! Reference model of the reuse cache: H §5.3.1.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{ReuseCacheIn, ReuseCacheOut};
use gpurf_blocks::{Clocked, Data, Parameters, ReuseEntries, WarpId, OPERANDS, READS, READ_BANKS};
use gpurf_trace::RegisterId;

use crate::bits::warp_mask;

/// A place for one register: of tensor instructions or not, operand, bank.
pub type ReusePlace = (bool, u8, u8);

/// The register whose value lies in a place.
type Owner = Option<(WarpId, RegisterId)>;

/// A value for each operand and bank, and as many again for tensor instructions if those are apart.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct ReuseCache<D: Data> {
    owners: [[[Owner; READ_BANKS]; OPERANDS]; 2],
    data: [[[D; READ_BANKS]; OPERANDS]; 2],
    entries: ReuseEntries,
    #[borsh(skip)]
    inputs: ReuseCacheIn<D>,
}

impl<D: Data> ReuseCache<D> {
    /// After reset, with these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        ReuseCache {
            owners: Default::default(),
            data: [[[D::default(); READ_BANKS]; OPERANDS]; 2],
            entries: parameters.reuse_cache,
            inputs: ReuseCacheIn::default(),
        }
    }

    #[inline]
    fn set(&self, tensor: bool) -> usize {
        usize::from(tensor && self.entries == ReuseEntries::TensorApart)
    }

    /// Returns true if a register of a warp is here.
    #[inline]
    pub fn has(&self, (tensor, operand, bank): ReusePlace, warp: WarpId, register: RegisterId) -> bool {
        let owner = self.owners[self.set(tensor)][usize::from(operand)][usize::from(bank)];
        owner == Some((warp, register))
    }

    /// An instruction that reads this register goes to its reads: what was there leaves. `stays`: the
    /// register takes its place.
    #[inline]
    pub fn go(
        &mut self,
        (tensor, operand, bank): ReusePlace,
        warp: WarpId,
        register: RegisterId,
        stays: bool,
    ) {
        let stays = stays && self.entries != ReuseEntries::Off;
        let set = self.set(tensor);
        self.owners[set][usize::from(operand)][usize::from(bank)] = stays.then_some((warp, register));
    }

    /// The value, for an instruction whose operands leave.
    #[inline]
    pub fn data(&self, (tensor, operand, bank): ReusePlace) -> D {
        self.data[self.set(tensor)][usize::from(operand)][usize::from(bank)]
    }

    /// The value of an operand that leaves stays here.
    #[inline]
    pub fn fill(&mut self, (tensor, operand, bank): ReusePlace, data: D) {
        let set = self.set(tensor);
        self.data[set][usize::from(operand)][usize::from(bank)] = data;
    }

    /// A new warp empties what its slot has left.
    pub fn launch(&mut self, warps: u16) {
        for owner in self.owners.iter_mut().flatten().flatten() {
            *owner = owner.filter(|(warp, _)| warps & warp.bit() == 0);
        }
    }
}

/// Where source 2 o + b, operand o in bank b, would lie.
pub(super) fn place_of(tensor: bool, source: usize) -> ReusePlace {
    (tensor, (source / READ_BANKS) as u8, (source % READ_BANKS) as u8)
}

impl<D: Data> Clocked for ReuseCache<D> {
    type In = ReuseCacheIn<D>;
    type Out = ReuseCacheOut<D>;

    fn settle(&mut self, inputs: &ReuseCacheIn<D>) -> ReuseCacheOut<D> {
        self.inputs = *inputs;
        let (warp, register) =
            (WarpId(inputs.warp as u8), |source: usize| RegisterId(inputs.source_register[source] as u8));
        let is_hit = |source: usize| {
            inputs.source_valid[source] && self.has(place_of(inputs.tensor, source), warp, register(source))
        };
        ReuseCacheOut {
            hit: std::array::from_fn(is_hit),
            data: std::array::from_fn(|source| self.data(place_of(inputs.leave_tensor, source))),
        }
    }

    fn tick(&mut self) {
        let inputs = self.inputs;
        // What an instruction leaves in this cycle is its own, whatever begins.
        self.launch(warp_mask(&inputs.launch));
        for source in (0..READS).filter(|&source| inputs.go && inputs.source_valid[source]) {
            let stays = inputs.reuse >> (source / READ_BANKS) & 1 == 1;
            let register = RegisterId(inputs.source_register[source] as u8);
            self.go(place_of(inputs.tensor, source), WarpId(inputs.warp as u8), register, stays);
        }
        let is_filled = inputs.leave && self.entries != ReuseEntries::Off;
        for source in (0..READS).filter(|&source| is_filled && inputs.leave_fill[source]) {
            self.fill(place_of(inputs.leave_tensor, source), inputs.leave_data[source]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_found_in_its_operand_by_its_warp_until_the_next_read_there() {
        let mut cache = ReuseCache::<u32>::new(&Parameters::default());
        let (place, warp, register) = ((false, 1, 0), WarpId(3), RegisterId(10));
        cache.go(place, warp, register, true);
        cache.fill(place, 7);
        assert!(cache.has(place, warp, register) && cache.data(place) == 7);
        assert!(!cache.has((false, 0, 0), warp, register) && !cache.has(place, WarpId(2), register));
        cache.go((true, 1, 0), warp, RegisterId(4), false);
        assert!(cache.has(place, warp, register), "tensor instructions have entries of their own");
        cache.go(place, warp, register, false);
        assert!(!cache.has(place, warp, register), "a hit takes it");
    }

    #[test]
    fn entries_are_shared_or_there_are_none() {
        let (place, warp, register) = ((false, 1, 0), WarpId(3), RegisterId(10));
        let after_tensor = |reuse_cache| {
            let mut cache = ReuseCache::<u32>::new(&Parameters { reuse_cache, ..Parameters::default() });
            cache.go(place, warp, register, true);
            let before = cache.has(place, warp, register);
            cache.go((true, 1, 0), warp, RegisterId(4), false);
            (before, cache.has(place, warp, register))
        };
        assert_eq!(after_tensor(ReuseEntries::Shared), (true, false));
        assert_eq!(after_tensor(ReuseEntries::Off), (false, false));
    }
}

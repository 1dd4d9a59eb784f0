// SPDX-License-Identifier: Apache-2.0
//! DARSIE, as "Inter-Warp Multicasting" compares itself with it (I §5.2.2): a load that another warp of the
//! sub-core and block has performed alike since the last barrier is not performed again. By register
//! renaming it reads what that warp loaded.
//!
//! The paper leaves open, and here:
//! - two loads are alike if they are the same instruction with the same lanes and addresses, and nothing was
//!   stored there between them: what DARSIE's compiler would have to prove is looked up;
//! - physical registers that hold a value for later warps are enough for the [`VALUES`] latest ones;
//! - a block that becomes pending, where blocks take turns, takes the values of its loads with it;
//! - a warp that comes while the first one's load is under way waits for it. Its registers are written a
//!   cycle after, as by any load: the write that renaming saves is not left out, so that every operand can be
//!   checked at dispatch.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::MAX_WARPS;

use crate::sm::executing::Executing;
use crate::sm::names::BlockId;

/// Values kept for later warps. A sub-core's 512 registers hold no more of four registers each.
const VALUES: usize = 128;

/// Values in a sub-core's register file for other warps.
#[derive(BorshSerialize, BorshDeserialize)]
pub struct Renaming {
    /// In the order of their loads.
    values: Vec<Value>,
}

#[derive(BorshSerialize, BorshDeserialize)]
struct Value {
    leader: Executing,
    /// Stores to shared memory before it.
    stores: u32,
    /// Between which barriers: only loads from there find it.
    section: u32,
    /// It has come from memory.
    loaded: bool,
    followers: [Option<Executing>; MAX_WARPS],
}

/// The task of a load.
#[derive(Clone, Copy)]
pub enum Found {
    /// To go to memory: it is the first of its kind.
    Nothing,
    /// To wait until the first one's data come.
    UnderWay,
    /// To take the data that this one loaded.
    Loaded(Executing),
}

impl Renaming {
    pub fn new() -> Self {
        Renaming { values: Vec::with_capacity(VALUES) }
    }

    /// Looks up the load of a warp, in a section of its block's work. `stores` is the number of stores so
    /// far. `alike` tells whether it does the same as an older one, with nothing stored there since so many
    /// stores.
    pub fn request(
        &mut self,
        load: Executing,
        section: u32,
        stores: u32,
        alike: impl Fn(&Executing, u32) -> bool,
    ) -> Found {
        let index = load.instruction.static_index;
        let found = self.values.iter_mut().rev().find(|value| {
            let leader = &value.leader;
            value.section == section
                && leader.instruction.static_index == index
                && leader.block == load.block
                && leader.warp != load.warp
                && alike(leader, value.stores)
        });
        match found {
            Some(Value { leader, loaded: true, .. }) => Found::Loaded(*leader),
            Some(value) => {
                value.followers[load.warp.index()] = Some(load);
                Found::UnderWay
            }
            None => {
                self.keep(load, section, stores);
                Found::Nothing
            }
        }
    }

    fn keep(&mut self, leader: Executing, section: u32, stores: u32) {
        if self.values.len() == VALUES {
            let Some(oldest) = self.values.iter().position(|value| value.loaded) else { return };
            self.values.remove(oldest);
        }
        let followers = [None; MAX_WARPS];
        self.values.push(Value { leader, stores, section, loaded: false, followers });
    }

    /// The data of a load have come; the loads that waited for them.
    pub fn loaded(&mut self, load: &Executing) -> [Option<Executing>; MAX_WARPS] {
        let value = self.values.iter_mut().find(|value| !value.loaded && value.leader.serial == load.serial);
        let followers = value.map(|value| {
            value.loaded = true;
            std::mem::take(&mut value.followers)
        });
        followers.unwrap_or_default()
    }

    /// Nothing of a block is kept any more. None of its loads is under way.
    pub fn forget(&mut self, block: BlockId) {
        self.values.retain(|value| value.leader.block != block);
    }

    /// A section of a block begins. Loads from the one before may still come.
    pub fn begin(&mut self, block: BlockId, section: u32) {
        let is_over = |value: &Value| value.leader.block == block && section.wrapping_sub(value.section) > 1;
        self.values.retain(|value| !(value.loaded && is_over(value)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gpurf_blocks::WarpId;
    use gpurf_trace::ThreadBlock;

    fn load(warp: u8, static_index: u32) -> Executing {
        let mut block = ThreadBlock::new([0; 3]);
        block.begin_warp(0);
        block.push(static_index, u32::MAX, &[]);
        let instruction = block.warps[0].instructions[0];
        let serial = 100 * u32::from(warp) + static_index;
        Executing { sub_core: 0, warp: WarpId(warp), block: BlockId(0), number: 0, serial, instruction }
    }

    fn serials(loads: [Option<Executing>; MAX_WARPS]) -> Vec<u32> {
        loads.into_iter().flatten().map(|load| load.serial).collect()
    }

    #[test]
    fn later_warps_wait_for_the_first_and_then_take_its_value() {
        let mut renaming = Renaming::new();
        let request = |renaming: &mut Renaming, warp| renaming.request(load(warp, 7), 5, 0, |_, _| true);
        assert!(matches!(request(&mut renaming, 0), Found::Nothing));
        assert!(matches!(request(&mut renaming, 1), Found::UnderWay));
        assert!(matches!(request(&mut renaming, 3), Found::UnderWay));
        assert_eq!(serials(renaming.loaded(&load(9, 9))), [0; 0]);
        assert_eq!(serials(renaming.loaded(&load(0, 7))), [107, 307]);
        assert!(matches!(request(&mut renaming, 2), Found::Loaded(leader) if leader.warp == WarpId(0)));
        let later = |renaming: &mut Renaming| renaming.request(load(5, 7), 6, 0, |_, _| true);
        assert!(matches!(later(&mut renaming), Found::Nothing), "behind a barrier");
        renaming.begin(BlockId(0), 6);
        assert!(matches!(request(&mut renaming, 6), Found::Loaded(_)), "late");
        renaming.begin(BlockId(0), 7);
        assert!(matches!(request(&mut renaming, 7), Found::Nothing));
    }

    #[test]
    fn only_what_is_alike_is_found() {
        let mut renaming = Renaming::new();
        let mut request = |warp, index, alike| renaming.request(load(warp, index), 0, 0, |_, _| alike);
        assert!(matches!(request(0, 1, true), Found::Nothing));
        assert!(matches!(request(1, 2, true), Found::Nothing), "another instruction");
        assert!(matches!(request(1, 1, false), Found::Nothing), "other addresses");
        assert!(matches!(request(1, 2, true), Found::Nothing), "the same warp once more");
    }

    #[test]
    fn a_value_still_comes_after_its_section() {
        let mut renaming = Renaming::new();
        renaming.request(load(0, 1), 0, 0, |_, _| true);
        renaming.request(load(1, 1), 0, 0, |_, _| true);
        renaming.begin(BlockId(0), 2);
        assert_eq!(serials(renaming.loaded(&load(0, 1))), [101]);
    }

    #[test]
    fn what_a_pending_block_loaded_is_not_found() {
        let mut renaming = Renaming::new();
        renaming.request(load(0, 7), 5, 0, |_, _| true);
        renaming.loaded(&load(0, 7));
        renaming.forget(BlockId(1));
        assert!(matches!(renaming.request(load(1, 7), 5, 0, |_, _| true), Found::Loaded(_)), "another's");
        renaming.forget(BlockId(0));
        assert!(matches!(renaming.request(load(2, 7), 5, 0, |_, _| true), Found::Nothing));
    }

    #[test]
    fn the_oldest_loaded_value_makes_room() {
        let mut renaming = Renaming::new();
        for index in 0..VALUES as u32 {
            renaming.request(load(0, index), 0, 0, |_, _| true);
        }
        renaming.request(load(0, 1000), 0, 0, |_, _| true);
        assert!(
            matches!(renaming.request(load(1, 1000), 0, 0, |_, _| true), Found::Nothing),
            "all under way"
        );
        let _ = renaming.loaded(&load(0, 5));
        renaming.request(load(0, 2000), 0, 0, |_, _| true);
        assert!(matches!(renaming.request(load(1, 2000), 0, 0, |_, _| true), Found::UnderWay));
    }
}

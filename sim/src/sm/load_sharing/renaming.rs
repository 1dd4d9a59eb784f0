// SPDX-License-Identifier: Apache-2.0
//! DARSIE, as "Inter-Warp Multicasting" compares itself with it (I §5.2.2): a load that another warp of the
//! sub-core and block has performed alike since the last barrier is not performed again. By register
//! renaming it reads what that warp loaded. The [skip table](crate::multicast::SkipTable) of the sub-core,
//! which an engine runs, knows such loads. It does one thing in a cycle of its own: it has as many in a cycle
//! of the SM as it needs, and none where it has nothing to do.
//!
//! The paper leaves open, and here:
//! - two loads are alike if they are the same instruction with the same lanes and addresses, and nothing was
//!   stored there between them: what DARSIE's compiler would have to prove is looked up;
//! - a value is found as long as it lies in a row of its CTA's warps, where the SM renames registers
//!   ([`RenamedRegisters`]); elsewhere as long as the skip table has it;
//! - a block that becomes pending, where blocks take turns, takes the values of its loads with it;
//! - a warp that comes while the first one's load is under way waits for it;
//! - where the SM renames no registers, a later warp's are written a cycle after, as by any load. So they are
//!   if the renaming table has no room, and if a lane of the load is inactive: its value stays where it is.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{SkipTableIn, SkipTableOut};
use gpurf_blocks::{WarpSet, MAX_WARPS, SKIP_ENTRIES};
use gpurf_trace::RegisterId;

use crate::bits::warp_mask;
use crate::checkpoint::checkpoint;
use crate::engines::SkipTableEngine;
use crate::sm::executing::Executing;
use crate::sm::names::BlockId;
use crate::sm::renamed::{Homes, RenamedRegisters};

/// Values in a sub-core's register file for other warps.
pub struct Renaming {
    table: SkipTableEngine,
    /// Facts of its loads that the table does not have.
    values: Vec<Option<Value>>,
    /// By entry of the table: where that is.
    places: Vec<u8>,
}

checkpoint! {
    [] Renaming {
        values: values places;
        engines: table;
    }
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
    /// Where it lies, if the SM renames registers.
    homes: Option<Homes>,
    followers: [Option<Executing>; MAX_WARPS],
}

/// The task of a load.
#[derive(Clone, Copy)]
pub enum LoadTask {
    /// To go to memory: it is the first of its kind.
    Nothing,
    /// To wait until the first one's data come.
    UnderWay,
    /// To take the data that this one loaded.
    Loaded(Executing),
}

/// Where the registers of a load lie.
pub struct Room<'a> {
    pub registers: &'a mut RenamedRegisters,
    /// The registers that it loads.
    pub destinations: &'a [RegisterId],
    /// The warps of its CTA in the sub-core.
    pub peers: WarpSet,
}

impl Room<'_> {
    /// Returns true if a value has not been overwritten.
    fn holds(&self, homes: &Option<Homes>) -> bool {
        homes.as_ref().is_some_and(|homes| self.registers.hold(homes))
    }

    /// The load names the registers of the value, or will write its own.
    fn skip(&mut self, load: &Executing, value: &Value) {
        let is_whole = load.instruction.mask == u32::MAX;
        let skip = |homes| self.registers.skip(load, value.leader.serial, homes);
        if !is_whole || !value.homes.as_ref().is_some_and(skip) {
            self.load(load);
        }
    }

    /// The load will write its registers.
    fn load(&mut self, load: &Executing) -> Option<Homes> {
        self.registers.load(load.warp, self.destinations, self.peers)
    }
}

/// The skip table finds what it was not given.
#[derive(Debug)]
pub struct Unknown;

impl Renaming {
    pub fn new(table: SkipTableEngine) -> Self {
        let values = std::iter::repeat_with(|| None).take(SKIP_ENTRIES).collect();
        Renaming { table, values, places: (0..SKIP_ENTRIES as u8).collect() }
    }

    /// The hardware's next cycle.
    fn cycle(&mut self, inputs: &SkipTableIn) -> SkipTableOut {
        let outputs = self.table.settle(inputs);
        self.table.tick();
        outputs
    }

    /// Looks up the load of a warp, in a section of its block's work. `stores` is the number of stores so
    /// far. `alike` tells whether it does the same as an older one, with nothing stored there since so many
    /// stores. `room`: where its registers lie, if the SM renames registers.
    pub fn request(
        &mut self,
        load: Executing,
        section: u32,
        stores: u32,
        mut room: Option<Room>,
        alike: impl Fn(&Executing, u32) -> bool,
    ) -> Result<LoadTask, Unknown> {
        let mut inputs = SkipTableIn { request: true, ..named(&load) };
        inputs.section = section & SECTIONS;
        for (number, &place) in self.places.iter().enumerate() {
            let is_alike = self.values[usize::from(place)].as_ref().is_some_and(
                |Value { leader, stores, homes, .. }| {
                    leader.instruction.static_index == load.instruction.static_index
                        && leader.block == load.block
                        && alike(leader, *stores)
                        && room.as_ref().is_none_or(|room| room.holds(homes))
                },
            );
            inputs.alike[number] = is_alike;
        }
        let outputs = self.cycle(&inputs);
        if outputs.found {
            let place = self.places[outputs.entry as usize];
            let value = self.values[usize::from(place)].as_mut().ok_or(Unknown)?;
            if let Some(room) = &mut room {
                room.skip(&load, value);
            }
            return match (value.loaded, outputs.under_way) {
                (true, false) => Ok(LoadTask::Loaded(value.leader)),
                (false, true) => {
                    value.followers[load.warp.index()] = Some(load);
                    Ok(LoadTask::UnderWay)
                }
                _ => Err(Unknown),
            };
        }
        let homes = room.as_mut().and_then(|room| room.load(&load));
        if outputs.kept {
            let place = self.places.remove(outputs.removed as usize);
            self.places.push(place);
            let followers = [None; MAX_WARPS];
            let value = Value { leader: load, stores, section, loaded: false, homes, followers };
            self.values[usize::from(place)] = Some(value);
        }
        Ok(LoadTask::Nothing)
    }

    /// The data of a load have come; the loads that waited for them.
    pub fn loaded(&mut self, load: &Executing) -> Result<[Option<Executing>; MAX_WARPS], Unknown> {
        let is_its = |value: &Value| !value.loaded && value.leader.serial == load.serial;
        let is_it = |&place: &u8| self.values[usize::from(place)].as_ref().is_some_and(is_its);
        let Some(number) = self.places.iter().position(is_it) else { return Ok([None; MAX_WARPS]) };
        let outputs = self.cycle(&SkipTableIn { loaded: true, ..named(load) });
        let value = self.values[usize::from(self.places[number])].as_mut().expect("it was found there");
        value.loaded = true;
        let followers = std::mem::take(&mut value.followers);
        let waiting = (0..).zip(&followers).filter(|(_, follower)| follower.is_some());
        let waiting = waiting.fold(0 as WarpSet, |set, (warp, _)| set | 1 << warp);
        let is_known = outputs.arrived && outputs.entry as usize == number;
        match is_known && warp_mask(&outputs.followers) == waiting {
            true => Ok(followers),
            false => Err(Unknown),
        }
    }

    /// Nothing of a block is kept any more. None of its loads is under way.
    pub fn forget(&mut self, block: BlockId) {
        if self.drop_values(|value| value.leader.block == block) {
            self.cycle(&SkipTableIn { forget: true, cta: block.0 as u32, ..SkipTableIn::default() });
        }
    }

    /// A section of a block begins. Loads from the one before may still come.
    pub fn begin(&mut self, block: BlockId, section: u32) {
        let is_over = |value: &Value| value.leader.block == block && section.wrapping_sub(value.section) > 1;
        if self.drop_values(|value| value.loaded && is_over(value)) {
            let (cta, section) = (block.0 as u32, section & SECTIONS);
            self.cycle(&SkipTableIn { opens: true, cta, section, ..SkipTableIn::default() });
        }
    }

    /// Returns true if there are any such values.
    fn drop_values(&mut self, drops: impl Fn(&Value) -> bool) -> bool {
        let dropped = self.values.iter_mut().filter_map(|value| value.take_if(|value| drops(value)));
        dropped.count() > 0
    }
}

/// Sections that the table tells apart.
const SECTIONS: u32 = 0xff;

/// How the table knows a load.
fn named(load: &Executing) -> SkipTableIn {
    SkipTableIn {
        pc: load.instruction.static_index & 0xffff,
        warp: load.warp.into(),
        cta: load.block.0 as u32,
        ..SkipTableIn::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::multicast::SkipTable;
    use gpurf_blocks::{Parameters, WarpId};
    use gpurf_trace::ThreadBlock;

    fn renaming() -> Renaming {
        Renaming::new(Box::new(SkipTable::new(&Parameters::default())))
    }

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
        let mut renaming = renaming();
        let request =
            |renaming: &mut Renaming, warp| renaming.request(load(warp, 7), 5, 0, None, |_, _| true).unwrap();
        assert!(matches!(request(&mut renaming, 0), LoadTask::Nothing));
        assert!(matches!(request(&mut renaming, 1), LoadTask::UnderWay));
        assert!(matches!(request(&mut renaming, 3), LoadTask::UnderWay));
        assert_eq!(serials(renaming.loaded(&load(9, 9)).unwrap()), [0; 0]);
        assert_eq!(serials(renaming.loaded(&load(0, 7)).unwrap()), [107, 307]);
        assert!(matches!(request(&mut renaming, 2), LoadTask::Loaded(leader) if leader.warp == WarpId(0)));
        let later = |renaming: &mut Renaming| renaming.request(load(5, 7), 6, 0, None, |_, _| true).unwrap();
        assert!(matches!(later(&mut renaming), LoadTask::Nothing), "behind a barrier");
        renaming.begin(BlockId(0), 6);
        assert!(matches!(request(&mut renaming, 6), LoadTask::Loaded(_)), "late");
        renaming.begin(BlockId(0), 7);
        assert!(matches!(request(&mut renaming, 7), LoadTask::Nothing));
    }

    #[test]
    fn only_what_is_alike_is_found() {
        let mut renaming = renaming();
        let mut request =
            |warp, index, alike| renaming.request(load(warp, index), 0, 0, None, |_, _| alike).unwrap();
        assert!(matches!(request(0, 1, true), LoadTask::Nothing));
        assert!(matches!(request(1, 2, true), LoadTask::Nothing), "another instruction");
        assert!(matches!(request(1, 1, false), LoadTask::Nothing), "other addresses");
        assert!(matches!(request(1, 2, true), LoadTask::Nothing), "the same warp once more");
    }

    #[test]
    fn a_value_still_comes_after_its_section() {
        let mut renaming = renaming();
        renaming.request(load(0, 1), 0, 0, None, |_, _| true).unwrap();
        renaming.request(load(1, 1), 0, 0, None, |_, _| true).unwrap();
        renaming.begin(BlockId(0), 2);
        assert_eq!(serials(renaming.loaded(&load(0, 1)).unwrap()), [101]);
    }

    #[test]
    fn what_a_pending_block_loaded_is_not_found() {
        let mut renaming = renaming();
        renaming.request(load(0, 7), 5, 0, None, |_, _| true).unwrap();
        renaming.loaded(&load(0, 7)).unwrap();
        renaming.forget(BlockId(1));
        assert!(
            matches!(renaming.request(load(1, 7), 5, 0, None, |_, _| true).unwrap(), LoadTask::Loaded(_)),
            "another's"
        );
        renaming.forget(BlockId(0));
        assert!(matches!(renaming.request(load(2, 7), 5, 0, None, |_, _| true).unwrap(), LoadTask::Nothing));
    }

    #[test]
    fn the_oldest_loaded_value_makes_room() {
        let mut renaming = renaming();
        for index in 0..SKIP_ENTRIES as u32 {
            renaming.request(load(0, index), 0, 0, None, |_, _| true).unwrap();
        }
        renaming.request(load(0, 1000), 0, 0, None, |_, _| true).unwrap();
        assert!(
            matches!(renaming.request(load(1, 1000), 0, 0, None, |_, _| true).unwrap(), LoadTask::Nothing),
            "all under way"
        );
        renaming.loaded(&load(0, 5)).unwrap();
        renaming.request(load(0, 2000), 0, 0, None, |_, _| true).unwrap();
        assert!(matches!(
            renaming.request(load(1, 2000), 0, 0, None, |_, _| true).unwrap(),
            LoadTask::UnderWay
        ));
    }
}

// SPDX-License-Identifier: Apache-2.0
//! Instructions that move control, by one group of lanes.

use super::block_memory::BlockMemory;
use super::constants::Constants;
use super::fault::Fault;
use super::library_function::LibraryFunction;
use super::operation::*;
use super::warp::{lanes_of, Waiting, Warp};
use super::windows::MISSING;
use crate::error::readable;
use crate::listing::INSTRUCTION_BYTES;

impl Warp {
    /// Moves control, except for barriers, which concern the whole block. `mask` are the lanes that
    /// execute.
    pub fn control(
        &mut self,
        control: &Control,
        mask: u32,
        constants: &Constants,
        number: u32,
    ) -> Result<(), Fault> {
        let next = self.running().pc + INSTRUCTION_BYTES;
        self.running_mut().pc = next;
        match control {
            Control::Branch { target, condition } => {
                let jumping = mask & self.predicate(*condition);
                self.split(jumping, *target);
            }
            Control::BranchTogether { target, converged } => {
                if (self.running().mask == self.live) == *converged {
                    self.split(mask, *target);
                }
            }
            Control::BranchIndexed { condition, base, register } => {
                self.jump(mask & self.predicate(*condition), *register, *base)?;
            }
            Control::Exit { condition } => {
                let leaving = mask & self.predicate(*condition);
                if leaving != 0 {
                    self.exit(leaving);
                }
            }
            Control::SetConvergence { barrier } => {
                for lane in lanes_of(mask) {
                    self.convergence[usize::from(*barrier)][lane] = mask;
                }
            }
            Control::Converge { barrier } => {
                self.meet(mask);
                self.wait(mask, Waiting::Converge(*barrier));
            }
            Control::Break { barrier, condition } => {
                let leaving = mask & self.predicate(*condition);
                self.leave(*barrier, leaving);
            }
            Control::SaveConvergence { barrier, destination, clear } => {
                let barrier = usize::from(*barrier);
                let saved = self.convergence[barrier];
                self.store(*destination, mask, &saved);
                if *clear {
                    lanes_of(mask).for_each(|lane| self.convergence[barrier][lane] = 0);
                }
            }
            Control::RestoreConvergence { barrier, source } => {
                let mut value = [0; LANES];
                self.fetch(*source, constants, number, &mut value)?;
                lanes_of(mask).for_each(|lane| self.convergence[usize::from(*barrier)][lane] = value[lane]);
            }
            Control::SyncWarp { mask: (source, _) } => {
                let lanes = self.scalar(*source, mask, constants, number)?;
                self.wait(mask, Waiting::Sync(lanes));
            }
            Control::BarrierResult { destination, predicate } if mask != 0 => {
                self.store(*destination, mask, &[self.reduced; LANES]);
                if let Some(predicate) = predicate {
                    self.set_predicate(*predicate, mask, if self.reduced != 0 { u32::MAX } else { 0 });
                }
            }
            Control::CallMissing { name } => {
                if mask != 0 {
                    return Err(Fault::new(format!("calls {}, which the listing lacks", readable(name))));
                }
            }
            Control::Barrier { .. }
            | Control::BarrierResult { .. }
            | Control::CallLibrary { .. }
            | Control::CallAbsolute { .. }
            | Control::Nothing => {}
            Control::Sleep => self.sleep(),
            Control::Trap => {
                if mask != 0 {
                    return Err(Fault::new("the kernel trapped").at(mask.trailing_zeros() as usize));
                }
            }
        }
        Ok(())
    }

    /// Lets these lanes of the running group wait; the others go on.
    fn wait(&mut self, lanes: u32, waiting: Waiting) {
        if lanes == 0 {
            return;
        }
        let pc = self.running().pc;
        let all = self.running().mask;
        if lanes == all {
            self.running_mut().waiting = waiting;
        } else {
            self.split(lanes, pc);
            let before = self.groups.len() - 2;
            self.groups[before].waiting = waiting;
        }
        self.release();
    }

    /// Lets lanes wait at a barrier of the block.
    pub fn wait_at_barrier(&mut self, lanes: u32, number: u8) {
        self.wait(lanes, Waiting::Barrier(number));
    }

    /// Calls what each lane's register pair says: code of the kernel, or a function of the library, from
    /// which it goes on behind the call.
    pub fn call(
        &mut self,
        (low, high): (u16, u16),
        mask: u32,
        number: u32,
        memory: &mut BlockMemory,
        missing: &[String],
    ) -> Result<(), Fault> {
        self.running_mut().pc += INSTRUCTION_BYTES;
        let mut inside = 0;
        for lane in lanes_of(mask) {
            let [low, high] = [low, high].map(|row| u64::from(self.registers[usize::from(row)][lane]));
            let target = high << 32 | low;
            if let Some(function) = LibraryFunction::at(target) {
                self.call_library(function, 1 << lane, number, memory)?;
            } else if let Some(name) = missing.get((target.wrapping_sub(MISSING) / 16) as usize) {
                return Err(Fault::new(format!("calls {}, which the listing lacks", readable(name))).at(lane));
            } else {
                inside |= 1 << lane;
            }
        }
        self.jump(inside, (low, high), 0)
    }

    /// Sends each lane where its register pair says.
    fn jump(&mut self, mask: u32, (low, high): (u16, u16), base: i64) -> Result<(), Fault> {
        let mut rest = mask;
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize;
            let target = |lane: usize| {
                let high = u64::from(self.registers[usize::from(high)][lane]) << 32;
                base.wrapping_add((high | u64::from(self.registers[usize::from(low)][lane])) as i64)
            };
            let to = target(lane);
            let lanes =
                lanes_of(rest).filter(|&other| target(other) == to).fold(0, |lanes, lane| lanes | 1 << lane);
            let pc = u32::try_from(to).ok().filter(|pc| pc % INSTRUCTION_BYTES == 0);
            let pc = pc.ok_or_else(|| Fault::new(format!("jumps to {to:#x}")).at(lane))?;
            self.split(lanes, pc);
            rest &= !lanes;
        }
        Ok(())
    }

    /// Operand of a barrier, the same in all lanes.
    pub fn barrier_operand(
        &self,
        source: Source,
        mask: u32,
        constants: &Constants,
        number: u32,
    ) -> Result<u32, Fault> {
        self.scalar(source, mask, constants, number)
    }
}

//! What a sub-core tells those who follow its instructions: see `pipeline`.

use gpurf_blocks::ports::{SubCoreIn, SubCoreOut};
use gpurf_blocks::Clocked;

use super::super::context::{Context, Executing};
use super::Core;
use crate::bits::mask;
use crate::register_file::home;

impl<E> Core<E>
where
    E: Clocked<In = SubCoreIn<u32>, Out = SubCoreOut<u32>>,
{
    /// The warps of a resident block begin.
    pub fn begin_block(&self, block: usize, context: &mut Context) {
        if context.pipeline.is_some() {
            let starts = |warp: &&u8| self.warps[usize::from(**warp)].block == block;
            self.ages.iter().filter(starts).for_each(|&warp| self.begin_head(warp, context));
        }
    }

    /// The next instruction of a warp, if it has one left, comes to the head of its buffer.
    fn begin_head(&self, warp: u8, context: &mut Context) {
        let slot = &self.warps[usize::from(warp)];
        if !slot.is_issued() {
            let (&instruction, serial) = slot.head();
            let (sub_core, block, number) = (self.index, slot.block, slot.number);
            context.begin(&Executing { sub_core, warp, block, number, serial, instruction });
        }
    }

    /// An instruction enters a collector; those of its sources that are not hit are read from their banks.
    pub(super) fn show_issue(&self, executing: &Executing, hit: &[bool], context: &mut Context) {
        if context.pipeline.is_none() {
            return;
        }
        let Executing { warp, serial, instruction, .. } = *executing;
        let base = self.warps[usize::from(warp)].base;
        let sources = context.decoded(&instruction).sources().to_vec();
        let missed = sources.iter().zip(hit).filter(|(_, hit)| !**hit);
        let banks = missed.map(|(&register, _)| home(self.banks, warp.into(), base, register.into()).0);
        context.show(|pipeline| pipeline.issue(self.index, serial, banks));
        self.begin_head(warp, context);
    }

    /// The reads that go to their banks in a cycle. `issues`: an instruction of a warp was issued in it.
    pub(super) fn show_reads(&self, outputs: &SubCoreOut<u32>, issues: bool, context: &mut Context) {
        let (now, sub_core) = (context.now, self.index);
        context.show(|pipeline| {
            let entered = issues.then(|| mask(&outputs.issue).trailing_zeros() as usize);
            let issued = entered.and_then(|collector| self.collectors.get(collector)?.executing);
            let serial = issued.map(|executing| executing.serial);
            pipeline.read(now, sub_core, mask(&outputs.bank_read), serial);
        });
    }
}

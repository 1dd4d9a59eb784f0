//! Runs launches.

use std::sync::Arc;

use gpurf_trace::{KernelHeader, ThreadBlock};

use super::batches::{batches, run_batch};
use super::Device;
use crate::emulator::{Executed, Launch, Memory, LOCAL_WINDOW, SHARED_WINDOW};
use crate::error::Result;

impl Device {
    /// Runs a launch. Gives its stream if that is wanted and small enough to keep.
    pub(super) fn execute(&mut self, launch: &Launch) -> Result<Option<Vec<ThreadBlock>>> {
        let mut stream = (self.options.stream && self.kept_bytes < self.options.keep_bytes).then(Vec::new);
        let before = self.memory.clone();
        let snapshot = Arc::new(before.clone());
        let mut bytes = self.kept_bytes;
        let mut printed = String::new();
        let mut keep = |executed: Executed, memory: &mut Memory, stream: &mut Option<Vec<ThreadBlock>>| {
            let (writes, block, text) = executed;
            memory.commit(writes);
            printed.push_str(&text);
            bytes += block.as_ref().map_or(0, ThreadBlock::bytes);
            if bytes > self.options.keep_bytes {
                *stream = None;
            }
            if let Some(stream) = stream {
                stream.extend(block);
            }
        };
        let mut alone = true;
        'batches: for batch in batches(launch) {
            let seen = if launch.code.serial { Arc::new(self.memory.clone()) } else { Arc::clone(&snapshot) };
            for executed in run_batch(launch, &seen, batch, stream.is_some())? {
                let Some(executed) = executed else {
                    alone = false;
                    break 'batches;
                };
                keep(executed, &mut self.memory, &mut stream);
            }
        }
        if !alone {
            // Blocks wait for each other: once more, together.
            printed.clear();
            bytes = self.kept_bytes;
            let mut shared = Arc::new(before);
            self.memory = Memory::default();
            let all = launch.run_together(&mut shared, self.options.stream);
            self.memory = Arc::try_unwrap(shared).unwrap_or_else(|shared| (*shared).clone());
            let mut blocks = vec![];
            for (_, block, text) in all? {
                printed.push_str(&text);
                bytes += block.as_ref().map_or(0, ThreadBlock::bytes);
                blocks.extend(block);
            }
            // It cannot be executed again block by block, so it is kept however large it is.
            stream = self.options.stream.then_some(blocks);
        }
        self.printed.push_str(&printed);
        if stream.is_some() {
            self.kept_bytes = bytes;
        }
        Ok(stream)
    }

    pub(super) fn header(&self, launch: &Launch) -> KernelHeader {
        KernelHeader {
            name: launch.code.kernel.name.clone(),
            id: self.launches,
            grid: launch.grid,
            block: launch.block,
            shared_memory: launch.shared,
            nregs: launch.code.kernel.registers,
            binary_version: 75,
            shared_base: SHARED_WINDOW,
            local_base: LOCAL_WINDOW,
            tracer_version: 5,
            ..KernelHeader::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::listing::Module;

    /// What a block does that reads elements of a buffer many times and stores nothing: those that `mask` picks.
    fn reads(mask: u32) -> Option<Executed> {
        let code = format!(
            ".target sm_75\n.section .text.k,\"ax\",@progbits\n.sectioninfo @\"SHI_REGISTERS=16\"\n\
             /*0000*/ MOV R2, c[0x0][0x160] ;\n\
             /*0010*/ MOV R3, c[0x0][0x164] ;\n\
             /*0020*/ MOV R4, RZ ;\n\
             .L_1:\n\
             /*0030*/ IADD3 R4, R4, 0x1, RZ ;\n\
             /*0040*/ LOP3.LUT R5, R4, {mask:#x}, RZ, 0xc0, !PT ;\n\
             /*0050*/ IMAD.WIDE R6, R5, 0x4, R2 ;\n\
             /*0060*/ LDG.E.SYS R8, [R6] ;\n\
             /*0070*/ ISETP.NE.AND P0, PT, R4, 0x8000, PT ;\n\
             /*0080*/ @P0 BRA `(.L_1) ;\n\
             /*0090*/ EXIT ;\n"
        );
        let module = Module::parse("k.sass", &code).unwrap_or_else(|error| panic!("{error}"));
        let mut device = Device::default();
        let buffer = device.allocate(4 << 10);
        let launch = device.prepare(&module, "k", [1; 3], [32, 1, 1], 0, &[buffer.into()]);
        let launch = launch.unwrap_or_else(|error| panic!("{error}"));
        launch.run_block(&Arc::new(device.memory.clone()), 0, false).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn only_who_reads_the_same_over_and_over_is_taken_to_wait() {
        assert!(reads(0x3ff).is_some());
        assert!(reads(0).is_none());
    }
}

// SPDX-License-Identifier: Apache-2.0
//! Runs launches.

use std::sync::Arc;

use gpurf_trace::{KernelHeader, ThreadBlock};

use super::batches::{Batch, Progress, Work};
use super::Device;
use crate::emulator::{Launch, LOCAL_WINDOW, SHARED_WINDOW};
use crate::error::Result;

/// The stream of a launch.
pub(super) enum Stream {
    /// Kept: it was wanted, and is small enough.
    Kept(Vec<ThreadBlock>),
    /// Kept however large it is: its blocks wait for each other, so that they cannot be executed again one by
    /// one.
    Settled(Vec<ThreadBlock>),
    /// To be had by executing the launch again, or not wanted.
    Dropped,
}

impl Device {
    /// Runs a launch.
    pub(super) fn execute(&mut self, launch: &Arc<Launch>) -> Result<Stream> {
        let mut progress = Progress::new(Arc::clone(launch), self.memory.clone());
        let mut stream = (self.options.stream && self.kept_bytes < self.options.keep_bytes).then(Vec::new);
        let mut bytes = self.kept_bytes;
        let mut printed = String::new();
        loop {
            match progress.step(stream.is_some(), Work::Shared)? {
                Batch::Executed(done) => {
                    for (block, text) in done {
                        printed.push_str(&text);
                        bytes += block.as_ref().map_or(0, ThreadBlock::bytes);
                        stream = stream.filter(|_| bytes <= self.options.keep_bytes);
                        if let Some(stream) = &mut stream {
                            stream.extend(block);
                        }
                    }
                }
                Batch::Waits => return self.execute_together(launch),
                Batch::Over => break,
            }
        }
        self.memory = progress.memory;
        self.printed.push_str(&printed);
        Ok(match stream {
            Some(blocks) => {
                self.kept_bytes = bytes;
                Stream::Kept(blocks)
            }
            None => Stream::Dropped,
        })
    }

    /// Runs a launch whose blocks wait for each other.
    fn execute_together(&mut self, launch: &Launch) -> Result<Stream> {
        let mut shared = Arc::new(std::mem::take(&mut self.memory));
        let all = launch.run_together(&mut shared, self.options.stream);
        self.memory = Arc::try_unwrap(shared).unwrap_or_else(|shared| (*shared).clone());
        let mut blocks = vec![];
        for (_, block, text) in all? {
            self.printed.push_str(&text);
            self.kept_bytes += block.as_ref().map_or(0, ThreadBlock::bytes);
            blocks.extend(block);
        }
        Ok(Stream::Settled(blocks))
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
    use crate::emulator::Executed;
    use crate::listing::Module;

    /// The result of a block that reads elements of a buffer many times and stores nothing: those that
    /// `mask` picks.
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

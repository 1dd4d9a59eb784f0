//! What a block executed, as an instruction stream.

use gpurf_trace::ThreadBlock;

use super::access::Touched;
use super::code::Code;

/// Collects what the warps of a block execute.
pub(super) struct Recorder {
    warps: Vec<Recording>,
}

#[derive(Default)]
struct Recording {
    /// Instruction, lanes, number of addresses, digest.
    instructions: Vec<(u32, u32, u8, Option<u64>)>,
    addresses: Vec<u64>,
}

impl Recorder {
    pub fn new(warps: usize) -> Recorder {
        Recorder { warps: (0..warps).map(|_| Recording::default()).collect() }
    }

    #[inline]
    pub fn push(&mut self, warp: usize, index: u32, mask: u32, touched: &Touched) {
        let recording = &mut self.warps[warp];
        recording.instructions.push((index, mask, touched.count as u8, touched.digest));
        recording.addresses.extend_from_slice(&touched.addresses[..touched.count]);
    }

    pub fn finish(self, id: [u32; 3], code: &Code) -> ThreadBlock {
        let mut block = ThreadBlock::new(id);
        for (number, recording) in self.warps.into_iter().enumerate() {
            block.begin_warp(number as u32);
            let mut rest = &recording.addresses[..];
            for (index, mask, count, digest) in recording.instructions {
                let (addresses, after) = rest.split_at(count.into());
                rest = after;
                debug_assert!(count == 0 || code.program[index].width != 0);
                match digest {
                    Some(digest) => block.push_digested(index, mask, addresses, digest),
                    None => block.push(index, mask, addresses),
                }
            }
        }
        block
    }
}

//! What a block executed, as an instruction stream.

use gpurf_trace::ThreadBlock;

use super::access::Touched;

/// Collects what the warps of a block execute.
pub(super) struct Recorder {
    /// A block of each warp alone.
    warps: Vec<ThreadBlock>,
}

impl Recorder {
    pub fn new(warps: usize) -> Recorder {
        let recording = |number| {
            let mut block = ThreadBlock::default();
            block.begin_warp(number as u32);
            block
        };
        Recorder { warps: (0..warps).map(recording).collect() }
    }

    #[inline]
    pub fn push(&mut self, warp: usize, index: u32, mask: u32, touched: &Touched) {
        let addresses = &touched.addresses[..touched.count];
        match touched.digest {
            Some(digest) => self.warps[warp].push_digested(index, mask, addresses, digest),
            None => self.warps[warp].push(index, mask, addresses),
        }
    }

    pub fn finish(self, id: [u32; 3]) -> ThreadBlock {
        let mut block = ThreadBlock::new(id);
        self.warps.into_iter().for_each(|warp| block.adopt(warp));
        block
    }
}

//! Reference model of the register index decoder: R §V-C.

use gpurf_blocks::ports::{RegisterIndexDecoderIn, RegisterIndexDecoderOut};
use gpurf_blocks::Clocked;

use super::vector;

/// The registers of a warp that have not been shown yet.
#[derive(Clone, Debug, Default)]
pub struct RegisterIndexDecoder {
    left: u64,
    inputs: RegisterIndexDecoderIn,
}

impl RegisterIndexDecoder {
    /// Takes a bit vector of live registers.
    pub fn load(&mut self, vector: u64) {
        self.left = vector;
    }

    /// The lowest register left.
    pub fn index(&self) -> Option<usize> {
        (self.left != 0).then(|| self.left.trailing_zeros() as usize)
    }

    /// Goes on to the next live register.
    pub fn drop_first(&mut self) {
        self.left &= self.left.wrapping_sub(1);
    }
}

impl Clocked for RegisterIndexDecoder {
    type In = RegisterIndexDecoderIn;
    type Out = RegisterIndexDecoderOut;

    fn settle(&mut self, inputs: &RegisterIndexDecoderIn) -> RegisterIndexDecoderOut {
        self.inputs = *inputs;
        let index = self.index();
        RegisterIndexDecoderOut { any: index.is_some(), index: index.unwrap_or(0) as u32 }
    }

    fn tick(&mut self) {
        let RegisterIndexDecoderIn { load, load_low, load_high, step } = self.inputs;
        if load {
            self.load(vector(load_low, load_high));
        } else if step {
            self.drop_first();
        }
    }
}

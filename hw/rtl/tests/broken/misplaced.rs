//! The attribute with arguments, and on something else than the kernel.
use gpurf_rtl::rtl;
use rust_hdl::prelude::*;

#[derive(LogicBlock, Default)]
struct Trap {
    pub a: Signal<In, Bit>,
}

impl Logic for Trap {
    #[rtl(fast)]
    fn update(&mut self) {}

    #[rtl]
    fn connect(&mut self) {}
}

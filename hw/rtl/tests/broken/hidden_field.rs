//! A field that is no part of the hardware, or has no Verilog spelling.
use gpurf_rtl::rtl;
use rust_hdl::prelude::*;

#[derive(LogicBlock, Default)]
struct Trap {
    pub _x: Signal<Out, Bit>,
    pub r#try: Signal<In, Bit>,
}

impl Logic for Trap {
    #[rtl]
    fn update(&mut self) {
        self._x.next = self.r#try.val();
    }
}

//! A local variable, and an item.
use gpurf_rtl::rtl;
use rust_hdl::prelude::*;

#[derive(LogicBlock, Default)]
struct Trap {
    pub clock: Signal<In, Clock>,
    pub a: Signal<In, Bits<4>>,
    pub b: Signal<In, Bits<4>>,
    pub flag: Signal<In, Bit>,
    pub x: Signal<Out, Bits<4>>,
    pub y: Signal<Out, Bit>,
}

impl Logic for Trap {
    #[rtl]
    fn update(&mut self) {
        let sum = self.a.val() + self.b.val();
        const ONE: u64 = 1;
        self.x.next = self.a.val();
    }
}

//! Logic, conditions and data in the clock path.
use gpurf_rtl::rtl;
use rust_hdl::prelude::*;

#[derive(LogicBlock, Default)]
struct Inner {
    pub clock: Signal<In, Clock>,
}

impl Logic for Inner {
    #[rtl]
    fn update(&mut self) {}
}

#[derive(LogicBlock, Default)]
struct Trap {
    pub clock: Signal<In, Clock>,
    pub a: Signal<In, Bits<4>>,
    pub b: Signal<In, Bits<4>>,
    pub flag: Signal<In, Bit>,
    pub x: Signal<Out, Bits<4>>,
    pub y: Signal<Out, Bit>,
    pub gated: Signal<Local, Clock>,
    pub child: Inner,
}

impl Logic for Trap {
    #[rtl]
    fn update(&mut self) {
        self.child.clock.next = self.gated.val();
        self.child.clock.next = !self.clock.val();
        if self.flag.val() {
            self.child.clock.next = self.clock.val();
            clock!(self, clock, child);
        }
        self.gated.next = self.clock.val();
    }
}

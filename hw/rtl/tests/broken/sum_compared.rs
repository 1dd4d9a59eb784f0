//! A sum, difference, shift or inversion compared as it is computed.
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
        self.y.next = self.a.val() + 1 == self.b.val();
        self.y.next = self.a.val() < (self.b.val() - self.a.val());
        self.y.next = (self.a.val() << 1) != self.b.val();
        self.y.next = !self.a.val() == self.b.val();
        self.y.next = (self.a.val() & (self.b.val() + 1)) == self.b.val();
    }
}

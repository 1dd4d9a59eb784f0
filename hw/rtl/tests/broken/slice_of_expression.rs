//! A bit taken from something computed, at an index that is computed.
use gpurf_rtl::rtl;
use rust_hdl::prelude::*;

const WIDTH: usize = 4;

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
        self.y.next = (self.a.val() & self.b.val()).get_bit(0);
        self.y.next = self.a.val().get_bit(self.b.val().index() + 1);
        self.x.next = self.a.val().replace_bit(WIDTH - 1, true);
    }
}

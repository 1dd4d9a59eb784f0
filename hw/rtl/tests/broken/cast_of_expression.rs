//! A cast of something computed.
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
    pub wide: Signal<Out, Bits<8>>,
}

impl Logic for Trap {
    #[rtl]
    fn update(&mut self) {
        self.wide.next = bit_cast::<8, 4>(self.a.val() + self.b.val());
        self.wide.next = bit_cast::<8, 4>(self.a.val() & (self.b.val() + 1));
        self.wide.next = bit_cast::<8, 4>(!self.a.val());
        self.wide.next = bit_cast::<8, 4>(self.a.val() & self.b.val());
    }
}

//! A loop variable with the name of a field.
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
    pub i: Signal<Out, Bit>,
    child: Inner,
}

impl Logic for Trap {
    #[rtl]
    fn update(&mut self) {
        for i in 0..4 {
            self.i.next = self.flag.val();
        }
        for child in 0..4 {
            clock!(self, clock, child);
        }
    }
}

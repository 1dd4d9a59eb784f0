//! An array indexed by a signal.
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
    pub v: Vec<Signal<Out, Bits<4>>>,
}

impl Logic for Trap {
    #[rtl]
    fn update(&mut self) {
        self.v[self.a.val().index()].next = self.b.val();
        self.x.next = self.v[self.a.val().index()].val();
    }
}

//! An array indexed by a constant or const parameter.
use gpurf_rtl::rtl;
use rust_hdl::prelude::*;

const LAST: usize = 3;

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
        self.v[LAST].next = self.b.val();
        for i in 0..2 {
            self.v[LAST - i].next = self.b.val();
            self.v[i / 2].next = self.b.val();
            self.v[i + 1usize].next = self.b.val();
        }
    }
}

//! A loop variable with the name of the outer one.
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
        for i in 0..4 {
            for i in 0..2 {
                self.v[i].next = self.a.val();
            }
        }
    }
}

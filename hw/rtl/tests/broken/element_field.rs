//! A field of a struct-valued array element in a loop.
use gpurf_rtl::rtl;
use rust_hdl::prelude::*;

#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
struct Request {
    near: Bit,
}

#[derive(LogicBlock, Default)]
struct Trap {
    pub clock: Signal<In, Clock>,
    pub a: Signal<In, Bits<4>>,
    pub b: Signal<In, Bits<4>>,
    pub flag: Signal<In, Bit>,
    pub x: Signal<Out, Bits<4>>,
    pub y: Signal<Out, Bit>,
    pub from: Vec<Signal<In, Request>>,
    pub to: Vec<Signal<Out, Request>>,
}

impl Logic for Trap {
    #[rtl]
    fn update(&mut self) {
        for i in 0..2 {
            self.y.next = self.from[i].val().near;
            self.to[i].next.near = self.flag.val();
        }
    }
}

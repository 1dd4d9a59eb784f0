//! Functions, methods and macros that do not translate.
use gpurf_rtl::rtl;
use rust_hdl::prelude::*;

fn double(x: Bits<4>) -> Bits<4> {
    x << 1
}

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
        self.x.next = double(self.a.val());
        self.y.next = self.a.val().is_empty();
        self.y.next = self.clock.pos_edge();
        double(self.a.val());
        self.x.next.set_bits::<1>(0, 1.into());
        println!("not hardware");
    }
}

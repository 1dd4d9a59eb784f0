//! A range that is open, depends on a signal or another loop, or is no range.
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
        for i in 0.. {
            self.y.next = self.flag.val();
        }
        for i in 0..self.a.val().index() {
            self.y.next = self.flag.val();
        }
        for i in 0..4 {
            for j in i..4 {
                self.y.next = self.flag.val();
            }
        }
        for i in [1, 2] {
            self.y.next = self.flag.val();
        }
        for (i, j) in [(0, 1)] {
            self.y.next = self.flag.val();
        }
    }
}

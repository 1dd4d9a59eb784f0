//! A choice, a closure and `as` used as a value.
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
        self.x.next = if self.flag.val() {
            self.a.val()
        } else {
            self.b.val()
        };
        self.y.next = match self.flag.val() {
            true => false,
            false => true,
        };
        self.y.next = (|| true)();
        self.x.next = (3 as u64).into();
    }
}

//! A cast, literal or slice whose width is left to inference.
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
        self.wide.next = bit_cast(self.a.val());
        self.wide.next = bit_cast::<_, 4>(self.a.val());
        self.x.next = bits(5);
        self.x.next = self.wide.val().get_bits(0);
        for i in 0..4_u64 {
            self.x.next = bits::<4>(i);
        }
    }
}

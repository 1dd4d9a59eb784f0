//! A constant used as a value.
use gpurf_rtl::rtl;
use rust_hdl::prelude::*;

const LIMIT: u64 = 3;

impl Trap {
    const LIMIT: u64 = 3;
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
        self.x.next = LIMIT.into();
        self.x.next = Self::LIMIT.into();
    }
}

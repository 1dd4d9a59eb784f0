//! A field named by a keyword of Verilog or SystemVerilog.
use gpurf_rtl::rtl;
use rust_hdl::prelude::*;

#[derive(LogicBlock, Default)]
struct Inner {
    pub priority: Signal<In, Bit>,
}

impl Logic for Inner {
    #[rtl]
    fn update(&mut self) {}
}

#[derive(LogicBlock, Default)]
struct Trap {
    pub table: Signal<Out, Bits<4>>,
    pub bit: Signal<In, Bits<4>>,
    pub a: Signal<In, Bits<4>>,
    pub x: Signal<Out, Bits<4>>,
    pub v: Vec<Inner>,
}

impl Logic for Trap {
    #[rtl]
    fn update(&mut self) {
        self.table.next = self.a.val();
        self.x.next = self.bit.val();
        self.v[0].priority.next = true;
    }
}

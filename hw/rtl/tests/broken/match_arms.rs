//! A guard, a number, a binding, and `_` before the last arm.
use gpurf_rtl::rtl;
use rust_hdl::prelude::*;

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum Phase {
    Idle,
    Run,
}

#[derive(LogicBlock, Default)]
struct Trap {
    pub clock: Signal<In, Clock>,
    pub a: Signal<In, Bits<4>>,
    pub b: Signal<In, Bits<4>>,
    pub flag: Signal<In, Bit>,
    pub x: Signal<Out, Bits<4>>,
    pub y: Signal<Out, Bit>,
    pub phase: Signal<In, Phase>,
}

impl Logic for Trap {
    #[rtl]
    fn update(&mut self) {
        match self.phase.val() {
            Phase::Idle if self.flag.val() => self.y.next = true,
            _ => self.y.next = false,
            Phase::Run => self.y.next = true,
        }
        match self.a.val().index() {
            0 => self.y.next = true,
            other => self.y.next = false,
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
//! The one register of the dialect.

use rust_hdl::prelude::*;

use super::{activity, clock_edge, Clocking, Driven, Identity};

/// A register with enable and synchronous reset; reset wins and clears it to zero.
///
/// Timing: `q` shows `d` from the cycle after a rising edge with `enable` high. Power-on value: zero
/// in simulation, unknown in hardware, so a design resets for one cycle before use. Yosys maps it to
/// `$_SDFFE_` cells.
pub struct Register<T: Synth> {
    /// Its rising edge loads.
    pub clock: Signal<In, Clock>,
    /// Clears it at the edge.
    pub reset: Signal<In, Bit>,
    /// Loads it at the edge.
    pub enable: Signal<In, Bit>,
    /// The next value, where it is loaded.
    pub d: Signal<In, T>,
    /// The value that it holds.
    pub q: Signal<Out, T>,
    identity: Identity,
    /// As of a block: see [`Driven`].
    is_at_rest: bool,
}

impl<T: Synth> Default for Register<T> {
    fn default() -> Self {
        let origin = "Register with enable and synchronous reset";
        Register {
            clock: Signal::default(),
            reset: Signal::default(),
            enable: Signal::default(),
            d: Signal::default(),
            q: Signal::default(),
            identity: Identity::new("register", origin, &[("w", T::BITS)]),
            is_at_rest: false,
        }
    }
}

impl<T: Synth> Register<T> {
    /// The value that it holds, its port `q`. A kernel loads it with `self.register.load(enable, value)`.
    pub fn val(&self) -> T {
        self.q.val()
    }
}

impl<T: Synth> Clocking for Register<T> {
    fn set_clock(&mut self, level: bool) {
        clock_edge(&mut self.clock, level);
        self.is_at_rest &= !level;
    }

    fn drive_reset(&mut self, reset: bool) {
        self.reset.next = reset;
    }

    fn shows_anew(&self) -> bool {
        self.reset.changed || self.enable.changed || self.d.changed || self.q.changed
    }
}

impl<T: Synth> Block for Register<T> {
    fn connect_all(&mut self) {}

    fn update_all(&mut self) {
        let is_driven_anew = self.clock.is_driven_anew()
            || self.reset.is_driven_anew()
            || self.enable.is_driven_anew()
            || self.d.is_driven_anew();
        if self.is_at_rest && !is_driven_anew {
            return;
        }
        self.update();
        self.clock.update_all();
        self.reset.update_all();
        self.enable.update_all();
        self.d.update_all();
        self.q.update_all();
        self.is_at_rest = !(is_driven_anew || self.q.has_changed());
    }

    fn has_changed(&self) -> bool {
        !self.is_at_rest
    }

    fn accept(&self, name: &str, probe: &mut dyn Probe) {
        probe.visit_start_scope(name, self);
        self.clock.accept("clock", probe);
        self.reset.accept("reset", probe);
        self.enable.accept("enable", probe);
        self.d.accept("d", probe);
        self.q.accept("q", probe);
        self.identity.accept("identity", probe);
        probe.visit_end_scope(name, self);
    }
}

impl<T: Synth> Logic for Register<T> {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            let held = self.q.val();
            if self.reset.val() {
                self.q.next = T::default();
            } else if self.enable.val() {
                self.q.next = self.d.val();
            }
            if self.q.val() != held {
                activity::record();
            }
        }
    }

    fn hdl(&self) -> Verilog {
        let zero = format!("{{{}{{1'b0}}}}", T::BITS);
        Verilog::Custom(format!(
            "`ifndef SYNTHESIS\n\
             initial q = {zero};\n\
             `endif\n\
             always @(posedge clock)\n\
             \x20 if (reset) q <= {zero};\n\
             \x20 else if (enable) q <= d;\n"
        ))
    }
}

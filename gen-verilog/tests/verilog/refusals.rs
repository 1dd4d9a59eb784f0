// SPDX-License-Identifier: Apache-2.0
//! Refusals of the emitter, and that each is deserved.

use gpurf_hw::dialect::{Identity, Register};
use gpurf_verilog::tools::{run, Tool};
use gpurf_verilog::{emit, EmitError};
use rust_hdl::prelude::*;

/// Declares a module with these signals and this kernel, with `clock` and `reset`.
macro_rules! module {
    ($name:ident { $($field:ident : $type:ty = $value:expr),* $(,)? } $($kernel:tt)*) => {
        #[derive(LogicBlock)]
        struct $name {
            pub clock: Signal<In, Clock>,
            pub reset: Signal<In, Bit>,
            $($field: $type,)*
            identity: Identity,
        }

        impl Default for $name {
            fn default() -> Self {
                $name {
                    clock: Signal::default(),
                    reset: Signal::default(),
                    $($field: $value,)*
                    identity: Identity::new(stringify!($name), "A mistake", &[]),
                }
            }
        }

        impl Logic for $name {
            $($kernel)*
        }
    };
}

fn refusal(module: &dyn Block) -> EmitError {
    emit(module).expect_err("the module is refused")
}

fn names(module: &str, signal: &str) -> (String, String) {
    (module.to_string(), signal.to_string())
}

module!(Latch {
    enable: Signal<In, Bit> = Signal::default(),
    value: Signal<In, Bits<4>> = Signal::default(),
    held: Signal<Out, Bits<4>> = Signal::default(),
} #[hdl_gen] fn update(&mut self) {
    if self.enable.val() {
        self.held.next = self.value.val();
    }
});

#[test]
fn a_latch_is_refused() {
    let (module, signal) = names("Latch", "held");
    assert_eq!(refusal(&Latch::default()), EmitError::Latch { module, signal });
}

/// Without the refusal, the mistake would only show in hardware.
#[test]
fn the_latch_passes_rust_hdl_and_is_one_for_yosys() {
    let mut module = TopWrap::new(Latch::default());
    for input in [&mut module.uut.enable, &mut module.uut.reset] {
        input.connect();
    }
    module.uut.clock.connect();
    module.uut.value.connect();
    module.connect_all();
    let verilog = generate_verilog(&module);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("latch.v");
    std::fs::write(&file, verilog).unwrap();
    let script = format!("read_verilog {}; proc; select -assert-any t:$dlatch", file.display());
    run(Tool::Yosys.command().unwrap().args(["-q", "-p", &script])).expect("Yosys infers a latch");
}

module!(LatchedBit {
    value: Signal<In, Bit> = Signal::default(),
    part: Signal<Out, Bits<4>> = Signal::default(),
    index: Signal<In, Bits<2>> = Signal::default(),
} #[hdl_gen] fn update(&mut self) {
    if self.value.val() {
        self.part.next = 0.into();
    } else {
        self.part.next = self.part.val().replace_bit(self.index.val().index(), true);
    }
});

#[test]
fn bits_that_keep_their_value_are_a_latch() {
    let (module, signal) = names("LatchedBit", "part");
    assert_eq!(refusal(&LatchedBit::default()), EmitError::Latch { module, signal });
}

module!(GatedClock {
    enable: Signal<In, Bit> = Signal::default(),
    value: Signal<Out, Bit> = Signal::default(),
    toggle: Register<Bit> = Register::default(),
} #[hdl_gen] fn update(&mut self) {
    self.toggle.clock.next = false.into();
    if self.enable.val() {
        self.toggle.clock.next = self.clock.val();
    }
    self.toggle.reset.next = self.reset.val();
    self.toggle.enable.next = true;
    self.toggle.d.next = !self.toggle.q.val();
    self.value.next = self.toggle.q.val();
});

module!(InvertedClock {
    value: Signal<Out, Bit> = Signal::default(),
    toggle: Register<Bit> = Register::default(),
} #[hdl_gen] fn update(&mut self) {
    self.toggle.clock.next = !self.clock.val();
    self.toggle.reset.next = self.reset.val();
    self.toggle.enable.next = true;
    self.toggle.d.next = !self.toggle.q.val();
    self.value.next = self.toggle.q.val();
});

module!(RenamedClock {
    passed: Signal<Local, Clock> = Signal::default(),
    value: Signal<Out, Bit> = Signal::default(),
    toggle: Register<Bit> = Register::default(),
} #[hdl_gen] fn update(&mut self) {
    self.passed.next = self.clock.val();
    self.toggle.clock.next = self.passed.val();
    self.toggle.reset.next = self.reset.val();
    self.toggle.enable.next = true;
    self.toggle.d.next = !self.toggle.q.val();
    self.value.next = self.toggle.q.val();
});

#[test]
fn logic_in_the_clock_path_is_refused() {
    let clock_path = |module: &str, signal: &str| {
        let (module, signal) = names(module, signal);
        EmitError::ClockPath { module, signal }
    };
    assert_eq!(refusal(&GatedClock::default()), clock_path("GatedClock", "toggle_clock"));
    assert_eq!(refusal(&InvertedClock::default()), clock_path("InvertedClock", "toggle_clock"));
    assert_eq!(refusal(&RenamedClock::default()), clock_path("RenamedClock", "passed"));
}

module!(Undriven {
    value: Signal<Out, Bit> = Signal::default(),
    open: Signal<Local, Bit> = Signal::default(),
} #[hdl_gen] fn update(&mut self) {
    self.value.next = self.open.val();
});

module!(UndrivenChild {
    value: Signal<Out, Bit> = Signal::default(),
    toggle: Register<Bit> = Register::default(),
} #[hdl_gen] fn update(&mut self) {
    self.toggle.clock.next = self.clock.val();
    self.toggle.reset.next = self.reset.val();
    self.toggle.d.next = true;
    self.value.next = self.toggle.q.val();
});

#[test]
fn signals_that_nothing_drives_are_refused() {
    let (module, signal) = names("Undriven", "open");
    assert_eq!(refusal(&Undriven::default()), EmitError::Undriven { module, signal });
    let (module, signal) = names("UndrivenChild", "toggle_enable");
    assert_eq!(refusal(&UndrivenChild::default()), EmitError::Undriven { module, signal });
}

module!(Feedback {
    value: Signal<Out, Bits<4>> = Signal::default(),
} #[hdl_gen] fn update(&mut self) {
    self.value.next = self.value.val() + 1;
});

#[test]
fn a_signal_made_of_itself_is_refused() {
    let (module, signal) = names("Feedback", "value");
    assert_eq!(refusal(&Feedback::default()), EmitError::ReadBeforeAssignment { module, signal });
}

module!(ReadBack {
    value: Signal<In, Bit> = Signal::default(),
    held: Signal<Out, Bits<2>> = Signal::default(),
    register: Register<Bits<2>> = Register::default(),
} #[hdl_gen] fn update(&mut self) {
    self.register.clock.next = self.clock.val();
    self.register.reset.next = self.reset.val();
    self.register.enable.next = true;
    self.register.d.next = 0.into();
    if self.value.val() {
        self.register.d.next = self.register.d.val() + 1;
    }
    self.held.next = self.register.q.val();
});

#[test]
fn an_input_of_a_part_made_of_itself_is_refused() {
    let (module, signal) = names("ReadBack", "register_d");
    assert_eq!(refusal(&ReadBack::default()), EmitError::ReadBack { module, signal });
}

module!(Circle {
    select: Signal<In, Bit> = Signal::default(),
    one: Signal<Out, Bit> = Signal::default(),
    other: Signal<Out, Bit> = Signal::default(),
} #[hdl_gen] fn update(&mut self) {
    self.one.next = false;
    if self.select.val() {
        self.one.next = self.other.val();
    }
    self.other.next = true;
    if !self.select.val() {
        self.other.next = self.one.val();
    }
});

#[test]
fn blocks_in_a_circle_are_refused() {
    let EmitError::Loop { signals, .. } = refusal(&Circle::default()) else { panic!("it is a loop") };
    assert_eq!(signals, ["one", "other"]);
}

module!(Keyword {
    table: Signal<Out, Bit> = Signal::default(),
} #[hdl_gen] fn update(&mut self) {
    self.table.next = true;
});

#[test]
fn keywords_are_refused() {
    let (module, signal) = names("Keyword", "table");
    assert_eq!(refusal(&Keyword::default()), EmitError::Keyword { module, signal });
}

module!(Collision {
    x_d: Signal<Out, Bit> = Signal::default(),
    x: Register<Bit> = Register::default(),
} #[hdl_gen] fn update(&mut self) {
    self.x_d.next = true;
    self.x.enable.next = true;
    self.x.d.next = false;
});

#[test]
fn names_that_meet_are_refused() {
    let EmitError::Collision { name, first, second, .. } = refusal(&Collision::default()) else {
        panic!("the names meet")
    };
    assert_eq!((name.as_str(), first.as_str(), second.as_str()), ("x_d", "x_d", "x$d"));
}

module!(Number {
    value: Signal<Out, Bits<4>> = Signal::default(),
    number: Constant<Bits<4>> = Constant::new(1.into()),
} #[hdl_gen] fn update(&mut self) {
    self.value.next = self.number.val();
});

module!(Twins {
    value: Signal<Out, Bits<4>> = Signal::default(),
    one: Number = Number::default(),
    two: Number = Number { number: Constant::new(2.into()), ..Number::default() },
} #[hdl_gen] fn update(&mut self) {
    self.one.clock.next = self.clock.val();
    self.one.reset.next = self.reset.val();
    self.two.clock.next = self.clock.val();
    self.two.reset.next = self.reset.val();
    self.value.next = self.one.value.val() + self.two.value.val();
});

#[test]
fn one_name_for_two_modules_is_refused() {
    assert_eq!(refusal(&Twins::default()), EmitError::Ambiguous { module: "Number".to_string() });
}

#[test]
fn a_name_that_verilator_would_cut_is_refused() {
    let named = |length: usize| {
        let mut number = Number::default();
        number.identity = Identity::new("Number", "A mistake", &[("n".repeat(length - 8).leak(), 1)]);
        number
    };
    assert!(emit(&named(127)).is_ok());
    let name = format!("Number_{}1", "n".repeat(120));
    assert_eq!(refusal(&named(128)), EmitError::LongName { module: name });
}

#[derive(LogicBlock, Default)]
struct Nameless {
    pub value: Signal<Out, Bit>,
}

impl Logic for Nameless {
    #[hdl_gen]
    fn update(&mut self) {
        self.value.next = true;
    }
}

module!(Parent {
    child: Nameless = Nameless::default(),
    value: Signal<Out, Bit> = Signal::default(),
} #[hdl_gen] fn update(&mut self) {
    self.value.next = self.child.value.val();
});

#[test]
fn a_module_without_a_name_is_refused() {
    assert_eq!(refusal(&Parent::default()), EmitError::NoIdentity { path: "top.child".to_string() });
}

module!(DrivenInput {
    value: Signal<In, Bit> = Signal::default(),
} #[hdl_gen] fn update(&mut self) {
    self.value.next = true;
});

#[test]
fn an_input_is_not_driven_from_inside() {
    let (module, signal) = names("DrivenInput", "value");
    assert_eq!(refusal(&DrivenInput::default()), EmitError::NotAssignable { module, signal });
}

module!(CutSum {
    a: Signal<In, Bits<4>> = Signal::default(),
    value: Signal<Out, Bit> = Signal::default(),
} #[hdl_gen] fn update(&mut self) {
    self.value.next = (self.a.val() + 1).get_bit(2);
});

#[test]
fn what_verilog_cannot_express_is_refused_with_a_remedy() {
    let message = refusal(&CutSum::default()).to_string();
    assert!(message.contains("CutSum: value: bits cannot be taken of (a + 4'd1)"), "{message}");
    assert!(message.contains("assign it to a Local"), "{message}");
}

//! STHLD controller: W §7, F §IV-B3. Finds how long an allocation may wait for a collector.
//!
//! Execution is cut into intervals. At the end of each, the instructions issued in it are compared with
//! those of the interval before; equal intervals make this the comparison of IPCs. A relative difference
//! below 0.02 is small: `50 · |difference| < previous`, without a divider. By this and its state, a machine
//! of six states moves STHLD up or down until it rests at the knee of the curve of IPC over STHLD.
//!
//! * The papers' text does not give the transitions. The table is a parameter; the one that comes with the
//!   project is a reconstruction.
//! * After an interval without instructions a relative difference is not defined. Here two such intervals
//!   differ little, and any other from one differs much.
//! * F keeps one STHLD per GPU. Here it is one per SM, the GPU that is simulated.
//!
//! Timing: `sthld` and `state` change in the cycle after one with `interval_end` high. The first interval
//! starts with reset; STHLD starts at 0.

use gpurf_blocks::{Parameters, SthldTable, Transition, MAX_INTERVAL, STHLD_STATES};
use rust_hdl::prelude::*;

use crate::dialect::{rtl, Identity, Module, Register};

#[derive(LogicBlock, Module)]
pub struct SthldController {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Instructions issued in this cycle: 0 to 4, one per sub-core.
    pub issued: Signal<In, Bits<3>>,

    pub sthld: Signal<Out, Bits<5>>,
    /// 1 to 6, as the papers number them.
    pub state: Signal<Out, Bits<3>>,
    /// Event: the last cycle of an interval.
    pub interval_end: Signal<Out, Bit>,

    now: Signal<Local, Bits<16>>,
    difference: Signal<Local, Bits<16>>,
    /// The difference by the inverse threshold.
    product: Signal<Local, Bits<22>>,
    is_small: Signal<Local, Bit>,
    next_state: Signal<Local, Bits<3>>,
    /// Two's complement, like `moved`.
    step: Signal<Local, Bits<7>>,
    moved: Signal<Local, Bits<7>>,
    cycle: Register<Bits<14>>,
    instructions: Register<Bits<16>>,
    previous: Register<Bits<16>>,
    /// The state less one, so that it is reset to zero.
    stored_state: Register<Bits<3>>,
    stored_sthld: Register<Bits<5>>,
    last_cycle: Constant<Bits<14>>,
    /// Places of the ones in the inverse threshold.
    shifts: Vec<Constant<Bits<22>>>,
    maximum: Constant<Bits<7>>,
    numbers: Vec<Constant<Bits<3>>>,
    small_next: Vec<Constant<Bits<3>>>,
    small_step: Vec<Constant<Bits<7>>>,
    large_next: Vec<Constant<Bits<3>>>,
    large_step: Vec<Constant<Bits<7>>>,
    identity: Identity,
    _states: usize,
    _shifts: usize,
}

impl SthldController {
    /// `interval`: cycles, up to [`MAX_INTERVAL`].
    pub fn new(parameters: &Parameters) -> Self {
        let Parameters { interval, sthld_table, .. } = *parameters;
        assert!((1..=MAX_INTERVAL).contains(&interval), "an interval of {interval} cycles is out of range");
        let SthldTable { reconstruction, maximum, inverse_threshold, state } = sthld_table;
        let next = |edge: &Transition| Constant::new((edge.next as u64 - 1).into());
        let step = |edge: &Transition| Constant::new((edge.step as u64 & 0x7f).into());
        let ones = (0..6u64).filter(|place| inverse_threshold >> place & 1 == 1);
        let shifts: Vec<_> = ones.map(|place| Constant::new(place.into())).collect();
        SthldController {
            clock: Signal::default(),
            reset: Signal::default(),
            issued: Signal::default(),
            sthld: Signal::default(),
            state: Signal::default(),
            interval_end: Signal::default(),
            now: Signal::default(),
            difference: Signal::default(),
            product: Signal::default(),
            is_small: Signal::default(),
            next_state: Signal::default(),
            step: Signal::default(),
            moved: Signal::default(),
            cycle: Register::default(),
            instructions: Register::default(),
            previous: Register::default(),
            stored_state: Register::default(),
            stored_sthld: Register::default(),
            last_cycle: Constant::new((interval as u64 - 1).into()),
            _shifts: shifts.len(),
            shifts,
            maximum: Constant::new((maximum as u64).into()),
            numbers: (0..STHLD_STATES as u64).map(|number| Constant::new(number.into())).collect(),
            small_next: state.iter().map(|edges| next(&edges.small)).collect(),
            small_step: state.iter().map(|edges| step(&edges.small)).collect(),
            large_next: state.iter().map(|edges| next(&edges.large)).collect(),
            large_step: state.iter().map(|edges| step(&edges.large)).collect(),
            identity: Identity::new(
                "sthld_controller",
                match reconstruction {
                    0 => "STHLD controller (W 7, F IV-B3)",
                    _ => "STHLD controller (W 7, F IV-B3), its transitions this project's reconstruction",
                },
                &[("interval", interval), ("reconstruction", reconstruction)],
            ),
            _states: STHLD_STATES,
        }
    }
}

impl Logic for SthldController {
    #[rtl]
    fn update(&mut self) {
        // Instructions of the interval so far.
        self.interval_end.next = self.cycle.q.val() == self.last_cycle.val();
        self.now.next = self.instructions.q.val() + bit_cast::<16, 3>(self.issued.val());
        self.cycle.clock.next = self.clock.val();
        self.cycle.reset.next = self.reset.val();
        self.cycle.enable.next = true;
        self.cycle.d.next = self.cycle.q.val() + 1;
        self.instructions.clock.next = self.clock.val();
        self.instructions.reset.next = self.reset.val();
        self.instructions.enable.next = true;
        self.instructions.d.next = self.now.val();
        if self.interval_end.val() {
            self.cycle.d.next = 0.into();
            self.instructions.d.next = 0.into();
        }
        self.previous.clock.next = self.clock.val();
        self.previous.reset.next = self.reset.val();
        self.previous.enable.next = self.interval_end.val();
        self.previous.d.next = self.now.val();

        // How much it changed.
        self.difference.next = self.previous.q.val() - self.now.val();
        if self.now.val() > self.previous.q.val() {
            self.difference.next = self.now.val() - self.previous.q.val();
        }
        self.product.next = 0.into();
        for k in 0..self._shifts {
            self.product.next =
                self.product.val() + (bit_cast::<22, 16>(self.difference.val()) << self.shifts[k].val());
        }
        self.is_small.next = (self.product.val() < bit_cast::<22, 16>(self.previous.q.val()))
            | (self.now.val() == self.previous.q.val());

        // The transition, and STHLD within its bounds.
        self.next_state.next = 0.into();
        self.step.next = 0.into();
        for s in 0..self._states {
            if self.stored_state.q.val() == self.numbers[s].val() {
                if self.is_small.val() {
                    self.next_state.next = self.small_next[s].val();
                    self.step.next = self.small_step[s].val();
                } else {
                    self.next_state.next = self.large_next[s].val();
                    self.step.next = self.large_step[s].val();
                }
            }
        }
        self.stored_state.clock.next = self.clock.val();
        self.stored_state.reset.next = self.reset.val();
        self.stored_state.enable.next = self.interval_end.val();
        self.stored_state.d.next = self.next_state.val();
        self.moved.next = bit_cast::<7, 5>(self.stored_sthld.q.val()) + self.step.val();
        self.stored_sthld.clock.next = self.clock.val();
        self.stored_sthld.reset.next = self.reset.val();
        self.stored_sthld.enable.next = self.interval_end.val();
        self.stored_sthld.d.next = bit_cast::<5, 7>(self.moved.val());
        if self.moved.val() > self.maximum.val() {
            self.stored_sthld.d.next = bit_cast::<5, 7>(self.maximum.val());
        }
        if self.moved.val().get_bit(6) {
            self.stored_sthld.d.next = 0.into();
        }

        self.sthld.next = self.stored_sthld.q.val();
        self.state.next = self.stored_state.q.val() + 1;
    }
}

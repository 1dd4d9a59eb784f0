// SPDX-License-Identifier: Apache-2.0
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

use gpurf_blocks::STHLD_STATES;
use rust_hdl::prelude::*;

use crate::dialect::{block, rtl, Register};
use crate::{monitor, watch};

#[block(
    title = "STHLD controller, its transitions this project's reconstruction unless replaced",
    paper = "W §7, F §IV-B3",
    parameters(interval, sthld_table),
    sizes(shifts = ones(parameters.sthld_table.inverse_threshold).len())
)]
pub struct SthldController {
    /// Instructions issued in this cycle: 0 to 4, one per sub-core.
    pub issued: In<Bits<3>>,

    /// The threshold, in cycles.
    pub sthld: Out<Register<Bits<5>>>,
    /// State of the controller: 1 to 6, as the papers number them.
    pub state: Out<Bits<3>>,
    /// Event: the last cycle of an interval.
    pub interval_end: Out<Bit>,

    now: Local<Bits<16>>,
    /// The difference by the inverse threshold.
    product: Local<Bits<22>>,
    is_small: Local<Bit>,
    next_state: Local<Bits<3>>,
    /// Two's complement, like `moved`.
    step: Local<Bits<7>>,
    cycle: Register<Bits<14>>,
    instructions: Register<Bits<16>>,
    previous: Register<Bits<16>>,
    /// The state less one, so that it is reset to zero.
    stored_state: Register<Bits<3>>,
    #[value(interval - 1)]
    last_cycle: Constant<Bits<14>>,
    /// Places of the ones in the inverse threshold.
    #[value(|shift| ones(sthld_table.inverse_threshold)[shift])]
    shifts: Constant<[Bits<22>; shifts]>,
    #[value(sthld_table.maximum)]
    maximum: Constant<Bits<7>>,
    #[value(|state| sthld_table.state[state].small.next as u64 - 1)]
    small_next: Constant<[Bits<3>; STHLD_STATES]>,
    #[value(|state| sthld_table.state[state].small.step as u64 & 0x7f)]
    small_step: Constant<[Bits<7>; STHLD_STATES]>,
    #[value(|state| sthld_table.state[state].large.next as u64 - 1)]
    large_next: Constant<[Bits<3>; STHLD_STATES]>,
    #[value(|state| sthld_table.state[state].large.step as u64 & 0x7f)]
    large_step: Constant<[Bits<7>; STHLD_STATES]>,
}

/// Places of the ones in a number of six bits: what a product with it adds up.
fn ones(number: u32) -> Vec<u64> {
    (0..6).filter(|place| number >> place & 1 == 1).collect()
}

watch!(SthldController: [
    "interval(state = state, sthld = sthld) if interval_end: \
        interval of {now} instructions after {previous}, state {state} and STHLD {sthld}",
    "fault if stored_state > 5: there is no such state",
]);

monitor!(SthldController: "sthld_controller_monitor.v");

#[rtl]
impl SthldController {
    /// Instructions of the interval so far.
    fn instructions() {
        interval_end = cycle == last_cycle;
        now = instructions + bit_cast::<16, 3>(issued);
        cycle += 1;
        instructions = now;
        if interval_end {
            cycle = 0;
            instructions = 0;
            previous = now;
        }
    }

    /// How much it changed.
    fn change() {
        let difference: Bits<16> = if now > previous { now - previous } else { previous - now };
        product = 0;
        for k in 0..shifts {
            product += (bit_cast::<22, 16>(difference) << shifts[k]);
        }
        is_small = (product < bit_cast::<22, 16>(previous)) | (now == previous);
    }

    /// The transition, and STHLD within its bounds.
    fn transition() {
        next_state = 0;
        step = 0;
        for s in 0..STHLD_STATES {
            if stored_state == s {
                if is_small {
                    next_state = small_next[s];
                    step = small_step[s];
                } else {
                    next_state = large_next[s];
                    step = large_step[s];
                }
            }
        }
        let moved: Bits<7> = bit_cast::<7, 5>(sthld) + step;
        if interval_end {
            stored_state = next_state;
            sthld = bit_cast::<5, 7>(moved);
        }
        if moved > maximum {
            sthld.d = bit_cast::<5, 7>(maximum);
        }
        if moved.get_bit(6) {
            sthld.d = 0;
        }

        state = stored_state + 1;
    }
}

// SPDX-License-Identifier: Apache-2.0
//! STHLD controller: W §7, F §IV-B3.
//!
//! It finds the threshold STHLD: how many cycles a warp may wait rather than take a collector that holds near
//! values ([collector_allocator](collector_allocator.md)). The higher it is, the more values are reused,
//! until the stalls cost performance. The controller looks for the knee of that curve. Its table of
//! transitions is [`blocks/config/sthld.toml`](../blocks/config/sthld.toml).
//!
//! - Execution is cut into intervals of 10,000 cycles. At the end of each, the instructions issued in it are
//!   compared with those of the interval before.
//! - A relative difference below 0.02 is small, any other is large: `50 · |difference| < previous`, with
//!   shifts and two additions instead of a divider.
//! - By this and its state, a machine of six states adds to STHLD or subtracts from it, and goes on to the
//!   next state.
//!
//! # Timing
//!
//! `sthld` and `state` change in the cycle after one with `interval_end` high. The first interval starts with
//! reset. With intervals of 2 cycles:
//!
//! ```text
//! cycle          0   1   2   3   4   5   6
//! issued         4   4   4   4   2   2   2
//! interval_end   0   1   0   1   0   1   0
//! state          1   1   2   2   2   2   3      (8 and 8 instructions: small; then 4: large)
//! sthld          0   0   2   2   4   4   6
//! ```
//!
//! # Decisions
//!
//! - **One STHLD for all.** F keeps it per GPU. The four sub-cores of an SM share it. With several SMs
//!   (`sms=N`) all of them do, by the instructions of all of them ([the SM](sm.md)).
//! - **Instructions instead of IPC.** Equal intervals make a division unnecessary.
//! - **Zero.** After an interval without instructions a relative difference is not defined. Two of them
//!   differ little here, so an idle SM keeps climbing or resting; waking up is a large change.
//! - **Saturation** at 0 and at 31. The papers give no maximum.
//! - STHLD starts at 0, "do not wait".
//!
//! # Storage
//!
//! 54 bits: cycles 14, instructions 16, those of the last interval 16, state 3, STHLD 5. W §9.4 and F §VI-D
//! count "only one extra register", the 16 bits of the last interval, since a performance counter is there
//! already.

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
    pub sthld: Out<Bits<5>>,
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
    stored_sthld: Register<Bits<5>>,
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
    "misuse if issued > 4: {issued} instructions are issued in a cycle",
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
        let moved: Bits<7> = bit_cast::<7, 5>(stored_sthld) + step;
        if interval_end {
            stored_state = next_state;
            stored_sthld = bit_cast::<5, 7>(moved);
        }
        if moved > maximum {
            stored_sthld.d = bit_cast::<5, 7>(maximum);
        }
        if moved.get_bit(6) {
            stored_sthld.d = 0;
        }

        sthld = stored_sthld;
        state = stored_state + 1;
    }
}

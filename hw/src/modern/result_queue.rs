// SPDX-License-Identifier: Apache-2.0
//! Result queue of a bank: H §5.3. Results of fixed latency wait here for the bank's write port.
//!
//! Several results of fixed latency may reach a bank in one cycle, of units that take different times. No
//! instruction waits: the results queue, and one a cycle is written. A result of variable latency is written
//! when none of these is; else it waits a cycle. A place is reserved when an instruction issues, so the queue
//! never overflows.
//!
//! Readers of a register find its newest value here, for as long as the bank might not show it. That is also
//! so in the cycle after its write, when the bank was read beside it. So the consumer of a result need not
//! wait for the write.
//!
//! A result is written in the cycle in which it comes, if no other is before it. `write`, `found` and `room`
//! answer in the same cycle; what comes in a cycle is found from the next on.

use rust_hdl::prelude::*;

use crate::bundles::Arrival;
use crate::dialect::{block, rtl, Register};
use crate::watch;

/// `W`: data width in bits.
#[block(
    title = "Result queue of a bank",
    paper = "H §5.3",
    parameters(width, read_ports, result_ports, result_depth),
    sizes(places = result_depth + 1, turns = result_ports + 1)
)]
pub struct ResultQueue<const W: usize> {
    /// An instruction issues whose result will come here.
    pub reserve: In<Bit>,
    /// Results of fixed latency.
    pub result: [Arrival<In>; result_ports],
    /// Their values.
    pub result_data: In<[Bits<W>; result_ports]>,
    /// A result of variable latency; it stands until it is taken.
    pub load: Arrival<In>,
    /// Its value.
    pub load_data: In<Bits<W>>,
    /// A register whose value the bank shows: its warp.
    pub look_up_warp: In<[Bits<4>; read_ports]>,
    /// Register whose value the bank shows.
    pub look_up_register: In<[Bits<8>; read_ports]>,

    /// There is a place to reserve.
    pub room: Out<Bit>,
    /// The bank writes a row.
    pub write: Out<Bit>,
    /// Row that the bank writes; zero without a write.
    pub row: Out<Bits<8>>,
    /// The value.
    pub write_data: Out<Bits<W>>,
    /// It is that of the result of variable latency.
    pub load_taken: Out<Bit>,
    /// There is a newer value than the bank shows.
    pub found: Out<[Bit; read_ports]>,
    /// Newer value than the bank shows; zero if there is none.
    pub found_data: Out<[Bits<W>; read_ports]>,

    written_register: Local<Bits<8>>,
    written_base: Local<Bits<8>>,
    /// The place is full as the queue has moved on, and before each result and behind the last.
    full: Local<[[Bit; places]; turns]>,
    takes: Local<[[Bit; places]; result_ports]>,
    changes: Local<[Bit; places]>,
    next_warp: Local<[Bits<4>; places]>,
    next_register: Local<[Bits<8>; places]>,
    next_base: Local<[Bits<8>; places]>,
    next_data: Local<[Bits<W>; places]>,
    /// Place 0 is what was written in the last cycle; the others are the queue, the oldest first.
    valid: Register<[Bit; places]>,
    warp: Register<[Bits<4>; places]>,
    register: Register<[Bits<8>; places]>,
    base: Register<[Bits<8>; places]>,
    data: Register<[Bits<W>; places]>,
    reserved: Register<Bits<5>>,
    #[value(result_depth)]
    depth: Constant<Bits<5>>,
}

watch!(ResultQueue<W>: [
    "written(register = register[0], warp = warp[0]) if valid[0]: R{register[0]} of warp {warp[0]} is written",
    "load(register = load_register, warp = load_warp) if load_taken: write R{load_register} of warp {load_warp}",
    "wait(register = load_register, warp = load_warp) if load_valid && !load_taken: R{load_register} of warp {load_warp} waits",
    "valid result_warp result_register result_base result_data if result_valid[i]",
    "misuse if reserve && !room: a place is reserved, and there is none",
    "misuse for a in result_valid for b in result_valid if a < b && result_valid[a] && result_valid[b] && \
        result_warp[a] == result_warp[b] && result_register[a] == result_register[b]: two results of \
        R{result_register[a]} at once",
    "misuse for p in changes if changes[p] && reserved <= p: a result comes without a place",
    "fault for p in valid if p > 0 && valid[p] && !valid[p - 1]: there is a gap before place {p}",
    "fault for m in result_valid if load_taken && result_valid[m]: two results are written at once",
    "fault if load_taken && !load_valid: a load is taken, and there is none",
    "fault if !write && row != 0: a row without a write",
    "fault if reserved > #valid - 1: more places are reserved than there are",
]);

#[rtl]
impl<const W: usize> ResultQueue<W> {
    /// Each result that comes takes the first empty place. The queue moves on in every cycle.
    fn place() {
        for p in 0..places - 1 {
            full[0][p] = valid[p + 1];
        }
        for p in places - 1..places {
            full[0][p] = false;
        }
        for m in 0..result_ports {
            for p in 0..1 {
                takes[m][p] = result[m].valid & !full[m][p];
            }
            for p in 1..places {
                takes[m][p] = (result[m].valid & !full[m][p]) & full[m][p - 1];
            }
            for p in 0..places {
                full[m + 1][p] = full[m][p] | takes[m][p];
            }
        }
    }

    /// Moves results on by a place; the one that enters place 0 is written.
    fn advance() {
        for p in 0..places {
            changes[p] = full[0][p];
            next_warp[p] = 0;
            next_register[p] = 0;
            next_base[p] = 0;
            next_data[p] = 0;
        }
        for p in 0..places - 1 {
            if full[0][p] {
                next_warp[p] = warp[p + 1];
                next_register[p] = register[p + 1];
                next_base[p] = base[p + 1];
                next_data[p] = data[p + 1];
            }
        }
        for p in 0..places {
            for m in 0..result_ports {
                if takes[m][p] {
                    changes[p] = true;
                    next_warp[p] = result[m].warp;
                    next_register[p] = result[m].register;
                    next_base[p] = result[m].base;
                    next_data[p] = result_data[m];
                }
            }
            valid[p] = changes[p];
            if changes[p] {
                warp[p] = next_warp[p];
                register[p] = next_register[p];
                base[p] = next_base[p];
                data[p] = next_data[p];
            }
        }
    }

    fn write() {
        /// A result of fixed latency is written.
        let writes: Bit = changes[0];
        load_taken = load.valid & !writes;
        write = writes | load.valid;
        written_register = load.register;
        written_base = load.base;
        write_data = load_data;
        if writes {
            written_register = next_register[0];
            written_base = next_base[0];
            write_data = next_data[0];
        }
        let half: Bits<8> = written_register >> 1;
        let sum: Bits<8> = written_base + half;
        row = 0;
        if writes | load.valid {
            row = sum;
        }

        room = reserved < depth;
        if reserve ^ writes {
            reserved = if writes { reserved - 1 } else { reserved + 1 };
        }
    }

    /// The newest value of each register that is looked up.
    fn look_up() {
        for r in 0..read_ports {
            found[r] = false;
            found_data[r] = 0;
            for p in 0..places {
                if valid[p] & ((warp[p] == look_up_warp[r]) & (register[p] == look_up_register[r])) {
                    found[r] = true;
                    found_data[r] = data[p];
                }
            }
        }
    }
}

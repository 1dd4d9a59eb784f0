//! Result queue of a bank: H §5.3. Results of fixed latency wait here for the bank's write port.
//!
//! Several results of fixed latency may reach a bank in one cycle, of units that take different times. No instruction waits:
//! the results queue, and one a cycle is written. A result of variable latency is written when none of these is; else it waits a
//! cycle. A place is reserved when an instruction issues, so that the queue never overflows.
//!
//! Whoever reads a register finds its newest value here, for as long as the bank might not show it: also in the cycle after
//! its write, when what the bank shows was read beside it. So the consumer of a result need not wait for the write.
//!
//! Timing: a result that comes in a cycle is in the queue in the next, and is written then, if it is the first. `write`,
//! `found` and `room` answer in the same cycle.

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
    /// That register.
    pub look_up_register: In<[Bits<8>; read_ports]>,

    /// There is a place to reserve.
    pub room: Out<Bit>,
    /// The bank writes a row.
    pub write: Out<Bit>,
    /// That row; zero without a write.
    pub row: Out<Bits<8>>,
    /// The value.
    pub write_data: Out<Bits<W>>,
    /// It is that of the result of variable latency.
    pub load_taken: Out<Bit>,
    /// There is a newer value than the bank shows.
    pub found: Out<[Bit; read_ports]>,
    /// That value; zero if there is none.
    pub found_data: Out<[Bits<W>; read_ports]>,

    written_register: Local<Bits<8>>,
    written_base: Local<Bits<8>>,
    half: Local<Bits<8>>,
    /// The place is full as the queue has moved on, and before each result and behind the last.
    full: Local<[[Bit; places]; turns]>,
    takes: Local<[[Bit; places]; result_ports]>,
    changes: Local<[Bit; places]>,
    /// Place 0 is what was written last; the others are the queue, the oldest first.
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
    "write(register = register[1], warp = warp[1]) if valid[1]: write R{register[1]} of warp {warp[1]}",
    "load(register = load_register, warp = load_warp) if load_taken: write R{load_register} of warp {load_warp}",
    "wait(register = load_register, warp = load_warp) if load_valid && !load_taken: R{load_register} of warp {load_warp} waits",
    "valid result_warp result_register result_base result_data if result_valid[i]",
    "misuse if reserve && !room: a place is reserved, and there is none",
    "misuse for a in result_valid for b in result_valid if a < b && result_valid[a] && result_valid[b] && \
        result_warp[a] == result_warp[b] && result_register[a] == result_register[b]: two results of \
        R{result_register[a]} at once",
    "misuse for m in result_valid if result_valid[m] && reserved == 0: a result comes without a place",
    "fault for p in valid if p > 1 && valid[p] && !valid[p - 1]: there is a gap before place {p}",
    "fault if load_taken && valid[1]: two results are written at once",
    "fault if reserved > #valid - 1: more places are reserved than there are",
]);

#[rtl]
impl<const W: usize> ResultQueue<W> {
    fn write() {
        write = valid[1] | load.valid;
        load_taken = load.valid & !valid[1];
        written_register = 0;
        written_base = 0;
        write_data = load_data;
        if load.valid {
            written_register = load.register;
            written_base = load.base;
        }
        if valid[1] {
            written_register = register[1];
            written_base = base[1];
            write_data = data[1];
        }
        half = written_register >> 1;
        row = written_base + half;

        room = reserved < depth;
        reserved.load(reserve ^ valid[1], reserved + 1);
        if valid[1] {
            reserved.d = reserved - 1;
        }
    }

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
                takes[m][p] = false;
            }
            for p in 1..2 {
                takes[m][p] = result[m].valid & !full[m][p];
            }
            for p in 2..places {
                takes[m][p] = (result[m].valid & !full[m][p]) & full[m][p - 1];
            }
            for p in 0..places {
                full[m + 1][p] = full[m][p] | takes[m][p];
            }
        }
    }

    fn advance() {
        for p in 0..places {
            changes[p] = full[0][p];
            warp[p].d = 0;
            register[p].d = 0;
            base[p].d = 0;
            data[p].d = 0;
        }
        for p in 0..places - 1 {
            if full[0][p] {
                warp[p].d = warp[p + 1];
                register[p].d = register[p + 1];
                base[p].d = base[p + 1];
                data[p].d = data[p + 1];
            }
        }
        for p in 0..places {
            for m in 0..result_ports {
                if takes[m][p] {
                    changes[p] = true;
                    warp[p].d = result[m].warp;
                    register[p].d = result[m].register;
                    base[p].d = result[m].base;
                    data[p].d = result_data[m];
                }
            }
            valid[p].load(true, changes[p]);
            warp[p].enable = changes[p];
            register[p].enable = changes[p];
            base[p].enable = changes[p];
            data[p].enable = changes[p];
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

// SPDX-License-Identifier: Apache-2.0
//! Register-file side of one sub-core that ships: H §4, §5.1, §5.3 and §5.4. No scoreboard and no collectors.
//!
//! Outside stand the instruction buffers, the constant cache, the execution units, and whoever says that a
//! dependence counter goes down. Inside, an instruction goes through issue, Control, Allocate and the read
//! window to its unit. One of variable latency waits in a queue behind Control instead. A sub-core has two
//! banks, and register r lives in bank r mod 2. Source 2 o + b is the register of operand o that lives in
//! bank b. An operand of 64 bits has a register in each bank.
//!
//! # Timing
//!
//! An instruction issues in cycle t and meets no conflict:
//!
//! | cycle | what happens |
//! |---|---|
//! | t | issue: its stall count is set, and the places of its results are reserved |
//! | t + 1 | Control: its dependence counters go up |
//! | t + 2 | Allocate: its sources are looked up in the reuse cache, and its reads get their cycles |
//! | t + 2 | an instruction of variable latency: it is at the head of its queue instead |
//! | t + 3 | the first of `read_window` cycles of reads |
//! | d = t + 3 + `read_window` | its operands leave, also if it has none |
//! | d + L | its result comes from a unit with latency L, and is written if its bank has no other |
//! | d + L | operands of its pipe that leave in this cycle have the result |
//! | d + L + 1 | operands of any pipe have it |
//!
//! Three instructions, the second without a free cycle (`held`; IADD3 reads R10, R5 and R7, FFMA reads R10,
//! R6 and R8):
//!
//! ```text
//! cycle          0      1      2      3      4      5      6      7      8
//! IADD3          issue  Ctrl   Alloc  read   read   read   leave
//! FFMA                  issue  Ctrl   Alloc  Alloc  Alloc  read   read   read
//! next                         issue  Ctrl   Ctrl   Ctrl   Alloc
//! held           0      0      0      1      1      0      0      0      0
//! ```
//!
//! While one waits in Allocate, Control, issue and the stall counters stand. Bubbles come in front of an
//! instruction, and never behind it.
//!
//! # Decisions
//!
//! - **Control and Allocate have no latches of their own.** They are a register each, with one enable. An
//!   instruction of variable latency has reserved its place in its queue when it issued, so nothing waits in
//!   Control alone.
//! - **Values wait by port, not by instruction.** A port reads one value a cycle, and a value waits for the
//!   cycles that are left of its window: two registers of 1,024 bits a port.
//! - **Variable latency reads in the same window**, when no instruction of fixed latency is in Allocate. It
//!   takes the cycles that it reads, and holds no bank under either rule. The queue of memory goes before
//!   that of the other units. H §5.4 gives such reads the lower priority, and does not say at which port. In
//!   the window they need neither port nor latch of their own. They find a result of fixed latency that
//!   issued five cycles before them, as H Listing 3 has it.
//! - **A register that several operands name is read once** for all of them that miss the reuse cache.
//! - **A second read port is a copy of the bank.** A memory here has one port that reads and one that writes.
//! - **More registers than six** enter as instructions of their own, one behind the other, as the
//!   [rounds](operand_stage.md#rounds) of collectors do.
//! - **Counters that go down** come in from the outside: the units know when a load has read its sources, and
//!   when it is written.

use gpurf_blocks::{DECREMENTS, OPERANDS, READS, READ_BANKS, VARIABLE_QUEUES};
use rust_hdl::prelude::*;

use super::{
    CggtyScheduler, DependenceCounters, ReadAllocator, ReadWindow, ResultQueue, ReuseCache, StallCounters,
    VariableQueue,
};
use crate::bundles::{Arrival, ControlField, Decrement, Flight, Limit, Operation, Route};
use crate::dialect::{block, rtl, Held, Register};
use crate::register_file::Bank;
use crate::watch;

/// `W`: data width in bits.
#[block(
    title = "Sub-core that ships",
    paper = "H §4, 5.1, 5.3, 5.4",
    parameters(
        width,
        rows,
        warps,
        long_stall,
        collapsed,
        constant_wait,
        read_rule,
        read_window,
        read_ports,
        reuse_cache,
        variable_depth,
        result_ports,
        result_depth
    ),
    fixed(collectors = 1, accesses = 2, transfer_ports = 0),
    sizes(
        ports = READ_BANKS * read_ports,
        results = READ_BANKS * result_ports,
        stages = read_window + 1,
        moves = read_window
    )
)]
pub struct ModernSubCore<const W: usize> {
    /// The warp has a next instruction.
    pub head_valid: In<[Bit; warps]>,
    /// Next instruction of the warp.
    pub head: [Operation<In>; warps],
    /// Its way.
    #[prefix(head)]
    pub head_route: [Route<In>; warps],
    /// Control fields that the compiler has given it.
    #[prefix(head)]
    pub head_control: [ControlField<In>; warps],
    /// Limit that it makes its warp wait for.
    pub head_limit: [Limit<In>; warps],
    /// First row of the warp's registers in every bank.
    pub head_base: In<[Bits<8>; warps]>,
    /// The constant that it names is not there.
    pub head_misses: In<[Bit; warps]>,
    /// A new warp starts here; it has no instruction yet.
    pub launch: In<[Bit; warps]>,
    /// Bit u: execution unit u, of fixed latency, takes an instruction this cycle.
    pub unit_ready: In<Bits<8>>,
    /// A unit of variable latency has taken on an instruction of this queue.
    pub give_back: In<[Bit; VARIABLE_QUEUES]>,
    /// Dependence counters that go down.
    pub decrement: [Decrement<In>; DECREMENTS],
    /// Results of fixed latency: 2 m + b is one of bank b. Each comes that an instruction has said it writes.
    pub result: [Arrival<In>; results],
    /// Their values.
    pub result_data: In<[Bits<W>; results]>,
    /// Results of variable latency, one for each bank; each stands until it is taken.
    pub load: [Arrival<In>; READ_BANKS],
    /// Their values.
    pub load_data: In<[Bits<W>; READ_BANKS]>,

    /// An instruction issues.
    pub issued: Out<Bit>,
    /// Its warp; 0 if none does.
    pub issued_warp: Out<Bits<4>>,
    /// Event: the selected warp waits for a constant.
    pub constant_waits: Out<Bit>,
    /// An instruction leaves Control, where the clock is read.
    pub controlled: Out<Bit>,
    /// Warp of the one there; zero without one.
    pub controlled_warp: Out<Bits<4>>,
    /// Its payload; zero without one.
    pub controlled_payload: Out<Bits<32>>,
    /// Event: reads do not fit, and all in front stands; so does the time of units that are busy.
    pub held: Out<Bit>,
    /// Event: a warp with an instruction has waited as long as its stall count says, and nothing stands.
    pub unstalled: Out<Bit>,
    /// Event: such a warp waits for no dependence counter either.
    pub counted: Out<Bit>,
    /// Operands of an instruction leave.
    pub dispatch: Out<Bit>,
    /// Its warp; the fields are zero if none leaves.
    pub dispatch_warp: Out<Bits<4>>,
    /// Its unit.
    pub dispatch_unit: Out<Bits<3>>,
    /// Its payload.
    pub dispatch_payload: Out<Bits<32>>,
    /// Bit q: it came through queue q.
    pub dispatch_queue: Out<Bits<2>>,
    /// It has this source.
    pub operand_valid: Out<[Bit; READS]>,
    /// Its value; zero without one.
    pub operand_data: Out<[Bits<W>; READS]>,
    /// The result of variable latency is written.
    pub load_taken: Out<[Bit; READ_BANKS]>,
    /// Event: this source of the instruction that goes to its reads is in the reuse cache.
    pub reuse_hit: Out<[Bit; READS]>,
    /// Event: port r of bank b reads, at 2 r + b.
    pub bank_read: Out<[Bit; ports]>,
    /// Event: the bank writes.
    pub bank_write: Out<[Bit; READ_BANKS]>,

    stall_counters: StallCounters,
    dependence_counters: DependenceCounters,
    scheduler: CggtyScheduler,
    allocator: ReadAllocator,
    cache: ReuseCache<W>,
    queues: [VariableQueue; VARIABLE_QUEUES],
    results: [ResultQueue<W>; READ_BANKS],
    /// Window of port r of bank b, at 2 r + b. A second port is a copy of the bank.
    windows: [ReadWindow<W>; ports],
    banks: [Bank<W, 1>; ports],

    open: Local<Bit>,
    stands: Local<Bit>,
    room: Local<[Bit; warps]>,
    leaves: Local<Bit>,
    /// The queue whose head may read.
    turn: Local<Bits<2>>,
    /// The instruction at the head of that queue.
    variable: Operation<Local>,
    variable_warp: Local<Bits<4>>,
    variable_base: Local<Bits<8>>,
    /// Sources of fixed latency that must be read.
    missing: Local<[Bit; READS]>,
    /// The register of operand 1 is that of operand 0, that of 2 is that of 0, and that of 2 is that of 1.
    repeats: Local<[[Bit; READ_BANKS]; OPERANDS]>,
    /// Registers of the instruction that goes to its reads.
    going: Local<[Bits<8>; READS]>,
    going_base: Local<Bits<8>>,
    flight: Flight<Local>,
    at_port: Local<[[Bits<5>; OPERANDS]; ports]>,
    leave_at_port: Local<[[Bits<5>; OPERANDS]; ports]>,
    values: Local<[Bits<W>; READS]>,

    control_valid: Register<Bit>,
    control: Operation<Held>,
    control_queue: Register<Bits<2>>,
    control_tensor: Register<Bit>,
    control_reuse: Register<Bits<4>>,
    write_counter: Register<Bits<3>>,
    read_counter: Register<Bits<3>>,
    control_limit: Limit<Held>,
    control_warp: Register<Bits<4>>,
    control_base: Register<Bits<8>>,
    allocate_valid: Register<Bit>,
    allocate: Operation<Held>,
    allocate_tensor: Register<Bit>,
    allocate_reuse: Register<Bits<4>>,
    allocate_warp: Register<Bits<4>>,
    allocate_base: Register<Bits<8>>,
    /// Instructions in their windows: the one at 0 leaves.
    flight_valid: Register<[Bit; stages]>,
    flights: [Flight<Held>; stages],
}

watch!(ModernSubCore<W>: [
    "issue(warp = issued_warp) if issued: warp {issued_warp} issues",
    "hold(warp = allocate_warp) if held: reads of warp {allocate_warp} do not fit",
    "dispatch(warp = dispatch_warp) if dispatch: operands of warp {dispatch_warp} leave",
    "valid head_source_register if head_source_valid[i]",
    "valid operand_data if operand_valid[i]",
    "misuse for w in launch if launch[w] && head_valid[w]: warp {w} begins, and has an instruction",
    "fault if issued && held: an instruction issues into a pipeline that stands",
    "fault if !dispatch && dispatch_payload != 0: fields without an instruction",
]);

#[rtl]
impl<const W: usize> ModernSubCore<W> {
    /// Who may issue, and who does.
    fn issue() {
        stands = allocate_valid & !allocator.go;
        open = !stands;
        held = stands;
        unstalled = false;
        counted = false;
        for w in 0..warps {
            dependence_counters.wait_mask[w] = head_control[w].wait_mask;
            let unit_free: Bit = if head_route[w].queue.any() {
                (queues[0].room | !head_route[w].queue.get_bit(0))
                    & (queues[1].room | !head_route[w].queue.get_bit(1))
            } else {
                unit_ready.get_bit(head[w].unit)
            };
            room[w] =
                (results[0].room | !head_route[w].writes[0]) & (results[1].room | !head_route[w].writes[1]);
            scheduler.eligible[w] = (head_valid[w] & (unit_free & room[w]))
                & (stall_counters.free[w] & dependence_counters.free[w]);
            scheduler.misses[w] = head_misses[w];
            if open & (head_valid[w] & stall_counters.free[w]) {
                unstalled = true;
                if dependence_counters.free[w] {
                    counted = true;
                }
            }
        }
        connect!(scheduler {
            launch, open,
        } -> issue as issued, warp as issued_warp, waits as constant_waits);
    }

    /// The instruction that issues: it sets and reserves.
    fn reserve() {
        connect!(stall_counters {
            launch,
            hold: stands,
            issued: scheduler.issue,
            warp: scheduler.warp,
            stall: 0,
            yields: false,
        });
        for q in 0..VARIABLE_QUEUES {
            queues[q].reserve = false;
            queues[q].give_back = give_back[q];
        }
        for b in 0..READ_BANKS {
            results[b].reserve = false;
        }
        for w in 0..warps {
            if scheduler.select[w] & scheduler.issue {
                stall_counters.stall = head_control[w].stall;
                stall_counters.yields = head_control[w].yields;
                for q in 0..VARIABLE_QUEUES {
                    queues[q].reserve = head_route[w].queue.get_bit(q);
                }
                for b in 0..READ_BANKS {
                    results[b].reserve = head_route[w].writes[b];
                }
            }
        }
    }

    /// The instruction that issues goes to Control.
    fn control() {
        control_valid.load(open, scheduler.issue);
        if open & scheduler.issue {
            control_warp = scheduler.warp;
            control_base = 0;
            control_queue = 0;
            control_tensor = false;
            control_reuse = 0;
            write_counter = 0;
            read_counter = 0;
        }
        control.enable = open & scheduler.issue;
        control_limit.enable = open & scheduler.issue;
        control.clear();
        control_limit.clear();
        for w in 0..warps {
            if scheduler.select[w] {
                control_base.d = head_base[w];
                control_queue.d = head_route[w].queue;
                control_tensor.d = head_route[w].tensor;
                control_reuse.d = head_control[w].reuse;
                write_counter.d = head_control[w].write_counter;
                read_counter.d = head_control[w].read_counter;
                pass!(head[w] => control);
                pass!(head_limit[w] => control_limit);
            }
        }

        leaves = control_valid & open;
        controlled = leaves;
        controlled_warp = 0;
        controlled_payload = 0;
        if control_valid {
            controlled_warp = control_warp;
            controlled_payload = control.payload;
        }
        connect!(dependence_counters { control: leaves, warp: control_warp, write_counter, read_counter });
        pass!(control_limit => dependence_counters.limit);
        connect!(dependence_counters { decrement });
    }

    /// From Control to Allocate, or to a queue.
    fn split() {
        let is_fixed: Bit = !control_queue.any();
        allocate_valid.load(open, control_valid & is_fixed);
        allocate.enable = leaves & is_fixed;
        pass!(control => allocate);
        if leaves & is_fixed {
            allocate_tensor = control_tensor;
            allocate_reuse = control_reuse;
            allocate_warp = control_warp;
            allocate_base = control_base;
        }
        for q in 0..VARIABLE_QUEUES {
            queues[q].enter = leaves & control_queue.get_bit(q);
            pass!(control => queues[q].entered);
            queues[q].enter_warp = control_warp;
            queues[q].enter_base = control_base;
        }
    }

    /// Reads get their cycles: those of the instruction in Allocate, else those of the first queue that has
    /// one.
    fn allocate() {
        connect!(cache {
            go: allocator.go,
            warp: allocate_warp,
            tensor: allocate_tensor,
            reuse: allocate_reuse,
            launch,
        });
        allocator.fixed = allocate_valid;
        allocator.variable = queues[0].head_valid | queues[1].head_valid;
        turn = 2;
        pass!(queues[1].head => variable);
        variable_warp = queues[1].head_warp;
        variable_base = queues[1].head_base;
        if queues[0].head_valid {
            turn = 1;
            pass!(queues[0].head => variable);
            variable_warp = queues[0].head_warp;
            variable_base = queues[0].head_base;
        }
        for q in 0..VARIABLE_QUEUES {
            queues[q].take = allocator.variable_go & turn.get_bit(q);
        }
        for s in 0..READS {
            cache.source_valid[s] = allocate.source_valid[s];
            cache.source_register[s] = allocate.source_register[s];
            missing[s] = (allocate_valid & allocate.source_valid[s]) & !cache.hit[s];
            allocator.variable_request[s] = variable.source_valid[s];
            reuse_hit[s] = cache.hit[s] & allocator.go;
        }
    }

    /// A register that several operands miss is read once.
    fn merge() {
        for b in 0..2 {
            repeats[0][b] = (missing[b] & missing[b + 2])
                & (allocate.source_register[b] == allocate.source_register[b + 2]);
            repeats[1][b] = (missing[b] & missing[b + 4])
                & (allocate.source_register[b] == allocate.source_register[b + 4]);
            repeats[2][b] = (missing[b + 2] & missing[b + 4])
                & (allocate.source_register[b + 2] == allocate.source_register[b + 4]);
            allocator.request[b] = missing[b];
            allocator.request[b + 2] = missing[b + 2] & !repeats[0][b];
            allocator.request[b + 4] = missing[b + 4] & !(repeats[1][b] | repeats[2][b]);

            flight.grant[b] = allocator.grant[b];
            flight.grant[b + 2] = if repeats[0][b] { allocator.grant[b] } else { allocator.grant[b + 2] };
            flight.grant[b + 4] = allocator.grant[b + 4];
            if repeats[1][b] {
                flight.grant[b + 4] = allocator.grant[b];
            } else if repeats[2][b] {
                flight.grant[b + 4] = allocator.grant[b + 2];
            }
        }
    }

    /// The instruction that goes.
    fn go() {
        flight.tensor = allocate_tensor & allocator.go;
        flight.hits = 0;
        flight.fills = 0;
        flight.sources = 0;
        if allocator.go {
            flight.warp = allocate_warp;
            flight.unit = allocate.unit;
            flight.pipe = allocate.pipe;
            flight.payload = allocate.payload;
            flight.queue = 0;
            going_base = allocate_base;
        } else {
            flight.warp = variable_warp;
            flight.unit = variable.unit;
            flight.pipe = variable.pipe;
            flight.payload = variable.payload;
            flight.queue = turn;
            going_base = variable_base;
        }
    }

    /// Its sources, and who reads them when.
    fn sources() {
        for o in 0..3 {
            for b in 0..2 {
                if allocator.go {
                    going[o * 2 + b] = allocate.source_register[o * 2 + b];
                    flight.sources = flight.sources.replace_bit(o * 2 + b, allocate.source_valid[o * 2 + b]);
                    flight.hits = flight.hits.replace_bit(o * 2 + b, cache.hit[o * 2 + b]);
                    flight.fills = flight
                        .fills
                        .replace_bit(o * 2 + b, allocate.source_valid[o * 2 + b] & allocate_reuse.get_bit(o));
                } else {
                    going[o * 2 + b] = variable.source_register[o * 2 + b];
                    flight.sources = flight.sources.replace_bit(o * 2 + b, variable.source_valid[o * 2 + b]);
                }
            }
        }
    }

    /// Instructions in their windows.
    fn fly() {
        for t in 0..moves {
            flight_valid[t] = flight_valid[t + 1];
            flights[t].enable = flight_valid[t + 1];
            pass!(flights[t + 1] => flights[t]);
        }
        for t in moves..stages {
            flight_valid[t] = allocator.go | allocator.variable_go;
            flights[t].enable = allocator.go | allocator.variable_go;
            pass!(flight => flights[t]);
        }
    }

    /// Reads of every port.
    fn read() {
        for r in 0..read_ports {
            for b in 0..2 {
                for o in 0..3 {
                    at_port[r * 2 + b][o] = 0;
                    leave_at_port[r * 2 + b][o] = 0;
                    for k in 0..read_window {
                        at_port[r * 2 + b][o] = at_port[r * 2 + b][o]
                            .replace_bit(k, allocator.grant[o * 2 + b].get_bit(k * 3 + r));
                        leave_at_port[r * 2 + b][o] = leave_at_port[r * 2 + b][o]
                            .replace_bit(k, flights[0].grant[o * 2 + b].get_bit(k * 3 + r));
                    }
                    windows[r * 2 + b].grant[o] = at_port[r * 2 + b][o];
                    windows[r * 2 + b].leave_grant[o] = leave_at_port[r * 2 + b][o];
                    windows[r * 2 + b].register[o] = going[o * 2 + b];
                }
                windows[r * 2 + b].warp = flight.warp;
                windows[r * 2 + b].base = going_base;
                windows[r * 2 + b].leave_pipe = flights[0].pipe;
            }
        }
    }

    /// Values that wait, and the banks.
    fn access() {
        for r in 0..read_ports {
            for b in 0..2 {
                for m in 0..result_ports {
                    pass!(result[m * 2 + b] => windows[r * 2 + b].result[m]);
                    windows[r * 2 + b].result_data[m] = result_data[m * 2 + b];
                }
                results[b].look_up_warp[r] = windows[r * 2 + b].shown_warp;
                results[b].look_up_register[r] = windows[r * 2 + b].shown_register;
                windows[r * 2 + b].found = results[b].found[r];
                windows[r * 2 + b].found_data = results[b].found_data[r];

                banks[r * 2 + b].read = false;
                banks[r * 2 + b].collector = 0;
                banks[r * 2 + b].slot = 0;
                banks[r * 2 + b].write = results[b].write;
                banks[r * 2 + b].row = results[b].row;
                banks[r * 2 + b].write_data = results[b].write_data;
                for k in 0..1 {
                    banks[r * 2 + b].second_read[k] = windows[r * 2 + b].read;
                    banks[r * 2 + b].second_row[k] = windows[r * 2 + b].row;
                    banks[r * 2 + b].second_collector[k] = 0;
                    banks[r * 2 + b].second_slot[k] = 0;
                    windows[r * 2 + b].data = banks[r * 2 + b].second_data[k];
                }
                bank_read[r * 2 + b] = windows[r * 2 + b].read;
            }
        }
    }

    /// Results.
    fn write() {
        for b in 0..2 {
            for m in 0..result_ports {
                pass!(result[m * 2 + b] => results[b].result[m]);
                results[b].result_data[m] = result_data[m * 2 + b];
            }
            pass!(load[b] => results[b].load);
            results[b].load_data = load_data[b];
            load_taken[b] = results[b].load_taken;
            bank_write[b] = results[b].write;
        }
    }

    /// Operands leave.
    fn dispatch() {
        dispatch = flight_valid[0];
        dispatch_warp = 0;
        dispatch_unit = 0;
        dispatch_payload = 0;
        dispatch_queue = 0;
        if flight_valid[0] {
            dispatch_warp = flights[0].warp;
            dispatch_unit = flights[0].unit;
            dispatch_payload = flights[0].payload;
            dispatch_queue = flights[0].queue;
        }
        cache.leave = flight_valid[0];
        cache.leave_tensor = flights[0].tensor;
        for o in 0..3 {
            for b in 0..2 {
                operand_valid[o * 2 + b] = flight_valid[0] & flights[0].sources.get_bit(o * 2 + b);
                values[o * 2 + b] = 0;
                if flights[0].hits.get_bit(o * 2 + b) {
                    values[o * 2 + b] = cache.data[o * 2 + b];
                }
                for r in 0..read_ports {
                    values[o * 2 + b] |= windows[r * 2 + b].value[o];
                }
                operand_data[o * 2 + b] = 0;
                if flight_valid[0] {
                    operand_data[o * 2 + b] = values[o * 2 + b];
                }
                cache.leave_fill[o * 2 + b] = flights[0].fills.get_bit(o * 2 + b);
                cache.leave_data[o * 2 + b] = values[o * 2 + b];
            }
        }
    }
}

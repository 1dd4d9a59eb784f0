// SPDX-License-Identifier: Apache-2.0
//! Wires that travel together: what an instruction, a write and a load are on their way through the hardware.

use gpurf_blocks::{READS, READ_BANKS};
use rust_hdl::prelude::*;

use crate::dialect::bundle;
use crate::multicast::{LrtCam, LrtScan};
use crate::watch;

/// An instruction as the stages that it passes see it: F §II, Fig. 4.
#[bundle]
pub struct Instruction {
    /// Execution unit that the instruction needs.
    pub unit: Bits<3>,
    /// Data of the instruction for later pipeline stages; carried through.
    pub payload: Bits<32>,
    /// The source slot is used.
    pub source_valid: [Bit; slots],
    /// Register of the source.
    pub source_register: [Bits<8>; slots],
    /// The next reuse of its value is near (caching collectors only).
    pub source_near: [Bit; slots],
    /// The instruction's first destinations (bypassing collectors only; the others have no such ports).
    pub destination_valid: [Bit; destinations],
    /// Register of the destination.
    pub destination_register: [Bits<8>; destinations],
}

watch!(*: [
    "valid *source_register *source_near if *source_valid[i]",
    "valid *destination_register if *destination_valid[i]",
]);

/// A result on its way to its register, without its value: F §II.
#[bundle]
pub struct Write {
    /// The other fields are those of a result.
    pub valid: Bit,
    /// Its warp.
    pub warp: Bits<4>,
    /// Its register.
    pub register: Bits<8>,
    /// First row of its warp.
    pub base: Bits<8>,
    /// The result's next reuse is near (caching collectors only).
    pub near: Bit,
}

watch!(*: ["valid *write_warp *write_register *write_base *write_near *write_data if *write_valid[i]"]);

/// A register that is to leave the register file, for a block that does: R §V-C.
#[bundle]
pub struct Transfer {
    /// The other fields are those of a register. It is no source of an instruction, and no result of one is
    /// under way to it.
    pub valid: Bit,
    /// Its warp.
    pub warp: Bits<4>,
    /// Its register.
    pub register: Bits<8>,
    /// First row of its warp.
    pub base: Bits<8>,
}

/// Other warps' rows, in which operands of an instruction lie: I §5.2.2.
#[bundle]
pub struct Lenders {
    /// The source lies in another warp's row; else it lies with the instruction's own warp.
    pub valid: [Bit; slots],
    /// The warp in whose row for this register the source lies.
    pub warp: [Bits<4>; slots],
    /// First row of that warp.
    pub base: [Bits<8>; slots],
}

watch!(*: ["valid *lender_warp *lender_base if *lender_valid[i]"]);

/// A dispatched instruction, with its operands. All is zero in a cycle without dispatch.
///
/// `W`: data width in bits.
#[bundle]
pub struct Dispatched<const W: usize> {
    /// Warp of the dispatched instruction.
    pub dispatch_warp: Bits<4>,
    /// Its unit.
    pub dispatch_unit: Bits<3>,
    /// Its payload.
    pub dispatch_payload: Bits<32>,
    /// The slot is used.
    pub operand_valid: [Bit; slots],
    /// Its value.
    pub operand_data: [Bits<W>; slots],
}

watch!(*: ["valid operand_data if operand_valid[i]"]);

/// Events of an operand stage, for whoever counts them.
#[bundle]
pub struct StageEvents {
    /// Event: this source of the instruction that enters a collector in this cycle was found there.
    pub hit: [Bit; slots],
    /// Event: the bank performs a read this cycle.
    pub bank_read: [Bit; banks],
    /// Event: with two accesses per cycle, its second one is a read.
    #[when(accesses == 2)]
    pub second_read: [Bit; banks],
    /// Event: a read waits at the head of the bank's queue and is not granted this cycle.
    pub bank_conflict: [Bit; banks],
    /// Event: this bank's write is also written into a collector.
    pub write_cached: [Bit; banks],
    /// Event: a collector holds data of this write's warp, and the write is kept out of it.
    pub write_filtered: [Bit; banks],
}

/// A multicasting load from shared memory, as a warp asks for it: I §3.1.
///
/// `V`: bits of a warp's number; `A`: bits of an address.
#[bundle]
pub struct LoadRequest<const V: usize, const A: usize> {
    /// Warp of the load.
    pub warp: Bits<V>,
    /// Its address in shared memory.
    pub address: Bits<A>,
    /// Register that holds the address, in the load's instruction.
    pub source: Bits<8>,
    /// Register that is loaded.
    pub destination: Bits<8>,
}

/// Ports of a load request table, whichever of its readings: I §3.1 to 3.3.
///
/// `V`: bits of a warp's number; `A`: bits of an address.
#[bundle(ports(LrtIn, LrtOut))]
pub struct LrtPorts<const V: usize, const A: usize> {
    /// An operation: held with its fields until it has ended, with `done` and `done_ready`.
    pub search: In<Bit>,
    /// It is no load: a release of `warp`.
    pub drain: In<Bit>,
    /// The load; of a release its warp alone.
    #[flat]
    pub request: LoadRequest<In, V, A>,
    /// The entry that `evict` shows is taken.
    pub evict_ready: In<Bit>,
    /// The operation ends with `done`.
    pub done_ready: In<Bit>,
    /// It is then inserted, if it has no partner and an entry is free. Not with `drain`.
    pub insert: In<Bit>,
    /// Entries grow older by one of two steps. After the second they are due.
    pub tick: In<Bit>,

    /// An entry leaves as a plain load; its fields are zero while none does.
    pub evict: Out<Bit>,
    /// Because it is due by age.
    pub evict_aged: Out<Bit>,
    /// Which; zero without `evict`.
    #[prefix(evict)]
    pub evicted: LoadRequest<Out, V, A>,
    /// The search has come to its end.
    pub done: Out<Bit>,
    /// With `done`: the load has a partner.
    pub matched: Out<Bit>,
    /// The partner's warp; zero without one.
    pub matched_warp: Out<Bits<V>>,
    /// No entry is free.
    pub full: Out<Bit>,
    /// Entries in use.
    pub occupancy: Out<Bits<8>>,
}

watch!(LrtCam<V, A>, LrtScan<V, A>: [
    "match(register = destination, warp = warp, partner = matched_warp) if done && done_ready && matched: \
        match R{register} of warps {warp} and {partner}",
    "insert(register = destination, warp = warp) if done && done_ready && insert: insert R{register} of warp {warp}",
    "age(register = evict_destination, warp = evict_warp) if evict && evict_ready && evict_aged: \
        age out R{register} of warp {warp}",
    "release(register = evict_destination, warp = evict_warp) if evict && evict_ready && !evict_aged: \
        release R{register} of warp {warp}",
    "tick if tick: entries grow older",
    "valid evict_warp evict_address evict_source evict_destination evict_aged if evict",
    "misuse if insert && drain: a release is inserted",
    "fault if evict && done: the search ends while an entry leaves",
    "fault if done && !search: a search ends that nobody began",
    "fault if matched && !done: a partner before the end of the search",
]);

/// A load on its way to shared memory, for one warp or for two: I §3.1, Fig. 8c.
///
/// `V`: bits of a warp's number; `A`: bits of an address.
#[bundle]
pub struct SharedLoad<const V: usize, const A: usize> {
    /// Address of the load in shared memory.
    pub address: Bits<A>,
    /// Register that holds the address.
    pub source: Bits<8>,
    /// Register that is loaded.
    pub destination: Bits<8>,
    /// The warp whose load it is; of a multicast the one that was served first.
    pub first_warp: Bits<V>,
    /// It is a multicast: the data go to the same register of a second warp too.
    pub second_valid: Bit,
    /// The second warp; zero without one.
    pub second_warp: Bits<V>,
}

/// A question to the scoreboard of a sub-core: I §3.1. Zero while there is none.
///
/// `V`: bits of a warp's number.
#[bundle]
pub struct Question<const V: usize> {
    /// There is a question: is a register free?
    pub valid: Bit,
    /// Warp that is asked about.
    pub warp: Bits<V>,
    /// Its register.
    pub register: Bits<8>,
}

/// Fields that the compiler writes into an instruction beside its opcode and operands: H §4. The bits are
/// those of SASS, except for the yield bit, which is inverted there.
#[bundle]
pub struct ControlField {
    /// Cycles until the next instruction of the warp may issue.
    pub stall: Bits<4>,
    /// The next cycle belongs to another warp.
    pub yields: Bit,
    /// The dependence counter that the result decrements; 7 is none.
    pub write_counter: Bits<3>,
    /// The dependence counter that is decremented when the sources have been read; 7 is none.
    pub read_counter: Bits<3>,
    /// Dependence counters that must be zero before it issues.
    pub wait_mask: Bits<6>,
    /// Operands whose registers stay in the reuse cache.
    pub reuse: Bits<4>,
}

/// The condition that a `DEPBAR` waits for.
#[bundle]
pub struct Limit {
    /// The instruction is one; else the other fields have no meaning.
    pub valid: Bit,
    /// A dependence counter.
    pub counter: Bits<3>,
    /// The highest value of the counter at which the instruction may issue.
    pub value: Bits<6>,
    /// Others that must be zero.
    pub mask: Bits<6>,
}

/// A dependence counter that goes down by one.
#[bundle]
pub struct Decrement {
    /// The other fields are those of a counter.
    pub valid: Bit,
    /// Its warp.
    pub warp: Bits<4>,
    /// Its number.
    pub counter: Bits<3>,
}

/// An instruction as the reads of a sub-core without collectors see it: H §5.3. Source 2 o + b is the
/// register of operand o that lives in bank b; an operand of 64 bits has one in each.
#[bundle]
pub struct Operation {
    /// Execution unit that the instruction needs.
    pub unit: Bits<3>,
    /// The pipe whose results it finds a cycle earlier than others.
    pub pipe: Bits<2>,
    /// Data of the instruction for later pipeline stages; carried through.
    pub payload: Bits<32>,
    /// The operand has a register in this bank.
    pub source_valid: [Bit; READS],
    /// Register of the operand in this bank.
    pub source_register: [Bits<8>; READS],
}

/// Which way an instruction takes there.
#[bundle]
pub struct Route {
    /// Bit q: it has no fixed latency, and goes through queue q.
    pub queue: Bits<2>,
    /// It is a tensor instruction.
    pub tensor: Bit,
    /// It writes a register of this bank, with a fixed latency.
    pub writes: [Bit; READ_BANKS],
}

/// A result on its way to its register, without its value, in a sub-core without collectors.
#[bundle]
pub struct Arrival {
    /// The other fields are those of a result.
    pub valid: Bit,
    /// Its warp.
    pub warp: Bits<4>,
    /// Its register.
    pub register: Bits<8>,
    /// First row of its warp.
    pub base: Bits<8>,
    /// The pipe that it comes from.
    pub pipe: Bits<2>,
}

/// An instruction in its read window, in a sub-core without collectors. Bit s of a set stands for source s.
#[bundle]
pub struct Flight {
    /// Its warp.
    pub warp: Bits<4>,
    /// Execution unit that it needs.
    pub unit: Bits<3>,
    /// The pipe whose results it finds a cycle earlier than others.
    pub pipe: Bits<2>,
    /// Carried through.
    pub payload: Bits<32>,
    /// Bit q: it came through queue q.
    pub queue: Bits<2>,
    /// It is a tensor instruction.
    pub tensor: Bit,
    /// Sources that it has.
    pub sources: Bits<6>,
    /// Sources that the reuse cache has.
    pub hits: Bits<6>,
    /// Sources whose registers stay in the reuse cache.
    pub fills: Bits<6>,
    /// When each of the others is read: bit 3 k + r for port r in cycle k.
    pub grant: [Bits<15>; READS],
}

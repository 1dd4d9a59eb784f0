// SPDX-License-Identifier: Apache-2.0
//! Register cache of a sub-core: C §IV, §V-B, Fig. 8.
//!
//! Eight warps × 32 threads × 8 registers of 32 bits, 8 KB (C §VI-B), between the collectors and the register
//! file. C says where it stands (Fig. 1c) and what it counts; ports and cycles are this project's.
//!
//! - **Sources** of an issued instruction are looked up all at once (`hit`, `miss`). Lanes that hit come from
//!   the cache in the next cycle, as `data`. Lanes that miss are read from the register file. Where the
//!   allocation takes the source in (`take`), their values come back as a fill.
//! - **Results** are written in the lanes that are active, one in a cycle; `write_ready` says when. A result
//!   that goes to the register file at once, and dirty values that make room, leave by `register_write`. They
//!   stand there from the next cycle until the register file takes them.
//! - **Fills** are written like results, after them.
//! - **Flush** of a warp writes its dirty values back, an entry in a cycle, and empties its part. A warp that
//!   leaves the active ones is flushed. **Drop** (`flush_drop`) empties it at once, for a warp that has
//!   ended: its registers are dead.
//!
//! A source that is on its way back to the register file can be read nowhere. `conflict` is high, nothing is
//! looked up, and its instruction tries again. The scoreboard keeps the order between an instruction's
//! sources and later results, as it does without a cache.
//!
//! `hit`, `miss`, `take`, `conflict` and the ready signals answer in the same cycle, `data` in the next.
//!
//! # Decisions where C is silent
//!
//! - **A look-up searches the whole cache.** C maps a source to the set of its position, a destination to
//!   that of its number "if it is allocating a cache line" (§IV-C). It does not say where a look-up searches.
//!   A search of the one set alone would miss a result that lies dirty in another. So a register lies in the
//!   cache at most once, and a result replaces its old value wherever that lies. [The traffic
//!   study](register-traffic.md) shows how much this changes the hit rates.
//! - **FIFO** means the order in which registers were taken in; a hit does not renew it. Only LRU needs an
//!   [age matrix](age_matrix.md), with a bit for each pair of ways.
//! - **Ways used in the same cycle** count as older the lower their number. So under LRU the hardware and the
//!   traffic study, which counts whole instructions, can choose different victims; under FIFO they do not.
//! - **One result or fill in a cycle**, results first: C Fig. 8 has one write port.

use gpurf_blocks::{CacheAllocation, CacheWrite, CACHED_WARPS, LANES};
use rust_hdl::prelude::*;

use crate::dialect::{block, rtl, LaneMemory, Register};
use crate::register_cache::{SetMapping, TagArray, WritebackBuffer};
use crate::{monitor, watch};

/// `W`: width of a register of a warp in bits; `L`: lanes that share tags.
#[block(
    title = "Register cache",
    paper = "C §IV, §V-B, Fig. 8",
    parameters(
        width, slots, rc_entries, rc_ways, rc_allocation, rc_mapping, rc_replacement, rc_write, rc_tag_lanes,
        rc_bank_lanes
    ),
    sizes(
        groups = LANES / rc_tag_lanes,
        lanes_of_group = rc_tag_lanes,
        banks = LANES / rc_bank_lanes,
        ports = slots + 1
    )
)]
pub struct RegisterCache<const W: usize, const L: usize> {
    /// A source of the issued instruction.
    pub read: In<[Bit; slots]>,
    /// Register of the source.
    pub read_register: In<[Bits<8>; slots]>,
    /// The compiler's reuse flag.
    pub read_reuse: In<[Bit; slots]>,
    /// The instruction's warp, within the sub-core.
    pub read_warp: In<Bits<3>>,
    /// Active lanes of the instruction.
    pub read_lanes: In<Bits<32>>,
    /// A result is written.
    pub write: In<Bit>,
    /// Warp of the result.
    pub write_warp: In<Bits<3>>,
    /// Register of the result.
    pub write_register: In<Bits<8>>,
    /// Lanes of the result.
    pub write_lanes: In<Bits<32>>,
    /// Value of the result.
    pub write_data: In<Bits<W>>,
    /// The value of a source that missed, from the register file. It may bring some of the lanes, or lanes
    /// that are there. None comes after a younger result of its register.
    pub fill: In<Bit>,
    /// Warp of the fill.
    pub fill_warp: In<Bits<3>>,
    /// Register of the fill.
    pub fill_register: In<Bits<8>>,
    /// The fill's place in its instruction: 0 to 3.
    pub fill_position: In<Bits<2>>,
    /// Lanes of the fill.
    pub fill_lanes: In<Bits<32>>,
    /// Value of the fill.
    pub fill_data: In<Bits<W>>,
    /// Empty the part of a warp; it must not issue meanwhile, nor have results or fills under way. Until it
    /// is taken, no result and no fill is.
    pub flush: In<Bit>,
    /// Warp that is flushed.
    pub flush_warp: In<Bits<3>>,
    /// With `flush`: its values are dead and are not written back.
    pub flush_drop: In<Bit>,
    /// The register file takes `register_write`.
    pub register_ready: In<Bit>,

    /// A source is on its way to the register file: nothing is looked up, try again.
    pub conflict: Out<Bit>,
    /// Lanes of the source that the cache has.
    pub hit: Out<[Bits<32>; slots]>,
    /// Lanes of the source that the register file has.
    pub miss: Out<[Bits<32>; slots]>,
    /// Lanes whose values come back as a fill.
    pub take: Out<[Bits<32>; slots]>,
    /// Values of the lanes that hit in the last cycle; the others are zero.
    pub data: Out<[Bits<W>; slots]>,
    /// A result is taken in this cycle.
    pub write_ready: Out<Bit>,
    /// A fill is taken in this cycle.
    pub fill_ready: Out<Bit>,
    /// A flush is taken in this cycle.
    pub flush_ready: Out<Bit>,
    /// A flush is under way.
    pub flushing: Out<Register<Bit>>,
    /// A value goes to the register file; it stays until it is taken. Without one its fields are zero.
    pub register_write: Out<Bit>,
    /// Warp of the value that goes to the register file.
    pub register_warp: Out<Bits<3>>,
    /// Register of the value that goes to the register file.
    pub register_number: Out<Bits<8>>,
    /// Lanes of the value that goes to the register file.
    pub register_lanes: Out<Bits<32>>,
    /// The value that goes to the register file; lanes that do not go are of no meaning.
    pub register_data: Out<Bits<W>>,
    /// Event: lanes of the result of this cycle that the cache had.
    pub write_hit: Out<Bits<32>>,
    /// Event: banks that are read, summed over the sources.
    pub bank_reads: Out<Bits<9>>,
    /// Event: banks that are written.
    pub bank_writes: Out<Bits<6>>,

    writes: Local<Bit>,
    fills: Local<Bit>,
    drops: Local<Bit>,
    step: Local<Bit>,
    warp: Local<Bits<3>>,
    register: Local<Bits<8>>,
    lanes: Local<Bits<32>>,
    group_read: Local<[Bits<L>; groups]>,
    group_written: Local<[Bits<L>; groups]>,
    hits: Local<[Bits<32>; slots]>,
    stored: Local<Bits<32>>,
    direct: Local<Bits<32>>,
    victim: Local<Bits<32>>,
    mapping: SetMapping,
    tags: [TagArray<L>; groups],
    buffer: WritebackBuffer<W, L>,
    #[new(LaneMemory::new(CACHED_WARPS * rc_entries, groups, ports))]
    memory: LaneMemory<W>,
    flushed_warp: Register<Bits<3>>,
    flushed_entry: Register<Bits<4>>,
    #[value(rc_entries - 1)]
    last_entry: Constant<Bits<4>>,
    #[value(|bank| ((1u64 << rc_bank_lanes) - 1) << (bank * rc_bank_lanes))]
    bank_lanes: Constant<[Bits<32>; banks]>,
    /// Every source is taken in; those with a reuse flag are.
    #[value(matches!(rc_allocation, CacheAllocation::Read | CacheAllocation::ReadWrite))]
    takes_sources: Constant<Bit>,
    #[value(rc_allocation == CacheAllocation::CompilerAided)]
    takes_reused: Constant<Bit>,
    /// A result can go to the register file at once, which needs its port.
    #[value(rc_allocation == CacheAllocation::Read || rc_write == CacheWrite::Through)]
    goes_direct: Constant<Bit>,
}

watch!(RegisterCache<W, L>: [
    "hit(register = read_register[s], warp = read_warp) for s in read if hit[s]: hit R{register}",
    "miss(register = read_register[s], warp = read_warp) for s in read if miss[s]: miss R{register}",
    "conflict(warp = read_warp) if conflict: conflict of warp {warp}",
    "fill(register = fill_register, warp = fill_warp) if fills: fill R{register} of warp {warp}",
    "result(register = write_register, warp = write_warp) if writes: result R{register} of warp {warp}",
    "replacement(register = tags_0.victim_register, warp = warp) if tags_0.victim && !step: \
        evict R{register} of warp {warp}",
    "write_back(register = register_number, warp = register_warp) if register_write && register_ready: \
        write back R{register} of warp {warp}",
    "flush(warp = flush_warp) if begins: flush warp {warp}",
]);

monitor!(RegisterCache<W, L>: "register_cache_monitor.v");

#[rtl]
impl<const W: usize, const L: usize> RegisterCache<W, L> {
    /// Accesses of this cycle.
    fn take_place() {
        buffer.ready = register_ready;
        /// A result, a fill can be taken.
        let can_write: Bit = if goes_direct {
            (!buffer.valid & register_ready) & (!flushing & !flush)
        } else {
            (buffer.free & !flushing) & !flush
        };
        write_ready = can_write;
        fill_ready = can_write & !write;
        flush_ready = !flushing & !buffer.valid;
        writes = write & can_write;
        fills = (fill & can_write) & !write;
        let begins: Bit = flush & (!flushing & !buffer.valid);
        drops = begins & flush_drop;
        step = flushing & buffer.free;
        if begins & !flush_drop {
            flushing = true;
        }
        if step & (flushed_entry == last_entry) {
            flushing = false;
        }
        if begins {
            flushed_warp = flush_warp;
            flushed_entry = 0;
        } else if step {
            flushed_entry += 1;
        }
    }

    /// The register that is written.
    fn written() {
        warp = fill_warp;
        register = fill_register;
        lanes = fill_lanes;
        memory.write_data = fill_data;
        if write {
            warp = write_warp;
            register = write_register;
            lanes = write_lanes;
            memory.write_data = write_data;
        }
        if flush {
            warp = flush_warp;
        }
        if flushing {
            warp = flushed_warp;
        }
        connect!(mapping { is_source: !write, position: fill_position, register });
    }

    /// Sources wait while one of them is in the buffer.
    fn hold_back() {
        buffer.look_warp = read_warp;
        for r in 0..slots {
            buffer.look[r] = read[r];
            buffer.look_register[r] = read_register[r];
        }
        conflict = buffer.conflict;
    }

    /// Tags and values, lane by lane: there is one group of lanes, or each has one.
    fn values() {
        stored = 0;
        direct = 0;
        victim = 0;
        write_hit = 0;
        for r in 0..slots {
            hits[r] = 0;
        }
        for g in 0..groups {
            tags[g].read_warp = read_warp;
            tags[g].write = writes | fills;
            tags[g].fill = fills;
            tags[g].flush = step;
            tags[g].flush_entry = flushed_entry;
            tags[g].drop = drops;
            tags[g].warp = warp;
            tags[g].register = register;
            tags[g].set = mapping.set;
            group_read[g] = 0;
            group_written[g] = 0;
            for k in 0..lanes_of_group {
                group_read[g] = group_read[g].replace_bit(k, read_lanes.get_bit(g + k));
                group_written[g] = group_written[g].replace_bit(k, lanes.get_bit(g + k));
                stored = stored.replace_bit(g + k, tags[g].stored.get_bit(k));
                direct = direct.replace_bit(g + k, tags[g].direct.get_bit(k));
                victim = victim.replace_bit(g + k, tags[g].victim.get_bit(k));
                write_hit = write_hit.replace_bit(g + k, tags[g].write_hit.get_bit(k));
            }
            tags[g].read_mask = group_read[g];
            tags[g].mask = group_written[g];
            for r in 0..slots {
                tags[g].read[r] = read[r] & !buffer.conflict;
                tags[g].read_register[r] = read_register[r];
                for k in 0..lanes_of_group {
                    hits[r] = hits[r].replace_bit(g + k, tags[g].hit[r].get_bit(k));
                }
            }
            buffer.push_lanes[g] = tags[g].victim;
            buffer.push_register[g] = tags[g].victim_register;
        }
    }

    /// Lanes that leave go into the buffer.
    fn leave() {
        buffer.push = victim.any();
        buffer.push_warp = warp;
    }

    /// The memory: what leaves is read at its port 0, source r at r + 1.
    fn storage() {
        memory.write_lanes = stored;
        memory.read_lanes[0] = victim;
        buffer.data = memory.read_data[0];
        for g in 0..groups {
            memory.write_row[g] = tags[g].row;
            memory.read_row[0][g] = tags[g].victim_row;
        }
        for r in 0..slots {
            memory.read_lanes[r + 1] = hits[r];
            data[r] = memory.read_data[r + 1];
            for g in 0..groups {
                memory.read_row[r + 1][g] = tags[g].hit_row[r];
            }
        }
    }

    /// Lanes that the sources find.
    fn find() {
        bank_reads = 0;
        for r in 0..slots {
            hit[r] = hits[r];
            miss[r] = if read[r] & !buffer.conflict { read_lanes & !hits[r] } else { 0 };
            /// A source that misses is taken in.
            let takes: Bit = takes_sources | (takes_reused & read_reuse[r]);
            take[r] = if takes { miss[r] } else { 0 };
            for b in 0..banks {
                if (hits[r] & bank_lanes[b]).any() {
                    bank_reads += 1;
                }
            }
        }
        bank_writes = 0;
        for b in 0..banks {
            if (stored & bank_lanes[b]).any() {
                bank_writes += 1;
            }
        }
    }

    /// To the register file: what leaves the buffer, else a result.
    fn write_back() {
        connect!(buffer ->
            valid as register_write, warp as register_warp, register as register_number,
            lanes as register_lanes, leaving_data as register_data);
        if direct.any() {
            register_write = true;
            register_warp = write_warp;
            register_number = write_register;
            register_lanes = direct;
            register_data = write_data;
        }
    }
}

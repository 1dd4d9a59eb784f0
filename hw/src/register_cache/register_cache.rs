//! Register cache of a sub-core: C §IV, §V-B, Fig. 8.
//!
//! Eight warps × 32 threads × 8 registers of 32 bits, 8 KB (C §VI-B), between the collectors and the register file. C
//! says where it stands (Fig. 1c) and what it counts; ports and cycles are this project's.
//!
//! * **Sources** of an issued instruction are looked up all at once. Lanes that hit come from the cache in the next
//!   cycle. Lanes that miss (`miss`) are read from the register file; where the allocation takes the source in, their
//!   values come back as a fill (`take`).
//! * **Results** are written in the lanes that are active, one result in a cycle; `write_ready` says when. What goes to
//!   the register file at once, and what is replaced while dirty, leaves by `register_write`.
//! * **Fills** are written like results, after them.
//! * **Flush** of a warp writes its dirty values back, an entry in a cycle, and empties its part; **drop** empties it at
//!   once, for a warp that has ended, whose registers nobody reads.
//!
//! Reading a register that is on its way back to the register file would find the old value there: `conflict` is high,
//! nothing is looked up, and the instruction waits. The surrounding pipeline keeps the order of an instruction's reads
//! and of later results (scoreboard), as it does without a cache.
//!
//! Timing: `hit`, `miss`, `take`, `conflict` and the ready signals answer in the same cycle, `data` in the next.

use gpurf_blocks::{CacheAllocation, CacheWrite, CACHED_WARPS, LANES};
use rust_hdl::prelude::*;

use crate::dialect::{block, rtl, LaneMemory, Register};
use crate::register_cache::{SetMapping, TagArray, WritebackBuffer};
use crate::watch;

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
    /// Its register.
    pub read_register: In<[Bits<8>; slots]>,
    /// The compiler's reuse flag.
    pub read_reuse: In<[Bit; slots]>,
    /// The instruction's warp, within the sub-core.
    pub read_warp: In<Bits<3>>,
    /// Its active lanes.
    pub read_lanes: In<Bits<32>>,
    /// A result.
    pub write: In<Bit>,
    /// Its warp.
    pub write_warp: In<Bits<3>>,
    /// Its register.
    pub write_register: In<Bits<8>>,
    /// Its lanes.
    pub write_lanes: In<Bits<32>>,
    /// Its value.
    pub write_data: In<Bits<W>>,
    /// The value of a source that missed, from the register file.
    pub fill: In<Bit>,
    /// Its warp.
    pub fill_warp: In<Bits<3>>,
    /// Its register.
    pub fill_register: In<Bits<8>>,
    /// Its place in the instruction: 0 to 3.
    pub fill_position: In<Bits<2>>,
    /// Its lanes.
    pub fill_lanes: In<Bits<32>>,
    /// Its value.
    pub fill_data: In<Bits<W>>,
    /// Empty the part of a warp; it must not issue meanwhile, nor have results under way.
    pub flush: In<Bit>,
    /// That warp.
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
    pub flushing: Out<Bit>,
    /// A value goes to the register file; it stays until it is taken. The fields below are zero without one.
    pub register_write: Out<Bit>,
    /// Its warp.
    pub register_warp: Out<Bits<3>>,
    /// Its register.
    pub register_number: Out<Bits<8>>,
    /// Its lanes.
    pub register_lanes: Out<Bits<32>>,
    /// Its value; lanes that do not go are of no meaning.
    pub register_data: Out<Bits<W>>,
    /// Event: lanes of the result of this cycle that the cache had.
    pub write_hit: Out<Bits<32>>,
    /// Event: banks that are read, summed over the sources.
    pub bank_reads: Out<Bits<9>>,
    /// Event: banks that are written.
    pub bank_writes: Out<Bits<6>>,

    /// A result, a fill can be taken.
    can_write: Local<Bit>,
    writes: Local<Bit>,
    fills: Local<Bit>,
    begins: Local<Bit>,
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
    /// A source that misses is taken in.
    takes: Local<[Bit; slots]>,
    mapping: SetMapping,
    tags: [TagArray<L>; groups],
    buffer: WritebackBuffer<W, L>,
    #[new(LaneMemory::new(CACHED_WARPS * rc_entries, groups, ports))]
    memory: LaneMemory<W>,
    under_way: Register<Bit>,
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

impl<const W: usize, const L: usize> Logic for RegisterCache<W, L> {
    #[rtl]
    fn update(&mut self) {
        // What takes place in this cycle.
        self.buffer.ready.next = self.register_ready.val();
        self.can_write.next = (self.buffer.free.val() & !self.under_way.val()) & !self.flush.val();
        if self.goes_direct.val() {
            self.can_write.next = (!self.buffer.valid.val() & self.register_ready.val())
                & (!self.under_way.val() & !self.flush.val());
        }
        self.write_ready.next = self.can_write.val();
        self.fill_ready.next = self.can_write.val() & !self.write.val();
        self.flush_ready.next = !self.under_way.val() & !self.buffer.valid.val();
        self.flushing.next = self.under_way.val();
        self.writes.next = self.write.val() & self.can_write.val();
        self.fills.next = (self.fill.val() & self.can_write.val()) & !self.write.val();
        self.begins.next = self.flush.val() & (!self.under_way.val() & !self.buffer.valid.val());
        self.drops.next = self.begins.val() & self.flush_drop.val();
        self.step.next = self.under_way.val() & self.buffer.free.val();
        self.under_way.load(self.begins.val() & !self.flush_drop.val(), true);
        if self.step.val() & (self.flushed_entry.val() == self.last_entry.val()) {
            self.under_way.enable.next = true;
            self.under_way.d.next = false;
        }
        self.flushed_warp.load(self.begins.val(), self.flush_warp.val());
        self.flushed_entry.load(self.begins.val() | self.step.val(), self.flushed_entry.val() + 1);
        if self.begins.val() {
            self.flushed_entry.d.next = 0.into();
        }

        // The register that is written.
        self.warp.next = self.fill_warp.val();
        self.register.next = self.fill_register.val();
        self.lanes.next = self.fill_lanes.val();
        self.memory.write_data.next = self.fill_data.val();
        if self.write.val() {
            self.warp.next = self.write_warp.val();
            self.register.next = self.write_register.val();
            self.lanes.next = self.write_lanes.val();
            self.memory.write_data.next = self.write_data.val();
        }
        if self.flush.val() {
            self.warp.next = self.flush_warp.val();
        }
        if self.under_way.val() {
            self.warp.next = self.flushed_warp.val();
        }
        self.mapping.is_source.next = !self.write.val();
        self.mapping.position.next = self.fill_position.val();
        self.mapping.register.next = self.register.val();

        // Sources wait while one of them is in the buffer.
        self.buffer.look_warp.next = self.read_warp.val();
        for r in 0..slots {
            self.buffer.look[r].next = self.read[r].val();
            self.buffer.look_register[r].next = self.read_register[r].val();
        }
        self.conflict.next = self.buffer.conflict.val();

        // Tags and values, lane by lane: there is one group of lanes, or each has one.
        self.stored.next = 0.into();
        self.direct.next = 0.into();
        self.victim.next = 0.into();
        self.write_hit.next = 0.into();
        for r in 0..slots {
            self.hits[r].next = 0.into();
        }
        for g in 0..groups {
            self.tags[g].read_warp.next = self.read_warp.val();
            self.tags[g].write.next = self.writes.val() | self.fills.val();
            self.tags[g].fill.next = self.fills.val();
            self.tags[g].flush.next = self.step.val();
            self.tags[g].flush_entry.next = self.flushed_entry.val();
            self.tags[g].drop.next = self.drops.val();
            self.tags[g].warp.next = self.warp.val();
            self.tags[g].register.next = self.register.val();
            self.tags[g].set.next = self.mapping.set.val();
            self.group_read[g].next = 0.into();
            self.group_written[g].next = 0.into();
            for k in 0..lanes_of_group {
                self.group_read[g].next =
                    self.group_read[g].val().replace_bit(k, self.read_lanes.val().get_bit(g + k));
                self.group_written[g].next =
                    self.group_written[g].val().replace_bit(k, self.lanes.val().get_bit(g + k));
                self.stored.next = self.stored.val().replace_bit(g + k, self.tags[g].stored.val().get_bit(k));
                self.direct.next = self.direct.val().replace_bit(g + k, self.tags[g].direct.val().get_bit(k));
                self.victim.next = self.victim.val().replace_bit(g + k, self.tags[g].victim.val().get_bit(k));
                self.write_hit.next =
                    self.write_hit.val().replace_bit(g + k, self.tags[g].write_hit.val().get_bit(k));
            }
            self.tags[g].read_mask.next = self.group_read[g].val();
            self.tags[g].mask.next = self.group_written[g].val();
            for r in 0..slots {
                self.tags[g].read[r].next = self.read[r].val() & !self.buffer.conflict.val();
                self.tags[g].read_register[r].next = self.read_register[r].val();
                for k in 0..lanes_of_group {
                    self.hits[r].next =
                        self.hits[r].val().replace_bit(g + k, self.tags[g].hit[r].val().get_bit(k));
                }
            }
            self.buffer.push_lanes[g].next = self.tags[g].victim.val();
            self.buffer.push_register[g].next = self.tags[g].victim_register.val();
        }
        self.buffer.push.next = self.victim.val().any();
        self.buffer.push_warp.next = self.warp.val();

        // The memory: what leaves is read at its port 0, source r at r + 1.
        self.memory.write_lanes.next = self.stored.val();
        self.memory.read_lanes[0].next = self.victim.val();
        self.buffer.data.next = self.memory.read_data[0].val();
        for g in 0..groups {
            self.memory.write_row[g].next = self.tags[g].row.val();
            self.memory.read_row[0][g].next = self.tags[g].victim_row.val();
        }
        for r in 0..slots {
            self.memory.read_lanes[r + 1].next = self.hits[r].val();
            self.data[r].next = self.memory.read_data[r + 1].val();
            for g in 0..groups {
                self.memory.read_row[r + 1][g].next = self.tags[g].hit_row[r].val();
            }
        }

        // What the sources find.
        self.bank_reads.next = 0.into();
        for r in 0..slots {
            self.hit[r].next = self.hits[r].val();
            self.miss[r].next = 0.into();
            if self.read[r].val() & !self.buffer.conflict.val() {
                self.miss[r].next = self.read_lanes.val() & !self.hits[r].val();
            }
            self.takes[r].next =
                self.takes_sources.val() | (self.takes_reused.val() & self.read_reuse[r].val());
            self.take[r].next = 0.into();
            if self.takes[r].val() {
                self.take[r].next = self.miss[r].val();
            }
            for b in 0..banks {
                if (self.hits[r].val() & self.bank_lanes[b].val()).any() {
                    self.bank_reads.next = self.bank_reads.val() + 1;
                }
            }
        }
        self.bank_writes.next = 0.into();
        for b in 0..banks {
            if (self.stored.val() & self.bank_lanes[b].val()).any() {
                self.bank_writes.next = self.bank_writes.val() + 1;
            }
        }

        // To the register file: what leaves the buffer, else a result.
        self.register_write.next = self.buffer.valid.val();
        self.register_warp.next = self.buffer.warp.val();
        self.register_number.next = self.buffer.register.val();
        self.register_lanes.next = self.buffer.lanes.val();
        self.register_data.next = self.buffer.leaving_data.val();
        if self.direct.val().any() {
            self.register_write.next = true;
            self.register_warp.next = self.write_warp.val();
            self.register_number.next = self.write_register.val();
            self.register_lanes.next = self.direct.val();
            self.register_data.next = self.write_data.val();
        }
    }
}

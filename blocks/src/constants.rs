// SPDX-License-Identifier: Apache-2.0
//! Sizes that no parameter changes: models, hardware and the streaming multiprocessor (SM) share them.
//!
//! F is the full Malekeh paper, I inter-warp multicasting, R FineReg, H the study of the cores
//! that ship.

/// Sub-cores of an SM; the warp in slot w belongs to sub-core w mod 4. F Table I.
pub const SUB_CORES: usize = 4;
/// Warps of a sub-core whose operands a register cache holds. C §VI-B.
pub const CACHED_WARPS: usize = 8;
/// Registers of an interval, at most: the entries of a warp in LTRF's register cache; our decision.
pub const INTERVAL_REGISTERS: usize = 16;
/// Warps of a sub-core with bypassing operand collectors. Each warp has its own collector. F §VI-B.
pub const BOC_WARPS: usize = 8;
/// Execution units of a sub-core, as an instruction names them.
pub const UNITS: usize = 8;
/// Units in the order in which their issue latches offer instructions: FP32, special functions, load/store,
/// FP64, integer, branch, tensor, uniform. It is the order of Accel-Sim's ports; that has no uniform unit.
pub const LATCH_ORDER: [usize; UNITS] = [1, 3, 5, 2, 0, 6, 4, 7];
/// Threads of a warp.
pub const LANES: usize = 32;

/// States of the STHLD controller; the papers number them from 1. F §IV-B3.
pub const STHLD_STATES: usize = 6;

/// Loads that the multicasting unit queues for each sub-core: "double buffering". I §5.2.3.
pub const QUEUE_DEPTH: usize = 2;
/// Entries of a load request table in a memory that are compared in a cycle: "four comparators". I §3.1.
pub const SCAN_LANES: usize = 4;
/// Multicast loads that wait for scoreboards.
pub const PENDING: usize = 4;
/// Bits of a warp's number in a load request. I §5.2.3.
pub const WARP_BITS: usize = 6;
/// Bits of a shared-memory address in a load request. I §5.2.3.
pub const ADDRESS_BITS: usize = 16;
/// Loaded values that a sub-core keeps for later warps. Its 512 registers hold no more of four registers
/// each; our decision: I §5.2.2 gives no number.
pub const SKIP_ENTRIES: usize = 128;

/// Warps of a cooperative thread array (CTA), at most. R §V-D.
pub const CTA_WARPS: usize = 32;
/// Registers of a thread, each a bit of a live-register vector. R §V-A.
pub const REGISTERS: usize = 64;
/// Entries of the live-register bit-vector cache. R §V-C.
pub const VECTOR_CACHE_ENTRIES: usize = 32;
/// Registers that the register management unit (RMU) keeps between the register file and the PCRF: R §V-E has
/// a buffer of 128 bytes, which is one; our decision: as many as are read at a time.
pub const RMU_BUFFERS: usize = 2;
/// Sections of a sub-core's shared register pool, at most. A register of a thread takes half a row, and a
/// thread has eight or more: 256 rows hold the registers of 64 warps, and each takes one section.
pub const POOL_SECTIONS: usize = 64;
/// Flags in a word: of entries in the free space monitor, of CTAs in the status monitor, of sections in the
/// shared register pool.
pub const FLAG_WORD: usize = 32;
/// Changes of a status that the CTA status monitor takes in a cycle; the two of a switch.
pub const STATUS_UPDATES: usize = 2;

/// Banks of a sub-core that ships: register r lives in bank r mod 2. H §5.3.
pub const READ_BANKS: usize = 2;
/// Operands of an instruction there, each with a register in every bank at most: the two of 64 bits lie in
/// both. H §5.3.1.
pub const OPERANDS: usize = 3;
/// Registers that it reads: operand by operand, bank by bank.
pub const READS: usize = OPERANDS * READ_BANKS;
/// Dependence counters of a warp, and bits of each. H §4.
pub const DEPENDENCE_COUNTERS: usize = 6;
/// Dependence counters that may go down by one in a cycle: two for results, two for sources that have been
/// read; our decision.
pub const DECREMENTS: usize = 4;
/// Queues of instructions of variable latency: of memory, and of the other units; our decision.
pub const VARIABLE_QUEUES: usize = 2;

/// The larger of two lengths, where a declaration of the hardware chooses one.
pub const fn larger(one: usize, other: usize) -> usize {
    if one > other {
        one
    } else {
        other
    }
}

/// The smaller of two lengths, where a declaration of the hardware chooses one.
pub const fn smaller(one: usize, other: usize) -> usize {
    if one < other {
        one
    } else {
        other
    }
}

// SPDX-License-Identifier: Apache-2.0
//! Reuse cache: H §5.3.1. The register-file cache that the compiler's reuse bits fill.
//!
//! It has one value for each operand and bank. An instruction of fixed latency whose reuse bit is set for an
//! operand leaves there what it reads. The next one of the same warp that names the same register in the same
//! operand has it from there. Every read of that operand and bank empties the entry, hit or not, unless its
//! own reuse bit fills it again. Instructions of variable latency, the zero register and constants leave it
//! alone.
//!
//! With `tensor_apart` tensor instructions have entries of their own. H does not say so: it is inferred from
//! the bits that ptxas sets. With `off` there are none.
//!
//! A result does not touch it: the compiler sets no reuse bit where a result comes between. A new warp
//! empties what its slot has left.
//!
//! Numbers of registers are looked up as an instruction goes to its reads, and data where its operands leave,
//! always as many cycles later. Both are in the order of instructions, so an entry may have its next owner
//! before its data are there. `hit` and `data` answer in the same cycle; entries change in the next.

use gpurf_blocks::{ReuseEntries, READS};
use rust_hdl::prelude::*;

use crate::dialect::{block, rtl, Register};
use crate::watch;

/// `W`: data width in bits.
#[block(
    title = "Reuse cache",
    paper = "H §5.3.1",
    parameters(width, warps, reuse_cache),
    sizes(
        sets = match parameters.reuse_cache {
            ReuseEntries::Off => 0,
            ReuseEntries::Shared => 1,
            ReuseEntries::TensorApart => 2,
        },
        entries = sets * READS
    )
)]
pub struct ReuseCache<const W: usize> {
    /// The instruction goes to its reads: entries change.
    pub go: In<Bit>,
    /// Its warp.
    pub warp: In<Bits<4>>,
    /// It is a tensor instruction.
    pub tensor: In<Bit>,
    /// Source 2 o + b: operand o has a register in bank b.
    pub source_valid: In<[Bit; READS]>,
    /// Register of operand o in bank b.
    pub source_register: In<[Bits<8>; READS]>,
    /// Bit o: registers of operand o stay here.
    pub reuse: In<Bits<4>>,
    /// A new warp starts here.
    pub launch: In<[Bit; warps]>,
    /// Operands of an instruction leave, always as many cycles after it went.
    pub leave: In<Bit>,
    /// It is a tensor instruction.
    pub leave_tensor: In<Bit>,
    /// This source stays here.
    pub leave_fill: In<[Bit; READS]>,
    /// Its value.
    pub leave_data: In<[Bits<W>; READS]>,

    /// The source is here, whether the instruction goes or not.
    pub hit: Out<[Bit; READS]>,
    /// Values for the instruction that leaves.
    pub data: Out<[Bits<W>; READS]>,

    /// The entry is one of the instruction's.
    own: Local<[Bit; entries]>,
    launched: Local<[Bit; entries]>,
    changes: Local<[Bit; entries]>,
    leaving: Local<[Bit; entries]>,
    valid: Register<[Bit; entries]>,
    held_warp: Register<[Bits<4>; entries]>,
    held_register: Register<[Bits<8>; entries]>,
    held_data: Register<[Bits<W>; entries]>,
    #[value(|set| set == 1)]
    of_tensors: Constant<[Bit; sets]>,
    #[value(reuse_cache == ReuseEntries::TensorApart)]
    apart: Constant<Bit>,
}

watch!(ReuseCache<W>: [
    "hit(warp = warp, register = source_register[s]) for s in hit if go && hit[s]: hit R{source_register[s]} of warp {warp}",
    "misuse for s in source_valid if go && source_valid[s] && ((source_register[s] ^ s) & 1) != 0: \
        R{source_register[s]} does not live in the bank of source {s}",
    "fault for s in hit if hit[s] && !source_valid[s]: source {s} is found, and there is none",
]);

#[rtl]
impl<const W: usize> ReuseCache<W> {
    fn look_up() {
        for s in 0..READS {
            hit[s] = false;
            data[s] = 0;
        }
        for t in 0..sets {
            for o in 0..3 {
                for b in 0..2 {
                    own[t * 6 + o * 2 + b] = source_valid[o * 2 + b] & (!apart | (tensor == of_tensors[t]));
                    if own[t * 6 + o * 2 + b]
                        & ((valid[t * 6 + o * 2 + b] & (held_warp[t * 6 + o * 2 + b] == warp))
                            & (held_register[t * 6 + o * 2 + b] == source_register[o * 2 + b]))
                    {
                        hit[o * 2 + b] = true;
                    }
                    if !apart | (leave_tensor == of_tensors[t]) {
                        data[o * 2 + b] |= held_data[t * 6 + o * 2 + b];
                    }
                }
            }
        }
    }

    fn fill() {
        for t in 0..sets {
            for o in 0..3 {
                for b in 0..2 {
                    launched[t * 6 + o * 2 + b] = false;
                    for w in 0..warps {
                        if launch[w] & (held_warp[t * 6 + o * 2 + b] == w) {
                            launched[t * 6 + o * 2 + b] = true;
                        }
                    }
                    changes[t * 6 + o * 2 + b] = go & own[t * 6 + o * 2 + b];
                    valid[t * 6 + o * 2 + b].load(
                        changes[t * 6 + o * 2 + b] | launched[t * 6 + o * 2 + b],
                        changes[t * 6 + o * 2 + b] & reuse.get_bit(o),
                    );
                    held_warp[t * 6 + o * 2 + b].load(changes[t * 6 + o * 2 + b] & reuse.get_bit(o), warp);
                    held_register[t * 6 + o * 2 + b]
                        .load(changes[t * 6 + o * 2 + b] & reuse.get_bit(o), source_register[o * 2 + b]);
                    leaving[t * 6 + o * 2 + b] =
                        (leave & leave_fill[o * 2 + b]) & (!apart | (leave_tensor == of_tensors[t]));
                    held_data[t * 6 + o * 2 + b].load(leaving[t * 6 + o * 2 + b], leave_data[o * 2 + b]);
                }
            }
        }
    }
}

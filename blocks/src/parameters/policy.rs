// SPDX-License-Identifier: Apache-2.0
//! Policies of the hardware. The command line, TOML files and results name them as `strum` and `serde` derive
//! it: `OwnElseAnyFree` is `own_else_any_free`.

use borsh::{BorshDeserialize, BorshSerialize};
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantNames};

use super::parameter::{Parameter, ParameterError, ParameterValue};

macro_rules! policies {
    ($($(#[$attribute:meta])+ $name:ident { $($(#[$variant_attribute:meta])+ $variant:ident,)+ })+) => {$(
        $(#[$attribute])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr, VariantNames, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
        #[strum(serialize_all = "snake_case")]
        #[serde(rename_all = "snake_case")]
        pub enum $name {
            $($(#[$variant_attribute])+ $variant,)+
        }

        impl ParameterValue for $name {
            fn parse(text: &str, parameter: &Parameter) -> Result<Self, ParameterError> {
                text.parse().map_err(|_| ParameterError(parameter.refused(text)))
            }

            fn text(&self) -> String {
                <&str>::from(self).into()
            }

            fn number(&self) -> usize {
                *self as usize
            }
        }
    )+};
}

policies! {
    /// Which entry of a cache table makes room for a new value.
    ReplacementPolicy {
        /// A free one; else a far one; else the least recently used. W §4.1, F §IV-A1.
        Malekeh,
        /// The least recently used. F §VI-C.
        Lru,
    }

    /// How the order of use of a cache table's entries is kept. Both keep the same order.
    LruStorage {
        /// A rank for each entry. W §3.2, F §III-C.
        Ranks,
        /// A bit for each pair of entries.
        Pairs,
    }

    /// The storage of a collector's values. All kinds do the same in every cycle.
    Storage {
        /// Flip-flops.
        FlipFlops,
        /// Latches behind a register for each port that writes. The collectors that have it are operand
        /// collectors and caching collectors.
        Latches,
    }

    /// The part of a collector that rests while nothing needs it.
    Isolation {
        /// Nothing.
        None,
        /// The inputs of what holds values, unless it is written.
        Writes,
        /// These, and the operands that leave, until the dispatch.
        Operands,
    }

    /// The scheduler's choice about a warp whose own collector is occupied. F §IV-B allows both readings.
    Occupied {
        /// It selects the warp, which then gets no collector: nothing issues in this cycle.
        Stall,
        /// It passes over the warp.
        Skip,
    }

    /// Which collector an instruction enters.
    Allocation {
        /// A random free one. F §II. A warp's values may then be in several caching collectors, and all of
        /// them see its results.
        AnyFree,
        /// The one that holds the warp's data, if it is free; else a random free one.
        OwnElseAnyFree,
        /// The same, but collectors with far values only go first, and the others are waited for. F §IV-B2.
        Malekeh,
        /// Each of eight warps has its own. F §VI-B.
        Private,
        /// The one that holds the warp's data, if it is free; else the free one that was taken the longest
        /// time ago. So the code of F's first author has it (2021); F does not say.
        OwnElseLru,
    }

    /// The registers that an instruction passes between the warp scheduler and the collectors.
    IssueLatch {
        /// None: it enters a collector in the cycle of its issue. F §II.
        None,
        /// A latch for each execution unit. The first of them that holds an instruction offers it. While that
        /// one gets no collector, all others wait. So Accel-Sim and the code of F's first author have it
        /// (2021).
        Blocking,
        /// The same, and an instruction whose warp's own collector is occupied lets others pass.
        Passing,
    }

    /// How long an allocation waits rather than take a collector with near values.
    Waiting {
        /// "If the counter is lower than STHLD, no CCU is allocated" (F §IV-B2).
        Below,
        /// "Only when the counter is higher than STHLD will the CCU be replaced" (W §6).
        UpTo,
    }

    /// How one of several free collectors, or of several far entries, is chosen.
    Choice {
        /// By a shift register.
        Random,
        /// Always the same way.
        Fixed,
    }

    /// How the load request table is searched. I §3.1 and §5.2.3 name "four comparators" and "SRAM"; I §3.1
    /// "check every entry" of it.
    Search {
        /// Four entries per cycle, in a memory.
        Scan,
        /// All entries at once, in registers.
        Cam,
    }

    /// Which of several CTAs that could resume goes first. R does not say.
    Tie {
        /// The one with the lowest number.
        Lowest,
        /// The next after the one selected last, around.
        RoundRobin,
    }

    /// Which operands a register cache takes in when it does not have them. C §IV-B, Table II.
    CacheAllocation {
        /// All sources, no destination.
        Read,
        /// All destinations, no source.
        Write,
        /// All of both.
        ReadWrite,
        /// All destinations, and sources that carry the compiler's reuse flag.
        CompilerAided,
    }

    /// Which set of a register cache takes in a destination. C §IV-C2.
    DestinationMapping {
        /// The register numbers, 0 to 255, are cut into as many parts as there are sets. C Equation 2.
        Linear,
        /// The register's number modulo the sets. C Equation 3.
        Interleaving,
    }

    /// Which way of a set of a register cache makes room. C §IV-E. A free one always goes first.
    CacheReplacement {
        /// The one that was taken in first.
        Fifo,
        /// The least recently used.
        Lru,
    }

    /// When a result reaches the register file behind a register cache. C §IV-E.
    CacheWrite {
        /// When it is replaced or flushed.
        Back,
        /// At once.
        Through,
    }

    /// Which pending warp becomes active under a two-level scheduler. F does not say.
    Refill {
        /// The oldest that is ready.
        Ready,
        /// The oldest, ready or not, as in GPGPU-Sim; waiting for shared memory is no reason to become
        /// pending.
        GpgpuSim,
    }

    /// Which reads of an instruction of fixed latency fit into its read window. H and its simulator pack;
    /// holding explains more of the windows that were measured on a GA100, and was fitted to them.
    ReadRule {
        /// They take the first free cycles of their bank.
        Packed,
        /// The same, and their instruction then keeps the bank for its whole window.
        Held,
    }

    /// Entries of the register-file cache that the compiler's reuse bits fill.
    ReuseEntries {
        /// None: every source is read from its bank.
        Off,
        /// One for each operand and bank. H §5.3.1.
        Shared,
        /// As many again for tensor instructions. It is inferred from the reuse bits that ptxas sets.
        TensorApart,
    }
}

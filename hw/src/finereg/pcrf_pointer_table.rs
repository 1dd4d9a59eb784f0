// SPDX-License-Identifier: Apache-2.0
//! PCRF pointer table of FineReg: R §V-C, §V-F.
//!
//! It knows where the live registers of each pending CTA begin in the [pcrf](pcrf.md), and how many there
//! are.
//!
//! # Timing
//!
//! One access per cycle. What is read in cycle t stands on the outputs from t + 1 until the next read.
//!
//! # Decisions
//!
//! **What six bits can mean.** R §V-F gives a line 6 bits of live register count. The count is a CTA's: the
//! check of §V-E adds it to the free entries. Two warps can have more than 63 live registers, and a CTA of 32
//! warps up to 2,048 of them. What six bits cannot hold:
//!
//! | live registers of a CTA | 6 bits | 12 bits |
//! |---|---|---|
//! | 0 to 63 | exact | exact |
//! | 64 to 2,048 | 63 | exact |
//!
//! The chain ends by its end bit and not by its count, so a count that is too small loses no register. It
//! makes the check see less room than there is: a switch that would fit is refused. That is safe, and it is
//! what `count_bits=6` does. The default is 12 bits, with which the check is that of §V-E.
//!
//! R §V-C says that an entry "contains the count and indices of live registers"; §V-F has a pointer in place
//! of the indices, and Fig. 11 agrees with it.
//!
//! # Storage
//!
//! The memory has `ctas` × (log2 `pcrf_entries` + `count_bits`) bits: 256 B with R's sizes, 352 B with 12
//! bits of count.

use rust_hdl::prelude::*;

use crate::dialect::{block, rtl, Memory};
use crate::{monitor, watch};

/// `P`: bits of a pointer.
#[block(
    title = "PCRF pointer table",
    paper = "R §V-C",
    parameters(pcrf_entries, ctas, count_bits),
    sizes(slices = count_bits / 6),
    unreset
)]
pub struct PcrfPointerTable<const P: usize> {
    /// A line is read. At most one of `read` and `write` is high.
    pub read: In<Bit>,
    /// A line is written. At most one of `read` and `write` is high.
    pub write: In<Bit>,
    /// Line that is read or written.
    pub cta: In<Bits<7>>,
    /// Pointer that is written.
    pub write_pointer: In<Bits<P>>,
    /// Count of live registers that is written; one that does not fit is stored as the largest that does.
    pub write_count: In<Bits<12>>,

    /// Pointer of the line that was read last.
    pub pointer: Out<Bits<P>>,
    /// Count of live registers of the line that was read last.
    pub count: Out<Bits<12>>,

    #[new(Memory::new(ctas))]
    pointers: Memory<P, 7>,
    /// Six bits of the count each, the low ones first.
    #[new(Memory::new(ctas))]
    counts: [Memory<6, 7>; slices],
    #[value((1u64 << count_bits) - 1)]
    most: Constant<Bits<12>>,
    /// Where in the count a slice begins.
    #[value(|slice| 6 * slice)]
    shift: Constant<[Bits<4>; slices]>,
}

watch!(PcrfPointerTable<P>: [
    "read(block = cta) if read: look up the chain of block {block}",
    "write(block = cta) if write: the chain of block {block} begins at {write_pointer}",
    "misuse if read && write: a line is read and written in one cycle",
]);

monitor!(PcrfPointerTable<P>: "pcrf_pointer_table_monitor.v");

#[rtl]
impl<const P: usize> PcrfPointerTable<P> {
    fn counts() {
        pointers.enable = read | write;
        connect!(pointers { write, address: cta, write_data: write_pointer } -> read_data as pointer);

        let stored_count: Bits<12> = if write_count > most { most } else { write_count };
        count = 0;
        for s in 0..slices {
            counts[s].enable = read | write;
            counts[s].write = write;
            counts[s].address = cta;
            counts[s].write_data = stored_count.get_bits::<6>(6 * s);
            count |= (bit_cast::<12, 6>(counts[s].read_data) << shift[s]);
        }
    }
}

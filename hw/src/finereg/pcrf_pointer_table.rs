// SPDX-License-Identifier: Apache-2.0
//! PCRF pointer table: R §V-C, §V-F. Where the live registers of each pending CTA begin, and how many they
//! are.
//!
//! R gives a line 10 bits of pointer and 6 of count. The count is of the whole CTA: the feasibility check of
//! §V-E adds it to the free entries. Six bits end at 63, which two warps can exceed, and a CTA may have 2048
//! live registers. The chain ends by its end bit and not by the count, so a count that is too small loses
//! nothing: it makes the check refuse a switch that would fit. A count that does not fit is therefore stored
//! as the largest that does. The count has 6 bits (R's) or 12 (every count of a CTA fits), as slices of six.
//!
//! Timing: one access per cycle. What a read finds stands on the outputs from the next cycle until the next
//! read.

use rust_hdl::prelude::*;

use crate::dialect::{block, rtl, Memory};
use crate::watch;

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

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

use gpurf_blocks::{Parameters, MAX_CTAS};
use rust_hdl::prelude::*;

use crate::dialect::{rtl, Identity, Memory, Module};

/// `P`: bits of a pointer.
#[derive(LogicBlock, Module)]
pub struct PcrfPointerTable<const P: usize> {
    pub clock: Signal<In, Clock>,
    /// At most one of `read` and `write` is high.
    pub read: Signal<In, Bit>,
    pub write: Signal<In, Bit>,
    pub cta: Signal<In, Bits<7>>,
    pub write_pointer: Signal<In, Bits<P>>,
    /// Live registers; no more than fit are stored.
    pub write_count: Signal<In, Bits<12>>,

    pub pointer: Signal<Out, Bits<P>>,
    pub count: Signal<Out, Bits<12>>,

    stored_count: Signal<Local, Bits<12>>,
    pointers: Memory<P, 7>,
    /// Six bits of the count each, the low ones first.
    counts: Vec<Memory<6, 7>>,
    most: Constant<Bits<12>>,
    /// Where in the count a slice begins.
    shift: Vec<Constant<Bits<4>>>,
    identity: Identity,
    _slices: usize,
}

impl<const P: usize> PcrfPointerTable<P> {
    /// `ctas`: lines, up to 128; `count_bits`: 6 or 12.
    pub fn new(parameters: &Parameters) -> Self {
        let Parameters { ctas, count_bits, .. } = *parameters;
        assert!(ctas <= MAX_CTAS, "{ctas} CTAs");
        assert!([6, 12].contains(&count_bits), "a count of {count_bits} bits");
        let slices = count_bits / 6;
        PcrfPointerTable {
            clock: Signal::default(),
            read: Signal::default(),
            write: Signal::default(),
            cta: Signal::default(),
            write_pointer: Signal::default(),
            write_count: Signal::default(),
            pointer: Signal::default(),
            count: Signal::default(),
            stored_count: Signal::default(),
            pointers: Memory::new(ctas),
            counts: (0..slices).map(|_| Memory::new(ctas)).collect(),
            most: Constant::new(((1u64 << count_bits) - 1).into()),
            shift: (0..slices as u64).map(|slice| Constant::new((6 * slice).into())).collect(),
            identity: Identity::new(
                "pcrf_pointer_table",
                "PCRF pointer table (R V-C)",
                &[("ctas", ctas), ("pointer", P), ("count", count_bits)],
            ),
            _slices: slices,
        }
    }
}

impl<const P: usize> Logic for PcrfPointerTable<P> {
    #[rtl]
    fn update(&mut self) {
        self.pointers.clock.next = self.clock.val();
        self.pointers.enable.next = self.read.val() | self.write.val();
        self.pointers.write.next = self.write.val();
        self.pointers.address.next = self.cta.val();
        self.pointers.write_data.next = self.write_pointer.val();
        self.pointer.next = self.pointers.read_data.val();

        self.stored_count.next = self.write_count.val();
        if self.write_count.val() > self.most.val() {
            self.stored_count.next = self.most.val();
        }
        self.count.next = 0.into();
        for s in 0..self._slices {
            self.counts[s].clock.next = self.clock.val();
            self.counts[s].enable.next = self.read.val() | self.write.val();
            self.counts[s].write.next = self.write.val();
            self.counts[s].address.next = self.cta.val();
            self.counts[s].write_data.next = self.stored_count.val().get_bits::<6>(6 * s);
            self.count.next =
                self.count.val() | (bit_cast::<12, 6>(self.counts[s].read_data.val()) << self.shift[s].val());
        }
    }
}

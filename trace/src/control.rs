// SPDX-License-Identifier: Apache-2.0
//! Control bits: what the compiler tells the issue logic of a core since Volta, beside each instruction.

use borsh::{BorshDeserialize, BorshSerialize};

/// The control field of an instruction: bits 105 to 125 of its encoding.
///
/// From the lowest bit on: stall count 4, no yield 1, write barrier 3, read barrier 3, wait mask 6, reuse
/// flags 4. A barrier of 7 is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct Control(u32);

impl Default for Control {
    fn default() -> Control {
        Control::UNKNOWN
    }
}

/// Bits of the field.
const BITS: u32 = 21;
/// Where the field begins in the upper half of an encoding.
const FIRST_BIT: u32 = 105 - 64;
/// The number that names no dependence counter.
const NO_BARRIER: u32 = 7;
const REUSE: u32 = 17;
/// Only the reuse flags are known.
const UNKNOWN: u32 = 1 << BITS;

impl Control {
    /// Nothing is known, as of an instruction in a trace.
    pub const UNKNOWN: Control = Control(UNKNOWN);

    /// Neither a dependence counter nor a wait mask, no yield and stall count 0.
    pub const PLAIN: Control = Control(NO_BARRIER << 8 | NO_BARRIER << 5 | 1 << 4);

    /// The field in the upper half of an encoding of 128 bits.
    pub const fn of_upper_half(half: u64) -> Control {
        Control((half >> FIRST_BIT) as u32 & ((1 << BITS) - 1))
    }

    /// The same upper half with this field.
    pub const fn in_upper_half(self, half: u64) -> u64 {
        let field = (1u64 << BITS) - 1;
        half & !(field << FIRST_BIT) | (self.0 as u64 & field) << FIRST_BIT
    }

    /// Nothing is known but the reuse flags of four source slots.
    pub const fn of_reuse(flags: u8) -> Control {
        Control(UNKNOWN | (flags as u32 & 0xf) << REUSE)
    }

    /// The same with another stall count, up to 15.
    pub const fn with_stall(self, stall: u8) -> Control {
        Control(self.0 & !0xf | stall as u32 & 0xf)
    }

    /// The same with other reuse flags.
    pub const fn with_reuse(self, flags: u8) -> Control {
        Control(self.0 & !(0xf << REUSE) | (flags as u32 & 0xf) << REUSE)
    }

    /// The same with another wait mask.
    pub const fn with_wait_mask(self, mask: u8) -> Control {
        Control(self.0 & !(0x3f << 11) | (mask as u32 & 0x3f) << 11)
    }

    /// The same with another dependence counter for its results.
    pub const fn with_write_barrier(self, counter: u8) -> Control {
        Control(self.0 & !(7 << 5) | (counter as u32 & 7) << 5)
    }

    /// The same with another dependence counter for its sources.
    pub const fn with_read_barrier(self, counter: u8) -> Control {
        Control(self.0 & !(7 << 8) | (counter as u32 & 7) << 8)
    }

    /// More is known than reuse flags.
    pub const fn is_known(self) -> bool {
        self.0 & UNKNOWN == 0
    }

    /// Cycles until the warp's next instruction may issue.
    pub const fn stall(self) -> u8 {
        (self.0 & 0xf) as u8
    }

    /// The next cycle goes to another warp.
    pub const fn yields(self) -> bool {
        self.is_known() && self.0 >> 4 & 1 == 0
    }

    /// The dependence counter that is one higher until the results are written.
    pub const fn write_barrier(self) -> Option<u8> {
        self.barrier(5)
    }

    /// The dependence counter that is one higher until the sources are read.
    pub const fn read_barrier(self) -> Option<u8> {
        self.barrier(8)
    }

    const fn barrier(self, first_bit: u32) -> Option<u8> {
        match self.0 >> first_bit & 7 {
            NO_BARRIER => None,
            _ if !self.is_known() => None,
            counter => Some(counter as u8),
        }
    }

    /// Bit c: the instruction waits until dependence counter c is 0.
    pub const fn wait_mask(self) -> u8 {
        (self.0 >> 11 & 0x3f) as u8
    }

    /// Bit s: the operand in source slot s stays in the reuse cache.
    pub const fn reuse(self) -> u8 {
        (self.0 >> REUSE & 0xf) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_lie_as_in_an_encoding() {
        // `DMUL R8, R6, R8`: stall 8, write barrier 0.
        let control = Control::of_upper_half(0x000e_1000_0000_0000);
        assert_eq!((control.stall(), control.yields()), (8, true));
        assert_eq!((control.write_barrier(), control.read_barrier()), (Some(0), None));
        assert_eq!((control.wait_mask(), control.reuse()), (0, 0));
        assert!(control.is_known());
        let all = Control::of_upper_half(u64::MAX);
        assert_eq!((all.stall(), all.yields(), all.wait_mask(), all.reuse()), (15, false, 63, 15));
        assert_eq!((all.write_barrier(), all.read_barrier()), (None, None));
        assert_eq!(all.with_stall(3).stall(), 3);
        let barriers = all.with_write_barrier(4).with_read_barrier(2);
        assert_eq!((barriers.write_barrier(), barriers.read_barrier()), (Some(4), Some(2)));
        assert_eq!(barriers.with_write_barrier(7).with_read_barrier(7), all);
    }

    #[test]
    fn of_a_trace_nothing_is_known() {
        let unknown = Control::UNKNOWN;
        assert!(!unknown.is_known() && !unknown.yields());
        assert_eq!((unknown.stall(), unknown.wait_mask(), unknown.reuse()), (0, 0, 0));
        assert_eq!((unknown.write_barrier(), unknown.read_barrier()), (None, None));
        assert_eq!(Control::of_reuse(5).reuse(), 5);
    }
}

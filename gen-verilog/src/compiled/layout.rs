// SPDX-License-Identifier: Apache-2.0
//! Where everything stands in the memory of an engine.

/// A value's place in an engine's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatePlace {
    pub offset: usize,
    pub width: usize,
}

/// Bits of a limb of a wide value.
pub const LIMB: usize = 64;

impl StatePlace {
    /// Bytes that it takes: one, two, four or eight, or whole limbs.
    pub fn bytes(&self) -> usize {
        bytes(self.width)
    }

    /// The value, which has no more than 64 bits.
    pub fn number(&self, state: &[u8]) -> u64 {
        let at = &state[self.offset..];
        match self.bytes() {
            1 => at[0] as u64,
            2 => u16::from_le_bytes([at[0], at[1]]) as u64,
            4 => u32::from_le_bytes([at[0], at[1], at[2], at[3]]) as u64,
            _ => u64::from_le_bytes(at[..8].try_into().expect("eight bytes")),
        }
    }
}

/// Bytes of a value in memory. Elements of an array lie as close as this.
pub fn bytes(width: usize) -> usize {
    match width {
        0..=8 => 1,
        9..=16 => 2,
        17..=32 => 4,
        _ => width.div_ceil(LIMB) * 8,
    }
}

/// Gives out places one after the other.
#[derive(Default)]
pub struct StateSpace {
    end: usize,
}

impl StateSpace {
    pub fn place(&mut self, width: usize) -> StatePlace {
        StatePlace { offset: self.take(bytes(width)), width }
    }

    /// So many bytes, aligned to their number or to eight.
    pub fn take(&mut self, bytes: usize) -> usize {
        let alignment = bytes.next_power_of_two().min(8);
        let offset = self.end.next_multiple_of(alignment);
        self.end = offset + bytes;
        offset
    }

    pub fn end(&self) -> usize {
        self.end
    }
}

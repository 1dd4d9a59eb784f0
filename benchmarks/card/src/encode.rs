// SPDX-License-Identifier: Apache-2.0
//! Instructions of windows in the encoding that GPUs from Turing to Hopper have: 128 bits, control bits among
//! them.

use gpurf_sim::modern::{ClockedInstruction, ClockedOpcode};
use gpurf_trace::Control;

/// An instruction as the two words that lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encoding {
    pub low: u64,
    pub high: u64,
}

/// The number that a register has where there is none.
const RZ: u8 = 255;
/// A stall count behind which each result of the integer unit is there.
const LONG: u8 = 11;
/// The guard that is always true.
const ALWAYS: u64 = 7 << 12;

impl Encoding {
    /// Nothing for eleven cycles, behind all that is under way: longer stall counts come with a yield alone.
    pub const PAUSE: Encoding =
        Encoding { low: 0x918 | ALWAYS, high: 0 }.with(Control::PLAIN.with_stall(LONG).with_wait_mask(0x3f));

    /// An instruction whose registers are counted from `first`.
    pub fn of(instruction: &ClockedInstruction, first: u8, control: Control) -> Encoding {
        let register = |number: Option<u8>| u64::from(number.map_or(RZ, |number| first + number));
        let to = register(instruction.destination) << 16;
        let [a, b, c] = instruction.sources.map(register);
        let (a_b, three) = (a << 24 | b << 32, |opcode| opcode | to | a << 24 | b << 32);
        let (low, high) = match instruction.opcode {
            ClockedOpcode::Nop => (0x918, 0),
            // MOV reads the second slot, and copies all four bytes.
            ClockedOpcode::Mov => (0x202 | to | a << 32, 0xf00),
            // No carry comes in, none goes out.
            ClockedOpcode::Iadd3 => (three(0x210), 0x07_ffe0 << 8 | c),
            ClockedOpcode::Fadd => (0x221 | to | a_b, 0),
            ClockedOpcode::Ffma => (three(0x223), c),
            // The lower half of the clock.
            ClockedOpcode::Clock => (0x805 | to, 0x5000),
        };
        let slots = match instruction.opcode {
            ClockedOpcode::Mov => instruction.reuse << 1,
            _ => instruction.reuse,
        };
        Encoding { low: low | ALWAYS, high }.with(control.with_reuse(slots))
    }

    /// `to = later - earlier`, with nothing behind it until it is there.
    pub fn difference(to: u8, later: u8, earlier: u8) -> Encoding {
        const NEGATIVE: u64 = 1 << 63;
        let sources = [Some(later), Some(earlier), None];
        let (opcode, destination) = (ClockedOpcode::Iadd3, Some(to));
        let sum = ClockedInstruction { opcode, destination, sources, reuse: 0 };
        let mut encoding = Encoding::of(&sum, 0, Control::PLAIN.with_stall(LONG));
        encoding.low |= NEGATIVE;
        encoding
    }

    pub(crate) const fn with(self, control: Control) -> Encoding {
        Encoding { low: self.low, high: control.in_upper_half(self.high) }
    }

    /// The lower twelve bits, which say what it does.
    pub(crate) fn opcode(self) -> u64 {
        self.low & 0xfff
    }

    pub(crate) fn destination(self) -> u8 {
        (self.low >> 16) as u8
    }

    pub(crate) fn read(bytes: &[u8]) -> Encoding {
        let word = |place| u64::from_le_bytes(bytes[place..place + 8].try_into().expect("eight bytes"));
        Encoding { low: word(0), high: word(8) }
    }

    pub(crate) fn write(self, bytes: &mut [u8]) {
        bytes[..8].copy_from_slice(&self.low.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.high.to_le_bytes());
    }
}

// SPDX-License-Identifier: Apache-2.0
//! Functions of the CUDA runtime that no listing has: `printf`, `assert`, `malloc`, `free`,
//! `cudaGraphSetConditional`.
//!
//! Their addresses stand for themselves; a call to one does what it should and goes on behind the call.
//! Arguments are in R4 and up as the compiler's calling convention has them, 64-bit ones in pairs.

use sprintf::{vsprintf, Printf};

use super::block_memory::BlockMemory;
use super::fault::Fault;
use super::float_text::float_text;
use super::library_function::LibraryFunction;
use super::operation::Space;
use super::warp::{lanes_of, Warp};
use crate::error::Cause;

/// Registers that a call passes arguments and results in: R4 to R13.
const ARGUMENTS: u32 = 14;
/// Longest text that is printed or shown, in bytes.
const MAX_TEXT: usize = 1 << 16;

impl Warp {
    /// Calls a function for these lanes, the lowest first.
    pub fn call_library(
        &mut self,
        function: LibraryFunction,
        mask: u32,
        number: u32,
        memory: &mut BlockMemory,
    ) -> Result<(), Fault> {
        if (self.registers.len() as u32) < ARGUMENTS + 2 {
            return Err(Fault::new("a call that passes no arguments"));
        }
        for lane in lanes_of(mask) {
            let long = |warp: &Warp, register: usize| {
                u64::from(warp.registers[register + 1][lane]) << 32
                    | u64::from(warp.registers[register][lane])
            };
            let result = match function {
                LibraryFunction::Print => {
                    let (format, arguments) = (long(self, 4), long(self, 6));
                    let format = memory.text(format, number, lane)?;
                    let (text, count) = print(&format, arguments, &mut |address, bytes| {
                        memory.bytes(address, bytes, number, lane)
                    })?;
                    memory.printed.push_str(&text);
                    self.registers[4][lane] = count;
                    continue;
                }
                LibraryFunction::AssertFail => {
                    let text = |register| memory.text(long(self, register), number, lane);
                    let (message, file, function) = (text(4)?, text(6)?, text(10)?);
                    let line = self.registers[8][lane];
                    let message = format!("{file}:{line}: {function}: assertion `{message}` failed");
                    return Err(Fault::new(message).at(lane).of(Cause::Assertion));
                }
                LibraryFunction::Allocate => memory.global.heap().allocate(long(self, 4)),
                LibraryFunction::Free => {
                    let address = long(self, 4);
                    if !memory.global.heap().free(address) {
                        let message = format!("frees {address:#x}, which the kernel's malloc did not give");
                        return Err(Fault::new(message).at(lane));
                    }
                    continue;
                }
                // The handle is the address of the condition.
                LibraryFunction::SetCondition => {
                    let place = memory.place(Space::Global, long(self, 4), number, lane);
                    memory.write(place, self.registers[6][lane].to_le_bytes())?;
                    memory.changed = true;
                    continue;
                }
            };
            self.registers[4][lane] = result as u32;
            self.registers[5][lane] = (result >> 32) as u32;
        }
        Ok(())
    }
}

impl BlockMemory<'_> {
    /// Bytes at a generic address, little endian.
    fn bytes(&self, address: u64, bytes: usize, number: u32, lane: usize) -> Result<u64, Fault> {
        let located = self.place(Space::Generic, address, number, lane);
        Ok(match bytes {
            1 => self.read::<1>(located)?[0].into(),
            4 => u32::from_le_bytes(*self.read(located)?).into(),
            _ => u64::from_le_bytes(*self.read(located)?),
        })
    }

    /// The text at a generic address, up to its zero.
    fn text(&self, address: u64, number: u32, lane: usize) -> Result<String, Fault> {
        let mut text = vec![];
        while text.len() < MAX_TEXT {
            match self.bytes(address.wrapping_add(text.len() as u64), 1, number, lane)? {
                0 => break,
                byte => text.push(byte as u8),
            }
        }
        Ok(String::from_utf8_lossy(&text).into_owned())
    }
}

/// The text that `printf` makes of a format and the arguments in memory, each aligned to its size; and
/// their number. `read` gives so many bytes at an address.
fn print(
    format: &str,
    arguments: u64,
    read: &mut dyn FnMut(u64, usize) -> Result<u64, Fault>,
) -> Result<(String, u32), Fault> {
    let mut text = String::new();
    let mut at = arguments;
    let mut count = 0;
    let mut rest = format;
    while let Some((before, after)) = rest.split_once('%') {
        text.push_str(before);
        let end = after.find(|c: char| c.is_ascii_alphabetic() && !"hlLqjzt".contains(c) || c == '%');
        let Some(end) = end else {
            text.push('%');
            rest = after;
            continue;
        };
        let (flags, conversion) = (&after[..end], after.as_bytes()[end] as char);
        rest = &after[end + 1..];
        if conversion == '%' {
            text.push('%');
            continue;
        }
        let mut next = |bytes: usize| {
            at = at.next_multiple_of(bytes as u64);
            let value = read(at, bytes);
            at = at.wrapping_add(bytes as u64);
            count += 1;
            value
        };
        // A star takes the width or precision from the arguments.
        let mut specification = String::from("%");
        for flag in flags.chars().filter(|flag| !"hlLqjzt".contains(*flag)) {
            match flag {
                '*' => specification += &(next(4)? as u32 as i32).to_string(),
                flag => specification.push(flag),
            }
        }
        let long = flags.contains(['l', 'q', 'j', 'z', 't']);
        let bytes = if long || "fFeEgGaAps".contains(conversion) { 8 } else { 4 };
        let value = next(bytes)?;
        let (byte, half) = (flags.contains("hh"), flags.contains('h'));
        if "fFeEgGaA".contains(conversion) {
            let shown = float_text(&specification[1..], conversion, f64::from_bits(value));
            text += &shown.unwrap_or_else(|| format!("{specification}{conversion}"));
            continue;
        }
        specification.push(match conversion {
            'i' => 'd',
            'p' => 'x',
            other => other,
        });
        let string;
        let argument: &dyn Printf = match conversion {
            'd' | 'i' if long => &(value as i64),
            'd' | 'i' if byte => &(value as i8),
            'd' | 'i' if half => &(value as i16),
            'd' | 'i' => &(value as i32),
            'c' => &(value as u8 as char),
            's' => {
                let mut bytes = vec![];
                while bytes.len() < MAX_TEXT {
                    match read(value.wrapping_add(bytes.len() as u64), 1)? {
                        0 => break,
                        byte => bytes.push(byte as u8),
                    }
                }
                string = String::from_utf8_lossy(&bytes).into_owned();
                &string
            }
            'p' => {
                specification.insert(1, '#');
                &value
            }
            _ if long => &value,
            _ if byte => &(value as u8),
            _ if half => &(value as u16),
            _ => &(value as u32),
        };
        // What C does not define is shown as it stands.
        text += &vsprintf(&specification, &[argument]).unwrap_or(specification);
    }
    text.push_str(rest);
    Ok((text, count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats() {
        let mut memory = vec![];
        let put = |memory: &mut Vec<u8>, bytes: &[u8]| {
            memory.resize(memory.len().next_multiple_of(bytes.len()), 0);
            memory.extend_from_slice(bytes);
        };
        put(&mut memory, &(-5i32).to_le_bytes());
        put(&mut memory, &2.5f64.to_le_bytes());
        put(&mut memory, &0x1234u64.to_le_bytes());
        put(&mut memory, &7i32.to_le_bytes());
        put(&mut memory, &255u32.to_le_bytes());
        put(&mut memory, &(-1i64).to_le_bytes());
        let mut read = |address: u64, bytes: usize| {
            let place = &memory[address as usize..address as usize + bytes];
            Ok(place.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte)))
        };
        let format = "a%5d|%.2f|%p|%*x|%lld|%%|%q";
        let Ok((text, count)) = print(format, 0, &mut read) else { panic!("read") };
        assert_eq!(text, "a   -5|2.50|0x1234|     ff|-1|%|%q");
        assert_eq!(count, 6);
    }
}

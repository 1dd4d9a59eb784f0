// SPDX-License-Identifier: Apache-2.0
//! Reuse flags of a trace, which does not have them, from a file.

use std::collections::BTreeMap;

/// Flagged source operands by kernel and program counter.
///
/// A line is `KERNEL PC POSITION...`: the mangled name, the program counter in hexadecimal, and the numbers
/// of the flagged sources among those that the trace lists, from 0. Empty lines and lines that start with `#`
/// say nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReuseFlags {
    kernels: BTreeMap<String, BTreeMap<u32, u8>>,
}

/// A line of a file of flags that cannot be read. The caller names the file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}; write `KERNEL PC POSITION...`, such as `_Z6kernelPf 00a0 0 2`")]
pub struct FlagError {
    /// Number of the line, from 1.
    pub line: usize,
    /// The fault of the line.
    pub reason: String,
}

impl ReuseFlags {
    /// Reads the lines `KERNEL PC POSITION...`.
    pub fn parse(text: &str) -> Result<ReuseFlags, FlagError> {
        let mut flags = ReuseFlags::default();
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            flags.add(line).map_err(|reason| FlagError { line: number + 1, reason })?;
        }
        Ok(flags)
    }

    fn add(&mut self, line: &str) -> Result<(), String> {
        let mut words = line.split_ascii_whitespace();
        let kernel = words.next().unwrap_or_default();
        let pc = words.next().ok_or("there is no program counter")?;
        let pc = u32::from_str_radix(pc.strip_prefix("0x").unwrap_or(pc), 16)
            .map_err(|_| format!("`{pc}` is no program counter"))?;
        let mut flagged = 0;
        for word in words {
            let position = word.parse::<u32>().ok().filter(|&position| position < 8);
            flagged |= 1 << position.ok_or_else(|| format!("`{word}` is no position from 0 to 7"))?;
        }
        if flagged == 0 {
            return Err("there is no position".into());
        }
        *self.kernels.entry(kernel.into()).or_default().entry(pc).or_default() |= flagged;
        Ok(())
    }

    /// Flagged sources of an instruction, one bit each.
    pub fn of(&self, kernel: &str, pc: u32) -> u8 {
        self.kernels.get(kernel).and_then(|places| places.get(&pc)).copied().unwrap_or_default()
    }

    /// Kernels that it names.
    pub fn kernels(&self) -> impl Iterator<Item = &str> {
        self.kernels.keys().map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_names_positions_by_kernel_and_place() {
        let flags = ReuseFlags::parse("# of bfs\n\n_Z1kv 00a0 0 2\n_Z1kv 0x10 1\n_Z1kv a0 3\n").unwrap();
        assert_eq!((flags.of("_Z1kv", 0xa0), flags.of("_Z1kv", 0x10), flags.of("_Z1kv", 0)), (0b1101, 2, 0));
        assert_eq!(flags.of("other", 0xa0), 0);
    }

    #[test]
    fn a_line_that_says_nothing_of_use_is_refused() {
        for (text, reason) in [
            ("k", "there is no program counter"),
            ("k zz 0", "`zz` is no program counter"),
            ("k 10", "there is no position"),
            ("k 10 8", "`8` is no position"),
        ] {
            let error = ReuseFlags::parse(&format!("# flags\n{text}")).unwrap_err();
            assert!(error.line == 2 && error.reason.starts_with(reason), "{error}");
        }
    }
}

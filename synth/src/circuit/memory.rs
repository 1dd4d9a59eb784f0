// SPDX-License-Identifier: Apache-2.0
//! Memories, which the flow leaves as they are.

use anyhow::{bail, ensure, Context, Result};

use super::json::{Bit, JsonCell};
use super::Net;
use crate::memories::Ports;

/// A memory with its ports.
pub struct CircuitMemory {
    /// Its name, behind the instance of the module that it stands in.
    pub name: String,
    /// Bits of a word.
    pub width: usize,
    /// Words.
    pub rows: usize,
    /// Number of the first row.
    offset: usize,
    pub(crate) reads: Vec<Read>,
    pub(crate) writes: Vec<WritePort>,
}

/// A read port.
pub(crate) struct Read {
    /// Data appear behind the next edge, and not at once.
    pub clocked: bool,
    pub enable: Net,
    pub address: Vec<Net>,
    pub data: Vec<Net>,
    /// The reset of a clocked port's output.
    pub reset: Net,
    pub reset_value: Vec<bool>,
    /// The enable counts for the reset, too.
    pub enabled_reset: bool,
    /// Write ports whose data are read in the cycle in which they are written.
    pub transparent: Vec<bool>,
}

/// A write port.
pub(crate) struct WritePort {
    /// The enable of each bit.
    pub enable: Vec<Net>,
    pub address: Vec<Net>,
    pub data: Vec<Net>,
}

impl CircuitMemory {
    pub(super) fn read(name: &str, cell: &JsonCell) -> Result<CircuitMemory> {
        ensure!(cell.kind == "$mem_v2", "a {} cannot be evaluated", cell.kind);
        let bits = |parameter: &str| -> Result<Vec<bool>> {
            let value = cell.parameters.get(parameter).and_then(serde_json::Value::as_str);
            let value = value.with_context(|| format!("it has no {parameter}"))?;
            Ok(value.bytes().rev().map(|digit| digit == b'1').collect())
        };
        let number = |parameter: &str| -> Result<usize> {
            let bits = bits(parameter)?;
            Ok(bits.iter().enumerate().map(|(bit, is_set)| (*is_set as usize) << bit).sum())
        };
        let nets = |pin: &str| -> Result<Vec<Net>> {
            let bits = cell.connections.get(pin).with_context(|| format!("it has no pin {pin}"))?;
            Ok(bits.iter().map(Bit::net).collect())
        };
        let (width, rows, digits) = (number("WIDTH")?, number("SIZE")?, number("ABITS")?);
        let (reads, writes) = (number("RD_PORTS")?, number("WR_PORTS")?);
        for parameter in ["RD_WIDE_CONTINUATION", "WR_WIDE_CONTINUATION"] {
            if bits(parameter)?.contains(&true) {
                bail!("ports of several words cannot be evaluated");
            }
        }
        ensure!(bits("WR_CLK_ENABLE")?[..writes].iter().all(|clocked| *clocked), "a write without a clock");
        let (clocked, transparency) = (bits("RD_CLK_ENABLE")?, bits("RD_TRANSPARENCY_MASK")?);
        let (reset_values, enabled) = (bits("RD_SRST_VALUE")?, bits("RD_CE_OVER_SRST")?);
        let (enable, address, data) = (nets("RD_EN")?, nets("RD_ADDR")?, nets("RD_DATA")?);
        let (reset, never) = (nets("RD_SRST")?, nets("RD_ARST")?);
        ensure!(never.iter().all(|net| *net == 0), "an asynchronous reset cannot be evaluated");
        let reads = (0..reads).map(|port| Read {
            clocked: clocked[port],
            enable: enable[port],
            address: address[port * digits..(port + 1) * digits].to_vec(),
            data: data[port * width..(port + 1) * width].to_vec(),
            reset: reset[port],
            reset_value: reset_values[port * width..(port + 1) * width].to_vec(),
            enabled_reset: enabled[port],
            transparent: (0..writes).map(|write| transparency[port * writes + write]).collect(),
        });
        let reads = reads.collect();
        let (enable, address, data) = (nets("WR_EN")?, nets("WR_ADDR")?, nets("WR_DATA")?);
        let writes = (0..writes).map(|port| WritePort {
            enable: enable[port * width..(port + 1) * width].to_vec(),
            address: address[port * digits..(port + 1) * digits].to_vec(),
            data: data[port * width..(port + 1) * width].to_vec(),
        });
        Ok(CircuitMemory {
            name: name.to_string(),
            width,
            rows,
            offset: number("OFFSET")?,
            reads,
            writes: writes.collect(),
        })
    }

    /// The instance of a module that it stands in; empty for the top.
    pub fn path(&self) -> &str {
        self.name.rsplit_once('.').map_or("", |(path, _)| path)
    }

    /// Its ports; a read and a write that have their address in common share one.
    pub fn ports(&self) -> Ports {
        let is_shared = |read: &&Read| self.writes.iter().any(|write| write.address == read.address);
        let shared = self.reads.iter().filter(is_shared).count().min(self.writes.len());
        Ports { shared, reads: self.reads.len() - shared, writes: self.writes.len() - shared }
    }

    /// Every net that goes into it, the clocks left out.
    pub(super) fn inputs(&self) -> impl Iterator<Item = Net> + '_ {
        let reads = self.reads.iter().flat_map(|read| read.address.iter().chain([&read.enable, &read.reset]));
        let writes =
            self.writes.iter().flat_map(|write| write.address.iter().chain(&write.data).chain(&write.enable));
        reads.chain(writes).copied().filter(|net| *net > 1)
    }

    /// The place of an addressed row among its words, if there is such a row.
    pub(super) fn row(&self, address: &[Net], values: &[u8]) -> Option<usize> {
        let number: usize =
            address.iter().enumerate().map(|(bit, net)| (values[*net as usize] as usize) << bit).sum();
        let row = number.checked_sub(self.offset)?;
        (row < self.rows).then_some(row)
    }
}

// SPDX-License-Identifier: Apache-2.0
//! Registers that leave the banks of an operand stage, alone or within a sub-core.

use gpurf_blocks::Data;

use crate::Random;

/// A register that stands at the port until it is read, and the value of the one read last.
#[derive(Debug, Default)]
pub struct Transfers<D> {
    ports: usize,
    offered: Option<(u32, u32)>,
    expected: Option<D>,
    taken: u64,
}

impl<D: Data> Transfers<D> {
    /// Through so many ports, none or one.
    pub fn new(ports: usize) -> Self {
        Transfers { ports, offered: None, expected: None, taken: 0 }
    }

    /// Warp and register at the port in this cycle; a new one may be this.
    pub fn offer(&mut self, random: &mut Random, warp: u32, register: u32) -> Option<(u32, u32)> {
        if self.ports > 0 && self.offered.is_none() && random.percent(60) {
            self.offered = Some((warp, register));
        }
        self.offered
    }

    /// `value`: the last one written to a register of a warp before this cycle.
    pub fn observe(
        &mut self,
        taken: bool,
        arrived: Option<D>,
        value: impl Fn(u32, u32) -> D,
    ) -> Result<(), String> {
        if arrived != self.expected {
            return Err(format!("{arrived:x?} leaves in place of {:x?}", self.expected));
        }
        self.expected = None;
        if taken {
            let (warp, register) = self.offered.take().ok_or("a register is read, and none is to leave")?;
            self.expected = Some(value(warp, register));
            self.taken += 1;
        }
        Ok(())
    }

    /// The stimulus's coverage of it.
    pub fn coverage(&self) -> Vec<(&'static str, u64)> {
        if self.ports > 0 {
            vec![("registers that leave", self.taken)]
        } else {
            vec![]
        }
    }
}

/// Writes the register at the port into the inputs of either module, which name them alike.
macro_rules! offer {
    ($transfers:expr, $inputs:expr, $random:expr, $place:expr, $lender:expr, $base:expr) => {
        let (warp, register) = $place;
        if let Some((warp, register)) = $transfers.offer($random, warp, register) {
            $inputs.transfer_valid[0] = true;
            let lender = $lender(warp, register);
            $inputs.transfer_warp[0] = lender;
            $inputs.transfer_register[0] = register;
            $inputs.transfer_base[0] = $base(lender);
        }
    };
}
pub(crate) use offer;

/// Checks what either module answers.
macro_rules! check_transfer {
    ($transfers:expr, $outputs:expr, $values:expr) => {
        let arrived = $outputs.transfer_arrives[0].then_some($outputs.transfer_data[0]);
        let value = |warp, register| $values.get(&(warp, register)).copied().unwrap_or_default();
        $transfers.observe($outputs.transfer_taken[0], arrived, value)?;
    };
}
pub(crate) use check_transfer;

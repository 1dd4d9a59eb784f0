// SPDX-License-Identifier: Apache-2.0
//! Results of a sub-core that wait for their bank.

use gpurf_trace::RegisterId;
use std::collections::VecDeque;

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::{BankId, Row, WarpId, MAX_BANKS};

use crate::register_file::home;

/// A register to be written.
#[derive(Clone, Copy, BorshSerialize, BorshDeserialize)]
pub(super) struct WaitingResult {
    pub warp: WarpId,
    pub register: RegisterId,
    /// The warp in whose row it lies: another one if it is renamed.
    pub home: WarpId,
    pub near: bool,
    pub token: u32,
    /// Number of the instruction whose result it is.
    pub serial: u32,
    /// First row of the warp in whose row it lies.
    pub base: Row,
    /// It comes back with its block, and is no result of an instruction.
    pub restored: bool,
}

/// Results that wait for their bank.
#[derive(BorshSerialize, BorshDeserialize)]
pub(super) struct ResultQueues {
    waiting: [VecDeque<WaitingResult>; MAX_BANKS],
    /// Banks for which any waits, a bit each.
    wanted: u8,
    banks: usize,
    /// The ones that come back with their block.
    restoring: u32,
}

impl ResultQueues {
    /// For so many banks.
    pub fn new(banks: usize) -> Self {
        let waiting = std::array::from_fn(|_| VecDeque::with_capacity(64));
        ResultQueues { waiting, wanted: 0, banks, restoring: 0 }
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.wanted == 0
    }

    /// Banks for which any waits, a bit each.
    #[inline]
    pub fn wanted(&self) -> u8 {
        self.wanted
    }

    /// Registers of a block that comes are still to be written.
    pub fn is_restoring(&self) -> bool {
        self.restoring > 0
    }

    #[inline]
    pub fn push(&mut self, result: WaitingResult) {
        self.restoring += u32::from(result.restored);
        let bank = self.home(result.home, result.base, result.register).0.index();
        self.waiting[bank].push_back(result);
        self.wanted |= 1 << bank;
    }

    /// The result that a bank takes in this cycle.
    #[inline]
    pub fn pop(&mut self, bank: BankId) -> Option<WaitingResult> {
        let waiting = &mut self.waiting[bank.index()];
        let result = waiting.pop_front()?;
        self.wanted &= !(u8::from(waiting.is_empty()) << bank.0);
        self.restoring -= u32::from(result.restored);
        Some(result)
    }

    /// Bank and row of a register of a warp whose registers lie from row `base` on.
    #[inline]
    pub fn home(&self, warp: WarpId, base: Row, register: RegisterId) -> (BankId, Row) {
        home(self.banks, warp, base, register)
    }
}

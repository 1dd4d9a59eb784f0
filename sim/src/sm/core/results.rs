//! Results of a sub-core that wait for their bank.

use gpurf_trace::RegisterId;
use std::collections::VecDeque;

use gpurf_blocks::{BankId, Row, WarpId, MAX_BANKS};

use crate::register_file::home;

/// A register to be written.
#[derive(Clone, Copy)]
pub(super) struct WaitingResult {
    pub warp: WarpId,
    pub register: RegisterId,
    pub near: bool,
    pub token: u32,
    /// Number of the instruction whose result it is.
    pub serial: u32,
    pub base: Row,
    /// It comes back with its block, and is no result of an instruction.
    pub restored: bool,
}

pub(super) struct Results {
    waiting: [VecDeque<WaitingResult>; MAX_BANKS],
    banks: usize,
    /// Those that come back with their block.
    restoring: u32,
    /// What was written into each bank, row by row, if registers that leave are read from there.
    copies: Option<[Vec<u32>; MAX_BANKS]>,
}

impl Results {
    /// `copied_rows`: of a bank, if what is written is to be kept.
    pub fn new(banks: usize, copied_rows: Option<usize>) -> Self {
        Results {
            waiting: std::array::from_fn(|_| VecDeque::with_capacity(64)),
            banks,
            restoring: 0,
            copies: copied_rows.map(|rows| std::array::from_fn(|_| vec![0; rows])),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.waiting[..self.banks].iter().all(VecDeque::is_empty)
    }

    /// Registers of a block that comes are still to be written.
    pub fn is_restoring(&self) -> bool {
        self.restoring > 0
    }

    pub fn push(&mut self, result: WaitingResult) {
        self.restoring += u32::from(result.restored);
        self.waiting[self.home(result.warp, result.base, result.register).0.index()].push_back(result);
    }

    /// The result that a bank takes in this cycle.
    pub fn pop(&mut self, bank: BankId) -> Option<WaitingResult> {
        let result = self.waiting[bank.index()].pop_front()?;
        self.restoring -= u32::from(result.restored);
        if let Some(copies) = &mut self.copies {
            let (_, row) = home(self.banks, result.warp, result.base, result.register);
            copies[bank.index()][row.index()] = result.token;
        }
        Some(result)
    }

    /// What was written into a register last, if that is kept.
    pub fn written(&self, warp: WarpId, base: Row, register: RegisterId) -> Option<u32> {
        let (bank, row) = self.home(warp, base, register);
        Some(self.copies.as_ref()?[bank.index()][row.index()])
    }

    /// Bank and row of a register of a warp whose registers lie from row `base` on.
    pub fn home(&self, warp: WarpId, base: Row, register: RegisterId) -> (BankId, Row) {
        home(self.banks, warp, base, register)
    }
}

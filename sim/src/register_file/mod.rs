// SPDX-License-Identifier: Apache-2.0
//! Reference models of the banks, their queues and the arbiter, written from F §II, §III-B and §IV-A2.

use gpurf_blocks::{BankId, Row, WarpId};
use gpurf_trace::RegisterId;

gpurf_rtl::modules!("src/register_file");

/// Where a register of a warp lives: bank, and row; the warp's registers begin in row `base`. `banks`: 2 or
/// 4.
#[inline]
pub fn home(banks: usize, warp: WarpId, base: Row, register: RegisterId) -> (BankId, Row) {
    let register = u32::from(register);
    let bank = (register + 1 + u32::from(warp)) & (banks as u32 - 1);
    (BankId(bank as u8), Row((base.0 + (register >> banks.trailing_zeros())) & 0xff))
}

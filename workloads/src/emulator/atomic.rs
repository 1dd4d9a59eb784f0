//! What atomic operations compute.

use super::arithmetic::{double, half, single, FloatMode};
use super::operation::{AtomicFunction, AtomicType};

pub(super) fn atomic_32(
    function: AtomicFunction,
    kind: AtomicType,
    before: u32,
    operand: u32,
    swap: u32,
) -> u32 {
    let nearest = |flush| FloatMode { flush, ..FloatMode::default() };
    match (function, kind) {
        (AtomicFunction::Add, AtomicType::F32 { flush }) => single::add(before, operand, nearest(flush)),
        (AtomicFunction::Add, AtomicType::F16x2) => half::add2(before, operand, nearest(false)),
        (AtomicFunction::Add, _) => before.wrapping_add(operand),
        (AtomicFunction::Min, AtomicType::S32) => (before as i32).min(operand as i32) as u32,
        (AtomicFunction::Min, _) => before.min(operand),
        (AtomicFunction::Max, AtomicType::S32) => (before as i32).max(operand as i32) as u32,
        (AtomicFunction::Max, _) => before.max(operand),
        (AtomicFunction::And, _) => before & operand,
        (AtomicFunction::Or, _) => before | operand,
        (AtomicFunction::Xor, _) => before ^ operand,
        (AtomicFunction::Exchange, _) => operand,
        (AtomicFunction::CompareAndSwap | AtomicFunction::CompareAndSwapTest, _) => {
            if before == operand {
                swap
            } else {
                before
            }
        }
        (AtomicFunction::Increment, _) => {
            if before >= operand {
                0
            } else {
                before + 1
            }
        }
        (AtomicFunction::Decrement, _) => {
            if before == 0 || before > operand {
                operand
            } else {
                before - 1
            }
        }
    }
}

pub(super) fn atomic_64(
    function: AtomicFunction,
    kind: AtomicType,
    before: u64,
    operand: u64,
    swap: u64,
) -> u64 {
    match (function, kind) {
        (AtomicFunction::Add, AtomicType::F64) => double::add(before, operand, Default::default()),
        (AtomicFunction::Add, _) => before.wrapping_add(operand),
        (AtomicFunction::Min, AtomicType::S64) => (before as i64).min(operand as i64) as u64,
        (AtomicFunction::Min, _) => before.min(operand),
        (AtomicFunction::Max, AtomicType::S64) => (before as i64).max(operand as i64) as u64,
        (AtomicFunction::Max, _) => before.max(operand),
        (AtomicFunction::And, _) => before & operand,
        (AtomicFunction::Or, _) => before | operand,
        (AtomicFunction::Xor, _) => before ^ operand,
        (AtomicFunction::Exchange, _) => operand,
        (AtomicFunction::CompareAndSwap | AtomicFunction::CompareAndSwapTest, _) => {
            if before == operand {
                swap
            } else {
                before
            }
        }
        (AtomicFunction::Increment, _) => {
            if before >= operand {
                0
            } else {
                before + 1
            }
        }
        (AtomicFunction::Decrement, _) => {
            if before == 0 || before > operand {
                operand
            } else {
                before - 1
            }
        }
    }
}

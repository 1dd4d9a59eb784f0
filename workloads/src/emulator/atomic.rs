// SPDX-License-Identifier: Apache-2.0
//! Functions of atomic operations.

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
        _ => integers_32(function, kind == AtomicType::S32, before, operand, swap),
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
        _ => integers_64(function, kind == AtomicType::S64, before, operand, swap),
    }
}

/// An operation on two integers.
macro_rules! integers {
    ($name:ident, $unsigned:ty, $signed:ty) => {
        fn $name(
            function: AtomicFunction,
            signed: bool,
            before: $unsigned,
            operand: $unsigned,
            swap: $unsigned,
        ) -> $unsigned {
            match function {
                AtomicFunction::Add => before.wrapping_add(operand),
                AtomicFunction::Min if signed => (before as $signed).min(operand as $signed) as $unsigned,
                AtomicFunction::Min => before.min(operand),
                AtomicFunction::Max if signed => (before as $signed).max(operand as $signed) as $unsigned,
                AtomicFunction::Max => before.max(operand),
                AtomicFunction::And => before & operand,
                AtomicFunction::Or => before | operand,
                AtomicFunction::Xor => before ^ operand,
                AtomicFunction::Exchange => operand,
                AtomicFunction::CompareAndSwap | AtomicFunction::CompareAndSwapTest if before == operand => {
                    swap
                }
                AtomicFunction::CompareAndSwap | AtomicFunction::CompareAndSwapTest => before,
                AtomicFunction::Increment if before >= operand => 0,
                AtomicFunction::Increment => before + 1,
                AtomicFunction::Decrement if before == 0 || before > operand => operand,
                AtomicFunction::Decrement => before - 1,
            }
        }
    };
}

integers!(integers_32, u32, i32);
integers!(integers_64, u64, i64);

// SPDX-License-Identifier: Apache-2.0
//! Collectors: units that gather the source operands of one instruction.

pub use gpurf_blocks::ports::{CollectorIn, CollectorOut};

crate::dialect::modules!("src/collector");

// SPDX-License-Identifier: Apache-2.0
//! The sub-core that ships: control bits, a read window and a register-file cache in place of scoreboard and
//! collectors.

crate::dialect::modules!("src/modern");

// SPDX-License-Identifier: Apache-2.0
//! Small cells that the larger modules share.

crate::dialect::modules!("src/cells");

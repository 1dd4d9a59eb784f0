// SPDX-License-Identifier: Apache-2.0
//! Facts that are known of a module on a device.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::emulator::Code;

pub(super) struct Loaded {
    pub identity: u64,
    /// The file of its listing.
    pub file: String,
    /// Kernels decoded so far.
    pub codes: Vec<Arc<Code>>,
    pub constants: Arc<Vec<u8>>,
    pub addresses: Arc<Vec<u8>>,
    /// Address and size of global variables.
    pub globals: BTreeMap<String, (u64, u32)>,
    /// Where a copy of the constants lies, for code that addresses them as other memory.
    pub constants_place: Option<u64>,
    /// Where blocks of a whole grid meet.
    pub workspace: Option<u64>,
    /// Names that the module uses and lacks.
    pub missing: Arc<Vec<String>>,
}

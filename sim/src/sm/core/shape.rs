// SPDX-License-Identifier: Apache-2.0
//! The shape of a sub-core: all that only says what its design is.

use crate::bits::all;
use crate::config::{Config, Organisation};
use crate::design::{Design, KeptOperands};

/// Facts of a design, found once.
pub(super) struct CoreShape {
    /// The sub-core's number in its SM.
    pub index: usize,
    /// Nothing of the design stands between the warps and the hardware: whatever warp is ready may issue,
    /// there is no register cache, and blocks keep their slots.
    pub is_plain: bool,
    /// Collectors keep operands for later instructions.
    pub caches_operands: bool,
    /// Collectors have windows, which branches leave.
    pub has_windows: bool,
    /// Instructions pass latches on their way to a collector.
    pub has_latches: bool,
    /// A collector can take an instruction in the cycle of its dispatch.
    pub issues_on_dispatch: bool,
    /// Blocks may give up their slots.
    pub switches: bool,
    /// The banks that there are, one bit each.
    pub banks: u8,
    /// Source slots and destinations of an instruction, as the hardware has them.
    pub places: (usize, usize),
    /// Cycles are left out in which the hardware is idle or stands still.
    pub skips: bool,
}

impl CoreShape {
    /// The shape of the sub-core of this number in its SM.
    pub fn new(index: usize, config: &Config, design: &Design) -> Self {
        CoreShape {
            index,
            is_plain: config.organisation == Organisation::SubCores
                && design.two_level.is_none()
                && design.register_cache.is_none()
                && !design.reads_in_window()
                && !design.switches(),
            caches_operands: design.has_caching_collectors(),
            has_windows: design.collector.keeps == KeptOperands::Window,
            has_latches: design.on(config).has_latches(),
            issues_on_dispatch: config.hardware.issue_on_dispatch,
            switches: design.switches(),
            banks: all(config.hardware.banks),
            places: (config.hardware.slots, config.hardware.destinations),
            skips: true,
        }
    }
}

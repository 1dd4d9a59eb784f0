// SPDX-License-Identifier: Apache-2.0
//! Policies of residency: how CTAs beyond those that can be active are kept. R §I, §VI-A. A constant each,
//! put together from the stores that there are.

use super::values::{named_rows, ChoiceValue};

/// How CTAs beyond those that can be active are kept.
pub struct Residency {
    /// As the command line has it.
    pub name: &'static str,
    /// There are such CTAs, and they take the place of active ones.
    pub switches: bool,
    /// The place of a pending CTA's registers if the banks have no room for them.
    pub store: Store,
    /// Each warp has a part of its registers, and takes the others from a shared pool while it needs them.
    pub pool: bool,
}

/// The place of a pending CTA's registers if the banks have no room for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Store {
    /// None: only CTAs whose registers the banks hold are resident.
    Nowhere,
    /// All of them in DRAM, for some CTAs.
    Dram,
    /// The live ones in the PCRF, through the RMU.
    Pcrf,
}

named_rows! { Residency:
    /// There are none.
    BASELINE = Residency { name: "baseline", switches: false, store: Store::Nowhere, pool: false };
    /// With all their registers in the register file, as many as it holds. Virtual Thread.
    VIRTUAL_THREAD =
        Residency { name: "virtual_thread", switches: true, store: Store::Nowhere, pool: false };
    /// And some more with all their registers in DRAM. Zorua-like, "Reg+DRAM".
    REG_DRAM = Residency { name: "reg_dram", switches: true, store: Store::Dram, pool: false };
    /// As under Virtual Thread, each warp with a part of its registers; it takes the others from a shared
    /// pool while it needs them. "VT+RegMutex".
    VIRTUAL_THREAD_REG_MUTEX =
        Residency { name: "virtual_thread_reg_mutex", switches: true, store: Store::Nowhere, pool: true };
    /// With their live registers in the PCRF.
    FINE_REG = Residency { name: "fine_reg", switches: true, store: Store::Pcrf, pool: false };
}

impl Residency {
    /// Registers leave the register file with their CTAs.
    pub fn moves_registers(&self) -> bool {
        self.store != Store::Nowhere
    }

    /// An RMU moves registers into the PCRF and back.
    pub fn has_rmu(&self) -> bool {
        self.store == Store::Pcrf
    }

    /// The registers that are live at each instruction have to be known.
    pub fn needs_live_registers(&self) -> bool {
        self.has_rmu() || self.pool
    }

    /// Warps or CTAs may wait until a store of registers has room.
    pub fn waits_for_registers(&self) -> bool {
        self.has_rmu() || self.pool
    }

    /// All that it needs is there as hardware.
    pub fn is_built(&self) -> bool {
        self.store != Store::Dram
    }
}

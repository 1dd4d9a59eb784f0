// SPDX-License-Identifier: Apache-2.0
//! A cycle of a register cache in words: what its ports show by flags is there or not, and what belongs
//! together lies in one place. The SM and the model speak to each other in words; engines that have nothing
//! but ports get those made of them.
//!
//! A cycle has two halves. What moves is offered first; no source decides about that. Then sources may be
//! looked up.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{RegisterCacheIn, RegisterCacheOut};
use gpurf_blocks::{Data, WarpId, MAX_SLOTS};
use gpurf_trace::RegisterId;

use crate::bits::{flags, mask, members};

/// Lanes of a register of a warp.
#[derive(Clone, Copy, Debug, Default, BorshSerialize, BorshDeserialize)]
pub struct RegisterLanes<D> {
    /// Its warp.
    pub warp: WarpId,
    /// Its number.
    pub register: RegisterId,
    /// Which lanes.
    pub lanes: u32,
    /// The data of these lanes.
    pub data: D,
}

/// Data that is to move in a cycle.
#[derive(Clone, Copy, Debug, Default)]
pub struct Offer<D> {
    /// A result.
    pub result: Option<RegisterLanes<D>>,
    /// A source that missed, and its place in its instruction.
    pub fill: Option<(RegisterLanes<D>, u8)>,
    /// A warp whose part is to be emptied.
    pub flush: Option<Flush>,
    /// The register file takes what leaves.
    pub register_ready: bool,
}

/// A warp's part is to be emptied.
#[derive(Clone, Copy, Debug, Default)]
pub struct Flush {
    /// The warp.
    pub warp: WarpId,
    /// Its values are dead, and are not written back.
    pub drop: bool,
}

/// Data that moves in a cycle.
#[derive(Clone, Copy, Debug, Default)]
pub struct Moved<D> {
    /// A result is taken, if there is one.
    pub write_ready: bool,
    /// A fill is taken, if there is one.
    pub fill_ready: bool,
    /// A flush is taken, if there is one.
    pub flush_ready: bool,
    /// A flush is under way.
    pub flushing: bool,
    /// The value that goes to the register file.
    pub leaving: Option<RegisterLanes<D>>,
    /// Lanes of the result that the cache had.
    pub write_hit: u32,
    /// Banks that are written.
    pub bank_writes: u32,
    /// The data of the sources that were looked up in the last cycle, the lanes that hit. The others are
    /// zero.
    pub data: [D; MAX_SLOTS],
}

/// Sources of the instruction that issues.
#[derive(Clone, Copy, Debug, Default)]
pub struct IssuedSources {
    /// Bit s: slot s has one.
    pub read: u8,
    /// Bit s: that of slot s has the compiler's reuse flag.
    pub reuse: u8,
    /// The register of each.
    pub registers: [RegisterId; MAX_SLOTS],
    /// Their warp.
    pub warp: WarpId,
    /// Lanes that read.
    pub lanes: u32,
}

/// The cache's answer to sources.
#[derive(Clone, Copy, Debug, Default, BorshSerialize, BorshDeserialize)]
pub struct LookedUp {
    /// Lanes that the cache has.
    pub hit: [u32; MAX_SLOTS],
    /// Lanes that the register file has.
    pub miss: [u32; MAX_SLOTS],
    /// Lanes that come back as a fill.
    pub take: [u32; MAX_SLOTS],
    /// Banks that are read, summed over the sources.
    pub bank_reads: u32,
}

impl<D: Data> Offer<D> {
    /// From ports.
    pub fn of_ports(ports: &RegisterCacheIn<D>) -> Self {
        Offer {
            result: ports.write.then_some(RegisterLanes {
                warp: WarpId(ports.write_warp as u8),
                register: RegisterId(ports.write_register as u8),
                lanes: ports.write_lanes,
                data: ports.write_data,
            }),
            fill: ports.fill.then(|| {
                let value = RegisterLanes {
                    warp: WarpId(ports.fill_warp as u8),
                    register: RegisterId(ports.fill_register as u8),
                    lanes: ports.fill_lanes,
                    data: ports.fill_data,
                };
                (value, ports.fill_position as u8)
            }),
            flush: ports
                .flush
                .then_some(Flush { warp: WarpId(ports.flush_warp as u8), drop: ports.flush_drop }),
            register_ready: ports.register_ready,
        }
    }

    /// At ports, with these sources.
    pub fn ports(&self, sources: &IssuedSources) -> RegisterCacheIn<D> {
        let mut ports = RegisterCacheIn {
            read: flags(sources.read),
            read_register: sources.registers.map(u32::from),
            read_reuse: flags(sources.reuse),
            read_warp: sources.warp.into(),
            read_lanes: sources.lanes,
            register_ready: self.register_ready,
            ..RegisterCacheIn::default()
        };
        if let Some(RegisterLanes { warp, register, lanes, data }) = self.result {
            ports.write = true;
            (ports.write_warp, ports.write_register) = (warp.into(), register.into());
            (ports.write_lanes, ports.write_data) = (lanes, data);
        }
        if let Some((RegisterLanes { warp, register, lanes, data }, position)) = self.fill {
            ports.fill = true;
            (ports.fill_warp, ports.fill_register) = (warp.into(), register.into());
            (ports.fill_lanes, ports.fill_data, ports.fill_position) = (lanes, data, position.into());
        }
        if let Some(Flush { warp, drop }) = self.flush {
            (ports.flush, ports.flush_warp, ports.flush_drop) = (true, warp.into(), drop);
        }
        ports
    }
}

impl<D: Data> Moved<D> {
    /// From ports.
    pub fn of_ports(ports: &RegisterCacheOut<D>) -> Self {
        Moved {
            write_ready: ports.write_ready,
            fill_ready: ports.fill_ready,
            flush_ready: ports.flush_ready,
            flushing: ports.flushing,
            leaving: ports.register_write.then_some(RegisterLanes {
                warp: WarpId(ports.register_warp as u8),
                register: RegisterId(ports.register_number as u8),
                lanes: ports.register_lanes,
                data: ports.register_data,
            }),
            write_hit: ports.write_hit,
            bank_writes: ports.bank_writes,
            data: ports.data,
        }
    }

    /// At ports, with what sources find; `None` if they must wait.
    pub fn ports(&self, looked_up: Option<&LookedUp>) -> RegisterCacheOut<D> {
        let mut ports = RegisterCacheOut {
            conflict: looked_up.is_none(),
            data: self.data,
            write_ready: self.write_ready,
            fill_ready: self.fill_ready,
            flush_ready: self.flush_ready,
            flushing: self.flushing,
            write_hit: self.write_hit,
            bank_writes: self.bank_writes,
            ..RegisterCacheOut::default()
        };
        if let Some(LookedUp { hit, miss, take, bank_reads }) = looked_up {
            (ports.hit, ports.miss, ports.take, ports.bank_reads) = (*hit, *miss, *take, *bank_reads);
        }
        if let Some(RegisterLanes { warp, register, lanes, data }) = self.leaving {
            ports.register_write = true;
            (ports.register_warp, ports.register_number) = (warp.into(), register.into());
            (ports.register_lanes, ports.register_data) = (lanes, data);
        }
        ports
    }
}

impl IssuedSources {
    /// From ports.
    pub fn of_ports<D: Data>(ports: &RegisterCacheIn<D>) -> Self {
        IssuedSources {
            read: mask(&ports.read),
            reuse: mask(&ports.read_reuse),
            registers: ports.read_register.map(|register| RegisterId(register as u8)),
            warp: WarpId(ports.read_warp as u8),
            lanes: ports.read_lanes,
        }
    }

    /// Slots that have one, and its register.
    #[inline]
    pub fn each(&self) -> impl Iterator<Item = (usize, RegisterId)> + '_ {
        members(self.read).map(|slot| (slot, self.registers[slot]))
    }
}

impl LookedUp {
    /// From ports; `None` if a source must wait.
    pub fn of_ports<D: Data>(ports: &RegisterCacheOut<D>) -> Option<Self> {
        let RegisterCacheOut { conflict, hit, miss, take, bank_reads, .. } = *ports;
        (!conflict).then_some(LookedUp { hit, miss, take, bank_reads })
    }
}

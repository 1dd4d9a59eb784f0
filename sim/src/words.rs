// SPDX-License-Identifier: Apache-2.0
//! A cycle of a sub-core in words: what its ports [`SubCoreIn`] and [`SubCoreOut`] show as flags is sets
//! here, a bit each, and an instruction lies in one place. The SM and the models of a sub-core speak to each
//! other in words; engines that have nothing but ports get those made of them.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{SubCoreIn, SubCoreOut};
use gpurf_blocks::{Data, Row, WarpId, WarpSet, MAX_SLOTS, MAX_WARPS};
use gpurf_trace::RegisterId;

use crate::bits::{flags, mask, warp_flags, warp_mask};
use crate::collector::{Issue, WrittenResults};

/// Inputs of a sub-core in a cycle.
#[derive(Clone, Debug, Default, BorshSerialize, BorshDeserialize)]
pub struct CycleIn<D> {
    /// Warps whose next instruction depends on nothing under way.
    pub ready: WarpSet,
    /// New warps; they are not ready yet.
    pub launch: WarpSet,
    /// The next instruction of each warp.
    pub heads: [Issue; MAX_WARPS],
    /// How long an allocation waits.
    pub sthld: u32,
    /// Results that are written into the banks.
    pub results: WrittenResults<D>,
    /// A register is to leave the banks.
    pub leaves: bool,
    /// The register that leaves, or the last one that did.
    pub leaver: Leaver,
    /// Bit u: execution unit u takes an instruction.
    pub unit_ready: u32,
}

/// A register of a warp whose registers lie from row `base` on.
#[derive(Clone, Copy, Debug, Default, BorshSerialize, BorshDeserialize)]
pub struct Leaver {
    /// Its warp.
    pub warp: WarpId,
    /// Its number.
    pub register: RegisterId,
    /// First row of its warp.
    pub base: Row,
}

/// Outputs of a sub-core in a cycle.
#[derive(Clone, Copy, Debug, Default)]
// The ports of the same names say what each is.
#[allow(missing_docs)]
pub struct CycleOut<D> {
    pub issued: bool,
    pub issued_warp: u32,
    pub issue: u8,
    pub entering_unit: u32,
    pub waiting: bool,
    pub dispatch: u8,
    pub dispatch_warp: u32,
    pub dispatch_unit: u32,
    pub dispatch_payload: u32,
    pub operand_valid: u8,
    pub operand_data: [D; MAX_SLOTS],
    pub collector_occupied: u8,
    pub hit: u8,
    pub bank_read: u8,
    pub second_read: u8,
    pub bank_conflict: u8,
    pub write_cached: u8,
    pub write_filtered: u8,
    pub transfer_taken: bool,
    pub transfer_arrives: bool,
    pub transfer_data: D,
}

/// Results that are written into the banks, from the ports of a sub-core or of a stage, which are alike.
macro_rules! results {
    ($ports:expr) => {{
        let ports = $ports;
        WrittenResults {
            banks: mask(&ports.write_valid),
            near: mask(&ports.write_near),
            warp: ports.write_warp.map(|warp| gpurf_blocks::WarpId(warp as u8)),
            base: ports.write_base.map(gpurf_blocks::Row),
            register: ports.write_register.map(|register| gpurf_trace::RegisterId(register as u8)),
            data: ports.write_data,
        }
    }};
}
pub(crate) use results;

/// The register that the same ports ask for, or the last.
macro_rules! leaver {
    ($ports:expr) => {{
        let ports = $ports;
        $crate::words::Leaver {
            warp: gpurf_blocks::WarpId(ports.transfer_warp[0] as u8),
            register: gpurf_trace::RegisterId(ports.transfer_register[0] as u8),
            base: gpurf_blocks::Row(ports.transfer_base[0]),
        }
    }};
}
pub(crate) use leaver;

/// The ports of an operand stage that are also a sub-core's, as they show what lies in words.
macro_rules! show_stage {
    ($words:expr => $ports:expr) => {{
        let (words, ports) = ($words, $ports);
        ports.dispatch = flags(words.dispatch);
        ports.dispatch_warp = words.dispatch_warp;
        ports.dispatch_unit = words.dispatch_unit;
        ports.dispatch_payload = words.dispatch_payload;
        ports.operand_valid = flags(words.operand_valid);
        ports.operand_data = words.operand_data;
        ports.collector_occupied = flags(words.collector_occupied);
        ports.hit = flags(words.hit);
        ports.bank_read = flags(words.bank_read);
        ports.second_read = flags(words.second_read);
        ports.bank_conflict = flags(words.bank_conflict);
        ports.write_cached = flags(words.write_cached);
        ports.write_filtered = flags(words.write_filtered);
        ports.transfer_taken[0] = words.transfer_taken;
        ports.transfer_arrives[0] = words.transfer_arrives;
        ports.transfer_data[0] = words.transfer_data;
    }};
}
pub(crate) use show_stage;

impl<D: Data> CycleIn<D> {
    /// From ports at which instructions have so many source slots and destinations.
    pub fn of_ports(ports: &SubCoreIn<D>, (slots, destinations): (usize, usize)) -> Self {
        CycleIn {
            ready: warp_mask(&ports.ready),
            launch: warp_mask(&ports.launch),
            heads: std::array::from_fn(|warp| Issue::at_head(ports, WarpId(warp as u8), slots, destinations)),
            sthld: ports.sthld,
            results: results!(ports),
            leaves: ports.transfer_valid[0],
            leaver: leaver!(ports),
            unit_ready: ports.unit_ready,
        }
    }

    /// At such ports.
    pub fn ports(&self, (slots, destinations): (usize, usize)) -> SubCoreIn<D> {
        let CycleIn { results, leaver, .. } = self;
        let mut ports = SubCoreIn {
            ready: warp_flags(self.ready),
            launch: warp_flags(self.launch),
            sthld: self.sthld,
            write_valid: flags(results.banks),
            write_warp: results.warp.map(u32::from),
            write_register: results.register.map(u32::from),
            write_base: results.base.map(|base| base.0),
            write_near: flags(results.near),
            write_data: results.data,
            transfer_valid: [self.leaves],
            transfer_warp: [leaver.warp.into()],
            transfer_register: [leaver.register.into()],
            transfer_base: [leaver.base.0],
            unit_ready: self.unit_ready,
            ..SubCoreIn::default()
        };
        for (warp, head) in self.heads.iter().enumerate() {
            (ports.head_unit[warp], ports.head_payload[warp]) = (head.unit, head.payload);
            (ports.head_base[warp], ports.head_flush[warp]) = (head.base.0, head.flush);
            for slot in 0..slots {
                let place = slots * warp + slot;
                ports.head_lender_valid[place] = head.lent >> slot & 1 == 1;
                (ports.head_lender_warp[place], ports.head_lender_base[place]) =
                    (head.lenders[slot].0.into(), head.lenders[slot].1.into());
                ports.head_source_valid[place] = head.sources >> slot & 1 == 1;
                ports.head_source_near[place] = head.near >> slot & 1 == 1;
                ports.head_source_register[place] = head.registers[slot].into();
            }
            for (destination, named) in head.destinations.iter().take(destinations).enumerate() {
                let place = destinations * warp + destination;
                ports.head_destination_valid[place] = named.is_some();
                ports.head_destination_register[place] = named.unwrap_or_default().into();
            }
        }
        ports
    }
}

impl<D: Data> CycleOut<D> {
    /// From ports.
    pub fn of_ports(ports: &SubCoreOut<D>) -> Self {
        CycleOut {
            issued: ports.issued,
            issued_warp: ports.issued_warp,
            issue: mask(&ports.issue),
            entering_unit: ports.entering_unit[0],
            waiting: ports.waiting,
            dispatch: mask(&ports.dispatch),
            dispatch_warp: ports.dispatch_warp,
            dispatch_unit: ports.dispatch_unit,
            dispatch_payload: ports.dispatch_payload,
            operand_valid: mask(&ports.operand_valid),
            operand_data: ports.operand_data,
            collector_occupied: mask(&ports.collector_occupied),
            hit: mask(&ports.hit),
            bank_read: mask(&ports.bank_read),
            second_read: mask(&ports.second_read),
            bank_conflict: mask(&ports.bank_conflict),
            write_cached: mask(&ports.write_cached),
            write_filtered: mask(&ports.write_filtered),
            transfer_taken: ports.transfer_taken[0],
            transfer_arrives: ports.transfer_arrives[0],
            transfer_data: ports.transfer_data[0],
        }
    }

    /// At ports.
    pub fn ports(&self) -> SubCoreOut<D> {
        let mut ports = SubCoreOut {
            issued: self.issued,
            issued_warp: self.issued_warp,
            issue: flags(self.issue),
            entering_unit: [self.entering_unit],
            waiting: self.waiting,
            ..SubCoreOut::default()
        };
        show_stage!(self => &mut ports);
        ports
    }

    /// A slot of the instruction that is dispatched, if it is used.
    #[inline]
    pub fn operand(&self, slot: usize) -> Option<D> {
        (self.operand_valid >> slot & 1 == 1).then(|| self.operand_data[slot])
    }
}

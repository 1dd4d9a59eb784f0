// SPDX-License-Identifier: Apache-2.0
//! Reference model of a register bank: F §II.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{BankIn, BankOut};
use gpurf_blocks::{Clocked, CollectorId, Data, Parameters, Row, MAX_ACCESSES};

use super::ReadRequest;

/// A single-ported memory, and the read under way; with two accesses per cycle, both.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct Bank<D: Data> {
    rows: Vec<D>,
    /// The reads of the first access and of the second.
    reads: [Read<D>; MAX_ACCESSES],
    /// The read under way is of a register that leaves, for no collector.
    leaves: bool,
    #[borsh(skip)]
    inputs: BankIn<D>,
}

/// The value that an access has read.
#[derive(Clone, Copy, Debug, Default, BorshSerialize, BorshDeserialize)]
struct Read<D> {
    under_way: bool,
    /// The collector that gets the value.
    collector: CollectorId,
    /// The slot there.
    slot: u8,
    data: D,
}

impl<D: Data> Bank<D> {
    /// After reset, with these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        let Parameters { rows, .. } = *parameters;
        Bank {
            rows: vec![D::default(); rows],
            reads: [Read::default(); MAX_ACCESSES],
            leaves: false,
            inputs: BankIn::default(),
        }
    }

    /// The last value that an access has read: its collector, its slot, the value.
    #[inline]
    pub fn last(&self, access: usize) -> (CollectorId, u8, D) {
        let Read { collector, slot, data, .. } = self.reads[access];
        (collector, slot, data)
    }

    /// The register that leaves, in this cycle.
    pub fn leaving(&self) -> Option<D> {
        self.leaves.then_some(self.reads[0].data)
    }

    /// A clock edge at which an access, the first or the second one, is a read for a collector's slot. The
    /// second one comes before [`Bank::write`]: it finds what was there.
    #[inline]
    pub fn read(&mut self, access: usize, ReadRequest { row, collector, slot }: ReadRequest) {
        let data = self.rows[row.index()];
        self.reads[access] = Read { under_way: true, collector, slot, data };
    }

    /// A clock edge at which the first access is a write.
    #[inline]
    pub fn write(&mut self, row: Row, data: D) {
        self.rows[row.index()] = data;
    }

    /// A clock edge at which the first access reads a register that leaves, or does not.
    pub fn transfer(&mut self, row: Option<Row>) {
        self.leaves = row.is_some();
        if let Some(row) = row {
            self.reads[0].data = self.rows[row.index()];
        }
    }
}

impl<D: Data> Clocked for Bank<D> {
    type In = BankIn<D>;
    type Out = BankOut<D>;

    fn settle(&mut self, inputs: &BankIn<D>) -> BankOut<D> {
        self.inputs = *inputs;
        let [first, second] = self.reads;
        BankOut {
            data_valid: first.under_way,
            data_transfer: [self.leaves],
            data_collector: first.collector.into(),
            data_slot: first.slot.into(),
            data: first.data,
            second_data_valid: [second.under_way],
            second_data_collector: [second.collector.into()],
            second_data_slot: [second.slot.into()],
            second_data: [second.data],
        }
    }

    fn tick(&mut self) {
        let BankIn { read, write, transfer: [transfer], row, write_data, collector, slot, .. } = self.inputs;
        let second = ReadRequest {
            row: Row(self.inputs.second_row[0]),
            collector: CollectorId(self.inputs.second_collector[0] as u8),
            slot: self.inputs.second_slot[0] as u8,
        };
        self.reads.iter_mut().for_each(|read| read.under_way = false);
        if self.inputs.second_read[0] {
            self.read(1, second);
        }
        let (row, collector) = (Row(row), CollectorId(collector as u8));
        if write {
            self.write(row, write_data);
        }
        if read {
            self.read(0, ReadRequest { row, collector, slot: slot as u8 });
        }
        self.transfer(transfer.then_some(row));
    }
}

//! Reference model of a register bank: F §II.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{BankIn, BankOut};
use gpurf_blocks::{Clocked, CollectorId, Data, Parameters, Row};

use super::Request;

/// A single-ported memory, and the read under way.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct Bank<D: Data> {
    rows: Vec<D>,
    under_way: bool,
    /// The collector that gets the value.
    pub collector: CollectorId,
    /// The slot there.
    pub slot: u8,
    data: D,
    /// What it is is a register that leaves, for no collector.
    leaves: bool,
    #[borsh(skip)]
    inputs: BankIn<D>,
}

impl<D: Data> Bank<D> {
    /// After reset, with these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        let Parameters { rows, .. } = *parameters;
        Bank {
            rows: vec![D::default(); rows],
            under_way: false,
            collector: CollectorId::default(),
            slot: 0,
            data: D::default(),
            leaves: false,
            inputs: BankIn::default(),
        }
    }

    /// The value that crosses to a collector in this cycle.
    pub fn arriving(&self) -> Option<D> {
        self.under_way.then_some(self.data)
    }

    /// The register that leaves, in this cycle.
    pub fn leaving(&self) -> Option<D> {
        self.leaves.then_some(self.data)
    }

    /// One clock edge: a write, a read for a collector's slot, one of a register that leaves, or nothing.
    pub fn edge(&mut self, write: Option<(Row, D)>, read: Option<Request>, transfer: Option<Row>) {
        if let Some((row, data)) = write {
            self.rows[row.index()] = data;
        }
        self.under_way = read.is_some();
        if let Some(Request { row, collector, slot }) = read {
            (self.data, self.collector, self.slot) = (self.rows[row.index()], collector, slot);
        }
        self.leaves = transfer.is_some();
        if let Some(row) = transfer {
            self.data = self.rows[row.index()];
        }
    }
}

impl<D: Data> Clocked for Bank<D> {
    type In = BankIn<D>;
    type Out = BankOut<D>;

    fn settle(&mut self, inputs: &BankIn<D>) -> BankOut<D> {
        self.inputs = *inputs;
        BankOut {
            data_valid: self.under_way,
            data_transfer: [self.leaves],
            data_collector: self.collector.into(),
            data_slot: self.slot.into(),
            data: self.data,
        }
    }

    fn tick(&mut self) {
        let BankIn { read, write, transfer: [transfer], row, write_data, collector, slot } = self.inputs;
        let collector = CollectorId(collector as u8);
        let row = Row(row);
        let read = read.then_some(Request { row, collector, slot: slot as u8 });
        self.edge(write.then_some((row, write_data)), read, transfer.then_some(row));
    }
}

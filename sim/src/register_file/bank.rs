//! Reference model of a register bank: F §II.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{BankIn, BankOut};
use gpurf_blocks::{Clocked, CollectorId, Data, Parameters, Row, MAX_ACCESSES};

use super::Request;

/// A single-ported memory, and the read under way; with two accesses per cycle, both.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct Bank<D: Data> {
    rows: Vec<D>,
    /// Of the first access and of the second.
    reads: [Read<D>; MAX_ACCESSES],
    /// What it is is a register that leaves, for no collector.
    leaves: bool,
    #[borsh(skip)]
    inputs: BankIn<D>,
}

/// What an access has read.
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

    /// What an access has read and crosses in this cycle: to which collector, which slot, the value.
    #[inline]
    pub fn arriving(&self, access: usize) -> Option<(CollectorId, u8, D)> {
        let Read { under_way, collector, slot, data } = self.reads[access];
        under_way.then_some((collector, slot, data))
    }

    /// The register that leaves, in this cycle.
    pub fn leaving(&self) -> Option<D> {
        self.leaves.then_some(self.reads[0].data)
    }

    /// The second access of a clock edge, a read or nothing. It comes before [`Bank::edge`]: it finds what was there.
    pub fn second_edge(&mut self, read: Option<Request>) {
        self.read(1, read);
    }

    fn read(&mut self, access: usize, read: Option<Request>) {
        let under_way = &mut self.reads[access];
        under_way.under_way = read.is_some();
        if let Some(Request { row, collector, slot }) = read {
            (under_way.data, under_way.collector, under_way.slot) = (self.rows[row.index()], collector, slot);
        }
    }

    /// One clock edge: a write, a read for a collector's slot, one of a register that leaves, or nothing.
    pub fn edge(&mut self, write: Option<(Row, D)>, read: Option<Request>, transfer: Option<Row>) {
        if let Some((row, data)) = write {
            self.rows[row.index()] = data;
        }
        self.read(0, read);
        self.leaves = transfer.is_some();
        if let Some(row) = transfer {
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
        let second = Request {
            row: Row(self.inputs.second_row[0]),
            collector: CollectorId(self.inputs.second_collector[0] as u8),
            slot: self.inputs.second_slot[0] as u8,
        };
        self.second_edge(self.inputs.second_read[0].then_some(second));
        let collector = CollectorId(collector as u8);
        let row = Row(row);
        let read = read.then_some(Request { row, collector, slot: slot as u8 });
        self.edge(write.then_some((row, write_data)), read, transfer.then_some(row));
    }
}

//! Reference model of the read allocator: H §5.3.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{ReadAllocatorIn, ReadAllocatorOut};
use gpurf_blocks::{Clocked, Parameters, ReadRule, READS, READ_BANKS};

use crate::bits::{mask, members};

/// Which reads the next cycles of each bank have.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct ReadAllocator {
    rule: ReadRule,
    window: u8,
    ports: u8,
    /// Reads in each of the next cycles, of each bank; at most as many as there are ports.
    reads: [[u8; WINDOW]; READ_BANKS],
    #[borsh(skip)]
    inputs: ReadAllocatorIn,
}

/// The longest window.
const WINDOW: usize = gpurf_blocks::MAX_READ_WINDOW;

/// A read: in which cycle of the window, at which port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Place {
    /// 0 is the cycle after the one in which the instruction goes.
    pub cycle: u8,
    /// Port of the bank.
    pub port: u8,
}

/// Of each source that is read, when.
pub type Places = [Option<Place>; READS];

impl ReadAllocator {
    /// After reset, with these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        let Parameters { read_rule, read_window, read_ports, .. } = *parameters;
        ReadAllocator {
            rule: read_rule,
            window: read_window as u8,
            ports: read_ports as u8,
            reads: [[0; WINDOW]; READ_BANKS],
            inputs: ReadAllocatorIn::default(),
        }
    }

    /// When the sources of the set would be read by an instruction that goes now; nothing if they do not fit.
    pub fn fit(&self, sources: u8) -> Option<Places> {
        let mut reads = self.reads;
        let mut places = Places::default();
        for source in members(sources) {
            let of_bank = &mut reads[source % READ_BANKS];
            let cycle = (0..self.window).find(|&cycle| of_bank[usize::from(cycle)] < self.ports)?;
            let taken = &mut of_bank[usize::from(cycle)];
            places[source] = Some(Place { cycle, port: *taken });
            *taken += 1;
        }
        Some(places)
    }

    /// An instruction goes, which reads so.
    pub fn take(&mut self, places: &Places, is_fixed: bool) {
        for (source, place) in places.iter().enumerate() {
            let Some(Place { cycle, port }) = *place else { continue };
            let of_bank = &mut self.reads[source % READ_BANKS];
            match self.rule == ReadRule::Held && is_fixed {
                true => of_bank[..usize::from(self.window)].fill(self.ports),
                false => {
                    let taken = &mut of_bank[usize::from(cycle)];
                    *taken = (*taken).max(port + 1);
                }
            }
        }
    }

    /// A cycle passes.
    pub fn pass(&mut self) {
        for of_bank in &mut self.reads {
            of_bank.rotate_left(1);
            of_bank[WINDOW - 1] = 0;
        }
    }

    /// What happens in a cycle: whether it is the instruction of fixed latency that goes, and its reads.
    fn decide(&self) -> Option<(bool, Places)> {
        let inputs = &self.inputs;
        let sources = match (inputs.fixed, inputs.variable) {
            (true, _) => mask(&inputs.request),
            (false, true) => mask(&inputs.variable_request),
            (false, false) => return None,
        };
        Some((inputs.fixed, self.fit(sources)?))
    }
}

impl Clocked for ReadAllocator {
    type In = ReadAllocatorIn;
    type Out = ReadAllocatorOut;

    fn settle(&mut self, inputs: &ReadAllocatorIn) -> ReadAllocatorOut {
        self.inputs = *inputs;
        let mut outputs = ReadAllocatorOut::default();
        if let Some((is_fixed, places)) = self.decide() {
            (outputs.go, outputs.variable_go) = (is_fixed, !is_fixed);
            outputs.grant =
                places.map(|place| place.map_or(0, |Place { cycle, port }| 1 << (3 * cycle + port)));
        }
        outputs
    }

    fn tick(&mut self) {
        if let Some((is_fixed, places)) = self.decide() {
            self.take(&places, is_fixed);
        }
        self.pass();
    }
}

// SPDX-License-Identifier: Apache-2.0
//! Memories of the dialect: their ports in the flat design, and a clock edge of one.

use std::collections::HashMap;

use gpurf_blocks::LANES;

use super::layout::StatePlace;
use super::nodes::{NodeId, SlotId};

/// A memory and its sizes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemoryKind {
    /// One access in a cycle, or two, the second a read.
    Single {
        width: usize,
        rows: usize,
        address: usize,
        seconds: usize,
    },
    TwoPort {
        width: usize,
        rows: usize,
        address: usize,
    },
    Lanes {
        width: usize,
        rows: usize,
        groups: usize,
        reads: usize,
    },
}

/// Bits of a row's number in a memory of lanes.
const LANE_ROW: usize = 7;

/// A memory with what its ports read and where its outputs stand.
pub struct CompiledMemory {
    pub kind: MemoryKind,
    /// In the order in which [`Kind::edge`] takes them.
    pub inputs: Vec<NodeId>,
    pub outputs: Vec<SlotId>,
}

impl MemoryKind {
    /// The memory that a module of this name is, if it is one.
    pub fn of(name: &str, parameters: &[(String, usize)]) -> Option<Self> {
        let of = |wanted: &str| {
            let found = parameters.iter().find(|(name, _)| name == wanted);
            found.map(|(_, value)| *value)
        };
        let (width, rows) = (of("w")?, of("rows")?);
        match name {
            "memory" => Some(MemoryKind::Single { width, rows, address: of("address")?, seconds: 0 }),
            "memory_of_two_accesses" => {
                Some(MemoryKind::Single { width, rows, address: of("address")?, seconds: 1 })
            }
            "two_port_memory" => Some(MemoryKind::TwoPort { width, rows, address: of("address")? }),
            "lane_memory" => {
                Some(MemoryKind::Lanes { width, rows, groups: of("groups")?, reads: of("reads")? })
            }
            _ => None,
        }
    }

    /// Reads its ports; `node` gives an input's value by name and width.
    pub fn memory(
        self,
        slots: &HashMap<String, SlotId>,
        mut node: impl FnMut(&str, usize) -> NodeId,
    ) -> CompiledMemory {
        let mut inputs = vec![];
        let mut read = |name: &str, width: usize| inputs.push(node(name, width));
        let outputs: Vec<String> = match self {
            MemoryKind::Single { width, address, seconds, .. } => {
                read("enable", 1);
                read("write", 1);
                read("address", address);
                read("write_data", width);
                for second in 0..seconds {
                    read(&format!("second_enable${second}"), 1);
                    read(&format!("second_address${second}"), address);
                }
                let seconds = (0..seconds).map(|second| format!("second_read_data${second}"));
                ["read_data".to_string()].into_iter().chain(seconds).collect()
            }
            MemoryKind::TwoPort { width, address, .. } => {
                read("read", 1);
                read("read_address", address);
                read("write", 1);
                read("write_address", address);
                read("write_data", width);
                vec!["read_data".to_string()]
            }
            MemoryKind::Lanes { width, groups, reads, .. } => {
                read("write_lanes", LANES);
                read("write_data", width);
                (0..groups).for_each(|group| read(&format!("write_row${group}"), LANE_ROW));
                for port in 0..reads {
                    read(&format!("read_lanes${port}"), LANES);
                    (0..groups).for_each(|group| read(&format!("read_row${port}${group}"), LANE_ROW));
                }
                (0..reads).map(|port| format!("read_data${port}")).collect()
            }
        };
        let outputs = outputs.iter().map(|name| slots[name]).collect();
        CompiledMemory { kind: self, inputs, outputs }
    }

    pub fn width(&self) -> usize {
        match self {
            MemoryKind::Single { width, .. }
            | MemoryKind::TwoPort { width, .. }
            | MemoryKind::Lanes { width, .. } => *width,
        }
    }

    pub fn rows(&self) -> usize {
        match self {
            MemoryKind::Single { rows, .. }
            | MemoryKind::TwoPort { rows, .. }
            | MemoryKind::Lanes { rows, .. } => *rows,
        }
    }
}

/// A memory in the state of an engine.
pub struct Stored {
    pub kind: MemoryKind,
    pub inputs: Vec<StatePlace>,
    pub outputs: Vec<StatePlace>,
    /// Where the rows begin, each as long as an output.
    pub rows: usize,
}

impl Stored {
    /// A clock edge; calls `changed` for each output that shows something else from now on.
    pub fn edge(&self, state: &mut [u8], mut changed: impl FnMut(&mut [u8], usize)) {
        let number = |state: &[u8], input: usize| self.inputs[input].number(state);
        let size = self.outputs[0].bytes();
        let mut read = |state: &mut [u8], output: usize, row: usize| {
            let (from, to) = (self.row(row, size), self.outputs[output].offset);
            if state[from..from + size] != state[to..to + size] {
                state.copy_within(from..from + size, to);
                changed(state, output);
            }
        };
        match &self.kind {
            MemoryKind::Single { seconds, .. } => {
                for second in 0..*seconds {
                    if number(state, 4 + 2 * second) == 1 {
                        let row = number(state, 5 + 2 * second) as usize;
                        read(state, 1 + second, row);
                    }
                }
                if number(state, 0) == 1 {
                    let row = number(state, 2) as usize;
                    match number(state, 1) == 1 {
                        true => self.write(state, row, 3, size),
                        false => read(state, 0, row),
                    }
                }
            }
            MemoryKind::TwoPort { .. } => {
                if number(state, 0) == 1 {
                    let row = number(state, 1) as usize;
                    read(state, 0, row);
                }
                if number(state, 2) == 1 {
                    self.write(state, number(state, 3) as usize, 4, size);
                }
            }
            MemoryKind::Lanes { width, groups, reads, .. } => {
                let lanes = Lanes { bits: width / LANES, per_group: LANES / groups };
                for port in 0..*reads {
                    let first = 2 + groups + port * (1 + groups);
                    let mask = number(state, first) as u32;
                    let row = |state: &[u8], group: usize| number(state, first + 1 + group) as usize;
                    let to = self.outputs[port].offset;
                    let mut differs = false;
                    for lane in 0..LANES {
                        let value = match mask >> lane & 1 {
                            1 => lanes.get(state, self.row(row(state, lanes.group(lane)), size), lane),
                            _ => 0,
                        };
                        differs |= lanes.put(state, to, lane, value);
                    }
                    if differs {
                        changed(state, port);
                    }
                }
                let mask = number(state, 0) as u32;
                for lane in (0..LANES).filter(|lane| mask >> lane & 1 == 1) {
                    let row = number(state, 2 + lanes.group(lane)) as usize;
                    let value = lanes.get(state, self.inputs[1].offset, lane);
                    lanes.put(state, self.row(row, size), lane, value);
                }
            }
        }
    }

    fn write(&self, state: &mut [u8], row: usize, data: usize, size: usize) {
        let (from, to) = (self.inputs[data].offset, self.row(row, size));
        state.copy_within(from..from + size, to);
    }

    fn row(&self, row: usize, size: usize) -> usize {
        let rows = self.kind.rows();
        assert!(row < rows, "row {row} of a memory of {rows} rows");
        self.rows + row * size
    }
}

/// How lanes lie in a value.
struct Lanes {
    /// Bits of a lane: a power of two up to 32.
    bits: usize,
    per_group: usize,
}

impl Lanes {
    fn group(&self, lane: usize) -> usize {
        lane / self.per_group
    }

    fn get(&self, state: &[u8], value: usize, lane: usize) -> u32 {
        let bit = lane * self.bits;
        let byte = value + bit / 8;
        match self.bits / 8 {
            0 => (state[byte] >> (bit % 8)) as u32 & ((1 << self.bits) - 1),
            bytes => state[byte..byte + bytes].iter().rev().fold(0, |high, low| high << 8 | *low as u32),
        }
    }

    /// Tells if it changes the value.
    fn put(&self, state: &mut [u8], value: usize, lane: usize, of_lane: u32) -> bool {
        if self.get(state, value, lane) == of_lane {
            return false;
        }
        let bit = lane * self.bits;
        let byte = value + bit / 8;
        match self.bits / 8 {
            0 => {
                let mask = ((1u32 << self.bits) - 1) << (bit % 8);
                let kept = state[byte] as u32 & !mask;
                state[byte] = (kept | of_lane << (bit % 8)) as u8;
            }
            bytes => state[byte..byte + bytes].copy_from_slice(&of_lane.to_le_bytes()[..bytes]),
        }
        true
    }
}

//! Reference model of the way replacement: C §IV-E.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{WayReplacementIn, WayReplacementOut};
use gpurf_blocks::{CacheReplacement, Clocked, Parameters};

/// Which way of a set makes room.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct WayReplacement {
    ways: usize,
    order: Order,
    touched: Vec<usize>,
}

/// The order in which the ways of a full set make room.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
enum Order {
    /// FIFO: in turn, this one next.
    Turn(usize),
    /// LRU: the least recently used first.
    Uses(Vec<usize>),
}

impl WayReplacement {
    /// After reset.
    pub fn new(parameters: &Parameters) -> Self {
        let ways = parameters.rc_ways;
        let order = match parameters.rc_replacement {
            CacheReplacement::Fifo => Order::Turn(0),
            CacheReplacement::Lru => Order::Uses((0..ways).collect()),
        };
        WayReplacement { ways, order, touched: vec![] }
    }

    /// The way that makes room.
    pub fn victim(&self, is_valid: impl Fn(usize) -> bool) -> usize {
        let first = match &self.order {
            Order::Turn(way) => *way,
            Order::Uses(ways) => ways[0],
        };
        (0..self.ways).find(|way| !is_valid(*way)).unwrap_or(first)
    }

    /// These ways, in rising order, were used last; under FIFO they took in registers.
    pub fn touch(&mut self, touched: &[usize]) {
        match &mut self.order {
            Order::Turn(way) if touched.contains(way) => *way = (*way + 1) % self.ways,
            Order::Turn(_) => {}
            Order::Uses(ways) => {
                ways.retain(|way| !touched.contains(way));
                ways.extend(touched);
            }
        }
    }
}

impl Clocked for WayReplacement {
    type In = WayReplacementIn;
    type Out = WayReplacementOut;

    fn settle(&mut self, inputs: &WayReplacementIn) -> WayReplacementOut {
        self.touched = (0..self.ways).filter(|way| inputs.touch[*way]).collect();
        let mut outputs = WayReplacementOut::default();
        outputs.victim[self.victim(|way| inputs.valid[way])] = true;
        outputs
    }

    fn tick(&mut self) {
        let touched = std::mem::take(&mut self.touched);
        self.touch(&touched);
    }
}

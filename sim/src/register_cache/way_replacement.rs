// SPDX-License-Identifier: Apache-2.0
//! Reference model of the way replacement: C §IV-E.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{WayReplacementIn, WayReplacementOut};
use gpurf_blocks::{CacheReplacement, Clocked, Parameters, MAX_RC_WAYS};

use crate::bits::{all, first, mask, members};

/// Which way of a set makes room.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct WayReplacement {
    ways: u8,
    order: Order,
    #[borsh(skip)]
    touched: u8,
}

/// The order in which the ways of a full set make room.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
enum Order {
    /// FIFO: in turn, this one next.
    Turn(u8),
    /// LRU: the least recently used first.
    Uses([u8; MAX_RC_WAYS]),
}

impl WayReplacement {
    /// After reset.
    pub fn new(parameters: &Parameters) -> Self {
        let order = match parameters.rc_replacement {
            CacheReplacement::Fifo => Order::Turn(0),
            CacheReplacement::Lru => Order::Uses(std::array::from_fn(|way| way as u8)),
        };
        WayReplacement { ways: parameters.rc_ways as u8, order, touched: 0 }
    }

    /// The way that makes room. `valid`: those that hold a register, a bit each.
    #[inline]
    pub fn victim(&self, valid: u8) -> usize {
        let next = match &self.order {
            Order::Turn(way) => *way,
            Order::Uses(ways) => ways[0],
        };
        first((all(self.ways.into()) & !valid).into()).unwrap_or(next.into())
    }

    /// These ways, a bit each, were used last; under FIFO they took in registers.
    #[inline]
    pub fn touch(&mut self, touched: u8) {
        match &mut self.order {
            Order::Turn(way) if touched >> *way & 1 == 1 => {
                *way = if *way + 1 == self.ways { 0 } else { *way + 1 };
            }
            Order::Turn(_) => {}
            Order::Uses(ways) => {
                let ways = &mut ways[..self.ways.into()];
                let mut kept = 0;
                for place in 0..ways.len() {
                    let way = ways[place];
                    if touched >> way & 1 == 0 {
                        ways[kept] = way;
                        kept += 1;
                    }
                }
                for (place, way) in ways[kept..].iter_mut().zip(members(touched)) {
                    *place = way as u8;
                }
            }
        }
    }
}

impl Clocked for WayReplacement {
    type In = WayReplacementIn;
    type Out = WayReplacementOut;

    fn settle(&mut self, inputs: &WayReplacementIn) -> WayReplacementOut {
        self.touched = mask(&inputs.touch) & all(self.ways.into());
        let mut outputs = WayReplacementOut::default();
        outputs.victim[self.victim(mask(&inputs.valid))] = true;
        outputs
    }

    fn tick(&mut self) {
        self.touch(self.touched);
    }
}

//! Reference model of the greedy-then-youngest scheduler: H §5.1.2.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::{Parameters, WarpId, WarpSet};

use crate::bits::members;

/// The order of the warps, and which one issued last.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct CggtyScheduler {
    youngest_first: Vec<u8>,
    last: Option<WarpId>,
}

impl CggtyScheduler {
    /// After reset, with these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        CggtyScheduler { youngest_first: (0..parameters.warps as u8).rev().collect(), last: None }
    }

    /// The warp that issued last while it is eligible, else the youngest eligible one.
    #[inline]
    pub fn select(&self, eligible: WarpSet) -> Option<WarpId> {
        if eligible == 0 {
            return None;
        }
        let last = self.last.filter(|warp| eligible & warp.bit() != 0);
        last.or_else(|| self.youngest_first.iter().map(|&warp| WarpId(warp)).find(|warp| eligible & warp.bit() != 0))
    }

    /// The clock edge of a cycle in which a warp issues, and new warps start: the higher-numbered is the younger.
    #[inline]
    pub fn edge(&mut self, issued: Option<WarpId>, launch: WarpSet) {
        self.last = issued.or(self.last);
        if launch != 0 {
            self.last = self.last.filter(|warp| launch & warp.bit() == 0);
            self.youngest_first.retain(|&warp| launch >> warp & 1 == 0);
            let new = members(launch).map(|warp| warp as u8).collect::<Vec<_>>();
            self.youngest_first.splice(0..0, new.into_iter().rev());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_warp_goes_on_and_then_the_youngest() {
        let mut scheduler = CggtyScheduler::new(&Parameters::default());
        scheduler.edge(None, 0b0001);
        scheduler.edge(None, 0b0110);
        assert_eq!(scheduler.select(0b0111), Some(WarpId(2)), "of two launched at once the higher-numbered");
        scheduler.edge(Some(WarpId(0)), 0);
        assert_eq!(scheduler.select(0b0111), Some(WarpId(0)));
        assert_eq!(scheduler.select(0b0110), Some(WarpId(2)));
        scheduler.edge(None, 0b0001);
        assert_eq!(scheduler.select(0b0111), Some(WarpId(0)), "now the youngest");
        assert_eq!(scheduler.select(0), None);
    }
}

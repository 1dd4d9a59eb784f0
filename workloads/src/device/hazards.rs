// SPDX-License-Identifier: Apache-2.0
//! Hazards as text.

use super::Device;
use crate::emulator::{index_of, Hazard, Launch};
use crate::error::readable;

impl Device {
    /// Keeps what a launch showed.
    pub(super) fn note_hazards(&mut self, launch: &Launch) {
        let Some(hazards) = &launch.hazards else { return };
        let kernel = &launch.code.kernel;
        let place = |pc: u32| format!("PC {pc:#06x} `{}`", kernel.instructions[index_of(pc)].text);
        for (hazard, example) in hazards.take() {
            if !self.told.insert((kernel.name.clone(), hazard)) {
                continue;
            }
            let [x, y, _] = launch.grid.map(u64::from);
            let block =
                |number: u64| format!("block ({}, {}, {})", number % x, number / x % y, number / (x * y));
            let does = |writes: bool| if writes { "writes" } else { "reads" };
            let [warp, other] = example.warps;
            let by = format!("{}, warp {warp}, lane {}", block(example.block), example.lane);
            let text = match hazard {
                Hazard::Shared { pcs: [later, earlier], writes } => {
                    format!(
                        "{} {} shared address {:#x}, which {} {} with no barrier between; {by}, and warp \
                         {other}",
                        place(later),
                        does(writes[0]),
                        example.address,
                        place(earlier),
                        does(writes[1]),
                    )
                }
                Hazard::Global { pcs: [later, earlier], writes } => {
                    format!(
                        "{} {} global address {:#x} ({}), which {} {} with no atomic operation between; {by}, \
                         and {}, warp {other}",
                        place(later),
                        does(writes[0]),
                        example.address,
                        self.memory.surroundings(example.address, 1),
                        place(earlier),
                        does(writes[1]),
                        block(example.other),
                    )
                }
                Hazard::Idle { pc } => {
                    format!("{} reads lane {}, which does not execute; {by}", place(pc), example.address)
                }
            };
            self.hazards.push(format!("kernel {}, {text}", readable(&kernel.name)));
        }
    }
}

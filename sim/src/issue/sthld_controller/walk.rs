// SPDX-License-Identifier: Apache-2.0
//! The STHLD controller on synthetic curves of IPC: F §IV-B3, Fig. 9.
//!
//! "If we increase STHLD we will initially have small fluctuations, until a point when IPC starts dropping
//! dramatically": the knee. The walk shows which STHLD the controller tries on such a curve, and where it
//! comes to rest. Any engine can walk.

use gpurf_blocks::ports::{SthldControllerIn, SthldControllerOut};
use gpurf_blocks::Clocked;
use serde::Serialize;

use crate::cells::Lfsr;

/// IPC over STHLD: flat up to the knee, then steeply down.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Curve {
    /// IPC of the flat region.
    pub level: f64,
    /// The greatest STHLD that costs nothing.
    pub knee: u32,
    /// The cost of each further step, relative to the step before.
    pub slope: f64,
}

impl Curve {
    /// Instructions per cycle at an STHLD.
    pub fn ipc(&self, sthld: u32) -> f64 {
        self.level * (1.0 - self.slope).powi(sthld.saturating_sub(self.knee) as i32)
    }
}

/// One interval of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct WalkStep {
    /// In which the controller was: the number, as in the papers.
    pub state: u32,
    /// In the interval.
    pub sthld: u32,
    /// IPC with its noise.
    pub ipc: f64,
    /// The STHLD up to which the curve is flat.
    pub knee: u32,
}

/// STHLD over time, one step an interval.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Walk {
    /// Interval by interval.
    pub steps: Vec<WalkStep>,
}

impl Walk {
    /// Walks along one curve after the other, so many intervals each.
    ///
    /// `noise`: relative amplitude of what is added to each interval's IPC, uniform; `seed`, below 255,
    /// starts it. IPC above 4, one instruction a sub-core, is cut off.
    pub fn new(
        controller: &mut impl Clocked<In = SthldControllerIn, Out = SthldControllerOut>,
        interval: usize,
        curves: &[(Curve, usize)],
        noise: f64,
        seed: u8,
    ) -> Walk {
        let mut random = Lfsr::default();
        let mut draw = |steps: usize| {
            (0..steps).for_each(|_| random.advance());
            f64::from(random.value()) / 127.0 - 1.0
        };
        draw(usize::from(seed));
        let mut steps = vec![];
        for (curve, intervals) in curves {
            for _ in 0..*intervals {
                let outputs = controller.settle(&SthldControllerIn::default());
                // Eight steps renew all bits of the random number.
                let ipc = curve.ipc(outputs.sthld) * (1.0 + noise * draw(8));
                let instructions = ((ipc * interval as f64) as usize).min(4 * interval);
                for cycle in 0..interval {
                    // Spread evenly over the interval.
                    let until = |cycle: usize| cycle * instructions / interval;
                    let issued = (until(cycle + 1) - until(cycle)) as u32;
                    controller.settle(&SthldControllerIn { issued });
                    controller.tick();
                }
                let SthldControllerOut { state, sthld, .. } = outputs;
                steps.push(WalkStep { state, sthld, ipc, knee: curve.knee });
            }
        }
        Walk { steps }
    }

    /// Returns true if STHLD stays within `tolerance` of the knee in each of these intervals.
    pub fn settled(&self, intervals: std::ops::Range<usize>, tolerance: u32) -> bool {
        self.steps[intervals].iter().all(|step| step.sthld.abs_diff(step.knee) <= tolerance)
    }

    /// For plotting: a line per interval under a head line.
    pub fn csv(&self) -> String {
        let head = "interval,state,sthld,ipc,knee\n".to_string();
        self.steps.iter().enumerate().fold(head, |csv, (interval, step)| {
            let WalkStep { state, sthld, ipc, knee } = step;
            csv + &format!("{interval},{state},{sthld},{ipc:.4},{knee}\n")
        })
    }
}

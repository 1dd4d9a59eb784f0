// SPDX-License-Identifier: Apache-2.0
//! Named timings of collectors and banks: `timing=fast` sets five parameters at once.

use super::{ParameterError, Parameters};

/// The name under which a timing is set, as one parameter is: `--set timing=fast`.
pub const TIMING: &str = "timing";

/// Values of parameters that go together.
#[derive(Debug)]
pub struct Timing {
    /// The name on the command line and in files.
    pub name: &'static str,
    /// The parameters that it sets, each with its value.
    pub settings: [(&'static str, &'static str); 5],
    /// The meaning, in whole sentences.
    pub doc: &'static str,
    /// Paper and section, or the reason of a decision of this project.
    pub source: &'static str,
}

const fn settings(
    [accesses, grant_at_issue, dispatch_on_arrival, issue_on_dispatch, allocate_on_arrival]: [&'static str;
        5],
) -> [(&'static str, &'static str); 5] {
    [
        ("accesses", accesses),
        ("grant_at_issue", grant_at_issue),
        ("dispatch_on_arrival", dispatch_on_arrival),
        ("issue_on_dispatch", issue_on_dispatch),
        ("allocate_on_arrival", allocate_on_arrival),
    ]
}

/// All of them, the default first.
pub const TIMINGS: [Timing; 3] = [
    Timing {
        name: "paper",
        settings: settings(["1", "true", "false", "true", "false"]),
        doc: "The fastest that the papers' words allow: an instruction of one missing source holds its collector \
              for two cycles.",
        source: "F §II, §III-C1",
    },
    Timing {
        name: "accel-sim",
        settings: settings(["2", "true", "true", "true", "false"]),
        doc: "The operand stage of Accel-Sim, which makes two steps in a core cycle: a collector is held for one \
              cycle and takes two values in it.",
        source: "Accel-Sim's SM75_RTX2060: gpgpu_reg_file_port_throughput 2",
    },
    Timing {
        name: "fast",
        settings: settings(["1", "false", "false", "false", "true"]),
        doc: "The fastest clock: nothing that is asked for, arrives or leaves is used in its own cycle. A \
              collector is held for four cycles.",
        source: "our decision: the shortest paths of `gpurf compare operand-stage` and `collector-clock`",
    },
];

impl Timing {
    /// The timing of this name.
    pub fn find(name: &str) -> Result<&'static Timing, ParameterError> {
        let found = TIMINGS.iter().find(|timing| timing.name == name);
        found.ok_or_else(|| {
            ParameterError(format!("{TIMING}={name} is not possible; {TIMING} is {}", names()))
        })
    }

    /// Sets its parameters.
    pub(super) fn apply(&self, parameters: &mut Parameters) -> Result<(), ParameterError> {
        self.settings.iter().try_for_each(|(name, value)| parameters.set(name, value))
    }
}

/// The names as a sentence goes on: `paper, accel-sim or fast`.
pub fn names() -> String {
    let [paper, accel_sim, fast] = TIMINGS.each_ref().map(|timing| timing.name);
    format!("{paper}, {accel_sim} or {fast}")
}

// SPDX-License-Identifier: Apache-2.0
//! Mechanisms of the machine around the register-file hardware, and what leaves them out.

use anyhow::{bail, Result};
use gpurf_sim::config::Config;
use serde::Serialize;

#[derive(Serialize)]
pub struct Mechanism {
    #[serde(rename = "without")]
    pub name: &'static str,
    pub what: &'static str,
    /// Constants without it.
    #[serde(rename = "settings")]
    pub off: &'static [&'static str],
}

pub const MECHANISMS: &[Mechanism] = &[
    Mechanism {
        name: "latencies",
        what: "L1 30, L2 233, DRAM 344 cycles, rather than 32, 230, 489",
        off: &["l1.latency=32", "l2.latency=230", "dram.latency=489"],
    },
    Mechanism {
        name: "accesses",
        what: "banks that make two accesses a cycle, and collectors that take two values",
        off: &["accesses=1"],
    },
    Mechanism {
        name: "hold-time",
        what: "an operand stage that holds a collector as briefly as it can",
        off: &["grant_at_issue=false", "dispatch_on_arrival=false", "issue_on_dispatch=false"],
    },
    Mechanism {
        name: "result-register",
        what: "registers before the collector, before the unit, and between the unit and write-back",
        off: &["sm.result_registers=0"],
    },
    Mechanism {
        name: "l1-banks",
        what: "a sector of L1 goes to the bank of its address",
        off: &["l1.interleaved=false"],
    },
    Mechanism {
        name: "outstanding",
        what: "a limit to the sectors that L1 waits for",
        off: &["l1.outstanding=1048576"],
    },
    Mechanism {
        name: "local-layout",
        what: "local memory by word, then thread",
        off: &["local.interleaved=false"],
    },
    Mechanism {
        name: "write-back",
        what: "one missed or joined sector written back a cycle",
        off: &["l1.write_back_port=false"],
    },
    Mechanism {
        name: "store-fill",
        what: "stores fill L1 with whole sectors; parts of one do not fill L2",
        off: &["l1.store_fill=false", "l2.partial_fill=true"],
    },
    Mechanism {
        name: "control",
        what: "BAR and EXIT take a cycle and no branch unit",
        off: &["control.unit=branch", "control.latency=4", "control.initiation=4"],
    },
    Mechanism {
        name: "constants",
        what: "LDC as an integer instruction",
        off: &["constant.unit=load_store"],
    },
    Mechanism {
        name: "half-precision",
        what: "HADD2, HFMA2 and their like every cycle",
        off: &["half.initiation=2"],
    },
    Mechanism {
        name: "requests",
        what: "loads and stores share the way to L2",
        off: &["l2.shared_requests=false"],
    },
    Mechanism {
        name: "reservations",
        what: "a line of L1 that waits for a sector keeps its way, and so do some that were stored to",
        off: &["l1.reserved=false", "l1.kept_stores=0"],
    },
    Mechanism {
        name: "first-words",
        what: "of a wide access to shared memory, each lane counts with its first word",
        off: &["shared.first_words=false"],
    },
    Mechanism {
        name: "idle-accesses",
        what: "memory instructions without an active lane pass the load/store unit",
        off: &["load_store.takes_idle=false"],
    },
    Mechanism { name: "dram-writes", what: "stores reach DRAM", off: &["l2.write_back=false"] },
    Mechanism { name: "cold-copies", what: "copies from the host leave L2 cold", off: &["l2.copies=true"] },
];

impl Mechanism {
    pub fn named(name: &str) -> Result<&'static Mechanism> {
        let Some(mechanism) = MECHANISMS.iter().find(|mechanism| mechanism.name == name) else {
            let names: Vec<_> = MECHANISMS.iter().map(|mechanism| mechanism.name).collect();
            bail!("--without {name}: there is no such mechanism; there are {}", names.join(", "));
        };
        Ok(mechanism)
    }

    pub fn without(&self, config: &Config) -> Result<Config> {
        let settings: Vec<String> = self.off.iter().map(|setting| setting.to_string()).collect();
        Ok(config.with(&settings)?)
    }
}

/// The help of `--without`, with all mechanisms that it can leave out.
pub fn help() -> String {
    let line = |mechanism: &Mechanism| {
        format!("\n{}: {} (without: {})", mechanism.name, mechanism.what, mechanism.off.join(", "))
    };
    "Leave this mechanism of the machine out. The option may be given several times. The mechanisms:\n"
        .to_string()
        + &MECHANISMS.iter().map(line).collect::<String>()
}

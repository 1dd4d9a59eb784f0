// SPDX-License-Identifier: Apache-2.0
//! Small streams whose cycles per instruction, or per round of instructions, are known of Accel-Sim.

use std::path::Path;

use gpurf_fixtures::measured;
use gpurf_sim::config::Config;
use gpurf_sim::engines::Engines;
use gpurf_sim::sm::{Design, Gpu};
use gpurf_trace::{KernelHeader, Workload};

use crate::streams::{header, kernel, Line, ALL, EXIT};

/// Lanes' addresses, by the number of the instruction in its warp, and of the warp.
type Addresses = fn(u64, u64) -> Vec<u64>;

/// A stream of one kind of instruction; each warp has many of them.
struct Stream {
    name: &'static str,
    /// Accel-Sim's time per step, in cycles.
    reference: f64,
    /// Our time where it is more than a cycle off, and why.
    differs: Option<(f64, &'static str)>,
    warps: usize,
    /// Instructions of a step: opcode, destination and sources. Without any, the step is a block of its own.
    step: &'static [(&'static str, Option<u8>, &'static [u8])],
    addresses: Addresses,
    /// No lane takes part.
    idle: bool,
    /// The divisor of the cycles of a step.
    per: f64,
    /// The addresses are loaded by a kernel before: they are in L2.
    warm: bool,
}

const NOTHING: Addresses = |_, _| vec![];

const STREAM: Stream = Stream {
    name: "",
    reference: 0.0,
    differs: None,
    warps: 1,
    step: &[],
    addresses: NOTHING,
    idle: false,
    per: 1.0,
    warm: false,
};

/// Sub-cores have 8 warps each.
const FULL: usize = 32;

/// They do not wait for each other.
const LOADS: &[(&str, Option<u8>, &[u8])] =
    &[("LDG.E", Some(2), &[6]), ("LDG.E", Some(3), &[6]), ("LDG.E", Some(4), &[6]), ("LDG.E", Some(5), &[6])];

const CONVERSIONS: &str = "the hardware has them on the special-function unit";

/// An instruction is issued every cycle until the older warps are through: each waits for its own last
/// result, for fewer cycles than there are warps, so that the youngest warps issue nothing before.
const STARVATION: &str = "the oldest warps fill every cycle, and the youngest come after them";

const STREAMS: &[Stream] = &[
    Stream { name: "FFMA, dependent", reference: 7.0, step: &[("FFMA", Some(2), &[2, 3])], ..STREAM },
    Stream {
        name: "FFMA, dependent, 3 operands",
        reference: 7.0,
        differs: Some((8.0, "port S takes two values a cycle, and the third comes in the next")),
        step: &[("FFMA", Some(2), &[2, 3, 5])],
        ..STREAM
    },
    Stream {
        name: "FFMA and IADD, independent",
        reference: 16.0,
        step: &[("FFMA", Some(2), &[4, 5]), ("IADD3", Some(3), &[6, 7])],
        warps: FULL,
        ..STREAM
    },
    Stream {
        name: "HADD2",
        reference: 8.0,
        differs: Some((14.0, STARVATION)),
        step: &[("HADD2", Some(2), &[4, 5])],
        warps: FULL,
        ..STREAM
    },
    Stream {
        name: "HMMA",
        reference: 16.0,
        step: &[("HMMA.1688.F32", Some(4), &[8, 10, 12])],
        warps: 16,
        per: 4.0,
        ..STREAM
    },
    Stream {
        name: "MUFU",
        reference: 8.0,
        step: &[("MUFU.RCP", Some(2), &[4])],
        warps: 16,
        per: 4.0,
        ..STREAM
    },
    Stream { name: "BRA", reference: 4.0, step: &[("BRA", None, &[])], warps: 16, per: 4.0, ..STREAM },
    Stream {
        name: "I2F, dependent",
        reference: 7.0,
        differs: Some((26.0, CONVERSIONS)),
        step: &[("I2F", Some(2), &[2])],
        ..STREAM
    },
    Stream { name: "LDC, dependent", reference: 7.0, step: &[("LDC", Some(2), &[2])], ..STREAM },
    Stream {
        name: "L1 hit, dependent",
        reference: 36.0,
        step: &[("LDG.E", Some(2), &[2])],
        addresses: |_, _| vec![0x1000],
        ..STREAM
    },
    Stream {
        name: "L2 hit, dependent",
        reference: 239.0,
        step: &[("LDG.E", Some(2), &[2])],
        addresses: |step, _| vec![0x10000 + 128 * step],
        warm: true,
        ..STREAM
    },
    Stream {
        name: "DRAM, dependent",
        reference: 350.0,
        step: &[("LDG.E", Some(2), &[2])],
        addresses: |step, _| vec![0x10000 + 128 * step],
        ..STREAM
    },
    Stream {
        name: "128 B from DRAM, per sector",
        reference: 1.32,
        step: LOADS,
        addresses: |step, warp| (0..32).map(|lane| 4 * lane + 128 * (32 * step + warp)).collect(),
        warps: FULL,
        per: 4.0 * 128.0,
        ..STREAM
    },
    Stream {
        name: "128 B from L2, per sector",
        reference: 1.08,
        step: LOADS,
        addresses: |step, warp| (0..32).map(|lane| 4 * lane + 128 * (32 * step + warp)).collect(),
        warps: FULL,
        per: 4.0 * 128.0,
        warm: true,
        ..STREAM
    },
    Stream {
        name: "load of 32 sectors, stride 128",
        reference: 32.0,
        step: &[("LDG.E", Some(2), &[4])],
        addresses: |_, _| (0..32).map(|lane| 128 * lane).collect(),
        warps: FULL,
        per: 32.0,
        ..STREAM
    },
    Stream {
        name: "load of 32 sectors, stride 160",
        reference: 8.0,
        step: &[("LDG.E", Some(2), &[4])],
        addresses: |_, _| (0..32).map(|lane| 160 * lane).collect(),
        warps: FULL,
        per: 32.0,
        ..STREAM
    },
    Stream {
        name: "STL and LDL",
        reference: 4.5,
        step: &[("STL", None, &[4, 5]), ("LDL", Some(2), &[4])],
        addresses: |_, _| vec![0xfffbd0; 32],
        warps: FULL,
        per: 32.0,
        ..STREAM
    },
    Stream {
        name: "LDS",
        reference: 1.0,
        step: &[("LDS", Some(2), &[4])],
        addresses: |_, _| (0..32).map(|lane| 4 * lane).collect(),
        warps: FULL,
        per: 32.0,
        ..STREAM
    },
    Stream {
        name: "LDS, dependent",
        reference: 35.0,
        step: &[("LDS", Some(2), &[2])],
        addresses: |_, _| (0..32).map(|lane| 4 * lane).collect(),
        ..STREAM
    },
    Stream {
        name: "LDS.128 of two addresses",
        reference: 1.09,
        step: &[("LDS.128", Some(4), &[2])],
        addresses: |_, _| (0..32).map(|lane| 0x400 + 0x40 * (lane / 16)).collect(),
        warps: FULL,
        per: 32.0,
        ..STREAM
    },
    Stream {
        name: "8 LDS of no lane",
        reference: 8.75,
        step: &[("LDS", Some(4), &[2])],
        idle: true,
        warps: FULL,
        per: 4.0,
        ..STREAM
    },
    Stream {
        name: "LDS, two words to a bank",
        reference: 2.0,
        step: &[("LDS", Some(2), &[4])],
        addresses: |_, _| (0..32).map(|lane| 8 * lane).collect(),
        warps: FULL,
        per: 32.0,
        ..STREAM
    },
    Stream {
        name: "STS",
        reference: 1.0,
        step: &[("STS", None, &[4, 5])],
        addresses: |_, _| (0..32).map(|lane| 4 * lane).collect(),
        warps: FULL,
        per: 32.0,
        ..STREAM
    },
    Stream {
        name: "BAR, block of 8 warps",
        reference: 2.0,
        step: &[("BAR.SYNC", None, &[])],
        warps: 8,
        ..STREAM
    },
    Stream {
        name: "BAR, block of 32 warps",
        reference: 8.0,
        step: &[("BAR.SYNC", None, &[])],
        warps: 32,
        ..STREAM
    },
    Stream { name: "empty blocks of 8 warps", reference: 2.5, warps: 8, ..STREAM },
];

impl Stream {
    /// Each warp of each block does the step so many times.
    fn kernel(&self, steps: u64, blocks: usize) -> Workload {
        let addresses: Vec<Vec<Vec<u64>>> = (0..self.warps as u64)
            .map(|warp| {
                (0..steps * self.step.len() as u64).map(|line| (self.addresses)(line, warp)).collect()
            })
            .collect();
        let warps: Vec<Vec<Line>> = addresses
            .iter()
            .map(|addresses| {
                let lines = addresses.iter().zip(self.step.iter().cycle());
                let lines = lines.map(|(addresses, &(opcode, destination, sources))| {
                    let mask = match addresses.len() {
                        _ if self.idle => 0,
                        0 => ALL,
                        lanes => u32::MAX >> (32 - lanes),
                    };
                    (opcode, destination, sources, mask, &addresses[..])
                });
                lines.chain([EXIT]).collect()
            })
            .collect();
        let header = KernelHeader { nregs: 16, ..header(32 * self.warps as u32) };
        kernel(header, &vec![warps; blocks])
    }

    /// Cycles of the last of two kernels if the first warms L2, else of the only one.
    fn cycles(&self, steps: u64, config: &Config) -> f64 {
        let mut gpu = Gpu::new(config, Design::BASELINE, 1, Engines::models(config, Design::BASELINE, 1));
        let workload = match self.step {
            [] => self.kernel(0, steps as usize),
            _ => self.kernel(steps, 1),
        };
        for _ in 0..1 + u8::from(self.warm) {
            gpu.run(&workload, None).unwrap();
        }
        let statistics = gpu.statistics("model", 0);
        assert!(statistics.is_sound(), "{}: {:?}", self.name, statistics.errors);
        statistics.kernels.last().unwrap().summary.counters.cycles as f64
    }

    /// Cycles of a step, without what comes before and after all of them.
    fn measure(&self, settings: &[&str]) -> f64 {
        let settings: Vec<String> = settings.iter().map(|setting| setting.to_string()).collect();
        let config = Config::load(Some(Path::new("accel-sim-rtx2060")), &settings).unwrap();
        let (few, many) = (40, 120);
        (self.cycles(many, &config) - self.cycles(few, &config)) / ((many - few) as f64 * self.per)
    }
}

fn named(name: &str) -> &'static Stream {
    STREAMS.iter().find(|stream| stream.name == name).expect("a stream")
}

#[test]
fn streams_take_as_long_as_in_accel_sim() {
    let mut wrong = vec![];
    let mut rows = vec![];
    for stream in STREAMS {
        let Stream { name, reference, differs, .. } = *stream;
        let found = stream.measure(&[]);
        let (expected, within) = differs.map_or((reference, 1.0), |(expected, _)| (expected, 0.1));
        if (found - expected).abs() > within {
            wrong.push(format!("{name}: {found}, should be {expected}"));
        }
        let why = differs.map_or("", |(_, why)| why);
        rows.push([name.into(), format!("{reference:.2}"), format!("{found:.2}"), why.into()]);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let header = ["cycles of", "Accel-Sim", "here", "what differs"];
    measured::file!["microbenchmarks.csv"].assert_eq(&measured::table(header, rows));
}

#[test]
fn the_hold_time_of_collectors_bounds_independent_instructions() {
    let stages: [(&[&str], f64); 4] = [
        (&["grant_at_issue=false", "dispatch_on_arrival=false", "issue_on_dispatch=false"], 4.0),
        (&["dispatch_on_arrival=false", "issue_on_dispatch=false"], 3.0),
        (&["dispatch_on_arrival=false"], 2.0),
        (&[], 1.0),
    ];
    // Instructions of one source, with one collector: a round of 8 takes as long as they hold it.
    let stream = Stream { step: &[("HADD2", None, &[4])], ..*named("HADD2") };
    for (settings, hold) in stages {
        let found = stream.measure(&[settings, &["collectors=1"]].concat());
        assert!((found - 8.0 * hold).abs() < 0.2, "{settings:?}: {found}");
    }
    // Two sources take one cycle more where port S takes a value a cycle, and two collectors then do what one
    // did; where it takes two, they take no longer than one.
    let stream = Stream { step: &[("HADD2", None, &[4, 5])], ..stream };
    for (settings, hold) in stages {
        let found = stream.measure(&[settings, &["accesses=1"]].concat());
        assert!((found - 4.0 * (hold + 1.0)).abs() < 0.2, "{settings:?}: {found}");
        let found = stream.measure(&[settings, &["collectors=1"]].concat());
        assert!((found - 8.0 * hold).abs() < 0.2, "{settings:?}, two accesses: {found}");
    }
}

#[test]
fn each_mechanism_is_what_a_stream_needs() {
    let branch = &["control.unit=branch", "control.latency=4", "control.initiation=4"];
    let cases: [(&str, &[&str], &[&str]); 12] = [
        ("L1 hit, dependent", &[], &["l1.latency=32"]),
        ("L2 hit, dependent", &[], &["l2.latency=230"]),
        ("DRAM, dependent", &[], &["dram.latency=489"]),
        ("load of 32 sectors, stride 128", &[], &["l1.interleaved=false"]),
        ("STL and LDL", &[], &["local.interleaved=false"]),
        ("BAR, block of 8 warps", &[], branch),
        ("BAR, block of 32 warps", &[], branch),
        ("empty blocks of 8 warps", &[], branch),
        ("LDC, dependent", &[], &["constant.unit=load_store"]),
        ("HADD2", &[], &["half.initiation=2"]),
        ("LDS.128 of two addresses", &[], &["shared.first_words=false"]),
        ("8 LDS of no lane", &[], &["load_store.takes_idle=false"]),
    ];
    for (name, with, without) in cases {
        let stream = named(name);
        let (with, without) = (stream.measure(with), stream.measure(without));
        let expected = stream.differs.map_or(stream.reference, |(expected, _)| expected);
        assert!((with - expected).abs() <= 1.0, "{name}: {with}");
        assert!((without - stream.reference).abs() > 1.0, "{name}: {without} without the mechanism");
    }
}

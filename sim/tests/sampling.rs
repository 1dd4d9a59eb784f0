// SPDX-License-Identifier: Apache-2.0
//! Estimates from drawn thread blocks beside what the whole launch counts, over many draws.

use gpurf_fixtures::measured;
use gpurf_sim::config::Config;
use gpurf_sim::engines::Engines;
use gpurf_sim::sm::{Design, Gpu, Sampling, SmError};
use gpurf_sim::statistics::{Estimate, Sample, Statistics, Summary};
use gpurf_trace::{Command, KernelHeader, Workload};

use crate::streams::{header, kernel, Line, ALL, EXIT};

/// Warps of a block: four blocks are resident at a time.
const WARPS: u32 = 8;
const BLOCKS: usize = 1600;
const DRAWS: u64 = 40;

/// Four instructions: some that read what was written just before, some that do not, some from a unit with
/// few lanes.
const REUSED: [Line; 4] = [
    ("FFMA", Some(8), &[4, 5, 8], ALL, &[]),
    ("FADD", Some(9), &[8, 9], ALL, &[]),
    ("FFMA", Some(8), &[9, 8, 5], ALL, &[]),
    ("FADD", Some(10), &[11, 12], ALL, &[]),
];
const SLOW: [Line; 4] = [
    ("FADD", Some(10), &[11, 12], ALL, &[]),
    ("MUFU.RCP", Some(13), &[14], ALL, &[]),
    ("MUFU.RCP", Some(15), &[16], ALL, &[]),
    ("FADD", Some(17), &[18, 4], ALL, &[]),
];

/// Blocks whose warps do so many steps each. One step in `slow`, if any, is a slow one.
fn blocks(steps: &[usize], slow: impl Fn(usize) -> usize) -> Workload {
    let lines = |(block, &steps): (usize, &usize)| {
        let step = |number: usize| if number % slow(block) == 0 { SLOW } else { REUSED };
        let warp: Vec<Line> = (1..=steps).flat_map(step).chain([EXIT]).collect();
        vec![warp; WARPS as usize]
    };
    let blocks: Vec<Vec<Vec<Line>>> = steps.iter().enumerate().map(lines).collect();
    kernel(KernelHeader { grid: [steps.len() as u32, 1, 1], ..header(32 * WARPS) }, &blocks)
}

fn steps(steps: &[usize]) -> Workload {
    blocks(steps, |_| 3)
}

fn run(workload: &Workload, sms: u64, sampling: Option<Sampling>) -> Result<Statistics, SmError> {
    let config = Config::load(None, &[format!("sms={sms}")]).unwrap();
    let design = Design::TRADITIONAL;
    let mut gpu = Gpu::new(&config, design, 1, Engines::models(&config, design, 1));
    if let Some(sampling) = sampling {
        gpu.sample(sampling);
    }
    gpu.run(workload, None)?;
    let statistics = gpu.statistics("model", 0);
    assert!(statistics.is_sound(), "{:?}", statistics.errors);
    Ok(statistics)
}

fn sample(workload: &Workload, sms: u64, every: u64, seed: u64) -> Sample {
    run(workload, sms, Some(Sampling { every, seed })).unwrap().sample.expect("it was sampled")
}

/// A row of what many draws give: of what, the true value, and how estimates lie around it.
type Row = [String; 8];

const HEADER: [&str; 8] = [
    "blocks",
    "SMs",
    "what",
    "true",
    "mean estimate",
    "spread of the draws",
    "mean standard error",
    "intervals that hold it, of 40",
];

/// How estimates over many draws lie around the true value.
fn check([blocks, sms]: [&str; 2], what: &str, truth: f64, estimates: &[Estimate]) -> Row {
    let count = estimates.len() as f64;
    let mean = |of: &dyn Fn(&Estimate) -> f64| estimates.iter().map(of).sum::<f64>() / count;
    let value = mean(&|estimate| estimate.value);
    let spread = mean(&|estimate| (estimate.value - value).powi(2)).sqrt();
    let error = mean(&|estimate| estimate.standard_error);
    let inside = estimates.iter().filter(|estimate| (estimate.low..=estimate.high).contains(&truth)).count();
    let [truth_told, value_told, spread_told, error_told] =
        [truth, value, spread, error].map(|number| format!("{number:.5}"));
    let row = [blocks, sms, what].map(String::from);
    let row = [&row[..], &[truth_told, value_told, spread_told, error_told, inside.to_string()]].concat();
    assert!((value - truth).abs() < error, "biased: {row:?}");
    assert!(inside as f64 >= 0.85 * count, "too narrow: {row:?}");
    // A trend counts as error, though a systematic sample follows it.
    assert!(error < 0.1 * truth && inside > 0, "too wide: {row:?}");
    row.try_into().expect("as many as the header has")
}

/// The whole launch, and draws from it.
fn draws(workload: &Workload, sms: u64) -> (Summary, Vec<Sample>) {
    let whole = run(workload, sms, None).unwrap().summary;
    let samples: Vec<Sample> = (0..DRAWS).map(|seed| sample(workload, sms, 16, seed)).collect();
    for sample in &samples {
        assert!(sample.share < 0.3, "too much is simulated to show anything");
        assert_eq!(sample.warp_instructions, whole.counters.warp_instructions, "known exactly");
        assert_eq!(sample.operand_reads, whole.counters.operand_reads, "known exactly");
    }
    (whole, samples)
}

fn check_times(of: [&str; 2], (whole, samples): &(Summary, Vec<Sample>)) -> Vec<Row> {
    let estimates = |estimate: fn(&Sample) -> Estimate| samples.iter().map(estimate).collect::<Vec<_>>();
    check(of, "cycles", whole.counters.cycles as f64, &estimates(|sample| sample.cycles));
    check(of, "bank writes", whole.counters.bank_writes as f64, &estimates(|sample| sample.bank_writes));
    vec![check(of, "IPC", whole.ipc, &estimates(|sample| sample.ipc))]
}

/// The ratios' rows; sums follow their ratio.
fn check_all(blocks: &str, workload: &Workload, sms: u64) -> Vec<Row> {
    let of = [blocks, &sms.to_string()];
    let drawn = draws(workload, sms);
    let mut rows = check_times(of, &drawn);
    let (whole, samples) = drawn;
    let estimates = |estimate: fn(&Sample) -> Estimate| samples.iter().map(estimate).collect::<Vec<_>>();
    rows.push(check(of, "hit ratio", whole.hit_ratio, &estimates(|sample| sample.hit_ratio)));
    check(of, "hits", whole.counters.hits as f64, &estimates(|sample| sample.hits));
    check(of, "bank reads", whole.counters.bank_reads as f64, &estimates(|sample| sample.bank_reads));
    rows
}

fn random_steps(seed: u64) -> Vec<usize> {
    let mut random = fastrand::Rng::with_seed(seed);
    (0..BLOCKS).map(|_| random.usize(4..40)).collect()
}

/// Growing from 4 steps to 44, and not evenly.
fn rising_steps(seed: u64) -> Vec<usize> {
    let mut random = fastrand::Rng::with_seed(seed);
    (0..BLOCKS).map(|number| 4 + 40 * number / BLOCKS + random.usize(0..9)).collect()
}

const RANDOM: &str = "length at random";
const GROWING: &str = "growing elevenfold";

#[test]
fn blocks_that_differ_at_random() {
    let rows = check_all(RANDOM, &steps(&random_steps(1)), 1);
    measured::file!["draws/random.csv"].assert_eq(&measured::table(HEADER, rows));
}

#[test]
fn blocks_that_differ_at_random_on_three_sms() {
    let rows = check_all(RANDOM, &steps(&random_steps(2)), 3);
    measured::file!["draws/random_3.csv"].assert_eq(&measured::table(HEADER, rows));
}

#[test]
fn blocks_that_grow_over_the_launch() {
    let rows = check_all(GROWING, &steps(&rising_steps(3)), 1);
    measured::file!["draws/growing.csv"].assert_eq(&measured::table(HEADER, rows));
}

#[test]
fn blocks_that_grow_over_the_launch_on_three_sms() {
    let rows = check_all(GROWING, &steps(&rising_steps(4)), 3);
    measured::file!["draws/growing_3.csv"].assert_eq(&measured::table(HEADER, rows));
}

#[test]
fn blocks_whose_instructions_change_over_the_launch() {
    let workload = blocks(&random_steps(7), |block| 2 + 4 * block / BLOCKS);
    let rows = [1, 3].map(|sms| check_all("instructions change over the launch", &workload, sms));
    measured::file!["draws/change.csv"].assert_eq(&measured::table(HEADER, rows.concat()));
}

#[test]
fn a_few_blocks_that_take_four_times_as_long() {
    let mut random = fastrand::Rng::with_seed(8);
    let long: Vec<usize> = (0..BLOCKS).map(|_| if random.u8(0..12) == 0 { 32 } else { 8 }).collect();
    let workload = steps(&long);
    let rows = [1, 3].map(|sms| check_all("one in twelve takes four times as long", &workload, sms));
    measured::file!["draws/long.csv"].assert_eq(&measured::table(HEADER, rows.concat()));
}

#[test]
fn blocks_that_are_all_alike_are_estimated_almost_without_error() {
    let workload = steps(&[12; BLOCKS]);
    let whole = run(&workload, 1, None).unwrap().summary;
    let sample = sample(&workload, 1, 16, 5);
    // Of 396 clusters beside the first and last two, 25.
    assert_eq!((sample.blocks, sample.simulated_blocks, sample.sampled_launches), (1600, 8 + 4 * 25 + 8, 1));
    let Estimate { value, standard_error, .. } = sample.ipc;
    assert!((value / whole.ipc - 1.0).abs() < 0.005 && standard_error < 0.005 * value, "{:?}", sample.ipc);
    let Estimate { value, standard_error, .. } = sample.hit_ratio;
    assert!((value / whole.hit_ratio - 1.0).abs() < 0.01 && standard_error < 0.01 * value);
}

/// Blocks that each load a part of a table, which others have loaded long before them.
fn lookups(parts: u64) -> Workload {
    let addresses =
        |number: u64| -> Vec<u64> { (0..32).map(|lane| 0x100_0000 + 128 * number + 4 * lane).collect() };
    let table: Vec<Vec<u64>> = (0..parts * u64::from(WARPS) * 2).map(addresses).collect();
    let mut random = fastrand::Rng::with_seed(9);
    let blocks: Vec<Vec<Vec<Line>>> = (0..BLOCKS)
        .map(|block| {
            let (part, steps) = (block % parts as usize, random.usize(2..6));
            let warp = |warp: usize| {
                let first = 2 * (part * WARPS as usize + warp);
                let load = |row: usize| ("LDG.E", Some(20), &[2u8][..], ALL, &table[row][..]);
                let uses: [Line; 2] =
                    [("FADD", Some(8), &[20, 8], ALL, &[]), ("FFMA", Some(9), &[8, 9, 20], ALL, &[])];
                let rows = [load(first), load(first + 1)].into_iter();
                rows.flat_map(|load| [load].into_iter().chain((0..steps).flat_map(|_| uses.to_vec())))
                    .chain([EXIT])
                    .collect()
            };
            (0..WARPS as usize).map(warp).collect()
        })
        .collect();
    kernel(KernelHeader { grid: [BLOCKS as u32, 1, 1], ..header(32 * WARPS) }, &blocks)
}

#[test]
fn blocks_find_in_the_caches_what_blocks_left_out_loaded() {
    // While the table is loaded from DRAM, warps run in step as they do for longer in the sample: hits are
    // another matter.
    let (blocks, workload) = ("load a table that earlier blocks loaded", lookups(149));
    let rows = [1, 3].map(|sms| check_times([blocks, &sms.to_string()], &draws(&workload, sms)));
    measured::file!["draws/lookups.csv"].assert_eq(&measured::table(HEADER, rows.concat()));
}

#[test]
fn a_launch_with_few_blocks_is_simulated_whole_and_known_exactly() {
    let workload = steps(&random_steps(4)[..40]);
    let whole = run(&workload, 1, None).unwrap();
    let statistics = run(&workload, 1, Some(Sampling { every: 2, seed: 1 })).unwrap();
    assert_eq!(statistics.summary, whole.summary);
    let sample = statistics.sample.unwrap();
    assert_eq!((sample.blocks, sample.simulated_blocks, sample.sampled_launches), (40, 40, 0));
    let exact = |value: f64| Estimate { value, standard_error: 0.0, low: value, high: value };
    assert_eq!(sample.ipc, exact(whole.summary.ipc));
    assert_eq!(sample.cycles, exact(whole.summary.counters.cycles as f64));
}

#[test]
fn launches_add_up_each_with_a_draw_of_its_own() {
    let [large, small] = [steps(&random_steps(5)), steps(&random_steps(6)[..40])];
    let commands = [&large, &small, &large].map(|workload| workload.commands.clone()).concat();
    let workload = Workload { name: "several".into(), commands };
    let whole = run(&workload, 1, None).unwrap().summary.counters;
    let statistics = run(&workload, 1, Some(Sampling { every: 8, seed: 1 })).unwrap();
    let sample = statistics.sample.unwrap();
    assert_eq!((sample.launches, sample.sampled_launches, sample.blocks), (3, 2, 3240));
    let counted = |number: usize| statistics.kernels[number].summary.counters.warp_instructions;
    assert_ne!(counted(0), counted(2), "both draws are the same");
    assert_eq!(sample.warp_instructions, whole.warp_instructions);
    let Estimate { value, standard_error, .. } = sample.cycles;
    assert!((value - whole.cycles as f64).abs() < 4.0 * standard_error, "{value} {standard_error}");
}

#[test]
fn a_trace_of_a_part_of_the_grid_is_refused() {
    let mut workload = steps(&[12; BLOCKS]);
    let Command::Kernel(kernel) = &workload.commands[0] else { panic!("it is a kernel") };
    let header = KernelHeader { grid: [1700, 1, 1], ..kernel.header().clone() };
    let inner = kernel.clone();
    let part = gpurf_trace::Kernel::new(header, move || Ok(Box::new(Part(inner.open()?))));
    workload.commands = vec![Command::Kernel(part)];
    assert!(run(&workload, 1, None).is_ok());
    let error = run(&workload, 1, Some(Sampling { every: 8, seed: 1 })).unwrap_err();
    assert!(matches!(error, SmError::PartOfGrid { blocks: 1600, grid: 1700, .. }), "{error}");
}

/// The blocks of a reader.
pub struct Part(pub gpurf_trace::KernelReader);

impl gpurf_trace::BlockSource for Part {
    fn next_block(
        &mut self,
        program: &mut gpurf_trace::Program,
    ) -> gpurf_trace::Result<Option<gpurf_trace::ThreadBlock>> {
        let block = self.0.next_block()?;
        program.clone_from(self.0.program());
        Ok(block)
    }
}

// SPDX-License-Identifier: Apache-2.0
//! Loads from shared memory that warps share, by multicasting and by renaming: on the matrix products of
//! "Inter-Warp Multicasting", table 3, and on small kernels that provoke wrong deliveries.

use std::path::Path;

use gpurf_blocks::ports::{IwmuIn, IwmuOut, RenamingTableIn, RenamingTableOut, SkipTableIn, SkipTableOut};
use gpurf_blocks::{ADDRESS_BITS, MAX_WARPS, WARP_BITS};
use gpurf_hw::dialect::Rtl;
use gpurf_hw::multicast::Iwmu;
use gpurf_sim::config::Config;
use gpurf_sim::engines::{iwmu_model, Engines, IwmuEngine, RenamingTableEngine, SkipTableEngine};
use gpurf_sim::gemm_traffic::{Tiling, Transfers};
use gpurf_sim::sm::{Design, Gpu};
use gpurf_sim::statistics::{Counters, Statistics};
use gpurf_trace::{Command, Instruction, Kernel, KernelHeader, Program, Register, ThreadBlock, Workload};
use gpurf_workloads::suite::hgemm::{run_tile, Tile, TILES};
use gpurf_workloads::{Device, Options};

use crate::altered::{Altered, Misled};

const SHARING: [Design; 3] = [Design::DARSIE, Design::IWMA, Design::IWMA_DARSIE];

fn config(settings: &[&str]) -> Config {
    let settings: Vec<String> = settings.iter().map(|setting| setting.to_string()).collect();
    Config::load(Some(Path::new("multicast-next")), &settings).unwrap()
}

fn product(tile: &Tile, m: usize, n: usize, k: usize) -> Workload {
    let mut device = Device::new(Options { digests: true, ..Options::default() });
    run_tile(&mut device, tile, m, n, k).unwrap();
    device.into_workload(tile.kernel)
}

fn run(workload: &Workload, design: Design, config: &Config) -> Statistics {
    let mut gpu = Gpu::new(config, design, 1, Engines::models(config, design, 1));
    gpu.run(workload, None).unwrap();
    gpu.statistics("model", 0)
}

fn sound(workload: &Workload, design: Design, config: &Config) -> Counters {
    let statistics = run(workload, design, config);
    assert!(statistics.is_sound(), "{}, {design}: {:?}", workload.name, statistics.errors);
    statistics.summary.counters
}

fn tiling(tile: &Tile) -> Tiling {
    let Tile { block_m, block_n, block_k, warp_m, warp_n, .. } = *tile;
    Tiling { block_m, block_n, block_k, warp_m, warp_n }
}

/// Transfers of the main loop: those of a product less those of one that is shorter by so many steps. And how
/// many of the loads left the multicasting unit because of their age.
fn transfers_of_steps(
    short: &Workload,
    long: &Workload,
    steps: u64,
    design: Design,
    config: &Config,
) -> (Transfers, u64) {
    let (short, long) = (sound(short, design, config), sound(long, design, config));
    let of = |count: fn(&Counters) -> u64| (count(&long) - count(&short)) / steps;
    let transfers = Transfers {
        shared_loads: of(|counters| counters.shared_loads),
        shared_stores: of(|counters| counters.shared_stores),
        global_loads: of(|counters| counters.global_loads),
        global_stores: of(|counters| counters.global_stores),
    };
    (transfers, (short.lrt_aged + long.lrt_aged).div_ceil(steps))
}

#[test]
fn traffic_of_every_tile_is_as_derived() {
    for tile in TILES {
        let (m, n) = (tile.block_m, tile.block_n);
        let (short, long) = (product(tile, m, n, 64), product(tile, m, n, 192));
        for fragment_loads in [1, 2] {
            let config = config(&[&format!("mlds.transfers={fragment_loads}"), "release_age=4000"]);
            for design in [Design::BASELINE, Design::DARSIE, Design::IWMA, Design::IWMA_DARSIE] {
                let (found, aged) = transfers_of_steps(&short, &long, 4, design, &config);
                let derived = tiling(tile).step(fragment_loads, design.shared_loads());
                let case = format!("{}, {design}, {fragment_loads} loads", tile.kernel);
                // A load may be released at a barrier while its partner is still in the unit's queue, in
                // either of the two products whose difference this is. Where two warps load the same twice,
                // they may then be out of step, and go on when their loads are old. Renamed, a value is
                // lost to a warp so late that all rows of its block have been written again.
                let lost = if design.rename { (derived.shared_loads / 128).max(1) } else { 0 };
                let alone = match design.multicast {
                    true => (derived.shared_loads / 32).max(1) + aged + lost,
                    false => lost,
                };
                let shared_loads = derived.shared_loads - alone..=derived.shared_loads + alone;
                assert!(shared_loads.contains(&found.shared_loads), "{case}: {found:?}, {derived:?}");
                assert_eq!(Transfers { shared_loads: derived.shared_loads, ..found }, derived, "{case}");
            }
        }
    }
}

#[test]
fn every_warp_gets_the_values_that_it_asked_for() {
    for tile in TILES {
        let workload = product(tile, 2 * tile.block_m - 8, tile.block_n, 104);
        let expected = sound(&workload, Design::BASELINE, &config(&[]));
        assert_eq!((expected.delivery_checks, expected.multicast_requests), (0, 0));
        for design in SHARING {
            for settings in [&[][..], &["lrt_entries=16", "release_age=20"], &["search=scan"]] {
                let counted = sound(&workload, design, &config(settings));
                assert_eq!(counted.warp_instructions, expected.warp_instructions);
                assert_eq!(counted.token_checks, expected.token_checks);
                assert_eq!(counted.delivery_checks, counted.multicasts + counted.renamed_loads);
                // What is not accessed is delivered: no load is lost, and none performed twice.
                let saved = expected.shared_loads - counted.shared_loads;
                assert_eq!(saved, counted.delivery_checks, "{}, {design} {settings:?}", tile.kernel);
                assert!(saved > 0 || !design.multicast, "{}, {design}", tile.kernel);
            }
        }
    }
}

/// Where DARSIE takes the only other load alike, the first one has no partner to wait for.
#[test]
fn beside_darsie_only_loads_with_partners_in_other_sub_cores_wait() {
    let tile = &TILES[1];
    assert_eq!((tile.block_m, tile.block_n), (128, 256));
    let workload = product(tile, tile.block_m, tile.block_n, 128);
    let run = |design, beside: &str| {
        sound(&workload, design, &config(&["mlds.transfers=2", &format!("mlds.beside_darsie={beside}")]))
    };
    let apart = run(Design::DARSIE, "all");
    let (chosen, all) = (run(Design::IWMA_DARSIE, "other_sub_cores"), run(Design::IWMA_DARSIE, "all"));
    assert!(chosen.lrt_aged < all.lrt_aged / 4, "{} and {}", chosen.lrt_aged, all.lrt_aged);
    assert!(chosen.cycles < apart.cycles && apart.cycles < all.cycles);
    assert!(chosen.shared_loads < apart.shared_loads);
    assert_eq!(chosen.renamed_loads, apart.renamed_loads);
    // Without renaming it makes no difference.
    assert_eq!(run(Design::IWMA, "other_sub_cores"), run(Design::IWMA, "all"));
}

#[test]
fn loads_are_marked_by_profile_all_or_one_by_one() {
    // Enough blocks for some two of them to meet.
    let workload = product(&TILES[5], 256, 128, 64);
    let expected = sound(&workload, Design::BASELINE, &config(&[]));
    let redundant = sound(&workload, Design::IWMA, &config(&[]));
    // Warps pass C's parts through shared memory on their way out, each its own, without a barrier.
    let all = run(&workload, Design::IWMA, &config(&["mlds.loads=all"])).summary.counters;
    assert!(all.multicast_requests > redundant.multicast_requests);
    assert!(all.delivery_errors > 0);
    let one = format!("mlds.loads=\"{:#x}\"", first_matrix_load(&workload));
    let one = sound(&workload, Design::IWMA, &config(&[&one]));
    assert!(one.multicasts > 0 && one.multicast_requests < redundant.multicast_requests);
    assert_eq!(expected.shared_loads - one.shared_loads, one.multicasts);
}

fn first_matrix_load(workload: &Workload) -> u32 {
    let mut reader = workload.kernels().next().unwrap().open().unwrap();
    reader.next_block().unwrap();
    reader.program().instructions().iter().find(|place| place.base() == "LDSM").unwrap().pc
}

#[test]
fn jumps_and_repetition_change_nothing() {
    let workload = product(&TILES[0], 264, 128, 64);
    for design in SHARING {
        let config = config(&["mlds.transfers=2", "interval=500"]);
        let run = |every_cycle| {
            let mut gpu = Gpu::new(&config, design, 1, Engines::models(&config, design, 1));
            if every_cycle {
                gpu.clock_every_cycle();
            }
            gpu.run(&workload, None).unwrap();
            gpu.statistics("model", 0)
        };
        let jumped = run(false);
        assert_eq!(jumped, run(true), "{design}");
        let peak = jumped.intervals.iter().map(|interval| interval.lrt_peak).max();
        assert_eq!(peak > Some(0), design.multicast);
    }
}

#[test]
fn the_hardware_gives_the_same_statistics() {
    let workload = product(&TILES[5], 64, 64, 64);
    for search in ["cam", "scan"] {
        let config = config(&["lrt_entries=16", &format!("search={search}"), "mlds.transfers=2"]);
        let design = Design::IWMA_DARSIE;
        let unit =
            |_| -> IwmuEngine { Box::new(Rtl::new(Iwmu::<WARP_BITS, ADDRESS_BITS>::new(&config.hardware))) };
        let engines = Engines { multicasting_unit: Box::new(unit), ..Engines::models(&config, design, 1) };
        let mut gpu = Gpu::new(&config, design, 1, engines);
        gpu.run(&workload, None).unwrap();
        assert_eq!(gpu.statistics("model", 0), run(&workload, design, &config), "{search}");
    }
}

#[test]
fn faults_of_a_multicasting_unit_are_found() {
    let workload = product(&TILES[5], 64, 64, 32);
    let (config, design) = (config(&[]), Design::IWMA);
    for forgets in [false, true] {
        // The second of two loads is forgotten, or a wrong warp named for it.
        let alter = move |_: &IwmuIn, outputs: &mut IwmuOut| match forgets {
            true => outputs.load_second_valid = false,
            false => outputs.load_second_warp ^= 1,
        };
        let unit = |_| -> IwmuEngine { Box::new(Altered { engine: iwmu_model(&config), alter }) };
        let engines = Engines { multicasting_unit: Box::new(unit), ..Engines::models(&config, design, 1) };
        let mut gpu = Gpu::new(&config, design, 1, engines);
        gpu.limit_cycles(20_000);
        gpu.run(&workload, None).unwrap();
        let counters = gpu.statistics("faulty", 0).summary.counters;
        assert_eq!(counters.cycles, 20_000, "a load that is lost is never completed");
        assert_eq!(counters.stage_errors > 0, !forgets);
    }
}

#[test]
fn faults_of_a_skip_table_are_found() {
    let workload = product(&TILES[1], TILES[1].block_m, TILES[1].block_n, 64);
    let (config, design) = (config(&[]), Design::DARSIE);
    let run = |alter: fn(&SkipTableIn, &mut SkipTableOut)| {
        let table =
            |_| -> SkipTableEngine { Box::new(Altered { engine: design.skip_table_model(&config), alter }) };
        let engines = Engines { skip_table: Box::new(table), ..Engines::models(&config, design, 1) };
        let mut gpu = Gpu::new(&config, design, 1, engines);
        gpu.limit_cycles(20_000);
        // Followers that nobody wakes keep the SM from its end.
        let ends = gpu.run(&workload, None).is_ok();
        (ends, gpu.statistics("faulty", 0))
    };
    let (ends, sound) = run(|_, _| {});
    assert!(ends && sound.is_sound() && sound.summary.counters.renamed_loads > 50, "{:?}", sound.errors);
    let faults: [fn(&SkipTableIn, &mut SkipTableOut); 4] = [
        |_, outputs| outputs.entry ^= 1,
        |_, outputs| outputs.under_way ^= outputs.found,
        |_, outputs| outputs.followers[3] ^= outputs.arrived,
        |_, outputs| outputs.arrived = false,
    ];
    for (number, fault) in faults.into_iter().enumerate() {
        let (_, statistics) = run(fault);
        assert!(statistics.summary.counters.stage_errors > 0, "fault {number}");
        assert!(statistics.errors[0].contains("skip table"), "{:?}", statistics.errors);
    }
}

#[test]
fn faults_of_a_renaming_table_are_found() {
    let workload = product(&TILES[1], 2 * TILES[1].block_m, 2 * TILES[1].block_n, 64);
    let (config, design) = (config(&[]), Design::DARSIE);
    let run = |table: &dyn Fn(RenamingTableEngine) -> RenamingTableEngine| {
        let table = |_| table(design.renaming_table_model(&config));
        let engines = Engines { renaming_table: Box::new(table), ..Engines::models(&config, design, 1) };
        let mut gpu = Gpu::new(&config, design, 1, engines);
        gpu.limit_cycles(20_000);
        let _ = gpu.run(&workload, None);
        gpu.statistics("faulty", 0)
    };
    let sound = run(&|engine| engine);
    assert!(sound.is_sound() && sound.summary.counters.renamed_loads > 50, "{:?}", sound.errors);
    let slips: [fn(&RenamingTableIn, &mut RenamingTableOut); 3] = [
        // A follower reads its own row, or another warp's.
        |_, outputs| outputs.lent.fill(false),
        |_, outputs| outputs.lender.iter_mut().for_each(|lender| *lender ^= 2),
        |_, outputs| outputs.lent[0] = false,
    ];
    for (number, alter) in slips.into_iter().enumerate() {
        let wrong = run(&move |engine| Box::new(Altered { engine, alter }));
        assert!(wrong.summary.counters.token_errors > 0, "slip {number}");
    }
    let faults: [fn(&mut RenamingTableIn, u32); 4] = [
        // A bit is not set; one is not cleared; a leader overwrites what is read.
        |inputs, _| inputs.skip = false,
        |inputs, _| inputs.write = false,
        |inputs, _| inputs.peers = [false; MAX_WARPS],
        |inputs, _| inputs.leader ^= 1,
    ];
    for (number, fault) in faults.into_iter().enumerate() {
        let wrong = run(&move |engine| Box::new(Misled::new(engine, fault)));
        assert!(wrong.summary.counters.token_errors > 0, "fault {number}");
    }
}

/// An instruction of a warp: opcode, destination, sources, addresses of the first lanes.
type Line<'a> = (&'a str, Option<u8>, &'a [u8], &'a [u64]);

fn kernel(warps: &[&[Line]]) -> Workload {
    let mut program = Program::default();
    let mut block = ThreadBlock::new([0; 3]);
    for (number, lines) in warps.iter().enumerate() {
        block.begin_warp(number as u32);
        for (place, &(opcode, destination, sources, addresses)) in lines.iter().enumerate() {
            let sources: Vec<_> = sources.iter().map(|&source| Register::vector(source)).collect();
            let index = program.intern(&Instruction {
                pc: 16 * place as u32,
                opcode,
                destination: destination.map(Register::vector),
                sources: &sources,
                width: if addresses.is_empty() { 0 } else { 4 },
                immediates: [0; 2],
            });
            let mask = if addresses.is_empty() { u32::MAX } else { u32::MAX >> (32 - addresses.len()) };
            block.push(index.unwrap(), mask, addresses);
        }
    }
    let header = KernelHeader {
        name: "k".into(),
        grid: [1; 3],
        block: [32 * warps.len() as u32, 1, 1],
        nregs: 32,
        shared_memory: 1024,
        ..KernelHeader::default()
    };
    let kernel = Kernel::in_memory(header, program, vec![block]);
    Workload { name: "k".into(), commands: vec![Command::Kernel(kernel)] }
}

const EXIT: Line = ("EXIT", None, &[], &[]);
const BARRIER: Line = ("BAR.SYNC", None, &[], &[]);

fn all() -> Config {
    config(&["mlds.loads=all"])
}

#[test]
fn lanes_that_differ_behind_the_first_are_found() {
    let load = |addresses| -> Line { ("LDS", Some(4), &[2], addresses) };
    let differing = kernel(&[&[load(&[0, 4, 8]), EXIT], &[load(&[0, 4, 12]), EXIT]]);
    let statistics = run(&differing, Design::IWMA, &all());
    let counted = statistics.summary.counters;
    assert_eq!((counted.multicasts, counted.lane_mismatches, counted.delivery_errors), (1, 1, 1));
    assert!(!statistics.is_sound());
    assert!(statistics.errors[0].contains("pc 0x0000, warp slot"), "{}", statistics.errors[0]);
    // Such loads do not qualify, and renaming compares all lanes.
    assert_eq!(sound(&differing, Design::IWMA, &config(&[])).multicast_requests, 0);
    assert_eq!(sound(&differing, Design::IWMA_DARSIE, &config(&[])).renamed_loads, 0);
    let alike = kernel(&[&[load(&[0, 4, 8]), EXIT], &[load(&[0, 4, 8]), EXIT]]);
    assert_eq!(sound(&alike, Design::IWMA, &config(&[])).multicasts, 1);
}

#[test]
fn a_load_that_is_kept_too_long_is_found() {
    // The warp's own store comes while its load waits for a partner.
    let load: Line = ("LDS", Some(4), &[2], &[0, 4]);
    let store: Line = ("STS", None, &[2, 6], &[4]);
    let lone = kernel(&[&[load, store, EXIT], &[EXIT]]);
    let statistics = run(&lone, Design::IWMA, &all());
    assert_eq!(statistics.summary.counters.delivery_errors, 1);
    assert!(statistics.errors[0].contains("stored after its turn"), "{}", statistics.errors[0]);
    sound(&lone, Design::IWMA, &config(&[]));
}

#[test]
fn a_barrier_releases_what_waits_and_holds_the_stores_behind_it() {
    let load: Line = ("LDS", Some(4), &[2], &[0, 4]);
    let store: Line = ("STS", None, &[2, 6], &[4]);
    let kernel = kernel(&[&[load, BARRIER, EXIT], &[BARRIER, store, EXIT]]);
    let counted = sound(&kernel, Design::IWMA, &config(&["mlds.loads=all", "release_age=60000"]));
    assert_eq!((counted.multicast_requests, counted.multicasts, counted.lrt_aged), (1, 0, 0));
    assert!(counted.cycles < 200, "{} cycles", counted.cycles);
}

#[test]
fn a_barrier_that_opens_late_releases_what_has_come_long_before() {
    let load: Line = ("LDS", Some(4), &[2], &[0, 4]);
    let other: Line = ("LDS", Some(8), &[8], &[64]);
    let store: Line = ("STS", None, &[2, 6], &[128]);
    let chain: Vec<Line> = [store].into_iter().chain([other; 8]).chain([BARRIER, EXIT]).collect();
    let kernel = kernel(&[&[load, BARRIER, EXIT], &chain]);
    let places = "mlds.loads=\"0x0000\"";
    let counted = sound(&kernel, Design::IWMA, &config(&[places, "release_age=60000"]));
    assert_eq!((counted.multicasts, counted.lrt_aged), (0, 0));
    assert!(counted.cycles < 1000, "{} cycles", counted.cycles);
}

#[test]
fn renaming_serves_the_warps_of_a_sub_core_until_something_is_stored() {
    let load: Line = ("LDS", Some(4), &[2], &[0, 4]);
    let idle: &[Line] = &[BARRIER, EXIT];
    let same = kernel(&[&[load, BARRIER, EXIT], idle, idle, idle, &[load, BARRIER, EXIT]]);
    let counted = sound(&same, Design::DARSIE, &all());
    assert_eq!((counted.renamed_loads, counted.shared_loads, counted.delivery_checks), (1, 1, 1));
    let others = kernel(&[&[load, BARRIER, EXIT], &[load, BARRIER, EXIT]]);
    assert_eq!(sound(&others, Design::DARSIE, &all()).renamed_loads, 0, "another sub-core");
    let store: Line = ("STS", None, &[2, 6], &[4]);
    let behind = kernel(&[&[load, BARRIER, EXIT], idle, idle, idle, &[BARRIER, load, EXIT]]);
    assert_eq!(sound(&behind, Design::DARSIE, &all()).renamed_loads, 0, "a barrier between");
    let stored =
        kernel(&[&[load, store, EXIT], idle, idle, idle, &[store, store, store, load, BARRIER, EXIT]]);
    assert_eq!(sound(&stored, Design::DARSIE, &all()).renamed_loads, 0);
}

/// Warps 0 and 4 of a block, which are in one sub-core, and three that do nothing.
fn pair(leader: &[Line], follower: &[Line]) -> Workload {
    let idle: &[Line] = &[BARRIER, EXIT];
    kernel(&[leader, idle, idle, idle, follower])
}

/// Addresses of all lanes.
const WHOLE: [u64; 32] = {
    let mut addresses = [0; 32];
    let mut lane = 0;
    while lane < 32 {
        addresses[lane] = 4 * lane as u64;
        lane += 1;
    }
    addresses
};

#[test]
fn what_is_renamed_is_read_where_the_leader_has_it() {
    let load: Line = ("LDS", Some(4), &[2], &WHOLE);
    let read: Line = ("MOV", Some(6), &[4], &[]);
    let write: Line = ("MOV", Some(4), &[2], &[]);
    let cases: [(&[Line], &[Line]); 3] = [
        (&[load, BARRIER, read, EXIT], &[load, BARRIER, read, EXIT]),
        // The leader writes what the follower reads afterwards, and the follower what the leader reads.
        (&[load, write, write, read, BARRIER, read, EXIT], &[load, read, BARRIER, read, write, read, EXIT]),
        (&[load, BARRIER, read, read, read, read, EXIT], &[load, write, read, BARRIER, EXIT]),
    ];
    for (number, (leader, follower)) in cases.into_iter().enumerate() {
        let workload = pair(leader, follower);
        let apart = sound(&workload, Design::BASELINE, &all());
        for design in ["darsie", "malekeh+darsie", "bow+darsie"] {
            let counted = sound(&workload, design.parse().unwrap(), &all());
            let case = format!("case {number}, {design}");
            assert_eq!((counted.renamed_loads, counted.shared_loads), (1, 1), "{case}");
            assert_eq!(apart.bank_writes - counted.bank_writes, 1, "{case}: no copy is written");
        }
    }
}

#[test]
fn what_cannot_be_renamed_is_copied() {
    // A load of some lanes; and designs that do not rename registers.
    let some: Line = ("LDS", Some(4), &[2], &[0, 4]);
    let whole: Line = ("LDS", Some(4), &[2], &WHOLE);
    for (load, design) in [(some, "darsie"), (whole, "rfc+darsie"), (whole, "darsie+finereg")] {
        let workload = pair(&[load, BARRIER, EXIT], &[load, BARRIER, EXIT]);
        let design: Design = design.parse().unwrap();
        let apart = sound(&workload, Design { rename: false, ..design }, &all());
        let counted = sound(&workload, design, &all());
        assert_eq!((counted.renamed_loads, counted.shared_loads), (1, 1), "{design}");
        assert_eq!(counted.bank_writes, apart.bank_writes, "{design}");
    }
}

#[test]
fn blocks_do_not_share() {
    let load: Line = ("LDS", Some(4), &[2], &[0, 4]);
    let lone = kernel(&[&[load, EXIT]]);
    let Command::Kernel(one) = &lone.commands[0] else { panic!("a kernel") };
    let mut reader = one.open().unwrap();
    let block = reader.next_block().unwrap().unwrap();
    let header = KernelHeader { grid: [2, 1, 1], ..one.header().clone() };
    let two = Kernel::in_memory(header, reader.program().clone(), vec![block.clone(), block]);
    let workload = Workload { name: "two".into(), commands: vec![Command::Kernel(two)] };
    let counted = sound(&workload, Design::IWMA, &all());
    assert_eq!((counted.multicast_requests, counted.multicasts), (2, 0));
}

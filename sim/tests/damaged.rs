// SPDX-License-Identifier: Apache-2.0
//! Damaged traces run on the SM, under every design: an error or a run, never a panic, never without an end.

use std::fs;

use gpurf_fixtures::damage::{config, damage, damaged, watched};
use gpurf_sim::config::Config;
use gpurf_sim::engines::Engines;
use gpurf_sim::sm::{Design, Gpu};
use gpurf_trace::{open, Reuse};
use proptest::prelude::*;
use proptest::sample::select;

use crate::compositions::without_control_bits;

/// Two blocks of two warps that meet at a barrier, load, share, branch and multiply.
const KERNEL: &str = "\
-kernel name = k
-kernel id = 1
-grid dim = (2,1,1)
-block dim = (64,1,1)
-shmem = 1024
-nregs = 24
-binary version = 75
-cuda stream id = 0
-shmem base_addr = 0x00007f1000000000
-local mem base_addr = 0x00007f1100000000
-accelsim tracer version = 5
-enable lineinfo = 0

";

const WARP: &str = "\
insts = 9
0000 ffffffff 1 R1 S2R 0 0 0 
0010 ffffffff 1 R4 LDG.E.64.SYS 1 R2 8 1 0x7fabb8e00000 8 0 
0020 ffffffff 0 STS 2 R1 R4 4 1 0x7f1000000000 4 0 
0030 ffffffff 0 BAR.SYNC 0 0 0 
0040 0000ffff 1 R6 LDS 1 R1 4 1 0x7f1000000000 4 0 
0050 ffffffff 1 R8 HMMA.1688.F32 4 R4 R6 R8 R10 0 0 
0060 ffffffff 1 R12 FFMA 3 R8 R9 R12 0 0 
0070 ffff0000 0 BRA 0 0 0 
0080 ffffffff 0 EXIT 0 0 0 

";

/// Pieces that mean something in a trace.
#[rustfmt::skip]
const PIECES: &[&str] = &[
    " ", "\n", "-", "(", ")", ",", "R", "R23", "R255", "0x", "ffffffff", "00000000", " 1", " 4", "insts = ",
    "-grid dim = (1,1,1)\n", "-block dim = (1024,1,1)\n", "-nregs = 255\n", "-shmem = 65537\n", "warp = 1\n",
    "0030 ffffffff 0 BAR.SYNC 0 0 0 \n", "0050 ffffffff 1 R8 DFMA 3 R4 R6 R8 0 0 \n", "0050 ffffffff 1 R3 MUFU 1 R3 0 0 \n",
    "0080 0000ffff 0 EXIT 0 0 0 \n", "0090 ffffffff 0 WARPSYNC 0 0 0 \n", "00a0 ffffffff 0 DEPBAR 0 0 0 \n",
    "0010 ffffffff 1 R4 ATOMG 2 R2 R8 4 1 0x10 4 0 \n", "0010 ffffffff 1 R4 LDL 1 R2 4 1 0x7f1100000000 4 0 \n",
];

fn text() -> String {
    let block =
        |x| format!("#BEGIN_TB\n\nthread block = {x},0,0\n\nwarp = 0\n{WARP}warp = 1\n{WARP}#END_TB\n\n");
    KERNEL.to_string() + &block(0) + &block(1)
}

/// Cycles; whether the kernel ended.
fn run(text: &str, design: Design) -> Result<u64, String> {
    thread_local!(static FOLDER: tempfile::TempDir = tempfile::tempdir().unwrap());
    let path = FOLDER.with(|folder| folder.path().join("kernel-1.traceg"));
    fs::write(&path, text).unwrap();
    let workload = open(&path).map_err(|error| error.to_string())?;
    let machine = Config::default();
    let mut gpu = Gpu::new(&machine, design, 1, Engines::models(&machine, design, 1));
    gpu.limit_cycles(20_000);
    gpu.run(&workload, Some(&Reuse::default())).map_err(|error| error.to_string())?;
    Ok(gpu.cycles())
}

#[test]
fn the_trace_runs_undamaged() {
    for design in designs() {
        let cycles = run(&text(), design).unwrap_or_else(|error| panic!("{design}: {error}"));
        assert!(cycles < 20_000, "{design}: {cycles}");
    }
}

fn designs() -> Vec<Design> {
    Design::every().map(without_control_bits).collect()
}

proptest! {
    #![proptest_config(config(50))]

    #[test]
    fn damaged_traces_end(design in select(designs()), damages in prop::collection::vec(damage(PIECES), 0..=4)) {
        watched(&damaged(&text(), &damages), |text| { let _ = run(text, design); });
    }
}

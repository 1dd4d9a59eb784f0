// SPDX-License-Identifier: Apache-2.0
//! The tool's memory stays flat: streams are made a few blocks at a time.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Bytes that `gpurf` may hold, whatever the workload.
const MOST: u64 = 200 << 20;

/// The most memory that a process has held so far, in bytes, as Linux says.
fn peak(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? << 10)
}

/// The most memory that `gpurf` holds with these arguments.
fn peak_of(arguments: &[&str]) -> u64 {
    let program = assert_cmd::cargo::cargo_bin("gpurf");
    let mut command = Command::new(program);
    let mut child = command
        .args(arguments)
        .args(["--threads", "1"])
        .stdout(Stdio::null())
        .spawn()
        .expect("the tool is built");
    let mut most = 0;
    loop {
        // It only grows, so that the last look is near its end.
        most = peak(child.id()).unwrap_or(most);
        if let Some(status) = child.try_wait().expect("it is our child") {
            assert!(status.success(), "{arguments:?}: {status}");
            return most;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Each of these held more than a gigabyte when whole streams were kept. On one thread: with more, what the
/// allocator sets aside for each depends on how they take turns.
#[test]
fn large_workloads_take_little_memory() {
    if !Path::new("/proc/self/status").exists() {
        eprintln!("skipped: only Linux tells how much memory a process has held");
        return;
    }
    for arguments in [
        // A block of it has 300,000 instructions.
        &["sim", "sgemm", "--size", "large", "--cycles", "20000"][..],
        // Each block has more than the one before it.
        &["sim", "particlefilter_naive", "--size", "large", "--cycles", "20000"],
        // Its blocks write all over memory, and each launch needs what those before it wrote.
        &["sim", "bfs", "--size", "large", "--cycles", "20000"],
        // The whole stream is read.
        &["workloads", "dwt2d", "--size", "large"],
    ] {
        let peak = peak_of(arguments);
        assert!(peak > 4 << 20, "{arguments:?}: {peak} bytes cannot be");
        assert!(peak <= MOST, "{arguments:?}: {} MB", peak >> 20);
    }
}

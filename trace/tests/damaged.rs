// SPDX-License-Identifier: Apache-2.0
//! Damaged, cut and missing files: the error says where and why, and nothing panics.

use std::fs;
use std::io::Write;
use std::path::Path;

use gpurf_fixtures::damage::{config, damage, damaged, watched};
use gpurf_trace::{files, open_with, Error, Result, Reuse, Workload};
use proptest::prelude::*;
use proptest::sample::select;

const KERNEL: &str = "\
-kernel name = k
-kernel id = 1
-grid dim = (2,1,1)
-block dim = (64,1,1)
-shmem = 0
-nregs = 12
-binary version = 75
-cuda stream id = 0
-accelsim tracer version = 5
-enable lineinfo = 0

#traces format = PC mask ...

#BEGIN_TB

thread block = 0,0,0

warp = 0
insts = 3
0000 ffffffff 1 R1 MOV 0 0 0 
0010 0000000f 1 R4 LDG.E.SYS 1 R4 4 1 0x7fabb8e00000 4 0 
0020 ffffffff 0 EXIT 0 0 0 

#END_TB

#BEGIN_TB

thread block = 1,0,0

warp = 1
insts = 2
0010 00000005 1 R4 LDG.E.SYS 1 R4 4 2 0x7fabb8e00000 64 0 
0020 ffffffff 0 EXIT 0 0 0 

#END_TB
";

/// As the project's own emulator writes it.
const OWN_KERNEL: &str = include_str!("../../fixtures/traces/stencil/kernel-2.traceg");

/// Opens a trace, without remarks.
fn open(path: &Path) -> Result<Workload> {
    open_with(path, |_| ())
}

/// Reads a whole workload; the number of warp instructions.
fn read(path: &Path) -> Result<u64> {
    let mut instructions = 0;
    for kernel in open(path)?.kernels() {
        let mut reader = kernel.open()?;
        while let Some(block) = reader.next_block()? {
            instructions += block.instruction_count();
        }
    }
    Ok(instructions)
}

fn read_bytes(bytes: &[u8]) -> Result<u64> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kernel-1.traceg");
    fs::write(&path, bytes).unwrap();
    read(&path)
}

/// The message for `KERNEL` with one passage replaced.
fn message(from: &str, to: &str) -> String {
    assert!(KERNEL.contains(from), "{from}");
    read_bytes(KERNEL.replacen(from, to, 1).as_bytes()).unwrap_err().to_string()
}

#[test]
fn the_whole_file_reads() {
    assert_eq!(read_bytes(KERNEL.as_bytes()).unwrap(), 5);
    assert_eq!(read_bytes(KERNEL.trim_end().as_bytes()).unwrap(), 5);
}

#[test]
fn damage_is_located_and_explained() {
    for (from, to, expected) in [
        ("MOV", "FROB", "kernel-1.traceg:20: unknown opcode `FROB`"),
        ("ffffffff 1 R1", "ffffffff 1 Q1", ":20: a register expected, `Q1` found"),
        ("0x7fabb8e00000 4", "7fab 4", ":21: an address expected"),
        ("insts = 3", "insts = 2", ":22: `warp = ..` expected"),
        ("insts = 3", "insts = 4", ":23: the trace is cut short: warp 0 promises 4"),
        ("insts = 3", "insts = -3", ":19: `insts = ..` expected"),
        ("warp = 0", "warp = 2", ":18: warp 2 does not exist"),
        ("thread block = 1,0,0", "thread block = 2,0,0", ":28: thread block [2, 0, 0] lies outside"),
        ("#END_TB\n\n", "\n\n", ":26: `warp = ..` expected, `#BEGIN_TB` found"),
        ("version = 5", "version = 9", ":9: tracer version 9 is unknown; versions 2 to 6"),
        ("-nregs = 12\n", "", "has no `-nregs`"),
        ("(64,1,1)", "(64,64,64)", ":4: `(64,64,64)` is no block dim"),
        ("(64,1,1)", "(4294967295,4294967295,2)", ":4: `(4294967295,4294967295,2)` is no block dim"),
        ("-kernel name = k", "PK\u{3}", ":1: `-key = value` expected"),
    ] {
        let message = message(from, to);
        assert!(message.contains(expected), "{from} -> {to}: {message}");
    }
}

#[test]
fn every_cut_is_noticed_until_the_last_block_ends() {
    let first_end = KERNEL.find("#END_TB").unwrap() + "#END_TB".len();
    let second_begin = KERNEL.rfind("#BEGIN_TB").unwrap();
    let header_end = KERNEL.find("#traces").unwrap();
    for length in 1..KERNEL.trim_end().len() {
        let result = read_bytes(&KERNEL.as_bytes()[..length]);
        let between_blocks = (first_end..=second_begin).contains(&length);
        let before_blocks = (header_end + 1..=KERNEL.find("#BEGIN_TB").unwrap()).contains(&length);
        match result {
            // Such a file is a shorter trace, and traces of part of a grid are common.
            Ok(count) if between_blocks => assert_eq!(count, 3),
            Ok(count) if before_blocks => assert_eq!(count, 0),
            Ok(_) => panic!("cut at {length} unnoticed"),
            Err(Error::Truncated { .. }) => {}
            Err(error) => panic!("cut at {length}: {error}"),
        }
    }
}

#[test]
fn compressed_files_read_alike_and_their_cuts_are_noticed() {
    let mut xz = liblzma::write::XzEncoder::new(Vec::new(), 6);
    xz.write_all(KERNEL.as_bytes()).unwrap();
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gz.write_all(KERNEL.as_bytes()).unwrap();
    let zst = zstd::stream::encode_all(KERNEL.as_bytes(), 3).unwrap();
    for compressed in [xz.finish().unwrap(), gz.finish().unwrap(), zst] {
        assert_eq!(read_bytes(&compressed).unwrap(), 5);
        for length in 8..compressed.len() {
            match read_bytes(&compressed[..length]) {
                Err(Error::Truncated { .. }) => {}
                other => panic!("{length} of {}: {other:?}", compressed.len()),
            }
        }
        let mut damaged = compressed.clone();
        damaged[compressed.len() / 2] ^= 0x55;
        assert!(read_bytes(&damaged).is_err());
    }
}

#[test]
fn gzip_files_may_be_filled_up_with_zeros() {
    let packed = |text: &str| {
        let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        gz.write_all(text.as_bytes()).unwrap();
        gz.finish().unwrap()
    };
    let (head, tail) = KERNEL.split_at(KERNEL.len() / 2);
    for zeros in [1, 8, 511, 1 << 20] {
        let padding = vec![0; zeros];
        assert_eq!(read_bytes(&[packed(KERNEL), padding.clone()].concat()).unwrap(), 5, "{zeros}");
        let members = [packed(head), padding.clone(), packed(tail), padding.clone()].concat();
        assert_eq!(read_bytes(&members).unwrap(), 5, "{zeros}");
        let message = read_bytes(&[packed(KERNEL), padding, vec![1; 20]].concat()).unwrap_err().to_string();
        assert!(message.contains("does not decompress"), "{message}");
    }
    // What is cut is not whole because zeros follow.
    let cut = &packed(KERNEL)[..100];
    assert!(read_bytes(&[cut, &[0; 4096]].concat()).is_err());
}

#[test]
fn empty_and_missing_files_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kernel-1.traceg");
    let list = folder.path().join("kernelslist.g");

    assert!(matches!(read(folder.path()), Err(Error::MissingList { .. })));
    assert!(matches!(read(&path), Err(Error::Io { .. })));
    fs::write(&path, "").unwrap();
    assert!(matches!(read(&path), Err(Error::Empty { .. })));
    fs::write(&list, "\n").unwrap();
    assert!(matches!(read(&list), Err(Error::Empty { .. })));

    fs::write(&path, KERNEL).unwrap();
    fs::write(&list, "MemcpyHtoD,0x00007fc841500000,32768\nkernel-1.traceg\nkernel-2.traceg\n").unwrap();
    let message = read(folder.path()).unwrap_err().to_string();
    assert!(message.contains("kernelslist.g:3: kernel file `kernel-2.traceg` is missing"), "{message}");

    fs::write(&list, "MemcpyHtoD,0x12\nkernel-1.traceg\n").unwrap();
    let message = read(folder.path()).unwrap_err().to_string();
    assert!(message.contains("kernelslist.g:1: `MemcpyHtoD,0xADDRESS,BYTES`"), "{message}");
}

#[test]
fn a_listed_file_may_exist_compressed_only() {
    let folder = tempfile::tempdir().unwrap();
    let zst = zstd::stream::encode_all(KERNEL.as_bytes(), 3).unwrap();
    fs::write(folder.path().join("kernel-1.traceg.zst"), zst).unwrap();
    fs::write(folder.path().join("kernelslist"), "kernel-1.traceg\n").unwrap();
    assert_eq!(read(folder.path()).unwrap(), 5);
    assert_eq!(read(&folder.path().join("kernel-1.traceg")).unwrap(), 5);
}

#[test]
fn the_files_of_a_trace_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let [list, first, second] =
        ["kernelslist.g", "kernel-1.traceg.xz", "kernel-2.traceg"].map(|name| folder.path().join(name));
    assert!(matches!(files(folder.path()), Err(Error::MissingList { .. })));
    fs::write(&first, "").unwrap();
    fs::write(&list, "MemcpyHtoD,0x00007fc841500000,32768\nkernel-1.traceg\nkernel-2.traceg\n").unwrap();
    assert!(matches!(files(folder.path()), Err(Error::MissingKernel { line: 3, .. })));
    fs::write(&second, "").unwrap();
    for path in [folder.path(), &list] {
        assert_eq!(files(path).unwrap().iter().collect::<Vec<_>>(), [&list, &first, &second]);
    }
    assert_eq!(files(&second).unwrap(), [second]);
    assert_eq!(files(folder.path().join("kernel-1.traceg")).unwrap(), [first]);
}

#[test]
fn ungrouped_traces_are_grouped() {
    let body = KERNEL.find("#BEGIN_TB").unwrap();
    let raw = KERNEL[..body].to_owned()
        + "1 0 0 1 0000 ffffffff 1 R1 MOV 0 0 0 \n\
           0 0 0 0 0000 ffffffff 1 R1 MOV 0 0 0 \n\
           1 0 0 0 0000 ffffffff 1 R1 MOV 0 0 0 \n\
           1 0 0 1 0010 00000001 1 R4 LDG.E.SYS 1 R4 4 1 0x8 4 0 \n\
           0 0 0 0 0020 ffffffff 0 EXIT 0 0 0 \n";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kernel-1.trace");
    fs::write(&path, raw).unwrap();
    let workload = open(&path).unwrap();
    let mut reader = workload.kernels().next().unwrap().open().unwrap();
    let mut shape = Vec::new();
    while let Some(block) = reader.next_block().unwrap() {
        for warp in &block.warps {
            shape.push((block.id, warp.id, warp.instructions.len()));
        }
    }
    assert_eq!(shape, [([0, 0, 0], 0, 2), ([1, 0, 0], 0, 1), ([1, 0, 0], 1, 2)]);
}

/// `KERNEL` as tracers of version 2 wrote it.
fn version_2() -> String {
    KERNEL
        .replace("-accelsim tracer version = 5\n-enable lineinfo = 0\n", "")
        .replace("\n0000 ", "\n0 0 0 0 0000 ")
        .replace("\n0010 ", "\n0 0 0 0 0010 ")
        .replace("\n0020 ", "\n0 0 0 0 0020 ")
        .replace("0 4 0 \n", "0 4 \n")
        .replace(" 64 0 \n", " 64 \n")
        .replace(" 0 0 0 \n", " 0 0 \n")
}

#[test]
fn version_2_names_block_and_warp_on_each_line() {
    assert_eq!(read_bytes(version_2().as_bytes()).unwrap(), 5);
}

/// Pieces that mean something in a trace.
#[rustfmt::skip]
const PIECES: &[&str] = &[
    " ", "\n", "-", "(", ")", ",", "=", "#", "R", "R255", "R256", "0x", "0xffffffffffffffff", "ffffffff", "g", " 1", " 4",
    "#BEGIN_TB", "#END_TB", "thread block = ", "warp = ", "insts = ", "insts = 4294967295", "-nregs = ",
    "-grid dim = (1,1,1)\n", "-block dim = (1024,1,1)\n", "-accelsim tracer version = 2\n", "-enable lineinfo = 1\n",
    "LDG.E.128.SYS", "HMMA.1688.F32", "BAR.SYNC", "EXIT", "NAN", "nan", "\u{0}", "é",
];

/// Reads it in every way: as it is, with reuse distances, for its live registers.
fn read_in_every_way(text: &str) {
    thread_local!(static FOLDER: tempfile::TempDir = tempfile::tempdir().unwrap());
    let path = FOLDER.with(|folder| folder.path().join("kernel-1.traceg"));
    fs::write(&path, text).unwrap();
    let _ = read(&path);
    let Ok(workload) = open(&path) else { return };
    for kernel in workload.kernels() {
        let _ = kernel.liveness();
        if let Ok(mut reader) = kernel.open_annotated(&Reuse::default()) {
            while let Ok(Some(_)) = reader.next_block() {}
        }
    }
}

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn damaged_traces_never_panic(
        trace in select(vec![KERNEL.to_string(), version_2(), OWN_KERNEL.into()]),
        damages in prop::collection::vec(damage(PIECES), 0..=4),
    ) {
        watched(&damaged(&trace, &damages), read_in_every_way);
    }

    #[test]
    fn noise_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = read_bytes(&bytes);
    }
}

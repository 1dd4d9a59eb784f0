// SPDX-License-Identifier: Apache-2.0
//! Dialects of different tracers, and of strangers' tools: each is read, or the message says what it is.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use gpurf_trace::{open_with, Error, Register, Result, StaticInstruction, ThreadBlock, Workload};

/// The header of a kernel with a grid of so many blocks of so many threads, of a version.
fn header(blocks: u32, threads: u32, version: &str) -> String {
    format!(
        "-kernel name = k\n-kernel id = 1\n-grid dim = ({blocks},1,1)\n-block dim = ({threads},1,1)\n-shmem = 0\n\
         -nregs = 32\n-binary version = 90\n-cuda stream id = 0\n-accelsim tracer version = {version}\n\n"
    )
}

/// The line that tracers write behind the header since 2025.
const TWO_IMMEDIATES: &str = "#traces format = [line_num] PC mask .. immediate1 immediate2\n\n";

/// Lines of one warp in the frame of a grouped file.
fn grouped(block: u32, lines: &str) -> String {
    let count = lines.lines().count();
    format!("\n#BEGIN_TB\n\nthread block = {block},0,0\n\nwarp = 0\ninsts = {count}\n{lines}\n#END_TB\n")
}

/// The contents of a trace: programs and blocks of its kernels, and the remarks.
struct Content {
    kernels: Vec<(Vec<StaticInstruction>, Vec<ThreadBlock>)>,
    notes: Vec<String>,
}

impl Content {
    fn of(path: &Path) -> Result<Content> {
        let made = Arc::new(Mutex::new(vec![]));
        let notes = Arc::clone(&made);
        let workload = open_with(path, move |note| notes.lock().unwrap().push(note.to_string()))?;
        let mut kernels = vec![];
        for kernel in workload.kernels() {
            let (mut reader, mut blocks) = (kernel.open()?, vec![]);
            while let Some(block) = reader.next_block()? {
                blocks.push(block);
            }
            kernels.push((reader.program().instructions().to_vec(), blocks));
        }
        let notes = made.lock().unwrap().clone();
        Ok(Content { kernels, notes })
    }

    /// Opcode and addresses of each instruction, in order.
    fn instructions(&self) -> Vec<(String, Vec<u64>)> {
        let mut found = vec![];
        for (program, blocks) in &self.kernels {
            for block in blocks {
                for instruction in block.warps.iter().flat_map(|warp| &warp.instructions) {
                    let opcode = program[instruction.static_index as usize].opcode.to_string();
                    found.push((opcode, block.addresses(instruction).to_vec()));
                }
            }
        }
        found
    }

    fn opcodes(&self) -> Vec<String> {
        self.instructions().into_iter().map(|(opcode, _)| opcode).collect()
    }
}

/// Reads a file of this name and content.
fn read(name: &str, bytes: impl AsRef<[u8]>) -> Result<Content> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    Content::of(&path)
}

#[track_caller]
fn read_grouped(text: &str) -> Content {
    read("kernel-1.traceg", text).unwrap_or_else(|error| panic!("{error}"))
}

#[track_caller]
fn refused(name: &str, bytes: impl AsRef<[u8]>) -> String {
    read(name, bytes).map(|_| ()).expect_err("an error").to_string()
}

const MOV: &str = "0000 ffffffff 1 R1 MOV 0 0 0 0 \n";
const EXIT: &str = "0020 ffffffff 0 EXIT 0 0 0 0 \n";

#[test]
fn clusters_are_passed_over() {
    let text = header(1, 32, "6") + TWO_IMMEDIATES + &grouped(0, &(MOV.to_string() + EXIT));
    let clusters = "thread block = 0,0,0\ncluster\tid = 0,0,0\ncluster cta = 0,0,0\ncluster rank = 0\n";
    let content = read_grouped(&text.replace("thread block = 0,0,0\n", clusters));
    assert_eq!(content.opcodes(), ["MOV", "EXIT"]);
    assert_eq!(content.notes.len(), 0);
}

#[test]
fn raw_lines_may_begin_with_any_known_place() {
    for place in ["0 0 0 0", "0 0 0 0 17 3", "0 0 0 0 0 0 0 0 0 0 0", "0 0 0 0 0 0 0 0 0 0 0 17 3"] {
        for (line_info, number) in [("0", ""), ("1", "12 ")] {
            let text = header(1, 32, "6").replace("\n\n", &format!("\n-enable lineinfo = {line_info}\n\n"))
                + TWO_IMMEDIATES
                + &format!("{place} {number}{MOV}{place} {number}{EXIT}");
            let content = read("kernel-1.trace", text).unwrap_or_else(|error| panic!("{place}: {error}"));
            assert_eq!(content.opcodes(), ["MOV", "EXIT"], "{place}");
        }
    }
}

#[test]
fn the_format_comment_tells_the_dialects_of_version_5_apart() {
    let lines = "0000 ffffffff 1 R3 IMAD.WIDE 2 R6 UR4 0 -4 7 \n\
                 0010 00000003 1 UR4 R2UR 1 R2 0 0 0 \n0020 ffffffff 0 EXIT 0 0 0 0 \n";
    let content = read_grouped(&(header(1, 32, "5") + TWO_IMMEDIATES + &grouped(0, lines)));
    let (program, _) = &content.kernels[0];
    assert_eq!(program[0].immediates, [-4, 7]);
    assert_eq!(program[0].named_sources[1], Register::Uniform(4));
    assert_eq!(program[1].named_destination, Some(Register::Uniform(4)));

    let one = "#traces format = PC mask .. immediate\n\n";
    let message = refused("kernel-1.traceg", header(1, 32, "5") + one + &grouped(0, lines));
    assert!(message.contains(":20: the end of the line expected, `7` found"), "{message}");
    // What is written keeps both.
    let folder = tempfile::tempdir().unwrap();
    let (path, copy) = (folder.path().join("k.traceg"), folder.path().join("copy"));
    fs::write(&path, header(1, 32, "5") + TWO_IMMEDIATES + &grouped(0, lines)).unwrap();
    gpurf_trace::write(&open_with(&path, |_| ()).unwrap(), &copy).unwrap();
    assert_eq!(Content::of(&copy).unwrap().kernels, content.kernels);
}

/// Each launch has 32 + 2 + 32 instructions of threads.
#[test]
fn a_trace_ends_with_the_launch_that_reaches_its_most_instructions() {
    let lines =
        "0000 ffffffff 1 R3 MOV 1 R2 0 0 \n0010 00000003 1 R4 MOV 1 R2 0 0 \n0020 ffffffff 0 EXIT 0 0 0 \n";
    let folder = tempfile::tempdir().unwrap();
    for number in 1..=3 {
        let text = header(1, 32, "5") + "#\n" + &grouped(0, lines);
        fs::write(folder.path().join(format!("kernel-{number}.traceg")), text).unwrap();
    }
    fs::write(folder.path().join("kernelslist.g"), "kernel-1.traceg\nkernel-2.traceg\nkernel-3.traceg\n")
        .unwrap();
    let whole = open_with(folder.path(), |_| ()).unwrap();
    for (most, launches) in [(1, 1), (66, 1), (67, 2), (132, 2), (u64::MAX, 3)] {
        let copy = folder.path().join(format!("copy-{most}"));
        gpurf_trace::write_up_to(&whole, most, &copy).unwrap();
        assert_eq!(Content::of(&copy).unwrap().kernels.len(), launches, "{most}");
    }
}

#[test]
fn the_first_tracers_of_version_6_wrote_one_immediate() {
    let lines =
        "0000 ffffffff 1 R3 IMAD 2 R6 R4 0 5 NoVal \n0010 ffffffff 0 BAR.SYNC 0 0 0 Val 1 00000007 \n";
    let (program, _) = &read_grouped(&(header(1, 32, "6") + "#\n" + &grouped(0, lines))).kernels[0];
    assert_eq!((program[0].immediates, program[1].immediates), ([5, 0], [0, 0]));
}

#[test]
fn tensor_copies_have_no_address_of_a_lane() {
    let lines = "0000 ffffffff 0 UTMALDG.2D 0 2 0x00000400 0 256 0 4 0x7f0000000000 4 128 128 128 91 92 NoVal \n\
                 0000 ffffffff 0 UTMALDG.2D 0 2 0x00000400 1 0x0003 256 0 4 0x7f0000000000 2 128 93 94 NoVal \n\
                 0010 ffffffff 0 UTMASTG.2D 0 2 0x00000000 0 256 0 3 2 0x7f0000000000 0x7f0000000080 95 0 NoVal \n\
                 0020 00000000 0 UBLKCP 0 0 0x0 0 0 0 4 0x0 0 96 0 NoVal \n\
                 0030 ffffffff 0 UBLKCP 0 16 3 2 0x7f0000000000 0x7f0000000080 0 0 NoVal \n\
                 0040 ffffffff 0 UTMACMDFLUSH 0 0 0 0 NoVal \n";
    let content = read_grouped(&(header(1, 32, "6") + TWO_IMMEDIATES + &grouped(0, lines)));
    let expected = ["UTMALDG.2D", "UTMALDG.2D", "UTMASTG.2D", "UBLKCP", "UBLKCP", "UTMACMDFLUSH"];
    let without = |opcode: &str| (opcode.to_string(), vec![]);
    assert_eq!(content.instructions(), expected.map(without));
    // Their immediates are not set, and tell no instructions apart.
    assert_eq!(content.kernels[0].0.len(), 5);
    let damaged = lines.replace("0x0003", "x");
    let message = refused("k.traceg", header(1, 32, "6") + TWO_IMMEDIATES + &grouped(0, &damaged));
    assert!(message.contains(":21: a number of a tensor copy expected, `x` found"), "{message}");
}

#[test]
fn warpgroup_products_may_say_whether_they_commit() {
    let sources = "1 R24 HGMMA.64x8x16.F16 2 UR4 R24";
    for (version, comment, tails) in [
        ("6", TWO_IMMEDIATES, ["1 0 0 0 NoVal", "0 0 0 0 Val 1 00000000", "0 0 0 NoVal"]),
        ("5", TWO_IMMEDIATES, ["1 0 0 0", "0 0 0 0", "0 0 0"]),
        ("5", "#\n", ["0 0", "0 0", "0 3"]),
    ] {
        for tail in tails {
            let line = format!("0000 ffffffff {sources} {tail} \n");
            let content = read_grouped(&(header(1, 32, version) + comment + &grouped(0, &line)));
            assert_eq!(content.instructions(), [("HGMMA.64x8x16.F16".to_string(), vec![])], "{line}");
            assert_eq!(content.kernels[0].0[0].width, 0);
        }
    }
}

#[test]
fn marks_of_a_replayed_part_are_no_instructions() {
    let lines =
        format!("0000 ffffffff 0 REPLAY_START 0 0 0 0\n{MOV}0000 ffffffff 0 REPLAY_END 0 0 0 0\n{EXIT}");
    let content = read_grouped(&(header(1, 32, "6") + TWO_IMMEDIATES + &grouped(0, &lines)));
    assert_eq!(content.opcodes(), ["MOV", "EXIT"]);
}

/// A `.tracez` file of blocks with these warps, each warp in chunks of lines.
fn tracez(header: &str, dictionary: &[u8], blocks: &[Vec<Vec<String>>]) -> Vec<u8> {
    let number = |value: usize| (value as u32).to_le_bytes();
    let mut file = [header.as_bytes(), &[0], &number(dictionary.len()), &number(2), dictionary].concat();
    let mut index = number(blocks.len()).to_vec();
    let mut compressor = zstd::bulk::Compressor::with_dictionary(3, dictionary).unwrap();
    for (x, warps) in blocks.iter().enumerate() {
        for value in [x, 0, 0, x / 2, 0, 0, x % 2, 0, 0, x % 2, warps.len()] {
            index.extend(number(value));
        }
        for chunks in warps {
            let counts: Vec<usize> = chunks.iter().map(|chunk| chunk.lines().count()).collect();
            let both = [number(counts.iter().sum()), number(chunks.len())].concat();
            index.extend(both.iter().copied().chain((file.len() as u64).to_le_bytes()));
            index.extend(counts.into_iter().flat_map(number));
            file.extend(both);
            for chunk in chunks {
                let frame = compressor.compress(chunk.trim_end_matches('\n').as_bytes()).unwrap();
                file.extend(number(frame.len()));
                file.extend(frame);
            }
        }
    }
    let start = file.len() as u64;
    [file, index, start.to_le_bytes().to_vec()].concat()
}

fn packed(dictionary: &[u8]) -> Vec<u8> {
    let warp = |chunks: &[&str]| -> Vec<String> { chunks.iter().map(|chunk| chunk.to_string()).collect() };
    let load = "0010 00000003 1 R4 LDG.E 1 R2 4 1 0x7f0000000000 4 0 0 \n";
    let two = MOV.to_string() + load;
    let blocks = [vec![warp(&[&two, EXIT]), warp(&[])], vec![warp(&[EXIT]), warp(&[&two, &two, EXIT])]];
    tracez(&(header(2, 64, "6") + TWO_IMMEDIATES), dictionary, &blocks)
}

#[test]
fn tracez_files_are_unpacked() {
    for dictionary in [&b""[..], b"0000 ffffffff 1 R1 MOV 0 0 0 0 0010 00000003 1 R4 LDG.E 1 R2 4 1 0x7f"] {
        let content = read("kernel-1.tracez", packed(dictionary)).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(
            content.opcodes(),
            "MOV LDG.E EXIT EXIT MOV LDG.E MOV LDG.E EXIT".split(' ').collect::<Vec<_>>()
        );
        assert_eq!(content.instructions()[1].1, [0x7f00_0000_0000, 0x7f00_0000_0004]);
        let blocks = &content.kernels[0].1;
        assert_eq!(blocks.iter().map(|block| block.id[0]).collect::<Vec<_>>(), [0, 1]);
        assert_eq!(blocks[1].warps.iter().map(|warp| warp.id).collect::<Vec<_>>(), [0, 1]);
    }
}

#[test]
fn a_damaged_tracez_file_is_refused_and_says_what_it_should_be() {
    let good = packed(b"0000 ffffffff 1 R1 MOV");
    for length in 1..good.len() {
        let message = refused("kernel-1.tracez", &good[..length]);
        assert!(!message.contains(|character: char| character.is_control()), "{message:?}");
    }
    for place in 0..good.len() {
        let mut damaged = good.clone();
        damaged[place] ^= 0x55;
        // It may be a digit of an address, but it never panics, and never takes all memory.
        let _ = read("kernel-1.tracez", damaged);
    }
    let message = refused("kernel-1.tracez", zstd::stream::encode_all(&[7; 300][..], 3).unwrap());
    assert!(message.contains("does not begin as a .tracez file of Accel-Sim 2.0 does"), "{message}");
    assert!(message.contains("traceDsm"), "{message}");
}

#[test]
fn before_november_2020_all_active_lanes_have_an_address() {
    let lane = |lane: u64| 0x7f00_0000_0000 + 0x100 * (lane * 7 % 32);
    let all: Vec<u64> = (0..32).map(lane).collect();
    let list: String = all.iter().map(|address| format!("{address:#018x} ")).collect();
    let mut deltas = format!("{:#x} ", all[0]);
    all.windows(2).for_each(|pair| write!(deltas, "{} ", pair[1] as i64 - pair[0] as i64).unwrap());
    for version in ["1.2", "2", "3", "4", "5"] {
        let (place, end) = match version {
            "1.2" | "2" => ("0 0 0 0 ", ""),
            "5" => ("", "3 "),
            _ => ("", ""),
        };
        for (mode, addresses) in [(0, &list), (2, &deltas)] {
            for mask in [0x0001_0001u32, 0x8000_0000, 0, 0xffff_fffe] {
                let line = format!("{place}0090 {mask:08x} 1 R12 LDG.E.SYS 1 R8 4 {mode} {addresses}{end}\n");
                let content = read_grouped(&(header(1, 32, version) + "#\n" + &grouped(0, &line)));
                let expected: Vec<u64> = (0..32).filter(|lane| mask >> lane & 1 == 1).map(lane).collect();
                assert_eq!(
                    content.instructions()[0].1,
                    expected,
                    "version {version}, mode {mode}, {mask:08x}"
                );
            }
        }
    }
}

#[test]
fn which_lanes_were_active_is_told_by_the_line_before() {
    let before = "0000 00ff0f00 1 R1 MOV 0 0 \n";
    let load = |mask: &str, addresses: &str| {
        let lines = format!("{before}0010 {mask} 1 R2 LDG.E.SYS 1 R4 4 {addresses} \n");
        let content = read_grouped(&(header(1, 32, "3") + "#\n" + &grouped(0, &lines)));
        content.instructions()[1].1.clone()
    };
    let twelve: Vec<String> = (1..=12).map(|address| format!("{address:#x}")).collect();
    let list = format!("0 {}", twelve.join(" "));
    // Lanes 8 to 11 and 16 to 23: lane 9 is the second, lane 16 the fifth.
    assert_eq!(load("00010200", &list), [2, 5]);
    // Lane 0 is none of them: then it is the first lanes that were active.
    assert_eq!(load("00000003", &list), [1, 2]);
    // Nor can it be the first ones: those that have an address at all come first.
    assert_eq!(load("80000001", "0 0x10 0x20 0x30"), [0x10, 0x30]);
    // One stride between lanes; the guard leaves out some of them.
    assert_eq!(load("00000005", "1 0x100 8"), [0x100, 0x110]);
    // Too few, or more than a warp has lanes.
    let wrong = |addresses: &str| {
        let line = format!("0010 0000000f 1 R2 LDG.E.SYS 1 R4 4 {addresses} \n");
        refused("k.traceg", header(1, 32, "3") + "#\n" + &grouped(0, &line))
    };
    assert!(wrong("0 0x1 0x2").contains("an address expected"));
    assert!(wrong(&format!("0 {}", "0x1 ".repeat(33))).contains("the end of the line expected"));
}

#[test]
fn lists_have_other_lines_than_kernels_and_copies() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(
        path("kernel-1.traceg"),
        header(1, 32, "5") + "#\n" + &grouped(0, "0000 ffffffff 0 EXIT 0 0 0 \n"),
    )
    .unwrap();
    let list = "# by hand\ncudaMalloc,0x10,4\nMemcpyHtoD,0x00007fa371500000,16388\nMemcpyDtoH,0x10,4\nMemsetD8,0,1\n\
                ncclAllReduce\n#kernel-2.traceg\nMemcpyHtoDAsync_v2, 0x10, 4\nkernel-1.traceg.xz\ncudaGraphLaunch \x1b[31m\n";
    fs::write(path("kernelslist.g"), list).unwrap();
    let content = Content::of(folder.path()).unwrap();
    assert_eq!(content.opcodes(), ["EXIT"]);
    let [note] = &content.notes[..] else { panic!("{:?}", content.notes) };
    assert!(note.contains("to the device: 7;") && note.contains("line 1, `# by hand`"), "{note}");
    let copies = open_with(folder.path(), |_| ()).unwrap().commands.len() - 1;
    assert_eq!(copies, 2);

    fs::write(path("kernelslist.g"), "cudaFree,0x10\n").unwrap();
    assert!(matches!(Content::of(folder.path()), Err(Error::NoKernels { .. })));
    fs::write(path("kernelslist.g"), "kernel-\x1b[31m2.traceg\n").unwrap();
    let message = Content::of(folder.path()).map(|_| ()).unwrap_err().to_string();
    assert!(
        message.contains("`kernel-\u{fffd}[31m2.traceg` is missing") && !message.contains('\x1b'),
        "{message}"
    );
}

#[test]
fn lists_of_contexts_are_found_or_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let kernel = header(1, 32, "5") + "#\n" + &grouped(0, "0000 ffffffff 0 EXIT 0 0 0 \n");
    for context in ["0x55d7", "0x66d7"] {
        fs::write(path(&format!("kernel-1-ctx_{context}.traceg")), &kernel).unwrap();
        fs::write(path(&format!("kernelslist_ctx_{context}.g")), format!("kernel-1-ctx_{context}.traceg\n"))
            .unwrap();
        // What the tracer left of the same contexts.
        fs::write(path(&format!("kernelslist_ctx_{context}")), "kernel-1.trace\n").unwrap();
    }
    let message = Content::of(folder.path()).map(|_| ()).unwrap_err().to_string();
    assert!(
        message.contains("name one of them: kernelslist_ctx_0x55d7.g, kernelslist_ctx_0x66d7.g"),
        "{message}"
    );
    assert_eq!(Content::of(&path("kernelslist_ctx_0x66d7.g")).unwrap().opcodes(), ["EXIT"]);

    fs::rename(path("kernelslist_ctx_0x55d7.g"), path("kernelslist.g")).unwrap();
    let content = Content::of(folder.path()).unwrap();
    let [note] = &content.notes[..] else { panic!("{:?}", content.notes) };
    assert!(note.ends_with("to read them: kernelslist_ctx_0x66d7.g"), "{note}");

    // One context is read as it is.
    for name in ["kernelslist.g", "kernelslist_ctx_0x55d7", "kernelslist_ctx_0x66d7"] {
        fs::remove_file(path(name)).unwrap();
    }
    let content = Content::of(folder.path()).unwrap();
    assert_eq!((content.opcodes().len(), content.notes.len()), (1, 0));
}

#[test]
fn blanks_and_line_ends_may_be_any() {
    let lines = "0000 ffffffff 1 R1 MOV 0 0 3 \n0010 0000000f 1 R4 LDG.E.SYS 1 R4 4 2 0x10 4 4 8 0 \n\
                 0020 ffffffff 0 EXIT 0 0 0 \n";
    let plain = header(1, 32, "5") + "#traces\n" + &grouped(0, lines);
    let expected = read_grouped(&plain).kernels;
    let raw: String = lines.lines().map(|line| format!("0 0 0 0 {line}\n")).collect();
    let raw = header(1, 32, "5") + "#traces\n" + &raw;
    for (what, change) in [
        ("line ends of Windows", (|text| text.replace('\n', "\r\n")) as fn(&str) -> String),
        ("tabs", |text| text.replace(' ', "\t")),
        ("double blanks", |text| text.replace(' ', "  ")),
        ("leading blanks", |text| text.replace('\n', "\n \t")),
        ("a byte-order mark", |text| format!("\u{feff}{text}")),
    ] {
        for text in [&plain, &raw] {
            let content = read("k.trace", change(text)).unwrap_or_else(|error| panic!("{what}: {error}"));
            assert_eq!(content.kernels, expected, "{what}");
        }
    }
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("kernel-1.traceg"), &plain).unwrap();
    fs::write(folder.path().join("kernelslist"), "\u{feff} MemcpyHtoD,0x10,4\t\r\n\tkernel-1.traceg \r\n")
        .unwrap();
    assert_eq!(Content::of(folder.path()).unwrap().kernels, expected);

    let wide: Vec<u8> = format!("\u{feff}{plain}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert!(refused("k.traceg", wide).contains(":1: the text is UTF-16"));
}

#[test]
fn messages_have_no_control_characters() {
    let good = header(1, 32, "5") + "#\n" + &grouped(0, "0000 ffffffff 1 R1 MOV 0 0 3 \n");
    for (from, to) in [
        ("-kernel name", "\x1b[31m\0"),
        ("name = k", "name = k\x1b[2J"),
        ("(1,1,1)", "(\x07,1,1)"),
        ("#BEGIN_TB", "\x0c\x08"),
        ("warp", "\x1b"),
        ("MOV", "M\x1bV"),
        ("ffffffff", "\x02"),
        ("R1", "\u{9b}31m"),
    ] {
        let message = refused("k.traceg", good.replacen(from, to, 1));
        assert!(!message.contains(|character: char| character.is_control()), "{message:?}");
        assert!(message.len() < 400);
    }
    let message = refused("k.traceg.bz2", b"BZh91AY&SY\x01\x02");
    assert!(message.contains("packed with bzip2, which is not read; unpack it"), "{message}");
}

#[test]
fn blocks_that_are_missing_or_stand_twice_are_said() {
    let exit = "0000 ffffffff 0 EXIT 0 0 0 \n";
    let file = |blocks: &[u32]| {
        header(4, 32, "5") + "#\n" + &blocks.iter().map(|&block| grouped(block, exit)).collect::<String>()
    };
    let content = read_grouped(&file(&[2, 0]));
    let [note] = &content.notes[..] else { panic!("{:?}", content.notes) };
    assert!(note.contains("has 2 of 4 thread blocks"), "{note}");
    assert_eq!(read_grouped(&file(&[3, 0, 2, 1])).notes.len(), 0);
    let message = refused("k.traceg", file(&[0, 1, 0]));
    assert!(message.contains(":35: thread block [0, 0, 0] stands twice"), "{message}");
}

#[test]
fn a_remark_is_made_once_however_often_a_file_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let text = header(4, 32, "5") + "#\n" + &grouped(1, "0000 ffffffff 0 EXIT 0 0 0 \n");
    fs::write(folder.path().join("kernel-1.traceg"), text).unwrap();
    fs::write(folder.path().join("kernelslist.g"), "kernel-1.traceg\n".repeat(3)).unwrap();
    let content = Content::of(folder.path()).unwrap();
    assert_eq!((content.kernels.len(), content.notes.len()), (3, 1));
}

#[test]
fn a_copy_to_shared_memory_is_one_instruction_of_a_raw_file() {
    let pair = |place: &str, shared: &str, global: &str| {
        format!(
            "{place} 0100 00000003 0 LDGSTS.E.128 2 R8 R2 16 1 {shared} 16 0 \n\
             {place} 0100 00000003 0 LDGSTS.E.128 2 R8 R2 16 1 {global} 16 0 \n"
        )
    };
    let text = header(1, 64, "5")
        + "#\n"
        + &pair("0 0 0 0", "0x400", "0x7f0000000000")
        + &pair("0 0 0 0", "0x400", "0x7f0000000000")
        // Lines of two warps may be mixed.
        + "0 0 0 1 0100 00000001 0 LDGSTS.E.128 2 R8 R2 16 1 0x800 16 0 \n\
           0 0 0 0 0110 ffffffff 0 ARRIVES.LDGSTSBAR 1 R2 0 0 \n\
           0 0 0 1 0100 00000001 0 LDGSTS.E.128 2 R8 R2 16 1 0x7f0000000800 16 0 \n\
           0 0 0 0 0120 ffffffff 0 EXIT 0 0 0 \n0 0 0 1 0120 ffffffff 0 EXIT 0 0 0 \n";
    let copy = |address: u64| ("LDGSTS.E.128".to_string(), vec![address, address + 16]);
    let found = read("kernel-1.trace", text).unwrap().instructions();
    assert_eq!(found[..2], [copy(0x7f00_0000_0000), copy(0x7f00_0000_0000)]);
    let opcodes: Vec<&str> = found.iter().map(|(opcode, _)| opcode.as_str()).collect();
    assert_eq!(opcodes[2..], ["ARRIVES.LDGSTSBAR", "EXIT", "LDGSTS.E.128", "EXIT"]);
    assert_eq!(found[4].1, [0x7f00_0000_0800]);
}

#[test]
fn numbers_of_a_header_that_cannot_be_are_named() {
    let good = header(1, 512, "5") + "#\n" + &grouped(0, "0000 ffffffff 0 EXIT 0 0 0 \n");
    for (from, to, says) in [
        (
            "nregs = 32",
            "nregs = 21955",
            ":6: `21955` is no nregs: a thread has 255 registers at most; a tracer",
        ),
        ("nregs = 32", "nregs = 256", "`256` is no nregs"),
        ("shmem = 0", "shmem = 2147483648", ":5: `2147483648` is no shmem: a thread block has 233472 bytes"),
        (
            "nregs = 32",
            "nregs = 255",
            "512 threads of 255 registers have 130560, and no thread block has more than 65536",
        ),
    ] {
        let message = refused("k.traceg", good.replacen(from, to, 1));
        assert!(message.contains(says) && message.contains("correct it"), "{message}");
    }
    assert!(read("k.traceg", good.replacen("nregs = 32", "nregs = 128", 1)).is_ok());
    assert!(refused("k.traceg", header(1, 32, "7")).contains("version 7 is unknown"));
    assert!(refused("k.traceg", header(1, 32, "x")).contains("`x` is no accelsim tracer version"));
}

/// Lines of a raw file: blocks of 64 threads that load and leave, in this order, a warp after the other.
fn raw(blocks: &[u32], loads: u32) -> String {
    let mut text = String::new();
    for block in blocks {
        for warp in 0..2 {
            for load in 0..loads {
                let address = 0x7f00_0000_0000 + u64::from(block * 4096 + load * 128);
                writeln!(text, "{block} 0 0 {warp} 0010 ffffffff 1 R4 LDG.E 1 R2 4 1 {address:#x} 4 0 ")
                    .unwrap();
            }
            // Half of the warp leaves before the other half.
            for mask in ["0000ffff", "ffff0000"] {
                writeln!(text, "{block} 0 0 {warp} 0020 {mask} 0 EXIT 0 0 0 ").unwrap();
            }
        }
    }
    text
}

#[test]
fn blocks_of_a_raw_file_come_in_launch_order() {
    let text = header(4, 64, "5") + "#\n" + &raw(&[2, 1, 3, 0], 2);
    let content = read("kernel-1.trace", &text).unwrap();
    let ids: Vec<u32> = content.kernels[0].1.iter().map(|block| block.id[0]).collect();
    assert_eq!((ids, content.notes.len()), (vec![0, 1, 2, 3], 0));
    // What a warp does after all its lanes have left is its instruction still.
    let content = read("kernel-1.trace", text + "2 0 0 1 0030 ffffffff 0 NOP 0 0 0 \n").unwrap();
    assert_eq!(content.opcodes()[3 * 8 - 1..][..2], ["EXIT", "NOP"].map(String::from));
}

#[test]
fn blocks_of_a_raw_file_are_given_on_before_its_end() {
    let blocks: Vec<u32> = (0..64).collect();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kernel-1.trace");
    // Block 64 begins first and ends last; behind it the file is damaged.
    let first = "64 0 0 0 0010 ffffffff 1 R4 LDG.E 1 R2 4 1 0x10 4 0 \n";
    let text = header(65, 64, "5") + "#\n" + first + &raw(&blocks, 8000) + "64 0 0 x\n";
    fs::write(&path, &text).unwrap();
    let workload: Workload = open_with(&path, |_| ()).unwrap();
    let mut reader = workload.kernels().next().unwrap().open().unwrap();
    let mut given = vec![];
    let error = loop {
        match reader.next_block() {
            Ok(block) => given.push(block.expect("the damage comes first").id[0]),
            Err(error) => break error,
        }
    };
    assert!(error.to_string().contains("block and warp numbers expected"), "{error}");
    assert!(given.len() > 20 && given.iter().copied().eq(0..given.len() as u32), "{given:?}");
    // A block that was given on cannot go on.
    fs::write(&path, text.replace("64 0 0 x", "0 0 0 0 0010 ffffffff 1 R4 LDG.E 1 R2 4 1 0x10 4 0")).unwrap();
    let error = Content::of(&path).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("thread block [0, 0, 0] stands twice"), "{error}");
}

#[test]
fn an_opcode_that_is_not_known_stops_before_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let kernel = |name: &str, line: &str| {
        header(1, 32, "5").replace("name = k", &format!("name = {name}")) + "#\n" + &grouped(0, line)
    };
    fs::write(folder.path().join("kernel-1.traceg"), kernel("a", "0000 ffffffff 0 EXIT 0 0 0 \n")).unwrap();
    fs::write(folder.path().join("kernel-2.traceg"), kernel("b", "0000 ffffffff 0 FROB.X 0 0 0 \n")).unwrap();
    fs::write(folder.path().join("kernelslist.g"), "kernel-1.traceg\nkernel-2.traceg\n").unwrap();
    let error = open_with(folder.path(), |_| ()).unwrap_err();
    let message = error.to_string();
    assert!(message.contains("kernel-2.traceg:19: unknown opcode `FROB.X`: which registers"), "{message}");
    // The whole of it stands in the message, not in a cause behind it.
    assert!(std::error::Error::source(&error).is_none());
}

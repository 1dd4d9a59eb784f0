// SPDX-License-Identifier: Apache-2.0
//! Launch files: parameters by value, addresses inside of buffers, variables, loops, images, margins.

#[allow(dead_code)]
use std::fs;
use std::path::Path;

use crate::support::Device;
use gpurf_workloads::{Error, LaunchFile, Options};

/// Runs a launch file with the listing `launches.sass` beside it in a folder; gives what it printed.
fn run_in(folder: &Path, text: &str) -> Result<Vec<String>, Error> {
    let listing = concat!(env!("CARGO_MANIFEST_DIR"), "/listings/launches.sass");
    let text = format!("listing = '{listing}'\n{text}");
    let file = LaunchFile::parse(&folder.join("test.toml"), &text)?;
    let mut lines = vec![];
    let options = file.options(Options { stream: false, ..Options::default() });
    file.run(&mut Device::new(options), |line| lines.push(line.to_string()))?;
    Ok(lines)
}

fn run(text: &str) -> Result<Vec<String>, Error> {
    run_in(Path::new("."), text)
}

#[track_caller]
fn refused(text: &str, parts: &[&str]) {
    let error = run(text).expect_err("it is not possible").to_string();
    for part in parts {
        assert!(error.contains(part), "`{part}` is not in: {error}");
    }
}

const BY_VALUE: &str = r#"
[buffers.a]
type = "f32"
count = 64
init = "iota"

[buffers.out]
type = "f32"
count = 8

[variables.weights]
type = "f32"
count = 4

[variables.calls]
type = "i32"
count = 1
init = { fill = 40 }

[[launch]]
kernel = "by_value"
grid = 1
block = 8
arguments = [
    { struct = [
        { i32 = 8 },
        { array = [
            { struct = [{ buffer = "a" }, { i16 = 3 }, { f64 = 2.0 }] },
            { struct = [{ buffer = "a", offset = 128 }, { i16 = -2 }, { f64 = 0.5 }] },
        ] },
        { f32 = [1.0, 2.0, 3.0] },
        { bool = true },
    ] },
    { buffer = "out" },
]

[[expect]]
buffer = "out"
values = { list = [-29.0, -32.5, -36.0, -39.5, -39.0, -42.5, -46.0, -49.5] }

[[expect]]
variable = "calls"
values = { fill = 41 }

[[print]]
variable = "weights"
first = 1
"#;

#[test]
fn structs_by_value_and_variables() {
    // 2 (3 + i) + (30 + i) / 2 + 1 + 2 * 3 + 1 + i % 4, negated.
    assert_eq!(run(BY_VALUE).unwrap(), ["weights[1..4] = 2 3 4"]);
    let heavier =
        BY_VALUE.replace("type = \"f32\"\ncount = 4", "type = \"f32\"\ncount = 4\ninit = { fill = 10.0 }");
    let error = run(&heavier).unwrap_err();
    assert!(matches!(error, Error::Answer { .. }), "{error}");
    assert!(error.to_string().contains("out[0] is -38, expected -29"), "{error}");
    // Places by hand, and as bytes.
    let placed = BY_VALUE.replace("{ bool = true }", "{ at = 68, bool = true }");
    run(&placed).unwrap();
    refused(
        &BY_VALUE.replace("{ bool = true }", "{ at = 66, bool = true }"),
        &["members overlap at byte 66"],
    );
    refused(&BY_VALUE.replace("{ bool = true }", "{ i32 = 1, i8 = 2 }"), &["an argument has one kind"]);
    refused(&BY_VALUE.replace("{ bool = true }", "{ bool = 1 }"), &["`bool` is true or false"]);
    refused(
        &BY_VALUE.replace("{ bool = true }", "{ f64 = 1.0 }"),
        &["argument 1 has 80 bytes, the kernel takes 72"],
    );
    refused(&BY_VALUE.replace("i16 = 3", "i16 = 70_000"), &["70000 does not fit type i16"]);
    refused(
        &BY_VALUE.replace("variable = \"weights\"", "variable = \"weight\""),
        &["there is no variable weight"],
    );
}

#[test]
fn halves_booleans_and_vectors() {
    let text = |arguments: &str| {
        format!(
            "[buffers.out]\ntype = \"f32\"\ncount = 5\n[[launch]]\nkernel = \"halves\"\ngrid = 1\nblock = 1\n\
             arguments = [{arguments}, {{ buffer = \"out\" }}]\n[[expect]]\nbuffer = \"out\"\n\
             values = {{ list = [1.5, -0.25, 8.0, 1, 321] }}"
        )
    };
    run(&text("{ f16 = 1.5 }, { f16 = [-0.25, 8.0] }, { bool = true }, { f32 = [1, 2, 3] }")).unwrap();
    run(&text("{ bytes = [0, 62] }, { f16 = [-0.25, 8.0] }, { u8 = 1 }, { f32 = [1, 2, 3] }")).unwrap();
}

#[test]
fn addresses_inside_of_buffers() {
    let text = r#"
        [buffers.numbers]
        type = "f32"
        count = 16
        init = "iota"
        [buffers.lists]
        type = "u64"
        count = 3
        init = { array = [{ buffer = "numbers" }, { buffer = "numbers", offset = 16 }, { buffer = "numbers", offset = 40 }] }
        [buffers.lengths]
        type = "i32"
        count = 3
        init = { list = [2, 3, 1] }
        [buffers.out]
        type = "f32"
        count = 3
        [[launch]]
        kernel = "chained"
        grid = 1
        block = 3
        arguments = [{ buffer = "lists" }, { buffer = "lengths" }, { buffer = "out" }]
        [[dump]]
        buffer = "out"
        file = "out.bin"
        [[expect]]
        buffer = "out"
        values = { list = [1, 15, 10] }
    "#;
    let folder = tempfile::tempdir().unwrap();
    run_in(folder.path(), text).unwrap();
    let bytes: Vec<u8> = [1.0f32, 15.0, 10.0].iter().flat_map(|value| value.to_le_bytes()).collect();
    assert_eq!(fs::read(folder.path().join("out.bin")).unwrap(), bytes);
    refused(
        &text.replace("offset = 40 }", "offset = 48 }").replace("[2, 3, 1]", "[2, 3, 9]"),
        &["load of 4 bytes at global address", "4 bytes past the end of buffer numbers, which has 64 bytes"],
    );
    refused(
        &text.replace("offset = 40 }", "offset = 40 }, { u8 = 1 }"),
        &["the array has 25 bytes; give 24"],
    );
}

const SEARCH: &str = r#"
[buffers.distances]
type = "i32"
count = 100
init = { fill = 1000 }
[buffers.next]
type = "i32"
count = 100
[buffers.changed]
type = "i32"
count = 1

[[launch]]
set = { buffer = "distances", count = 1, values = { fill = 0 } }

[[launch]]
repeat = 60
until = { buffer = "changed", is = 0 }

[[launch.launch]]
set = { buffer = "changed", values = "zero" }

[[launch.launch]]
kernel = "search"
grid = 4
block = 32
arguments = [
    { buffer = ["distances", "next"] },
    { buffer = ["next", "distances"] },
    { i32 = 100 },
    { i32 = "round" },
    { buffer = "changed" },
]
"#;

#[test]
fn loops_run_until_a_value_says_so() {
    let mut distances = vec![1000i32; 100];
    distances[0] = 0;
    let mut rounds = 0;
    loop {
        let before = distances.clone();
        for i in 0..100usize {
            let reached = [(i + 1) % 100, (i + 99) % 100, i * 7 % 100].iter().any(|&k| before[k] == rounds);
            if reached && before[i] > rounds + 1 {
                distances[i] = rounds + 1;
            }
        }
        if before == distances {
            break;
        }
        rounds += 1;
    }
    assert!(rounds > 3);
    let expected: Vec<_> = distances.iter().map(i32::to_string).collect();
    let expect = format!("[[expect]]\nbuffer = \"next\"\nvalues = {{ list = [{}] }}\n", expected.join(", "));
    run(&format!("{SEARCH}{expect}")).unwrap();
    let few = SEARCH.replace("repeat = 60", "repeat = 3");
    refused(&few, &["test.toml:", "the condition does not hold after 3 rounds"]);
    refused(&SEARCH.replace("repeat = 60\n", ""), &["a loop has `repeat`"]);
    refused(&SEARCH.replace("grid = 4\n", ""), &["missing field `grid`"]);
    refused(
        &SEARCH.replace(
            "kernel = \"search\"",
            "set = { buffer = \"next\", values = \"zero\" }\nkernel = \"search\"",
        ),
        &["a [[launch]] has either a `kernel`, or `set`"],
    );
    let says = "[[launch]]\nrepeat = 3\n[[launch.launch]]\nkernel = \"says\"\ngrid = 1\nblock = 1\n\
                arguments = [{ i32 = { start = 10, step = -2 } }]";
    assert_eq!(run(says).unwrap(), ["round 10", "round 8", "round 6"]);
}

#[test]
fn a_margin_lets_a_program_read_beside_its_buffers() {
    let text = r#"
        [buffers.in]
        type = "f32"
        count = 32
        init = { fill = 1.0 }
        [buffers.out]
        type = "f32"
        count = 32
        [[launch]]
        kernel = "careless"
        grid = 1
        block = 32
        arguments = [{ buffer = "in" }, { buffer = "out" }, { i32 = 32 }]
        [[expect]]
        buffer = "out"
        first = 30
        values = { list = [3, 2] }
    "#;
    refused(text, &["kernel careless", "lane 0", "4 bytes before buffer in, which has 128 bytes"]);
    refused(&format!("stack = 600_000\n{text}"), &["stack = 600000: give 524288 bytes at most"]);
    run(&format!("margin = 16\n{text}")).unwrap();
}

#[test]
fn images_in_buffers() {
    let text = r#"
        [buffers.from]
        type = "f32"
        count = 24
        init = "iota"
        [buffers.to]
        type = "f32"
        count = 24
        [images.from]
        buffer = "from"
        width = 8
        height = 3
        filter = "linear"
        [images.to]
        buffer = "to"
        width = 8
        height = 3
        [[launch]]
        kernel = "blurred"
        grid = 3
        block = 32
        arguments = [{ image = "from" }, { image = "to" }, { i32 = 8 }]
        [[expect]]
        buffer = "to"
        count = 10
        values = { list = [0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.0, 8.5, 9.5] }
    "#;
    run(text).unwrap();
    refused(&text.replacen("height = 3", "height = 4", 1), &["test.toml:", "not inside of allocated memory"]);
    refused(&text.replace("image = \"to\"", "image = \"two\""), &["there is no image two", "from, to"]);
    refused(&text.replacen("width = 8", "wide = 8", 1), &["unknown field `wide`"]);
    refused(&text.replacen("filter = \"linear\"", "filter = \"cubic\"", 1), &["unknown variant `cubic`"]);
}

#[test]
fn the_files_that_a_run_reads_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let listing = concat!(env!("CARGO_MANIFEST_DIR"), "/listings/launches.sass");
    fs::write(folder.path().join("struct.bin"), [0; 4]).unwrap();
    fs::write(folder.path().join("argument.bin"), [0; 4]).unwrap();
    let text = format!(
        r#"listing = '{listing}'
        [buffers.a]
        type = "i32"
        count = 4
        init = {{ file = "buffer.bin" }}
        [buffers.lists]
        type = "u64"
        count = 1
        init = {{ array = [{{ struct = [{{ file = "element.bin" }}] }}] }}
        [variables.calls]
        type = "i32"
        count = 1
        init = {{ file = "variable.bin" }}
        [[launch]]
        repeat = 2
        [[launch.launch]]
        set = {{ buffer = "a", values = {{ file = "set.bin" }} }}
        [[launch.launch]]
        kernel = "by_value"
        grid = 1
        block = 1
        arguments = [{{ struct = [{{ i32 = 1 }}, {{ file = "struct.bin" }}] }}, {{ file = "argument.bin" }}]
        [[expect]]
        buffer = "a"
        values = {{ file = "expected.bin" }}
        "#
    );
    let file = LaunchFile::parse(&folder.path().join("test.toml"), &text).unwrap();
    let names = [
        "test.toml",
        listing,
        "buffer.bin",
        "element.bin",
        "variable.bin",
        "set.bin",
        "struct.bin",
        "argument.bin",
        "expected.bin",
    ];
    assert_eq!(file.files(), names.map(|name| folder.path().join(name)));
}

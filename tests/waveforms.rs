// SPDX-License-Identifier: Apache-2.0
//! Waveforms and pipeline logs of `gpurf sim`, as their viewers read them.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;

use assert_cmd::Command;
use predicates::str::contains;

fn sim(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("gpurf").expect("the tool is built");
    command.arg("sim").args(arguments);
    command
}

/// Runs vectoradd with these options and files in `folder`; what it says of the event.
fn record(folder: &Path, waveform: &str, options: &[&str]) -> String {
    let file = |name: &str| folder.join(name).display().to_string();
    let (waveform, pipeline) = (file(waveform), file("pipeline.kanata"));
    let mut arguments = vec!["vectoradd", "--waveform", &waveform, "--pipeline", &pipeline];
    arguments.extend(options);
    let assert = sim(&arguments).assert().success();
    String::from_utf8_lossy(&assert.get_output().stderr).into_owned()
}

/// The log's instructions: the cycle of the first command of each, its label, and its stages.
fn instructions(log: &str) -> Vec<(u64, String, Vec<String>)> {
    let mut lines = log.lines();
    assert_eq!(lines.next(), Some("Kanata\t0004"));
    let (mut cycle, mut found) = (0, vec![]);
    let (mut open, mut retired) = (HashMap::new(), HashSet::new());
    for line in lines {
        let fields: Vec<&str> = line.split('\t').collect();
        let id = || fields[1].parse::<usize>().unwrap();
        match fields[0] {
            "C=" => cycle = id() as u64,
            "C" => {
                assert!(id() > 0, "{line}");
                cycle += id() as u64;
            }
            "I" => {
                assert_eq!(id(), found.len(), "instructions are numbered from 0");
                found.push((cycle, String::new(), vec![]));
            }
            "L" if fields[2] == "0" => found[id()].1 = fields[3].to_string(),
            "L" => {}
            "S" => {
                assert!(
                    open.insert(id(), (fields[3].to_string(), cycle)).is_none(),
                    "{line}: a stage is open"
                );
                found[id()].2.push(fields[3].to_string());
            }
            "E" => {
                let (stage, since) = open.remove(&id()).unwrap();
                assert!(stage == fields[3] && since < cycle, "{line}: {stage} is open since {since}");
            }
            "R" => assert!(retired.insert(id()) && !open.contains_key(&id()), "{line}"),
            other => panic!("there is no command {other}"),
        }
    }
    assert!(open.is_empty() && retired.len() == found.len());
    found
}

#[test]
fn cycles_around_an_event() {
    let folder = tempfile::tempdir().unwrap();
    let around = ["--around", "pc=0x40", "--before", "5", "--after", "60"];
    let told = record(folder.path(), "wave.vcd", &around);
    let event: u64 = told
        .split("the event is in cycle ")
        .nth(1)
        .unwrap()
        .split_whitespace()
        .next()
        .unwrap()
        .parse()
        .unwrap();

    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    let found = instructions(&read("pipeline.kanata"));
    let at_event: Vec<_> = found.iter().filter(|(_, label, _)| label.contains(" 0040: ")).collect();
    assert_eq!(at_event.iter().map(|(cycle, ..)| *cycle).min(), Some(event));
    assert!(found.iter().all(|(cycle, ..)| (event - 5..event + 60).contains(cycle)));
    assert!(found.iter().any(|(_, _, stages)| stages.ends_with(&["Co".into(), "Ex".into(), "Wb".into()])));

    let wave = read("wave.vcd");
    let times =
        wave.lines().filter_map(|line| line.strip_prefix('#')).map(|time| time.parse::<u64>().unwrap());
    let times: Vec<u64> = times.collect();
    assert_eq!((times[0], times[times.len() - 1]), (2 * (event - 5), 2 * (event + 60)));
    assert!(wave.contains("sEXIT ") || wave.contains("_<-_"), "instructions are named");

    // Every signal that a view shows is in the waveform, under its full name.
    let mut names = HashSet::new();
    let mut scopes = vec![];
    for line in wave.lines().take_while(|line| !line.starts_with("$enddefinitions")) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[0] {
            "$scope" => scopes.push(words[2]),
            "$upscope" => drop(scopes.pop()),
            "$var" => drop(names.insert(format!("{}.{}", scopes.join("."), words[4]))),
            _ => {}
        }
    }
    let (gtkwave, surfer) = (read("wave.vcd.gtkw"), read("wave.vcd.sucl"));
    let shown = gtkwave.lines().filter(|line| line.starts_with("sub_core."));
    let shown: Vec<&str> = shown.map(|line| line.split('[').next().unwrap()).collect();
    let added: Vec<&str> = surfer.lines().filter_map(|line| line.strip_prefix("variable_add ")).collect();
    assert!(shown == added && shown.len() > 20, "{gtkwave}{surfer}");
    assert!(shown.iter().all(|name| names.contains(*name)), "{gtkwave}");
}

#[test]
fn surfer_shows_instructions_as_text_and_cycles_as_numbers() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), "wave.fst", &["--from", "100", "--to", "200", "--design", "malekeh"]);
    let view = fs::read_to_string(folder.path().join("wave.fst.sucl")).unwrap();
    let items: Vec<&str> = view.lines().filter(|line| line.contains("_add ")).collect();
    let commands: Vec<&str> = view.lines().collect();
    let formatted = commands.windows(2).filter_map(|pair| {
        let letters = pair[0].strip_prefix("item_focus ")?.strip_suffix('_')?;
        let item = letters.bytes().fold(0, |number, letter| 16 * number + usize::from(letter - b'a'));
        Some((items[item].rsplit(['.', ' ']).next()?, pair[1].strip_prefix("item_set_format ")?))
    });
    assert_eq!(
        formatted.collect::<Vec<_>>(),
        [
            ("cycle", "Unsigned"),
            ("issued", "ASCII"),
            ("dispatched", "ASCII"),
            ("sthld", "Unsigned"),
            ("write_register_0", "Unsigned"),
            ("write_register_1", "Unsigned"),
        ]
    );
}

#[test]
fn the_same_run_gives_the_same_bytes() {
    let [first, second] = [0, 1].map(|_| {
        let folder = tempfile::tempdir().unwrap();
        record(folder.path(), "wave.fst", &["--from", "100", "--to", "200", "--design", "malekeh"]);
        let files = ["wave.fst", "wave.fst.gtkw", "wave.fst.sucl", "pipeline.kanata"];
        files.map(|name| fs::read(folder.path().join(name)).unwrap())
    });
    assert!(first == second);
}

#[test]
fn what_cannot_be_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wave.vcd").display().to_string();
    let cases: [(&[&str], &str); 9] = [
        (&["--around", "hitt"], "did you mean hit?"),
        (&["--around", "hit,wrap=3"], "hit has no value wrap; did you mean warp?"),
        (&["--around", "multicast"], "the RTL of this design has no such event; it has "),
        (&["--around", "hit,warp=x", "--design", "malekeh"], "x is no number"),
        (&["--around", "pc=0xfff0"], "no such event"),
        (&["--around", "pc=here"], "pc=0x120"),
        (&["--around", "register=R255"], "R254"),
        (&["--scopes", "outputs,stage"], "no scope stage; there are inputs, outputs"),
        (&["--scopes", "stage", "--engine", "rtl", "--around", "pc=0xfff0"], "no scope stage"),
    ];
    for (options, message) in cases {
        sim(&["vectoradd", "--waveform", &path]).args(options).assert().code(2).stderr(contains(message));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is left of {options:?}");
    }
}

/// Names of variables, with their scopes.
fn variables(vcd: &str) -> Vec<String> {
    let (mut names, mut scopes) = (vec![], vec![]);
    for line in vcd.lines().take_while(|line| !line.starts_with("$enddefinitions")) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[0] {
            "$scope" => scopes.push(words[2]),
            "$upscope" => drop(scopes.pop()),
            "$var" => names.push(format!("{}.{}", scopes.join("."), words[4])),
            _ => {}
        }
    }
    names
}

#[test]
fn an_event_inside_the_rtl_is_found_and_shown() {
    let folder = tempfile::tempdir().unwrap();
    let options =
        ["--design", "malekeh", "--engine", "rtl", "--around", "miss#3,collector=1", "--after", "20"];
    let told = record(folder.path(), "wave.vcd", &options);
    let (cycle, text) = told.split("the event is in cycle ").nth(1).unwrap().split_once(": ").unwrap();
    let text = text.lines().next().unwrap();
    assert!(text.starts_with("miss R"), "{told}");
    let wave = fs::read_to_string(folder.path().join("wave.vcd")).unwrap();
    // The text stands in the waveform in that cycle.
    let at = format!("\n#{}\n", 2 * cycle.parse::<u64>().unwrap());
    let changes = wave.split(&at).nth(1).unwrap().split("\n#").next().unwrap();
    assert!(changes.contains(&text.replace(' ', "_")), "{text} in {changes}");
    let names = variables(&wave);
    for name in ["events", "cache_table.entry_tag[1]", "cache_table.entry_valid"] {
        let name = format!("sub_core.operand_stage.collectors_1.{name}");
        assert!(names.contains(&name), "{name}");
    }
    assert!(names.iter().all(|name| !name.ends_with(".q") && !name.ends_with(".reset")));
    let view = fs::read_to_string(folder.path().join("wave.vcd.gtkw")).unwrap();
    assert!(view.contains("operand_stage.collectors_1.cache_table.entry_tag[1]"), "{view}");
    for collector in ["collectors_0", "collectors_1"] {
        assert!(view.contains(&format!("\n-Events in operand_stage.{collector}\n")), "{view}");
    }
    // The collector of the event and its table have their names, and rows that no event speaks of.
    for heading in ["Inside collectors_1", "Inside collectors_1.cache_table"] {
        assert!(view.contains(&format!("\n-{heading}\n")), "{view}");
    }
    let inside = view.split("\n-Inside collectors_1\n").nth(1).unwrap();
    for signal in ["d_valid", "d_near", "random[7:0]", "cache_table.entry_valid", "cache_table.entry_lock"] {
        assert!(inside.contains(&format!("operand_stage.collectors_1.{signal}")), "{signal} in {view}");
    }
    // Events stand in the lines of their instructions.
    let log = fs::read_to_string(folder.path().join("pipeline.kanata")).unwrap();
    assert!(log.lines().any(|line| line.starts_with("L\t") && line.contains("\t, miss R")), "{log}");
}

/// The number behind a name in a table.
fn number(tables: &str, name: &str) -> u64 {
    let row = tables.lines().find(|line| line.starts_with(&format!("│ {name} ")));
    let row = row.unwrap_or_else(|| panic!("no {name} in {tables}"));
    row.split_whitespace().nth(1 + name.split(' ').count()).unwrap().replace(',', "").parse().unwrap()
}

#[test]
fn events_are_as_many_as_the_sm_counts() {
    let folder = tempfile::tempdir().unwrap();
    let json = folder.path().join("run.json");
    let options = ["vectoradd", "--design", "malekeh", "--engine", "rtl", "--count-events", "--json"];
    let output = sim(&options).arg(&json).assert().success();
    let run: serde_json::Value = serde_json::from_str(&fs::read_to_string(&json).unwrap()).unwrap();
    let tables = String::from_utf8_lossy(&output.get_output().stdout).into_owned();
    let pairs = [
        ("hit", "hits"),
        ("miss", "bank reads"),
        ("conflict", "bank conflicts"),
        ("filter", "cache writes filtered"),
    ];
    for (event, counter) in pairs {
        assert!(number(&tables, event) > 0, "{tables}");
        assert_eq!(number(&tables, event), number(&tables, counter), "{event}");
        assert_eq!(run["events"][event], number(&tables, event), "{event}");
    }
}

/// The values that a variable of a VCD takes, each with its time.
fn changes(wave: &str, name: &str) -> Vec<(u64, String)> {
    let id = wave.lines().find_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        (words.first() == Some(&"$var") && words[4] == name).then(|| words[3].to_string())
    });
    let ending = format!(" {}", id.unwrap_or_else(|| panic!("no {name}")));
    let (mut time, mut found) = (0, vec![]);
    for line in wave.lines() {
        match (line.strip_prefix('#'), line.strip_suffix(&ending)) {
            (Some(now), _) => time = now.parse().unwrap(),
            (None, Some(value)) => found.push((time, value.to_string())),
            _ => {}
        }
    }
    found
}

#[test]
fn a_sub_core_without_collectors_is_recorded_by_every_engine() {
    let folder = tempfile::tempdir().unwrap();
    let told = |engine| {
        let options = ["--design", "modern", "--engine", engine, "--around", "dispatch#9", "--after", "20"];
        let told = record(folder.path(), "wave.vcd", &options);
        (told, fs::read_to_string(folder.path().join("wave.vcd")).unwrap())
    };
    let (told_of_rtl, rtl) = told("rtl");
    let (told_of_model, model) = told("model");
    let event = told_of_rtl.split("the event is in cycle ").nth(1).unwrap();
    let (cycle, text) = event.lines().next().unwrap().split_once(": ").unwrap();
    assert!(text.starts_with("operands of warp ") && told_of_model.contains(text), "{told_of_rtl}");
    // The event and the instruction that leaves stand in that cycle.
    let time = 2 * cycle.parse::<u64>().unwrap();
    let at = |name| changes(&rtl, name).into_iter().filter(|change| change.0 == time).collect::<Vec<_>>();
    let events = at("events");
    assert!(events.iter().any(|(_, events)| events.contains(&text.replace(' ', "_"))), "{events:?}");
    let dispatched = at("dispatched");
    let [(_, instruction)] = &dispatched[..] else { panic!("{dispatched:?}") };
    // The SM says the same of it.
    let log = fs::read_to_string(folder.path().join("pipeline.kanata")).unwrap();
    let label = instruction.trim_start_matches('s').replace('_', " ");
    assert!(!label.is_empty() && log.contains(&label), "{label} in {log}");
    for name in ["issued", "dispatched"] {
        assert!(changes(&rtl, name).len() > 3, "{name}");
        assert_eq!(changes(&rtl, name), changes(&model, name), "{name}");
    }
    let names = variables(&rtl);
    let is_inside = |name: &String| name.starts_with("sub_core.cache.");
    assert!(names.iter().any(is_inside) && !variables(&model).iter().any(is_inside), "{names:?}");
    let view = fs::read_to_string(folder.path().join("wave.vcd.gtkw")).unwrap();
    assert!(view.contains("\n-Control and Allocate\n"), "{view}");
}

#[test]
fn events_of_a_sub_core_without_collectors_are_as_many_as_the_sm_counts() {
    let folder = tempfile::tempdir().unwrap();
    let json = folder.path().join("run.json");
    let options = ["sgemm", "--design", "modern", "--cycles", "3000", "--engine", "rtl", "--count-events"];
    sim(&options).arg("--json").arg(&json).assert().success();
    let run: serde_json::Value = serde_json::from_str(&fs::read_to_string(&json).unwrap()).unwrap();
    let count = |value: &serde_json::Value| value.as_u64().unwrap();
    let pairs = [("issue", "warp_instructions"), ("hold", "bank_conflicts"), ("hit", "hits")];
    for (event, counter) in pairs {
        assert!(count(&run["events"][event]) > 0, "{event}");
        assert_eq!(run["events"][event], run[counter], "{event}");
    }
}

fn testbench(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("gpurf").expect("the tool is built");
    command.arg("testbench").args(arguments);
    command
}

#[test]
fn a_scenario_is_shown_with_its_name_and_all_that_is_inside() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ccu.vcd");
    let file = path.display().to_string();
    let scenario = ["ccu", "--scenario", "far_before_near", "--waveform", &file];
    testbench(&[&scenario[..], &["--around", "replacement"]].concat())
        .assert()
        .success()
        .stderr(contains("evict R"));
    let wave = fs::read_to_string(&path).unwrap();
    assert!(wave.contains("sfar_before_near ") && wave.contains("sevict_R"), "{wave}");
    assert!(variables(&wave).contains(&"ccu.cache_table.entry_tag[1]".to_string()));
    let view = fs::read_to_string(folder.path().join("ccu.vcd.gtkw")).unwrap();
    assert!(view.contains("\nccu.events\n") && view.contains("\nccu.scenario\n"), "{view}");

    let scenario = [&scenario[..], &["--around", "replacement#99"]].concat();
    testbench(&scenario).assert().code(2).stderr(contains("there is only 1 such event"));
    let missing =
        testbench(&["ccu", "--scenario", "far_before_nearer", "--waveform", &file]).assert().code(2);
    missing.stderr(contains("did you mean far_before_near?"));
    let none =
        testbench(&["ccu", "--cycles", "10", "--waveform", &file, "--around", "hitt"]).assert().code(2);
    none.stderr(contains("did you mean hit?"));
}

// SPDX-License-Identifier: Apache-2.0
//! Waveforms, read back as the viewers do.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use gpurf_blocks::ports::{CollectorIn, CollectorOut, RmuIn, RmuOut};
use gpurf_blocks::{packed, Clocked, Parameters, PortLayout, Typed, Wide};
use gpurf_hw::collector::{Ccu, Ocu};
use gpurf_hw::dialect::Watch;
use gpurf_hw::finereg::Rmu;
use gpurf_verilog::{Events, Extent, ModuleWaveform, PackedCompiled, PortWaveform, Query};
use wellen::SignalRef;

type Wave = (CollectorIn<Wide<32>>, CollectorOut<Wide<32>>);

fn three_slots() -> Parameters {
    Parameters { slots: 3, ..Parameters::default() }
}

fn compiled_ocu() -> PackedCompiled {
    let layout = PortLayout::of::<CollectorIn<Wide<32>>, CollectorOut<Wide<32>>>();
    PackedCompiled::observed(&Ocu::<1024>::new(&three_slots()), &layout).unwrap()
}

fn compiled_ccu() -> PackedCompiled {
    let layout = PortLayout::of::<CollectorIn<u32>, CollectorOut<u32>>();
    let parameters = Parameters { width: 32, ..Parameters::default() };
    PackedCompiled::observed(&Ccu::<32, 3>::new(&parameters), &layout).unwrap()
}

fn record_inside(
    path: &Path,
    top: &str,
    compiled: &PackedCompiled,
    extent: Extent,
) -> std::io::Result<ModuleWaveform> {
    let events = Events::of(compiled.scopes()).unwrap();
    ModuleWaveform::create(path, top, compiled.scopes(), &events, extent)
}

/// Runs a collector on changing inputs and records it both ways.
fn record(ports: &Path, module: &Path, cycles: u64) -> Vec<Wave> {
    let block = Ocu::<1024>::new(&three_slots());
    let layout = PortLayout::of::<CollectorIn<Wide<32>>, CollectorOut<Wide<32>>>();
    let mut by_port = PortWaveform::create(ports, "ocu", &block, &layout, Extent::default()).unwrap();
    let compiled = compiled_ocu();
    let mut rtl: Typed<_, CollectorIn<_>, CollectorOut<_>> = Typed::new(compiled.engine());
    let mut by_module = record_inside(module, "ocu", &compiled, Extent::default()).unwrap();
    let waves = (0..cycles).map(|cycle| {
        let step = cycle as u32;
        let mut inputs = CollectorIn {
            issue: cycle % 7 == 0,
            warp: step % 8,
            payload: step.wrapping_mul(0x9e37_79b9),
            s_valid: cycle % 7 > 2,
            s_slot: step % 3,
            s_data: Wide(std::array::from_fn(|word| step << word ^ word as u32)),
            dispatch: cycle % 7 == 6,
            ..CollectorIn::default()
        };
        inputs.source_valid[..3].copy_from_slice(&[true, cycle % 2 == 0, false]);
        let outputs = rtl.settle(&inputs);
        by_port.sample(cycle, &packed(&inputs), &packed(&outputs), &[]).unwrap();
        rtl.engine.observe();
        by_module.sample(cycle, &rtl.engine, &[]).unwrap();
        rtl.tick();
        (inputs, outputs)
    });
    let waves = waves.collect();
    by_port.finish().unwrap();
    by_module.finish().unwrap();
    waves
}

/// Value of a variable at a time, in binary.
fn value(wave: &mut wellen::simple::Waveform, path: &[&str], name: &str, time: u64) -> String {
    let variable = wave.hierarchy().lookup_var(path, name).unwrap_or_else(|| panic!("no {path:?} {name}"));
    let signal = wave.hierarchy()[variable].signal_ref();
    wave.load_signals(&[signal]);
    let at = wave.time_table().partition_point(|&t| t <= time) - 1;
    let signal = wave.get_signal(signal).unwrap();
    let offset = signal.get_offset(at as u32).unwrap();
    signal.get_value_at(&offset, offset.elements - 1).to_bit_string().unwrap()
}

/// The same of an element of an array: readers make a scope of its elements, or leave the brackets in its
/// name.
fn element(
    wave: &mut wellen::simple::Waveform,
    path: &[&str],
    name: &str,
    number: usize,
    time: u64,
) -> String {
    let in_scope: Vec<&str> = path.iter().copied().chain([name]).collect();
    let index = format!("[{number}]");
    match wave.hierarchy().lookup_var(&in_scope, &index) {
        Some(_) => value(wave, &in_scope, &index, time),
        None => value(wave, path, &format!("{name}[{number}]"), time),
    }
}

fn wide(value: &Wide<32>) -> String {
    value.0.iter().rev().map(|word| format!("{word:032b}")).collect()
}

fn paths(ending: &str) -> [PathBuf; 2] {
    let unique = format!("gpurf-waveform-{}-{:?}", std::process::id(), std::thread::current().id());
    ["ports", "module"].map(|kind| std::env::temp_dir().join(format!("{unique}-{kind}.{ending}")))
}

fn remove(paths: [PathBuf; 2]) {
    paths.iter().for_each(|path| fs::remove_file(path).unwrap());
}

#[test]
fn what_is_read_back_is_what_was_recorded() {
    ["vcd", "fst"].into_iter().for_each(read_back);
}

fn read_back(ending: &str) {
    let [ports, module] = paths(ending);
    let waves = record(&ports, &module, 100);
    let mut by_port = wellen::simple::read(&ports).unwrap();
    let mut by_module = wellen::simple::read(&module).unwrap();
    for (cycle, (inputs, outputs)) in waves.iter().enumerate() {
        for (wave, is_inside) in [(&mut by_port, false), (&mut by_module, true)] {
            // At the start of the cycle and just before its end.
            for time in [2 * cycle as u64, 2 * cycle as u64 + 1] {
                let mut get = |scope: &'static str, name: &str| {
                    let path = if is_inside { vec!["ocu"] } else { vec!["ocu", scope] };
                    value(wave, &path, name, time)
                };
                assert_eq!(get("inputs", "issue"), (inputs.issue as u8).to_string());
                assert_eq!(get("inputs", "payload"), format!("{:032b}", inputs.payload));
                assert_eq!(get("outputs", "held_warp"), format!("{:04b}", outputs.held_warp));
                assert_eq!(value(wave, &["ocu"], "clock", time), ["1", "0"][time as usize % 2]);
                assert_eq!(value(wave, &["ocu"], "cycle", time), format!("{cycle:032b}"));
            }
        }
        let time = 2 * cycle as u64;
        let mut port = |scope, name| value(&mut by_port, &["ocu", scope], name, time);
        assert_eq!(port("inputs", "s_data"), wide(&inputs.s_data));
        assert_eq!(port("inputs", "source_valid_1"), (inputs.source_valid[1] as u8).to_string());
        assert_eq!(port("outputs", "operand_data_2"), wide(&outputs.operand_data[2]));
        let mut inside = |name| value(&mut by_module, &["ocu"], name, time);
        // Bits of an array are one vector, its element 0 on the right. What is not valid is unknown.
        let valid = inputs.source_valid[..3].iter().rev().map(|valid| if *valid { '1' } else { '0' });
        assert_eq!(inside("source_valid"), valid.collect::<String>());
        let data = if inputs.s_valid { wide(&inputs.s_data) } else { "x".repeat(1024) };
        assert_eq!(inside("s_data"), data);
        assert_eq!(element(&mut by_module, &["ocu"], "slot_data", 2, time), wide(&outputs.operand_data[2]));
    }
    assert!(by_port.hierarchy().lookup_var(&["ocu", "inputs"], "source_valid_3").is_none());
    remove([ports, module]);
}

#[test]
fn the_same_run_gives_the_same_bytes_and_no_empty_variables() {
    for ending in ["fst", "vcd"] {
        let paths = paths(ending);
        let [first, second] = [0, 1].map(|_| {
            record(&paths[0], &paths[1], 20);
            [0, 1].map(|path| fs::read(&paths[path]).unwrap())
        });
        assert!(first == second, "{ending}");
        remove(paths);
    }
    let [ports, module] = paths("vcd");
    record(&ports, &module, 20);
    let signals = fs::read_to_string(&module).unwrap();
    assert!(!signals.contains("$var wire 0 ") && !signals.contains("identity"));
    remove([ports, module]);
}

#[test]
fn an_unfinished_waveform_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ocu.vcd");
    let waveform = record_inside(&path, "ocu", &compiled_ocu(), Extent::default()).unwrap();
    let files = || fs::read_dir(folder.path()).unwrap().count();
    assert!(files() == 1 && !path.exists());
    drop(waveform);
    assert_eq!(files(), 0);
}

/// Records the first cycles of an RMU that stores registers.
fn record_rmu(path: &Path, extent: Extent) -> std::io::Result<()> {
    let parameters = Parameters { width: 32, pcrf_entries: 64, ..Parameters::default() };
    let layout = PortLayout::of::<RmuIn<u32>, RmuOut<u32>>();
    let compiled = PackedCompiled::observed(&Rmu::<32, 6>::new(&parameters), &layout).unwrap();
    let mut rtl: Typed<_, RmuIn<u32>, RmuOut<u32>> = Typed::new(compiled.engine());
    let mut waveform = record_inside(path, "rmu", &compiled, extent)?;
    for cycle in 0..3 {
        rtl.settle(&RmuIn { request: cycle == 0, store: true, outgoing: 7, ..RmuIn::default() });
        rtl.engine.observe();
        waveform.sample(cycle, &rtl.engine, &[["FADD R1 <- R2", "", "EXIT"][cycle as usize]])?;
        rtl.tick();
    }
    waveform.finish()
}

#[test]
fn a_state_and_an_instruction_are_shown_by_their_names() {
    let [vcd, _] = paths("vcd");
    record_rmu(&vcd, Extent { texts: &["instructions.issued"], ..Extent::default() }).unwrap();
    let text = fs::read_to_string(&vcd).unwrap();
    for name in ["sIdle ", "sLookUp ", "sFADD_R1_<-_R2 ", "sEXIT ", "sblock_7_goes_out "] {
        assert!(text.lines().any(|line| line.starts_with(name)), "{name} in {text}");
    }
    let [fst, _] = paths("fst");
    record_rmu(&fst, Extent { texts: &["instructions.issued"], ..Extent::default() }).unwrap();
    let mut wave = wellen::simple::read(&fst).unwrap();
    let texts = [0, 2, 4].map(|time| characters(&value(&mut wave, &["rmu", "instructions"], "issued", time)));
    assert_eq!(texts, ["FADD R1 <- R2", "", "EXIT"]);
    let states = [0, 2].map(|time| characters(&value(&mut wave, &["rmu"], "state", time)));
    assert_eq!(states, ["Idle", "LookUp"]);
    let events = [0, 2].map(|time| characters(&value(&mut wave, &["rmu"], "events", time)));
    assert_eq!(events, ["block 7 goes out", ""]);
    [vcd, fst].iter().for_each(|path| fs::remove_file(path).unwrap());
}

/// Bits, eight of them a character, as text.
fn characters(bits: &str) -> String {
    let bytes = bits.as_bytes().chunks(8).map(|byte| byte.iter().fold(0, |byte, bit| byte << 1 | bit & 1));
    String::from_utf8(bytes.filter(|&byte| byte != 0).collect()).unwrap()
}

#[test]
fn loads_of_registers_are_recorded_where_they_are_asked_for() {
    let [path, _] = paths("vcd");
    record_rmu(&path, Extent { loads: true, ..Extent::default() }).unwrap();
    let mut wave = wellen::simple::read(&path).unwrap();
    let hierarchy = wave.hierarchy();
    let signals: HashMap<String, SignalRef> = hierarchy
        .all_vars()
        .map(|place| (hierarchy[place].full_name(hierarchy), hierarchy[place].signal_ref()))
        .collect();
    wave.load_signals(&signals.values().copied().collect::<Vec<_>>());
    let cycles = wave.time_table().len();
    let mut loaded = 0;
    for (name, held) in &signals {
        let load = |port| signals.get(&format!("{name}_{port}"));
        let (Some(d), Some(enable)) = (load("d"), load("enable")) else { continue };
        let value = |signal: &SignalRef, time: usize| {
            let signal = wave.get_signal(*signal).unwrap();
            let offset = signal.get_offset(time as u32).unwrap();
            signal.get_value_at(&offset, 0).to_string()
        };
        // The clock falls in the middle of a cycle.
        for time in (0..cycles - 2).step_by(2) {
            match value(enable, time).as_str() {
                "1" => assert_eq!(value(held, time + 2), value(d, time), "{name} at {time}"),
                _ => assert_eq!(value(held, time + 2), value(held, time), "{name} at {time}"),
            }
            loaded += usize::from(value(enable, time) == "1");
        }
    }
    assert!(loaded > 20, "{loaded} loads");
    record_rmu(&path, Extent::default()).unwrap();
    let wave = wellen::simple::read(&path).unwrap();
    let hierarchy = wave.hierarchy();
    let mut names = hierarchy.all_vars().map(|place| hierarchy[place].full_name(hierarchy));
    assert!(names.all(|name| !name.ends_with("_enable") || name.contains("acrf")), "loads without asking");
}

#[test]
fn only_the_scopes_that_are_named_are_recorded() {
    let [path, _] = paths("vcd");
    record_rmu(&path, Extent { scopes: &["pcrf".into()], ..Extent::default() }).unwrap();
    let wave = wellen::simple::read(&path).unwrap();
    let hierarchy = wave.hierarchy();
    let names: Vec<_> = hierarchy.all_vars().map(|place| hierarchy[place].full_name(hierarchy)).collect();
    let others: Vec<_> = names.iter().filter(|name| !name.starts_with("rmu.pcrf.")).collect();
    assert_eq!(others, ["rmu.clock", "rmu.cycle"]);
    assert!(names.len() > 10, "{names:?}");
    let scopes: Vec<_> = fs::read_to_string(&path)
        .unwrap()
        .lines()
        .filter(|line| line.starts_with("$scope"))
        .map(String::from)
        .collect();
    assert!(
        scopes.iter().all(|scope| !scope.contains("decoder")),
        "scopes that are not asked for: {scopes:?}"
    );
    record_rmu(&path, Extent { scopes: &["top".into()], ..Extent::default() }).unwrap();
    let wave = wellen::simple::read(&path).unwrap();
    let hierarchy = wave.hierarchy();
    let names: Vec<_> = hierarchy.all_vars().map(|place| hierarchy[place].full_name(hierarchy)).collect();
    assert!(names.contains(&"rmu.state".to_string()), "{names:?}");
    assert!(names.iter().all(|name| name.matches('.').count() == 1), "{names:?}");
    fs::remove_file(&path).unwrap();

    let error = record_rmu(&path, Extent { scopes: &["pcfr".into()], ..Extent::default() }).err().unwrap();
    assert!(error.to_string().contains("no scope pcfr; did you mean pcrf"));
    assert!(!path.exists());
}

#[test]
fn a_file_that_cannot_be_written_is_named() {
    let path = Path::new("/no/such/folder/wave.vcd");
    let error = record_inside(path, "ocu", &compiled_ocu(), Extent::default()).err().unwrap();
    assert!(error.to_string().starts_with("/no/such/folder/wave.vcd: "));
}

/// A caching collector that reads two registers, and then reads one of them again with a flush.
fn cached(
    mut each_cycle: impl FnMut(u64, &Events, &mut dyn FnMut(&mut dyn FnMut(&gpurf_verilog::Occurrence))),
) {
    let compiled = compiled_ccu();
    let events = Events::of(compiled.scopes()).unwrap();
    let mut rtl: Typed<_, CollectorIn<u32>, CollectorOut<u32>> = Typed::new(compiled.engine());
    for cycle in 0..12 {
        let mut inputs = CollectorIn { warp: 3, ..CollectorIn::default() };
        match cycle {
            0 | 4 | 8 => {
                inputs.issue = true;
                inputs.warp = if cycle == 8 { 5 } else { 3 };
                inputs.source_valid[0] = true;
                inputs.source_register[0] = 17;
            }
            1 | 9 => inputs.s_valid = true,
            3 | 7 => inputs.dispatch = true,
            _ => {}
        }
        rtl.settle(&inputs);
        rtl.engine.observe();
        each_cycle(cycle, &events, &mut |see| events.visit(&rtl.engine, see));
        rtl.tick();
    }
}

#[test]
fn events_are_found_in_their_cycles_and_by_their_values() {
    let mut told = vec![];
    let queries = ["hit", "hit,register=R17,warp=3", "hit,register=R18", "miss,warp=5", "flush,from=3"];
    let queries = queries.map(|query| query.parse::<Query>().unwrap());
    let mut counts = [0; 5];
    cached(|cycle, _, visit| {
        visit(&mut |event| {
            let mut text = String::new();
            event.write(&mut text);
            told.push(format!("{cycle} {text}"));
            for (query, count) in queries.iter().zip(&mut counts) {
                *count += usize::from(query.matches(event));
            }
        });
    });
    assert_eq!(told, ["0 miss R17", "4 hit R17", "8 miss R17", "8 flush warp 3->5"]);
    assert_eq!(counts, [1, 1, 0, 1, 1]);
}

#[test]
fn queries_that_cannot_be_read() {
    for (text, message) in
        [("hit#0", "counted from 1"), ("hit,warp", "warp=3"), ("hit,warp=x", "x is no number")]
    {
        assert!(text.parse::<Query>().unwrap_err().contains(message), "{text}");
    }
    let third: Query = "hit#3,register=R7,collector=1".parse().unwrap();
    assert_eq!((third.number, third.values), (3, vec![("register".into(), 7), ("collector".into(), 1)]));
}

#[test]
fn declarations_that_do_not_fit_say_why() {
    let compiled = compiled_ccu();
    let fails = |line: &'static str| {
        let watch: &'static Watch =
            Box::leak(Box::new(Watch { module: "ccu", lines: Box::leak(Box::new([line])) }));
        Events::declared(compiled.scopes(), [watch].into_iter()).err().map(|error| error.to_string())
    };
    for (line, message) in [
        ("hit if hitt[0]: hit", "ccu: the event hit: there is no signal hitt"),
        ("hit if hit: hit", "hit is an array, and has no index"),
        ("hit for s in hit if hit[s]: hit R{source_registers[s]}", "there is no signal source_registers"),
        ("hit for s in nothing if hit[s]: hit", "there is no signal nothing"),
        ("hit if hit[0]", "no `: ` before a text"),
        ("hit if (hit[0]: hit", "`)` is missing"),
        ("hit(a = 1 b = 2) if hit[0]: hit", "`)` is missing before `b`"),
        ("hit if hit[0] $: hit", "`$` is no operator"),
        ("hit if hit[0]: hit {s", "has no `}`"),
        ("valid hit if nothing", "there is no signal nothing"),
    ] {
        assert!(fails(line).unwrap_or_default().contains(message), "{line}: {:?}", fails(line));
    }
    for line in
        ["hit for s in nothing? if hit[s]: hit", "hit if #hit == 7 && !(hit[0] | hit[1]) && warp[1]: hit"]
    {
        assert_eq!(fails(line), None, "{line}");
    }
}

//! Waveforms, read back as the viewers do.

use std::fs;
use std::path::{Path, PathBuf};

use gpurf_blocks::ports::{CollectorIn, CollectorOut, RmuIn};
use gpurf_blocks::{Clocked, Parameters, Wide};
use gpurf_hw::collector::Ocu;
use gpurf_hw::dialect::{Extent, ModuleWaveform, PortWaveform, Rtl};
use gpurf_hw::finereg::Rmu;

type Wave = (CollectorIn<Wide<32>>, CollectorOut<Wide<32>>);

fn three_slots() -> Parameters {
    Parameters { slots: 3, ..Parameters::default() }
}

/// Runs a collector on changing inputs and records it both ways.
fn record(ports: &Path, module: &Path, cycles: u64) -> Vec<Wave> {
    let mut rtl = Rtl::new(Ocu::<1024>::new(&three_slots()));
    let mut by_port = PortWaveform::create(ports, "ocu", rtl.module(), Extent::default()).unwrap();
    let mut by_module = ModuleWaveform::create(module, "ocu", rtl.module(), Extent::default()).unwrap();
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
        by_port.sample(cycle, &inputs, &outputs, &[]).unwrap();
        by_module.sample(cycle, rtl.module(), &[]).unwrap();
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
        for (wave, prefix) in [(&mut by_port, true), (&mut by_module, false)] {
            // At the start of the cycle and just before its end.
            for time in [2 * cycle as u64, 2 * cycle as u64 + 1] {
                let mut get = |scope: &'static str, name: &str| {
                    let path = if prefix { vec!["ocu", scope] } else { vec!["ocu"] };
                    value(wave, &path, name, time)
                };
                assert_eq!(get("inputs", "issue"), (inputs.issue as u8).to_string());
                assert_eq!(get("inputs", "payload"), format!("{:032b}", inputs.payload));
                assert_eq!(get("inputs", "s_data"), wide(&inputs.s_data));
                assert_eq!(get("inputs", "source_valid_1"), (inputs.source_valid[1] as u8).to_string());
                assert_eq!(get("outputs", "held_warp"), format!("{:04b}", outputs.held_warp));
                assert_eq!(get("outputs", "operand_data_2"), wide(&outputs.operand_data[2]));
                assert_eq!(value(wave, &["ocu"], "clock", time), ["1", "0"][time as usize % 2]);
                assert_eq!(value(wave, &["ocu"], "cycle", time), format!("{cycle:032b}"));
            }
        }
        let time = 2 * cycle as u64;
        let held = value(&mut by_module, &["ocu", "slot_data_2"], "q", time);
        assert_eq!(held, wide(&outputs.operand_data[2]));
        assert_eq!(value(&mut by_module, &["ocu", "slot_data_2"], "clock", time), "1");
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
    let waveform =
        ModuleWaveform::create(&path, "ocu", &Ocu::<32>::new(&three_slots()), Extent::default()).unwrap();
    let files = || fs::read_dir(folder.path()).unwrap().count();
    assert!(files() == 1 && !path.exists());
    drop(waveform);
    assert_eq!(files(), 0);
}

/// Records the first cycles of an RMU that stores registers.
fn record_rmu(path: &Path, extent: Extent) -> std::io::Result<()> {
    let parameters = Parameters { width: 32, pcrf_entries: 64, ..Parameters::default() };
    let mut rtl = Rtl::new(Rmu::<32, 6>::new(&parameters));
    let mut waveform = ModuleWaveform::create(path, "rmu", rtl.module(), extent)?;
    for cycle in 0..3 {
        rtl.settle(&RmuIn { request: cycle == 0, store: true, ..RmuIn::default() });
        waveform.sample(cycle, rtl.module(), &[["FADD R1 <- R2", "", "EXIT"][cycle as usize]])?;
        rtl.tick();
    }
    waveform.finish()
}

#[test]
fn a_state_and_an_instruction_are_shown_by_their_names() {
    let [vcd, _] = paths("vcd");
    record_rmu(&vcd, Extent { texts: &["issued"], ..Extent::default() }).unwrap();
    let text = fs::read_to_string(&vcd).unwrap();
    for name in ["sIdle ", "sLookUp ", "sFADD_R1_<-_R2 ", "sEXIT "] {
        assert!(text.lines().any(|line| line.starts_with(name)), "{name} in {text}");
    }
    let [fst, _] = paths("fst");
    record_rmu(&fst, Extent { texts: &["issued"], ..Extent::default() }).unwrap();
    let mut wave = wellen::simple::read(&fst).unwrap();
    let texts = [0, 2, 4].map(|time| characters(&value(&mut wave, &["rmu", "instructions"], "issued", time)));
    assert_eq!(texts, ["FADD R1 <- R2", "", "EXIT"]);
    let states = [0, 2].map(|time| characters(&value(&mut wave, &["rmu", "state"], "q", time)));
    assert_eq!(states, ["Idle", "LookUp"]);
    [vcd, fst].iter().for_each(|path| fs::remove_file(path).unwrap());
}

/// Bits, eight of them a character, as text.
fn characters(bits: &str) -> String {
    let bytes = bits.as_bytes().chunks(8).map(|byte| byte.iter().fold(0, |byte, bit| byte << 1 | bit & 1));
    String::from_utf8(bytes.filter(|&byte| byte != 0).collect()).unwrap()
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
    fs::remove_file(&path).unwrap();

    let error = record_rmu(&path, Extent { scopes: &["pcfr".into()], ..Extent::default() }).err().unwrap();
    assert!(error.to_string().contains("no scope pcfr; did you mean pcrf"));
    assert!(!path.exists());
}

#[test]
fn a_file_that_cannot_be_written_is_named() {
    let path = Path::new("/no/such/folder/wave.vcd");
    let error = ModuleWaveform::create(path, "ocu", &Ocu::<32>::new(&three_slots()), Extent::default())
        .err()
        .unwrap();
    assert!(error.to_string().starts_with("/no/such/folder/wave.vcd: "));
}

// SPDX-License-Identifier: Apache-2.0
//! Advice in messages is followed: what a message says then does not come back. Another one may.

use std::collections::BTreeSet;

use gpurf_blocks::{Parameters, PARAMETERS};
use gpurf_sim::config::{constants, Config, ConfigError};
use gpurf_sim::engines::Engines;
use gpurf_sim::sm::{Design, Gpu, Sampling, SmError};
use gpurf_trace::{Command, Kernel, KernelHeader, Workload};

use crate::sampling::Part;
use crate::streams::{header, kernel, Line, ALL, EXIT};

/// A kernel, and the machine that it is run on.
#[derive(Clone)]
struct Attempt {
    design: &'static str,
    settings: Vec<String>,
    header: KernelHeader,
    /// Blocks that the trace has.
    blocks: u32,
    sampled: bool,
}

impl Attempt {
    fn of(design: &'static str, settings: &[&str]) -> Attempt {
        let settings = settings.iter().map(|setting| setting.to_string()).collect();
        Attempt { design, settings, header: header(64), blocks: 1, sampled: false }
    }

    fn with(&self, setting: &str) -> Attempt {
        let settings = self.settings.iter().cloned().chain([setting.into()]).collect();
        Attempt { settings, ..self.clone() }
    }

    fn run(&self) -> Result<(), SmError> {
        let config = Config::load(None, &self.settings).unwrap_or_else(|error| panic!("{error}"));
        let design: Design = self.design.parse().unwrap();
        let warp: Vec<Line> = vec![("FADD", Some(9), &[8, 9], ALL, &[]), EXIT];
        let blocks = vec![vec![warp; 2]; self.blocks as usize];
        let mut workload = kernel(KernelHeader { grid: [self.blocks, 1, 1], ..header(64) }, &blocks);
        // A header that need not be right.
        let Command::Kernel(inner) = workload.commands.remove(0) else { panic!("it is a kernel") };
        let open = move || -> gpurf_trace::Result<Box<dyn gpurf_trace::BlockSource>> {
            Ok(Box::new(Part(inner.open()?)))
        };
        let kernel = Kernel::new(self.header.clone(), open);
        let workload = Workload { name: "advice".into(), commands: vec![Command::Kernel(kernel)] };
        let mut gpu = Gpu::new(&config, design, 1, Engines::models(&config, design, 1));
        if self.sampled {
            gpu.sample(Sampling { every: 8, seed: 1 });
        }
        gpu.run(&workload, None)
    }
}

/// The variant of an error that advises to change something, by name.
fn adviser(error: &SmError) -> Option<&'static str> {
    match error {
        SmError::RegisterBeyond { .. } => Some("RegisterBeyond"),
        SmError::Control { .. } => Some("Control"),
        SmError::Window { .. } => Some("Window"),
        SmError::Collectors { .. } => Some("Collectors"),
        SmError::ResultPorts { .. } => Some("ResultPorts"),
        SmError::TooManyWarps { .. } => Some("TooManyWarps"),
        SmError::BlockTooLarge { .. } => Some("BlockTooLarge"),
        SmError::NoActiveRegisters { .. } => Some("NoActiveRegisters"),
        SmError::WarpBeyond { .. } => Some("WarpBeyond"),
        SmError::PartOfGrid { .. } => Some("PartOfGrid"),
        SmError::Refused { .. } | SmError::Trace(_) | SmError::State(_) | SmError::Stuck { .. } => None,
    }
}

/// Variants of an error whose messages have a remedy, which stands behind a semicolon.
fn advisers_in(source: &str) -> BTreeSet<&str> {
    let variants = source.split("#[error(").skip(1).filter_map(|part| {
        let (message, rest) = part.split_once(")]")?;
        let name = rest.trim_start().split(|c: char| !c.is_alphanumeric()).next()?;
        message.contains("; ").then_some(name)
    });
    variants.collect()
}

/// Attempts that fail, and remedies: a part of the message, and an attempt that follows it.
fn cases() -> Vec<(Attempt, Vec<(&'static str, Attempt)>)> {
    let with_header = |attempt: &Attempt, change: &dyn Fn(&mut KernelHeader)| {
        let mut changed = attempt.clone();
        change(&mut changed.header);
        changed
    };
    let plain = Attempt::of("traditional", &[]);
    let few = with_header(&plain, &|header| header.nregs = 4);
    let narrow = with_header(&plain, &|header| header.block = [32, 1, 1]);
    let large = with_header(&plain, &|header| header.block = [1024, 1, 1]);
    let [few_warps, few_threads] =
        ["sm.warps=16", "sm.threads=512"].map(|setting| large.with("sm.threads=1024").with(setting));
    let hungry = with_header(&large.with("sm.registers=16384"), &|header| header.nregs = 64);
    let shared = with_header(&plain, &|header| header.shared_memory = 200 << 10);
    let part = Attempt { blocks: 1600, sampled: true, ..plain.clone() };
    let part = with_header(&part, &|header| header.grid = [1700, 1, 1]);
    let modern = Attempt::of("modern", &[]);
    let banks = Attempt::of("modern+dependences=scoreboard", &["banks=4"]);
    let monolithic = Attempt::of("modern+dependences=scoreboard", &["organisation=monolithic"]);
    let window = Attempt::of("modern+dependences=scoreboard", &["read_window=4"]);
    let ports =
        Attempt::of("modern+dependences=scoreboard", &["result_ports=2", "fixed.half=7", "fixed.uniform=5"]);
    let scoreboard =
        |attempt: &Attempt| Attempt { design: "modern+dependences=scoreboard", ..attempt.clone() };
    let collectors = Attempt::of("traditional", &["memory.pipeline=address_units"]);
    let front = Attempt::of("traditional", &["front.kind=caches"]);
    let pcrf = Attempt::of("finereg", &["sm.registers=32768", "pcrf_entries=1024"]);
    vec![
        (few.clone(), vec![("correct `nregs`", with_header(&few, &|header| header.nregs = 32))]),
        (narrow.clone(), vec![("correct `block dim`", with_header(&narrow, &|header| header.block[0] = 64))]),
        (few_warps.clone(), vec![("raise `sm.warps`", few_warps.with("sm.warps=32"))]),
        (few_threads.clone(), vec![("raise `sm.threads`", few_threads.with("sm.threads=1024"))]),
        (hungry.clone(), vec![("raise `sm.registers`", hungry.with("sm.registers=65536"))]),
        (
            shared.clone(),
            vec![("raise `sm.block_shared_memory`", shared.with("sm.block_shared_memory=204800"))],
        ),
        (part.clone(), vec![("simulate it whole", Attempt { sampled: false, ..part })]),
        (modern.clone(), vec![("run +dependences=scoreboard", scoreboard(&modern))]),
        (
            banks.clone(),
            vec![
                ("`banks=2` alone; set that", banks.with("banks=2")),
                ("choose another design", Attempt { design: "traditional", ..banks }),
            ],
        ),
        (
            ports.clone(),
            vec![
                ("raise `result_ports`", ports.with("result_ports=3")),
                ("set latencies of `fixed` alike", ports.with("fixed.uniform=7")),
            ],
        ),
        (
            monolithic.clone(),
            vec![
                ("`organisation=sub-cores` alone; set that", monolithic.with("organisation=sub-cores")),
                ("choose another design", Attempt { design: "traditional", ..monolithic }),
            ],
        ),
        (
            collectors.clone(),
            vec![
                ("set `memory.pipeline=queues`", collectors.with("memory.pipeline=queues")),
                ("choose `modern`", Attempt { design: "modern+dependences=scoreboard", ..collectors }),
            ],
        ),
        (front.clone(), vec![("set `front.kind=ideal`", front.with("front.kind=ideal"))]),
        (
            window.clone(),
            vec![
                ("`read_window=3` alone; set that", window.with("read_window=3")),
                ("choose another design", Attempt { design: "traditional", ..window }),
            ],
        ),
        (
            Attempt::of("bow", &["sm.warps=64"]),
            vec![("set `sm.warps` to 32 at most", Attempt::of("bow", &["sm.warps=64", "sm.warps=32"]))],
        ),
        (
            pcrf.clone(),
            vec![
                ("lower `pcrf_entries`", pcrf.with("pcrf_entries=256")),
                ("raise `sm.registers`", pcrf.with("sm.registers=65536")),
            ],
        ),
    ]
}

#[test]
fn advice_of_the_sm_helps() {
    let mut covered = BTreeSet::new();
    for (attempt, remedies) in cases() {
        let Err(error) = attempt.run() else { panic!("it runs: {:?}", remedies[0].0) };
        let message = error.to_string();
        covered.insert(adviser(&error).unwrap_or_else(|| panic!("no advice: {message}")));
        for (says, better) in remedies {
            assert!(message.contains(says), "`{says}` is not in: {message}");
            let after = better.run().err().map(|error| error.to_string());
            assert_ne!(after.as_ref(), Some(&message), "after `{says}`");
        }
    }
    assert_eq!(covered, advisers_in(include_str!("../src/sm/error.rs")));
}

fn load(settings: &[String]) -> Result<Config, ConfigError> {
    Config::load(None, settings)
}

/// A reason of [`ConfigError::Impossible`], and the settings that it asks for, each alone. None: it says
/// what is wrong, and nothing of what to do.
fn possible(key: &str, value: &str, reason: &str) -> (&'static str, Vec<String>) {
    let set = |value: &str| format!("{key}={}", value.trim());
    if let Some(range) = reason.strip_prefix("it must lie between ") {
        return ("between", range.split(" and ").map(set).collect());
    }
    if let Some(all) = reason.strip_prefix("allowed are ") {
        return ("one_of", all.split(',').map(set).collect());
    }
    if let Some(unit) = reason.strip_prefix("it must be a multiple of ") {
        let (unit, value): (u64, u64) = (unit.parse().unwrap(), value.parse().unwrap());
        return ("multiple", vec![set(&value.next_multiple_of(unit).to_string())]);
    }
    if let Some(rest) = reason.strip_prefix("the largest must hold sm.shared_memory = ") {
        let (least, rest) = rest.split_once(' ').unwrap();
        assert!(rest.contains("leave some of l1.unified"), "{reason}");
        return ("carve-outs", vec![set(&format!("[{least}]"))]);
    }
    if reason.ends_with("give a number of cycles") {
        return ("cycles", vec![set("1")]);
    }
    if reason.contains("do not divide into sets") {
        return ("sets", vec![]);
    }
    if let Some(rest) = reason.strip_prefix("the value must be of type ") {
        let value = match rest.split(',').next() {
            Some("integer") => "1",
            Some("boolean") => "true",
            Some("array") => "[65536]",
            _ => "word",
        };
        return ("type", vec![set(value)]);
    }
    panic!("{key}={value}: the advice `{reason}` is not known here; follow it")
}

/// Settings that `set a to at most 3 or b to 8 or 16`, or `set a=1 or b=2`, asks for.
fn asked(advice: &str) -> Vec<String> {
    let mut last = "";
    let mut settings = vec![];
    for part in advice.split(" or ") {
        let (key, value) = match (part.split_once(" to "), part.split_once('=')) {
            (Some(pair), _) | (None, Some(pair)) => pair,
            (None, None) if part.starts_with("another ") => continue,
            (None, None) => (last, part),
        };
        last = key;
        settings.push(format!("{key}={}", value.trim_start_matches("at most ")));
    }
    settings
}

/// The kind of advice that an error gives, and settings by which it is followed, each alone.
fn remedies(error: &ConfigError) -> (&'static str, Vec<String>) {
    match error {
        ConfigError::Impossible { key, value, reason } => possible(key, value, reason),
        ConfigError::Hardware(error) => {
            let text = error.to_string();
            let (_, advice) = text.split_once("; set ").unwrap_or_else(|| panic!("no advice: {text}"));
            ("hardware", asked(advice))
        }
        ConfigError::NoValue { setting: _ } => ("no value", vec!["collectors=4".into()]),
        // `x is not possible; name is 1, 2 or 4`, or `name is 1 to 9`: of those values.
        ConfigError::Malformed { reason, .. } => {
            let Some((_, values)) = reason.rsplit_once("; ") else { return ("malformed", vec![]) };
            let (name, values) = values.split_once(" is ").unwrap_or_else(|| panic!("no advice: {reason}"));
            let parameter = PARAMETERS.iter().find(|parameter| parameter.name == name).expect("a parameter");
            let possible: Vec<String> = parameter.values.texts().collect();
            if possible.is_empty() {
                return ("file", vec![]);
            }
            let words = values.split([' ', ',']).filter(|word| possible.iter().any(|value| value == word));
            let settings: Vec<String> = words.map(|word| format!("{name}={word}")).collect();
            assert!(!settings.is_empty(), "no value: {reason}");
            ("values", settings)
        }
        // They list what there is.
        ConfigError::Io { .. } | ConfigError::Unknown { .. } => ("names", vec![]),
    }
}

#[test]
fn advice_on_constants_helps() {
    let mut kinds = BTreeSet::new();
    let mut texts = BTreeSet::new();
    // Without its numbers and the advice, which depends on them.
    let reason = |message: &str| {
        let (reason, _) = message.split_once("; set ").expect("advice");
        reason.replace(|c: char| c.is_ascii_digit(), "")
    };
    let mut check = |settings: &[String]| {
        let Err(error) = load(settings) else { return };
        let message = error.to_string();
        let (kind, remedies) = remedies(&error);
        kinds.insert(kind);
        if kind == "hardware" {
            texts.insert(reason(&message));
        }
        for remedy in remedies {
            let (key, _) = remedy.split_once('=').expect("a setting");
            assert!(message.contains(key), "{remedy} is not what this says: {message}");
            // Where an earlier setting was refused, it is taken back.
            let kept = settings.iter().filter(|setting| setting.split('=').next() != Some(key));
            let after = load(&kept.cloned().chain([remedy.clone()]).collect::<Vec<_>>());
            let after = after.err().map(|error| error.to_string());
            assert_ne!(after.as_ref(), Some(&message), "after {remedy}");
        }
    };
    const BESIDE: [&str; 6] =
        ["accesses=2", "pcrf_latency=1", "rc_entries=2", "slots=8", "rc_ways=8", "issue_latch=blocking"];
    for constant in constants() {
        for value in ["0", "3", "7", "20000", "1000000000", "true", "word", "[1]"] {
            check(&[format!("{}={value}", constant.name)]);
        }
        if let Some(parameter) = PARAMETERS.iter().find(|parameter| parameter.name == constant.name) {
            let all: Vec<String> = parameter.values.texts().collect();
            for value in all.first().into_iter().chain(all.last()) {
                for beside in BESIDE {
                    check(&[beside.into(), format!("{}={value}", constant.name)]);
                }
            }
        }
    }
    check(&["collectors".into()]);
    let known = ["between", "one_of", "multiple", "carve-outs", "cycles", "sets", "type", "hardware"];
    let known = known.into_iter().chain(["no value", "values", "malformed"]).collect::<BTreeSet<_>>();
    assert_eq!(&known - &kinds, BTreeSet::new(), "not provoked");
    // And those of a sub-core's own, which a configuration cannot set.
    for (warps, collectors) in [("8", "2"), ("16", "2")] {
        let mut parameters = Parameters::default();
        for (name, value) in [("warps", warps), ("collectors", collectors), ("allocation", "private")] {
            parameters.set(name, value).unwrap();
        }
        let message = parameters.check().unwrap_err().to_string();
        texts.insert(reason(&message));
        let (_, advice) = message.split_once("; set ").expect("advice");
        for remedy in asked(advice) {
            let (name, value) = remedy.split_once('=').expect("a setting");
            let mut better = parameters;
            better.set(name, value).unwrap();
            let after = better.check().err().map(|error| error.to_string());
            assert_ne!(after.as_ref(), Some(&message), "after {remedy}");
        }
    }
    // All that the source has.
    let source = include_str!("../../blocks/src/parameters/check.rs");
    let source = source.replace('\\', " ").split_whitespace().collect::<Vec<_>>().join(" ");
    let source = source.split("mod tests").next().unwrap();
    assert_eq!(texts.len(), source.matches("; set ").count(), "{texts:#?}");
}

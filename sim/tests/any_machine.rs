// SPDX-License-Identifier: Apache-2.0
//! Any machine: constants drawn at random, under designs put together, on kernels in which all of them have
//! something to do. Every check holds, and cycles that are passed over because nothing happens in them do not
//! show.

use std::sync::atomic::{AtomicUsize, Ordering};

use gpurf_blocks::{Description, PARAMETERS};
use gpurf_sim::config::{constants, Config};
use gpurf_sim::sm::SmError;
use gpurf_trace::Workload;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::TestRunner;

use crate::compositions::{designs, workload, SMALL};
use crate::sound::try_run;

/// Settings that make a run wrong, as they should: stale values that nothing invalidates, and loads that
/// are marked though their words are stored to.
const WRONG: [&str; 2] = ["invalidate", "mlds.loads"];

/// Values of a constant. Not all of them are possible, or not on every machine.
fn values(constant: &Description) -> Vec<String> {
    let Description { name, default, doc, .. } = constant;
    if let Some(parameter) = PARAMETERS.iter().find(|parameter| parameter.name == name) {
        return parameter.values.texts().collect();
    }
    match (default.parse::<u64>(), default.parse::<bool>()) {
        (Ok(number), _) => [0, 1, 2, 3, number / 4, number / 2, 2 * number, 4 * number]
            .map(|number| number.to_string())
            .into(),
        (_, Ok(_)) => ["false", "true"].map(String::from).into(),
        // Its doc quotes them.
        _ => doc.split('"').skip(1).step_by(2).map(String::from).collect(),
    }
}

/// Settings of some constants.
fn settings() -> impl Strategy<Value = Vec<String>> {
    let all: Vec<(String, Vec<String>)> = (constants().iter())
        .filter(|constant| !WRONG.contains(&&*constant.name))
        .map(|constant| (constant.name.clone(), values(constant)))
        .filter(|(_, values)| !values.is_empty())
        .collect();
    prop::collection::vec(any::<(Index, Index)>(), 0..12).prop_map(move |chosen| {
        let setting = |(constant, value): &(Index, Index)| {
            let (name, values) = constant.get(&all);
            format!("{name}={}", value.get(values))
        };
        chosen.iter().map(setting).collect()
    })
}

/// Launches of one kernel that do different things, as a trace may have them.
fn launches(seed: u64) -> Workload {
    let commands = [seed, seed + 1].into_iter().flat_map(|seed| workload(seed).commands);
    Workload { name: "test".into(), commands: commands.collect() }
}

#[test]
fn any_machine_is_sound() {
    let given = ProptestConfig::default();
    let cases = if std::env::var("PROPTEST_CASES").is_ok() { given.cases } else { 100 };
    let config = ProptestConfig {
        cases,
        source_file: Some(file!()),
        test_name: Some("any_machine_is_sound"),
        ..given
    };
    let (designs, ran) = (designs(), AtomicUsize::new(0));
    let any = (settings(), any::<Index>(), 0..1000u64);
    let result = TestRunner::new(config).run(&any, |(settings, design, seed)| {
        let design = *design.get(&designs);
        let settings: Vec<String> = SMALL.map(String::from).into_iter().chain(settings).collect();
        // Most that is impossible is impossible by itself.
        let Ok(config) = Config::load(None, &settings) else { return Ok(()) };
        let run = |every_cycle| try_run(&launches(seed), design, &config, every_cycle);
        match run(false) {
            Ok(statistics) => {
                ran.fetch_add(1, Ordering::Relaxed);
                let same = run(true).ok().as_ref() == Some(&statistics);
                prop_assert!(same, "{design} {settings:?}: cycles that are passed over show");
                prop_assert!(statistics.is_sound(), "{design} {settings:?}: {:?}", statistics.errors);
            }
            Err(error @ (SmError::Stuck { .. } | SmError::Trace(_))) => {
                prop_assert!(false, "{design} {settings:?}: {error}")
            }
            // There is no such machine, or no room in it.
            Err(_) => {}
        }
        Ok(())
    });
    assert!(result.is_ok(), "{}", result.unwrap_err());
    let ran = ran.into_inner();
    assert!(ran > cases as usize / 4, "{ran} of {cases} machines are possible");
}

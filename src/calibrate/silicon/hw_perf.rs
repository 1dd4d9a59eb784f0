// SPDX-License-Identifier: Apache-2.0
//! The table of kernels on a Quadro GV100 that comes with Accel-Sim, read as it is.

use std::collections::BTreeMap;

use anyhow::{anyhow, bail, Context, Result};
use serde::Deserialize;

use super::measured::{Card, Launch, Measured, Measurements, Place};

/// For those who do not have it.
pub const WHERE: &str = "Accel-Sim's is util/accelwattch/accelwattch_hw_profiler/hw_perf.csv of \
                         https://github.com/accel-sim/accel-sim-framework";

/// Facts that it does not say of itself.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Described {
    card: Card,
    program: Vec<Program>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Program {
    benchmark: String,
    suite: String,
    program: String,
    input: String,
    trace: Option<String>,
    not_run: Option<String>,
}

fn described() -> Described {
    toml::from_str(include_str!("hw_perf.toml")).expect("the embedded file is valid")
}

/// One line is the mean of all launches of a kernel.
pub fn parse(text: &str) -> Result<Measurements> {
    let Described { card, program: programs } = described();
    let programs: BTreeMap<_, _> = programs.into_iter().map(|p| (p.benchmark.clone(), p)).collect();
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers().context("line 1: the names of the columns cannot be read")?.clone();
    let column = |name: &str| {
        header.iter().position(|column| column == name).ok_or_else(|| {
            anyhow!("line 1: there is no column {name}; a file of your own measurements is TOML: see `gpurf calibrate --help`")
        })
    };
    let (benchmark, kernel, cycles) = (column("Benchmark")?, column("Kernel")?, column("Elapsed_Cycles")?);
    let mut kernels = vec![];
    for record in reader.records() {
        let record = record?;
        let line = record.position().map_or(0, |position| position.line());
        let name = &record[benchmark];
        let (suite, program, input, place) = match programs.get(name) {
            Some(Program { suite, program, input, trace, not_run, .. }) => {
                let place = Place::of(trace.clone(), None, None, not_run.clone())?;
                (suite.clone(), program.clone(), input.clone(), place)
            }
            None => {
                let reason = "this version of gpurf does not know the program's input";
                ("other".into(), name.into(), String::new(), Place::NotRun(reason.into()))
            }
        };
        let Ok(cycles) = record[cycles].parse::<f64>() else {
            bail!("line {line}: Elapsed_Cycles is `{}`, which is no number", &record[cycles]);
        };
        let kernel = record[kernel].to_string();
        kernels.push(Measured { suite, program, input, kernel, launch: Launch::Mean, cycles, place });
    }
    Ok(Measurements { card, kernels })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_kernels_of_programs_that_are_known_or_not() {
        // The numbers are made up.
        let text = "Benchmark,Kernel,L1_RH,Elapsed_Cycles\nb+tree-rodinia-3.1,findK,1.0,100.5\n\
                    parboil-sad,_Z11mb_sad_calcPtS_ii,0.0,7\nmystery,k,0,1\n";
        let Measurements { card, kernels } = parse(text).unwrap();
        assert!(card.caches_emptied && card.machine == "qv100");
        assert_eq!((kernels[0].program.as_str(), kernels[0].cycles), ("b+tree", 100.5));
        assert_eq!(kernels[0].place, Place::Trace("b+tree".into()));
        let reason = |at: usize| match &kernels[at].place {
            Place::NotRun(reason) => reason.clone(),
            place => panic!("{place:?}"),
        };
        assert!(reason(1).contains("Parboil") && reason(2).contains("does not know"));
    }

    #[test]
    fn a_file_that_is_another_one_is_refused_by_line() {
        for (text, part) in [
            ("a,b\n1,2\n", "column Benchmark"),
            ("Benchmark,Kernel,Elapsed_Cycles\nhistogram,k,many\n", "line 2: Elapsed_Cycles is `many`"),
            ("Benchmark,Kernel,Elapsed_Cycles\nhistogram,k\n", "line: 2"),
        ] {
            let error = format!("{:#}", parse(text).unwrap_err());
            assert!(error.contains(part), "{error}");
        }
    }
}

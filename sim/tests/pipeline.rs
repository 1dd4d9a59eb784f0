// SPDX-License-Identifier: Apache-2.0
//! Reports to listeners of the instructions' way through the pipeline.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};

use gpurf_sim::config::Config;
use gpurf_sim::engines::Engines;
use gpurf_sim::sm::{Design, Gpu, PipelineInstruction, PipelineListener, Stage};
use gpurf_sim::statistics::Statistics;
use gpurf_trace::{Reuse, Workload};
use gpurf_workloads::suite::{named, Size};
use gpurf_workloads::{Device, Options};

use crate::streams::{header, kernel, ALL, EXIT};

/// An instruction, and in which cycle it entered which stage.
#[derive(Clone, Debug, Default)]
struct Way {
    text: String,
    sub_core: usize,
    pc: u32,
    /// Kernel, block and warp.
    warp: (String, [u32; 3], u16),
    begin: u64,
    stages: Vec<(u64, Stage)>,
    end: Option<u64>,
}

impl Way {
    fn enters(&self, stage: Stage) -> Option<u64> {
        self.stages.iter().find(|(_, entered)| *entered == stage).map(|(cycle, _)| *cycle)
    }

    /// The cycle in which it enters its collector.
    fn issue(&self) -> u64 {
        self.enters(Stage::Bank).or(self.enters(Stage::Collect)).expect("it is issued")
    }
}

/// Ways of instructions, and where those under way are among them, by serial.
type Ways = (Vec<Way>, HashMap<u32, usize>);

#[derive(Clone, Default)]
struct Record(Arc<Mutex<Ways>>);

impl PipelineListener for Record {
    fn begin(&mut self, cycle: u64, instruction: &PipelineInstruction) {
        let (ways, places) = &mut *self.0.lock().unwrap();
        assert!(places.insert(instruction.serial, ways.len()).is_none(), "it begins once");
        ways.push(Way {
            text: instruction.text.into(),
            sub_core: instruction.sub_core,
            pc: instruction.pc,
            warp: (instruction.kernel.into(), instruction.block, instruction.warp),
            begin: cycle,
            ..Way::default()
        });
    }

    fn enter(&mut self, cycle: u64, serial: u32, stage: Stage) {
        let (ways, places) = &mut *self.0.lock().unwrap();
        ways[places[&serial]].stages.push((cycle, stage));
    }

    fn end(&mut self, cycle: u64, serial: u32) {
        let (ways, places) = &mut *self.0.lock().unwrap();
        assert!(ways[places[&serial]].end.replace(cycle).is_none(), "it ends once");
    }
}

fn run(workload: &Workload, config: &Config, design: Design, listened: bool) -> (Statistics, Vec<Way>) {
    let mut gpu = Gpu::new(config, design, 1, Engines::models(config, design, 1));
    let record = Record::default();
    if listened {
        gpu.listen(Box::new(record.clone()));
    }
    gpu.run(workload, Some(&Reuse::default())).unwrap();
    let (ways, _) = record.0.lock().unwrap().clone();
    (gpu.statistics("model", 0), ways)
}

/// With one source that is read from its bank, an instruction is in its collector as long as the operand
/// stage says; a second source in the same bank waits for the first for a cycle.
#[test]
fn the_stages_of_a_lone_warp() {
    const SWITCHES: [&str; 3] = ["grant_at_issue", "issue_on_dispatch", "dispatch_on_arrival"];
    // Two banks: even and odd registers.
    let lines = vec![("FADD", Some(1), &[2][..], ALL, &[][..]), ("FADD", Some(5), &[4, 6], ALL, &[]), EXIT];
    let workload = kernel(header(32), &[vec![lines]]);
    for fast in 0..=SWITCHES.len() {
        let settings = SWITCHES.iter().enumerate().map(|(place, name)| format!("{name}={}", place < fast));
        let config = Config::default().with(&settings.collect::<Vec<_>>()).unwrap();
        let (_, ways) = run(&workload, &config, Design::BASELINE, true);
        let [one, two, exit] = &ways[..] else { panic!("{ways:?}") };
        assert_eq!((&*one.text, &*two.text, &*exit.text), ("FADD R1 <- R2", "FADD R5 <- R4 R6", "EXIT"));

        // Until a collector can be taken in the cycle of its dispatch, that cycle counts.
        let hold = (4 - fast as u64) - u64::from(fast < 2);
        let grant = u64::from(fast == 0);
        for (way, more) in [(one, 0), (two, 1)] {
            let issue = way.issue();
            let reads = way.enters(Stage::Collect).unwrap();
            assert_eq!(way.enters(Stage::Bank).is_some(), grant + more > 0, "{fast}: {way:?}");
            assert_eq!(reads - issue, grant + more, "{fast}: {way:?}");
            assert_eq!(way.enters(Stage::Execute).unwrap() - issue, hold + more, "{fast}: {way:?}");
            // One result, and nobody else wants its bank.
            assert_eq!(way.end, way.enters(Stage::WriteBack), "{fast}: {way:?}");
        }
        assert_eq!(exit.enters(Stage::WriteBack), None);
        assert!(two.begin == one.issue() && exit.begin == two.issue());
    }
}

/// In every design: whatever is issued is told of, once, in order, and telling changes nothing.
#[test]
fn every_instruction_of_every_design() {
    let mut device = Device::new(Options { digests: true, ..Options::default() });
    (named("bfs").unwrap().run)(&mut device, Size::Small).unwrap();
    let workload = device.into_workload("bfs");
    // Without collectors an instruction shows no stage between the head of its buffer and its unit.
    for design in Design::every().filter(|design| !design.reads_in_window()) {
        let config = Config::default();
        let (statistics, ways) = run(&workload, &config, design, true);
        let (unheard, _) = run(&workload, &config, design, false);
        assert_eq!(serde_json::to_string(&statistics).unwrap(), serde_json::to_string(&unheard).unwrap());
        assert_eq!(ways.len() as u64, statistics.summary.counters.warp_instructions, "{design}");

        let (mut issues, mut dispatches) = (HashSet::new(), HashSet::new());
        let mut last = HashMap::new();
        for way in &ways {
            let context = || format!("{design}: {way:?}");
            let cycles: Vec<u64> = way.stages.iter().map(|(cycle, _)| *cycle).chain(way.end).collect();
            assert!(way.begin <= cycles[0] && cycles.is_sorted(), "{}", context());
            assert!(way.stages.is_sorted_by(|(_, a), (_, b)| a < b), "{}", context());
            assert!(way.end.is_some() && way.enters(Stage::Ready).is_some(), "{}", context());
            assert!(way.enters(Stage::Collect).is_some(), "{}", context());
            assert!(issues.insert((way.sub_core, way.issue())), "two issues in a cycle: {}", context());
            if let Some(cycle) = way.enters(Stage::Execute) {
                let is_first = dispatches.insert((way.sub_core, cycle));
                assert!(is_first, "two dispatches in a cycle: {}", context());
            }
            // An instruction comes to the head of the buffer when the one before it has left it.
            match last.insert(way.warp.clone(), way.issue()) {
                // From a latch it enters its collector later.
                Some(before) if way.pc != 0 && design.has_latches() => {
                    assert!(way.begin <= before, "{}", context());
                }
                Some(before) if way.pc != 0 => assert_eq!(way.begin, before, "{}", context()),
                _ => {}
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
//! Runs that are saved at random cycles and taken up by another SM end as one that was not interrupted.

use std::io::ErrorKind;

use fastrand::Rng;
use gpurf_sim::config::Config;
use gpurf_sim::engines::Engines;
use gpurf_sim::sm::{Design, Gpu, Sampling};
use gpurf_sim::statistics::Statistics;
use gpurf_trace::{Command, Reuse, Workload};
use gpurf_workloads::suite::{named, Size};
use gpurf_workloads::{Device, Options};

/// Cycles at which each run is saved.
const SAVES: usize = 10;

fn workload(name: &str) -> Workload {
    let mut device = Device::new(Options { digests: true, ..Options::default() });
    (named(name).unwrap().run)(&mut device, Size::Small).unwrap_or_else(|error| panic!("{error}"));
    device.into_workload(name)
}

/// One machine, design and way to draw blocks.
struct Run {
    config: Config,
    design: Design,
    sampling: Option<Sampling>,
}

impl Run {
    fn new(design: &str, settings: &[&str]) -> Run {
        let settings: Vec<String> = settings.iter().map(|setting| setting.to_string()).collect();
        Run {
            config: Config::load(None, &settings).unwrap(),
            design: design.parse().unwrap(),
            sampling: None,
        }
    }

    fn gpu(&self) -> Gpu<gpurf_sim::engines::SubCoreEngine> {
        let mut gpu = Gpu::new(&self.config, self.design, 7, Engines::models(&self.config, self.design, 7));
        if let Some(sampling) = self.sampling {
            gpu.sample(sampling);
        }
        gpu
    }

    /// Stopped at each of these cycles, to go on in another one.
    fn interrupted(&self, workload: &Workload, cycles: &[u64]) -> Statistics {
        let reuse = Some(Reuse::default());
        let mut gpu = self.gpu();
        let mut cycles = cycles.iter().copied().peekable();
        for command in &workload.commands {
            let kernel = match command {
                Command::MemcpyHtoD { address, bytes } => {
                    gpu.copy_to_device(*address, *bytes);
                    continue;
                }
                Command::Kernel(kernel) => kernel,
            };
            gpu.launch(kernel, reuse.as_ref()).unwrap();
            while gpu.advance(cycles.peek().copied().unwrap_or(u64::MAX)).unwrap() {
                if cycles.next_if(|&cycle| cycle <= gpu.cycles()).is_some() {
                    let state = gpu.save().unwrap();
                    gpu = self.gpu();
                    gpu.restore(&state, Some((kernel, reuse.as_ref()))).unwrap();
                }
            }
            // Between two kernels too.
            let state = gpu.save().unwrap();
            gpu = self.gpu();
            gpu.restore(&state, None).unwrap();
            while cycles.next_if(|&cycle| cycle <= gpu.cycles()).is_some() {}
        }
        gpu.statistics("model", 0)
    }

    fn check(&self, workload: &Workload) {
        let whole = {
            let mut gpu = self.gpu();
            gpu.run(workload, Some(&Reuse::default())).unwrap();
            gpu.statistics("model", 0)
        };
        assert!(whole.is_sound(), "{:?}", whole.errors);
        let mut random = Rng::with_seed(1);
        let last = whole.summary.counters.cycles;
        let mut cycles: Vec<u64> = (0..SAVES).map(|_| random.u64(1..last)).collect();
        cycles.sort_unstable();
        let name = self.design.name();
        assert_eq!(self.interrupted(workload, &cycles), whole, "{name}, saved at {cycles:?}");
    }
}

#[test]
fn malekeh_goes_on_as_it_was() {
    Run::new("malekeh", &["sms=2"]).check(&workload("bfs"));
}

#[test]
fn bypassing_collectors_go_on_as_they_were() {
    Run::new("bow", &[]).check(&workload("backprop"));
}

#[test]
fn finereg_goes_on_as_it_was() {
    Run::new("finereg", &["sms=2", "l2.shared=true"]).check(&workload("lud"));
}

#[test]
fn multicasting_goes_on_as_it_was() {
    Run::new("traditional+iwma", &[]).check(&workload("sgemm"));
}

#[test]
fn register_caches_go_on_as_they_were() {
    Run::new("rfc", &[]).check(&workload("hotspot"));
}

#[test]
fn fetched_intervals_go_on_as_they_were() {
    Run::new("ltrf", &["slots=3"]).check(&workload("bfs"));
}

#[test]
fn renamed_registers_go_on_as_they_were() {
    Run::new("darsie", &[]).check(&workload("sgemm"));
}

#[test]
fn control_bits_go_on_as_they_were() {
    Run::new("modern", &["sms=2"]).check(&workload("bfs"));
    Run::new("modern+dependences=scoreboard", &[]).check(&workload("hgemm"));
}

#[test]
fn a_sample_goes_on_as_it_was() {
    let sampling = Some(Sampling { every: 4, seed: 3 });
    Run { sampling, ..Run::new("malekeh-gto", &[]) }.check(&workload("stencil"));
}

#[test]
fn what_is_no_state_is_refused() {
    let run = Run::new("baseline", &[]);
    let mut gpu = run.gpu();
    let state = gpu.save().unwrap();
    assert!(gpu.restore(&state[..state.len() - 1], None).is_err());
    struct Mute;
    impl gpurf_blocks::Clocked for Mute {
        type In = gpurf_blocks::ports::SubCoreIn<u32>;
        type Out = gpurf_blocks::ports::SubCoreOut<u32>;
        fn settle(&mut self, _: &Self::In) -> Self::Out {
            Default::default()
        }
        fn tick(&mut self) {}
    }
    impl gpurf_sim::engines::RunsSubCore for Mute {}
    let gpu = Gpu::new(&run.config, run.design, 1, Engines::around(&run.config, run.design, |_| Mute));
    assert_eq!(gpu.save().unwrap_err().kind(), ErrorKind::Unsupported);
}

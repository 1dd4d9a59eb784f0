// SPDX-License-Identifier: Apache-2.0
//! Small designs through the real Yosys and the real cell library.
//!
//! Skipped, with a note, where Yosys is missing or the library cannot be fetched.

use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;
use std::time::{SystemTime, UNIX_EPOCH};
use std::{fs, iter};

use gpurf_blocks::Parameters;
use gpurf_hw::issue::IssueStage;
use gpurf_synth::{
    nangate, synthesize, synthesize_all, Event, Job, Library, Options, Structure, Synthesis, YosysStep,
};
use gpurf_verilog::tools::Tool;
use gpurf_verilog::{cache, emit};

/// Options on the default library, or `None` after saying why not.
#[track_caller]
fn options() -> Option<Options> {
    let ready = Tool::Yosys.find().map_err(anyhow::Error::from).and_then(|_| nangate::liberty());
    match ready.and_then(|path| Library::read(&path)) {
        Ok(library) => Some(Options::new(library)),
        Err(error) => {
            gpurf_fixtures::skipped(format!("{error:#}"));
            None
        }
    }
}

const ACCUMULATOR: &str = "
    module register_w8(input clock, input reset, input enable, input [7:0] d, output reg [7:0] q);
      always @(posedge clock) if (reset) q <= 8'd0; else if (enable) q <= d;
    endmodule
    module accumulator(input clock, input reset, input enable, input [7:0] a, output [7:0] sum, output [7:0] last);
      register_w8 total(.clock(clock), .reset(reset), .enable(enable), .d(sum + a), .q(sum));
      register_w8 held(.clock(clock), .reset(1'b0), .enable(enable), .d(a), .q(last));
    endmodule";

#[test]
fn an_accumulator_has_sixteen_flip_flops() {
    let Some(options) = options() else { return };
    let synthesis = synthesize(Job::new(ACCUMULATOR, "accumulator"), &options).unwrap();
    let area = |cell: &str| options.library.cells[cell].area;

    assert_eq!(synthesis.flip_flops, 16);
    assert_eq!(synthesis.gate_equivalent_um2, 0.798);
    let by_type = synthesis.cells_by_type.iter().map(|(cell, count)| *count as f64 * area(cell));
    assert!((synthesis.area_um2 - by_type.sum::<f64>()).abs() < 1e-6);
    assert!((synthesis.gate_equivalents - synthesis.area_um2 / 0.798).abs() < 1e-6);
    assert!((synthesis.flip_flop_area_um2 - 16.0 * area("DFF_X1")).abs() < 1e-6, "{synthesis:?}");
    assert!(synthesis.logic_depth >= 4, "an eight-bit adder in {} levels", synthesis.logic_depth);
    if Tool::Sta.find().is_ok() {
        let path = synthesis.longest_path_ns.unwrap();
        assert!((0.1..2.0).contains(&path), "{path} ns");
    }

    // The hierarchy: the top, then one entry for the two registers.
    let modules: Vec<_> =
        synthesis.modules.iter().map(|module| (&module.module[..], module.instances)).collect();
    assert_eq!(modules, [("accumulator", 1), ("register_w8", 2)]);
    let (top, register) = (&synthesis.modules[0], &synthesis.modules[1]);
    assert_eq!((top.flip_flops, register.flip_flops), (16, 8));
    assert!((top.area_um2 - top.own_area_um2 - 2.0 * register.area_um2).abs() < 1e-6);
}

#[test]
fn clock_gates_replace_multiplexers() {
    let Some(mut options) = options() else { return };
    options.clock_gating = true;
    let synthesis = synthesize(Job::new(ACCUMULATOR, "accumulator"), &options).unwrap();
    let gates: u64 =
        synthesis.cells_by_type.iter().filter(|(cell, _)| cell.starts_with("CLKGATE")).map(|(_, n)| n).sum();
    assert_eq!((synthesis.flip_flops, gates), (16, 2));
}

#[test]
fn memories_stay_memories() {
    let Some(options) = options() else { return };
    let source = "
        module memory(input clock, input enable, input write, input [7:0] address, input [31:0] d, output reg [31:0] q);
          reg [31:0] rows [0:255];
          always @(posedge clock) if (enable) begin if (write) rows[address] <= d; else q <= rows[address]; end
        endmodule
        module banks(input clock, input enable, input write, input [7:0] address, input [31:0] d, output [31:0] a, output [31:0] b);
          memory first(clock, enable, write, address, d, a);
          memory second(clock, enable, !write, address, d, b);
        endmodule";
    let synthesis = synthesize(Job::new(source, "banks"), &options).unwrap();
    assert_eq!((synthesis.memory_bits, synthesis.flip_flops), (2 * 256 * 32, 0));
    assert!(synthesis.area_um2 < 100.0, "{} µm²", synthesis.area_um2);
    assert_eq!(
        synthesis.modules.iter().find(|module| module.module == "memory").unwrap().memory_bits,
        256 * 32
    );
}

#[test]
fn latches_loops_and_errors_are_named() {
    let Some(options) = options() else { return };
    let latch = "module latch(input open, input d, output reg q); always @* if (open) q = d; endmodule";
    let wrong = "module wrong(input a, output b); assign b = missing(a); endmodule";
    let undriven = "module undriven(input a, output b); wire c; assign b = a & c; endmodule";
    let jobs = [("latch", latch), ("wrong", wrong), ("undriven", undriven)];
    let jobs = jobs.map(|(top, source)| Job::new(source, top));
    for (job, result) in jobs.iter().zip(synthesize_all(&jobs, &options, |_| {})) {
        let message = format!("{:#}", result.unwrap_err());
        assert!(message.starts_with(&format!("{}: Yosys failed; its log is ", job.top)), "{message}");
        assert!(message.contains("ERROR"), "{message}");
        let log = message.split_once("its log is ").unwrap().1.split_once(", which").unwrap().0;
        let folder = std::path::Path::new(log).parent().unwrap();
        assert!(folder.join("design.v").exists());
        std::fs::remove_dir_all(folder).unwrap();
    }
}

#[test]
fn a_missing_library_is_named() {
    let error = Library::read("no/such.lib".as_ref()).unwrap_err();
    assert!(format!("{error:#}").starts_with("no/such.lib: the Liberty file cannot be read"));
}

#[test]
fn a_run_is_not_repeated_until_something_changes() {
    let Some(mut options) = options() else { return };
    // Nobody has synthesized this text before.
    let source = format!("{ACCUMULATOR} // {:?}", std::time::SystemTime::now());
    let job = Job::new(&source, "accumulator");
    let (first, again) = (synthesize(job, &options).unwrap(), synthesize(job, &options).unwrap());
    assert_eq!(format!("{first:?}"), format!("{again:?}"), "even the time it took is that of the first run");
    options.delay_target_ps += 1;
    assert_ne!(synthesize(job, &options).unwrap().seconds, first.seconds, "another target is another run");
}

/// Yosys's result for a design whose hierarchy it keeps, all of it in one run: area in µm², and cells.
fn kept_in_one_run(source: &str, top: &str, options: &Options) -> (f64, u64) {
    let folder = tempfile::tempdir().unwrap();
    let liberty = options.library.path.display();
    fs::write(folder.path().join("design.v"), source).unwrap();
    fs::write(folder.path().join("constraints"), "set_driving_cell BUF_X1\nset_load 10\n").unwrap();
    let script = format!(
        "read_verilog -sv design.v; hierarchy -check -top {top}; proc; synth -run coarse:fine; opt -fast -full; \
         opt -full; techmap; opt -fast; dfflibmap -liberty {liberty}; \
         abc -liberty {liberty} -constr constraints -D 2000; setundef -zero; opt_clean -purge; \
         read_liberty -lib -ignore_miss_func {liberty}; tee -o area stat -liberty {liberty} -top {top}; \
         flatten; delete t:$scopeinfo; tee -o cells stat -top {top}"
    );
    let mut yosys = Command::new(Tool::Yosys.find().unwrap());
    let output = yosys.args(["-q", "-p", &script]).current_dir(&folder).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let number = |file: &str, before: &str| -> f64 {
        let text = fs::read_to_string(folder.path().join(file)).unwrap();
        let line = text.lines().rfind(|line| line.contains(before)).unwrap_or_else(|| panic!("{text}"));
        line.split_whitespace().find_map(|word| word.parse().ok()).unwrap()
    };
    // "Number of cells: 104", or "104 cells".
    (number("area", "Chip area"), number("cells", "cells") as u64)
}

fn by_module<'a>(source: &'a str, top: &'a str) -> Job<'a> {
    Job { structure: Structure::Kept, ..Job::new(source, top) }
}

#[test]
fn the_sum_by_modules_is_that_of_a_kept_hierarchy() {
    let Some(options) = options() else { return };
    let stage = emit(&IssueStage::<2>::new(&Parameters::default())).unwrap();
    for (source, top) in [(ACCUMULATOR, "accumulator"), (&stage.source(), &stage.top)] {
        let synthesis = synthesize(by_module(source, top), &options).unwrap();
        let (area_um2, cells) = kept_in_one_run(source, top, &options);
        // Names that Yosys makes up are numbered on through a run, and ABC decides ties by them: the same
        // module becomes a little larger or smaller with what else is in the run. Here that is no logic with
        // such ties.
        if top == "accumulator" {
            assert!(
                (synthesis.area_um2 - area_um2).abs() < 1e-3,
                "{} and {area_um2} µm²",
                synthesis.area_um2
            );
            assert_eq!(synthesis.cells, cells);
        }
        let apart = synthesis.area_um2 / area_um2 - 1.0;
        assert!(apart.abs() < 0.05, "{top}: {} and {area_um2} µm²", synthesis.area_um2);
        assert_eq!(synthesis.area_um2, synthesis.modules[0].area_um2, "{top}");
        assert_eq!(synthesis.cells_by_type.values().sum::<u64>(), synthesis.cells, "{top}");
        let flattened = synthesize(Job::new(source, top), &options).unwrap();
        assert_eq!(
            flattened.modules[0].area_um2, synthesis.area_um2,
            "{top}: the flattened one has the same modules"
        );
        assert_eq!(flattened.flip_flops, synthesis.flip_flops, "{top}");
        assert!(synthesis.logic_depth > 0, "{top}");
        if Tool::Sta.find().is_ok() {
            let (path, joined) = (flattened.longest_path_ns.unwrap(), synthesis.longest_path_ns.unwrap());
            assert!((0.5..2.0).contains(&(joined / path)), "{top}: {joined} and {path} ns");
        }
    }
}

/// Three levels; `leaf` and `middle` stand twice in what is above them. Nobody has synthesized modules of
/// these names before.
struct Levels {
    end: u128,
}

impl Levels {
    fn new() -> Self {
        Levels { end: SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() }
    }

    fn name(&self, module: &str) -> String {
        format!("{module}_{}", self.end)
    }

    fn top(&self) -> String {
        self.name("top")
    }

    fn source(&self, leaf: &str) -> String {
        let [leaf_name, middle, top] = ["leaf", "middle", "top"].map(|module| self.name(module));
        format!(
            "module {leaf_name}(input clock, input [3:0] a, output reg [3:0] b); {leaf} endmodule
             module {middle}(input clock, input [3:0] a, output [3:0] b);
               wire [3:0] c; {leaf_name} first(clock, a, c); {leaf_name} second(clock, a ^ c, b);
             endmodule
             module {top}(input clock, input [3:0] a, output [3:0] b, output [3:0] c);
               {middle} first(clock, a, b); {middle} second(clock, a & b, c);
             endmodule"
        )
    }

    /// Files that are kept of these modules.
    fn kept(&self) -> Vec<PathBuf> {
        let files = fs::read_dir(cache::folder()).unwrap().map(|file| file.unwrap().path());
        files.filter(|file| file.to_string_lossy().contains(&self.end.to_string())).collect()
    }
}

impl Drop for Levels {
    fn drop(&mut self) {
        self.kept().into_iter().for_each(|file| fs::remove_file(file).unwrap());
    }
}

const ADDER: &str = "always @(posedge clock) b <= b + a;";

/// Syntheses, and the runs of Yosys that were needed: kinds of module as in the names of [`Levels`].
fn watched(jobs: &[Job], options: &Options) -> (Vec<Synthesis>, Vec<(String, YosysStep)>) {
    let (begun, needed, ended) = (Mutex::new(vec![]), Mutex::new(0), Mutex::new(0));
    let results = synthesize_all(jobs, options, |event| match event {
        Event::Needed(runs) => *needed.lock().unwrap() += runs,
        Event::Begins(top, step) => {
            begun.lock().unwrap().push((top.split('_').next().unwrap().to_string(), step));
        }
        Event::Ends(..) | Event::Known(..) => *ended.lock().unwrap() += 1,
    });
    assert_eq!(needed.into_inner().unwrap(), ended.into_inner().unwrap(), "runs that were announced");
    let mut begun = begun.into_inner().unwrap();
    begun.sort_by_key(|(top, step)| (*step as u8, top.clone()));
    (results.into_iter().map(Result::unwrap).collect(), begun)
}

fn runs(modules: &[&str], step: YosysStep) -> Vec<(String, YosysStep)> {
    modules.iter().map(|module| (module.to_string(), step)).collect()
}

#[test]
fn a_module_is_mapped_once_and_anew_when_it_changes() {
    let Some(options) = options() else { return };
    let levels = Levels::new();
    let (top, middle) = (levels.top(), levels.name("middle"));
    let source = levels.source(ADDER);
    // Two designs: the second is in the first.
    let jobs = [by_module(&source, &top), by_module(&source, &middle)];
    let (first, begun) = watched(&jobs, &options);
    let all = runs(&["leaf", "middle", "top"], YosysStep::Module);
    assert_eq!(begun, [all.clone(), runs(&["middle", "top"], YosysStep::Composed)].concat());
    assert_eq!(first[0].modules.iter().map(|module| module.instances).collect::<Vec<_>>(), [1, 2, 4]);
    assert_eq!([first[0].flip_flops, first[1].flip_flops], [16, 8]);
    assert_eq!(first[1].area_um2, first[0].modules[1].area_um2);

    let (again, begun) = watched(&jobs, &options);
    assert_eq!(format!("{first:?}"), format!("{again:?}"), "even the time it took is that of the first run");
    assert_eq!(begun, []);

    let flattened = watched(&[Job::new(&source, &top)], &options).1;
    assert_eq!(flattened, runs(&["top"], YosysStep::Flattened), "its modules are known");
    let leaf = watched(&[Job::new(&source, &levels.name("leaf"))], &options).1;
    assert_eq!(leaf, runs(&["leaf"], YosysStep::Composed), "nothing lies below it that would be flattened");

    let commented = source.replace("endmodule\n", "endmodule // nothing new\n/* or\n here */\n");
    assert_eq!(watched(&[by_module(&commented, &top)], &options).1, []);

    let changed = levels.source("always @(posedge clock) b <= b + a + 4'd3;");
    let (other, begun) = watched(&[by_module(&changed, &top)], &options);
    assert_eq!(begun, [runs(&["leaf"], YosysStep::Module), runs(&["top"], YosysStep::Composed)].concat());
    assert_ne!(other[0].area_um2, first[0].area_um2);

    let options = Options { delay_target_ps: 1999, ..options };
    let begun = watched(&jobs[..1], &options).1;
    assert_eq!(begun[..3], all, "another target; joining them is known if they come out the same");
}

#[test]
fn what_is_damaged_is_made_again() {
    let Some(options) = options() else { return };
    let levels = Levels::new();
    let (top, source) = (levels.top(), levels.source(ADDER));
    let jobs = [by_module(&source, &top), Job::new(&source, &top)];
    let (first, all) = watched(&jobs, &options);
    assert_eq!(all.len(), 5);
    for file in levels.kept() {
        let mut bytes = fs::read(&file).unwrap();
        let half = bytes.len() / 2;
        bytes[half] = bytes[half].wrapping_add(1);
        fs::write(&file, bytes).unwrap();
        let (again, begun) = watched(&jobs, &options);
        assert_eq!(begun.len(), 1, "{}", file.display());
        assert!(file.to_string_lossy().contains(&begun[0].0), "{} is not {begun:?}", file.display());
        let areas =
            |all: &[Synthesis]| all.iter().map(|one| (one.area_um2, one.longest_path_ns)).collect::<Vec<_>>();
        assert_eq!(areas(&first), areas(&again));
    }
    assert_eq!(watched(&jobs, &options).1, []);
}

#[test]
fn an_error_in_a_module_is_that_of_all_designs_with_it() {
    let Some(options) = options() else { return };
    let source = "module latch(input a, input b, output reg c); always @* if (a) c = b; endmodule
        module one(input a, input b, output c); latch in(a, b, c); endmodule
        module two(input a, input b, output c); latch in(a, b, c); endmodule
        module fine(input a, output b); assign b = !a; endmodule";
    let jobs = ["one", "two", "fine"].map(|top| by_module(source, top));
    let results = synthesize_all(&jobs, &options, |_| {});
    for (result, top) in iter::zip(&results, ["one", "two"]) {
        let message = format!("{:#}", result.as_ref().unwrap_err());
        assert!(message.starts_with(&format!("{top}: latch: Yosys failed; its log is ")), "{message}");
    }
    let message = format!("{:#}", results[0].as_ref().unwrap_err());
    let log = message.split_once("its log is ").unwrap().1.split_once(", which").unwrap().0;
    fs::remove_dir_all(PathBuf::from(log).parent().unwrap()).unwrap();
    assert_eq!(results[2].as_ref().unwrap().cells, 1);
}

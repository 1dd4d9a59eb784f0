//! Small designs through the real Yosys and the real cell library.
//!
//! Skipped, with a note, where Yosys is missing or the library cannot be fetched.

use gpurf_synth::{nangate, synthesize, synthesize_all, Job, Library, Options};
use gpurf_verilog::tools::Tool;

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

// SPDX-License-Identifier: Apache-2.0
//! Energies of small netlists against numbers worked out by hand, and against OpenSTA.
//!
//! Skipped, with a note, where Yosys is missing; those on the real library where it cannot be fetched.

use gpurf_blocks::{Field, PortLayout, PortName};
use gpurf_synth::power::{opensta, saif, Chances, Meter, Setting};
use gpurf_synth::{nangate, prove, Activity, Circuit, Gates, Job, Library, Netlist, Options, LOAD_FF};
use gpurf_verilog::tools::Tool;
use gpurf_verilog::{Hierarchy, Port, Style, VerilogModule};

const STAGES: usize = 8;

/// A chain of registers: each takes over what the one before it holds.
const CHAIN: &str = "
    module chain(input clock, input data, output reg [7:0] q);
      always @(posedge clock) q <= {q[6:0], data};
    endmodule";

/// A library of round numbers: 2 V, a wire of 2 units for the first pin and one more for each other, 0.5 fF
/// each.
const TOY: &str = r#"
    library (toy) {
      time_unit : "1ns"; voltage_unit : "1V"; leakage_power_unit : "1nW"; capacitive_load_unit (1, ff);
      nom_voltage : 2.0;
      wire_load ("short") { capacitance : 0.5; slope : 1.0; fanout_length (1, 2.0); }
      default_wire_load : "short";
      cell (NAND2_X1) {
        area : 1.0;
        pin (A) { direction : input; capacitance : 1.0; } pin (B) { direction : input; capacitance : 1.0; }
        pin (Y) { direction : output; function : "!(A & B)"; }
      }
      cell (BUF_X1) {
        area : 1.0; pin (A) { direction : input; capacitance : 1.0; }
        pin (Y) { direction : output; function : "A"; }
      }
      cell (DFF_X1) {
        area : 4.0;
        ff ("IQ", "IQN") { next_state : "D"; clocked_on : "CK"; }
        leakage_power () { when : "D"; value : 8.0; }
        leakage_power () { when : "!D"; value : 12.0; }
        pin (D) { direction : input; capacitance : 1.5; }
        pin (CK) {
          direction : input; clock : true; capacitance : 3.0;
          internal_power () { rise_power (scalar) { values ("0.25"); } fall_power (scalar) { values ("0.75"); } }
        }
        pin (Q) {
          direction : output; function : "IQ";
          internal_power () {
            related_pin : "CK"; rise_power (scalar) { values ("4.0"); } fall_power (scalar) { values ("6.0"); }
          }
        }
      }
    }"#;

fn has_yosys() -> bool {
    let found = Tool::Yosys.find();
    found.inspect_err(|error| gpurf_fixtures::skipped(error.to_string())).is_ok()
}

fn real_library() -> Option<Library> {
    let library = nangate::liberty().and_then(|path| Library::read(&path));
    library.inspect_err(|error| gpurf_fixtures::skipped(format!("{error:#}"))).ok()
}

fn mapped(source: &str, top: &str, library: &Library, clock_gating: bool) -> Netlist {
    let options = Options { clock_gating, ..Options::new(library.clone()) };
    Netlist::map(&Job::new(source, top), &options).expect("it is mapped")
}

fn port(name: &str, width: usize, is_input: bool) -> Port {
    Port { name: name.into(), width, count: 1, is_input }
}

fn field(field: &'static str, first_word: usize) -> Field {
    Field { name: PortName { field, index: None }, first_word, words: 1 }
}

fn chain_ports() -> Vec<Port> {
    vec![port("clock", 1, true), port("data", 1, true), port("q", STAGES, false)]
}

/// The activity of the chain's nets over so many cycles of these data; its outputs are checked.
fn run_chain(circuit: &Circuit, cycles: usize, data: impl Fn(usize) -> bool) -> Activity {
    run(circuit, cycles, data, |state, data| (state << 1 | data) & 0xff)
}

fn run(
    circuit: &Circuit,
    cycles: usize,
    data: impl Fn(usize) -> bool,
    next: impl Fn(u32, u32) -> u32,
) -> Activity {
    let mut gates = Gates::new(
        circuit,
        &chain_ports(),
        &PortLayout { inputs: vec![field("data", 0)], outputs: vec![field("q", 0)] },
    )
    .unwrap();
    // The cycle of reset is one with inputs of zero.
    let mut expected = next(0, 0);
    for cycle in 0..cycles {
        let data = u32::from(data(cycle));
        assert_eq!(gates.cycle(&[data]), [expected], "cycle {cycle}");
        expected = next(expected, data);
    }
    gates.activity().clone()
}

fn setting(library: &Library, chances: Chances) -> Setting {
    let wires = library.default_wire_load.as_ref().map(|name| library.wire_loads[name].clone());
    Setting { input_transition_ns: 0.02, output_load_ff: LOAD_FF, wires, chances }
}

fn near(value: f64, expected: f64, part: f64) {
    assert!((value - expected).abs() <= part * expected.abs(), "{value}, and not {expected}");
}

#[test]
fn a_toggling_register_chain_costs_what_a_hand_calculation_says() {
    if !has_yosys() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("toy.lib");
    std::fs::write(&path, TOY).unwrap();
    let library = Library::read(&path).unwrap();
    let netlist = mapped(CHAIN, "chain", &library, false);
    let circuit = netlist.circuit(&library).unwrap();
    assert_eq!(circuit.instances.len(), STAGES);
    let activity = run_chain(&circuit, 4000, |cycle| cycle % 2 == 1);
    let energy = Meter::new(&circuit, &setting(&library, Chances::Counted)).power(&activity).total();

    // In each cycle and stage: the clock pin rises and falls (0.25 + 0.75 fJ), the output changes (5 fJ in
    // the mean).
    near(energy.internal_fj, STAGES as f64 * (1.0 + 5.0), 0.01);
    // Half of load times voltage squared. All but the last drive a D pin and a port of 10 fF over a wire of 3
    // units, the last a port over one of 2. The clock drives eight pins of 3 fF over a wire of 9 units, twice
    // in a cycle.
    let half_square = 0.5 * 2.0 * 2.0;
    let stages = 7.0 * (1.5 + 10.0 + 1.5) + (10.0 + 1.0);
    near(energy.switching_fj, half_square * (stages + 2.0 * (8.0 * 3.0 + 4.5)), 0.01);
    // D is high in half of the cycles.
    near(energy.leakage_nw, STAGES as f64 * 10.0, 0.01);

    // Constant data: only the clock costs something.
    let quiet =
        Meter::new(&circuit, &setting(&library, Chances::Counted))
            .power(&run_chain(&circuit, 1000, |_| false));
    near(quiet.total().internal_fj, STAGES as f64, 1e-9);
    near(quiet.total().switching_fj, half_square * 2.0 * (8.0 * 3.0 + 4.5), 1e-9);
    assert_eq!(quiet.cells().switching_fj, 0.0);
    near(quiet.total().leakage_nw, STAGES as f64 * 12.0, 1e-9);
}

#[test]
fn saif_has_every_net_with_its_changes() {
    if !has_yosys() {
        return;
    }
    let Some(library) = real_library() else { return };
    let netlist = mapped(CHAIN, "chain", &library, false);
    let circuit = netlist.circuit(&library).unwrap();
    let text = saif(&circuit, &run_chain(&circuit, 101, |cycle| cycle % 2 == 1), 2000);
    assert!(text.contains("(DURATION 202000)"), "{text}");
    assert!(text.contains("    (clock (T0 101000) (T1 101000) (TX 0) (TC 200) (IG 0))"), "{text}");
    // Data are high in every second of 101 cycles.
    assert!(text.contains("    (data (T0 102000) (T1 100000) (TX 0) (TC 100) (IG 0))"), "{text}");
    assert!(text.contains("    (q\\[7\\] "), "{text}");
    assert_eq!(text.matches('(').count(), text.matches(')').count());
}

/// An accumulator with an enable: adders, multiplexers and registers.
const ACCUMULATOR: &str = "
    module accumulator(input clock, input reset, input enable, input [15:0] a, output reg [15:0] sum);
      always @(posedge clock) if (reset) sum <= 16'd0; else if (enable) sum <= sum + a;
    endmodule";

fn run_accumulator(circuit: &Circuit, cycles: u32) -> Activity {
    let ports = ["clock", "reset", "enable"].map(|name| port(name, 1, true)).into_iter();
    let ports: Vec<Port> = ports.chain([port("a", 16, true), port("sum", 16, false)]).collect();
    let layout =
        PortLayout { inputs: vec![field("enable", 0), field("a", 1)], outputs: vec![field("sum", 0)] };
    let mut gates = Gates::new(circuit, &ports, &layout).unwrap();
    let mut sum = 0u16;
    let mut random = 12345u32;
    for cycle in 0..cycles {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let (enable, a) = (random >> 31, random >> 8 & 0xffff);
        assert_eq!(gates.cycle(&[enable, a]), [u32::from(sum)], "cycle {cycle}");
        if enable == 1 {
            sum = sum.wrapping_add(a as u16);
        }
    }
    gates.activity().clone()
}

/// The same chain with an inverter between the stages.
const INVERTED: &str = "
    module chain(input clock, input data, output reg [7:0] q);
      always @(posedge clock) q <= {~q[6:0], data};
    endmodule";

/// In these, what OpenSTA makes of the inputs' activity is what every net does.
#[test]
fn opensta_says_the_same_within_five_percent() {
    if !has_yosys() {
        return;
    }
    let Some(library) = real_library() else { return };
    for source in [CHAIN, INVERTED] {
        let netlist = mapped(source, "chain", &library, false);
        let circuit = netlist.circuit(&library).unwrap();
        let activity = match source {
            CHAIN => run_chain(&circuit, 1000, |cycle| cycle % 2 == 1),
            _ => run(&circuit, 1000, |cycle| cycle % 2 == 1, |state, data| (!state << 1 | data) & 0xff),
        };
        let setting = setting(&library, Chances::Independent);
        let ours = Meter::new(&circuit, &setting).power(&activity).cells();
        let Some(theirs) = opensta(&circuit, &activity, &setting, 2.0).unwrap() else {
            return gpurf_fixtures::skipped("there is no OpenSTA");
        };
        println!("ours {ours:?}, OpenSTA {theirs:?}");
        near(ours.switching_fj, theirs.switching_fj, 0.05);
        near(ours.internal_fj, theirs.internal_fj, 0.05);
        near(ours.leakage_nw, theirs.leakage_nw, 0.05);
    }
}

#[test]
fn clock_gates_keep_the_sums_and_spare_the_clock() {
    if !has_yosys() {
        return;
    }
    let Some(library) = real_library() else { return };
    let clock_energy = |clock_gating: bool| {
        let netlist = mapped(ACCUMULATOR, "accumulator", &library, clock_gating);
        let circuit = netlist.circuit(&library).unwrap();
        let activity = run_accumulator(&circuit, 1000);
        let found = Meter::new(&circuit, &setting(&library, Chances::Counted)).power(&activity);
        found.instances.iter().map(|(clock, _)| clock.internal_fj).sum::<f64>() + found.clock.switching_fj
    };
    let (gated, free) = (clock_energy(true), clock_energy(false));
    assert!(gated < 0.8 * free, "{gated} fJ with a gate that is open half of the time, {free} fJ without");
}

fn accumulator() -> Hierarchy {
    let ports = ["clock", "reset"].map(|name| port(name, 1, true)).to_vec();
    let module = VerilogModule::written("accumulator", ports, ACCUMULATOR.into());
    Hierarchy { style: Style::default(), top: module.name.clone(), modules: vec![module] }
}

#[test]
fn a_netlist_is_proved_and_a_wrong_one_is_not() {
    if !has_yosys() {
        return;
    }
    let Some(library) = real_library() else { return };
    let design = accumulator();
    for clock_gating in [false, true] {
        let netlist = mapped(ACCUMULATOR, "accumulator", &library, clock_gating);
        let by = |netlist: &Netlist, seconds: u64| prove(&design, netlist, &library, seconds).unwrap().by;
        assert_eq!(by(&netlist, 60), Some("registers by name"), "clock gating: {clock_gating}");
        let mut wrong = netlist.clone();
        let there =
            ["XOR2_X1", "XNOR2_X1"].into_iter().find(|cell| wrong.module.contains(*cell)).expect("an adder");
        let instead = if there == "XOR2_X1" { "XNOR2_X1" } else { "XOR2_X1" };
        wrong.module = wrong.module.replacen(there, "WRONG", 1);
        let (inner, output) = if instead == "XNOR2_X1" { ("~(A ^ B)", "Z") } else { ("A ^ B", "ZN") };
        wrong.models += &format!(
            "module WRONG(input A, input B, output {output}); assign {output} = {inner}; endmodule\n"
        );
        assert_eq!(by(&wrong, 20), None, "clock gating: {clock_gating}");
    }
}

#[test]
fn a_dropped_condition_of_a_clock_gate_is_not_proved() {
    if !has_yosys() {
        return;
    }
    let Some(library) = real_library() else { return };
    let design = accumulator();
    let netlist = mapped(ACCUMULATOR, "accumulator", &library, true);
    assert!(prove(&design, &netlist, &library, 60).unwrap().by.is_some(), "as it is, it is proved");
    // The gate opens always, for reset alone, or when it should be shut.
    let enable = netlist.module.split("CLKGATE").nth(1).and_then(|rest| rest.split(".E(").nth(1));
    let enable = enable.and_then(|rest| rest.split(')').next()).expect("there is a clock gate");
    for instead in ["1'b1".to_string(), "reset".to_string(), format!("~{enable}")] {
        let mut wrong = netlist.clone();
        wrong.module = wrong.module.replace(&format!(".E({enable})"), &format!(".E({instead})"));
        assert_ne!(wrong.module, netlist.module);
        assert_eq!(prove(&design, &wrong, &library, 20).unwrap().by, None, "enable {instead}");
    }
}

// SPDX-License-Identifier: Apache-2.0
//! Cell libraries whose names and units differ are one library: areas, paths, energies, clock gates and
//! models.
//!
//! Skipped, with a note, where Yosys is missing.

use gpurf_blocks::{Field, PortLayout, PortName};
use gpurf_synth::power::{Chances, Meter, Setting};
use gpurf_synth::{prove, synthesize, Circuit, Gates, Job, Library, Netlist, Options, LOAD_FF};
use gpurf_verilog::tools::Tool;
use gpurf_verilog::{Hierarchy, Port, VerilogModule};
use tempfile::TempDir;

/// An accumulator with an enable, which gets a clock gate.
const ACCUMULATOR: &str = "
    module accumulator(input clock, input reset, input enable, input [15:0] a, output reg [15:0] sum);
      always @(posedge clock) if (reset) sum <= 16'd0; else if (enable) sum <= sum + a;
    endmodule";

/// How a library calls things, and in what units it counts.
struct Style {
    /// NAND, inverter, buffer, flip-flop, clock gate.
    cells: [&'static str; 5],
    /// Two inputs and the output of gates; data, clock and output of the flip-flop; clock, enable, test and
    /// output of the gate.
    pins: [&'static str; 10],
    units: &'static str,
    /// Factors of a nanosecond, a femtofarad, a nanowatt, a volt and a femtojoule.
    scale: [f64; 5],
}

const USUAL: Style = Style {
    cells: ["NAND2_X1", "INV_X1", "BUF_X1", "DFF_X1", "CLKGATETST_X1"],
    pins: ["A1", "A2", "ZN", "D", "CK", "Q", "CK", "E", "SE", "GCK"],
    units: "time_unit : \"1ns\"; voltage_unit : \"1V\"; leakage_power_unit : \"1nW\"; capacitive_load_unit (1, ff);",
    scale: [1.0, 1.0, 1.0, 1.0, 1.0],
};

/// Units of energy are those of capacitance times voltage squared: 1 pF × (1 mV)², a thousandth of a
/// femtojoule.
const OTHER: Style = Style {
    cells: ["foundry__nd_1", "foundry__iv_1", "foundry__bf_1", "foundry__ff_1", "foundry__cg_1"],
    pins: ["IN1", "IN2", "OUT", "DATA", "CLK", "HELD", "CLK", "GATE", "SCE", "GCLK"],
    units: "time_unit : \"1ps\"; voltage_unit : \"1mV\"; leakage_power_unit : \"1uW\"; capacitive_load_unit (1.0, \"pf\");",
    scale: [1000.0, 0.001, 0.001, 1000.0, 1000.0],
};

impl Style {
    fn library(&self) -> String {
        let [nand, inverter, buffer, flip_flop, gate] = self.cells;
        let [a, b, y, d, clock, q, gate_clock, enable, test, gated] = self.pins;
        let [ns, ff, nw, volt, fj] = self.scale;
        let input = |name: &str, load: f64| {
            format!("pin ({name}) {{ direction : input; capacitance : {}; }}", load * ff)
        };
        let times = |kind: &str, value: f64| format!("{kind} (scalar) {{ values (\"{}\"); }}", value * ns);
        let arc = |related: &str, sense: &str, delay: f64| {
            format!(
                "timing () {{ related_pin : \"{related}\"; {sense} {} {} {} {} }}",
                times("cell_rise", delay),
                times("cell_fall", 1.25 * delay),
                times("rise_transition", 0.01),
                times("fall_transition", 0.01)
            )
        };
        let power = |related: &str, rise: f64, fall: f64| {
            let of = |kind: &str, value: f64| format!("{kind} (scalar) {{ values (\"{}\"); }}", value * fj);
            format!("internal_power () {{ {related} {} {} }}", of("rise_power", rise), of("fall_power", fall))
        };
        let related = |pin: &str| format!("related_pin : \"{pin}\";");
        let unate = "timing_sense : negative_unate;";
        let positive = "timing_sense : positive_unate;";
        let edge = "timing_type : rising_edge;";
        format!(
            "library (small) {{ {units} nom_voltage : {};
               cell ({nand}) {{ area : 1.0; cell_leakage_power : {};
                 {} {} pin ({y}) {{ direction : output; function : \"!({a} & {b})\"; {} {} {} }} }}
               cell ({inverter}) {{ area : 0.5; {} pin ({y}) {{ direction : output; function : \"!{a}\"; {} }} }}
               cell ({buffer}) {{ area : 0.75; {} pin ({y}) {{ direction : output; function : \"{a}\"; {} }} }}
               cell ({flip_flop}) {{ area : 4.0; ff (\"IQ\", \"IQN\") {{ next_state : \"{d}\"; clocked_on : \"{clock}\"; }}
                 leakage_power () {{ when : \"{d}\"; value : {}; }} leakage_power () {{ when : \"!{d}\"; value : {}; }}
                 pin ({d}) {{ direction : input; capacitance : {};
                   timing () {{ related_pin : \"{clock}\"; timing_type : setup_rising; {} {} }} }}
                 pin ({clock}) {{ direction : input; clock : true; capacitance : {}; {} }}
                 pin ({q}) {{ direction : output; function : \"IQ\"; {} {} }} }}
               cell ({gate}) {{ area : 3.0; clock_gating_integrated_cell : \"latch_posedge_precontrol\";
                 statetable (\"{gate_clock} {enable} {test}\", \"IQ\") {{ table : \"L H - : - : H, L L H : - : H, L L L : - : L, H - - : - : N\"; }}
                 pin ({gate_clock}) {{ direction : input; clock : true; capacitance : {}; clock_gate_clock_pin : \"true\"; }}
                 pin ({enable}) {{ direction : input; capacitance : {}; clock_gate_enable_pin : true; }}
                 pin ({test}) {{ direction : input; capacitance : {}; clock_gate_test_pin : true; }}
                 pin ({gated}) {{ direction : output; clock_gate_out_pin : true; state_function : \"{gate_clock} * IQ\"; {} }} }}
             }}",
            1.1 * volt,
            3.0 * nw,
            input(a, 1.0),
            input(b, 1.5),
            arc(a, unate, 0.02),
            arc(b, unate, 0.03),
            power(&related(a), 0.5, 0.25),
            input(a, 1.0),
            arc(a, unate, 0.01),
            input(a, 1.0),
            arc(a, positive, 0.04),
            8.0 * nw,
            12.0 * nw,
            1.5 * ff,
            times("rise_constraint", 0.05),
            times("fall_constraint", 0.06),
            3.0 * ff,
            power("", 0.25, 0.75),
            power(&related(clock), 4.0, 6.0),
            arc(clock, edge, 0.1),
            2.0 * ff,
            1.0 * ff,
            1.0 * ff,
            arc(gate_clock, positive, 0.05),
            units = self.units,
        )
    }

    fn read(&self, folder: &TempDir) -> Library {
        let path = folder.path().join("small.lib");
        std::fs::write(&path, self.library()).unwrap();
        Library::read(&path).unwrap()
    }

    /// A cell by its place.
    fn place(&self, cell: &str) -> Option<usize> {
        self.cells.iter().position(|own| *own == cell)
    }
}

fn port(name: &str, width: usize, is_input: bool) -> Port {
    Port { name: name.into(), width, count: 1, is_input }
}

fn ports() -> Vec<Port> {
    let inputs = [("clock", 1), ("reset", 1), ("enable", 1), ("a", 16)];
    inputs.map(|(name, width)| port(name, width, true)).into_iter().chain([port("sum", 16, false)]).collect()
}

/// Energy of some thousand additions, each checked: internal and switching in femtojoules, leakage in
/// nanowatts.
fn energy(circuit: &Circuit) -> [f64; 3] {
    let field = |field, first_word| Field { name: PortName { field, index: None }, first_word, words: 1 };
    let layout =
        PortLayout { inputs: vec![field("enable", 0), field("a", 1)], outputs: vec![field("sum", 0)] };
    let mut gates = Gates::new(circuit, &ports(), &layout).unwrap();
    let (mut sum, mut random) = (0u16, 12345u32);
    for cycle in 0..2000 {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let (enable, a) = (random >> 31, random >> 8 & 0xffff);
        assert_eq!(gates.cycle(&[enable, a]), [u32::from(sum)], "cycle {cycle}");
        if enable == 1 {
            sum = sum.wrapping_add(a as u16);
        }
    }
    let chances = Chances::Counted;
    let setting = Setting { input_transition_ns: 0.02, output_load_ff: LOAD_FF, wires: None, chances };
    let total = Meter::new(circuit, &setting).power(gates.activity()).total();
    [total.internal_fj, total.switching_fj, total.leakage_nw]
}

fn has_yosys() -> bool {
    Tool::Yosys.find().inspect_err(|error| gpurf_fixtures::skipped(error.to_string())).is_ok()
}

#[test]
fn names_and_units_change_no_figure() {
    if !has_yosys() {
        return;
    }
    let measured = [USUAL, OTHER].map(|style| {
        let folder = tempfile::tempdir().unwrap();
        let library = style.read(&folder);
        assert_eq!(library.clock_gate().unwrap().0, style.cells[4]);
        assert_eq!(library.buffer().unwrap(), style.cells[2]);
        let options = Options { clock_gating: true, ..Options::new(library.clone()) };
        let job = Job::new(ACCUMULATOR, "accumulator");
        let synthesis = synthesize(job, &options).unwrap();
        let mut cells = [0; 5];
        for (cell, count) in &synthesis.cells_by_type {
            cells[style.place(cell).unwrap_or_else(|| panic!("{cell} is of no library"))] += count;
        }
        assert_eq!((synthesis.flip_flops, cells[4]), (16, 1), "a clock gate for all flip-flops");
        let netlist = Netlist::map(&job, &options).unwrap();
        let energy = energy(&netlist.circuit(&library).unwrap());
        (cells, [synthesis.area_um2, synthesis.gate_equivalents], synthesis.longest_path_ns, energy)
    });
    let [usual, other] = &measured;
    assert_eq!((usual.0, usual.1), (other.0, other.1), "cells and areas");
    let near = |a: f64, b: f64| assert!((a - b).abs() <= 1e-6 * a.abs(), "{usual:?}, {other:?}");
    usual.3.iter().zip(&other.3).for_each(|(a, b)| near(*a, *b));
    assert!(usual.3.iter().all(|figure| *figure > 0.0), "{usual:?}");
    match (usual.2, other.2) {
        (Some(a), Some(b)) => {
            assert!((a - b).abs() < 1e-3 && a > 0.1 && a < 10.0, "in nanoseconds: {a}, {b}");
        }
        (a, b) => assert_eq!(a, b, "OpenSTA is missing in both"),
    }
}

#[test]
fn models_of_cells_are_those_of_the_library() {
    if !has_yosys() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let library = OTHER.read(&folder);
    let options = Options { clock_gating: true, ..Options::new(library.clone()) };
    let netlist = Netlist::map(&Job::new(ACCUMULATOR, "accumulator"), &options).unwrap();
    let gate = "module foundry__cg_1(input CLK, input GATE, input SCE, output GCLK);";
    assert!(netlist.models.contains(gate), "{}", netlist.models);
    assert!(netlist.models.contains("if (!CLK) open = GATE | SCE;"), "{}", netlist.models);
    assert!(netlist.models.contains("module foundry__ff_1("), "{}", netlist.models);
    let two = ["clock", "reset"].map(|name| port(name, 1, true)).to_vec();
    let module = VerilogModule::written("accumulator", two, ACCUMULATOR.into());
    let design = Hierarchy { style: Default::default(), top: module.name.clone(), modules: vec![module] };
    assert!(
        prove(&design, &netlist, &library, 60).unwrap().by.is_some(),
        "the netlist does what the Verilog says"
    );
    let mut open = netlist.clone();
    open.module = open.module.replacen(".SCE(1'h0)", ".SCE(1'h1)", 1);
    assert_ne!(open.module, netlist.module, "the gate's test pin is tied low: {}", netlist.module);
    assert_eq!(prove(&design, &open, &library, 20).unwrap().by, None, "a gate that is always open");
}

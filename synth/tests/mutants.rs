// SPDX-License-Identifier: Apache-2.0
//! Mutants of small designs, through the real Yosys.
//!
//! Skipped, with a note, where Yosys is missing.

use gpurf_synth::{Equivalence, Mutants, Mutation, Protocols};
use gpurf_verilog::tools::Tool;
use gpurf_verilog::{Hierarchy, Language, Port, Style, VerilogModule};

/// Name, width, and whether it is an input.
type Declared = (&'static str, usize, bool);

/// A module with these ports, whose outputs are declared so.
fn module(name: &str, output: &str, ports: &[Declared], body: &str) -> VerilogModule {
    let declared = ports.iter().map(|&(name, width, is_input)| {
        let direction = if is_input { "input" } else { output };
        format!("{direction} [{}:0] {name}", width - 1)
    });
    let declared = declared.collect::<Vec<_>>().join(", ");
    let port = |&(name, width, is_input): &Declared| Port { name: name.into(), width, count: 1, is_input };
    let text = format!("module {name}({declared});\n{body}endmodule\n");
    VerilogModule::written(name, ports.iter().map(port).collect(), text)
}

/// A design of these modules; the last one has the others in it.
fn design(modules: Vec<VerilogModule>) -> Hierarchy {
    let top = modules.last().expect("a module").name.clone();
    Hierarchy { style: Style::of(Language::SystemVerilog), top, modules }
}

/// A gate with an input that opens it: a bit that is never set. A reset clears it; without one it may hold
/// anything.
fn shut(reset: bool) -> Hierarchy {
    let ports = [("clock", 1, true), ("reset", 1, true), ("hold", 1, true), ("a", 1, true), ("q", 1, false)];
    let ports: Vec<_> = ports.into_iter().filter(|(name, ..)| reset || *name != "reset").collect();
    let clear = if reset { "if (reset) open <= 1'b0; else" } else { "" };
    let body =
        format!("reg open;\nalways @(posedge clock) {clear} open <= open & hold;\nassign q = open & a;\n");
    design(vec![module("shut", "output", &ports, &body)])
}

#[test]
fn what_a_shut_gate_hides_is_equivalent_only_if_a_reset_shuts_it() {
    if Tool::Yosys.find().is_err() {
        return gpurf_fixtures::skipped("there is no Yosys");
    }
    for reset in [true, false] {
        let hierarchy = shut(reset);
        let mutants = Mutants::draw(&hierarchy, &Protocols::new(), 30, 1).unwrap();
        assert!(mutants.source().unwrap().contains("module shut_mutants("));
        let equivalence = |mode: &str, wire: &str| {
            let is_it = |fault: &Mutation| fault.mode == mode && fault.wire.as_deref() == Some(wire);
            let place = mutants.faults.iter().position(is_it).expect("all faults of so small a module");
            mutants.equivalence(place + 1, 60).unwrap()
        };
        let hidden = if reset { Equivalence::Proved } else { Equivalence::Open };
        assert_eq!(equivalence("const0", "a"), hidden, "with a reset: {reset}");
        assert_eq!(equivalence("inv", "q"), Equivalence::Open, "with a reset: {reset}");
    }
}

/// A gate of two inputs.
fn gate() -> Hierarchy {
    let ports = [("a", 1, true), ("b", 1, true), ("q", 1, false)];
    design(vec![module("gate", "output", &ports, "assign q = a & b;\n")])
}

#[test]
fn faults_in_a_vector_make_no_loops_for_verilator() {
    if Tool::Yosys.find().is_err() || Tool::Verilator.find().is_err() {
        return gpurf_fixtures::skipped("there is no Yosys, or no Verilator");
    }
    let ports = [("a", 3, true), ("b", 3, true), ("choice", 1, true), ("q", 3, false)];
    let body = "wire [2:0] number;\nassign number = choice ? a : b;\nassign q = number & 3'd1;\n";
    let hierarchy = design(vec![module("chosen", "output", &ports, body)]);
    let mutants = Mutants::draw(&hierarchy, &Protocols::new(), 200, 1).unwrap();
    let file = tempfile::Builder::new().suffix(".v").tempfile().unwrap();
    std::fs::write(file.path(), mutants.source().unwrap()).unwrap();
    let mut verilator = Tool::Verilator.command().unwrap();
    let linted = verilator
        .args(["--lint-only", "-Wno-fatal", "-Wno-WIDTH", "--top-module", "chosen"])
        .arg(file.path());
    let output = linted.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && !said.contains("UNOPTFLAT"), "{said}");
}

#[test]
fn what_only_forbidden_inputs_show_is_equivalent() {
    if Tool::Yosys.find().is_err() {
        return gpurf_fixtures::skipped("there is no Yosys");
    }
    for (protocol, found) in
        [(vec![], Equivalence::Open), (vec!["!(a & b)".to_string()], Equivalence::Proved)]
    {
        let hierarchy = gate();
        let protocols = Protocols::from([("gate".to_string(), protocol.clone())]);
        let mutants = Mutants::draw(&hierarchy, &protocols, 20, 1).unwrap();
        let number = |mode: &str| {
            let is_output = |fault: &Mutation| fault.mode == mode && fault.port.ends_with("Y[0]");
            mutants.faults.iter().position(is_output).expect("all faults of so small a module") + 1
        };
        assert_eq!(mutants.equivalence(number("const0"), 60).unwrap(), found, "{protocol:?}");
        assert_eq!(mutants.equivalence(number("const1"), 60).unwrap(), Equivalence::Open, "{protocol:?}");
    }
}

/// A design of one memory of so many rows, with these ports beside clock and reset, and with this in it.
fn around_a_memory(rows: usize, ports: &[Declared], body: &str) -> Hierarchy {
    let memory_ports = [
        ("clock", 1, true),
        ("enable", 1, true),
        ("write", 1, true),
        ("address", 2, true),
        ("write_data", 2, true),
        ("read_data", 2, false),
    ];
    let memory = VerilogModule {
        parameters: vec![("rows".into(), rows)],
        ..module(
            "rows",
            "output reg",
            &memory_ports,
            "reg [1:0] stored [0:3];\n\
             always @(posedge clock) if (enable) begin\n\
             if (write) stored[address] <= write_data; else read_data <= stored[address];\nend\n",
        )
    };
    let ports = [&[("clock", 1, true), ("reset", 1, true)], ports].concat();
    let body = format!(
        "wire accesses;\nwire [1:0] value;\n{body}\
         rows memory(.clock(clock), .enable(accesses), .write(write), .address(row), .write_data(d),\n\
         .read_data(value));\n"
    );
    design(vec![memory, module("reader", "output", &ports, &body)])
}

/// A memory whose address is a sum.
fn store(rows: usize) -> Hierarchy {
    around_a_memory(
        rows,
        &[("write", 1, true), ("before", 2, true), ("d", 2, true), ("q", 2, false)],
        "wire [1:0] row = before + 2'd1;\nassign accesses = 1'b1;\nassign q = value;\n",
    )
}

#[test]
fn which_row_of_a_memory_is_which_cannot_be_told_if_rows_that_are_there_change_places() {
    if Tool::Yosys.find().is_err() {
        return gpurf_fixtures::skipped("there is no Yosys");
    }
    use Equivalence::{Open, Proved};
    // Of three rows, the last has no other in its place that differs from it in the lower bit of its number.
    for (rows, renamed) in [
        (4, [("inv", Proved), ("cnot0", Proved), ("cnot1", Proved)]),
        (3, [("inv", Open), ("cnot0", Proved), ("cnot1", Open)]),
    ] {
        let hierarchy = store(rows);
        let mutants = Mutants::draw(&hierarchy, &Protocols::new(), 200, 1).unwrap();
        let of = |mode: &str| {
            let of_address = |fault: &Mutation| fault.mode == mode && fault.wire.as_deref() == Some("row");
            let numbers = (1..).zip(&mutants.faults).filter(|(_, fault)| of_address(fault));
            let proofs = numbers.map(|(number, _)| mutants.equivalence(number, 60).unwrap());
            proofs.collect::<Vec<_>>()
        };
        for (mode, renamed) in renamed {
            let found = of(mode);
            assert!(!found.is_empty(), "all faults of so small a module");
            assert!(found.iter().all(|one| *one == renamed), "{mode} with {rows} rows: {found:?}");
        }
        assert!(of("const0").contains(&Open), "an address stands for two rows");
    }
}

/// A counter to three, within a module that has nothing else.
fn counter() -> Hierarchy {
    let ports = [("clock", 1, true), ("reset", 1, true), ("count", 1, true), ("full", 1, false)];
    let counter = module(
        "counter",
        "output",
        &ports,
        "reg [1:0] number;\nassign full = &number;\n\
         always @(posedge clock) if (reset) number <= 2'd0; else if (count) number <= number + 2'd1;\n",
    );
    let inner = "counter inner(.clock(clock), .reset(reset), .count(count), .full(full));\n";
    design(vec![counter, module("around", "output", &ports, inner)])
}

#[test]
fn a_proof_assumes_the_protocol_of_an_instance_and_its_registers() {
    if Tool::Yosys.find().is_err() {
        return gpurf_fixtures::skipped("there is no Yosys");
    }
    let hierarchy = counter();
    for (protocols, found) in [
        (Protocols::new(), Equivalence::Open),
        (
            Protocols::from([("counter".into(), vec!["!(count & number == 2'd2)".into()])]),
            Equivalence::Proved,
        ),
    ] {
        let mutants = Mutants::draw(&hierarchy, &protocols, 60, 1).unwrap();
        let equivalence = |mode: &str| {
            let is_it = |fault: &Mutation| {
                fault.mode == mode && fault.port.contains("reduce_and") && fault.port.ends_with("Y[0]")
            };
            let place = mutants.faults.iter().position(is_it).expect("all faults of so small a module");
            mutants.equivalence(place + 1, 60).unwrap()
        };
        assert_eq!(equivalence("const0"), found, "never full with {protocols:?}");
        assert_eq!(equivalence("const1"), Equivalence::Open, "always full");
        let is_of_protocol = |fault: &Mutation| fault.lines.contains(&5);
        assert!(!mutants.faults.iter().any(is_of_protocol), "a protocol is no part of the design");
        let checks = mutants.source().unwrap().contains("inner.protocol_is_kept_inside");
        assert_eq!(checks, !protocols.is_empty(), "a run sees whether it is kept");
    }
}

#[test]
fn a_memory_has_no_faults_in_address_bits_that_its_rows_do_not_need() {
    if Tool::Yosys.find().is_err() {
        return gpurf_fixtures::skipped("there is no Yosys");
    }
    for (rows, bits) in [(4, 2), (2, 1)] {
        let hierarchy = store(rows);
        let mutants = Mutants::draw(&hierarchy, &Protocols::new(), 200, 1).unwrap();
        let at_address = |fault: &&Mutation| fault.wire.as_deref() == Some("row");
        let faulty = |bit: usize| {
            let of_bit = |fault: &Mutation| {
                fault.port.contains(&format!("Y[{bit}]")) || fault.port.contains(&format!("address[{bit}]"))
            };
            mutants.faults.iter().filter(at_address).any(of_bit)
        };
        assert_eq!([faulty(0), faulty(1)], [true, bits > 1], "{rows} rows");
    }
}

/// A memory that is read on demand. What it answers is seen in the cycle after that, or always.
fn reader(on_demand: bool) -> Hierarchy {
    let seen = if on_demand { "asked ? value : 2'd0" } else { "value" };
    around_a_memory(
        4,
        &[("read", 1, true), ("write", 1, true), ("row", 2, true), ("d", 2, true), ("q", 2, false)],
        &format!(
            "reg asked;\nassign accesses = read | write;\nassign q = {seen};\n\
             always @(posedge clock) if (reset) asked <= 1'b0; else asked <= read & !write;\n"
        ),
    )
}

/// A memory that shows a row, and is read when it is to show another one. It can be written besides, or only
/// read again.
fn shown_row(is_written: bool) -> Hierarchy {
    let write = if is_written { "put & !new" } else { "1'b0" };
    around_a_memory(
        4,
        &[("go", 1, true), ("next", 2, true), ("put", 1, true), ("d", 2, true), ("q", 2, false)],
        &format!(
            "reg new, valid;\nreg [1:0] row;\nwire write;\nassign write = {write};\n\
             assign accesses = new | put;\nassign q = valid ? value : 2'd0;\n\
             always @(posedge clock) begin\n\
             if (reset) begin row <= 2'd0; new <= 1'b1; valid <= 1'b0; end\n\
             else begin new <= go; valid <= valid | new; if (go) row <= next; end\nend\n"
        ),
    )
}

#[test]
fn a_read_that_nobody_asked_for_is_equivalent_if_its_answer_is_not_seen() {
    if Tool::Yosys.find().is_err() {
        return gpurf_fixtures::skipped("there is no Yosys");
    }
    use Equivalence::{Open, Proved};
    // A row that is shown already is the same if it is read again, unless it was written.
    let readers =
        [(reader(true), Proved), (reader(false), Open), (shown_row(false), Proved), (shown_row(true), Open)];
    for (number, (hierarchy, more)) in readers.into_iter().enumerate() {
        let mutants = Mutants::draw(&hierarchy, &Protocols::new(), 200, 1).unwrap();
        for (mode, expected) in [("const1", more), ("const0", Open), ("inv", Open)] {
            let is_it = |fault: &Mutation| {
                fault.mode == mode
                    && fault.wire.as_deref() == Some("accesses")
                    && fault.port.ends_with("Y[0]")
            };
            let fault = mutants.faults.iter().position(is_it).expect("all faults of so small a module") + 1;
            assert_eq!(mutants.equivalence(fault, 60).unwrap(), expected, "{mode}, reader {number}");
        }
    }
}

//! Mutants of a small design, through the real Yosys.
//!
//! Skipped, with a note, where Yosys is missing.

use gpurf_synth::{Equivalence, Fault, Mutants};
use gpurf_verilog::tools::Tool;
use gpurf_verilog::{Hierarchy, Language, Port, VerilogModule};

/// A gate with an input that opens it: a bit that is never set. A reset clears it; without one it may hold anything.
fn shut(reset: bool) -> Hierarchy {
    let inputs = ["clock", "reset", "hold", "a"].into_iter().filter(|name| reset || *name != "reset");
    let ports = inputs.clone().map(|name| (name, true)).chain([("q", false)]);
    let ports = ports.map(|(name, is_input)| Port { name: name.into(), width: 1, count: 1, is_input });
    let clear = if reset { "if (reset) open <= 1'b0; else" } else { "" };
    let module = VerilogModule {
        name: "shut".into(),
        origin: String::new(),
        parameters: vec![],
        ports: ports.collect(),
        unused_inputs: vec![],
        text: format!(
            "module shut(input {inputs}, output q);\n\
             reg open;\nalways @(posedge clock) {clear} open <= open & hold;\n\
             assign q = open & a;\nendmodule\n",
            inputs = inputs.collect::<Vec<_>>().join(", input ")
        ),
    };
    Hierarchy { language: Language::SystemVerilog, top: "shut".into(), modules: vec![module] }
}

#[test]
fn what_a_shut_gate_hides_is_equivalent_only_if_a_reset_shuts_it() {
    if Tool::Yosys.find().is_err() {
        return gpurf_fixtures::skipped("there is no Yosys");
    }
    for reset in [true, false] {
        let hierarchy = shut(reset);
        let mutants = Mutants::draw(&hierarchy, 30, 1).unwrap();
        assert!(mutants.source().unwrap().contains("module shut_mutants("));
        let equivalence = |mode: &str, wire: &str| {
            let is_it = |fault: &Fault| fault.mode == mode && fault.wire.as_deref() == Some(wire);
            let place = mutants.faults.iter().position(is_it).expect("all faults of so small a module");
            mutants.equivalence(place + 1, 60).unwrap()
        };
        let hidden = if reset { Equivalence::Proved } else { Equivalence::Open };
        assert_eq!(equivalence("const0", "a"), hidden, "with a reset: {reset}");
        assert_eq!(equivalence("inv", "q"), Equivalence::Open, "with a reset: {reset}");
    }
}

// SPDX-License-Identifier: Apache-2.0
//! Names that a design is given: prefix, top module, clock, reset.

use gpurf_blocks::{Clocked, PortLayout, Typed};
use gpurf_hw::dialect::Rtl;
use gpurf_verilog::{
    check, emit, emit_as, Clock, EmitError, Icarus, Language, Origin, Reset, Style, Verilated,
};

use crate::lockstep::random;
use crate::toys::{Cascade, CascadeIn, CascadeOut};

fn style() -> Style {
    Style {
        prefix: "acme_".into(),
        clock: Clock("clk_i".into()),
        reset: Reset { name: "rst_ni".into(), is_low: true },
        ..Style::default()
    }
}

#[test]
fn every_module_has_the_names_of_the_style() {
    for language in [Language::Verilog, Language::SystemVerilog] {
        let design = emit_as(&Cascade::default(), &Style { language, ..style() }).unwrap();
        let names: Vec<_> = design.modules.iter().map(|module| module.name.as_str()).collect();
        assert_eq!(names, ["acme_counter", "acme_cascade_counters2"]);
        for module in &design.modules {
            assert!(module.text.contains("clk_i") && module.text.contains("rst_ni"), "{}", module.text);
            assert!(!module.text.contains("clock") && !module.text.contains("reset"), "{}", module.text);
        }
        let text = design.source();
        assert!(text.contains(".clk_i(clk_i),\n        .rst_ni(rst_ni)"), "{text}");
        assert!(text.contains("if (!rst_ni) count <= 4'd0;"), "{text}");
    }
    let design = emit_as(&Cascade::default(), &style()).unwrap();
    check::iverilog_wall(&design).unwrap();
    check::verilator_lint(&design).unwrap();
    check::yosys_check(&design).unwrap();
}

#[test]
fn other_names_change_nothing_of_what_it_does() {
    let design = emit_as(&Cascade::default(), &style()).unwrap();
    let layout = PortLayout::of::<CascadeIn, CascadeOut>();
    let mut verilated: Typed<_, CascadeIn, CascadeOut> = Typed::new(Verilated::of(&design, &layout).unwrap());
    let mut icarus: Typed<_, CascadeIn, CascadeOut> = Typed::new(Icarus::of(&design, &layout).unwrap());
    let mut hardware = Rtl::new(Cascade::default());
    let (mut levels, mut cycles) = (std::collections::BTreeSet::new(), 0);
    for inputs in random(&Cascade::default(), 200) {
        let expected = hardware.settle(&inputs);
        assert_eq!(verilated.settle(&inputs), expected);
        assert_eq!(icarus.settle(&inputs), expected);
        levels.insert(expected.level);
        hardware.tick();
        verilated.tick();
        icarus.tick();
        cycles += 1;
    }
    assert!(cycles == 200 && levels.len() > 10);
}

#[test]
fn the_top_module_takes_a_name_that_no_part_has() {
    let named = |name: &str| emit_as(&Cascade::default(), &Style { name: Some(name.into()), ..style() });
    let design = named("two_counters").unwrap();
    assert_eq!(design.top, "two_counters");
    assert_eq!(design.modules[0].name, "acme_counter");
    let refused = named("acme_counter").unwrap_err();
    assert!(matches!(&refused, EmitError::NameOfPart { name, .. } if name == "acme_counter"), "{refused}");
    for name in ["wire", "2nd", "a-b", ""] {
        assert_eq!(named(name).unwrap_err(), EmitError::Name { name: name.into() });
    }
    let clock = Style { clock: Clock(String::new()), ..Style::default() };
    assert_eq!(emit_as(&Cascade::default(), &clock).unwrap_err(), EmitError::Name { name: String::new() });
}

#[test]
fn the_head_says_where_a_file_comes_from() {
    let origin = Origin {
        command: "gpurf verilog cascade".into(),
        papers: vec![("T".into(), "On toys (2023)".into()), ("U".into(), "On others (2024)".into())],
    };
    let plain = emit(&Cascade::default()).unwrap();
    let design = emit_as(&Cascade::default(), &Style { origin: Some(origin), ..Style::default() }).unwrap();
    let counter = &design.modules[0].text;
    assert!(counter.starts_with("// SPDX-License-Identifier: Apache-2.0\n//\n// counter: Counter (T 1)\n"));
    assert!(counter.contains("// Made by gpurf "), "{counter}");
    assert!(counter.contains("//   gpurf verilog cascade\n"), "{counter}");
    assert!(counter.contains("// Papers:\n//   * T: On toys (2023)\nmodule"), "{counter}");
    assert!(!counter.contains("On others"), "{counter}");
    assert_eq!(design.code(), plain.code(), "measurements are of the same text");
}

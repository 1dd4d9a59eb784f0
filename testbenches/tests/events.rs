// SPDX-License-Identifier: Apache-2.0
//! Events that modules declare fit their modules, and happen.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use gpurf_blocks::Parameters;
use gpurf_hw::catalogue::{catalogue, find};
use gpurf_hw::dialect::Watch;
use gpurf_testbenches::{workbench, Course};
use gpurf_verilog::is_of_contract;

/// Parameters under which modules have signals that they do not have by default, or lack some.
const CORNERS: [&[(&str, &str)]; 6] = [
    &[],
    &[("allocate_on_arrival", "true"), ("dispatch_on_arrival", "true")],
    &[("accesses", "2"), ("d_ports", "2")],
    &[("search", "scan"), ("release_age", "16")],
    &[("rc_tag_lanes", "1"), ("rc_write", "through"), ("slots", "3")],
    &[("collectors", "4"), ("banks", "4"), ("pcrf_entries", "64")],
];

/// The module's parameters at all corners at which they make sense, each once.
fn corners(module: &str) -> Vec<Parameters> {
    let known = find(module).expect("a module of the catalogue").parameters();
    let mut corners = vec![];
    for settings in CORNERS {
        let mut parameters = Parameters { width: 32, ..Parameters::default() };
        for (name, value) in settings.iter().filter(|(name, _)| known.contains(name)) {
            parameters.set(name, value).expect("a value of the parameter");
        }
        if parameters.check().is_ok() && !corners.contains(&parameters) {
            corners.push(parameters);
        }
    }
    corners
}

/// Lines that declare events of a module.
fn declared(module: &str) -> BTreeSet<&'static str> {
    let lines =
        Watch::all().filter(|watch| watch.module == module).flat_map(|watch| watch.lines.iter().copied());
    let kind = |line: &'static str| line.split([' ', '(']).next().unwrap_or_default();
    lines.filter(|line| !["valid", "show"].contains(&kind(line)) && !is_of_contract(kind(line))).collect()
}

/// Neither testbenches nor modules break a rule, and nor do the parts of modules.
#[test]
fn contracts_hold_in_every_testbench() {
    let mut broken = BTreeSet::new();
    let mut checked = 0;
    for module in catalogue() {
        for parameters in corners(module.name) {
            let bench = workbench(module.name, &parameters);
            checked += usize::from(bench.events().expect("events fit").kinds().contains(&"misuse"));
            let scenarios = bench.scenarios().into_iter().map(|(name, _)| Course::Scenario(name.into()));
            for course in scenarios.chain([Course::Random { seed: 1, cycles: 1000 }]) {
                let found: Rc<RefCell<BTreeSet<String>>> = Rc::default();
                let told = found.clone();
                let hear = Box::new(move |_, event: &gpurf_verilog::Occurrence| {
                    if told.borrow().len() < 3 {
                        let mut text = String::new();
                        event.write(&mut text);
                        let path = event.path().join(".");
                        told.borrow_mut().insert(format!("{path}: {text} ({})", event.declaration()));
                    }
                });
                bench.check(&course, hear).unwrap_or_else(|error| panic!("{}: {error:#}", module.name));
                let told = found.take();
                broken.extend(told.into_iter().map(|text| format!("{}, {course:?}: {text}", module.name)));
            }
        }
    }
    assert!(checked > 40, "{checked} benches with contracts");
    assert!(broken.is_empty(), "{}", broken.into_iter().collect::<Vec<_>>().join("\n"));
}

#[test]
fn every_event_fits_its_module_and_happens() {
    let modules: BTreeSet<&str> =
        Watch::all().map(|watch| watch.module).filter(|module| !module.is_empty()).collect();
    assert!(modules.len() > 10, "{modules:?}");
    let mut missing = vec![];
    for module in modules {
        let met: Rc<RefCell<BTreeSet<&'static str>>> = Rc::default();
        let declared = declared(module);
        for parameters in corners(module) {
            let bench = workbench(module, &parameters);
            bench.events().unwrap_or_else(|error| panic!("{module}: {error:#}"));
            let scenarios = bench.scenarios().into_iter().map(|(name, _)| Course::Scenario(name.into()));
            for course in scenarios.chain([Course::Random { seed: 1, cycles: 3000 }]) {
                if declared.is_subset(&met.borrow()) {
                    break;
                }
                let met = met.clone();
                let hear = Box::new(move |_, event: &gpurf_verilog::Occurrence| {
                    met.borrow_mut().insert(event.declaration());
                });
                bench.listen(&course, hear).unwrap_or_else(|error| panic!("{module}, {course:?}: {error:#}"));
            }
        }
        missing.extend(declared.difference(&met.borrow()).map(|line| format!("{module}: {line}")));
    }
    assert!(missing.is_empty(), "events that nothing brings about:\n{}", missing.join("\n"));
}

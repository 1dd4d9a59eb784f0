// SPDX-License-Identifier: Apache-2.0
//! The registers counted in the RTL are those that its documentation states and that Yosys finds.

use gpurf_blocks::Parameters;
use gpurf_hw::collector::{Ccu, Ocu};
use gpurf_hw::dialect::Rtl;
use gpurf_synth::{count, nangate, synthesize, Job, Library, Options};
use gpurf_verilog::emit;
use gpurf_verilog::tools::Tool;

fn ccu() -> Ccu<32, 3> {
    Ccu::new(&three_slots())
}

fn three_slots() -> Parameters {
    Parameters { slots: 3, ..Parameters::default() }
}

#[test]
fn counted_as_documented() {
    let ocu = count(&Ocu::<1024>::new(&Parameters::default()));
    assert_eq!(ocu.bits(), 7 * (1024 + 2) + 40);
    assert_eq!((ocu.data_bits(1024), ocu.control_bits(1024)), (7 * 1024, 7 * 2 + 40));
    assert_eq!(ocu.groups["slot_valid"].count, 7);

    // Cache table, operand collector table, metadata.
    let ccu = count(&ccu());
    assert_eq!(ccu.bits(), 8 * (32 + 11 + 3) + 3 * (2 + 3) + 41);
    let group = |name: &str| ccu.groups[name].bits;
    assert_eq!(group("cache_table.entry_tag"), 64);
    assert_eq!(group("operand_collector_table.slot_index"), 9);
}

#[test]
fn counted_as_synthesized() {
    let ready = Tool::Yosys.find().map_err(anyhow::Error::from).and_then(|_| nangate::liberty());
    let library = match ready.and_then(|path| Library::read(&path)) {
        Ok(library) => library,
        Err(error) => return gpurf_fixtures::skipped(format!("{error:#}")),
    };
    let (ocu, ccu) = (Rtl::new(Ocu::<32>::new(&three_slots())), Rtl::new(ccu()));
    let options = Options::new(library);
    let designs = [(emit(ocu.module()), count(ocu.module())), (emit(ccu.module()), count(ccu.module()))];
    for (design, registers) in designs {
        let design = design.unwrap();
        let source = design.source();
        assert_eq!(
            synthesize(Job::new(&source, &design.top), &options).unwrap().flip_flops,
            registers.bits(),
            "{}",
            design.top
        );
    }
}

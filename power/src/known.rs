// SPDX-License-Identifier: Apache-2.0
//! Streams of instructions whose energies can be worked out by hand.
//!
//! An operand stage with the collectors of `traditional`, in Nangate's cells, without clock gates. Registers
//! 1 and 3 lie in one bank; an instruction reads one of them.

use std::sync::LazyLock;

use gpurf_blocks::ports::{OperandStageIn, OperandStageOut, SubCoreOut};
use gpurf_blocks::{layout, packed, unpack, Clocked, Parameters};
use gpurf_fixtures::measured;
use gpurf_hw::catalogue::find;
use gpurf_sim::collector::Ccu;
use gpurf_sim::config::Config;
use gpurf_sim::operand_stage::OperandStage;
use gpurf_sim::sm::Design;
use gpurf_sim::stage_recording::{Cycle, Events, TokenValues};
use gpurf_synth::power::{Meter, Power};
use gpurf_synth::{nangate, Library, Options, Pin, LOAD_FF};
use gpurf_verilog::tools::Tool;

use crate::window::{Follower, Netlists, Schedule, Window};
use crate::{usual_setting, TRANSITION_NS};

const ONES: u32 = u32::MAX;
const WIDTH: usize = 32;
const COLLECTORS: usize = 2;
const ENTRIES: usize = 4;
const SLOTS: usize = 3;

/// `None` without the tools.
static OPTIONS: LazyLock<Option<Options>> = LazyLock::new(|| {
    let yosys = Tool::Yosys.find().map_err(anyhow::Error::from);
    let options = yosys.and_then(|_| Ok(Options::new(Library::read(&nangate::liberty()?)?)));
    options.inspect_err(|error| gpurf_fixtures::skipped(format!("{error:#}"))).ok()
});
static NETLISTS: LazyLock<Option<Netlists<'static>>> = LazyLock::new(|| {
    let stage = find("ccu_stage").expect("there is one");
    Some(Netlists::map(stage, &parameters(), false, OPTIONS.as_ref()?).expect("it is mapped"))
});

fn parameters() -> Parameters {
    let traditional = Design::TRADITIONAL.parameters(&Config::default(), 1);
    Parameters { width: WIDTH, collectors: COLLECTORS, entries: ENTRIES, slots: SLOTS, ..traditional }
}

/// The outputs of the stage as the sub-core shows them.
fn shown(stage: &OperandStageOut<u32>) -> SubCoreOut<u32> {
    let (from, fields) = (packed(stage), layout::<OperandStageOut<u32>>());
    let mut words = packed(&SubCoreOut::<u32>::default());
    for field in layout::<SubCoreOut<u32>>() {
        if let Some(of_stage) = fields.iter().find(|other| other.name == field.name) {
            words[field.first_word] = from[of_stage.first_word];
        }
    }
    unpack(&words)
}

/// The cycles of the stage's model under these inputs.
fn recorded(inputs: impl IntoIterator<Item = OperandStageIn<u32>>) -> Vec<Cycle> {
    let mut stage = OperandStage::<u32, Ccu<u32>>::new(&parameters());
    let cycle = |inputs: OperandStageIn<u32>| {
        let outputs = SubCoreOut { issued: inputs.issue[0], ..shown(&stage.settle(&inputs)) };
        stage.tick();
        Cycle { inputs, outputs }
    };
    inputs.into_iter().map(cycle).collect()
}

const IDLE: fn() -> OperandStageIn<u32> = || OperandStageIn { unit_ready: 0xff, ..Default::default() };

/// Registers 1 and 3 get their values; the value of register 3 is zero.
fn written(first: u32) -> impl Iterator<Item = OperandStageIn<u32>> {
    let write = |(register, value)| {
        let mut inputs = IDLE();
        (inputs.write_valid[0], inputs.write_register[0], inputs.write_data[0]) = (true, register, value);
        inputs
    };
    [(1, first), (3, 0)].map(write).into_iter()
}

/// An instruction that reads one register; where it is to miss, the collector is emptied.
fn reading(register: u32, flush: bool) -> OperandStageIn<u32> {
    let mut inputs = OperandStageIn { flush, ..IDLE() };
    (inputs.issue[0], inputs.source_valid[0], inputs.source_register[0]) = (true, true, register);
    inputs
}

/// In each cycle an instruction finds register 1.
fn all_hit() -> impl Iterator<Item = OperandStageIn<u32>> {
    written(ONES).chain((0..200).map(|_| reading(1, false)))
}

/// In every second cycle one misses: register 1, and then register 3, which is zero.
fn all_miss(first: u32) -> impl Iterator<Item = OperandStageIn<u32>> {
    let pair = [reading(1, true), IDLE(), reading(3, true), IDLE()];
    written(first).chain((0..50).flat_map(move |_| pair))
}

/// Changes are counted over eighty cycles, when the stream has settled.
const WINDOW: Schedule = Schedule { start: 20, every: 180, length: 81, count: 1 };

/// The events in a window of a stream, and the energy of its nets and cells.
fn measured(netlists: &Netlists, inputs: impl Iterator<Item = OperandStageIn<u32>>) -> (Events, Power) {
    let mut follower =
        Follower::new(netlists, TokenValues::default(), WINDOW).expect("the netlists are whole");
    let meter = Meter::new(netlists.circuit(), &usual_setting(netlists.circuit().library));
    let mut found = None;
    let look = |window: Window| found = Some((window.events, meter.power(window.activity)));
    follower.follow(&recorded(inputs), look).expect("the netlist does as the stage");
    found.expect("the window has ended")
}

fn dynamic(power: &Power) -> f64 {
    let total = power.total();
    total.dynamic_fj()
}

/// The library as a person would read it.
struct Hand<'a>(&'a Library);

impl Hand<'_> {
    /// Inside a cell at a change of a pin: the mean over edges, other pins and conditions.
    fn inside(&self, cell: &str, pin: &str, load: f64) -> f64 {
        let powers = &self.pin(cell, pin).internal_power;
        let tables = powers.iter().flat_map(|power| [&power.rise, &power.fall]).flatten();
        let energies: Vec<f64> = tables.map(|table| table.at(TRANSITION_NS, load)).collect();
        energies.iter().sum::<f64>() / energies.len() as f64
    }

    fn pin(&self, cell: &str, pin: &str) -> &Pin {
        self.0.cells[cell].pins.iter().find(|found| found.name == pin).expect("the cell has the pin")
    }

    /// For so many pins of each kind, and the wire to them; without any, that of the wire to a port.
    fn load(&self, pins: &[(usize, (&str, &str))]) -> f64 {
        let capacitances =
            pins.iter().map(|(count, (cell, pin))| *count as f64 * self.pin(cell, pin).capacitance);
        let wire = self.0.default_wire_load.as_ref().expect("the library has wires");
        let count: usize = pins.iter().map(|(count, _)| count).sum();
        capacitances.sum::<f64>() + self.0.wire_loads[wire].of(count.max(1))
    }

    /// Half of load times voltage squared.
    fn charged(&self, load: f64) -> f64 {
        0.5 * load * self.0.voltage.powi(2)
    }

    /// A change of a cell's output.
    fn change(&self, cell: &str, pin: &str, load: f64) -> f64 {
        self.inside(cell, pin, load) + self.charged(load)
    }
}

/// Whose netlists a document shows. Those of another version take other energies, within the same bounds.
const SHOWN: &str = "Yosys 0.23";

/// A stream takes about what is expected; `file` has both as a document shows them.
fn near(stream: &str, value: f64, expected: f64, part: f64, file: measured::File) {
    println!("{value:.1} fJ measured, {expected:.1} by hand");
    assert!((value - expected).abs() <= part * expected, "{value} fJ, and not {expected} within {part}");
    if Tool::Yosys.version().expect("it runs").split(" (").next() == Some(SHOWN) {
        let header = ["stream", "measured, fJ in a cycle", "by hand", "held to", "netlist"];
        let row = [
            stream.to_string(),
            format!("{value:.1}"),
            format!("{expected:.1}"),
            format!("{:.0}%", 100.0 * part),
            SHOWN.to_string(),
        ];
        file.assert_eq(&measured::table(header, [row]));
    }
}

/// The same instruction in every cycle changes nothing but the clock: all its registers' pins, two times in a
/// cycle.
#[test]
fn hits_on_constant_data_cost_the_clock() {
    let Some(netlists) = &*NETLISTS else { return };
    let (circuit, (events, found)) = (netlists.circuit(), measured(netlists, all_hit()));
    assert_eq!((events.cycles, events.hits, events.dispatched_operands, events.bank_reads), (80, 80, 80, 0));
    let changing = circuit.nets.iter().zip(&found.nets).filter(|(_, net)| net.toggles > 0.0);
    assert_eq!(changing.map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["clock"]);

    let hand = Hand(circuit.library);
    let registers = circuit.instances.iter().filter(|instance| instance.cell.flip_flop).count();
    let clock = hand.charged(hand.load(&[(registers, ("DFF_X1", "CK"))]));
    let expected = 2.0 * (registers as f64 * hand.inside("DFF_X1", "CK", 0.0) + clock);
    let stream = "every instruction finds its operand, always the same one";
    near(stream, dynamic(&found), expected, 0.05, measured::file!["known/hits.csv"]);
}

/// Two streams that differ in nothing but the data. A bit that is one in one of two operands changes twice in
/// four cycles on its way:
///
/// - through the multiplexer of the crossbar in front of each collector, which drives all its entries and
///   slots;
/// - through a gate in front of each entry, and a multiplexer in front of the one that takes it over;
/// - through that entry's flip-flop, which drives all slots;
/// - through the multiplexers of each slot: two levels choose one of four entries, a third what just arrives
///   in its place;
/// - and through one more to the output, which is loaded like all ports.
#[test]
fn data_cost_their_way_from_the_bank_to_the_output() {
    let Some(netlists) = &*NETLISTS else { return };
    let [(events, alternating), (same, constant)] =
        [ONES, 0].map(|first| measured(netlists, all_miss(first)));
    assert_eq!((events.cycles, events.hits, events.bank_reads, events.dispatched_operands), (80, 0, 40, 40));
    assert_eq!(events, same);
    // In every eight cycles the stream is as before, and so is each net.
    for (name, net) in netlists.circuit().nets.iter().zip(&alternating.nets) {
        assert_eq!(net.toggles * 80.0 % 20.0, 0.0, "{name} changes {} times in a cycle", net.toggles);
    }

    let hand = Hand(netlists.circuit().library);
    let (input, gate, data) = (("MUX2_X1", "A"), ("NAND2_X1", "A1"), ("DFF_X1", "D"));
    let multiplexer = |load| hand.change("MUX2_X1", "Z", load);
    let crossbar = multiplexer(hand.load(&[(ENTRIES, gate), (SLOTS, input)]));
    let entry = hand.change("NAND2_X1", "ZN", hand.load(&[(1, input)]));
    let taken = multiplexer(hand.load(&[(1, data)]));
    let (d, q) = (hand.inside("DFF_X1", "D", 0.0), hand.change("DFF_X1", "Q", hand.load(&[(SLOTS, input)])));
    let flip_flop = d + q + hand.inside("DFF_X1", "QN", 0.0);
    let slot = 3.0 * multiplexer(hand.load(&[(1, input)]));
    let leaving = multiplexer(LOAD_FF + hand.load(&[]));
    let bit = COLLECTORS as f64 * (crossbar + ENTRIES as f64 * entry)
        + (taken + flip_flop)
        + (SLOTS as f64 * slot + leaving);
    let stream =
        "every instruction misses; operands are zeros and ones in turn, less the same stream with zeros alone";
    let difference = dynamic(&alternating) - dynamic(&constant);
    near(stream, difference, WIDTH as f64 * 0.5 * bit, 0.08, measured::file!["known/data.csv"]);
}

/// A result of one warp instead of another's, and the same where operands leave.
#[test]
fn data_of_another_warp_in_a_recorded_stream_are_found() {
    let Some(netlists) = &*NETLISTS else { return };
    let follow = |disturb: fn(&mut [Cycle])| {
        let mut cycles = recorded(all_miss(ONES));
        disturb(&mut cycles);
        let mut follower =
            Follower::new(netlists, TokenValues::default(), WINDOW).expect("the netlists are whole");
        follower.follow(&cycles, |_| ()).map_err(|error| error.to_string())
    };
    follow(|_| ()).expect("it is as recorded");
    let wrong: [fn(&mut [Cycle]); 2] = [
        |cycles| cycles[0].inputs.write_data[0] = 7,
        |cycles| {
            let leaves = |cycle: &&mut Cycle| cycle.outputs.dispatch.contains(&true);
            cycles.iter_mut().find(leaves).expect("one is dispatched").outputs.operand_data[0] = 7;
        },
    ];
    for wrong in wrong {
        let error = follow(wrong).expect_err("it differs");
        assert!(
            error.contains("operand_data_0 is") && error.contains("and not in the SM's hardware"),
            "{error}"
        );
    }
}

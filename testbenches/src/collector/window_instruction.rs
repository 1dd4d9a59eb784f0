// SPDX-License-Identifier: Apache-2.0
//! Testbench of one instruction in the window of a bypassing operand collector.

use std::collections::HashMap;

use gpurf_blocks::ports::{WindowInstructionIn, WindowInstructionOut};
use gpurf_blocks::{Data, Parameters};
use gpurf_hw::collector::WindowInstruction;
use gpurf_hw::dialect::Word;
use rust_hdl::prelude::Bits;

use super::{pairs, port_s, DataOf};
use crate::{expect, expect_eq, register, value, Engine, Random, Scenario, Stimulus, Testbench};

impl<const W: usize> Testbench for WindowInstruction<W>
where
    Bits<W>: Word,
{
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(gpurf_sim::collector::WindowPlace::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(WindowInstructionStimulus::new(*parameters))
    }

    fn protocol(parameters: &Parameters) -> Vec<String> {
        let Parameters { width, slots, destinations, banks, .. } = *parameters;
        let source = |slot: usize| SlotSignals {
            is_source: true,
            is_usable: format!("operand_ready[{slot}]"),
            tag: format!("source_tag[{} +: 8]", 8 * slot),
            value: format!("operand_data[{} +: {width}]", width * slot),
        };
        let destination = |place: usize| SlotSignals {
            is_source: false,
            is_usable: format!("destination_usable[{place}]"),
            tag: format!("destination_tag[{} +: 8]", 8 * place),
            value: format!("destination_data[{} +: {width}]", width * place),
        };
        let places: Vec<SlotSignals> =
            (0..slots).map(source).chain((0..destinations).map(destination)).collect();
        // All that is usable of a register is one value, and a result makes old what was read of it.
        let agree = |pair: [usize; 2]| {
            let [first, second] = pair.map(|place| &places[place]);
            let tags = format!("{} == {}", first.tag, second.tag);
            let both = format!("{} & {} & {tags}", first.is_usable, second.is_usable);
            match first.is_source == second.is_source {
                true => format!("!({both} & {} != {})", first.value, second.value),
                false => format!("!({both})"),
            }
        };
        // A register lives in one bank.
        let are_two = |banks: [usize; 2]| {
            let valid = banks.map(|bank| format!("write_valid[{bank}]")).join(" & ");
            let registers = banks.map(|bank| format!("write_register[{} +: 8]", 8 * bank)).join(" == ");
            format!("!({valid} & {registers})")
        };
        let of_places = pairs(places.len()).map(agree);
        of_places.chain(pairs(banks).map(are_two)).chain(port_s(parameters)).collect()
    }

    fn scenarios() -> Vec<Scenario<Self::In, Self::Out>> {
        type In<const W: usize> = WindowInstructionIn<DataOf<W>>;
        vec![
            Scenario {
                name: "operands_are_found_once_they_are_there",
                rule: "F VI-B: BOW forwards operands within the window",
                play: |bench| {
                    let mut enter = In::<W> { enter: true, ..Default::default() };
                    (enter.source_valid[0], enter.source_register[0]) = (true, 7);
                    bench.cycle(enter)?;
                    let mut look = In::<W>::default();
                    look.source_register[0] = 7;
                    expect(!bench.cycle(look)?.found[0], "its value has not come")?;
                    bench.cycle(In::<W> { s_valid: true, s_data: value(3), ..Default::default() })?;
                    let out = bench.cycle(look)?;
                    expect(out.found[0] && out.found_data[0] == value(3), "there it is")?;
                    expect(out.all_ready, "and nothing is missing")?;
                    let mut write = In::<W>::default();
                    (write.write_valid[0], write.write_register[0]) = (true, 7);
                    bench.cycle(write)?;
                    expect(!bench.cycle(look)?.found[0], "a new value of the register makes it old")
                },
            },
            Scenario {
                name: "a_result_fills_the_destination_that_waits",
                rule: "F VI-B: BOW keeps the destination operands of the window's instructions",
                play: |bench| {
                    let mut enter = In::<W> { enter: true, ..Default::default() };
                    (enter.destination_valid[0], enter.destination_register[0]) = (true, 4);
                    bench.cycle(enter)?;
                    let mut write = In::<W>::default();
                    (write.write_valid[0], write.write_register[0]) = (true, 4);
                    write.write_data[0] = value(8);
                    expect(bench.cycle(write)?.cached[0], "the first result enters")?;
                    let mut look = In::<W>::default();
                    look.source_register[0] = 4;
                    expect_eq!(bench.cycle(look)?.found_data[0], value(8), "and is found")?;
                    expect(!bench.cycle(write)?.cached[0], "a second one does not enter")
                },
            },
        ]
    }
}

register!(WindowInstruction<W>);

/// A slot of a source or a destination, in Verilog.
struct SlotSignals {
    is_source: bool,
    is_usable: String,
    tag: String,
    value: String,
}

/// Instructions and results of one warp, under the rules of a scoreboard: no result of a register whose old
/// value is still to arrive, or which an entering instruction reads.
struct WindowInstructionStimulus<D: Data> {
    parameters: Parameters,
    /// Register of each used slot, and slots whose value has not arrived.
    sources: Vec<Option<u32>>,
    pending: Vec<usize>,
    values: HashMap<u32, D>,
}

impl<D: Data> WindowInstructionStimulus<D> {
    fn new(parameters: Parameters) -> Self {
        WindowInstructionStimulus { parameters, sources: vec![], pending: vec![], values: HashMap::new() }
    }

    fn value(&self, register: u32) -> D {
        self.values.get(&register).copied().unwrap_or_default()
    }
}

impl<D: Data> Stimulus<WindowInstructionIn<D>, WindowInstructionOut<D>> for WindowInstructionStimulus<D> {
    fn next(&mut self, random: &mut Random) -> WindowInstructionIn<D> {
        let Parameters { slots, destinations, banks, .. } = self.parameters;
        let registers = random.pick(&[4, 8, 16, 256]);
        let mut inputs = WindowInstructionIn {
            enter: random.percent(15),
            clear: random.percent(5),
            s_data: random.data(),
            ..Default::default()
        };
        let used = random.below(slots + 1);
        for slot in 0..slots {
            let register = random.register(registers);
            inputs.source_register[slot] = register;
            inputs.source_valid[slot] = random.below(slots) < used;
            // A register that is named twice is found for both slots, or for none.
            let repeats = (0..slot).find(|earlier| inputs.source_register[*earlier] == register);
            let found = repeats.map_or_else(|| random.percent(40), |earlier| inputs.forwarded[earlier]);
            inputs.forwarded[slot] = found;
            inputs.forwarded_data[slot] = if found { self.value(register) } else { D::default() };
        }
        for place in 0..destinations {
            inputs.destination_valid[place] = random.percent(60);
            inputs.destination_register[place] = random.register(registers);
        }
        let mut pending = self.pending.clone();
        let mut arrive = |random: &mut Random| {
            let slot = (!pending.is_empty() && random.percent(60)).then(|| random.pick(&pending))?;
            pending.retain(|other| self.sources[*other] != self.sources[slot]);
            Some((slot as u32, self.value(self.sources[slot].expect("a slot that waits is used"))))
        };
        let first = arrive(random);
        let second = if self.parameters.accesses > 1 { arrive(random) } else { None };
        // The last values may arrive as the next instruction enters; no others meet one that does.
        if !inputs.enter || pending.is_empty() && self.parameters.dispatch_on_arrival {
            if let Some(value) = first {
                (inputs.s_valid, (inputs.s_slot, inputs.s_data)) = (true, value);
            }
            if let Some(value) = second {
                inputs.second_s_valid[0] = true;
                (inputs.second_s_slot[0], inputs.second_s_data[0]) = value;
            }
        }
        let mut reads: Vec<u32> = self.pending.iter().filter_map(|slot| self.sources[*slot]).collect();
        if inputs.enter {
            reads.extend(&inputs.source_register[..slots]);
        }
        for bank in 0..banks {
            // A register lives in one bank, so no two results of a cycle are of the same one.
            let register = random.register(registers) / banks as u32 * banks as u32 + bank as u32;
            inputs.write_register[bank] = register;
            inputs.write_valid[bank] = random.percent(40) && !reads.contains(&register);
            inputs.write_data[bank] = random.data();
        }
        inputs
    }

    fn observe(
        &mut self,
        inputs: &WindowInstructionIn<D>,
        _: &WindowInstructionOut<D>,
    ) -> Result<(), String> {
        let Parameters { slots, banks, .. } = self.parameters;
        let first = inputs.s_valid.then_some(inputs.s_slot);
        let second = inputs.second_s_valid[0].then_some(inputs.second_s_slot[0]);
        for slot in [first, second].into_iter().flatten() {
            let (sources, register) = (&self.sources, self.sources[slot as usize]);
            self.pending.retain(|slot| sources[*slot] != register);
        }
        for bank in (0..banks).filter(|bank| inputs.write_valid[*bank]) {
            self.values.insert(inputs.write_register[bank], inputs.write_data[bank]);
        }
        if inputs.enter || inputs.clear {
            self.pending.clear();
        }
        if inputs.enter {
            let source = |slot: usize| inputs.source_valid[slot].then_some(inputs.source_register[slot]);
            self.sources = (0..slots).map(source).collect();
            let waits = |slot: &usize| inputs.source_valid[*slot] && !inputs.forwarded[*slot];
            self.pending = (0..slots).filter(waits).collect();
        }
        Ok(())
    }
}

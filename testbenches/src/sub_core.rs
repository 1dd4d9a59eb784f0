//! Testbench of the sub-core, with each kind of collector: warps with instructions, under the rules of a scoreboard.

use std::collections::HashMap;
use std::ops::Range;

use gpurf_blocks::ports::{SubCoreIn, SubCoreOut};
use gpurf_blocks::{Data, Parameters};
use gpurf_hw::dialect::Word;
use gpurf_hw::sub_core::SubCore;
use gpurf_sim::operand_stage::OperandStage;
use rust_hdl::prelude::Bits;

use crate::collector::{Collector, DataOf};
use crate::heads::{present, Heads};
use crate::transfers::{check_transfer, offer, Transfers};
use crate::{expect, value, Drive, Engine, Random, Scenario, Stimulus, Testbench};

impl<K: Collector<W>, const W: usize, const C: usize> Testbench for SubCore<K, W, C>
where
    Bits<W>: Word,
{
    fn model(parameters: &Parameters) -> Engine<Self> {
        let stage = OperandStage::<DataOf<W>, K::Model>::new(parameters);
        Box::new(gpurf_sim::sub_core::SubCore::new(parameters, stage))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(SubCoreStimulus::new(*parameters))
    }

    fn scenarios() -> Vec<Scenario<Self>> {
        vec![
            Scenario {
                name: "any_slot_waits_at_any_place_of_a_queue",
                rule: "F II: conflicting reads are stored in a FIFO queue associated with each bank; writes always have priority",
                play: |bench| {
                    let Parameters { slots, banks, accesses, collectors, .. } = bench.parameters;
                    // A second access serves a read while the first writes.
                    if accesses > 1 || collectors < 2 {
                        return Ok(());
                    }
                    let mut read = [0; 2];
                    for bank in 0..banks {
                        for before in 0..=slots {
                            for first in 0..slots {
                                read_of_one_bank(bench, bank, [0..before, first..slots], &mut read)?;
                            }
                        }
                    }
                    Ok(())
                },
            },
            Scenario {
                name: "any_slot_finds_any_entry",
                rule: "F III-C1: the ready bit is set for the values found in the CT; in any slot, of any entry",
                play: |bench| {
                    let Parameters { slots, entries, collectors, .. } = bench.parameters;
                    let warps = 0..collectors.min(2);
                    for warp in warps.clone() {
                        (0..entries).try_for_each(|register| write(bench, warp, register))?;
                    }
                    // Each instruction reads one register on: after so many a cache table has as many as it has entries.
                    for first in 0..2 * entries - slots {
                        for warp in warps.clone() {
                            read_in_turn(bench, warp, first)?;
                        }
                    }
                    Ok(())
                },
            },
        ]
    }
}

/// First row of either warp.
fn base_of(warp: usize, parameters: &Parameters) -> u32 {
    (warp * parameters.rows / 2) as u32
}

fn value_of<D: Data>(warp: usize, register: usize) -> D {
    value((32 * warp + register) as u32)
}

/// A far result.
fn write<D: Data, M>(bench: &mut Drive<M>, warp: usize, register: usize) -> Result<(), String>
where
    M: Testbench<In = SubCoreIn<D>, Out = SubCoreOut<D>>,
{
    let mut inputs = SubCoreIn::<D>::default();
    let bank = (register + 1 + warp) % bench.parameters.banks;
    inputs.write_valid[bank] = true;
    inputs.write_warp[bank] = warp as u32;
    inputs.write_register[bank] = register as u32;
    inputs.write_base[bank] = base_of(warp, &bench.parameters);
    inputs.write_data[bank] = value_of(warp, register);
    bench.cycle(inputs).map(drop)
}

/// A near source of the next instruction of a warp; slots of all warps are counted as one.
fn name_source<D: Data>(inputs: &mut SubCoreIn<D>, slot: usize, register: usize) {
    inputs.head_source_valid[slot] = true;
    inputs.head_source_register[slot] = register as u32;
    inputs.head_source_near[slot] = true;
}

/// An instruction of the warp whose slots read as many registers as a cache table has entries, in turn from this one on.
fn read_in_turn<D: Data, M>(bench: &mut Drive<M>, warp: usize, first: usize) -> Result<(), String>
where
    M: Testbench<In = SubCoreIn<D>, Out = SubCoreOut<D>>,
{
    let Parameters { slots, entries, .. } = bench.parameters;
    let idle = SubCoreIn::<D> { unit_ready: 0xff, ..Default::default() };
    let read = |slot: usize| (first + slot) % entries;
    let mut ready = idle;
    ready.ready[warp] = true;
    ready.head_base[warp] = base_of(warp, &bench.parameters);
    for slot in 0..slots {
        name_source(&mut ready, slots * warp + slot, read(slot));
    }
    let mut issued = false;
    for _ in 0..4 * slots {
        let out = bench.cycle(if issued { idle } else { ready })?;
        issued |= out.issued;
        if out.dispatch.contains(&true) {
            let right: Vec<D> = (0..slots).map(|slot| value_of(warp, read(slot))).collect();
            return expect(out.operand_data[..slots] == right, "each slot has the value of its register");
        }
    }
    Err(format!("warp {warp} is dispatched"))
}

/// While a bank writes, an instruction of each of two warps is issued with sources in these slots, which all live in that bank;
/// then both are dispatched. `read`: how many registers each warp has read so far, one after another.
fn read_of_one_bank<D: Data, M>(
    bench: &mut Drive<M>,
    bank: usize,
    slots: [Range<usize>; 2],
    read: &mut [usize; 2],
) -> Result<(), String>
where
    M: Testbench<In = SubCoreIn<D>, Out = SubCoreOut<D>>,
{
    let Parameters { banks, rows, slots: all, .. } = bench.parameters;
    // The warps have halves of the rows, and change them, so that rows use all bits.
    let half = (rows / 2).min(256 / banks);
    let idle = SubCoreIn::<D> { unit_ready: 0xff, ..Default::default() };
    let write = |mut inputs: SubCoreIn<D>| {
        inputs.write_valid[bank] = true;
        inputs.write_warp[bank] = 2;
        inputs.write_register[bank] = ((3 * banks + bank - 3) % banks) as u32;
        inputs
    };
    let mut held = 0;
    for (warp, slots) in slots.into_iter().enumerate() {
        let mut inputs = write(idle);
        inputs.ready[warp] = true;
        inputs.head_base[warp] = ((warp + read[0] / half) % 2 * half) as u32;
        for slot in slots {
            let row = read[warp] % half;
            let register = row * banks + (2 * banks + bank - 1 - warp) % banks;
            name_source(&mut inputs, all * warp + slot, register);
            read[warp] += 1;
        }
        let out = bench.cycle(inputs)?;
        expect(out.issued, format!("warp {warp} is issued"))?;
        expect(!out.bank_read[bank], "the bank writes")?;
        held += 1 - usize::from(out.dispatch.contains(&true));
    }
    for _ in 0..2 * all + 6 {
        held -= usize::from(bench.cycle(idle)?.dispatch.contains(&true));
    }
    expect(held == 0, "both are dispatched")
}

/// The instruction in a collector.
#[derive(Clone, Debug, Default)]
struct Held {
    warp: usize,
    payload: u32,
    sources: Vec<Option<u32>>,
}

/// Warps that are ready at random, and results that change no register that an instruction in a
/// collector, or one that may issue in this cycle, reads.
///
/// The oracle knows the last value written to every register, and checks every operand of every
/// dispatched instruction against it.
struct SubCoreStimulus<D: Data> {
    parameters: Parameters,
    heads: Heads,
    collectors: Vec<Option<Held>>,
    values: HashMap<(u32, u32), D>,
    /// Registers that each warp has read last.
    recent: Vec<Vec<u32>>,
    issued: Option<usize>,
    transfers: Transfers<D>,
}

impl<D: Data> SubCoreStimulus<D> {
    fn new(parameters: Parameters) -> Self {
        let collectors = vec![None; parameters.collectors];
        let heads = Heads::new(parameters);
        let transfers = Transfers::new(parameters.transfer_ports);
        let recent = vec![vec![]; parameters.warps];
        SubCoreStimulus {
            parameters,
            heads,
            collectors,
            values: HashMap::new(),
            recent,
            issued: None,
            transfers,
        }
    }

    fn is_read(&self, warp: usize, register: u32, ready: bool) -> bool {
        let held = self.collectors.iter().flatten().filter(|held| held.warp == warp);
        let reads = |sources: &[Option<u32>]| sources.contains(&Some(register));
        let head = self.heads.heads[warp].sources.iter().flatten();
        held.into_iter().any(|held| reads(&held.sources))
            || (ready && head.into_iter().any(|(source, _)| *source == register))
    }
}

impl<D: Data> Stimulus<SubCoreIn<D>, SubCoreOut<D>> for SubCoreStimulus<D> {
    fn next(&mut self, random: &mut Random) -> SubCoreIn<D> {
        self.heads.crowd.advance(random);
        self.heads.advance(random);
        if let Some(warp) = self.issued.take() {
            self.heads.renew(warp, random);
        }
        let mut inputs = SubCoreIn::<D>::default();
        present!(self.heads, inputs);
        // Mostly the first warps, so that they come back to their collectors.
        let busy = if random.percent(40) { self.parameters.warps } else { 3 };
        for warp in 0..self.parameters.warps {
            inputs.launch[warp] = random.percent(1);
            inputs.ready[warp] = !inputs.launch[warp] && random.percent(if warp < busy { 50 } else { 10 });
        }
        inputs.unit_ready = random.below(256) as u32 | random.below(256) as u32;
        let banks = self.parameters.banks as u32;
        for bank in 0..self.parameters.banks {
            let range = random.pick(&[2, self.parameters.warps]);
            let warp = random.below(range);
            let writes = self.heads.crowd.writes(bank);
            let few = if writes { self.heads.registers() } else { self.heads.registers().min(12) };
            let register = match &self.recent[warp][..] {
                // A collector may have it.
                recent @ [_, ..] if !writes && random.percent(40) => random.pick(recent),
                _ => self.heads.lowest(warp) + self.heads.crowd.written(bank, warp as u32, random.below(few)),
            };
            let lives_here = (register + 1 + warp as u32) % banks == bank as u32;
            inputs.write_valid[bank] = lives_here
                && !self.is_read(warp, register, inputs.ready[warp])
                && (writes || random.percent(60));
            inputs.write_warp[bank] = warp as u32;
            inputs.write_register[bank] = register;
            inputs.write_base[bank] = self.heads.base(warp);
            inputs.write_near[bank] = random.percent(60);
            inputs.write_data[bank] = random.data();
        }
        let range = random.pick(&[2, self.parameters.warps]);
        let warp = random.below(range);
        let register = self.heads.lowest(warp) + random.below(self.heads.registers().min(12)) as u32;
        let leaves = (warp as u32, register);
        offer!(self.transfers, inputs, random, leaves, |warp| self.heads.base(warp as usize));
        inputs
    }

    fn observe(&mut self, inputs: &SubCoreIn<D>, outputs: &SubCoreOut<D>) -> Result<(), String> {
        for (number, place) in self.collectors.iter_mut().enumerate() {
            let leaves = outputs.dispatch[number] && self.parameters.issue_on_dispatch;
            let occupied = place.is_some() && !leaves;
            if outputs.collector_occupied[number] != occupied {
                return Err(format!("collector {number}: occupied should be {occupied}"));
            }
            if !outputs.dispatch[number] {
                continue;
            }
            let Some(held) = place.take().filter(|held| held.payload == outputs.dispatch_payload) else {
                return Err(format!("collector {number} dispatches what was not issued to it"));
            };
            for (slot, register) in held.sources.iter().enumerate() {
                let value = |r: u32| self.values.get(&(held.warp as u32, r)).copied().unwrap_or_default();
                let expected = register.map(value);
                let found = outputs.operand_valid[slot].then_some(outputs.operand_data[slot]);
                if expected != found {
                    return Err(format!("{held:?}, slot {slot}: {found:?} instead of {expected:?}"));
                }
            }
        }
        if outputs.issued {
            let warp = outputs.issued_warp as usize;
            let entered: Vec<usize> = (0..self.collectors.len()).filter(|&c| outputs.issue[c]).collect();
            let [collector] = entered[..] else {
                return Err(format!("warp {warp} enters collectors {entered:?}"));
            };
            if !inputs.ready[warp] || outputs.collector_occupied[collector] {
                return Err(format!("warp {warp} cannot issue into collector {collector}"));
            }
            let head = &self.heads.heads[warp];
            let sources = head.sources.iter().map(|source| source.map(|(register, _)| register));
            let sources: Vec<Option<u32>> = sources.collect();
            let recent = &mut self.recent[warp];
            recent.extend(sources.iter().flatten());
            recent.drain(..recent.len().saturating_sub(self.parameters.entries));
            self.collectors[collector] = Some(Held { warp, payload: head.payload, sources });
            self.issued = Some(warp);
        }
        check_transfer!(self.transfers, outputs, self.values);
        for bank in (0..self.parameters.banks).filter(|bank| inputs.write_valid[*bank]) {
            let register = (inputs.write_warp[bank], inputs.write_register[bank]);
            self.values.insert(register, inputs.write_data[bank]);
        }
        Ok(())
    }

    fn coverage(&self) -> Vec<(&'static str, u64)> {
        self.transfers.coverage()
    }
}

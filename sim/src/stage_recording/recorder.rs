// SPDX-License-Identifier: Apache-2.0
//! Records what the operand stage of one sub-core is given while an SM runs, and the values that its tokens
//! stand for.
//!
//! The SM's hardware carries tokens of 32 bits, one for each value that an instruction writes; the emulator
//! tells the values. At dispatch, the values that the operands' tokens stand for are held against what the
//! emulator says that the instruction read: the two come on different ways, one through collectors and banks,
//! the other through the emulator's registers.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard};

use gpurf_blocks::ports::{OperandStageIn, SubCoreIn, SubCoreOut};
use gpurf_blocks::{Clocked, Parameters};
use gpurf_trace::{Lanes, Operands};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use crate::engines::{RunsSubCore, SubCoreEngine};
use crate::sm::{token, PipelineInstruction, PipelineListener};
use crate::sub_core::StageInputs;

/// A cycle of the operand stage, as tokens.
pub struct Cycle {
    /// Inputs of the stage.
    pub inputs: OperandStageIn<u32>,
    /// Outputs of the sub-core, among which are the stage's.
    pub outputs: SubCoreOut<u32>,
}

/// Operands of dispatched instructions, held against what the emulator says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checks {
    /// Operands whose values were compared with the emulator's.
    pub checked_values: u64,
    /// Operands that no instruction of the warp had written.
    pub uninitialised_reads: u64,
}

/// The values that tokens stand for, and the instructions under way. A copy has the same.
#[derive(Clone, Default)]
pub struct TokenValues(Arc<Mutex<Known>>);

#[derive(Default)]
struct Known {
    /// By token.
    values: FxHashMap<u32, WrittenValue>,
    /// By serial number: the warp, and a digest of each source.
    under_way: FxHashMap<u32, (u64, Vec<u64>)>,
    /// By warp slot.
    warps: FxHashMap<u8, Resident>,
    launched: u64,
    /// An instruction came without values.
    lacks_values: bool,
}

/// A warp in its slot.
struct Resident {
    /// Its thread block, and its number there.
    which: ([u32; 3], u16),
    /// Its number among all.
    number: u64,
    /// Its newest instruction.
    newest: u32,
}

/// A value, and the instruction and the warp that write it.
struct WrittenValue {
    lanes: Lanes,
    serial: u32,
    warp: u64,
}

impl TokenValues {
    fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock().expect("nobody panics with the values in hand")
    }

    /// The value of a token; zero for one that is not known.
    pub fn of(&self, token: u32) -> Lanes {
        self.lock().values.get(&token).map_or([0; 32], |value| value.lanes)
    }

    /// Values that are known.
    pub fn count(&self) -> usize {
        self.lock().values.len()
    }

    /// Forgets all but those of these tokens and of instructions under way.
    pub fn keep(&self, tokens: &FxHashSet<u32>) {
        let mut known = self.lock();
        let Known { values, under_way, .. } = &mut *known;
        values.retain(|token, value| tokens.contains(token) || under_way.contains_key(&value.serial));
    }

    /// Returns true if the stream came with values.
    pub fn are_complete(&self) -> bool {
        !self.lock().lacks_values
    }
}

impl PipelineListener for TokenValues {
    fn begin(&mut self, _cycle: u64, instruction: &PipelineInstruction) {
        let PipelineInstruction { serial, block, warp, sub_core, slot, destinations, operands, .. } =
            *instruction;
        if sub_core != 0 {
            return;
        }
        let mut known = self.lock();
        let Some(operands) = operands else {
            known.lacks_values = true;
            return;
        };
        let which = (block, warp);
        let follows = known
            .warps
            .get(&slot)
            .filter(|resident| resident.which == which && resident.newest.wrapping_add(1) == serial);
        let number = match follows {
            Some(resident) => resident.number,
            None => {
                known.launched += 1;
                known.launched
            }
        };
        known.warps.insert(slot, Resident { which, number, newest: serial });
        known.under_way.insert(serial, (number, operands.sources.to_vec()));
        for (register, value) in destinations.iter().zip(operands.destinations()) {
            known
                .values
                .insert(token(serial, *register), WrittenValue { lanes: value, serial, warp: number });
        }
    }

    fn end(&mut self, _cycle: u64, serial: u32) {
        self.lock().under_way.remove(&serial);
    }
}

/// Records of an engine since it was last asked.
#[derive(Default)]
pub struct Record {
    /// Cycles in their order.
    pub cycles: Vec<Cycle>,
    /// Counts of operands that were compared.
    pub checks: Checks,
    /// Operands whose value is not what the emulator says.
    pub errors: Vec<String>,
}

/// The model of a sub-core that records.
pub struct Recorder {
    model: SubCoreEngine,
    stage: StageInputs<u32>,
    /// The record of the first sub-core, the only one that is recorded.
    record: Option<(Rc<RefCell<Record>>, TokenValues)>,
    inputs: SubCoreIn<u32>,
    outputs: SubCoreOut<u32>,
}

impl Recorder {
    /// A model with these parameters; `record`: where it is recorded, and its values.
    pub fn new(
        model: SubCoreEngine,
        parameters: Parameters,
        record: Option<(Rc<RefCell<Record>>, TokenValues)>,
    ) -> Recorder {
        let (inputs, outputs) = Default::default();
        Recorder { model, stage: StageInputs::new(&parameters), record, inputs, outputs }
    }
}

impl Clocked for Recorder {
    type In = SubCoreIn<u32>;
    type Out = SubCoreOut<u32>;

    fn settle(&mut self, inputs: &SubCoreIn<u32>) -> SubCoreOut<u32> {
        let outputs = self.model.settle(inputs);
        if self.record.is_some() {
            (self.inputs, self.outputs) = (*inputs, outputs);
        }
        outputs
    }

    fn tick(&mut self) {
        self.model.tick();
        let Some((record, values)) = &self.record else { return };
        let (inputs, outputs) = (self.stage.follow(&self.inputs, &self.outputs), self.outputs);
        let record = &mut *record.borrow_mut();
        check(record, values, &outputs);
        record.cycles.push(Cycle { inputs, outputs });
    }
}

impl RunsSubCore for Recorder {}

/// Holds the operands of a dispatched instruction against what the emulator says.
fn check(record: &mut Record, values: &TokenValues, outputs: &SubCoreOut<u32>) {
    if !outputs.dispatch.contains(&true) {
        return;
    }
    let known = values.lock();
    let serial = outputs.dispatch_payload;
    let Some((warp, sources)) = known.under_way.get(&serial) else { return };
    for (slot, digest) in sources.iter().enumerate() {
        let token = outputs.operand_data[slot];
        match known.values.get(&token).filter(|value| value.warp == *warp) {
            None => record.checks.uninitialised_reads += 1,
            Some(value) => {
                record.checks.checked_values += 1;
                if Operands::digest(&value.lanes) != *digest {
                    record.errors.push(format!(
                        "instruction {serial}: the value of source {slot} is not what the emulator read"
                    ));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use gpurf_trace::{RegisterId, RegisterSet};

    use super::*;

    /// An instruction that reads what the one before it wrote gets that, and then what another warp wrote.
    #[test]
    fn data_of_another_warp_are_found() {
        let registers = [RegisterId(4)];
        let mut block = gpurf_trace::ThreadBlock::new([0; 3]);
        block.begin_warp(0);
        let (own, other) = ([7; 32], [8; 32]);
        let pushed = [(vec![], vec![own]), (vec![Operands::digest(&own)], vec![]), (vec![], vec![other])];
        for (sources, destinations) in pushed {
            block.push(0, u32::MAX, &[]);
            block.push_operands(&sources, destinations);
        }
        let mut values = TokenValues::default();
        let counts = [(0, 1), (1, 0), (0, 1)];
        for (number, (serial, slot)) in [(100, 0), (101, 0), (500, 1)].into_iter().enumerate() {
            let operands = block.operands(&block.warps[0].instructions[number], counts[number]);
            let destinations = &registers[..counts[number].1];
            values.begin(
                0,
                &PipelineInstruction {
                    serial,
                    slot,
                    destinations,
                    operands,
                    kernel: "",
                    block: [0; 3],
                    warp: u16::from(slot),
                    sub_core: 0,
                    pc: 0,
                    text: "",
                    registers: RegisterSet::default(),
                },
            );
        }
        let dispatched = |token: u32| {
            let mut outputs = SubCoreOut { dispatch_payload: 101, ..SubCoreOut::default() };
            (outputs.dispatch[0], outputs.operand_data[0]) = (true, token);
            let mut record = Record::default();
            check(&mut record, &values, &outputs);
            (record.checks.checked_values, record.checks.uninitialised_reads, record.errors.len())
        };
        assert_eq!(dispatched(token(100, registers[0])), (1, 0, 0));
        assert_eq!(dispatched(token(500, registers[0])), (0, 1, 0), "of another warp: as if never written");
        values.lock().values.get_mut(&token(100, registers[0])).expect("it is known").lanes = other;
        assert_eq!(dispatched(token(100, registers[0])), (1, 0, 1));
    }
}

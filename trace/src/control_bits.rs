// SPDX-License-Identifier: Apache-2.0
//! Kernels with the control bits of their cubin's listing: a trace does not have them.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::block::ThreadBlock;
use crate::control::Control;
use crate::dependence_limit::DependenceLimit;
use crate::error::Result;
use crate::kernel::{BlockSource, Command, Kernel, Workload};
use crate::program::{Program, StaticInstruction};
use crate::registers::{Positions, Register, RegisterId};

/// Facts about an instruction that a listing has beside those of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedControl {
    /// The control bits.
    pub control: Control,
    /// The condition of a `DEPBAR`.
    pub limit: Option<DependenceLimit>,
    /// Its operands without predicates, in their order: the first register of each, nothing for what is no
    /// vector register.
    pub operands: Vec<Option<RegisterId>>,
}

/// Control bits by kernel and place in its code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ControlBits {
    /// By mangled name and program counter.
    pub kernels: BTreeMap<String, Arc<BTreeMap<u32, ListedControl>>>,
}

impl Workload {
    /// The workload with control bits for the kernels that have them, and how many launches those are.
    pub fn with_control_bits(&self, bits: &ControlBits) -> (Workload, usize) {
        let mut found = 0;
        let commands = self.commands.iter().map(|command| match command {
            Command::Kernel(kernel) => match bits.kernels.get(&kernel.header().name) {
                Some(places) => {
                    found += 1;
                    Command::Kernel(kernel.with_control_bits(Arc::clone(places)))
                }
                None => command.clone(),
            },
            copy => copy.clone(),
        });
        let commands = commands.collect();
        (Workload { name: self.name.clone(), commands }, found)
    }
}

impl Kernel {
    /// The kernel with control bits by program counter; places that have none stay as they are.
    pub fn with_control_bits(&self, places: Arc<BTreeMap<u32, ListedControl>>) -> Kernel {
        let opener = Arc::clone(self.opener());
        let open = move || -> Result<Box<dyn BlockSource>> {
            let (source, places) = (opener()?, Arc::clone(&places));
            Ok(Box::new(ControlledBlocks { source, program: Program::default(), places }))
        };
        let kernel = Kernel::new(self.header().clone(), open);
        match self.listed() {
            Some(analysis) => kernel.with_liveness(move || analysis()),
            None => kernel,
        }
    }
}

/// The blocks of a kernel, whose instructions get their control bits as they are met.
struct ControlledBlocks {
    source: Box<dyn BlockSource>,
    /// The source's own.
    program: Program,
    places: Arc<BTreeMap<u32, ListedControl>>,
}

impl BlockSource for ControlledBlocks {
    fn next_block(&mut self, program: &mut Program) -> Result<Option<ThreadBlock>> {
        let block = self.source.next_block(&mut self.program)?;
        let known = program.instructions().len();
        let new = &self.program.instructions()[known..];
        program.extend(new.iter().map(|instruction| match self.places.get(&instruction.pc) {
            Some(listed) => instruction.with_control(listed),
            None => instruction.clone(),
        }));
        Ok(block)
    }

    fn restrict(&mut self, own: u64, count: u64) -> bool {
        self.source.restrict(own, count)
    }
}

impl StaticInstruction {
    /// With what a listing says. Where that names the operands, their slots are its.
    fn with_control(&self, listed: &ListedControl) -> StaticInstruction {
        let written = match self.named_destination {
            Some(Register::Vector(id)) => listed.operands.iter().position(|operand| *operand == Some(id)),
            _ => None,
        };
        let read = &listed.operands[written.map_or(0, |written| written + 1)..];
        let slots_of = |source: RegisterId| {
            // A wide operand has the registers behind the one that is named.
            let first = read.iter().flatten().filter(|&&first| first <= source).max()?;
            let slots = read.iter().enumerate().filter(|(_, operand)| **operand == Some(*first));
            Some(slots.fold(0, |slots, (slot, _)| slots | 1u8.checked_shl(slot as u32).unwrap_or(0)))
        };
        let slots =
            self.sources.iter().zip(&self.slots).map(|(&source, &guess)| slots_of(source).unwrap_or(guess));
        StaticInstruction {
            control: listed.control,
            limit: listed.limit,
            slots: slots.collect::<Positions>(),
            ..self.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::KernelHeader;
    use crate::program::Instruction;

    #[test]
    fn a_trace_gets_control_bits_and_slots_from_a_listing() {
        let sources = [29, 92].map(Register::vector);
        let instruction = Instruction {
            pc: 0x20,
            opcode: "LOP3.LUT",
            destination: Some(Register::vector(55)),
            sources: &sources,
            width: 0,
            immediates: [0; 2],
        };
        let (mut program, mut block) = (Program::default(), ThreadBlock::new([0; 3]));
        block.begin_warp(0);
        block.push(program.intern(&instruction).unwrap(), 1, &[]);
        let kernel =
            Kernel::in_memory(KernelHeader { nregs: 100, ..Default::default() }, program, vec![block]);
        let control = Control::of_reuse(0b100);
        let operands = vec![Some(RegisterId(55)), Some(RegisterId(29)), None, Some(RegisterId(92)), None];
        let places = BTreeMap::from([(0x20, ListedControl { control, limit: None, operands })]);
        let mut reader = kernel.with_control_bits(Arc::new(places)).open().unwrap();
        reader.next_block().unwrap();
        let found = &reader.program()[0];
        assert_eq!((found.control, &found.slots[..]), (control, &[1, 4][..]));
        assert_eq!((found.is_reused(0), found.is_reused(1)), (false, true));
    }
}

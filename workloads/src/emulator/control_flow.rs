// SPDX-License-Identifier: Apache-2.0
//! Control-flow graph of a kernel, and the live registers found over it.
//!
//! Where an instruction may go on is read off its decoded form:
//! - `BRA`, direct `CALL`: the target, and the next instruction if there is a condition or a guard;
//! - `RET`: the instruction after any call of the kernel, since the return address is a value;
//! - `BRX`, `CALL` through a register: anywhere, since their targets are values too;
//! - `EXIT`, traps: nowhere, or the next instruction if guarded;
//! - `BSSY`, `BSYNC`, `BREAK`, `WARPSYNC` and all others: the next instruction. They decide with whom a
//!   thread goes on, not where.
//!
//! An indirect target that is none of these places makes the graph unsound. The tests compare it with the
//! paths that all workloads take.

use std::sync::Arc;

use gpurf_trace::liveness::{FlowNode, Origin};
use gpurf_trace::{Liveness, RegisterId, RegisterSet};

use super::code::Code;
use super::operation::{Control, Operation, PredicateSource};
use crate::listing::{Predicate, INSTRUCTION_BYTES};

impl Code {
    /// Registers that are live at each instruction.
    pub fn liveness(&self) -> Arc<Liveness> {
        let find = || Arc::new(Liveness::of(Origin::Listing, self.control_flow()));
        Arc::clone(self.live.get_or_init(find))
    }

    /// A node per instruction, in their order.
    fn control_flow(&self) -> Vec<FlowNode> {
        let count = self.kernel.instructions.len() as u32;
        let is_call = |index: u32| self.base(index) == "CALL";
        let returns: Vec<u32> = (0..count).filter(|&index| is_call(index)).map(|index| index + 1).collect();
        let node = |index: u32| {
            let place = &self.program[index];
            let operation = &self.decoded[index as usize].operation;
            let conditional = match operation {
                Operation::Control(
                    Control::BranchIndexed { condition, .. } | Control::Exit { condition },
                ) => *condition != ALWAYS,
                _ => false,
            };
            let guarded = conditional || self.kernel.instructions[index as usize].guard != Predicate::TRUE;
            let mut successors = match operation {
                Operation::Control(Control::Branch { target, condition }) => {
                    let always = *condition == ALWAYS;
                    let target = target / INSTRUCTION_BYTES;
                    if always {
                        vec![target]
                    } else {
                        vec![target, index + 1]
                    }
                }
                Operation::Control(Control::BranchTogether { target, .. }) => {
                    vec![target / INSTRUCTION_BYTES, index + 1]
                }
                Operation::Control(Control::BranchIndexed { .. }) if self.base(index) == "RET" => {
                    returns.clone()
                }
                Operation::Control(Control::BranchIndexed { .. }) => (0..count).collect(),
                // A function of the library comes back, others end in a `RET`.
                Operation::Control(Control::CallAbsolute { .. }) => (0..count).collect(),
                Operation::Control(Control::Exit { .. } | Control::Trap | Control::CallMissing { .. }) => {
                    vec![]
                }
                _ => vec![index + 1],
            };
            if guarded {
                successors.push(index + 1);
            }
            successors.retain(|&successor| successor < count);
            let kills = if guarded { RegisterSet::default() } else { set(&place.destinations) };
            let writes = set(&place.destinations);
            FlowNode { pc: place.pc, reads: set(&place.sources), kills, writes, successors }
        };
        (0..count).map(node).collect()
    }

    fn base(&self, index: u32) -> &str {
        self.program[index].base()
    }
}

/// The condition of a jump that has none.
const ALWAYS: PredicateSource = PredicateSource { uniform: false, index: 7, negate: false };

fn set(registers: &[RegisterId]) -> RegisterSet {
    registers.iter().copied().collect()
}

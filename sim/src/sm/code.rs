// SPDX-License-Identifier: Apache-2.0
//! The code of the kernel that runs, decoded as its instructions are met.

use std::sync::Arc;

use gpurf_trace::{DynamicInstruction, KernelHeader, Liveness, Program, RegisterSet};

use crate::config::Config;

use super::decoded::Decoded;
use super::error::SmError;
use super::marking::PartnerMarks;
use super::operations::Operations;
use super::prefetch::IntervalLists;
use super::records::Records;

pub(super) struct Code {
    pub header: KernelHeader,
    /// The instructions met so far, by static index.
    decoded: Vec<Decoded>,
    /// Its live registers, under a design that uses them.
    pub liveness: Option<Arc<Liveness>>,
    /// Its register intervals, under LTRF.
    pub intervals: Option<Arc<IntervalLists>>,
    /// Registers that a warp need not take from the shared pool, if there is one.
    pub own: Option<RegisterSet>,
    /// Its multicasting loads.
    marks: PartnerMarks,
    /// The means to make operations for sub-cores without collectors, if there are such.
    pub operations: Option<Operations>,
}

impl Code {
    /// Before a kernel is launched.
    pub fn empty() -> Self {
        Code::new(KernelHeader::default(), PartnerMarks::none())
    }

    /// The code of a kernel; `marks` says what its multicasting loads are.
    pub fn new(header: KernelHeader, marks: PartnerMarks) -> Self {
        Code {
            header,
            decoded: Vec::new(),
            liveness: None,
            intervals: None,
            own: None,
            marks,
            operations: None,
        }
    }

    #[inline]
    pub fn of(&self, instruction: &DynamicInstruction) -> &Decoded {
        &self.decoded[instruction.static_index as usize]
    }

    /// The instructions met so far, by static index.
    pub fn decoded(&self) -> &[Decoded] {
        &self.decoded
    }

    /// Decodes what is new in the kernel's program. `registers`: of a thread.
    pub fn decode(
        &mut self,
        program: &Program,
        registers: usize,
        config: &Config,
        records: &mut Records,
    ) -> Result<(), SmError> {
        for instruction in &program.instructions()[self.decoded.len()..] {
            let named = instruction.sources.iter().chain(&instruction.destinations);
            let highest = named.copied().max().unwrap_or_default();
            if highest.index() >= registers {
                return Err(SmError::RegisterBeyond {
                    kernel: self.header.name.clone(),
                    pc: instruction.pc,
                    opcode: instruction.opcode.to_string(),
                    register: highest,
                    registers,
                });
            }
            let (mlds, multicasts) = self.marks.of(instruction);
            let mut decoded = Decoded::new(instruction, config, mlds, multicasts);
            if let Some(operations) = &self.operations {
                operations.add(&mut decoded, instruction, config).map_err(|reason| SmError::Control {
                    kernel: self.header.name.clone(),
                    pc: instruction.pc,
                    opcode: instruction.opcode.to_string(),
                    reason,
                })?;
            }
            if let (Some(own), Some(liveness)) = (self.own, &self.liveness) {
                let live = liveness.at(instruction.pc);
                decoded.needs_pool = !live.union(decoded.touches).is_subset(&own);
            }
            self.decoded.push(decoded);
            records.show(|pipeline| pipeline.decode(instruction));
        }
        Ok(())
    }
}

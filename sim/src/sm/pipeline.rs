// SPDX-License-Identifier: Apache-2.0
//! Where each instruction of an SM spends its cycles, for listeners that want to see it.
//!
//! Nothing here decides anything: the SM runs the same with and without listeners. Which collector's read a
//! bank performs is no output of the hardware; reads of a bank go in the order in which they were asked for
//! (`sim/src/register_file/request_queue.rs`), and are followed here in that order.

use std::collections::{HashMap, VecDeque};

use gpurf_blocks::{BankId, MAX_BANKS, SUB_CORES};
use gpurf_trace::{Operands, RegisterId, RegisterSet, StaticInstruction, ThreadBlock};

use super::decoded::Decoded;
use super::executing::Executing;
use crate::bits::members;

/// A part of an instruction's way through the pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stage {
    /// At the head of its warp's instruction buffer, and the warp may not issue: an operand or a destination
    /// is under way, or it waits at a barrier, or for registers.
    Wait,
    /// The warp may issue. Another warp does, or no collector is free for it. Or the instruction has issued,
    /// and lies in a latch before the collectors.
    Ready,
    /// In a collector, and a read of it has not gone to its bank.
    Bank,
    /// In a collector. All reads have gone to their banks; their data come, and then its unit is free.
    Collect,
    /// In its unit or in memory.
    Execute,
    /// Results wait for their banks.
    WriteBack,
}

impl Stage {
    /// In the order in which an instruction goes through them; it may leave out each but the first and
    /// `Collect`.
    pub const ALL: [Stage; 6] =
        [Stage::Wait, Stage::Ready, Stage::Bank, Stage::Collect, Stage::Execute, Stage::WriteBack];
}

/// An instruction of a warp, as it comes to the head of the warp's instruction buffer.
#[derive(Clone, Debug)]
pub struct PipelineInstruction<'a> {
    /// Its number in the run, modulo 2³²: the payload that the hardware carries for it.
    pub serial: u32,
    /// Name of its kernel.
    pub kernel: &'a str,
    /// Position of the thread block in the grid: x, y, z.
    pub block: [u32; 3],
    /// Number of the warp in the block.
    pub warp: u16,
    /// The sub-core that the warp is in, 0 to 3.
    pub sub_core: usize,
    /// The warp slot there, 0 to 7.
    pub slot: u8,
    /// Byte offset in the kernel's code.
    pub pc: u32,
    /// Opcode and vector registers: `FFMA R4 <- R1 R2 R3`.
    pub text: &'a str,
    /// Vector registers read or written.
    pub registers: RegisterSet,
    /// The registers that it writes, in their order.
    pub destinations: &'a [RegisterId],
    /// Values of the registers that it reads and of those that it writes, if the stream tells.
    pub operands: Option<Operands<'a>>,
}

/// Listens to what happens in an SM, cycle by cycle; cycles never fall.
pub trait PipelineListener: Send {
    /// An instruction comes to the head of its warp's buffer, into [`Stage::Wait`].
    fn begin(&mut self, _cycle: u64, _instruction: &PipelineInstruction) {}

    /// It enters another stage.
    fn enter(&mut self, _cycle: u64, _serial: u32, _stage: Stage) {}

    /// It is complete after this cycle: the last of its results is written in it, or it has none.
    fn end(&mut self, _cycle: u64, _serial: u32) {}

    /// A check has failed: see [`crate::statistics::Statistics::errors`].
    fn fail(&mut self, _cycle: u64) {}

    /// A thread block begins to give up its warp slots for another one.
    fn switch(&mut self, _cycle: u64) {}
}

/// Facts that are known of an instruction on its way.
#[derive(Default)]
struct Flight {
    stage: Option<Stage>,
    /// Reads that have not gone to their banks.
    reads: u32,
    /// Results that are not written.
    results: u32,
}

/// Follows instructions for the listeners.
#[derive(Default)]
pub(super) struct Pipeline {
    listeners: Vec<Box<dyn PipelineListener>>,
    /// By static index.
    texts: Vec<String>,
    flights: HashMap<u32, Flight>,
    /// The instructions whose reads wait for each bank; none for reads that are no instruction's.
    reads: [[VecDeque<Option<u32>>; MAX_BANKS]; SUB_CORES],
}

impl Pipeline {
    pub fn listen(&mut self, listener: Box<dyn PipelineListener>) {
        self.listeners.push(listener);
    }

    /// Another kernel starts.
    pub fn start_kernel(&mut self) {
        self.texts.clear();
    }

    /// The next instruction of the kernel in the order of their first appearance.
    pub fn decode(&mut self, instruction: &StaticInstruction) {
        let names = |registers: &[RegisterId]| {
            registers.iter().map(|register| format!(" {register}")).collect::<String>()
        };
        let (written, read) = (names(&instruction.destinations), names(&instruction.sources));
        let arrow = if written.is_empty() || read.is_empty() { "" } else { " <-" };
        self.texts.push(format!("{}{written}{arrow}{read}", instruction.opcode));
    }

    fn enter(&mut self, cycle: u64, serial: u32, stage: Stage) {
        let Some(flight) = self.flights.get_mut(&serial) else { return };
        if flight.stage.is_none_or(|present| present < stage) {
            flight.stage = Some(stage);
            self.listeners.iter_mut().for_each(|listener| listener.enter(cycle, serial, stage));
        }
    }

    fn end(&mut self, cycle: u64, serial: u32) {
        if self.flights.remove(&serial).is_some() {
            self.listeners.iter_mut().for_each(|listener| listener.end(cycle, serial));
        }
    }

    /// The warp of the instruction may issue.
    pub fn ready(&mut self, cycle: u64, serial: u32) {
        self.enter(cycle, serial, Stage::Ready);
    }

    /// The instruction enters a collector and asks these banks for operands, in this order.
    pub fn issue(&mut self, sub_core: usize, serial: u32, banks: impl Iterator<Item = BankId>) {
        for bank in banks {
            self.reads[sub_core][bank.index()].push_back(Some(serial));
            self.flights.entry(serial).or_default().reads += 1;
        }
    }

    /// A read enters a collector that is no instruction's: of a register that leaves with its block, or of a
    /// prefetch.
    pub fn save(&mut self, sub_core: usize, bank: BankId) {
        self.reads[sub_core][bank.index()].push_back(None);
    }

    /// The banks that perform a read in this cycle, and those that perform a second one, one bit each; and
    /// the instruction that was issued in it.
    pub fn read(&mut self, cycle: u64, sub_core: usize, banks: [u8; 2], issued: Option<u32>) {
        for bank in banks.into_iter().flat_map(members) {
            let Some(Some(serial)) = self.reads[sub_core][bank].pop_front() else { continue };
            let flight = self.flights.entry(serial).or_default();
            flight.reads -= 1;
            if flight.reads == 0 {
                self.enter(cycle, serial, Stage::Collect);
            }
        }
        if let Some(serial) = issued {
            let waits = self.flights.get(&serial).is_some_and(|flight| flight.reads > 0);
            self.enter(cycle, serial, if waits { Stage::Bank } else { Stage::Collect });
        }
    }

    /// The instruction leaves its collector for its unit.
    pub fn dispatch(&mut self, cycle: u64, serial: u32) {
        self.enter(cycle, serial, Stage::Execute);
    }

    /// It leaves its unit, or memory answers, with so many results.
    pub fn complete(&mut self, cycle: u64, serial: u32, results: u32) {
        if results == 0 {
            return self.end(cycle, serial);
        }
        self.flights.entry(serial).or_default().results = results;
        self.enter(cycle, serial, Stage::WriteBack);
    }

    /// One of its results goes to its bank.
    pub fn write(&mut self, cycle: u64, serial: u32) {
        let flight = self.flights.entry(serial).or_default();
        flight.results = flight.results.saturating_sub(1);
        if flight.results == 0 {
            self.end(cycle, serial);
        }
    }

    /// It was issued without active lanes, and ends where it would enter its unit.
    pub fn leave(&mut self, cycle: u64, serial: u32) {
        self.end(cycle, serial);
    }

    /// A check has failed.
    pub fn fail(&mut self, cycle: u64) {
        self.listeners.iter_mut().for_each(|listener| listener.fail(cycle));
    }

    /// A block begins to leave its slot.
    pub fn switch(&mut self, cycle: u64) {
        self.listeners.iter_mut().for_each(|listener| listener.switch(cycle));
    }

    /// An instruction of a block comes to the head of its warp's buffer.
    pub fn begin(
        &mut self,
        cycle: u64,
        kernel: &str,
        block: &ThreadBlock,
        decoded: &Decoded,
        executing: &Executing,
    ) {
        let Executing { sub_core, warp, number, serial, instruction, .. } = *executing;
        let begun = PipelineInstruction {
            serial,
            kernel,
            block: block.id,
            warp: number,
            sub_core,
            slot: warp.0,
            pc: decoded.pc,
            text: &self.texts[instruction.static_index as usize],
            registers: decoded.touches,
            destinations: &decoded.destinations,
            operands: block.operands(&instruction, (decoded.source_count(), decoded.destinations.len())),
        };
        self.flights.insert(serial, Flight { stage: Some(Stage::Wait), ..Flight::default() });
        self.listeners.iter_mut().for_each(|listener| listener.begin(cycle, &begun));
    }
}

// SPDX-License-Identifier: Apache-2.0
//! Branches, convergence, barriers.

use super::{Decoder, Kind, TRUE};
use crate::emulator::library_function::LibraryFunction;
use crate::emulator::operation::{Control, PredicateSource, Reduction, ReductionKind, Source};
use crate::listing::{Operand, INSTRUCTION_BYTES};

impl Decoder<'_> {
    pub(super) fn control(&mut self, base: &str) -> Result<Control, String> {
        let next = self.instruction.pc + INSTRUCTION_BYTES;
        Ok(match base {
            "BRA" => {
                // Hints on whether the warp stays together.
                self.ignore(&["U"]);
                let converged = self.has("CONV");
                if converged || self.has("DIV") {
                    // The lanes that should be together may be named; the emulator knows which are.
                    if let Some(Operand::Register(_)) = self.peek() {
                        self.source(Kind::Integer)?;
                    }
                    Control::BranchTogether { target: self.target()?, converged }
                } else {
                    Control::Branch { condition: self.predicate_or(TRUE)?, target: self.target()? }
                }
            }
            // How long does not matter, nor who else of the warp sleeps.
            "NANOSLEEP" => self.nothing().map(|_| Control::Sleep)?,
            "BRX" => {
                let condition = self.predicate_or(TRUE)?;
                let register = self.pair()?;
                let Operand::Integer(offset) = *self.operand()? else { return self.unexpected() };
                Control::BranchIndexed { condition, base: i64::from(next).wrapping_add(offset), register }
            }
            "CALL" => {
                // The caller keeps the return address; `.ABS` names the same places.
                self.ignore(&["REL", "ABS", "NOINC"]);
                let absolute = self.instruction.opcode.contains(".ABS");
                if let (true, Some(Operand::Register(_))) = (absolute, self.peek()) {
                    let register = self.pair()?;
                    if self.peek().is_some() {
                        self.code_start()?;
                    }
                    Control::CallAbsolute { register }
                } else if let Some(Operand::Register(_)) = self.peek() {
                    self.jump()?
                } else if let Some(Operand::Label(name)) = self.peek() {
                    self.next += 1;
                    match LibraryFunction::named(name) {
                        Some(function) => Control::CallLibrary { function },
                        None if name.starts_with("__cudaCDP") => {
                            return Err(format!(
                                "calls `{name}`: kernels that launch kernels are not executed; launch them one by one"
                            ));
                        }
                        None => Control::CallMissing { name: name.clone() },
                    }
                } else {
                    Control::Branch { condition: self.predicate_or(TRUE)?, target: self.target()? }
                }
            }
            "RET" => {
                self.ignore(&["REL", "ABS", "NODEC"]);
                self.jump()?
            }
            "EXIT" => {
                self.ignore(&["NO_ATEXIT"]);
                Control::Exit { condition: self.predicate_or(TRUE)? }
            }
            "BSSY" => {
                let barrier = self.convergence_barrier()?;
                // Where the lanes meet is where their `BSYNC` is.
                self.target()?;
                Control::SetConvergence { barrier }
            }
            "BSYNC" => Control::Converge { barrier: self.convergence_barrier()? },
            "BREAK" => {
                let condition = self.predicate_or(TRUE)?;
                Control::Break { condition, barrier: self.convergence_barrier()? }
            }
            "BMOV" => {
                let clear = self.has("CLEAR");
                self.ignore(&["32", "PQUAD"]);
                if let Some(Operand::Barrier(barrier)) = self.peek() {
                    self.next += 1;
                    Control::RestoreConvergence { barrier: *barrier, source: self.source(Kind::Integer)? }
                } else {
                    let Operand::Register(register) = self.operand()? else { return self.unexpected() };
                    let destination = self.write_row(register.index)?;
                    Control::SaveConvergence { barrier: self.convergence_barrier()?, destination, clear }
                }
            }
            "BAR" => self.barrier()?,
            "B2R" => {
                if !self.has("RESULT") {
                    return Err(format!(
                        "`{}`: only `.RESULT` is known to the emulator",
                        self.instruction.opcode
                    ));
                }
                let Operand::Register(register) = self.operand()? else { return self.unexpected() };
                let destination = self.write_row(register.index)?;
                let predicate =
                    if self.next_is_predicate() { Some(self.predicate_destination()?) } else { None };
                Control::BarrierResult { destination, predicate }
            }
            _ => {
                self.ignore(&["EXCLUSIVE"]);
                if self.has("ALL") {
                    Control::SyncWarp { mask: (Source::Immediate(u32::MAX), Default::default()) }
                } else {
                    Control::SyncWarp { mask: self.source(Kind::Integer)? }
                }
            }
        })
    }

    /// Whatever an instruction waits for or hints at has happened or does not matter; only the registers it
    /// reads count.
    pub(super) fn nothing(&mut self) -> Result<Control, String> {
        self.ignore_all();
        let wide = self.instruction.opcode.contains(".E.");
        while let Some(operand) = self.peek() {
            match operand {
                Operand::Register(_) => drop(self.source(Kind::Integer)?),
                Operand::Memory(_) => drop(self.address(wide)?),
                _ => self.next += 1,
            }
        }
        Ok(Control::Nothing)
    }

    pub(super) fn trap(&mut self) -> Control {
        self.ignore_all();
        self.next = self.instruction.operands.len();
        Control::Trap
    }

    fn target(&mut self) -> Result<u32, String> {
        match *self.operand()? {
            Operand::Target(target) => Ok(target),
            _ => self.unexpected(),
        }
    }

    fn convergence_barrier(&mut self) -> Result<u8, String> {
        match *self.operand()? {
            Operand::Barrier(barrier) => Ok(barrier),
            _ => self.unexpected(),
        }
    }

    /// Perhaps a condition, a register pair and the place in the code that its address is relative to.
    fn jump(&mut self) -> Result<Control, String> {
        let condition = self.predicate_or(TRUE)?;
        let register = self.pair()?;
        Ok(Control::BranchIndexed { condition, base: self.code_start()?, register })
    }

    /// A place in the code, which of an absolute jump is 0.
    fn code_start(&mut self) -> Result<i64, String> {
        match *self.operand()? {
            Operand::Target(target) => Ok(target.into()),
            Operand::Integer(base) => Ok(base),
            _ => self.unexpected(),
        }
    }

    /// A register pair that holds an address in the code.
    fn pair(&mut self) -> Result<(u16, u16), String> {
        match self.source_pair(Kind::Integer)? {
            [(Source::Row(low), _), (Source::Row(high), _)] => Ok((low, high)),
            _ => self.unexpected(),
        }
    }

    /// `BAR.SYNC number [, threads]`, `BAR.ARV number, threads`, `BAR.RED.kind number [, threads], a`.
    fn barrier(&mut self) -> Result<Control, String> {
        self.ignore(&["DEFER_BLOCKING"]);
        let kind = self.one_of(&[
            ("POPC", ReductionKind::Count),
            ("AND", ReductionKind::And),
            ("OR", ReductionKind::Or),
        ]);
        let (arrive, reduce) = (self.has("ARV"), self.has("RED"));
        if !arrive && !reduce && !self.has("SYNC") && !self.has("SYNCALL") {
            return Err(format!("`{}` is no barrier known to the emulator", self.instruction.opcode));
        }
        let number = match self.peek() {
            Some(_) => self.source(Kind::Integer)?.0,
            None => Source::Immediate(0),
        };
        let threads = match self.peek() {
            Some(Operand::Integer(_) | Operand::Register(_)) => Some(self.source(Kind::Integer)?.0),
            _ => None,
        };
        let predicate = if self.next_is_predicate() { Some(self.predicate()?) } else { None };
        let reduction = match (reduce, kind, predicate) {
            (true, Some(kind), Some(predicate)) => Some(Reduction { kind, predicate }),
            (false, None, None | Some(PredicateSource { .. })) => None,
            _ => return self.unexpected(),
        };
        Ok(Control::Barrier { number, threads, reduction, wait: !arrive })
    }
}

// SPDX-License-Identifier: Apache-2.0
//! Proofs that no inputs tell a mutant from its design.
//!
//! The smaller what is proved of, the sooner a prover is done: first the innermost instance that has the
//! fault is asked, then the one around it, and last the whole design, each with any inputs of its protocol.
//! What cannot be told in an instance cannot be told outside of it, as long as what is around it keeps to the
//! protocol: of that the runs of the design itself are the check, in every cycle.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{ensure, Result};

use super::miter::{miter, BOTH, INPUT};
use super::{memories, options, pins, Memory, Mutants, Mutation, Pin, BASE, KEPT, SELECTOR};
use crate::{aiger, autonomous};

/// The knowledge about a mutant that no run told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Equivalence {
    /// It answers as the design does, whatever the inputs.
    Proved,
    /// It can answer differently, or the time did not suffice.
    Open,
}

/// A design that has the fault, in a file of Yosys'.
struct MiterPart<'a> {
    file: String,
    top: String,
    ports: Vec<Pin>,
    memories: Vec<Memory<'a>>,
}

const TOLD_APART: &str = "miter.v";
const MITER: &str = "miter.aig";
const PROVE: &str = "prove.sh";
/// A mutant, cut at its registers.
const GATE: &str = "gate.aig";
const COMPARE: &str = "compare.sh";
/// The name of an instance that stands alone.
const PART: &str = "part";

impl Mutants<'_> {
    /// Tells whether a mutant that runs did not tell from the design can be told from it at all. Yosys and
    /// its ABC have so many seconds for each attempt; the passes that make circuits of the two for them
    /// have no limit.
    ///
    /// First register by register: the next values and the outputs of the two are compared in any state that
    /// they have in common and in which the design keeps to its protocols, and where a run begins, by ABC's
    /// `cec`. Then, if there is a reset, from where a simulation begins, which is all registers at zero and a
    /// reset, and as long as inputs keep to the protocol: what follows no input and agrees in all its states
    /// becomes one, then registers of the two that are always equal or opposite do, and what is left is
    /// proved by property-directed reachability. What has no clock is asked for its outputs under all inputs
    /// of the protocol. This is tried on each instance that has the fault, from the innermost on, and on the
    /// whole design. Of that there is one more: by induction, name by name after what is built alike: two
    /// designs that have agreed for three cycles agree from then on. That they do so at the beginning, the
    /// runs have shown.
    ///
    /// The designs stand without their memories: these answer alike if they are asked alike, so that what
    /// they are asked is compared as outputs are, where it is asked, and what they answer is any input. From
    /// reset, one may read where the other does not (`miter.rs`). Nor does it matter which row of a memory is
    /// which: a mutant that numbers rows in another way is asked in those numbers.
    pub fn equivalence(&self, number: usize, seconds: u64) -> Result<Equivalence> {
        let fault = &self.faults[number - 1];
        let limit = Duration::from_secs(seconds);
        for instance in fault.instances() {
            let Some(part) = self.part(&instance, fault)? else { continue };
            let command = fault
                .command
                .replace(&format!("-module {} ", self.hierarchy.top), &format!("-module {PART} "));
            if self.is_proved(&part, &command, limit)? {
                return Ok(Equivalence::Proved);
            }
        }
        let top = &self.hierarchy.top;
        let whole = self.part_in(BASE.into(), &self.yosys.read(BASE)?, top);
        for undone in self.rows_numbered_again(fault, &whole.memories) {
            let command = fault.command.clone() + &undone;
            // By names, the signal of a fault that is undone is not the one that has its name in the design.
            let renamed = if undone.is_empty() { String::new() } else { self.renames_its_signal(fault) };
            if self.is_proved(&whole, &command, limit)?
                || self.is_proved_by_names(&whole, &(command + &renamed), limit)?
            {
                return Ok(Equivalence::Proved);
            }
        }
        Ok(Equivalence::Open)
    }

    /// An instance as a design of its own, if it can be told by its name which cells are its own, the faulty
    /// one among them.
    fn part(&self, instance: &str, fault: &Mutation) -> Result<Option<MiterPart<'_>>> {
        let plain = |c: char| if c.is_alphanumeric() { c } else { '_' };
        let file = format!("{PART}_{}.il", instance.chars().map(plain).collect::<String>());
        let top = &self.hierarchy.top;
        if !self.yosys.path().join(&file).exists() {
            // Yosys has the whole path in each name, with a backslash before each step. A register's cell may
            // have lost it.
            let pattern = format!("*{}.*", instance.replace(['[', ']'], "?").replace('.', ".*"));
            let script = format!(
                "read_rtlil {BASE}\n\
                 select -set cells {top}/c:{pattern}\n\
                 select -set registers {top}/w:{pattern} %ci1:+[Q] {top}/c:* %i\n\
                 select -set part @cells @registers %u\n\
                 submod -name {PART} @part\n\
                 hierarchy -top {PART}; opt_clean; write_rtlil {file}"
            );
            if !self.yosys.run(&script, None)? {
                return Ok(None);
            }
        }
        let text = self.yosys.read(&file)?;
        let cell = options(&fault.command, "-cell").concat();
        let has_fault =
            |line: &str| line.trim_start().starts_with("cell ") && line.ends_with(&format!(" {cell}"));
        if !text.lines().any(has_fault) {
            return Ok(None);
        }
        Ok(Some(self.part_in(file, &text, PART)))
    }

    /// The design of this name in a file of Yosys' with this text.
    fn part_in(&self, file: String, text: &str, top: &str) -> MiterPart<'_> {
        MiterPart { file, top: top.into(), ports: pins(text, top), memories: memories(self.hierarchy, text) }
    }

    fn is_proved(&self, part: &MiterPart, fault: &str, limit: Duration) -> Result<bool> {
        Ok(self.is_proved_by_registers(part, fault, limit)?
            || part.has("reset") && self.is_proved_from_reset(part, fault, limit)?
            || !part.has("clock") && self.is_proved_by_outputs(part, fault, limit)?)
    }

    fn is_proved_by_registers(&self, part: &MiterPart, fault: &str, limit: Duration) -> Result<bool> {
        let MiterPart { file: base, top, memories, .. } = part;
        // Registers stand in the same order in both; any order that pairs them would do. One that nobody
        // reads after a fault stays.
        let cut = |fault: &str, file: &str, of: Option<&str>| -> Result<bool> {
            let script = format!(
                "read_rtlil {base}; setattr -set keep 1 t:*ff*\n{fault}\n{}\n{}",
                without_memories(top),
                to_aiger(file)
            );
            if !self.yosys.run(&script, None)? {
                return Ok(false);
            }
            let path = |file: &str| self.yosys.path().join(file);
            let is_asked = |output: &str| memories.iter().find_map(|memory| memory.is_asked(output));
            aiger::show_while(
                &path(file),
                of.map(path).as_deref(),
                |name| name.ends_with(KEPT),
                is_asked,
                "reset",
            )?;
            Ok(true)
        };
        let gold = base.replace(".il", "_gold.aig");
        if !self.yosys.path().join(&gold).exists() {
            ensure!(cut("", &gold, None)?, "{top}: Yosys cannot cut it at its registers");
        }
        let parts = [&gold[..], GATE].map(|file| format!("read_aiger {file}; comb; write_aiger comb_{file}"));
        let compare = format!("yosys-abc -c '{}; cec -n comb_{gold} comb_{GATE}'\n", parts.join("; "));
        self.yosys.write(COMPARE, &compare)?;
        // What the mutant says of its registers is not asked.
        if !cut(fault, GATE, Some(&gold))? {
            return Ok(false);
        }
        self.yosys
            .run(&format!("exec -q -expect-stdout Networks.are.equivalent -- sh {COMPARE}"), Some(limit))
    }

    fn is_proved_from_reset(&self, part: &MiterPart, fault: &str, limit: Duration) -> Result<bool> {
        if !self.is_miter_made(part, fault)? {
            return Ok(false);
        }
        // A command of Yosys has no semicolons and takes quotes as they stand. If merging registers leaves
        // nothing, some versions of ABC have no answer: then the property is proved without it.
        let prove = format!(
            "said=$(yosys-abc -c 'read_aiger {MITER}; strash; scorr; dc2; pdr')\n\
             case $said in\n\
             *\"All outputs solved\"*UNDECIDED*) yosys-abc -c 'read_aiger {MITER}; strash; dc2; pdr' ;;\n\
             *) echo \"$said\" ;;\n\
             esac\n"
        );
        self.yosys.write(PROVE, &prove)?;
        autonomous::merge(&self.yosys.path().join(MITER), &format!("{INPUT}reset"))?;
        self.yosys.run(&format!("exec -q -expect-stdout Property.proved -- sh {PROVE}"), Some(limit))
    }

    fn is_proved_by_outputs(&self, part: &MiterPart, fault: &str, limit: Duration) -> Result<bool> {
        if !self.is_miter_made(part, fault)? {
            return Ok(false);
        }
        let prove = format!("yosys-abc -c 'read_aiger {MITER}; strash; dc2; dc2; fraig; sat'\n");
        self.yosys.write(PROVE, &prove)?;
        self.yosys.run(&format!("exec -q -expect-stdout UNSATISFIABLE -- sh {PROVE}"), Some(limit))
    }

    /// Makes a circuit that tells, within the protocol, whether the two differ.
    fn is_miter_made(&self, part: &MiterPart, fault: &str) -> Result<bool> {
        self.yosys.write(TOLD_APART, &miter(&part.ports, &part.memories))?;
        let script = format!(
            "{}read_verilog {TOLD_APART}; hierarchy -top {BOTH}; proc; flatten\n{}",
            both(part, fault, ""),
            to_aiger(MITER)
        );
        self.yosys.run(&script, None)
    }

    fn is_proved_by_names(&self, part: &MiterPart, fault: &str, limit: Duration) -> Result<bool> {
        let script = format!(
            "{}equiv_make gold gate {BOTH}; hierarchy -top {BOTH}; opt_clean; opt_merge -share_all; opt_clean\n\
             equiv_struct; equiv_simple\n\
             equiv_induct -seq 3; equiv_status -assert",
            both(part, fault, BITS)
        );
        self.yosys.run(&script, Some(limit))
    }

    /// Commands that may have to come after a fault so that it can't be told: nothing, or the fault's
    /// reverse at the address of a memory, for each address that it might change. No answer tells which row
    /// is which, as long as all accesses go to one address and rows that are there change places.
    fn rows_numbered_again(&self, fault: &Mutation, memories: &[Memory]) -> Vec<String> {
        let of = |name: &str| options(&fault.command, name).concat();
        let number = |name: &str| of(name).parse::<usize>().ok();
        let exchanged: Box<dyn Fn(usize) -> usize> =
            match (&fault.mode[..], number("-portbit"), number("-ctrlbit")) {
                ("inv", Some(bit), _) => Box::new(move |row| row ^ 1 << bit),
                ("cnot0", Some(bit), Some(by)) => Box::new(move |row| row ^ (!row >> by & 1) << bit),
                ("cnot1", Some(bit), Some(by)) => Box::new(move |row| row ^ (row >> by & 1) << bit),
                _ => return vec![String::new()],
            };
        let bit = |name| Some(of(name)).filter(|bit| !bit.is_empty()).map(|bit| format!(" {name} {bit}"));
        let bits: String = ["-portbit", "-ctrlbit"].into_iter().filter_map(bit).collect();
        let (mode, top) = (&fault.mode, &self.hierarchy.top);
        let at_memory = fault.is_at_an_address();
        // Memories that one signal asks change their rows together.
        let mut undone = BTreeMap::<&str, String>::new();
        for Memory { cell, address, rows, .. } in memories.iter().filter(|memory| memory.has_one_address()) {
            let is_one_to_one = (0..*rows).all(|row| exchanged(row) < *rows);
            if is_one_to_one && (!at_memory || *cell == of("-cell")) {
                *undone.entry(address).or_default() +=
                    &format!("\nmutate -mode {mode} -module {top} -cell \\{cell} -port \\address{bits}");
            }
        }
        [String::new()].into_iter().chain(undone.into_values()).collect()
    }

    /// Commands after which the signal at the place of a fault has another name, if it has one and is no
    /// port.
    fn renames_its_signal(&self, fault: &Mutation) -> String {
        let wire = options(&fault.command, "-wire").concat();
        let is_port = self.hierarchy.top_module().ports.iter().any(|port| port.name == wire);
        match fault.is_at_an_address() || is_port || wire.is_empty() {
            true => String::new(),
            false => format!("\ncd {top}\nrename {wire} {SELECTOR}_{wire}\ncd", top = self.hierarchy.top),
        }
    }
}

/// Commands for a design bit by bit: what nobody reads of a vector is gone.
const BITS: &str = "simplemap; opt -fast; ";

/// Commands that make the design and the mutant, `gold` and `gate`, without their memories.
fn both(part: &MiterPart, fault: &str, then: &str) -> String {
    let MiterPart { file, top, .. } = part;
    let ends = format!("{}; {then}rename {top}", without_memories(top));
    format!(
        "read_rtlil {file}; {ends} gold\n\
         design -stash gold\n\
         read_rtlil {file}\n{fault}\n{ends} gate\n\
         design -stash gate\n\
         design -copy-from gold -as gold gold; design -copy-from gate -as gate gate\n"
    )
}

/// Commands after which a design stands without its memories: what they are asked are outputs, and what they
/// answer inputs.
fn without_memories(top: &str) -> String {
    format!("memory_map {top}; opt_clean; expose -evert {top}/c:*")
}

/// Commands that write a design as a circuit for ABC, which is faster than Yosys in finding what is not
/// needed.
fn to_aiger(file: &str) -> String {
    format!(
        "simplemap; techmap; dffunmap; simplemap; setundef -undriven -zero; zinit -all; aigmap\n\
         write_aiger -zinit -symbols {file}\n"
    )
}

impl MiterPart<'_> {
    fn has(&self, port: &str) -> bool {
        self.ports.iter().any(|pin| pin.name == port)
    }
}

impl Mutation {
    /// The instances that have the fault, by their paths, the innermost first.
    fn instances(&self) -> Vec<String> {
        let cell = options(&self.command, "-cell").concat().replace('\\', "");
        // A register that Yosys has made again bears the name of what it holds.
        let mut path = match (cell.strip_prefix("$flatten"), &self.wire) {
            (Some(path), _) => path.split(".$").next().unwrap_or_default().to_string(),
            (None, Some(wire)) => parent(wire),
            (None, None) => String::new(),
        };
        let mut instances = vec![];
        while !path.is_empty() {
            let around = parent(&path);
            // A block of a loop is no instance.
            if !path.ends_with(']') {
                instances.push(path);
            }
            path = around;
        }
        instances
    }
}

/// A path without its last step.
fn parent(path: &str) -> String {
    path.rsplit_once('.').map_or(String::new(), |(around, _)| around.to_string())
}

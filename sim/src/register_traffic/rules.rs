// SPDX-License-Identifier: Apache-2.0
//! How to count: as C describes it, or as RFC-sim does.

/// RFC-sim's departures from C, each switched alone. `docs/register-traffic.md` goes through them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// A read hit clears the dirty bit: the value is then never written back.
    pub read_hit_cleans: bool,
    /// Operands are one register each. Matrix instructions are apart: all are taken for one shape.
    pub operands_named_once: bool,
    /// RZ is read and written as any register.
    pub zero_register_counts: bool,
    /// A register named twice by an instruction is read twice.
    pub repetitions_count: bool,
    /// 32 caches, by the number of the warp modulo 32, which no end of a warp, block or kernel empties.
    pub caches_persist: bool,
    /// Results are looked up in the state before the instruction, and hits and fills happen operand by
    /// operand.
    pub results_look_up_before: bool,
    /// A write hit renews an entry under FIFO too, and entries touched by one instruction leave by number of
    /// their way.
    pub ages_by_instruction: bool,
    /// Write-through takes in a missing result dirty, and does not write it to the register file.
    pub through_misses_stay: bool,
    /// A flag of a source slot is applied to the register at this position in the trace.
    pub flags_by_slot: bool,
    /// Instructions from program counter 0x10000 on, and all of traces before version 3, are passed over.
    pub long_lines_skipped: bool,
    /// Energies are summed in single precision.
    pub single_precision: bool,
}

/// One of the ways in which [`Rules`] differ.
pub struct Difference {
    /// RFC-sim's behaviour, in words.
    pub name: &'static str,
    /// The rule of some rules, to read and to set.
    pub rule: fn(&mut Rules) -> &mut bool,
}

impl Rules {
    /// As C describes it, with full operand lists.
    pub const PAPER: Rules = Rules {
        read_hit_cleans: false,
        operands_named_once: false,
        zero_register_counts: false,
        repetitions_count: false,
        caches_persist: false,
        results_look_up_before: false,
        ages_by_instruction: false,
        through_misses_stay: false,
        flags_by_slot: false,
        long_lines_skipped: false,
        single_precision: false,
    };

    /// As RFC-sim does.
    pub const RFC_SIM: Rules = Rules {
        read_hit_cleans: true,
        operands_named_once: true,
        zero_register_counts: true,
        repetitions_count: true,
        caches_persist: true,
        results_look_up_before: true,
        ages_by_instruction: true,
        through_misses_stay: true,
        flags_by_slot: true,
        long_lines_skipped: true,
        single_precision: true,
    };

    /// All differences, the one that matters most first.
    pub const DIFFERENCES: &'static [Difference] = &[
        Difference { name: "a read hit clears the dirty bit", rule: |rules| &mut rules.read_hit_cleans },
        Difference { name: "operands are named once", rule: |rules| &mut rules.operands_named_once },
        Difference { name: "RZ counts", rule: |rules| &mut rules.zero_register_counts },
        Difference { name: "repeated sources count", rule: |rules| &mut rules.repetitions_count },
        Difference { name: "caches persist over warps", rule: |rules| &mut rules.caches_persist },
        Difference {
            name: "results are looked up before the instruction",
            rule: |rules| &mut rules.results_look_up_before,
        },
        Difference { name: "ages count instructions", rule: |rules| &mut rules.ages_by_instruction },
        Difference { name: "write-through keeps misses", rule: |rules| &mut rules.through_misses_stay },
        Difference { name: "reuse flags go by slot", rule: |rules| &mut rules.flags_by_slot },
        Difference { name: "long lines are skipped", rule: |rules| &mut rules.long_lines_skipped },
        Difference { name: "energies in single precision", rule: |rules| &mut rules.single_precision },
    ];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_differences_lead_from_one_to_the_other() {
        let mut rules = Rules::RFC_SIM;
        for difference in Rules::DIFFERENCES {
            let rule = (difference.rule)(&mut rules);
            assert!(*rule, "{} is listed twice", difference.name);
            *rule = false;
        }
        assert_eq!(rules, Rules::PAPER);
    }
}

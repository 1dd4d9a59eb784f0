// SPDX-License-Identifier: Apache-2.0
//! A register cache as the study varies it.

use gpurf_blocks::{
    CacheAllocation, CacheReplacement, CacheWrite, DestinationMapping, ParameterError, Parameters,
};
use serde::Serialize;

/// Where a lookup searches. C §IV-C speaks of allocation only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    /// In the set that the source's position or the destination's number names, as RFC-sim does. A register
    /// can then lie in several sets, and a copy does not learn of a write to another.
    Set,
    /// In all sets. A register lies in the cache once, and a write finds it where it is.
    Cache,
}

/// A register cache: its parameters in the hardware's names, and what only the study has.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Configuration {
    /// Registers that a warp has room for.
    pub entries: usize,
    /// Entries of a set.
    pub ways: usize,
    /// The operands that are taken in.
    pub allocation: CacheAllocation,
    /// Takes in a result only if one of so many next instructions of the warp names its register; sources as
    /// with compiler-aided allocation. Instead of `allocation`.
    pub look_ahead: Option<usize>,
    /// Which set a result goes into.
    pub mapping: DestinationMapping,
    /// Which entry is replaced.
    pub replacement: CacheReplacement,
    /// When results reach the register file.
    pub write: CacheWrite,
    /// Lanes that share a tag.
    pub tag_lanes: usize,
    /// Lanes that share a bank.
    pub bank_lanes: usize,
    /// Where a look-up searches.
    pub reach: Reach,
}

impl Configuration {
    /// With the parameters of the hardware; those that are not the register cache's are ignored.
    pub fn new(parameters: &Parameters, reach: Reach) -> Configuration {
        Configuration {
            entries: parameters.rc_entries,
            ways: parameters.rc_ways,
            allocation: parameters.rc_allocation,
            look_ahead: None,
            mapping: parameters.rc_mapping,
            replacement: parameters.rc_replacement,
            write: parameters.rc_write,
            tag_lanes: parameters.rc_tag_lanes,
            bank_lanes: parameters.rc_bank_lanes,
            reach,
        }
    }

    /// The eight of C Table VI, in its order: 8 entries, FIFO, write-back, 8 banks of 128 bits, tags for each
    /// thread.
    pub fn table_vi(reach: Reach) -> Vec<Configuration> {
        use CacheAllocation::{CompilerAided, Write};
        use DestinationMapping::{Interleaving, Linear};
        let one = |ways, allocation, mapping| Configuration {
            entries: 8,
            ways,
            allocation,
            look_ahead: None,
            mapping,
            replacement: CacheReplacement::Fifo,
            write: CacheWrite::Back,
            tag_lanes: 1,
            bank_lanes: 4,
            reach,
        };
        vec![
            one(8, Write, Interleaving),
            one(8, CompilerAided, Interleaving),
            one(4, Write, Linear),
            one(4, Write, Interleaving),
            one(2, Write, Linear),
            one(2, Write, Interleaving),
            one(2, CompilerAided, Linear),
            one(2, CompilerAided, Interleaving),
        ]
    }

    /// Its parameters as settings of the hardware, `KEY=VALUE` as `--set` takes them. Reach and look-ahead
    /// are none: hardware searches the whole cache, and knows no instruction before its issue.
    pub fn settings(&self) -> Vec<String> {
        let named = |key: &str, value: &str| format!("{key}={value}");
        let number = |key: &str, value: usize| format!("{key}={value}");
        vec![
            number("rc_entries", self.entries),
            number("rc_ways", self.ways),
            named("rc_allocation", (&self.allocation).into()),
            named("rc_mapping", (&self.mapping).into()),
            named("rc_replacement", (&self.replacement).into()),
            named("rc_write", (&self.write).into()),
            number("rc_tag_lanes", self.tag_lanes),
            number("rc_bank_lanes", self.bank_lanes),
        ]
    }

    /// Every combination of these settings, `KEY=VALUE` or `KEY=VALUE,VALUE`, on the hardware's defaults with
    /// tags for each thread, as C counts.
    pub fn combinations(
        settings: &[String],
        reach: Reach,
        look_ahead: Option<usize>,
    ) -> Result<Vec<Configuration>, ParameterError> {
        let mut all = vec![Parameters { rc_tag_lanes: 1, ..Parameters::default() }];
        for setting in settings {
            let (key, values) = setting.split_once('=').ok_or_else(|| {
                ParameterError(format!("`{setting}` is no setting; write one as rc_ways=2 or rc_ways=2,4,8"))
            })?;
            if !key.starts_with("rc_") {
                return Err(ParameterError(format!(
                    "{key} is no parameter of a register cache; theirs start with rc_, as rc_ways does"
                )));
            }
            let mut next = vec![];
            for parameters in &all {
                for value in values.split(',') {
                    let mut parameters = *parameters;
                    parameters.set(key, value)?;
                    next.push(parameters);
                }
            }
            all = next;
        }
        for parameters in &all {
            parameters.check()?;
        }
        Ok(all
            .iter()
            .map(|parameters| Configuration { look_ahead, ..Configuration::new(parameters, reach) })
            .collect())
    }

    /// Number of sets.
    pub fn sets(&self) -> usize {
        self.entries / self.ways
    }

    /// As tables name it: `2w compiler_aided interleaving`, and what differs from C's choices.
    pub fn label(&self) -> String {
        let mut label = format!("{}w", self.ways);
        match self.look_ahead {
            Some(window) => label += &format!(" look_ahead({window})"),
            None => label += &format!(" {}", <&str>::from(&self.allocation)),
        }
        if self.sets() > 1 {
            label += &format!(" {}", <&str>::from(&self.mapping));
        }
        if self.entries != 8 {
            label += &format!(" {} entries", self.entries);
        }
        if self.replacement != CacheReplacement::Fifo {
            label += &format!(" {}", <&str>::from(&self.replacement));
        }
        if self.write != CacheWrite::Back {
            label += " write-through";
        }
        if self.tag_lanes != 1 {
            label += " tags per warp";
        }
        if self.bank_lanes != 4 {
            label += " 32-bit banks";
        }
        if self.reach == Reach::Cache && self.sets() > 1 {
            label += " reach cache";
        }
        label
    }
}

// SPDX-License-Identifier: Apache-2.0
//! Which values go together, and what follows from them.

use super::{Allocation, IssueLatch, ParameterError, Parameters, Values, MAX_COLLECTORS, PARAMETERS};

impl Parameters {
    /// Returns an error unless the values go together.
    pub fn check(&self) -> Result<(), ParameterError> {
        self.check_of(|_| true)
    }

    /// Checks the values that a module has: `has` is asked for the names of each pair.
    pub fn check_of(&self, has: impl Fn([&str; 2]) -> bool) -> Result<(), ParameterError> {
        let Parameters { entries, slots, pcrf_latency, next_latency, collectors, warps, .. } = *self;
        if has(["entries", "slots"]) && slots >= entries {
            let larger =
                numbers("entries").filter(|entries| *entries > slots).map(|number| number.to_string());
            return Err(ParameterError(format!(
                "entries={entries} is not more than slots={slots}: replacement could find every entry locked; set \
                 slots to at most {} or entries to {}",
                entries - 1,
                larger.collect::<Vec<_>>().join(" or "),
            )));
        }
        if has(["next_latency", "pcrf_latency"]) && next_latency > pcrf_latency {
            return Err(ParameterError(format!(
                "next_latency={next_latency} is more than pcrf_latency={pcrf_latency}: the next pointer is part of \
                 the tag; set next_latency to at most {pcrf_latency}"
            )));
        }
        let is_private = self.allocation == Allocation::Private && collectors != warps;
        if has(["allocation", "collectors"]) && is_private {
            return Err(ParameterError(match warps <= MAX_COLLECTORS {
                true => format!(
                    "allocation=private needs a collector for each of {warps} warps; set collectors={warps}"
                ),
                false => format!(
                    "allocation=private needs a collector for each of {warps} warps, and there are at most \
                     {MAX_COLLECTORS}; set warps={MAX_COLLECTORS} or another allocation"
                ),
            }));
        }
        if has(["allocate_on_arrival", "accesses"]) && self.allocate_on_arrival && self.accesses > 1 {
            return Err(ParameterError(format!(
                "allocate_on_arrival=true gives one value a cycle its entry, and accesses={} lets more arrive; set \
                 accesses=1 or allocate_on_arrival=false",
                self.accesses
            )));
        }
        if has(["lenders", "issue_latch"]) && self.lenders > 0 && self.issue_latch != IssueLatch::None {
            return Err(ParameterError(format!(
                "lenders={} names rows for an instruction that enters a collector at once, and there are latches before \
                 the collectors; set issue_latch=none or lenders=0",
                self.lenders
            )));
        }
        if has(["rc_ways", "rc_entries"]) && self.rc_ways > self.rc_entries {
            let Parameters { rc_ways, rc_entries, .. } = self;
            return Err(ParameterError(format!(
                "rc_ways={rc_ways} is more than rc_entries={rc_entries}: a set has at most all entries; set rc_ways to \
                 at most {rc_entries}"
            )));
        }
        Ok(())
    }

    /// The same with a collector of its own for every warp of the sub-core: warp w in collector w.
    pub fn private(&self) -> Self {
        Parameters { collectors: self.warps, allocation: Allocation::Private, ..*self }
    }

    /// Bits of a collector's number, at least one.
    pub fn collector_bits(&self) -> usize {
        (self.collectors.ilog2() as usize).max(1)
    }

    /// Bits of a cache-table entry's number: 3 for 8 entries.
    pub fn entry_bits(&self) -> usize {
        self.entries.ilog2() as usize
    }

    /// Bits of a PCRF pointer: 10 for 1024 entries.
    pub fn pointer_bits(&self) -> usize {
        self.pcrf_entries.next_power_of_two().ilog2() as usize
    }
}

/// The numbers that a parameter can be.
fn numbers(name: &str) -> impl Iterator<Item = usize> {
    let parameter = PARAMETERS.iter().find(|parameter| parameter.name == name).expect("a parameter");
    debug_assert!(matches!(parameter.values, Values::OneOf(_) | Values::Range { .. }));
    parameter.values.texts().map(|text| text.parse().expect("a number"))
}

// SPDX-License-Identifier: Apache-2.0
//! Sums over a design whose modules were mapped one by one: a module counts wherever it is instanced.

use std::collections::BTreeMap;

use super::run::RunReport;

/// Reports of the modules of a design.
pub struct ReportTree<'a> {
    pub top: &'a str,
    pub modules: BTreeMap<&'a str, &'a RunReport>,
}

impl ReportTree<'_> {
    /// Sums `own` over a module and all instances below it.
    pub fn sum(&self, module: &str, own: &impl Fn(&RunReport) -> f64) -> f64 {
        let Some(report) = self.modules.get(module) else { return 0.0 };
        let below = report.cells.iter().filter(|(cell, _)| self.modules.contains_key(cell.as_str()));
        own(report) + below.map(|(cell, count)| *count as f64 * self.sum(cell, own)).sum::<f64>()
    }

    /// How often each module stands in the design.
    pub fn instances(&self) -> BTreeMap<&str, u64> {
        let mut instances = BTreeMap::new();
        self.count(self.top, 1, &mut instances);
        instances
    }

    fn count<'a>(&'a self, module: &str, times: u64, instances: &mut BTreeMap<&'a str, u64>) {
        let Some((name, report)) = self.modules.get_key_value(module) else { return };
        *instances.entry(name).or_default() += times;
        report.cells.iter().for_each(|(cell, count)| self.count(cell, times * count, instances));
    }

    /// Cells of the whole design by kind, its modules not among them.
    pub fn cells(&self) -> BTreeMap<String, u64> {
        let mut cells = BTreeMap::new();
        for (module, instances) in self.instances() {
            let own = self.modules[module].cells.iter();
            for (cell, count) in own.filter(|(cell, _)| !self.modules.contains_key(cell.as_str())) {
                *cells.entry(cell.clone()).or_default() += instances * count;
            }
        }
        cells
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::statistics::tests::STAT;
    use super::super::statistics::{own_cells, own_memory_bits};
    use super::*;

    fn report(module: &str) -> RunReport {
        let (cells, tool) = own_cells(STAT, module).unwrap();
        let memory_bits = own_memory_bits(STAT, module).unwrap();
        RunReport { tool, cells, memory_bits, logic_depth: 0, longest_path_ns: None, time: Duration::ZERO }
    }

    #[test]
    fn cells_are_summed_over_the_hierarchy() {
        let reports = ["top", "middle", "leaf"].map(report);
        let [top, middle, leaf] = &reports;
        let tree =
            ReportTree { top: "top", modules: [("top", top), ("middle", middle), ("leaf", leaf)].into() };
        assert_eq!(tree.instances(), [("top", 1), ("middle", 2), ("leaf", 6)].into());
        let gates = |report: &RunReport| {
            report
                .cells
                .iter()
                .filter(|(cell, _)| cell.ends_with("_X1"))
                .map(|(_, count)| *count as f64)
                .sum()
        };
        // 2 gates + 2 × (1 flip-flop + 3 × 4 inverters).
        assert_eq!(tree.sum("top", &gates), 28.0);
        assert_eq!(tree.sum("middle", &gates), 13.0);
        assert_eq!(tree.sum("top", &|report| report.memory_bits as f64), 96.0);
        let cells = [("NAND2_X1", 2), ("DFF_X1", 2), ("INV_X1", 24), ("$mem_v2", 6)];
        assert_eq!(tree.cells(), cells.map(|(cell, count)| (cell.to_string(), count)).into());
    }
}

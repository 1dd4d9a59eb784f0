// SPDX-License-Identifier: Apache-2.0
//! Syntheses as tables for people.

use comfy_table::{presets, CellAlignment, Table};
use indicatif::HumanCount;

use super::{Structure, Synthesis};
use crate::memories::{Memories, MemoryArray};
use crate::origin::Origin;

impl Synthesis {
    /// The tool that measured it, and when, if that was not now.
    pub fn provenance(&self) -> String {
        match &self.measured {
            Some(Origin { date, commit }) => format!("{}, {date}, commit {commit}", self.tool),
            None => self.tool.clone(),
        }
    }

    /// One line per synthesized module: what it costs, flattened or as the sum over its modules. Memories
    /// have area and delay by CACTI; without any, these columns are left out.
    pub fn summary(all: &[Synthesis]) -> Table {
        let has_memories = all.iter().any(|one| !one.memories.is_empty());
        let of_memories: &[&str] = if has_memories { &MEMORY_COLUMNS } else { &[] };
        let cells = ["module", "area µm²", "GE", "flip-flops", "of area", "memory bits"];
        let mut table = table(&[&cells, of_memories, &["depth", "path ns"]].concat());
        let figures = Memories::default();
        for synthesis in all {
            let of_memories = memory_columns(&figures, &synthesis.memories);
            let cells = [
                synthesis.top.clone(),
                grouped(synthesis.area_um2),
                grouped(synthesis.gate_equivalents),
                grouped(synthesis.flip_flops as f64),
                format!(
                    "{:.0}%",
                    100.0 * synthesis.flip_flop_area_um2 / synthesis.area_um2.max(f64::MIN_POSITIVE)
                ),
                grouped(synthesis.memory_bits as f64),
            ];
            let paths = [
                synthesis.logic_depth.to_string(),
                synthesis.longest_path_ns.map_or("-".to_string(), |path| format!("{path:.3}")),
            ];
            let of_memories = of_memories.into_iter().filter(|_| has_memories);
            table.add_row(cells.into_iter().chain(of_memories).chain(paths));
        }
        table
    }

    /// One line per flattened module: how far the sum over the modules in it is from what it costs. None
    /// without modules that have others in them.
    pub fn by_module(all: &[Synthesis]) -> Option<Table> {
        let mut rows =
            table(&["module", "flattened µm²", "by module µm²", "difference", "flattened s", "by module s"]);
        let flattened =
            all.iter().filter(|one| one.structure == Structure::Flattened && one.modules.len() > 1);
        for one in flattened {
            let sum = one.modules[0].area_um2;
            rows.add_row([
                one.top.clone(),
                grouped(one.area_um2),
                grouped(sum),
                format!("{:+.1}%", 100.0 * (sum / one.area_um2 - 1.0)),
                grouped(one.seconds - one.seconds_by_module),
                grouped(one.seconds_by_module),
            ]);
        }
        (!rows.is_empty()).then_some(rows)
    }

    /// One line per distinct module inside: where the area goes, hierarchy kept.
    pub fn hierarchy(&self) -> Table {
        let mut table = table(&[
            "module",
            "instances",
            "area µm²",
            "without submodules",
            "GE",
            "flip-flops",
            "memory bits",
        ]);
        for module in &self.modules {
            table.add_row([
                module.module.clone(),
                module.instances.to_string(),
                grouped(module.area_um2),
                grouped(module.own_area_um2),
                grouped(module.gate_equivalents),
                grouped(module.flip_flops as f64),
                grouped(module.memory_bits as f64),
            ]);
        }
        table
    }

    /// Explanation of the numbers of modules synthesized together; goes under their table.
    pub fn notes(all: &[Synthesis]) -> String {
        let Some(Synthesis { tool, library, delay_target_ps, gate_equivalent_um2, clock_gating, .. }) =
            all.first()
        else {
            return String::new();
        };
        let gating = if *clock_gating { "with" } else { "without" };
        let unswept: Vec<_> =
            all.iter().filter(|one| !one.sat_sweeping).map(|one| one.top.as_str()).collect();
        let sweeping = match &unswept[..] {
            [] => String::new(),
            tops => format!(" Without SAT sweeping: {}.", tops.join(", ")),
        };
        let sums: Vec<_> =
            all.iter().filter(|one| one.structure == Structure::Kept).map(|one| one.top.as_str()).collect();
        let sums = match &sums[..] {
            [] => String::new(),
            tops => {
                format!(" Sums over modules that are mapped one by one, not flattened: {}.", tops.join(", "))
            }
        };
        format!(
            "{tool}, {library}, delay target {delay_target_ps} ps, {gating} clock gating; 1 GE = {gate_equivalent_um2} \
             µm². Areas are those of cells, without wires; memories stand beside them, by CACTI at 45 nm. Paths: ideal \
             clock, no wires.{sweeping}{sums}{}",
            Synthesis::not_now(all)
        )
    }

    /// Which modules were not measured now.
    fn not_now(all: &[Synthesis]) -> String {
        let older = all.iter().filter(|one| one.measured.is_some());
        let older: Vec<_> = older.map(|one| format!("{} ({})", one.top, one.provenance())).collect();
        match older.is_empty() {
            true => String::new(),
            false => format!(" Not measured now, but last with: {}.", older.join("; ")),
        }
    }
}

/// Columns that memories add to a table: area of all of them, and the access time of the slowest.
pub(crate) const MEMORY_COLUMNS: [&str; 2] = ["memory µm²", "memory ns"];

/// Cells of [`MEMORY_COLUMNS`]: a minus where there are no figures for a size.
pub(crate) fn memory_columns(figures: &Memories, arrays: &[MemoryArray]) -> [String; 2] {
    match figures.area(arrays) {
        Ok(_) if arrays.is_empty() => ["0".to_string(), "-".to_string()],
        Ok(area) => [grouped(area.um2), format!("{:.3}", area.access_ns)],
        Err(_) => ["-".to_string(), "-".to_string()],
    }
}

/// A table in the style of all of the tool's: a border, and no lines between the rows. The first column is
/// text, the others are numbers.
pub fn table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::UTF8_BORDERS_ONLY).set_header(header);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

/// A number without decimals, digits in groups of three.
pub(crate) fn grouped(number: f64) -> String {
    let digits = HumanCount(number.abs().round_ties_even() as u64);
    format!("{}{digits}", if number <= -0.5 { "-" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_grouped() {
        assert_eq!([0.4, 999.6, 1234567.0, -1500.0].map(grouped), ["0", "1,000", "1,234,567", "-1,500"]);
    }
}

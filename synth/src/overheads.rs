// SPDX-License-Identifier: Apache-2.0
//! The papers' overhead claims beside what the RTL has: registers counted, areas synthesized.

use std::collections::BTreeMap;
use std::fmt;

use anyhow::{Context, Result};
use comfy_table::{presets, CellAlignment, ContentArrangement, Table};
use serde::Serialize;

use crate::memories::{Memories, MemoryArea, MemoryArray, Ports, ProcessNode};
use crate::paper::{ArithmeticVerdict, Contradiction, Paper, PaperClaim};
use crate::registers::{by_name, Registers};
use crate::synthesis::{grouped, memory_columns, table, Synthesis, MEMORY_COLUMNS};

/// The register file that collectors are compared with: 256 KB in the banks of four sub-cores, single-ported,
/// with a register of a warp in each row.
const REGISTER_FILE: MemoryArray = MemoryArray { rows: 256, width: 1024, ports: Ports::ONE, count: 8 };

/// A module built for a paper: its registers, and its area unless areas are left out.
#[derive(Clone, Debug, Serialize)]
pub struct MeasuredModule {
    /// Its name in the paper's expressions.
    pub name: String,
    /// Its Verilog name, which has its parameters.
    pub verilog: String,
    /// Bits of a register value in it.
    pub data_width: u64,
    /// Its registers and memories.
    pub registers: Registers,
    /// Area and delay of its memories.
    pub memory: MemoryArea,
    /// Its synthesized area.
    pub area: Option<Area>,
}

/// Area of a module's cells, memories left out.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Area {
    /// In µm².
    pub um2: f64,
    /// In areas of a NAND of two inputs.
    pub gate_equivalents: f64,
}

impl From<&Synthesis> for Area {
    fn from(synthesis: &Synthesis) -> Area {
        Area { um2: synthesis.area_um2, gate_equivalents: synthesis.gate_equivalents }
    }
}

/// All audits; JSON through serde, tables through `Display`.
#[derive(Clone, Debug, Serialize)]
pub struct Overheads {
    /// The audits of each paper.
    pub audits: Vec<Audit>,
}

/// One paper's claims beside the RTL.
#[derive(Clone, Debug, Serialize)]
pub struct Audit {
    /// The letter by which it is cited.
    pub paper: String,
    /// Its title.
    pub title: String,
    /// Modules that are built for it.
    pub modules: Vec<MeasuredModule>,
    /// Its claims of storage and area.
    pub findings: Vec<Finding>,
    /// Where it does not agree with itself.
    pub contradictions: Vec<Contradiction>,
    /// Claims that other commands measure.
    pub not_measured: Vec<NotMeasured>,
}

/// One claim, computed and measured, in the claim's unit.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    /// As `papers` calls it.
    pub id: String,
    /// The section of the paper.
    pub section: String,
    /// The paper's words.
    pub quote: String,
    /// The number that it gives.
    pub claimed: Option<f64>,
    /// The claim says "less than".
    pub bound: bool,
    /// The unit of all numbers here.
    pub unit: String,
    /// From the paper's own numbers: how, and what comes out.
    pub computed: Vec<(String, f64)>,
    /// In registers of the RTL.
    pub counted: Option<f64>,
    /// In synthesized area.
    pub area: Option<f64>,
    /// True if the paper's own numbers give it.
    pub verdict: ArithmeticVerdict,
    /// True if the RTL's count supports the claim.
    pub rtl_supports: Option<bool>,
    /// A remark about it.
    pub note: Option<String>,
}

#[derive(Clone, Debug, Serialize)]
pub struct NotMeasured {
    pub id: String,
    pub section: String,
    pub quote: String,
    pub claimed: Option<f64>,
    pub unit: String,
    pub measured_by: String,
}

/// Audits the claims of a paper. `modules`: those of [`Paper::modules`], in their order.
///
/// # Errors
/// If an expression of a claim cannot be evaluated, or a contradiction does not hold: the message names
/// the paper and the claim.
pub fn audit(paper: &Paper, papers: &[Paper], modules: Vec<MeasuredModule>) -> Result<Audit> {
    findings(paper, papers, modules).with_context(|| format!("paper {}", paper.key))
}

fn findings(paper: &Paper, papers: &[Paper], modules: Vec<MeasuredModule>) -> Result<Audit> {
    let has_areas = modules.iter().all(|module| module.area.is_some());
    let own = paper.variables(papers);
    let mut rtl = own.clone();
    rtl.add(&rtl_variables(&modules));
    let evaluate = |expression: &Option<String>| expression.as_ref().map(|text| rtl.number(text)).transpose();
    let finding = |claim: &PaperClaim| -> Result<Finding> {
        let computed = claim.computed(&own)?;
        let named = || format!("claim {}", claim.id);
        let counted = evaluate(&claim.counted).with_context(named)?;
        let what = claim.readings.iter().map(|reading| reading.what.clone());
        Ok(Finding {
            id: claim.id.clone(),
            section: claim.section.clone(),
            quote: claim.quote.clone(),
            claimed: claim.claimed(),
            bound: claim.relation == crate::paper::Relation::Less,
            unit: claim.unit.clone(),
            verdict: claim.verdict(&computed),
            computed: what.zip(computed).collect(),
            counted,
            area: match &claim.area {
                // Without the areas of all modules, those are left out that want one which is not there.
                Some(text) if has_areas || rtl.knows(text)? => Some(rtl.number(text).with_context(named)?),
                _ => None,
            },
            rtl_supports: counted.and_then(|counted| claim.supports(counted)),
            note: claim.note.clone(),
        })
    };
    let not_measured = |claim: &PaperClaim| {
        Some(NotMeasured {
            id: claim.id.clone(),
            section: claim.section.clone(),
            quote: claim.quote.clone(),
            claimed: claim.claimed(),
            unit: claim.unit.clone(),
            measured_by: claim.measured_by.clone()?,
        })
    };
    let audited = paper.claims.iter().filter(|claim| claim.measured_by.is_none());
    let findings = audited.map(finding).collect::<Result<_>>()?;
    for contradiction in &paper.contradictions {
        let shown = contradiction.shown(&own)? != Some(false);
        anyhow::ensure!(shown, "the numbers do not show that {}", contradiction.what);
    }
    Ok(Audit {
        paper: paper.key.clone(),
        title: paper.title.clone(),
        modules,
        findings,
        contradictions: paper.contradictions.clone(),
        not_measured: paper.claims.iter().filter_map(not_measured).collect(),
    })
}

/// Area of the register file at 45 nm, in mm².
fn register_file_mm2() -> f64 {
    let area = Memories::default().area(&[REGISTER_FILE]).expect("CACTI was run for its banks");
    area.um2 / 1e6
}

/// Variables that `counted` and `area` expressions may use besides the paper's parameters.
fn rtl_variables(modules: &[MeasuredModule]) -> BTreeMap<String, f64> {
    let figures = Memories::default();
    let mut variables = BTreeMap::from([("register_file_mm2".to_string(), register_file_mm2())]);
    for node in ProcessNode::all() {
        let (nm, bit_cell) = (node.nm(), node.bit_cell_um2());
        variables.insert(format!("bit_cell_{nm}nm_um2"), bit_cell);
        variables.insert(format!("to_{nm}nm_by_bit_cells"), node.bit_cell_area());
        variables.insert(format!("to_{nm}nm_ideally"), node.ideal_area());
    }
    for MeasuredModule { name, data_width, registers, memory, area, .. } in modules {
        for (path, group) in &registers.groups {
            let ends = path.match_indices('.').map(|(end, _)| end).chain([path.len()]);
            for end in ends {
                let part = path[..end].replace('.', "_");
                *variables.entry(format!("{name}_{part}_bits")).or_default() += group.bits as f64;
            }
        }
        let bits = [
            ("bits", registers.bits()),
            ("data_bits", registers.data_bits(*data_width)),
            ("control_bits", registers.control_bits(*data_width)),
            ("memory_bits", registers.memory_bits),
        ];
        variables.extend(bits.map(|(what, bits)| (format!("{name}_{what}"), bits as f64)));
        variables.insert(format!("{name}_memory_um2"), memory.um2);
        let values = registers.memories.iter().filter(|one| one.width as u64 >= *data_width);
        let of_values = figures.area(&values.copied().collect::<Vec<_>>()).map_or(0.0, |area| area.um2);
        variables.insert(format!("{name}_control_memory_um2"), memory.um2 - of_values);
        if let Some(area) = area {
            variables.insert(format!("{name}_area_um2"), area.um2);
            variables.insert(format!("{name}_gate_equivalents"), area.gate_equivalents);
        }
    }
    variables
}

impl fmt::Display for Overheads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.audits.iter().try_for_each(|audit| writeln!(f, "{audit}"))
    }
}

impl fmt::Display for Audit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Paper {}: {}\n", self.paper, self.title)?;
        writeln!(
            f,
            "The RTL that is built for it, bits and area of one module each\n{}",
            self.modules_table()
        )?;
        writeln!(
            f,
            "Areas: standard cells without wires, and memories by CACTI at 45 nm. Register file, 256 KB by the same: {:.3} \
             mm².\n",
            register_file_mm2()
        )?;
        writeln!(f, "Registers by name, in bits\n{}\n", self.registers_table())?;
        writeln!(f, "Storage and area claims\n{}\n", self.findings_table())?;
        writeln!(f, "Contradictions")?;
        for contradiction in &self.contradictions {
            writeln!(f, "- {}: {}", contradiction.between.join(" and "), contradiction.what)?;
        }
        writeln!(f, "\nNot measured by this command\n{}", self.not_measured_table())
    }
}

impl Audit {
    fn modules_table(&self) -> Table {
        let bits = ["module", "data", "control", "memory"];
        let mut table = table(&[&bits[..], &MEMORY_COLUMNS, &["area µm²", "GE", "Verilog"]].concat());
        let figures = Memories::default();
        for MeasuredModule { name, verilog, data_width, registers, area, .. } in &self.modules {
            let bits = [
                name.clone(),
                grouped(registers.data_bits(*data_width) as f64),
                grouped(registers.control_bits(*data_width) as f64),
                grouped(registers.memory_bits as f64),
            ];
            let cells = [
                area.map_or("-".into(), |area| grouped(area.um2)),
                area.map_or("-".into(), |area| grouped(area.gate_equivalents)),
                verilog.clone(),
            ];
            let of_memories = memory_columns(&figures, &registers.memories);
            table.add_row(bits.into_iter().chain(of_memories).chain(cells));
        }
        table.column_mut(8).expect("a column").set_cell_alignment(CellAlignment::Left);
        table
    }

    /// Bits of each register by name. A register that several modules have stands in one row, though it may
    /// lie deeper in one of them.
    pub fn registers_table(&self) -> Table {
        let columns: Vec<_> = self.modules.iter().map(|one| (one.name.as_str(), &one.registers)).collect();
        by_name(&columns)
    }

    /// Claims, what their own arithmetic gives, and what the RTL has.
    pub fn findings_table(&self) -> Table {
        let mut table = prose(&[
            "claim",
            "§",
            "claimed",
            "by its own arithmetic",
            "counted in RTL",
            "by area",
            "verdict",
        ]);
        for finding in &self.findings {
            let computed = finding.computed.iter().map(|(what, value)| format!("{} ({what})", short(*value)));
            let option = |value: Option<f64>| value.map_or("-".to_string(), short);
            let sign = if finding.bound { "< " } else { "" };
            let claimed =
                finding.claimed.map_or("no number".to_string(), |value| format!("{sign}{}", short(value)));
            table.add_row([
                finding.quote.clone(),
                finding.section.clone(),
                format!("{claimed} {}", finding.unit),
                computed.collect::<Vec<_>>().join("\n"),
                option(finding.counted),
                option(finding.area),
                finding.words(),
            ]);
        }
        table
    }

    fn not_measured_table(&self) -> Table {
        let mut table = prose(&["claim", "§", "claimed", "measured by"]);
        for claim in &self.not_measured {
            let claimed = claim.claimed.map_or(String::new(), short);
            let claimed = format!("{claimed} {}", claim.unit);
            table.add_row([claim.quote.clone(), claim.section.clone(), claimed, claim.measured_by.clone()]);
        }
        table
    }
}

impl Finding {
    /// The verdict on the paper's arithmetic and on the RTL, in words.
    pub fn words(&self) -> String {
        let arithmetic = match &self.verdict {
            ArithmeticVerdict::Agrees => "follows".to_string(),
            ArithmeticVerdict::AgreesIf(reading) => format!("follows only with {reading}"),
            ArithmeticVerdict::Contradicts => "contradicts its own arithmetic".to_string(),
            ArithmeticVerdict::Open => "nothing to compare".to_string(),
        };
        let rtl = match self.rtl_supports {
            Some(true) => "the RTL agrees",
            Some(false) => "the RTL differs",
            None => "",
        };
        let parts = [arithmetic.as_str(), rtl, self.note.as_deref().unwrap_or("")];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ")
    }
}

/// A table whose cells are sentences: as wide as the terminal, or 140 columns where there is none.
fn prose(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::UTF8_HORIZONTAL_ONLY).set_header(header);
    table.set_content_arrangement(ContentArrangement::Dynamic);
    if table.width().is_none() {
        table.set_width(140);
    }
    table
}

/// Up to four significant decimals, none where they are zero.
fn short(value: f64) -> String {
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registers::RegisterGroup;

    fn registers(groups: &[(&str, u64, u64)]) -> Registers {
        let group =
            |&(name, count, bits): &(&str, u64, u64)| (name.to_string(), RegisterGroup { count, bits });
        Registers { groups: groups.iter().map(group).collect(), memory_bits: 0, memories: vec![] }
    }

    fn measured(name: &str, groups: &[(&str, u64, u64)]) -> MeasuredModule {
        let (name, verilog) = (name.to_string(), name.to_string());
        let memory = MemoryArea { um2: 0.0, access_ns: 0.0 };
        MeasuredModule { name, verilog, data_width: 1024, registers: registers(groups), memory, area: None }
    }

    /// Collectors as F describes them, with a valid bit per entry.
    fn full_paper() -> Vec<MeasuredModule> {
        vec![
            measured("ocu", &[("data", 6, 6 * 1024), ("valid", 6, 6), ("ready", 6, 6)]),
            measured(
                "ccu",
                &[
                    ("table.data", 8, 8 * 1024),
                    ("table.control", 8, 8 * 14),
                    ("valid", 6, 6),
                    ("ready", 6, 6),
                    ("index", 6, 18),
                ],
            ),
            measured("boc", &[("data", 24, 24 * 1024), ("valid", 24, 24)]),
        ]
    }

    fn audit_full(modules: Vec<MeasuredModule>) -> Result<Audit> {
        let papers = Paper::all();
        audit(papers.iter().find(|paper| paper.key == "F").unwrap(), &papers, modules)
    }

    #[test]
    fn counts_are_set_beside_the_claims() {
        let audit = audit_full(full_paper()).unwrap();
        let finding = |id: &str| audit.findings.iter().find(|finding| finding.id == id).unwrap();
        assert_eq!(finding("extra-data-storage").counted, Some(2048.0));
        assert_eq!(finding("extra-data-storage").rtl_supports, Some(true));
        // 8 collectors × (8 × 14 + 18 = 130 bits).
        assert_eq!(finding("control-storage").counted, Some(130.0));
        assert_eq!(finding("added-entries").counted, Some(2.0));
        // (2048 + 130) B of 256 KB.
        assert_eq!(finding("area-bound").counted, Some(100.0 * 2178.0 / 262144.0));
        assert_eq!(finding("area-bound").rtl_supports, Some(false));
        assert_eq!(finding("area-bound").area, None);
        // Registers by place and name: 8 entries of 14 bits in the table.
        assert_eq!(rtl_variables(&full_paper())["ccu_table_control_bits"], 112.0);
        assert_eq!(rtl_variables(&full_paper())["ccu_table_bits"], 8.0 * (1024.0 + 14.0));
        // 2 × 8 entries of 8 × 24 registers.
        assert_eq!(finding("bow-storage-ratio").counted, Some(100.0 / 12.0));
        assert!(audit.not_measured.iter().any(|claim| claim.id == "hit-ratio"));
    }

    #[test]
    fn areas_are_set_beside_the_claims() {
        let mut modules = full_paper();
        for (module, um2) in modules.iter_mut().zip([1000.0, 3000.0, 12000.0]) {
            module.area = Some(Area { um2, gate_equivalents: um2 / 0.798 });
        }
        let audit = audit_full(modules).unwrap();
        let finding = |id: &str| audit.findings.iter().find(|finding| finding.id == id).unwrap();
        // 64 arrays of 256 rows of 128 bits, 14,282 µm² each by CACTI.
        let share = 100.0 * 8.0 * 2000.0 / (64.0 * 14282.0);
        assert!((finding("area-bound").area.unwrap() - share).abs() < 1e-9);
        assert_eq!(finding("private-storage-ratio").area, Some(25.0));
    }

    #[test]
    fn memories_have_their_part_at_other_nodes() {
        let table = MemoryArray { rows: 48, width: 16, ports: Ports::ONE, count: 4 };
        let mut modules = vec![measured("scan", &[]), measured("cam", &[])];
        modules[0].registers.memories = vec![table];
        modules[0].memory = Memories::default().area(&[table]).unwrap();
        modules.iter_mut().for_each(|one| one.area = Some(Area { um2: 1000.0, gate_equivalents: 1.0 }));
        let variables = rtl_variables(&modules);
        // Four times CACTI's 420 µm².
        assert!((variables["scan_memory_um2"] - 4.0 * 419.81).abs() < 1e-9);
        assert_eq!(variables["scan_memory_um2"], variables["scan_control_memory_um2"]);
        assert_eq!(variables["cam_memory_um2"], 0.0);
        assert!((variables["to_7nm_by_bit_cells"] - 0.027 / 0.346).abs() < 1e-12);
        assert!((variables["to_7nm_ideally"] - 49.0 / 2025.0).abs() < 1e-12);
        // As wide as a register value: data, and no control.
        modules[0].data_width = 16;
        assert_eq!(rtl_variables(&modules)["scan_control_memory_um2"], 0.0);
    }

    #[test]
    fn prints_and_serializes() {
        let overheads = Overheads { audits: vec![audit_full(full_paper()).unwrap()] };
        let text = overheads.to_string();
        for heading in ["Registers by name", "Storage and area claims", "Contradictions", "Not measured"] {
            assert!(text.contains(heading), "no {heading} in {text}");
        }
        let json = serde_json::to_value(&overheads).unwrap();
        assert_eq!(json["audits"][0]["modules"][1]["name"], "ccu");
    }

    #[test]
    fn a_module_that_is_missing_is_named() {
        let error = audit_full(full_paper()[..2].to_vec()).unwrap_err();
        assert!(format!("{error:#}").contains("boc_data_bits"), "{error:#}");
    }
}

//! The papers' overhead claims beside what the RTL has: registers counted, areas synthesized.

use std::collections::BTreeMap;
use std::fmt;

use anyhow::{Context, Result};
use comfy_table::{presets, CellAlignment, ContentArrangement, Table};
use serde::Serialize;

use crate::paper::{Claim, Contradiction, Paper, Verdict};
use crate::registers::Registers;
use crate::synthesis::{grouped, table, Synthesis};

/// Area of a 256 KB register file at 45 nm, in mm², from CACTI: what collectors are compared with.
pub const REGISTER_FILE_MM2: f64 = 5.30;

/// A configuration of the operand stage; each paper has its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Configuration {
    /// Cache table entries of a caching collector.
    pub entries: u64,
    /// Source slots of a collector.
    pub slots: u64,
    /// Collectors per sub-core.
    pub collectors: u64,
    /// Sub-cores per SM.
    pub sub_cores: u64,
    /// Bits of a register value.
    pub data_width: u64,
}

/// The RTL in the configuration of one paper.
pub struct Measured<'a> {
    /// Key of the paper: `W` or `F`.
    pub paper: &'a str,
    pub configuration: Configuration,
    pub ocu: Registers,
    pub ccu: Registers,
    /// Operand collector and caching collector; without them there are no areas in the audit.
    pub synthesis: Option<(&'a Synthesis, &'a Synthesis)>,
}

/// All audits; JSON through serde, tables through `Display`.
#[derive(Clone, Debug, Serialize)]
pub struct Overheads {
    pub audits: Vec<Audit>,
}

/// One paper's claims beside the RTL.
#[derive(Clone, Debug, Serialize)]
pub struct Audit {
    pub paper: String,
    pub title: String,
    pub configuration: Configuration,
    /// Registers of one collector, by name; the last two rows are the sums of data and of control.
    pub state: Vec<StateRow>,
    pub area: Option<Area>,
    pub findings: Vec<Finding>,
    pub contradictions: Vec<Contradiction>,
    /// Claims that other commands measure.
    pub not_measured: Vec<NotMeasured>,
}

/// Registers of one name, in one collector and per SM.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StateRow {
    pub registers: String,
    pub ocu_bits: u64,
    pub ccu_bits: u64,
    /// What the caching collector has more.
    pub extra_bits: i64,
    pub extra_bytes_per_sm: f64,
    /// In percent of a 256 KB register file.
    pub extra_share: f64,
}

/// Area of the collectors, in µm² and gate equivalents.
#[derive(Clone, Debug, Serialize)]
pub struct Area {
    pub ocu_um2: f64,
    pub ccu_um2: f64,
    pub extra_um2: f64,
    pub extra_gate_equivalents: f64,
    pub extra_um2_per_sm: f64,
    /// In percent of the register file's area.
    pub extra_share: f64,
}

/// One claim, computed and measured, in the claim's unit.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    pub id: String,
    pub section: String,
    pub quote: String,
    pub claimed: Option<f64>,
    /// The claim says "less than".
    pub bound: bool,
    pub unit: String,
    /// From the paper's own numbers: how, and what comes out.
    pub computed: Vec<(String, f64)>,
    pub counted: Option<f64>,
    pub area: Option<f64>,
    pub verdict: Verdict,
    /// Whether the RTL's count supports the claim.
    pub rtl_supports: Option<bool>,
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

/// Audits the claims of every paper for which there is something measured.
///
/// # Errors
/// If an expression of a claim cannot be evaluated, or a contradiction does not hold: the message names
/// the paper and the claim.
pub fn overheads(papers: &[Paper], measured: &[Measured]) -> Result<Overheads> {
    let audit = |measured: &Measured| {
        let paper = papers.iter().find(|paper| paper.key == measured.paper);
        let paper = paper.with_context(|| format!("no claims of a paper {} are recorded", measured.paper))?;
        audit(paper, papers, measured).with_context(|| format!("paper {}", paper.key))
    };
    Ok(Overheads { audits: measured.iter().map(audit).collect::<Result<_>>()? })
}

fn audit(paper: &Paper, papers: &[Paper], measured: &Measured) -> Result<Audit> {
    let register_file_bytes =
        paper.parameters.get("register_file_bytes").context("no register_file_bytes")?;
    let state = state(measured, *register_file_bytes);
    let area = measured.synthesis.map(|(ocu, ccu)| area(ocu, ccu, &measured.configuration));

    let own = paper.variables(papers);
    let mut rtl = own.clone();
    rtl.add(&rtl_variables(measured, area.as_ref()));
    let evaluate = |expression: &Option<String>| expression.as_ref().map(|text| rtl.number(text)).transpose();
    let finding = |claim: &Claim| -> Result<Finding> {
        let computed = claim.computed(&own)?;
        let counted = evaluate(&claim.counted)?;
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
            area: if area.is_some() { evaluate(&claim.area)? } else { None },
            rtl_supports: counted.and_then(|counted| claim.supports(counted)),
            note: claim.note.clone(),
        })
    };
    let not_measured = |claim: &Claim| {
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
        configuration: measured.configuration,
        state,
        area,
        findings,
        contradictions: paper.contradictions.clone(),
        not_measured: paper.claims.iter().filter_map(not_measured).collect(),
    })
}

fn state(measured: &Measured, register_file_bytes: f64) -> Vec<StateRow> {
    let Measured { ocu, ccu, configuration, .. } = measured;
    let row = |name: &str, ocu_bits: u64, ccu_bits: u64| {
        let extra_bits = ccu_bits as i64 - ocu_bits as i64;
        let per_sm = (configuration.sub_cores * configuration.collectors) as f64;
        let extra_bytes_per_sm = per_sm * extra_bits as f64 / 8.0;
        StateRow {
            registers: name.to_string(),
            ocu_bits,
            ccu_bits,
            extra_bits,
            extra_bytes_per_sm,
            extra_share: 100.0 * extra_bytes_per_sm / register_file_bytes,
        }
    };
    // A register that both collectors have stands in one row, though it may lie deeper in one of them.
    let shared = |name: &String| {
        let last = name.rsplit('.').next().expect("a name");
        if ocu.groups.contains_key(last) {
            last.to_string()
        } else {
            name.clone()
        }
    };
    let mut bits: BTreeMap<String, [u64; 2]> = BTreeMap::new();
    for (side, registers) in [ocu, ccu].into_iter().enumerate() {
        for (name, group) in &registers.groups {
            bits.entry(shared(name)).or_default()[side] += group.bits;
        }
    }
    let mut rows: Vec<StateRow> = bits.iter().map(|(name, [ocu, ccu])| row(name, *ocu, *ccu)).collect();
    let width = configuration.data_width;
    rows.push(row("data, in all", ocu.data_bits(width), ccu.data_bits(width)));
    rows.push(row("control, in all", ocu.control_bits(width), ccu.control_bits(width)));
    rows
}

fn area(ocu: &Synthesis, ccu: &Synthesis, configuration: &Configuration) -> Area {
    let extra_um2 = ccu.area_um2 - ocu.area_um2;
    let extra_um2_per_sm = extra_um2 * (configuration.sub_cores * configuration.collectors) as f64;
    Area {
        ocu_um2: ocu.area_um2,
        ccu_um2: ccu.area_um2,
        extra_um2,
        extra_gate_equivalents: extra_um2 / ccu.gate_equivalent_um2,
        extra_um2_per_sm,
        extra_share: 100.0 * extra_um2_per_sm / (REGISTER_FILE_MM2 * 1e6),
    }
}

/// What `counted` and `area` expressions may use besides the paper's parameters.
fn rtl_variables(measured: &Measured, area: Option<&Area>) -> BTreeMap<String, f64> {
    let Measured { ocu, ccu, configuration, .. } = measured;
    let width = configuration.data_width;
    let extra = |of: fn(&Registers, u64) -> u64| of(ccu, width) as f64 - of(ocu, width) as f64;
    let mut variables = vec![
        ("extra_data_bits", extra(Registers::data_bits)),
        ("extra_control_bits", extra(Registers::control_bits)),
        ("entries", configuration.entries as f64),
        ("slots", configuration.slots as f64),
        ("collectors", configuration.collectors as f64),
        ("sub_cores", configuration.sub_cores as f64),
        ("register_file_mm2", REGISTER_FILE_MM2),
    ];
    variables.extend(area.map(|area| ("extra_area_um2", area.extra_um2)));
    variables.into_iter().map(|(name, value)| (name.to_string(), value)).collect()
}

impl fmt::Display for Overheads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.audits.iter().try_for_each(|audit| writeln!(f, "{audit}"))
    }
}

impl fmt::Display for Audit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Configuration { entries, slots, collectors, sub_cores, data_width } = self.configuration;
        writeln!(f, "Paper {}: {}", self.paper, self.title)?;
        writeln!(
            f,
            "RTL: {sub_cores} sub-cores, {collectors} collectors each, {slots} source slots, {entries} entries, \
             {data_width}-bit registers\n"
        )?;
        writeln!(f, "Registers of one collector, and per SM\n{}\n", self.state_table())?;
        if let Some(area) = &self.area {
            writeln!(f, "Area of one collector, and per SM\n{}", area.table())?;
            writeln!(
                f,
                "Collectors: standard cells, wires not counted. Register file: {REGISTER_FILE_MM2} mm², \
                 256 KB at 45 nm by CACTI.\n"
            )?;
        }
        writeln!(f, "Storage and area claims\n{}\n", self.findings_table())?;
        writeln!(f, "Contradictions")?;
        for contradiction in &self.contradictions {
            writeln!(f, "- {}: {}", contradiction.between.join(" and "), contradiction.what)?;
        }
        writeln!(f, "\nNot measured by this command\n{}", self.not_measured_table())
    }
}

impl Audit {
    fn state_table(&self) -> Table {
        let mut table =
            table(&["registers", "OCU bits", "CCU bits", "extra bits", "extra B per SM", "of 256 KB"]);
        for row in &self.state {
            table.add_row([
                row.registers.clone(),
                grouped(row.ocu_bits as f64),
                grouped(row.ccu_bits as f64),
                grouped(row.extra_bits as f64),
                grouped(row.extra_bytes_per_sm),
                format!("{:.4}%", row.extra_share),
            ]);
        }
        table
    }

    fn findings_table(&self) -> Table {
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
                finding.verdict(),
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

impl Area {
    fn table(&self) -> Table {
        let header =
            ["OCU µm²", "CCU µm²", "extra µm²", "extra GE", "extra µm² per SM", "of the register file"];
        let mut table = table(&header);
        table.column_mut(0).expect("a column").set_cell_alignment(CellAlignment::Right);
        table.add_row([
            grouped(self.ocu_um2),
            grouped(self.ccu_um2),
            grouped(self.extra_um2),
            grouped(self.extra_gate_equivalents),
            grouped(self.extra_um2_per_sm),
            format!("{:.2}%", self.extra_share),
        ]);
        table
    }
}

impl Finding {
    /// The verdict on the paper's arithmetic and on the RTL, in words.
    fn verdict(&self) -> String {
        let arithmetic = match &self.verdict {
            Verdict::Agrees => "follows".to_string(),
            Verdict::AgreesIf(reading) => format!("follows only with {reading}"),
            Verdict::Contradicts => "contradicts its own arithmetic".to_string(),
            Verdict::Open => "nothing to compare".to_string(),
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
    use crate::registers::Group;

    fn registers(groups: &[(&str, u64, u64)]) -> Registers {
        let group = |&(name, count, bits): &(&str, u64, u64)| (name.to_string(), Group { count, bits });
        Registers { groups: groups.iter().map(group).collect(), memory_bits: 0 }
    }

    /// Collectors as F describes them, with a valid bit per entry.
    fn full_paper() -> Measured<'static> {
        let ocu = registers(&[("data", 6, 6 * 1024), ("valid", 6, 6), ("ready", 6, 6)]);
        let ccu = registers(&[
            ("table.data", 8, 8 * 1024),
            ("table.control", 8, 8 * 14),
            ("valid", 6, 6),
            ("ready", 6, 6),
            ("index", 6, 18),
        ]);
        let configuration =
            Configuration { entries: 8, slots: 6, collectors: 2, sub_cores: 4, data_width: 1024 };
        Measured { paper: "F", configuration, ocu, ccu, synthesis: None }
    }

    #[test]
    fn counts_are_set_beside_the_claims() {
        let overheads = overheads(&Paper::all(), &[full_paper()]).unwrap();
        let audit = &overheads.audits[0];
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
        let control = audit.state.last().unwrap();
        assert_eq!((control.ocu_bits, control.ccu_bits, control.extra_bits), (12, 142, 130));
        assert!(audit.not_measured.iter().any(|claim| claim.id == "hit-ratio"));
    }

    #[test]
    fn prints_and_serializes() {
        let overheads = overheads(&Paper::all(), &[full_paper()]).unwrap();
        let text = overheads.to_string();
        for heading in
            ["Registers of one collector", "Storage and area claims", "Contradictions", "Not measured"]
        {
            assert!(text.contains(heading), "no {heading} in {text}");
        }
        let json = serde_json::to_value(&overheads).unwrap();
        assert_eq!(json["audits"][0]["configuration"]["slots"], 6);
    }

    #[test]
    fn an_unknown_paper_is_refused() {
        let measured = Measured { paper: "Z", ..full_paper() };
        assert!(overheads(&Paper::all(), &[measured]).unwrap_err().to_string().contains("paper Z"));
    }
}

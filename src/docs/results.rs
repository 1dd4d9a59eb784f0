// SPDX-License-Identifier: Apache-2.0
//! The claims of the papers' evaluations beside what was found: records of studies, which
//! `gpurf compare STUDY --record papers/results/STUDY/LABEL.json` writes. The claims are those of the
//! studies' files, as they are now.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{ensure, Context, Result};

use super::markdown::markdown;
use super::project::Project;
use crate::compare::finding::{Finding, Here, Judgement};
use crate::compare::series::percent;
use crate::compare::study::{Study, Titled};
use crate::compare::{claimed, Arguments, Definition, Unmeasured};
use crate::output;

/// The records, below the root of the project.
pub const RECORDS: &str = "papers/results";

/// A study's record, and its name.
pub struct StudyRecord {
    pub label: String,
    pub study: Study,
}

impl StudyRecord {
    /// The inputs, if they are not the study's own.
    pub fn given(&self) -> Option<Vec<String>> {
        let line: Vec<String> = self.study.command.split(' ').skip(2).map(String::from).collect();
        Arguments::of(&line).ok()?.given(self.study.inputs.iter().cloned())
    }
}

/// Records of a study, by name.
pub fn records(results: &Path, study: &str) -> Result<Vec<StudyRecord>> {
    let folder = results.join(study);
    if !folder.exists() {
        return Ok(vec![]);
    }
    let unreadable = || format!("{}: cannot be read", folder.display());
    let entries = fs::read_dir(&folder).with_context(unreadable)?;
    let mut paths: Vec<PathBuf> =
        entries.map(|entry| Ok(entry?.path())).collect::<Result<_>>().with_context(unreadable)?;
    paths.sort();
    let read = |path: &PathBuf| {
        let text = fs::read_to_string(path).with_context(|| format!("{}: cannot be read", path.display()))?;
        let study = serde_json::from_str(&text)
            .with_context(|| format!("{}: is no record of a study; record it again", path.display()))?;
        let label = path.file_stem().unwrap_or_default().to_string_lossy().replace('_', " ");
        Ok(StudyRecord { label, study })
    };
    paths.iter().map(read).collect()
}

/// One record, by its study and its name: `malekeh built-in small`.
pub fn record(project: &Project, from: &str) -> Result<StudyRecord> {
    let (study, label) =
        from.split_once(' ').with_context(|| format!("`{from}`: name a study and a record"))?;
    let record =
        records(&project.root.join(RECORDS), study)?.into_iter().find(|record| record.label == label);
    record.with_context(|| format!("there is no record `{label}` in papers/results/{study}"))
}

/// A study's claims, each with what all records have of it: none, if it is not among theirs.
fn findings(study: &Definition, records: &[StudyRecord]) -> Vec<Finding> {
    let (_, mut findings) =
        claimed().into_iter().find(|(of, _)| of.name == study.name).expect("all studies are there");
    for finding in &mut findings {
        let claim = finding.clone();
        let of = finding.of.clone();
        let here = records.iter().flat_map(|record| {
            let (of, claim) = (&of, &claim);
            let conditions =
                record.study.findings.first().map(|finding| &finding.here[..]).unwrap_or_default();
            let found = record.study.findings.iter().find(|one| one.is_of(claim));
            conditions.iter().enumerate().map(move |(number, Here { condition, .. })| Here {
                condition: match condition.as_str() {
                    "here" => record.label.clone(),
                    _ if records.len() == 1 => condition.clone(),
                    _ => format!("{}, {condition}", record.label),
                },
                value: found.and_then(|found| found.here.get(number)?.value),
                part: record.given().and_then(|inputs| study.part(of.as_deref(), &inputs)),
            })
        });
        finding.here = here.collect();
    }
    findings
}

/// With others in a cell, where [`markdown`] does not see it: without a sign that looks like a hyphen.
fn number(value: f64) -> String {
    percent(value).replace('-', "−")
}

/// Tables that a study printed, of one record: all of them; those of one title,
/// `malekeh built-in small; Fixed STHLD`; or columns and rows of those that have the columns. Each column or
/// row may have another name:
/// `malekeh built-in small; Averages; hit ratio = hits, IPC; malekeh = Malekeh; bow`.
pub fn tables(project: &Project, about: &str) -> Result<String> {
    let mut parts = about.split("; ");
    let (from, title) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let record = &record(project, from)?;
    let chosen: Vec<_> = record.study.tables.iter().filter(|one| one.title.starts_with(title)).collect();
    ensure!(!chosen.is_empty(), "{from} has no table `{title}`; record it again: `{}`", record.study.command);
    if let Some(text) = parts.next() {
        let of = |one: &&Titled| Ok((one.rows.clone(), columns(&one.rows[0], text)?));
        let found: Vec<Result<_>> = chosen.iter().map(of).collect();
        let fitting: Vec<_> = match found.iter().any(Result::is_ok) {
            true => found.into_iter().flatten().collect(),
            false => found.into_iter().collect::<Result<_>>()?,
        };
        let views = fitting.iter().map(|(rows, columns)| view(&rows[1..], columns, parts.clone()));
        return Ok(views.collect::<Result<String>>()? + "\n" + &source(record));
    }
    let tables = chosen.iter().map(|one| format!("{}:\n\n{}\n", one.title, markdown(&one.table(), &[])));
    Ok(tables.collect::<String>() + &source(record))
}

/// Columns of a table by their names, which may have commas in them and are on one line: where each stands,
/// and what it is called here.
fn columns<'a>(header: &[String], mut text: &'a str) -> Result<Vec<(usize, &'a str)>> {
    let header: Vec<String> = header.iter().map(|name| name.replace('\n', " ")).collect();
    let mut found = vec![];
    loop {
        let rest_behind = |name: &String| text.strip_prefix(name.as_str()).filter(|_| !name.is_empty());
        let ends = |rest: &str| rest.is_empty() || rest.starts_with(", ") || rest.starts_with(" = ");
        let fits = |place: &usize| rest_behind(&header[*place]).is_some_and(ends);
        let place = (0..header.len()).filter(fits).max_by_key(|place| header[*place].len());
        let missing = || format!("there is no column `{text}`; there are {}", header.join(", "));
        let place = place.with_context(missing)?;
        let (name, rest) = text.split_at(header[place].len());
        let (label, rest) = match rest.strip_prefix(" = ") {
            Some(rest) => rest.split_at(rest.find(", ").unwrap_or(rest.len())),
            None => (name, rest),
        };
        found.push((place, label));
        match rest.strip_prefix(", ") {
            Some(rest) => text = rest,
            None => return Ok(found),
        }
    }
}

/// Some columns of a table, and some rows, `NAME` or `NAME = as it is called here`; all rows if none is
/// chosen.
fn view<'a>(
    rows: &[Vec<String>],
    columns: &[(usize, &str)],
    chosen: impl Iterator<Item = &'a str>,
) -> Result<String> {
    let labels: Vec<&str> = columns.iter().map(|(_, label)| *label).collect();
    let mut view = output::table(&[&[""][..], &labels].concat());
    let mut add = |label: &str, row: &[String]| {
        view.add_row([label].into_iter().chain(columns.iter().map(|(place, _)| row[*place].as_str())));
    };
    let chosen: Vec<&str> = chosen.collect();
    for one in &chosen {
        let (name, label) = one.split_once(" = ").unwrap_or((one, one));
        let row = rows.iter().find(|row| row[0] == name);
        add(label, row.with_context(|| format!("there is no row `{name}`"))?);
    }
    for row in rows.iter().filter(|_| chosen.is_empty()) {
        add(&row[0], row);
    }
    Ok(markdown(&view, &[]))
}

/// A study's claims, a column for each record, with what decides them; or for some records,
/// `malekeh; cutlass, rodinia`, those alone that they have a number of.
pub fn table(project: &Project, about: &str) -> Result<String> {
    let (name, chosen) = about.split_once("; ").map_or((about, None), |(name, rest)| (name, Some(rest)));
    let study = Definition::named(name).with_context(|| format!("there is no study `{name}`"))?;
    let records = match chosen {
        None => records(&project.root.join(RECORDS), name)?,
        Some(labels) => {
            let of = |label| record(project, &format!("{name} {label}"));
            labels.split(", ").map(of).collect::<Result<_>>()?
        }
    };
    let mut findings = findings(study, &records);
    if chosen.is_some() {
        findings.retain(|finding| finding.judgement() != Judgement::NotMeasured);
    }
    let columns: Vec<&str> =
        findings.iter().flat_map(|one| &one.here).map(|here| here.condition.as_str()).collect();
    let columns = &columns[..findings.first().map_or(0, |one| one.here.len())];
    let last = &["verdict", "what decides it"][..if chosen.is_some() { 1 } else { 2 }];
    let mut rows = output::table(&[&["claim", "paper"][..], columns, last].concat());
    for finding in &findings {
        let Finding { paper, section, what, claimed, here, why, .. } = finding;
        let here = here.iter().map(|here| here.value.map_or(String::new(), percent));
        let holds = [Judgement::WithinAThird, Judgement::AtLeast].contains(&finding.judgement());
        let why = why.clone().filter(|_| !holds);
        let first = [format!("{paper} {section}: {what}"), percent(*claimed)];
        let behind = [finding.verdict(), why.unwrap_or_default()];
        rows.add_row(first.into_iter().chain(here).chain(behind.into_iter().take(last.len())));
    }
    let mut text = markdown(&rows, &[]);
    text += &records.iter().map(|record| format!("\n{}", source(record))).collect::<String>();
    Ok(text)
}

/// Claims of energy, a row each, with a column for each way to count it, of one record:
/// `malekeh built-in small as F counts`.
pub fn energies(project: &Project, from: &str) -> Result<String> {
    let (name, _) = from.split_once(' ').context("name a study and a record")?;
    let study = Definition::named(name).with_context(|| format!("there is no study `{name}`"))?;
    let records = [record(project, from)?];
    let findings = findings(study, &records);
    let ways: Vec<&str> = study.ways_to_count().map(|metric| metric.claimed()).collect();
    let mut claims: Vec<(String, f64, Vec<String>)> = vec![];
    for finding in &findings {
        let Finding { paper, section, what, claimed, here, .. } = finding;
        let parted = ways.iter().enumerate().find_map(|(way, name)| {
            let (design, rest) = what.split_once(&format!(", {name}, "))?;
            Some((way, format!("{paper} {section}: {design}, {rest}")))
        });
        let Some((way, claim)) = parted else { continue };
        let known = claims.iter().position(|(other, number, _)| (other, number) == (&claim, claimed));
        let at = known.unwrap_or_else(|| {
            claims.push((claim, *claimed, vec![String::new(); ways.len()]));
            claims.len() - 1
        });
        claims[at].2[way] = here[0].value.map_or(String::new(), percent);
    }
    let heads = ways.iter().map(|way| {
        let way = way.trim_start_matches("register-file energy").trim_end_matches(", change in %").trim();
        if way.is_empty() {
            "by C Table III"
        } else {
            way
        }
    });
    let mut rows = output::table(&["claim", "paper"].into_iter().chain(heads).collect::<Vec<_>>());
    for (claim, claimed, here) in claims {
        rows.add_row([claim, percent(claimed)].into_iter().chain(here));
    }
    Ok(markdown(&rows, &[]) + "\n" + &source(&records[0]))
}

/// Numbers of papers in a study without one of ours, and why.
pub fn unmeasured(_: &Project, name: &str) -> Result<String> {
    let study = Definition::named(name).with_context(|| format!("there is no study `{name}`"))?;
    let mut rows = output::table(&["claim without a number of ours", "why"]);
    for Unmeasured { paper, section, says, why } in &study.unmeasured {
        rows.add_row([format!("{} {section}: {says}", paper.as_ref().unwrap_or(&study.paper)), why.clone()]);
    }
    Ok(markdown(&rows, &[]))
}

/// The command that repeats a record.
pub fn source(StudyRecord { label, study }: &StudyRecord) -> String {
    let Study { command, inputs, version, .. } = study;
    format!("{label}: `{command}`, {} inputs, version {version}\n", inputs.len())
}

/// The words of verdicts on claims of evaluations, and what each says.
pub fn verdicts(_: &Project, _: &str) -> Result<String> {
    let mut rows = output::table(&["verdict", "meaning"]);
    rows.add_rows(Judgement::ALL.map(|one| [one.to_string(), one.meaning()]));
    Ok(markdown(&rows, &[]))
}

/// The main claims of all studies, with what the first record of each study says: all of it comes from one
/// command. `wanted` names some of them by how they begin, separated by semicolons; without it, these are
/// all.
pub fn headlines(project: &Project, wanted: &str) -> Result<String> {
    let mut missing: Vec<&str> = wanted.split("; ").filter(|start| !start.is_empty()).collect();
    let mut rows = output::table(&["claim", "paper", "here", "verdict", "command"]);
    for (study, _) in claimed() {
        let mut records = records(&project.root.join(RECORDS), &study.name)?;
        records.truncate(1);
        for finding in findings(study, &records).iter().filter(|finding| finding.headline) {
            let Finding { paper, section, what, claimed, here, .. } = finding;
            let claim = format!("{paper} {section}: {what}");
            let is_wanted = wanted.is_empty() || wanted.split("; ").any(|start| claim.starts_with(start));
            if !is_wanted {
                continue;
            }
            missing.retain(|start| !claim.starts_with(start));
            let several = here.len() > 1;
            let here = here.iter().filter_map(|here| {
                let value = number(here.value?);
                Some(if several { format!("{} {value}", here.condition) } else { value })
            });
            // Without the runs beside the study's own.
            let command = |record: &StudyRecord| {
                let words = record.study.command.split(" --also ");
                format!("`{}`", words.take(1).collect::<String>())
            };
            rows.add_row([
                claim,
                percent(*claimed),
                here.collect::<Vec<_>>().join("; "),
                finding.verdict(),
                records.first().map(command).unwrap_or_default(),
            ]);
        }
    }
    ensure!(missing.is_empty(), "no main claim begins with `{}`", missing.join("`, `"));
    Ok(markdown(&rows, &[]))
}

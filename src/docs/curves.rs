// SPDX-License-Identifier: Apache-2.0
//! Causes of claims that differ: curves that stand beside a paper's number, from the records of studies
//! that were made with `--also curves`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{bail, Context, Result};

use super::markdown::markdown;
use super::project::Project;
use super::results::{record, records, source, StudyRecord, RECORDS};
use crate::compare::plot::{Drawing, Plot};
use crate::compare::STUDIES;

/// The folder of the pictures, under that of the documents.
pub const FOLDER: &str = "curves";

fn file(study: &str, record: &StudyRecord, plot: &Plot) -> String {
    format!("{FOLDER}/{study}_{}_{}.svg", record.label.replace(' ', "_"), plot.file)
}

/// Curves of a study's records: the picture and the points of each.
pub fn text(project: &Project, name: &str) -> Result<String> {
    let mut text = String::new();
    for record in records(&project.root.join(RECORDS), name)? {
        for plot in &record.study.plots {
            let Drawing::Curve(lines) = &plot.drawing else { continue };
            let Plot { title, .. } = plot;
            text += &format!("**{title}**, average; {}\n\n", record.label);
            text += &(picture(name, &record, plot) + "\n");
            text += &(markdown(&lines.table(), &[]) + "\n");
        }
    }
    Ok(text)
}

fn picture(study: &str, record: &StudyRecord, plot: &Plot) -> String {
    format!("![{}]({})\n", plot.title, file(study, record, plot))
}

/// Pictures of designs and of the line of those that no other beats, of one record: `designs small`.
pub fn fronts(project: &Project, from: &str) -> Result<String> {
    let (name, _) = from.split_once(' ').context("name a study and a record")?;
    let record = record(project, from)?;
    let fronts = record.study.plots.iter().filter(|plot| matches!(plot.drawing, Drawing::Front(_)));
    let pictures: Vec<String> = fronts.map(|plot| picture(name, &record, plot)).collect();
    Ok(pictures.join("\n"))
}

/// The points of one curve of a record, without a picture: `finereg small; transfer`.
pub fn points(project: &Project, about: &str) -> Result<String> {
    let (from, file) = about.split_once("; ").context("name a study, a record and a curve")?;
    let record = record(project, from)?;
    let plot = record.study.plots.iter().find(|plot| plot.file == file);
    match plot.map(|plot| (&plot.title, &plot.drawing)) {
        Some((title, Drawing::Curve(lines))) => {
            Ok(format!("{title}:\n\n{}\n{}", markdown(&lines.table(), &[]), source(&record)))
        }
        _ => bail!("{from} has no curve `{file}`; record it again: `{}`", record.study.command),
    }
}

/// Pictures of all curves, by their place.
pub fn pictures(root: &Path) -> Result<BTreeMap<PathBuf, String>> {
    let mut pictures = BTreeMap::new();
    for study in STUDIES.iter() {
        for record in records(&root.join(RECORDS), &study.name)? {
            for plot in record.study.plots.iter().filter(|plot| plot.is_recorded()) {
                let path = root.join("docs").join(file(&study.name, &record, plot));
                pictures.insert(path, plot.picture()?);
            }
        }
    }
    Ok(pictures)
}

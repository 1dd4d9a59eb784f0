// SPDX-License-Identifier: Apache-2.0
//! Every design on one machine, after the summary: what the study's folder holds, or what was recorded of it.

use std::path::Path;

use anyhow::Result;
use maud::html;

use super::kept::Kept;
use super::page::{command, Section};
use super::plots::{drawn, printed};
use crate::compare::plot::Drawing;
use crate::compare::study::Study;
use crate::docs::results::records;

/// The study's name.
const STUDY: &str = "designs";

/// `None` without a result of the study.
pub fn section(studies: &[Kept<Study>], recorded: &Path) -> Result<Option<Section>> {
    let kept = studies.iter().find(|one| one.of.name == STUDY).map(|one| one.of.clone());
    let recorded = || {
        let records = records(recorded, STUDY)?;
        Ok::<_, anyhow::Error>(records.into_iter().find(|one| one.label == "small").map(|one| one.study))
    };
    let Some(study) = kept.map_or_else(recorded, |study| Ok(Some(study)))? else { return Ok(None) };
    let table = study.tables.iter().find(|one| one.title.starts_with("Every design"));
    let mut fronts = vec![];
    for plot in study.plots.iter().filter(|plot| matches!(plot.drawing, Drawing::Front(_))) {
        fronts.push(drawn(plot)?);
    }
    let body = html! {
        (command(&study.command))
        p.note { "Measured on " (study.extent()) ", version " (study.version) ". A cell is empty where a design has no "
            "such hardware, or no such energy was measured." }
        @if let Some(table) = table { (printed(table)) }
        @for front in fronts { (front) }
    };
    Ok(Some(Section { id: "designs", title: "Every design on one machine", body }))
}

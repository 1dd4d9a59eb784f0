// SPDX-License-Identifier: Apache-2.0
//! The claims of evaluations with a number of ours: one that was measured in the folder of results, or a
//! recorded one.

use std::path::Path;

use anyhow::Result;

use super::kept::Kept;
use crate::compare;
use crate::compare::finding::Finding;
use crate::compare::study::Study;
use crate::docs::results::records;

/// A claim beside a number of ours, if there is one.
pub struct Claimed {
    pub finding: Finding,
    pub source: NumberOrigin,
}

/// Where a number comes from.
pub struct NumberOrigin {
    /// The command that measures it.
    pub command: String,
    /// Number and size of the inputs, if it was measured.
    pub extent: Option<String>,
    /// The same, and the commit and the day, as far as they are known.
    pub origin: Option<String>,
}

/// All claims of all studies. A claim that several kept studies have a number of stands there several times.
pub fn claimed(studies: &[Kept<Study>], recorded: &Path) -> Result<Vec<Claimed>> {
    let mut all = vec![];
    for (definition, claims) in compare::claimed() {
        let records = records(recorded, &definition.name)?;
        for claim in claims {
            let in_results = studies.iter().filter_map(|study| {
                let source = NumberOrigin::new("measured", &study.of, study.date());
                number_of(&claim, &study.of, source)
            });
            let mut found: Vec<Claimed> = in_results.collect();
            if found.is_empty() {
                let of_record = records.iter().find_map(|record| {
                    let part = |group| record.given().and_then(|inputs| definition.part(group, &inputs));
                    let mut one =
                        number_of(&claim, &record.study, NumberOrigin::new("recorded", &record.study, None))?;
                    one.finding.here.iter_mut().for_each(|here| here.part = part(claim.of.as_deref()));
                    Some(one)
                });
                found.extend(of_record);
            }
            if found.is_empty() {
                let name = &definition.name;
                let command = format!("gpurf compare {name} --out out/{}", name.replace('-', "_"));
                found.push(Claimed { finding: claim, source: NumberOrigin::of(command) });
            }
            all.extend(found);
        }
    }
    Ok(all)
}

/// The claim with the numbers that a study has of it.
fn number_of(claim: &Finding, study: &Study, source: NumberOrigin) -> Option<Claimed> {
    let found = study.findings.iter().find(|finding| finding.is_of(claim) && finding.judged().is_some())?;
    Some(Claimed { finding: Finding { here: found.here.clone(), ..claim.clone() }, source })
}

impl NumberOrigin {
    /// The command alone.
    pub fn of(command: String) -> NumberOrigin {
        NumberOrigin { command, extent: None, origin: None }
    }

    fn new(verb: &str, study: &Study, date: Option<String>) -> NumberOrigin {
        let date = date.map_or(String::new(), |date| format!(", on {}", &date[..10]));
        let origin = format!("{verb}{date}: {}, version {}", study.extent(), study.version);
        NumberOrigin { command: study.command.clone(), extent: Some(study.extent()), origin: Some(origin) }
    }
}

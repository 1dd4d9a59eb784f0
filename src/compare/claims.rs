// SPDX-License-Identifier: Apache-2.0
//! Claims of the papers' evaluations, as the studies' files have them, beside the series that they are about.

use super::claim::Claim;
use super::definition::{Definition, Metric};
use super::finding::{Finding, Here};
use super::series::Series;

/// A number made of the values of all workloads.
type Statistic = fn(&Series) -> f64;

/// The findings of a metric's claims. `inputs` are those of the study if they are not its own. `series` gives
/// the values of a claim's design on its workloads under every condition, by name.
pub fn findings(
    study: &Definition,
    metric: &Metric,
    inputs: Option<&[String]>,
    series: impl Fn(&Claim) -> Vec<(String, Series)>,
) -> Vec<Finding> {
    let mut findings = vec![];
    for claim in study.claim.iter().filter(|claim| claim.metric == metric.name) {
        let series = series(claim);
        let of = claim.of.as_ref().or(metric.of.as_ref());
        let part = inputs.and_then(|inputs| study.part(of.map(String::as_str), inputs));
        let beside: [(&str, Option<f64>, Statistic); 3] = [
            ("average", claim.average, Series::average),
            ("maximum", claim.maximum, Series::maximum),
            ("minimum", claim.minimum, Series::minimum),
        ];
        for (statistic, claimed, made) in beside {
            let Some(claimed) = claimed else { continue };
            let here = series.iter().map(|(condition, series)| Here {
                condition: condition.clone(),
                value: (!series.values.is_empty()).then(|| made(series)),
                part,
            });
            let design = match &claim.over {
                Some(over) => format!("{} over {over}", claim.design),
                None => claim.design.clone(),
            };
            let workloads = claim.of.as_ref().map_or(String::new(), |of| format!(" of {of}"));
            findings.push(Finding {
                paper: claim.paper.as_ref().unwrap_or(&study.paper).clone(),
                section: claim.section.clone(),
                what: format!("{design}, {}, {statistic}{workloads}", metric.claimed()),
                claimed,
                is_change: metric.is_change,
                at_most: claim.at_most,
                at_least: claim.at_least,
                why: claim.why.clone(),
                headline: claim.headline && statistic == "average",
                of: of.cloned(),
                verdicts: study.verdicts.clone(),
                here: here.collect(),
            });
        }
    }
    findings
}

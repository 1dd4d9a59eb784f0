// SPDX-License-Identifier: Apache-2.0
//! A claim of a paper's evaluation, as the study's file has it.

use serde::Deserialize;

/// Numbers of a paper about a metric of a design.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// The study's without.
    pub paper: Option<String>,
    pub section: String,
    pub metric: String,
    /// A design of the study, or one of its runs on request.
    pub design: String,
    /// The design that it is compared with, if not the one that the study's designs are compared with. The
    /// number is a ratio if the metric is a change, else a difference.
    pub over: Option<String>,
    /// A group of workloads or one of them; all without.
    pub of: Option<String>,
    /// The cause of the difference from the paper, if there is one, with the place that shows it.
    pub why: Option<String>,
    /// The paper says that it is at most so.
    #[serde(default)]
    pub at_most: bool,
    /// The paper says that it is at least so.
    #[serde(default)]
    pub at_least: bool,
    /// The README has it.
    #[serde(default)]
    pub headline: bool,
    pub average: Option<f64>,
    pub maximum: Option<f64>,
    pub minimum: Option<f64>,
}

// SPDX-License-Identifier: Apache-2.0
//! Claims of a paper, and the arithmetic behind them.

use std::collections::BTreeMap;

use anyhow::{ensure, Context, Result};
use evalexpr::{Context as _, ContextWithMutableVariables, HashMapContext, Node, Value};
use serde::{Deserialize, Serialize};

/// The claims of one paper; `papers/README.md` explains the fields.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Paper {
    /// One letter by which the paper is cited.
    pub key: String,
    /// Its title.
    pub title: String,
    /// When it appeared.
    pub year: u32,
    /// The numbers that its claims are computed from.
    pub parameters: BTreeMap<String, f64>,
    /// Modules that are built for it.
    #[serde(rename = "module")]
    pub modules: Vec<Built>,
    /// Its claims of storage and area.
    #[serde(rename = "claim")]
    pub claims: Vec<PaperClaim>,
    /// Where it does not agree with itself.
    #[serde(rename = "contradiction", default)]
    pub contradictions: Vec<Contradiction>,
}

/// A module of the catalogue in the configuration of a paper.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Built {
    /// Its name in expressions.
    #[serde(rename = "as")]
    pub name: String,
    /// As the catalogue calls it.
    pub module: String,
    /// Parameters that differ from the catalogue's.
    #[serde(default)]
    pub set: BTreeMap<String, toml::Value>,
    /// See [`crate::Job::sat_sweeping`].
    #[serde(default = "yes")]
    pub sat_sweeping: bool,
}

fn yes() -> bool {
    true
}

impl Built {
    /// Parameters as text.
    pub fn settings(&self) -> impl Iterator<Item = (&str, String)> {
        self.set.iter().map(|(name, value)| {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_string);
            (name.as_str(), text)
        })
    }
}

/// One claim.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PaperClaim {
    /// Its name in messages and tables.
    pub id: String,
    /// The section of the paper.
    pub section: String,
    /// The paper's words.
    pub quote: String,
    /// The number as printed; none where the paper gives no number.
    pub claimed: Option<String>,
    /// How the number is meant.
    #[serde(default)]
    pub relation: Relation,
    /// The unit of the number.
    pub unit: String,
    /// From the paper's own parameters, the literal reading first.
    #[serde(default)]
    pub readings: Vec<Reading>,
    /// The same quantity in registers of the RTL.
    pub counted: Option<String>,
    /// The same quantity in synthesized area.
    pub area: Option<String>,
    /// A remark about it.
    pub note: Option<String>,
    /// The command that measures it, for what is no storage and no area.
    pub measured_by: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Relation {
    #[default]
    Equal,
    /// The paper says "less than".
    Less,
}

/// One way to compute a claimed number.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reading {
    #[serde(rename = "as")]
    pub what: String,
    pub compute: String,
}

/// Two places that do not agree.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Contradiction {
    /// The two places.
    pub between: Vec<String>,
    /// The contradiction in words.
    pub what: String,
    /// True by the paper's own numbers; none where the contradiction is one of words.
    pub holds: Option<String>,
}

/// True if a claim follows from the paper's own arithmetic.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ArithmeticVerdict {
    /// By the literal reading.
    Agrees,
    /// Only by another reading, this one.
    AgreesIf(String),
    /// By no reading.
    Contradicts,
    /// The paper gives no number to compare, or nothing to compute it from.
    Open,
}

impl Paper {
    /// The papers whose claims are recorded.
    ///
    /// # Panics
    /// If a recorded file is malformed; a test reads them all.
    pub fn all() -> Vec<Paper> {
        let files = [
            ("malekeh-workshop.toml", include_str!("../../papers/malekeh-workshop.toml")),
            ("malekeh-full.toml", include_str!("../../papers/malekeh-full.toml")),
            ("inter-warp-multicasting.toml", include_str!("../../papers/inter-warp-multicasting.toml")),
            ("finereg.toml", include_str!("../../papers/finereg.toml")),
            ("register-cache.toml", include_str!("../../papers/register-cache.toml")),
        ];
        let parse = |(name, text)| Paper::parse(text).with_context(|| format!("papers/{name}"));
        files.into_iter().map(|file| parse(file).expect("the recorded claims are well formed")).collect()
    }

    /// Reads a file of `papers`.
    ///
    /// # Errors
    /// If it is malformed; the message names the claim.
    pub fn parse(text: &str) -> Result<Paper> {
        let paper: Paper = toml::from_str(text)?;
        for claim in &paper.claims {
            let number = claim.claimed.as_ref().map_or(Ok(0.0), |claimed| claimed.parse());
            number.with_context(|| format!("claim {}: `claimed` is no number", claim.id))?;
            let place = claim.measured_by.is_some() || claim.note.is_some() || !claim.readings.is_empty();
            ensure!(place, "claim {}: it needs `readings`, `measured_by` or a `note`", claim.id);
        }
        Ok(paper)
    }

    /// Variables of this paper's expressions: its parameters, and those of the others behind their keys.
    pub(crate) fn variables(&self, others: &[Paper]) -> Variables {
        let mut variables = Variables::default();
        variables.add(&self.parameters);
        for paper in others {
            let named =
                paper.parameters.iter().map(|(name, value)| (format!("{}.{name}", paper.key), *value));
            variables.add(&named.collect());
        }
        variables
    }
}

impl PaperClaim {
    pub(crate) fn claimed(&self) -> Option<f64> {
        self.claimed.as_ref()?.parse().ok()
    }

    /// Returns true if a number supports the claim: rounded as the claim is, it is the same, or it is less.
    pub(crate) fn supports(&self, number: f64) -> Option<bool> {
        let printed = self.claimed.as_ref()?;
        let claimed: f64 = printed.parse().ok()?;
        let decimals = printed.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        let half = 0.5 * 10f64.powi(-(decimals as i32));
        Some(match self.relation {
            Relation::Equal => (number - claimed).abs() <= half + 1e-12,
            Relation::Less => number < claimed,
        })
    }

    /// The value of every reading, in their order.
    pub(crate) fn computed(&self, variables: &Variables) -> Result<Vec<f64>> {
        let value = |reading: &Reading| variables.number(&reading.compute);
        let values = self.readings.iter().map(value).collect::<Result<_>>();
        values.with_context(|| format!("claim {}", self.id))
    }

    pub(crate) fn verdict(&self, computed: &[f64]) -> ArithmeticVerdict {
        let supporting = |value: &f64| self.supports(*value) == Some(true);
        match computed.iter().position(supporting) {
            _ if computed.is_empty() || self.claimed.is_none() => ArithmeticVerdict::Open,
            Some(0) => ArithmeticVerdict::Agrees,
            Some(other) => ArithmeticVerdict::AgreesIf(self.readings[other].what.clone()),
            None => ArithmeticVerdict::Contradicts,
        }
    }
}

impl Contradiction {
    /// Returns true if the arithmetic shows it; `None` where it is one of words.
    pub(crate) fn shown(&self, variables: &Variables) -> Result<Option<bool>> {
        let Some(holds) = &self.holds else {
            return Ok(None);
        };
        match variables.evaluate(holds)? {
            Value::Boolean(shown) => Ok(Some(shown)),
            other => anyhow::bail!("`{holds}` is {other}, neither true nor false"),
        }
    }
}

/// Named numbers, all of them real: no division is cut off.
#[derive(Clone, Default)]
pub(crate) struct Variables(HashMapContext);

impl Variables {
    pub(crate) fn add(&mut self, values: &BTreeMap<String, f64>) {
        for (name, value) in values {
            let set = self.0.set_value(name.clone(), Value::Float(*value));
            set.expect("variables are always real numbers");
        }
    }

    pub(crate) fn number(&self, expression: &str) -> Result<f64> {
        let value = self.evaluate(expression)?;
        value.as_number().with_context(|| format!("`{expression}` is no number"))
    }

    /// Returns true if every name in an expression is one of these.
    pub(crate) fn knows(&self, expression: &str) -> Result<bool> {
        let tree = tree(expression)?;
        let mut names = tree.iter_variable_identifiers();
        Ok(names.all(|name| self.0.get_value(name).is_some()))
    }

    fn evaluate(&self, expression: &str) -> Result<Value> {
        let tree = tree(expression)?;
        tree.eval_with_context(&self.0).with_context(|| format!("`{expression}`"))
    }
}

fn tree(expression: &str) -> Result<Node> {
    evalexpr::build_operator_tree(expression).with_context(|| format!("`{expression}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(key: &str, id: &str) -> Vec<f64> {
        let papers = Paper::all();
        let paper = papers.iter().find(|paper| paper.key == key).unwrap();
        let claim = paper.claims.iter().find(|claim| claim.id == id).unwrap();
        claim.computed(&paper.variables(&papers)).unwrap()
    }

    #[test]
    fn arithmetic_of_the_workshop_paper() {
        // 8 collectors × (8 × 13 + 7 × 3 = 125 bits) = 125 B; a valid bit each adds 8 B.
        assert_eq!(value("W", "extra-control-storage"), [125.0, 133.0, 128.0]);
        assert_eq!(value("W", "extra-control-share")[0], 100.0 * 128.0 / 262144.0);
        // 8 collectors × (8 − 7) × 128 B.
        assert_eq!(value("W", "no-extra-data"), [1024.0]);
    }

    #[test]
    fn arithmetic_of_the_full_paper() {
        assert_eq!(value("F", "extra-data-storage"), [2048.0]);
        assert_eq!(value("F", "extra-data-share"), [0.78125]);
        // 8 collectors × (8 × 13 + 6 × 3 = 122 bits) = 122 B.
        assert_eq!(value("F", "control-storage"), [122.0, 130.0]);
        assert_eq!(value("F", "bow-buffer"), [3072.0]);
        assert_eq!(value("F", "tensor-buffer"), [11264.0]);
        assert_eq!(value("F", "bow-storage-ratio"), [100.0 / 12.0]);
    }

    #[test]
    fn arithmetic_of_the_multicasting_paper() {
        assert_eq!(value("I", "entry"), [38.0]);
        assert_eq!(value("I", "table-of-sm"), [912.0]);
        assert_eq!(value("I", "table-of-gpu"), [72.96, 71.25]);
        assert_eq!(value("I", "queue-of-gpu"), [3.04]);
        assert!((value("I", "share-scan")[0] - 0.0092).abs() < 1e-5);
    }

    #[test]
    fn arithmetic_of_finereg() {
        assert_eq!(value("R", "tag-bits"), [23.0, 21.0]);
        assert_eq!(value("R", "tags")[..2], [2.625, 2.875]);
        assert_eq!(value("R", "bit-vector-cache"), [384.0]);
        // 64 B of status, 384 B, 256 B, and what is printed for tags and switching logic.
        assert_eq!(value("R", "total")[0], 704.0 / 1024.0 + 2.15 + 2.4);
        assert_eq!(value("R", "live-register-count"), [12.0, 6.0]);
    }

    #[test]
    fn every_claim_computes_and_every_contradiction_holds() {
        let papers = Paper::all();
        for paper in &papers {
            let variables = paper.variables(&papers);
            for claim in &paper.claims {
                claim.computed(&variables).unwrap();
            }
            for contradiction in &paper.contradictions {
                assert_ne!(contradiction.shown(&variables).unwrap(), Some(false), "{}", contradiction.what);
            }
        }
    }

    #[test]
    fn a_claim_is_compared_as_it_is_rounded() {
        let papers = Paper::all();
        let verdict = |paper: usize, id: &str| {
            let claim = papers[paper].claims.iter().find(|claim| claim.id == id).unwrap();
            claim.verdict(&claim.computed(&papers[paper].variables(&papers)).unwrap())
        };
        assert!(matches!(verdict(0, "extra-control-storage"), ArithmeticVerdict::AgreesIf(_)));
        assert_eq!(verdict(0, "extra-control-share"), ArithmeticVerdict::Contradicts);
        assert_eq!(verdict(0, "no-extra-data"), ArithmeticVerdict::Contradicts);
        assert_eq!(verdict(0, "interval-register"), ArithmeticVerdict::Open);
        assert_eq!(verdict(1, "extra-data-share"), ArithmeticVerdict::Agrees);
        assert_eq!(verdict(1, "area-bound"), ArithmeticVerdict::Contradicts);
        assert_eq!(verdict(1, "control-storage"), ArithmeticVerdict::Open);
    }

    #[test]
    fn malformed_claims_are_refused() {
        let paper = |claim: &str| {
            let text = format!("key = \"X\"\ntitle = \"x\"\nyear = 1\n[parameters]\n[[module]]\nas = \"ocu\"\nmodule = \"ocu\"\n[[claim]]\n{claim}");
            format!("{:#}", Paper::parse(&text).unwrap_err())
        };
        let claim = "id = \"a\"\nsection = \"1\"\nquote = \"q\"\nunit = \"B\"\n";
        assert!(paper(&format!("{claim}claimed = \"many\"")).contains("no number"));
        assert!(paper(claim).contains("needs `readings`"));
        assert!(paper(&format!("{claim}colour = 1")).contains("colour"));
    }
}

// SPDX-License-Identifier: Apache-2.0
//! Several designs at a time: what they have in common is mapped once, and as many runs go on as there are
//! processors.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::OnceLock;
use std::thread;

use anyhow::{anyhow, Context, Result};

use super::parts::{parts, SeparateModule};
use super::run::{RunReport, YosysRun, YosysStep};
use super::tree::ReportTree;
use super::{combine, Job, Options, Structure, Synthesis};

/// Synthesizes one module.
///
/// # Errors
/// If Yosys is missing or fails, if the design has a latch, a combinational loop, or a wire that is
/// undriven or driven twice. The log is kept and named.
pub fn synthesize(job: Job, options: &Options) -> Result<Synthesis> {
    synthesize_all(&[job], options, |_| {}).remove(0)
}

/// An event that [`synthesize_all`] tells of its runs of Yosys.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// So many are needed.
    Needed(usize),
    /// One begins, of this module.
    Begins(&'a str, YosysStep),
    /// It ended.
    Ends(&'a str, YosysStep),
    /// One was made before, and is not repeated.
    Known(&'a str, YosysStep),
}

/// Synthesizes several modules, as many Yosys processes at a time as there are processors, and tells when
/// each run begins and ends. What several have in common is mapped once.
pub fn synthesize_all(
    jobs: &[Job],
    options: &Options,
    watch: impl Fn(Event) + Sync,
) -> Vec<Result<Synthesis>> {
    let parts: Vec<Result<Vec<SeparateModule>>> = jobs.iter().map(|job| parts(job.source, job.top)).collect();
    let mut runs = Runs::default();
    let planned = jobs.iter().zip(&parts);
    let planned = planned.map(|(job, parts)| runs.plan(job, parts.as_ref().map_err(again)?, options));
    let plans: Vec<Result<Plan>> = planned.collect();
    let joins = plans.iter().flatten().filter(|plan| plan.flattened.is_none()).count();
    watch(Event::Needed(runs.list.len() + joins));
    let made = runs.make(options, &watch);

    let mut joins = Runs::default();
    let sums = jobs.iter().zip(&plans).map(|(job, plan)| {
        let plan = plan.as_ref().map_err(again)?;
        let tree = plan.tree(job.top, &made)?;
        let whole = match plan.flattened {
            Some(run) => Whole::Flattened(run),
            None => Whole::Joined(joins.add(YosysRun::composed(job.top, &plan.netlists(&made), options)?)),
        };
        Ok((tree, whole))
    });
    let sums: Vec<Result<(ReportTree, Whole)>> = sums.collect();
    let joined = joins.make(options, &watch);

    let ends = jobs.iter().zip(sums).map(|(job, sum)| {
        let end = || {
            let (tree, whole) = sum?;
            let made = match whole {
                Whole::Flattened(run) => &made[run],
                Whole::Joined(run) => &joined[run],
            };
            combine(job, options, &tree, &made.as_ref().map_err(again)?.0)
        };
        end().with_context(|| job.top.to_string())
    });
    ends.collect()
}

/// An error that several designs share.
fn again(error: &anyhow::Error) -> anyhow::Error {
    anyhow!("{error:#}")
}

/// The product of a run: a report, and the netlist of a module.
type Made = Result<(RunReport, String)>;

/// Numbers of the runs that a design needs.
struct Plan<'a> {
    modules: Vec<(&'a str, usize)>,
    flattened: Option<usize>,
}

/// The run that measures the whole, among the first ones or among those that join modules.
enum Whole {
    Flattened(usize),
    Joined(usize),
}

impl<'a> Plan<'a> {
    fn tree<'b>(&self, top: &'b str, made: &'b [Made]) -> Result<ReportTree<'b>>
    where
        'a: 'b,
    {
        let report = |&(name, run): &(&'a str, usize)| {
            let report = made[run].as_ref().map_err(again);
            let (report, _) = if name == top { report? } else { report.with_context(|| name.to_string())? };
            Ok((name, report))
        };
        Ok(ReportTree { top, modules: self.modules.iter().map(report).collect::<Result<_>>()? })
    }

    /// The netlists of modules that were made.
    fn netlists<'b>(&self, made: &'b [Made]) -> Vec<&'b str> {
        self.modules.iter().filter_map(|(_, run)| Some(made[*run].as_ref().ok()?.1.as_str())).collect()
    }
}

/// Runs, each once.
#[derive(Default)]
struct Runs<'a> {
    list: Vec<YosysRun<'a>>,
    known: HashMap<String, usize>,
}

impl<'a> Runs<'a> {
    /// The ones of a design. They are modules and the flattened whole; joining them comes later.
    fn plan(&mut self, job: &Job<'a>, parts: &'a [SeparateModule], options: &Options) -> Result<Plan<'a>> {
        let module = |part: &'a SeparateModule| {
            Ok((part.name.as_str(), self.add(YosysRun::module(part, job, options)?)))
        };
        let modules = parts.iter().map(module).collect::<Result<_>>()?;
        let flattened = match job.structure {
            Structure::Flattened if parts.len() > 1 => Some(self.add(YosysRun::flattened(job, options)?)),
            // Nothing lies below a module by itself that would be flattened.
            Structure::Flattened | Structure::Kept => None,
        };
        Ok(Plan { modules, flattened })
    }

    /// Its number.
    fn add(&mut self, run: YosysRun<'a>) -> usize {
        let number = *self.known.entry(run.key.clone()).or_insert(self.list.len());
        if number == self.list.len() {
            self.list.push(run);
        }
        number
    }

    /// Makes the reports of all, and the netlists of modules.
    fn make(&self, options: &Options, watch: &(impl Fn(Event) + Sync)) -> Vec<Made> {
        let made: Vec<OnceLock<Made>> = self.list.iter().map(|_| OnceLock::new()).collect();
        let next = AtomicUsize::new(0);
        let worker = || {
            while let Some(number) =
                Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&next| next < made.len())
            {
                let run = &self.list[number];
                let result = match run.kept() {
                    Some(kept) => {
                        watch(Event::Known(run.top, run.step));
                        Ok(kept)
                    }
                    None => {
                        watch(Event::Begins(run.top, run.step));
                        let made = run.make(options);
                        watch(Event::Ends(run.top, run.step));
                        made
                    }
                };
                made[number].set(result).unwrap_or_else(|_| unreachable!("each number is drawn once"));
            }
        };
        let workers = thread::available_parallelism().map_or(2, NonZeroUsize::get);
        thread::scope(|scope| (0..workers).for_each(|_| drop(scope.spawn(worker))));
        made.into_iter().map(|result| result.into_inner().expect("all were made")).collect()
    }
}

//! Combinational paths: which output depends on which input, and that no path runs in a circle.
//!
//! A block runs as a whole whenever anything it reads changes, and shows the values between its
//! assignments to whoever waits for them. Blocks in a circle can therefore wake each other for ever
//! in an event-driven simulator, even where Rust finds values that agree.

use std::collections::{BTreeSet, HashMap};

use super::error::{EmitError, Result};
use super::schedule::Process;
use super::scope::Scope;
use super::signals::{Role, SignalId, Signals};

/// Pairs of an input and an output that depends on it within the cycle, by port name.
pub type Paths = BTreeSet<(String, String)>;

/// The combinational paths through a module, given those through its children by module name.
pub fn paths(
    scope: &Scope,
    signals: &Signals,
    processes: &[Process],
    children: &HashMap<String, Paths>,
) -> Result<Paths> {
    let mut followers: Vec<BTreeSet<SignalId>> = vec![BTreeSet::new(); signals.len()];
    for process in processes {
        let targets = process.targets();
        process.reads(&mut |id| {
            if !targets.contains(&id) {
                followers[id].extend(targets);
            }
        });
    }
    for child in &scope.children {
        let Some(paths) = children.get(&child.identity.verilog) else { continue };
        let port = |name: &str| {
            let atom = child.atoms.iter().find(|atom| atom.key.replace('$', "_") == name);
            atom.and_then(|atom| signals.find(&format!("{}${}", child.key, atom.key)))
        };
        for (input, output) in paths {
            if let (Some(input), Some(output)) = (port(input), port(output)) {
                followers[input].insert(output);
            }
        }
    }
    check_loops(signals, &followers)?;
    let mut paths = Paths::new();
    for input in (0..signals.len()).filter(|id| signals[*id].role == Role::Input) {
        let mut reached = BTreeSet::new();
        let mut waiting = vec![input];
        while let Some(id) = waiting.pop() {
            waiting.extend(followers[id].iter().filter(|next| reached.insert(**next)));
        }
        let outputs = reached.into_iter().filter(|id| signals[*id].role == Role::Output);
        paths.extend(outputs.map(|id| (signals[input].name.clone(), signals[id].name.clone())));
    }
    Ok(paths)
}

fn check_loops(signals: &Signals, followers: &[BTreeSet<SignalId>]) -> Result<()> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        OnPath,
        Done,
    }
    let mut marks = vec![Mark::New; signals.len()];
    for start in 0..signals.len() {
        if marks[start] != Mark::New {
            continue;
        }
        marks[start] = Mark::OnPath;
        let mut path = vec![(start, followers[start].iter())];
        while let Some((id, rest)) = path.last_mut() {
            match rest.next() {
                None => {
                    marks[*id] = Mark::Done;
                    path.pop();
                }
                Some(next) if marks[*next] == Mark::OnPath => {
                    let circle = path.iter().map(|(id, _)| *id).skip_while(|id| id != next);
                    return Err(EmitError::Loop {
                        module: signals.module.clone(),
                        signals: circle.map(|id| signals[id].name.clone()).collect(),
                    });
                }
                Some(next) if marks[*next] == Mark::New => {
                    marks[*next] = Mark::OnPath;
                    path.push((*next, followers[*next].iter()));
                }
                Some(_) => {}
            }
        }
    }
    Ok(())
}

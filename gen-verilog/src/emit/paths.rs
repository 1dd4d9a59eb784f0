// SPDX-License-Identifier: Apache-2.0
//! Combinational paths: what depends on what, and that no path runs in a circle.
//!
//! A block runs as a whole whenever anything it reads changes, and shows the values between its
//! assignments to whoever waits for them. Blocks in a circle can therefore wake each other forever
//! in an event-driven simulator, even where Rust finds values that agree.

use std::collections::{BTreeSet, HashMap};

use super::error::{EmitError, Result};
use super::schedule::Process;
use super::scope::Scope;
use super::signals::{Role, SignalId, Signals, VectorId};

/// Pairs of an input and an output that depends on it within the cycle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Paths {
    /// By key of the scope, `tag$3`.
    elements: BTreeSet<(String, String)>,
    /// By the name of the vector, as the text has them: a process with loops is one.
    pub vectors: BTreeSet<(String, String)>,
}

/// The nodes that follow each node within the cycle.
pub type Followers = Vec<BTreeSet<usize>>;

/// The combinational paths from port to port, signal by signal; given those through the children by module
/// name.
pub fn paths(
    scope: &Scope,
    signals: &Signals,
    processes: &[Process],
    children: &HashMap<String, Paths>,
) -> Result<Paths> {
    let mut followers: Followers = vec![BTreeSet::new(); signals.len()];
    for process in processes {
        let targets = process.targets();
        process.reads(&mut |id| {
            if !targets.contains(&id) {
                followers[id].extend(targets);
            }
        });
    }
    for child in &scope.children {
        let Some(paths) = children.get(&child.identity.verilog_name) else { continue };
        for (input, output) in &paths.elements {
            let port = |key: &str| signals.at(&format!("{}${key}", child.key));
            if let (Some(input), Some(output)) = (port(input), port(output)) {
                followers[input].insert(output);
            }
        }
    }
    if let Some(circle) = circle(&followers) {
        return Err(EmitError::Loop {
            module: signals.module.clone(),
            signals: circle.into_iter().map(|id| signals.name_of(id)).collect(),
        });
    }
    let keys: HashMap<SignalId, &str> =
        scope.atoms.iter().filter_map(|atom| Some((signals.at(&atom.key)?, atom.key.as_str()))).collect();
    let ports = |role: Role| (0..signals.len()).filter(move |id| signals.owner(*id).role == role);
    let mut elements = BTreeSet::new();
    for input in ports(Role::Input) {
        let reached = reached(&followers, input);
        let outputs = ports(Role::Output).filter(|id| reached.contains(id));
        elements.extend(outputs.map(|id| (keys[&input].to_string(), keys[&id].to_string())));
    }
    Ok(Paths { elements, vectors: BTreeSet::new() })
}

/// Outputs of the children, as vectors, with the inputs on which they follow.
pub fn through_children(
    scope: &Scope,
    signals: &Signals,
    children: &HashMap<String, Paths>,
) -> Vec<(VectorId, VectorId)> {
    let mut pairs = vec![];
    for (number, group) in signals.children.iter().enumerate() {
        let child = &scope.children[group.members[0]];
        let Some(paths) = children.get(&child.identity.verilog_name) else { continue };
        let vector = |name: &str, role: Role| {
            let name = format!("{}_{name}", group.name);
            signals.vectors.iter().position(|vector| vector.name == name && vector.role == role)
        };
        for (input, output) in &paths.vectors {
            let ends = (vector(input, Role::ChildInput(number)), vector(output, Role::ChildOutput(number)));
            if let (Some(input), Some(output)) = ends {
                pairs.push((input, output));
            }
        }
    }
    pairs
}

/// All that follows on a node.
pub fn reached(followers: &Followers, from: usize) -> BTreeSet<usize> {
    let mut reached = BTreeSet::new();
    let mut waiting = vec![from];
    while let Some(id) = waiting.pop() {
        waiting.extend(followers[id].iter().filter(|next| reached.insert(**next)));
    }
    reached
}

/// Nodes that follow on each other in a circle, if there are any.
pub fn circle(followers: &Followers) -> Option<Vec<usize>> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        OnPath,
        Done,
    }
    let mut marks = vec![Mark::New; followers.len()];
    for start in 0..followers.len() {
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
                    return Some(path.iter().map(|(id, _)| *id).skip_while(|id| id != next).collect());
                }
                Some(next) if marks[*next] == Mark::New => {
                    marks[*next] = Mark::OnPath;
                    path.push((*next, followers[*next].iter()));
                }
                Some(_) => {}
            }
        }
    }
    None
}

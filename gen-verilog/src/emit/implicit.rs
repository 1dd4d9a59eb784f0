// SPDX-License-Identifier: Apache-2.0
//! Clock and reset of children that the kernel leaves to the parent's.

use std::collections::BTreeSet;

use super::expression::Expression;
use super::scope::Scope;
use super::signals::{Role, SignalId, Signals, CLOCK, RESET};
use super::statement::{AssignedPart, Statement};
use super::unroll::unrolled;

/// The ports that a child shares with its parent, by name.
const SHARED: [&str; 2] = [CLOCK, RESET];

/// The kernel, with the module's clock and reset for each child whose own nothing drives.
pub fn with_clocks(scope: &Scope, signals: &Signals, kernel: Vec<Statement>) -> Vec<Statement> {
    let mut driven: BTreeSet<SignalId> = BTreeSet::new();
    unrolled(&kernel).iter().for_each(|statement| {
        statement.targets(&mut |target| {
            driven.insert(target.id());
        });
    });
    let mut statements = vec![];
    for name in SHARED {
        let Some((own, _)) = signals.find(name).filter(|(own, _)| signals[*own].role == Role::Input) else {
            continue;
        };
        for child in &scope.children {
            let Some(id) = signals.at(&format!("{}${name}", child.key)) else { continue };
            let port = signals.owner(id);
            let is_alike = (port.is_clock, port.width) == (signals[own].is_clock, signals[own].width);
            if matches!(port.role, Role::ChildInput(_)) && is_alike && !driven.contains(&id) {
                let value = Expression::signal(signals, signals.element(signals[own].first));
                let target = signals.element(id);
                statements.push(Statement::Assign { target, part: AssignedPart::Whole, value, at: 0 });
            }
        }
    }
    statements.extend(kernel);
    statements
}

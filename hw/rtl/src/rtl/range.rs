// SPDX-License-Identifier: Apache-2.0
//! Ranges of loops.

use syn::{Expr, ExprRange};

/// The range of a loop, and if it runs backwards, `(0..n).rev()`.
pub(super) fn range_of(expr: &Expr) -> Option<(&ExprRange, bool)> {
    match expr {
        Expr::Range(range) => Some((range, false)),
        Expr::Paren(paren) => range_of(&paren.expr),
        Expr::MethodCall(call) if call.method == "rev" && call.args.is_empty() => {
            range_of(&call.receiver).map(|(range, _)| (range, true))
        }
        _ => None,
    }
}

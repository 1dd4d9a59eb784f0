// SPDX-License-Identifier: Apache-2.0
//! Conditions over parameters and sizes.

use syn::{parse_quote, BinOp, Expr, ExprBinary, ExprUnary, UnOp};

/// A condition over parameters and sizes. All of them are numbers: a name by itself is one that is not zero.
pub fn decided(condition: &Expr) -> Expr {
    match condition {
        Expr::Path(_) => parse_quote!((#condition != 0)),
        Expr::Paren(paren) => decided(&paren.expr),
        Expr::Unary(ExprUnary { op: UnOp::Not(_), expr, .. }) => {
            let holds = decided(expr);
            parse_quote!((!#holds))
        }
        Expr::Binary(ExprBinary {
            left,
            op: op @ (BinOp::And(_) | BinOp::Or(_) | BinOp::BitAnd(_) | BinOp::BitOr(_)),
            right,
            ..
        }) => {
            let (left, right) = (decided(left), decided(right));
            parse_quote!((#left #op #right))
        }
        Expr::Binary(ExprBinary { left, op, right, .. }) => {
            let (left, right) = (number(left), number(right));
            parse_quote!((#left #op #right))
        }
        other => parse_quote!((#other)),
    }
}

/// A side of a comparison as a number; a policy is a number as well.
fn number(expr: &Expr) -> Expr {
    match expr {
        Expr::Path(path) if path.path.segments.len() > 1 => parse_quote!((#path as usize)),
        other => other.clone(),
    }
}

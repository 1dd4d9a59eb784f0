// SPDX-License-Identifier: Apache-2.0
//! The two passes over a kernel that make it mean the same in Rust and in Verilog.

use syn::visit_mut::{visit_expr_index_mut, visit_expr_mut, VisitMut};
use syn::{parse_quote, Expr, ExprForLoop, ExprIndex, ExprRange, Ident, Pat};

use super::path::mentions;
use super::value::width_of;

/// Takes away the invisible groups that `macro_rules!` leaves around its fragments.
pub(super) struct Ungroup;

impl VisitMut for Ungroup {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        while let Expr::Group(group) = expr {
            *expr = (*group.expr).clone();
        }
        visit_expr_mut(self, expr);
    }
}

/// Puts parentheses around every nested operator, so that precedence never decides, and turns casts
/// of array elements into slices.
///
/// In Rust `get_bits::<M>(0)` and `bit_cast::<M, N>` are the same; rust-hdl's own generator could say the
/// slice alone in a loop.
#[derive(Default)]
pub(super) struct Unambiguous {
    loops: Vec<Ident>,
}

impl VisitMut for Unambiguous {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        if let Some(slice) = self.slice_of_element(expr) {
            *expr = slice;
        }
        visit_expr_mut(self, expr);
        match expr {
            Expr::Binary(binary) => {
                parenthesise(&mut binary.left);
                parenthesise(&mut binary.right);
            }
            Expr::Unary(unary) => parenthesise(&mut unary.expr),
            _ => {}
        }
    }

    fn visit_expr_for_loop_mut(&mut self, each: &mut ExprForLoop) {
        if let Expr::Range(ExprRange { start: Some(start), end: Some(end), .. }) = &mut *each.expr {
            parenthesise(start);
            parenthesise(end);
        }
        let Pat::Ident(variable) = &*each.pat else {
            return;
        };
        self.loops.push(variable.ident.clone());
        self.visit_block_mut(&mut each.body);
        self.loops.pop();
    }

    /// An index is plain arithmetic on constants, where Rust's precedence is everyone's.
    fn visit_expr_index_mut(&mut self, index: &mut ExprIndex) {
        let written = index.index.clone();
        visit_expr_index_mut(self, index);
        index.index = written;
    }
}

impl Unambiguous {
    fn slice_of_element(&self, expr: &Expr) -> Option<Expr> {
        let Expr::Call(call) = expr else { return None };
        let Expr::Path(function) = &*call.func else {
            return None;
        };
        let name = function.path.segments.last()?;
        let value = call.args.first()?;
        if name.ident != "bit_cast" || !mentions(value, &self.loops) {
            return None;
        }
        let width = width_of(name)?;
        Some(parse_quote!(#value.get_bits::<#width>(0)))
    }
}

fn parenthesise(expr: &mut Expr) {
    if matches!(expr, Expr::Binary(_) | Expr::Unary(_)) {
        *expr = parse_quote!((#expr));
    }
}

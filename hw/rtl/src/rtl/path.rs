// SPDX-License-Identifier: Apache-2.0
//! Paths from `self` to a signal, and other shapes that the rules look for.

use syn::visit::Visit;
use syn::{Expr, ExprCall, ExprMethodCall, ExprPath, Ident, Member, Path};

/// A path from `self` to a signal: `self.bank[i].queue` has the names `bank`, `queue` and the
/// index `i`.
pub(crate) struct SignalPath<'a> {
    pub names: Vec<&'a Ident>,
    pub indices: Vec<&'a Expr>,
}

impl<'a> SignalPath<'a> {
    /// Reads a path of at least one name; anything else is not a path.
    pub fn parse(expr: &'a Expr) -> Option<Self> {
        let mut path = SignalPath { names: vec![], indices: vec![] };
        path.walk(expr)?;
        (!path.names.is_empty()).then_some(path)
    }

    fn walk(&mut self, expr: &'a Expr) -> Option<()> {
        match expr {
            Expr::Path(root) if root.path.is_ident("self") => {}
            Expr::Field(field) => {
                self.walk(&field.base)?;
                let Member::Named(name) = &field.member else {
                    return None;
                };
                self.names.push(name);
            }
            Expr::Index(index) => {
                self.walk(&index.expr)?;
                self.indices.push(&index.index);
            }
            _ => return None,
        }
        Some(())
    }

    /// Clocks are known by their name: `clock`, or ending in `_clock`.
    pub fn is_clock(&self) -> bool {
        let last = self.names.last().map(|name| name.to_string()).unwrap_or_default();
        last == "clock" || last.ends_with("_clock")
    }
}

/// `wires::assign(wires::value(&self.a), &mut self.b)`, which shorthand becomes: wires, or a bundle of them,
/// assigned as one.
pub(crate) struct Assigned<'a> {
    /// `value`, `zero` or `either`.
    pub function: &'a Ident,
    /// The wires that make the value.
    pub from: Vec<&'a Expr>,
    /// The wires that are assigned.
    pub target: &'a Expr,
}

impl<'a> Assigned<'a> {
    pub fn parse(call: &'a ExprCall) -> Option<Self> {
        let (_, arguments) = own_call(call)?;
        let [Expr::Call(value), Expr::Reference(target)] = &arguments[..] else { return None };
        let (function, from) = own_call(value)?;
        let from = from.into_iter().map(|from| match from {
            Expr::Reference(from) => Some(&*from.expr),
            _ => None,
        });
        Some(Assigned { function, from: from.collect::<Option<_>>()?, target: &target.expr })
    }
}

/// A call of a function of the dialect, which kernels don't write themselves.
fn own_call(call: &ExprCall) -> Option<(&Ident, Vec<&Expr>)> {
    let Expr::Path(function) = &*call.func else { return None };
    let segments = &function.path.segments;
    let is_own = function.path.leading_colon.is_some() && segments.first()?.ident == "gpurf_hw";
    is_own.then_some((&segments.last()?.ident, call.args.iter().collect()))
}

/// The base of `base.member`, for a given member name.
pub(crate) fn base_of<'a>(expr: &'a Expr, member: &str) -> Option<&'a Expr> {
    match expr {
        Expr::Field(field) => match &field.member {
            Member::Named(name) if name == member => Some(&field.base),
            _ => None,
        },
        _ => None,
    }
}

/// The call of `receiver.method(..)`, for a given method name.
pub(crate) fn call_of<'a>(expr: &'a Expr, method: &str) -> Option<&'a ExprMethodCall> {
    match expr {
        Expr::MethodCall(call) if call.method == method => Some(call),
        _ => None,
    }
}

/// The value that a function of the kernel returns or is given, of a type that is said.
pub(crate) fn typed(call: &ExprCall) -> Option<&Expr> {
    let (name, arguments) = own_call(call)?;
    arguments.first().copied().filter(|_| name == "typed")
}

/// The value below parentheses, types and `.into()`, which change neither bits nor width.
pub(crate) fn peel(expr: &Expr) -> &Expr {
    match expr {
        Expr::Paren(paren) => peel(&paren.expr),
        Expr::Call(call) => typed(call).map_or(expr, peel),
        Expr::MethodCall(call) if call.method == "into" => peel(&call.receiver),
        other => other,
    }
}

/// Returns true if an expression mentions one of these variables.
pub(crate) fn mentions(expr: &Expr, variables: &[Ident]) -> bool {
    struct Search<'s>(&'s [Ident], bool);
    impl<'ast> Visit<'ast> for Search<'_> {
        fn visit_expr_path(&mut self, path: &'ast ExprPath) {
            self.1 |= self.0.iter().any(|variable| path.path.is_ident(variable));
        }
    }
    let mut search = Search(variables, false);
    search.visit_expr(expr);
    search.1
}

/// `Type::Variant`; an associated constant or a bare name has no value in the Verilog.
pub(super) fn is_variant(path: &Path) -> bool {
    path.segments.len() >= 2 && path.segments[0].ident != "Self"
}

/// Returns true if a value is read, sliced or cast, and not computed.
pub(super) fn is_plain(expr: &Expr) -> bool {
    match peel(expr) {
        Expr::MethodCall(call) => {
            matches!(call.method.to_string().as_str(), "val" | "get_bits" | "to_bits")
        }
        Expr::Field(_) | Expr::Index(_) | Expr::Call(_) | Expr::Lit(_) | Expr::Path(_) => true,
        _ => false,
    }
}

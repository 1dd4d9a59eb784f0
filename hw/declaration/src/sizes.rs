// SPDX-License-Identifier: Apache-2.0
//! The numbers in a declaration: lengths of arrays, ends of loops, values of constants.

use proc_macro2::Ident;
use quote::{format_ident, ToTokens};
use syn::punctuated::Punctuated;
use syn::visit_mut::{visit_expr_mut, VisitMut};
use syn::{
    parse_quote, BinOp, Expr, ExprBinary, ExprBlock, ExprCall, ExprClosure, ExprIf, Field, Result, Stmt,
    Token,
};

use crate::attribute::Arguments;
use crate::fields::DeclaredField;

/// Every number that lengths and loops name, once: arguments, then sizes as declared, then parameters.
pub fn sizes(arguments: &Arguments, parts: &[DeclaredField]) -> Vec<(Ident, Expr)> {
    let mut sizes: Vec<(Ident, Expr)> = vec![];
    for (name, _) in &arguments.arguments {
        sizes.push((name.clone(), parse_quote!(#name)));
    }
    let declared: Vec<&Ident> = arguments.sizes.iter().map(|(name, _)| name).collect();
    let mut used = vec![];
    let mut note = |expr: &Expr| {
        let mut names = LowerNames(vec![]);
        names.visit_expr_mut(&mut expr.clone());
        used.extend(names.0);
    };
    parts.iter().flat_map(|part| &part.lengths).for_each(&mut note);
    arguments.sizes.iter().filter_map(|(_, value)| value.as_ref()).for_each(&mut note);
    for name in used {
        if !sizes.iter().any(|(known, _)| *known == name) && !declared.contains(&&name) {
            let text = name.to_string();
            let value = parse_quote!(parameters.number_of(#text));
            sizes.push((name, value));
        }
    }
    for (name, value) in &arguments.sizes {
        let value = value.clone().unwrap_or_else(|| parse_quote!(parameters.#name));
        sizes.push((name.clone(), value));
    }
    sizes
}

/// Parameters that only the values of constants and the arguments of modules name.
pub fn settings(fields: &[Field], sizes: &[&Ident]) -> Result<Vec<Ident>> {
    let mut settings: Vec<Ident> = vec![];
    let given = fields.iter().flat_map(|field| &field.attrs);
    for attribute in
        given.filter(|attribute| ["value", "with", "new"].iter().any(|name| attribute.path().is_ident(name)))
    {
        for mut expr in attribute.parse_args_with(Punctuated::<Expr, Token![,]>::parse_terminated)? {
            let mut names = LowerNames(vec![]);
            names.visit_expr_mut(&mut expr);
            for name in names.0 {
                if !settings.contains(&name) && !sizes.contains(&&name) {
                    settings.push(name);
                }
            }
        }
    }
    Ok(settings)
}

/// Gathers the plain lower-case names of an expression; a closure's own arguments are not among them, nor
/// functions.
struct LowerNames(Vec<Ident>);

impl VisitMut for LowerNames {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        if let Some(name) = lower_name(expr) {
            if name != "parameters" {
                self.0.push(name);
            }
        }
        visit_expr_mut(self, expr);
    }

    fn visit_expr_closure_mut(&mut self, closure: &mut ExprClosure) {
        let mut inner = LowerNames(vec![]);
        inner.visit_expr_mut(&mut closure.body);
        let own: Vec<String> =
            closure.inputs.iter().map(|input| input.to_token_stream().to_string()).collect();
        self.0.extend(inner.0.into_iter().filter(|name| !own.contains(&name.to_string())));
    }

    fn visit_expr_call_mut(&mut self, call: &mut ExprCall) {
        call.args.iter_mut().for_each(|argument| self.visit_expr_mut(argument));
    }
}

pub fn lower_name(expr: &Expr) -> Option<Ident> {
    let Expr::Path(path) = expr else { return None };
    let name = path.path.get_ident()?;
    name.to_string().starts_with(|letter: char| letter.is_lowercase()).then(|| name.clone())
}

/// Replaces every name in a length by the largest number that it can be, so that the length is the largest;
/// what divides becomes the least.
pub struct Most<'a>(pub &'a Arguments);

impl VisitMut for Most<'_> {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        bound(self, self.0, "MAX", expr);
    }

    fn visit_expr_binary_mut(&mut self, binary: &mut ExprBinary) {
        self.visit_expr_mut(&mut binary.left);
        match binary.op {
            BinOp::Div(_) => Least(self.0).visit_expr_mut(&mut binary.right),
            _ => self.visit_expr_mut(&mut binary.right),
        }
    }
}

/// Replaces every name by the least number that it can be.
struct Least<'a>(&'a Arguments);

impl VisitMut for Least<'_> {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        bound(self, self.0, "MIN", expr);
    }
}

/// Replaces a name by what it is computed from, or by the constant of its parameter.
fn bound(visitor: &mut impl VisitMut, arguments: &Arguments, which: &str, expr: &mut Expr) {
    // Of a choice, the larger or the smaller of what can be chosen, whatever decides.
    if let Expr::If(ExprIf { then_branch, else_branch: Some((_, other)), .. }) = expr {
        let (mut one, mut other) = (bare(parse_quote!(#then_branch)), bare((**other).clone()));
        visitor.visit_expr_mut(&mut one);
        visitor.visit_expr_mut(&mut other);
        *expr = match which {
            "MAX" => parse_quote!(::gpurf_blocks::larger(#one, #other)),
            _ => parse_quote!(::gpurf_blocks::smaller(#one, #other)),
        };
        return;
    }
    let Some(name) = lower_name(expr) else { return visit_expr_mut(visitor, expr) };
    let given = arguments.arguments.iter().find(|(argument, _)| *argument == name).map(|(_, bound)| bound);
    let computed =
        arguments.sizes.iter().find(|(size, _)| *size == name).and_then(|(_, value)| value.as_ref());
    match given.or(computed) {
        Some(value) => {
            *expr = value.clone();
            visitor.visit_expr_mut(expr);
        }
        None => {
            let constant = format_ident!("{which}_{}", name.to_string().to_uppercase());
            *expr = parse_quote!(::gpurf_blocks::#constant);
        }
    }
}

/// The content of a block, without its braces.
fn bare(expr: Expr) -> Expr {
    if let Expr::Block(ExprBlock { block, .. }) = &expr {
        if let [Stmt::Expr(inner, None)] = &block.stmts[..] {
            return inner.clone();
        }
    }
    expr
}

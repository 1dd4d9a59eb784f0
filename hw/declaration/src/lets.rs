// SPDX-License-Identifier: Apache-2.0
//! `let` in a kernel: a wire that is declared where its value is computed.
//!
//! `#[block]` makes a `Local` of each, `#[rtl]` an assignment. In a loop it is an array, with an element for
//! each turn; under a parameter it is there where the parameter says so.

use std::collections::HashSet;

use proc_macro2::Ident;
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::visit_mut::{visit_expr_assign_mut, visit_expr_match_mut, visit_expr_mut, VisitMut};
use syn::{
    parse_quote, parse_quote_spanned, BinOp, Block, Error, Expr, ExprAssign, ExprForLoop, ExprIf, ExprMatch,
    ExprRange, ImplItem, ItemImpl, Local, Pat, PatType, Stmt, Type,
};

use crate::known::Known;
use crate::let_wire::Let;

/// The `let`s of a module, from the kernel in the file that declares it.
pub fn lets_in(file: &syn::File, module: &str, known: &Known) -> Vec<Let> {
    let kernels = file.items.iter().filter_map(|item| match item {
        syn::Item::Impl(kernel) if kernel.attrs.iter().any(|each| each.path().is_ident("rtl")) => {
            Some(kernel)
        }
        _ => None,
    });
    let is_own = |kernel: &&ItemImpl| match &*kernel.self_ty {
        Type::Path(path) => path.path.segments.last().is_some_and(|last| last.ident == module),
        _ => false,
    };
    let mut found = vec![];
    for kernel in kernels.filter(is_own) {
        let mut blocks: Vec<Block> = kernel.items.iter().filter_map(body_of).cloned().collect();
        let mut lets = Lets::of(known, blocks.iter());
        blocks.iter_mut().for_each(|block| lets.visit_block_mut(block));
        found.extend(lets.found);
    }
    found
}

fn body_of(item: &ImplItem) -> Option<&Block> {
    match item {
        ImplItem::Fn(section) => Some(&section.block),
        _ => None,
    }
}

/// Makes assignments of all `let`s of a kernel, and elements of their names where they are read.
pub struct Lets<'a> {
    known: &'a Known,
    /// Names of all of them.
    names: HashSet<String>,
    /// Loops around, each with its end if it begins with 0.
    loops: Vec<(Ident, Option<Expr>)>,
    /// Parameters that decide about the statement.
    conditions: Vec<Expr>,
    /// Signals that decide about it.
    choices: usize,
    /// The ones that can be read, each with the loops around it.
    scope: Vec<(Ident, Vec<Ident>)>,
    found: Vec<Let>,
    /// All that is wrong with them.
    pub errors: Vec<Error>,
}

impl<'a> Lets<'a> {
    /// For the sections of a kernel.
    pub fn of<'b>(known: &'a Known, sections: impl Iterator<Item = &'b Block>) -> Self {
        let mut names = Names::default();
        sections.for_each(|section| names.visit_block(section));
        Lets {
            known,
            names: names.0,
            loops: vec![],
            conditions: vec![],
            choices: 0,
            scope: vec![],
            found: vec![],
            errors: vec![],
        }
    }

    fn reject(&mut self, place: impl quote::ToTokens, problem: &str, help: &str) {
        self.errors.push(Error::new_spanned(place, format!("{problem}\nhelp: {help}")));
    }

    /// The assignment that a `let` is.
    fn declared(&mut self, local: &Local) -> Option<Stmt> {
        let (Pat::Type(PatType { pat, ty, .. }), Some(init)) = (&local.pat, &local.init) else {
            self.reject(local, "a `let` says what it carries, and its value", "write `let x: Bit = a & b;`");
            return None;
        };
        let name = match &**pat {
            Pat::Ident(name)
                if name.by_ref.is_none() && name.mutability.is_none() && name.subpat.is_none() =>
            {
                name.ident.clone()
            }
            other => {
                let help =
                    "write `let x: Bit = a & b;`; what is assigned several times is a field `x: Local<Bit>`";
                self.reject(other, "a `let` is one name for one value", help);
                return None;
            }
        };
        if matches!(**ty, Type::Array(_)) {
            let help = "put it into a loop, where it has a value for each turn: \
                        `for s in 0..slots { let x: Bit = a[s] & b[s]; }`";
            self.reject(ty, "a `let` carries one value", help);
            self.scope.push((name, vec![]));
            return None;
        }
        if self.choices > 0 {
            let help = "put it before the `if` or `match`; what it carries otherwise does not matter";
            self.reject(
                local,
                "under a condition a `let` would have no value where that does not hold",
                help,
            );
        }
        if self.found.iter().any(|other| other.name == name) {
            let help = "rename it: each is a wire of the module, with this name in Verilog";
            self.reject(&name, &format!("the kernel has another `let {name}`"), help);
        } else if self.known.has_field(&name.to_string()) {
            let help = "rename it, or delete the field";
            self.reject(&name, &format!("the module has a field `{name}`"), help);
        }
        let ends: Option<Vec<Expr>> = self.loops.iter().map(|(_, end)| end.clone()).collect();
        let Some(lengths) = ends else {
            let help =
                "let the loops around it run from 0 to a number, a parameter or a size, or declare a field \
                        `x: Local<..>`";
            self.reject(local, "a `let` in a loop is an array with an element for each turn", help);
            self.scope.push((name, vec![]));
            return None;
        };
        let docs = local.attrs.iter().filter(|attribute| attribute.path().is_ident("doc")).cloned().collect();
        let (carried, conditions) = ((**ty).clone(), self.conditions.clone());
        let loops: Vec<Ident> = self.loops.iter().map(|(variable, _)| variable.clone()).collect();
        self.found.push(Let { name: name.clone(), carried, lengths, conditions, docs });
        let (value, span) = (&init.expr, local.span());
        let statement = parse_quote_spanned!(span=> #name #([#loops])* = #value;);
        self.scope.push((name, loops));
        Some(statement)
    }

    /// Statements under a condition that parameters decide.
    fn under(&mut self, condition: Expr, statements: impl FnOnce(&mut Self)) {
        self.conditions.push(condition);
        statements(self);
        self.conditions.pop();
    }
}

impl VisitMut for Lets<'_> {
    fn visit_block_mut(&mut self, block: &mut Block) {
        let before = self.scope.len();
        for statement in std::mem::take(&mut block.stmts) {
            let mut statement = statement;
            if let Stmt::Local(local) = &mut statement {
                if let Some(init) = &mut local.init {
                    self.visit_expr_mut(&mut init.expr);
                }
                block.stmts.extend(self.declared(local));
            } else {
                self.visit_stmt_mut(&mut statement);
                block.stmts.push(statement);
            }
        }
        self.scope.truncate(before);
    }

    fn visit_expr_for_loop_mut(&mut self, each: &mut ExprForLoop) {
        let end = match &*each.expr {
            Expr::Range(ExprRange { start: Some(start), end: Some(end), .. }) => {
                let is_zero = matches!(&**start, Expr::Lit(zero) if zero.lit == parse_quote!(0));
                (is_zero && is_size(end)).then(|| (**end).clone())
            }
            _ => None,
        };
        if let Pat::Ident(variable) = &*each.pat {
            self.loops.push((variable.ident.clone(), end));
            self.visit_block_mut(&mut each.body);
            self.loops.pop();
        }
    }

    fn visit_expr_if_mut(&mut self, choice: &mut ExprIf) {
        let loops: Vec<Ident> = self.loops.iter().map(|(variable, _)| variable.clone()).collect();
        if self.known.decides(&choice.cond, &loops) {
            let condition = (*choice.cond).clone();
            self.under(condition.clone(), |this| this.visit_block_mut(&mut choice.then_branch));
            if let Some((_, otherwise)) = &mut choice.else_branch {
                self.under(parse_quote!(!(#condition)), |this| this.visit_expr_mut(otherwise));
            }
            return;
        }
        self.visit_expr_mut(&mut choice.cond);
        self.choices += 1;
        self.visit_block_mut(&mut choice.then_branch);
        if let Some((_, otherwise)) = &mut choice.else_branch {
            self.visit_expr_mut(otherwise);
        }
        self.choices -= 1;
    }

    fn visit_expr_match_mut(&mut self, choice: &mut ExprMatch) {
        self.choices += 1;
        visit_expr_match_mut(self, choice);
        self.choices -= 1;
    }

    fn visit_expr_assign_mut(&mut self, assign: &mut ExprAssign) {
        self.given_again(&assign.left);
        visit_expr_assign_mut(self, assign);
    }

    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Path(path) => {
                let Some(name) = path.path.get_ident().filter(|name| self.names.contains(&name.to_string()))
                else {
                    return;
                };
                let Some((_, loops)) = self.scope.iter().find(|(known, _)| known == name) else {
                    if self.known.has_field(&name.to_string()) {
                        return;
                    }
                    let help =
                        "read it behind its `let` and in the same block, or declare a field `x: Local<..>`";
                    let name = name.clone();
                    return self.reject(&name, &format!("`{name}` is a `let` that has no value here"), help);
                };
                let span = path.span();
                *expr = parse_quote_spanned!(span=> #path #([#loops])*);
            }
            // The names of ports and methods are none of ours.
            Expr::Field(field) => self.visit_expr_mut(&mut field.base),
            Expr::Binary(binary) if is_assignment(&binary.op) => {
                self.given_again(&binary.left);
                visit_expr_mut(self, expr);
            }
            _ => visit_expr_mut(self, expr),
        }
    }
}

impl Lets<'_> {
    fn given_again(&mut self, target: &Expr) {
        if let Expr::Path(path) = target {
            if path.path.get_ident().is_some_and(|name| self.names.contains(&name.to_string())) {
                let help = "declare a field `x: Local<..>` for what is assigned several times";
                self.reject(target, "a `let` is given its value once", help);
            }
        }
    }
}

/// The end of a loop that a declaration can repeat.
fn is_size(end: &Expr) -> bool {
    match end {
        Expr::Lit(_) => true,
        Expr::Path(path) => path.path.get_ident().is_some_and(|name| name != "self"),
        Expr::Paren(paren) => is_size(&paren.expr),
        Expr::Binary(binary) => is_size(&binary.left) && is_size(&binary.right),
        _ => false,
    }
}

fn is_assignment(operator: &BinOp) -> bool {
    matches!(
        operator,
        BinOp::AddAssign(_) | BinOp::BitOrAssign(_) | BinOp::BitAndAssign(_) | BinOp::BitXorAssign(_)
    )
}

/// Gathers the names of all `let`s.
#[derive(Default)]
struct Names(HashSet<String>);

impl Visit<'_> for Names {
    fn visit_local(&mut self, local: &Local) {
        if let Pat::Type(PatType { pat, .. }) = &local.pat {
            if let Pat::Ident(name) = &**pat {
                self.0.insert(name.ident.to_string());
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
//! A kernel as it is written: signals by their names, without `self`, `.val()` and `.next`.
//!
//! Here every name is made what it stands for in Rust: a signal that is read, a signal that is driven, or a loop's
//! variable.

use super::path::call_of;
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::visit::{visit_expr_field, visit_expr_method_call, Visit};
use syn::visit_mut::{visit_block_mut, visit_expr_for_loop_mut, VisitMut};
use syn::{
    parse_quote_spanned, BinOp, Block, Error, Expr, ExprAssign, ExprField, ExprForLoop, ExprIf,
    ExprMethodCall, ExprPath, Ident, Lit, Member, Pat, Stmt,
};

/// Writes out what a kernel leaves out.
#[derive(Default)]
pub(super) struct Quiet {
    /// Variables of the loops around.
    loops: Vec<Ident>,
}

impl VisitMut for Quiet {
    fn visit_block_mut(&mut self, block: &mut Block) {
        let statements = std::mem::take(&mut block.stmts);
        block.stmts = statements.into_iter().flat_map(|statement| self.written_out(statement)).collect();
        visit_block_mut(self, block);
    }

    fn visit_expr_for_loop_mut(&mut self, each: &mut ExprForLoop) {
        let Pat::Ident(variable) = &*each.pat else { return };
        self.loops.push(variable.ident.clone());
        visit_expr_for_loop_mut(self, each);
        self.loops.pop();
    }
}

impl Quiet {
    fn written_out(&self, mut statement: Stmt) -> Vec<Stmt> {
        let Stmt::Expr(expr, _) = &mut statement else { return vec![statement] };
        match choice(expr) {
            Some(statements) => statements.into_iter().flat_map(|each| self.written_out(each)).collect(),
            None => {
                self.statement(expr);
                vec![statement]
            }
        }
    }

    fn statement(&self, expr: &mut Expr) {
        match expr {
            Expr::Assign(assign) => {
                self.target(&mut assign.left);
                self.given(&mut assign.right);
            }
            Expr::Binary(binary) => {
                let (mut target, mut old) = (binary.left.clone(), binary.left.clone());
                let (mut new, span) = (binary.right.clone(), binary.span());
                let operator: BinOp = match binary.op {
                    BinOp::BitOrAssign(_) => parse_quote_spanned!(span=> |),
                    BinOp::BitAndAssign(_) => parse_quote_spanned!(span=> &),
                    BinOp::BitXorAssign(_) => parse_quote_spanned!(span=> ^),
                    BinOp::AddAssign(_) => parse_quote_spanned!(span=> +),
                    _ => return,
                };
                self.target(&mut target);
                self.read(&mut old);
                self.read(&mut new);
                *expr = parse_quote_spanned!(span=> #target = #old #operator #new);
            }
            Expr::If(choice) => {
                self.read(&mut choice.cond);
                if let Some((_, otherwise)) = &mut choice.else_branch {
                    if let Expr::If(_) = &**otherwise {
                        self.statement(otherwise);
                    }
                }
            }
            Expr::Match(choice) => {
                self.read(&mut choice.expr);
                for arm in &mut choice.arms {
                    if !matches!(&*arm.body, Expr::Block(_)) {
                        let statement = &arm.body;
                        *arm.body = parse_quote_spanned!(statement.span()=> { #statement; });
                        arm.comma = None;
                    }
                }
            }
            Expr::MethodCall(call) if ["load", "clear", "merge"].iter().any(|name| call.method == name) => {
                rooted(&mut call.receiver, &self.loops);
                call.args.iter_mut().for_each(|argument| self.given(argument));
            }
            _ => {}
        }
    }

    /// `x`, which is driven.
    fn target(&self, expr: &mut Expr) {
        rooted(expr, &self.loops);
        let span = expr.span();
        *expr = parse_quote_spanned!(span=> #expr.next);
    }

    /// The value that a signal is given: a number as such has no width.
    fn given(&self, expr: &mut Expr) {
        match expr {
            Expr::Lit(literal) if matches!(literal.lit, Lit::Int(_)) => {
                let span = literal.span();
                *expr = parse_quote_spanned!(span=> #expr.into());
            }
            _ => self.read(expr),
        }
    }

    /// Makes every signal in a value one that is read.
    fn read(&self, expr: &mut Expr) {
        match expr {
            Expr::Paren(paren) => self.read(&mut paren.expr),
            Expr::Unary(unary) => self.read(&mut unary.expr),
            Expr::Binary(binary) => {
                self.read(&mut binary.left);
                self.read(&mut binary.right);
            }
            Expr::Call(call) => call.args.iter_mut().for_each(|argument| self.read(argument)),
            Expr::MethodCall(call) => {
                self.read(&mut call.receiver);
                call.args.iter_mut().for_each(|argument| self.read(argument));
                self.indexed(call);
            }
            Expr::Path(_) | Expr::Field(_) | Expr::Index(_) if is_signal(expr, &self.loops) => {
                rooted(expr, &self.loops);
                let span = expr.span();
                *expr = parse_quote_spanned!(span=> #expr.val());
            }
            _ => {}
        }
    }

    /// A signal that says which bit is meant, as the number that rust-hdl asks for.
    fn indexed(&self, call: &mut ExprMethodCall) {
        if !["get_bit", "get_bits", "replace_bit"].iter().any(|name| call.method == name) {
            return;
        }
        if let Some(at) = call.args.first_mut().filter(|at| call_of(at, "val").is_some()) {
            let span = at.span();
            *at = parse_quote_spanned!(span=> #at.index());
        }
    }
}

/// `x = if c { a } else { b };` as `x = b; if c { x = a; }`; where `x` has a part in the choice, as an assignment in each
/// branch.
fn choice(expr: &Expr) -> Option<Vec<Stmt>> {
    let Expr::Assign(ExprAssign { left: target, right, .. }) = expr else { return None };
    let Expr::If(choice) = &**right else { return None };
    let (choice, last) = branches(target, choice)?;
    let otherwise: Stmt = parse_quote_spanned!(last.span()=> #target = #last;);
    let name = target.to_token_stream().to_string();
    let is_read = !choice.to_token_stream().to_string().replace(&format!("{name} ="), "").contains(&name);
    Some(match is_read {
        true => vec![otherwise, Stmt::Expr(Expr::If(choice), None)],
        false => vec![Stmt::Expr(Expr::If(ended(choice, otherwise)), None)],
    })
}

/// A choice with an assignment in each branch but the last, and the value of the last.
fn branches(target: &Expr, choice: &ExprIf) -> Option<(ExprIf, Expr)> {
    let value = |block: &Block| match &block.stmts[..] {
        [Stmt::Expr(value, None)] => Some(value.clone()),
        _ => None,
    };
    let mut choice = choice.clone();
    let then = value(&choice.then_branch)?;
    choice.then_branch = parse_quote_spanned!(then.span()=> { #target = #then; });
    let (keyword, otherwise) = choice.else_branch.take()?;
    match *otherwise {
        Expr::If(next) => {
            let (next, last) = branches(target, &next)?;
            choice.else_branch = Some((keyword, Box::new(Expr::If(next))));
            Some((choice, last))
        }
        Expr::Block(last) => Some((choice, value(&last.block)?)),
        _ => None,
    }
}

/// The same choice with a last branch.
fn ended(mut choice: ExprIf, last: Stmt) -> ExprIf {
    choice.else_branch = Some(match choice.else_branch {
        Some((keyword, next)) => match *next {
            Expr::If(next) => (keyword, Box::new(Expr::If(ended(next, last)))),
            other => (keyword, Box::new(other)),
        },
        None => (Default::default(), Box::new(parse_quote_spanned!(last.span()=> { #last }))),
    });
    choice
}

/// `self.x` for `x`.
pub(super) fn rooted(expr: &mut Expr, loops: &[Ident]) {
    match expr {
        Expr::Field(field) => rooted(&mut field.base, loops),
        Expr::Index(index) => {
            rooted(&mut index.expr, loops);
            // A rule forbids it, and says so.
            if is_signal(&index.index, loops) {
                let (at, span) = (&index.index, index.index.span());
                *index.index = parse_quote_spanned!(span=> self.#at.val());
            }
        }
        Expr::Path(path) if !path.path.is_ident("self") && is_signal(expr, loops) => {
            let span = expr.span();
            *expr = parse_quote_spanned!(span=> self.#expr);
        }
        _ => {}
    }
}

fn is_signal(expr: &Expr, loops: &[Ident]) -> bool {
    match expr {
        Expr::Field(field) => is_signal(&field.base, loops),
        Expr::Index(index) => is_signal(&index.expr, loops),
        Expr::Path(path) => path.path.get_ident().is_some_and(|name| {
            let is_lower = |letter: char| letter.is_lowercase() || letter == '_';
            !loops.contains(name) && name.to_string().trim_start_matches("r#").starts_with(is_lower)
        }),
        _ => false,
    }
}

/// Finds what a kernel should have left out.
#[derive(Default)]
pub(super) struct Loud {
    pub errors: Vec<Error>,
}

impl Visit<'_> for Loud {
    fn visit_expr_path(&mut self, path: &ExprPath) {
        if path.path.is_ident("self") {
            self.reject(path.span(), "`self`");
        }
    }

    fn visit_expr_method_call(&mut self, call: &ExprMethodCall) {
        match call.method == "val" {
            true => self.reject(call.method.span(), "`.val()`"),
            false => visit_expr_method_call(self, call),
        }
    }

    fn visit_expr_field(&mut self, field: &ExprField) {
        match matches!(&field.member, Member::Named(name) if name == "next") {
            true => self.reject(field.member.span(), "`.next`"),
            false => visit_expr_field(self, field),
        }
    }

    /// The ends of a loop are plain Rust.
    fn visit_expr_for_loop(&mut self, each: &ExprForLoop) {
        self.visit_block(&each.body);
    }
}

impl Loud {
    fn reject(&mut self, place: proc_macro2::Span, what: &str) {
        let message = format!("a signal stands by its name, without {what}\nhelp: write `x = a & b;`");
        self.errors.push(Error::new(place, message));
    }
}

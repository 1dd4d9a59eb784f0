// SPDX-License-Identifier: Apache-2.0
//! A kernel as it is written: signals by their names, without `self`, `.val()` and `.next`.
//!
//! Here every name is made what it stands for in Rust: a signal that is read, a signal that is driven, a
//! loop's variable, or a number that is known when the module is built.

use std::cell::RefCell;

use super::names::Names;
use super::path::{call_of, typed};
use gpurf_declaration::decided;
use quote::{format_ident, ToTokens};
use syn::spanned::Spanned;
use syn::visit::{visit_expr_field, visit_expr_method_call, Visit};
use syn::visit_mut::{visit_block_mut, visit_expr_for_loop_mut, VisitMut};
use syn::{
    parse_quote_spanned, BinOp, Block, Error, Expr, ExprAssign, ExprField, ExprForLoop, ExprIf,
    ExprMethodCall, ExprPath, Ident, Lit, Member, Pat, Stmt,
};

/// Writes out what a kernel leaves out.
pub(super) struct Quiet<'a> {
    names: &'a Names,
    /// Variables of the loops around.
    loops: Vec<Ident>,
    pub errors: RefCell<Vec<Error>>,
}

impl<'a> Quiet<'a> {
    pub fn of(names: &'a Names) -> Self {
        Quiet { names, loops: vec![], errors: RefCell::default() }
    }
}

impl VisitMut for Quiet<'_> {
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

impl Quiet<'_> {
    fn written_out(&self, mut statement: Stmt) -> Vec<Stmt> {
        let Stmt::Expr(expr, _) = &mut statement else { return vec![statement] };
        match gathered(expr).or_else(|| self.decided(expr)).or_else(|| choice(expr)) {
            Some(statements) => statements.into_iter().flat_map(|each| self.written_out(each)).collect(),
            None => {
                self.statement(expr);
                vec![statement]
            }
        }
    }

    /// `if parameter { .. } else { .. }` as loops of one turn or none; also where a value is chosen.
    fn decided(&self, expr: &Expr) -> Option<Vec<Stmt>> {
        match expr {
            Expr::If(choice) if self.names.decides(&choice.cond, &self.loops) => {
                let turn = format_ident!("_turn{}", self.loops.len());
                let holds = bare(decided(&choice.cond));
                let then = &choice.then_branch;
                let mut statements =
                    vec![parse_quote_spanned!(then.span()=> for #turn in 0..usize::from(#holds) #then)];
                if let Some((_, otherwise)) = &choice.else_branch {
                    let block: Block = match &**otherwise {
                        Expr::Block(block) => block.block.clone(),
                        other => parse_quote_spanned!(other.span()=> { #other }),
                    };
                    let not = decided(&choice.cond);
                    statements
                        .push(parse_quote_spanned!(block.span()=> for #turn in 0..usize::from(!#not) #block));
                }
                Some(statements)
            }
            Expr::If(choice) => {
                // A parameter behind `else`: the rest of the choice is a block of its own.
                let (keyword, otherwise) = choice.else_branch.as_ref()?;
                let Expr::If(next) = &**otherwise else { return None };
                if !self.names.decides(&next.cond, &self.loops) {
                    return None;
                }
                let mut choice = choice.clone();
                let block: Expr = parse_quote_spanned!(otherwise.span()=> { #otherwise });
                choice.else_branch = Some((*keyword, Box::new(block)));
                Some(vec![Stmt::Expr(Expr::If(choice), None)])
            }
            Expr::Assign(ExprAssign { left: target, right, .. }) => {
                let Expr::If(choice) = &**right else { return None };
                if !self.names.decides(&choice.cond, &self.loops) {
                    return None;
                }
                let (choice, last) = branches(target, choice)?;
                let otherwise: Stmt = parse_quote_spanned!(last.span()=> #target = #last;);
                Some(vec![Stmt::Expr(Expr::If(ended(choice, otherwise)), None)])
            }
            _ => None,
        }
    }

    /// Writes `self.x` for `x`, and its only element where it is there under a condition.
    fn place(&self, expr: &mut Expr) {
        self.names.only(expr);
        rooted(expr, &self.loops);
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
                match self.is_number(&new) {
                    true => number(&mut new),
                    false => self.read(&mut new),
                }
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
                self.place(&mut call.receiver);
                call.args.iter_mut().for_each(|argument| self.given(argument));
            }
            _ => {}
        }
    }

    /// `x`, which is driven.
    fn target(&self, expr: &mut Expr) {
        self.place(expr);
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
            _ if self.is_number(expr) => number(expr),
            _ => self.read(expr),
        }
    }

    /// Makes every signal in a value one that is read.
    fn read(&self, expr: &mut Expr) {
        match expr {
            Expr::Paren(paren) => self.read(&mut paren.expr),
            Expr::Unary(unary) => self.read(&mut unary.expr),
            Expr::Binary(binary) => {
                let compares = matches!(
                    binary.op,
                    BinOp::Eq(_) | BinOp::Ne(_) | BinOp::Lt(_) | BinOp::Le(_) | BinOp::Gt(_) | BinOp::Ge(_)
                );
                let numbers = [&binary.left, &binary.right].map(|side| self.is_number(side));
                for (side, other) in [(&mut binary.left, numbers[1]), (&mut binary.right, numbers[0])] {
                    let is_plain = matches!(&**side, Expr::Lit(_));
                    match compares && self.is_number(side) && !other && !is_plain {
                        true => number(side),
                        false => self.read(side),
                    }
                }
            }
            Expr::Call(call) if typed(call).is_some() => {
                call.args.iter_mut().for_each(|argument| self.given(argument));
            }
            Expr::Call(call) => call.args.iter_mut().for_each(|argument| self.read(argument)),
            Expr::MethodCall(call) => {
                self.read(&mut call.receiver);
                call.args.iter_mut().for_each(|argument| self.read(argument));
                self.indexed(call);
            }
            Expr::Path(_) if self.names.decides(expr, &self.loops) => {
                let message = "a parameter decides what is built, and is no signal\nhelp: write `if parameter { .. }`, or \
                               hold it in a field `name: Constant<Bit>`";
                self.errors.borrow_mut().push(Error::new(expr.span(), message));
            }
            Expr::Path(_) | Expr::Field(_) | Expr::Index(_) if is_signal(expr, &self.loops) => {
                self.place(expr);
                let span = expr.span();
                *expr = parse_quote_spanned!(span=> #expr.val());
            }
            _ => {}
        }
    }

    /// Returns true if an expression is a number that loops' variables make.
    fn is_number(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Paren(paren) => self.is_number(&paren.expr),
            Expr::Path(path) => self.loops.iter().any(|name| path.path.is_ident(name)),
            Expr::Binary(binary) => {
                let is_part = |side: &Expr| self.is_number(side) || matches!(side, Expr::Lit(_));
                matches!(binary.op, BinOp::Add(_) | BinOp::Sub(_) | BinOp::Mul(_) | BinOp::Shl(_))
                    && is_part(&binary.left)
                    && is_part(&binary.right)
                    && (self.is_number(&binary.left) || self.is_number(&binary.right))
            }
            _ => false,
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

/// A number as bits, as many as there is room for.
fn number(expr: &mut Expr) {
    let span = expr.span();
    *expr = match expr {
        Expr::Binary(_) => parse_quote_spanned!(span=> (#expr).to_bits()),
        _ => parse_quote_spanned!(span=> #expr.to_bits()),
    };
}

/// An expression without parentheses around it.
fn bare(expr: Expr) -> Expr {
    match expr {
        Expr::Paren(paren) => *paren.expr,
        other => other,
    }
}

/// The loops that gather an array: `any`, `count`, `select`, `position`, `first` and `one_hot`.
fn gathered(expr: &Expr) -> Option<Vec<Stmt>> {
    let Expr::Assign(ExprAssign { left: target, right, .. }) = expr else { return None };
    let Expr::Call(call) = &**right else { return None };
    let Expr::Path(function) = &*call.func else { return None };
    let arguments: Vec<&Expr> = call.args.iter().collect();
    let ([range, holds], value) = match arguments[..] {
        [range, holds] => ([range, holds], None),
        [range, holds, value] => ([range, holds], Some(value)),
        _ => return None,
    };
    if function.path.is_ident("one_hot") && value.is_none() && matches!(range, Expr::Range(_)) {
        let (span, which) = (expr.span(), holds);
        let start = parse_quote_spanned!(span=> #target = 0;);
        let bit = parse_quote_spanned!(span=> for element in #range { if #which == element { #target = 1usize << element; } });
        return Some(vec![start, bit]);
    }
    let (Expr::Range(_), Expr::Closure(holds)) = (range, holds) else { return None };
    let [variable] = &holds.inputs.iter().collect::<Vec<_>>()[..] else { return None };
    let (condition, span) = (&holds.body, expr.span());
    let (start, taken): (Stmt, Stmt) = match (function.path.get_ident()?.to_string().as_str(), value) {
        ("any", None) => {
            (parse_quote_spanned!(span=> #target = false;), parse_quote_spanned!(span=> #target = true;))
        }
        ("count", None) => {
            (parse_quote_spanned!(span=> #target = 0;), parse_quote_spanned!(span=> #target += 1;))
        }
        ("position" | "first", None) => {
            (parse_quote_spanned!(span=> #target = 0;), parse_quote_spanned!(span=> #target = #variable;))
        }
        ("select", Some(Expr::Closure(value))) if value.inputs.first() == Some(variable) => {
            let value = &value.body;
            (parse_quote_spanned!(span=> #target = 0;), parse_quote_spanned!(span=> #target |= #value;))
        }
        _ => return None,
    };
    let range: Expr = match function.path.is_ident("first") {
        true => parse_quote_spanned!(span=> (#range).rev()),
        false => range.clone(),
    };
    let each = parse_quote_spanned!(span=> for #variable in #range { if #condition { #taken } });
    Some(vec![start, each])
}

/// `x = if c { a } else { b };` as `x = b; if c { x = a; }`; where `x` has a part in the choice, as an
/// assignment in each branch.
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
        if let Expr::MethodCall(call) = &*each.expr {
            let message =
                "a loop counts up, over a range\nhelp: write `for i in 0..N`; the first of several is \
                           `x = first(0..N, |i| a[i]);`";
            self.errors.push(Error::new(call.span(), message));
        }
        self.visit_block(&each.body);
    }
}

impl Loud {
    fn reject(&mut self, place: proc_macro2::Span, what: &str) {
        let message = format!("a signal stands by its name, without {what}\nhelp: write `x = a & b;`");
        self.errors.push(Error::new(place, message));
    }
}

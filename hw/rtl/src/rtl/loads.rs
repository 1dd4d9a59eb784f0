// SPDX-License-Identifier: Apache-2.0
//! Registers that are assigned: `if issue { held = warp; }` loads one where the condition holds, and lets it
//! keep its value elsewhere.
//!
//! An assignment becomes one to the register's `enable`, under all conditions that lead to it, and one to its
//! `d`. A later assignment wins.

use std::collections::HashMap;
use std::rc::Rc;

use gpurf_declaration::Nature;
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{
    parse_quote, parse_quote_spanned, BinOp, Block, Error, Expr, ExprAssign, ExprForLoop, ExprIf, ExprMatch,
    Ident, Pat, Stmt, UnOp,
};

use super::names::Names;
use super::path::mentions;

/// Writes assignments to registers out.
pub(super) struct Loads<'a> {
    names: &'a Names,
    /// Variables of the loops around, and what they run over.
    loops: Vec<Ident>,
    ranges: Vec<String>,
    /// Choices met so far.
    choices: usize,
    /// Where each register is assigned: the block, and the path of indices.
    places: HashMap<String, (usize, String)>,
    blocks: usize,
    pub errors: Vec<Error>,
}

/// An assignment to a register.
struct Load {
    /// Loops and parameters between the block and the assignment.
    nest: Vec<Nest>,
    path: Vec<Taken>,
    target: Expr,
    value: Expr,
}

#[derive(Clone)]
enum Nest {
    For(Box<ExprForLoop>),
    If(Box<Expr>),
}

/// A branch that an assignment stands in.
#[derive(Clone)]
struct Taken {
    choice: usize,
    branch: usize,
    /// Conditions of all branches; none is `else`.
    conditions: Rc<Vec<Option<Expr>>>,
}

impl<'a> Loads<'a> {
    pub fn of(names: &'a Names) -> Self {
        Loads {
            names,
            loops: vec![],
            ranges: vec![],
            choices: 0,
            places: HashMap::new(),
            blocks: 0,
            errors: vec![],
        }
    }

    /// Writes out the assignments of a block that no signal decides about.
    pub fn block(&mut self, block: &mut Block) {
        self.blocks += 1;
        let number = self.blocks;
        let mut loads: Vec<Load> = vec![];
        // By register, the statement behind which all is known about it.
        let mut last: HashMap<String, usize> = HashMap::new();
        let mut rest: Vec<(Option<Stmt>, usize)> = vec![];
        for (place, mut statement) in std::mem::take(&mut block.stmts).into_iter().enumerate() {
            let before = loads.len();
            let kept = match &mut statement {
                Stmt::Expr(Expr::ForLoop(each), _) => {
                    self.within(each, |this, body| this.block(body));
                    Some(statement)
                }
                Stmt::Expr(Expr::If(choice), _) if self.names.decides(&choice.cond, &self.loops) => {
                    self.decided(choice);
                    Some(statement)
                }
                _ => self.extracted(statement, &[], &[], &mut loads),
            };
            loads[before..].iter().for_each(|load| {
                last.insert(load.key(), place);
            });
            rest.push((kept, place));
        }
        let mut groups: Vec<(usize, Vec<Load>)> = vec![];
        for load in loads {
            match groups.iter_mut().find(|(_, group)| group[0].key() == load.key()) {
                Some((_, group)) => group.push(load),
                None => groups.push((last[&load.key()], vec![load])),
            }
        }
        for (_, group) in &groups {
            self.note(number, group);
        }
        for (kept, place) in rest {
            for (_, group) in groups.iter().filter(|(at, _)| *at == place) {
                block.stmts.extend(written_out(group));
            }
            block.stmts.extend(kept);
        }
    }

    fn within(&mut self, each: &mut ExprForLoop, inside: impl FnOnce(&mut Self, &mut Block)) {
        if let Pat::Ident(variable) = &*each.pat {
            self.loops.push(variable.ident.clone());
            self.ranges.push(each.expr.to_token_stream().to_string());
            inside(self, &mut each.body);
            self.loops.pop();
            self.ranges.pop();
        }
    }

    fn decided(&mut self, choice: &mut ExprIf) {
        self.block(&mut choice.then_branch);
        if let Some((_, otherwise)) = &mut choice.else_branch {
            let mut block: Block = match &**otherwise {
                Expr::Block(block) => block.block.clone(),
                other => parse_quote!({ #other }),
            };
            self.block(&mut block);
            **otherwise = parse_quote!(#block);
        }
    }

    /// The rest of a statement without its loads.
    fn extracted(
        &mut self,
        statement: Stmt,
        nest: &[Nest],
        path: &[Taken],
        loads: &mut Vec<Load>,
    ) -> Option<Stmt> {
        let Stmt::Expr(expr, semicolon) = statement else { return Some(statement) };
        let kept = match expr {
            Expr::Assign(ExprAssign { left, right, .. }) if self.is_register(&left) => {
                loads.push(Load { nest: nest.to_vec(), path: path.to_vec(), target: *left, value: *right });
                return None;
            }
            Expr::Binary(binary) if operator(&binary.op).is_some() && self.is_register(&binary.left) => {
                let (target, operator, value) = (&*binary.left, operator(&binary.op), &*binary.right);
                let value = grouped(value);
                let value = parse_quote_spanned!(value.span()=> #target #operator #value);
                loads.push(Load { nest: nest.to_vec(), path: path.to_vec(), target: target.clone(), value });
                return None;
            }
            Expr::ForLoop(mut each) => {
                let mut header = each.clone();
                header.body.stmts.clear();
                let nest = [nest, &[Nest::For(Box::new(header))]].concat();
                self.within(&mut each, |this, body| this.branch(body, &nest, path, loads));
                (!each.body.stmts.is_empty()).then_some(Expr::ForLoop(each))
            }
            Expr::If(choice) if self.names.decides(&choice.cond, &self.loops) => {
                self.decided_within(choice, nest, path, loads).map(Expr::If)
            }
            Expr::If(choice) => self.choice(choice, nest, path, loads).map(Expr::If),
            Expr::Match(choice) => self.selection(choice, nest, path, loads).map(Expr::Match),
            other => Some(other),
        };
        kept.map(|expr| Stmt::Expr(expr, semicolon))
    }

    fn branch(&mut self, block: &mut Block, nest: &[Nest], path: &[Taken], loads: &mut Vec<Load>) {
        for statement in std::mem::take(&mut block.stmts) {
            block.stmts.extend(self.extracted(statement, nest, path, loads));
        }
    }

    fn decided_within(
        &mut self,
        mut choice: ExprIf,
        nest: &[Nest],
        path: &[Taken],
        loads: &mut Vec<Load>,
    ) -> Option<ExprIf> {
        let condition = &choice.cond;
        let holds = [nest, &[Nest::If(condition.clone())]].concat();
        let otherwise = [nest, &[Nest::If(Box::new(opposite(condition)))]].concat();
        self.branch(&mut choice.then_branch, &holds, path, loads);
        let rest = choice.else_branch.take().and_then(|(keyword, rest)| {
            let mut block = block_of(*rest);
            self.branch(&mut block, &otherwise, path, loads);
            let rest: Expr = parse_quote!(#block);
            (!block.stmts.is_empty()).then(|| (keyword, Box::new(rest)))
        });
        choice.else_branch = rest;
        (!choice.then_branch.stmts.is_empty() || choice.else_branch.is_some()).then_some(choice)
    }

    fn choice(
        &mut self,
        mut choice: ExprIf,
        nest: &[Nest],
        path: &[Taken],
        loads: &mut Vec<Load>,
    ) -> Option<ExprIf> {
        // The branches, one after the other.
        let mut branches = vec![(Some((*choice.cond).clone()), choice.then_branch.clone())];
        let mut rest = choice.else_branch.take();
        while let Some((_, branch)) = rest.take() {
            match *branch {
                Expr::If(next) if !self.names.decides(&next.cond, &self.loops) => {
                    branches.push((Some((*next.cond).clone()), next.then_branch));
                    rest = next.else_branch;
                }
                other => branches.push((None, block_of(other))),
            }
        }
        self.choices += 1;
        let number = self.choices;
        let conditions = Rc::new(branches.iter().map(|(condition, _)| condition.clone()).collect::<Vec<_>>());
        for (branch, (_, block)) in branches.iter_mut().enumerate() {
            let taken = Taken { choice: number, branch, conditions: conditions.clone() };
            self.branch(block, nest, &[path, &[taken]].concat(), loads);
        }
        while branches.last().is_some_and(|(_, block)| block.stmts.is_empty()) {
            branches.pop();
        }
        let rest = branches.into_iter().rev().fold(None, |rest: Option<Expr>, (condition, block)| {
            Some(match (condition, rest) {
                (Some(condition), Some(rest)) => parse_quote!(if #condition #block else #rest),
                (Some(condition), None) => parse_quote!(if #condition #block),
                (None, _) => parse_quote!(#block),
            })
        });
        match rest? {
            Expr::If(choice) => Some(choice),
            _ => None,
        }
    }

    fn selection(
        &mut self,
        mut choice: ExprMatch,
        nest: &[Nest],
        path: &[Taken],
        loads: &mut Vec<Load>,
    ) -> Option<ExprMatch> {
        self.choices += 1;
        let (number, selector) = (self.choices, &choice.expr);
        let conditions = choice.arms.iter().map(|arm| match &arm.pat {
            Pat::Wild(_) => None,
            pattern => Some(parse_quote!(#selector == #pattern)),
        });
        let conditions = Rc::new(conditions.collect::<Vec<_>>());
        let mut is_empty = true;
        for (branch, arm) in choice.arms.iter_mut().enumerate() {
            let taken = Taken { choice: number, branch, conditions: conditions.clone() };
            let mut block = block_of((*arm.body).clone());
            self.branch(&mut block, nest, &[path, &[taken]].concat(), loads);
            is_empty &= block.stmts.is_empty();
            *arm.body = parse_quote!(#block);
            arm.comma = None;
        }
        (!is_empty).then_some(choice)
    }

    fn is_register(&self, target: &Expr) -> bool {
        self.names.nature(target) == Some((Nature::Register, 0))
    }

    /// Notes where a register is assigned: what a second place says would replace the first.
    fn note(&mut self, block: usize, group: &[Load]) {
        let target = &group[0].target;
        let place = (block, nest_text(&group[0].nest));
        // Loops over other numbers have other registers of an array.
        let loops = self
            .loops
            .iter()
            .zip(&self.ranges)
            .filter(|(variable, _)| mentions(target, &[(*variable).clone()]));
        let ranges: String = loops.map(|(_, range)| range.as_str()).collect();
        let register = target.to_token_stream().to_string() + &ranges;
        match self.places.get(&register) {
            Some(other) if *other != place => {
                let hint = "a register is assigned in one block, where its conditions can be joined\nhelp: bring \
                            the assignments together, or write `x.load(enable, value)` once, and `x.d = value` for \
                            what differs";
                self.errors.push(Error::new_spanned(target, hint));
            }
            Some(_) => {}
            None => {
                self.places.insert(register, place);
            }
        }
    }
}

impl Load {
    fn key(&self) -> String {
        nest_text(&self.nest) + &self.target.to_token_stream().to_string()
    }
}

fn nest_text(nest: &[Nest]) -> String {
    let each = nest.iter().map(|nest| match nest {
        Nest::For(each) => each.to_token_stream().to_string(),
        Nest::If(condition) => condition.to_token_stream().to_string(),
    });
    each.collect()
}

fn block_of(expr: Expr) -> Block {
    match expr {
        Expr::Block(block) => block.block,
        other => parse_quote!({ #other; }),
    }
}

fn operator(written: &BinOp) -> Option<BinOp> {
    Some(match written {
        BinOp::BitOrAssign(_) => parse_quote!(|),
        BinOp::BitAndAssign(_) => parse_quote!(&),
        BinOp::BitXorAssign(_) => parse_quote!(^),
        BinOp::AddAssign(_) => parse_quote!(+),
        _ => return None,
    })
}

/// The loads of one register, in their nest.
fn written_out(group: &[Load]) -> Vec<Stmt> {
    let (target, span) = (&group[0].target, group[0].target.span());
    let paths: Vec<&[Taken]> = group.iter().map(|load| &load.path[..]).collect();
    let enable = match condition(&paths) {
        Condition::Of(enable) => enable,
        _ => parse_quote!(true),
    };
    let mut statements: Vec<Stmt> = vec![parse_quote_spanned!(span=> #target.enable = #enable;)];
    // Loads that exclude each other are a choice; a later choice replaces what an earlier one has said.
    let mut rest = group;
    while !rest.is_empty() {
        let same = 1 + rest[1..]
            .iter()
            .zip(1..)
            .take_while(|(load, count)| {
                rest[..*count].iter().all(|earlier| exclude(&earlier.path, &load.path))
            })
            .count();
        let is_first = rest.len() == group.len();
        statements.push(values(&rest[..same], is_first));
        rest = &rest[same..];
    }
    group[0].nest.iter().rev().fold(statements, |inside, nest| {
        vec![match nest {
            Nest::For(header) => {
                let mut each = (**header).clone();
                each.body.stmts = inside;
                Stmt::Expr(Expr::ForLoop(each), None)
            }
            Nest::If(condition) => parse_quote!(if #condition { #(#inside)* }),
        }]
    })
}

/// The choice of what one of several loads brings. Nothing matters where none of them is: so the last needs
/// no condition, if it stands first.
fn values(loads: &[Load], is_first: bool) -> Stmt {
    let value = |load: &Load| -> Stmt {
        let (target, value) = (&load.target, &load.value);
        parse_quote_spanned!(value.span()=> #target.d = #value;)
    };
    let mut chosen: Option<Expr> = None;
    for (number, load) in loads.iter().enumerate().rev() {
        let value = value(load);
        let holds = match is_first {
            true => joined(load.path.iter().filter_map(|taken| taken.conditions[taken.branch].clone())),
            false => match condition(&[&load.path]) {
                Condition::Of(condition) => Some(condition),
                _ => None,
            },
        };
        let is_last = number + 1 == loads.len();
        chosen = match (holds, chosen) {
            (None, _) => Some(parse_quote!({ #value })),
            (Some(_), None) if is_last && is_first => Some(parse_quote!({ #value })),
            (Some(holds), None) => Some(parse_quote!(if #holds { #value })),
            (Some(holds), Some(rest)) => Some(parse_quote!(if #holds { #value } else #rest)),
        };
    }
    match chosen.expect("a load at least") {
        Expr::Block(block) => block.block.stmts.into_iter().next().expect("its value"),
        choice => Stmt::Expr(choice, None),
    }
}

fn exclude(one: &[Taken], other: &[Taken]) -> bool {
    let parting =
        one.iter().zip(other).find(|(one, other)| (one.choice, one.branch) != (other.choice, other.branch));
    parting.is_some_and(|(one, other)| one.choice == other.choice)
}

/// The condition under which one of several branches is taken.
enum Condition {
    Never,
    Always,
    Of(Expr),
}

fn condition(paths: &[&[Taken]]) -> Condition {
    if paths.iter().any(|path| path.is_empty()) {
        return Condition::Always;
    }
    let mut choices: Vec<usize> = vec![];
    for path in paths {
        if !choices.contains(&path[0].choice) {
            choices.push(path[0].choice);
        }
    }
    choices.into_iter().fold(Condition::Never, |before, choice| {
        let of: Vec<&[Taken]> = paths.iter().copied().filter(|path| path[0].choice == choice).collect();
        let conditions = &of[0][0].conditions;
        let chain = conditions.iter().enumerate().rev().fold(Condition::Never, |rest, (branch, own)| {
            let inner: Vec<&[Taken]> =
                of.iter().filter(|path| path[0].branch == branch).map(|path| &path[1..]).collect();
            let inner = if inner.is_empty() { Condition::Never } else { condition(&inner) };
            match own {
                None => inner,
                Some(own) => either(own, inner, rest),
            }
        });
        match (before, chain) {
            (Condition::Always, _) | (_, Condition::Always) => Condition::Always,
            (Condition::Never, other) | (other, Condition::Never) => other,
            (Condition::Of(one), Condition::Of(other)) => Condition::Of(or(&one, &other)),
        }
    })
}

/// `inner` where `own` holds, else `rest`.
fn either(own: &Expr, inner: Condition, rest: Condition) -> Condition {
    use Condition::{Always, Never, Of};
    match (inner, rest) {
        (Never, Never) => Never,
        (Always, Always) => Always,
        (Always, Never) => Of(own.clone()),
        (Always, Of(rest)) => Of(or(own, &rest)),
        (Never, Always) => Of(opposite(own)),
        (Never, Of(rest)) => Of(and(&opposite(own), &rest)),
        (Of(inner), Never) => Of(and(own, &inner)),
        (Of(inner), Always) => Of(or(&opposite(own), &inner)),
        (Of(inner), Of(rest)) => Of(or(&and(own, &inner), &and(&opposite(own), &rest))),
    }
}

fn joined(conditions: impl Iterator<Item = Expr>) -> Option<Expr> {
    conditions.reduce(|one, other| and(&one, &other))
}

fn and(one: &Expr, other: &Expr) -> Expr {
    let (one, other) = (grouped(one), grouped(other));
    parse_quote!(#one & #other)
}

fn or(one: &Expr, other: &Expr) -> Expr {
    let (one, other) = (grouped(one), grouped(other));
    parse_quote!(#one | #other)
}

fn opposite(condition: &Expr) -> Expr {
    match condition {
        Expr::Paren(paren) => opposite(&paren.expr),
        Expr::Unary(unary) if matches!(unary.op, UnOp::Not(_)) => (*unary.expr).clone(),
        other => {
            let other = grouped(other);
            parse_quote!(!#other)
        }
    }
}

fn grouped(expr: &Expr) -> Expr {
    match expr {
        Expr::Binary(_) => parse_quote!((#expr)),
        _ => expr.clone(),
    }
}

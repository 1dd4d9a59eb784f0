// SPDX-License-Identifier: Apache-2.0
//! Registers that are assigned: `if issue { held = warp; }` loads one where the condition holds, and lets it
//! keep its value elsewhere.
//!
//! An assignment becomes one to the register's `enable`, under all conditions that lead to it, and one to its
//! `d`. A later assignment wins, in another section or block too: there `enable` is set, and what the earlier
//! one has said stays where the later one is not reached.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use gpurf_declaration::Nature;
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{
    parse_quote, parse_quote_spanned, BinOp, Block, Expr, ExprAssign, ExprForLoop, ExprIf, ExprMatch,
    ExprMethodCall, Ident, Pat, Stmt, UnOp,
};

use super::names::Names;
use super::places::{name_of, Start};

/// Writes assignments to registers out.
pub(super) struct Loads<'a> {
    names: &'a Names,
    /// Variables of the loops around.
    loops: Vec<Ident>,
    /// Choices met so far.
    choices: usize,
    /// Registers that several places may reach.
    reached: HashMap<String, Start>,
    /// The ones of these that a place before has reached.
    begun: HashSet<String>,
    /// The ones of these that keep their value up to the first place, which is in this section.
    kept: Vec<String>,
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
    pub fn of(names: &'a Names, reached: HashMap<String, Start>) -> Self {
        let (begun, kept) = (HashSet::new(), vec![]);
        Loads { names, loops: vec![], choices: 0, reached, begun, kept }
    }

    /// Writes out the assignments of a section.
    pub fn section(&mut self, block: &mut Block) {
        self.block(block);
        for name in self.kept.drain(..).rev() {
            let register: Expr = syn::parse_str(&name).expect("the name of a register");
            let element: Expr = match self.names.nature(&register) {
                Some((_, 0)) if !self.names.is_optional(&register) => register.clone(),
                _ => parse_quote!(#register[element]),
            };
            let mut kept: Vec<Stmt> =
                vec![parse_quote!(#element.enable = false;), parse_quote!(#element.d = #element;)];
            if matches!(element, Expr::Index(_)) {
                kept = vec![parse_quote!(for element in 0..self.#register.len() { #(#kept)* })];
            }
            block.stmts.splice(0..0, kept);
        }
    }

    /// Writes out the assignments of a block that no signal decides about.
    fn block(&mut self, block: &mut Block) {
        let mut loads: Vec<Load> = vec![];
        // The statement behind which all is known about a register.
        let mut last: HashMap<String, usize> = HashMap::new();
        let mut rest: Vec<[Vec<Stmt>; 2]> = vec![];
        for (place, mut statement) in std::mem::take(&mut block.stmts).into_iter().enumerate() {
            let mut own = vec![];
            let kept = match &mut statement {
                Stmt::Expr(Expr::ForLoop(each), _) => {
                    self.within(each, |this, body| this.block(body));
                    Some(statement)
                }
                Stmt::Expr(Expr::If(choice), _) if self.names.decides(&choice.cond, &self.loops) => {
                    self.decided(choice);
                    Some(statement)
                }
                _ => self.extracted(statement, &[], &[], &mut own),
            };
            let (reached, alone): (Vec<_>, Vec<_>) =
                own.into_iter().partition(|load| self.reached.contains_key(&name_of(&load.target)));
            last.extend(alone.iter().map(|load| (load.key(), place)));
            loads.extend(alone);
            let reached = grouped_by_key(reached);
            rest.push([
                reached.iter().flat_map(|group| self.joined_in(group)).collect(),
                Vec::from_iter(kept),
            ]);
        }
        let groups = grouped_by_key(loads);
        for (place, statements) in rest.into_iter().enumerate() {
            for group in groups.iter().filter(|group| last[&group[0].key()] == place) {
                block.stmts.extend(written_out(group));
            }
            block.stmts.extend(statements.concat());
        }
    }

    fn within(&mut self, each: &mut ExprForLoop, inside: impl FnOnce(&mut Self, &mut Block)) {
        if let Pat::Ident(variable) = &*each.pat {
            self.loops.push(variable.ident.clone());
            inside(self, &mut each.body);
            self.loops.pop();
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
                loads.push(Load::new(nest, path, *left, *right));
                return None;
            }
            Expr::Binary(binary) if operator(&binary.op).is_some() && self.is_register(&binary.left) => {
                let (target, operator, value) = (&*binary.left, operator(&binary.op), &*binary.right);
                let value = grouped(value);
                let value = parse_quote_spanned!(value.span()=> #target #operator #value);
                loads.push(Load::new(nest, path, target.clone(), value));
                return None;
            }
            Expr::MethodCall(call) if self.is_joined(&call) => {
                self.choices += 1;
                let [enable, value] = [&call.args[0], &call.args[1]].map(Expr::clone);
                let taken =
                    Taken { choice: self.choices, branch: 0, conditions: Rc::new(vec![Some(enable)]) };
                loads.push(Load::new(nest, &[path, &[taken]].concat(), *call.receiver, value));
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

    /// A register is loaded in a line that other places may reach.
    fn is_joined(&self, call: &ExprMethodCall) -> bool {
        let is_loaded = call.method == "load" && call.args.len() == 2;
        is_loaded && self.is_register(&call.receiver) && self.reached.contains_key(&name_of(&call.receiver))
    }

    /// The loads of one register by one statement, where other places may reach it.
    fn joined_in(&mut self, group: &[Load]) -> Vec<Stmt> {
        let name = name_of(&group[0].target);
        let is_first = self.begun.insert(name.clone());
        match self.reached[&name] {
            Start::First if is_first => written_out(group),
            start => {
                if is_first && start == Start::Kept {
                    self.kept.push(name);
                }
                in_nest(group, choices(group, |loads| chosen(loads, false, &enabled)))
            }
        }
    }
}

impl Load {
    fn new(nest: &[Nest], path: &[Taken], target: Expr, value: Expr) -> Self {
        Load { nest: nest.to_vec(), path: path.to_vec(), target, value }
    }

    fn key(&self) -> String {
        nest_text(&self.nest) + &self.target.to_token_stream().to_string()
    }
}

/// Loads of the same elements together, in the order of the first of each.
fn grouped_by_key(loads: Vec<Load>) -> Vec<Vec<Load>> {
    let mut groups: Vec<Vec<Load>> = vec![];
    for load in loads {
        match groups.iter_mut().find(|group| group[0].key() == load.key()) {
            Some(group) => group.push(load),
            None => groups.push(vec![load]),
        }
    }
    groups
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

/// The loads of one register that nothing else reaches before, in their nest.
fn written_out(group: &[Load]) -> Vec<Stmt> {
    let (target, span) = (&group[0].target, group[0].target.span());
    let paths: Vec<&[Taken]> = group.iter().map(|load| &load.path[..]).collect();
    let enable = match condition(&paths) {
        Condition::Of(enable) => enable,
        _ => parse_quote!(true),
    };
    let mut statements: Vec<Stmt> = vec![parse_quote_spanned!(span=> #target.enable = #enable;)];
    let mut is_first = true;
    let values = choices(group, |loads| chosen(loads, std::mem::replace(&mut is_first, false), &value));
    statements.extend(values);
    in_nest(group, statements)
}

fn in_nest(group: &[Load], statements: Vec<Stmt>) -> Vec<Stmt> {
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

/// Loads that exclude each other are a choice; a later choice replaces what an earlier one has said.
fn choices(group: &[Load], mut choice: impl FnMut(&[Load]) -> Vec<Stmt>) -> Vec<Stmt> {
    let (mut statements, mut rest) = (vec![], group);
    while !rest.is_empty() {
        let same = 1 + rest[1..]
            .iter()
            .zip(1..)
            .take_while(|(load, count)| {
                rest[..*count].iter().all(|earlier| exclude(&earlier.path, &load.path))
            })
            .count();
        statements.extend(choice(&rest[..same]));
        rest = &rest[same..];
    }
    statements
}

/// The value that a load brings.
fn value(load: &Load) -> Vec<Stmt> {
    let (target, value) = (&load.target, &load.value);
    vec![parse_quote_spanned!(value.span()=> #target.d = #value;)]
}

/// The same, and that the register takes it.
fn enabled(load: &Load) -> Vec<Stmt> {
    let (target, span) = (&load.target, load.target.span());
    let enable = parse_quote_spanned!(span=> #target.enable = true;);
    [vec![enable], value(load)].concat()
}

/// The choice of one of several loads. Where nothing else is said nothing matters if none of them is: so the
/// last needs no condition, if it stands first.
fn chosen(loads: &[Load], is_first: bool, said: &dyn Fn(&Load) -> Vec<Stmt>) -> Vec<Stmt> {
    // All branches up to the last that loads: each stands behind those before it.
    let is_whole =
        loads.iter().enumerate().all(|(at, load)| load.path.len() == 1 && load.path[0].branch == at);
    let mut chosen: Option<Expr> = None;
    for (number, load) in loads.iter().enumerate().rev() {
        let said = said(load);
        let holds = match is_first || is_whole {
            true => joined(load.path.iter().filter_map(|taken| taken.conditions[taken.branch].clone())),
            false => match condition(&[&load.path]) {
                Condition::Of(condition) => Some(condition),
                _ => None,
            },
        };
        let is_last = number + 1 == loads.len();
        chosen = match (holds, chosen) {
            (None, _) => Some(parse_quote!({ #(#said)* })),
            (Some(_), None) if is_last && is_first => Some(parse_quote!({ #(#said)* })),
            (Some(holds), None) => Some(parse_quote!(if #holds { #(#said)* })),
            (Some(holds), Some(rest)) => Some(parse_quote!(if #holds { #(#said)* } else #rest)),
        };
    }
    match chosen.expect("a load at least") {
        Expr::Block(block) => block.block.stmts,
        choice => vec![Stmt::Expr(choice, None)],
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

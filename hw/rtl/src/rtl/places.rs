// SPDX-License-Identifier: Apache-2.0
//! Places where registers are assigned or loaded, before any of it is written out. A register that several
//! places may reach is loaded where one of them is, and takes the value of the last.

use std::collections::HashMap;

use gpurf_declaration::Nature;
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{BinOp, Block, Error, Expr, ExprIf, Ident, Lit, Pat, Stmt};

use super::names::Names;
use super::path::mentions;
use super::range::range_of;

/// How a register is written out that several places may reach.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Start {
    /// The first place says of every element whether it is loaded.
    First,
    /// Nothing is loaded before the first place.
    Kept,
}

/// The registers that several places may reach, by name.
pub(super) fn reached(names: &Names, sections: &[&Block]) -> (HashMap<String, Start>, Vec<Error>) {
    let mut survey =
        Survey { names, around: vec![], loops: vec![], nodes: 0, is_under: false, places: vec![] };
    for section in sections {
        survey.inside(String::new(), None, |this| this.block(section));
    }
    let mut registers: Vec<(String, Vec<Place>)> = vec![];
    for place in survey.places {
        match registers.iter_mut().find(|(name, _)| *name == place.name) {
            Some((_, places)) => places.push(place),
            None => registers.push((place.name.clone(), vec![place])),
        }
    }
    let (mut starts, mut errors) = (HashMap::new(), vec![]);
    for (name, places) in registers {
        let Some([first, second]) = meeting(&places) else { continue };
        let is_covered = !places[0].repeats && places[1..].iter().all(|other| places[0].covers(other));
        let is_possible = first.nature == Nature::Register && (is_covered || first.indices.len() < 2);
        match is_possible {
            true => {
                starts.insert(name, if is_covered { Start::First } else { Start::Kept });
            }
            false => errors.extend(refused(first, second)),
        }
    }
    (starts, errors)
}

/// A bundle of registers, or an array in an array whose elements the first place does not all reach.
fn refused(first: &Place, second: &Place) -> Vec<Error> {
    let at = |place: &Place, what: String| {
        let message = format!(
            "{what}, and nothing joins the two: the later one would say alone when it is loaded\nhelp: load it once, under \
             all conditions and with a value that is chosen"
        );
        Error::new_spanned(&place.target, message)
    };
    let line = |place: &Place| place.target.span().start().line;
    match std::ptr::eq(first, second) {
        true => vec![at(first, "this register is loaded in every turn of a loop".into())],
        false => vec![
            at(first, format!("this register is loaded again in line {}", line(second))),
            at(second, format!("this register is loaded in line {} too", line(first))),
        ],
    }
}

/// Two places that may reach one element, or one place twice that does so in every turn of a loop.
fn meeting(places: &[Place]) -> Option<[&Place; 2]> {
    let twice = places.iter().find(|place| place.repeats).map(|place| [place, place]);
    let earlier = |at: usize, one| places[..at].iter().map(move |earlier| [earlier, one]);
    let mut pairs = places.iter().enumerate().flat_map(|(at, one)| earlier(at, one));
    twice.or_else(|| pairs.find(|[earlier, later]| !earlier.is_with(later) && !earlier.is_apart_from(later)))
}

/// The name of the register that a path names.
pub(super) fn name_of(target: &Expr) -> String {
    let mut rest = target;
    while let Expr::Index(index) = rest {
        rest = &index.expr;
    }
    rest.to_token_stream().to_string()
}

/// Where a register is assigned or loaded.
struct Place {
    name: String,
    nature: Nature,
    target: Expr,
    indices: Vec<Index>,
    /// It is a `load`, which takes no second one.
    is_load: bool,
    /// A loop around it has turns that reach the same element.
    repeats: bool,
    around: Vec<Around>,
}

/// An index of an array.
#[derive(PartialEq)]
enum Index {
    Number(u64),
    /// A loop's variable, which runs from one number up to another.
    Turn([String; 2]),
    /// Variables times numbers, and a number; none if it is not made of these.
    Computed(String, Option<Sum>),
}

/// `2 * s + 1`: the factor of each variable, and the number.
#[derive(Clone, PartialEq)]
struct Sum {
    factors: Vec<i64>,
    number: i64,
}

/// A section, a loop or a branch around a place.
#[derive(Clone, PartialEq)]
struct Around {
    /// The number in the kernel. It is missing below a condition of signals: there equal text is one.
    node: Option<usize>,
    text: String,
    /// The parameters' choice that it is a branch of.
    branch: Option<(usize, bool)>,
}

impl Place {
    /// Both are written out as one: assignments to the same elements in one block.
    fn is_with(&self, other: &Place) -> bool {
        let text = |place: &Place| place.target.to_token_stream().to_string();
        !self.is_load && !other.is_load && self.around == other.around && text(self) == text(other)
    }

    /// No element is reached by both, as far as indices and parameters say.
    fn is_apart_from(&self, other: &Place) -> bool {
        let branches =
            |place: &Place| place.around.iter().filter_map(|around| around.branch).collect::<Vec<_>>();
        let others = branches(other);
        let excludes = |(choice, branch): &(usize, bool)| others.contains(&(*choice, !branch));
        branches(self).iter().any(excludes)
            || self.indices.iter().zip(&other.indices).any(|(one, other)| one.is_apart_from(other))
    }

    /// It reaches every element that the other does.
    fn covers(&self, other: &Place) -> bool {
        let decided = |place: &Place| {
            let around = place.around.iter().filter(|around| around.branch.is_some());
            around.map(|around| around.text.clone()).collect::<Vec<_>>()
        };
        let others = decided(other);
        decided(self).iter().all(|condition| others.contains(condition))
            && self.indices.iter().zip(&other.indices).all(|(one, other)| one.covers(other))
    }
}

impl Index {
    fn is_apart_from(&self, other: &Index) -> bool {
        let number = |text: &String| text.parse::<u64>().ok();
        match (self, other) {
            (Index::Number(one), Index::Number(other)) => one != other,
            (Index::Number(one), Index::Turn([from, to])) | (Index::Turn([from, to]), Index::Number(one)) => {
                number(from).is_some_and(|from| *one < from) || number(to).is_some_and(|to| *one >= to)
            }
            (Index::Turn([from, to]), Index::Turn([its_from, its_to])) => {
                let is_before = |end: &String, start: &String| {
                    end == start || number(end).zip(number(start)).is_some_and(|(end, start)| end <= start)
                };
                is_before(to, its_from) || is_before(its_to, from)
            }
            _ => self.sum().zip(other.sum()).is_some_and(|(one, other)| one.is_apart_from(&other)),
        }
    }

    fn sum(&self) -> Option<Sum> {
        match self {
            Index::Number(number) => Some(Sum { factors: vec![], number: *number as i64 }),
            Index::Turn(_) => None,
            Index::Computed(_, sum) => sum.clone(),
        }
    }

    /// It takes every number that the other does: `0..n` those of `0..n - 1`.
    fn covers(&self, other: &Index) -> bool {
        match (self, other) {
            (Index::Turn([from, to]), Index::Turn([its_from, its_to])) => {
                (from == "0" || from == its_from) && (to == its_to || its_to.starts_with(&format!("{to} - ")))
            }
            _ => self == other,
        }
    }
}

impl Sum {
    fn of(expr: &Expr) -> Option<Sum> {
        match expr {
            Expr::Paren(paren) => Sum::of(&paren.expr),
            Expr::Lit(literal) => match &literal.lit {
                Lit::Int(number) => Some(Sum { factors: vec![], number: number.base10_parse().ok()? }),
                _ => None,
            },
            Expr::Path(_) => Some(Sum { factors: vec![1], number: 0 }),
            Expr::Binary(binary) => {
                let (left, right) = (Sum::of(&binary.left)?, Sum::of(&binary.right)?);
                match binary.op {
                    BinOp::Add(_) => Some(Sum {
                        factors: [left.factors, right.factors].concat(),
                        number: left.number + right.number,
                    }),
                    BinOp::Mul(_) if right.factors.is_empty() => Some(left.times(right.number)),
                    BinOp::Mul(_) if left.factors.is_empty() => Some(right.times(left.number)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn times(self, number: i64) -> Sum {
        let factors = self.factors.into_iter().map(|factor| factor * number).collect();
        Sum { factors, number: self.number * number }
    }

    /// Whatever the variables are, the two differ: `2 * s` and `2 * t + 1`.
    fn is_apart_from(&self, other: &Sum) -> bool {
        let factors = self.factors.iter().chain(&other.factors);
        let common = factors.fold(0, |common, factor| greatest_common_divisor(common, *factor));
        let difference = self.number - other.number;
        if common == 0 {
            difference != 0
        } else {
            difference % common != 0
        }
    }
}

fn greatest_common_divisor(one: i64, other: i64) -> i64 {
    if other == 0 {
        one.abs()
    } else {
        greatest_common_divisor(other, one % other)
    }
}

/// Walks the sections.
struct Survey<'a> {
    names: &'a Names,
    around: Vec<Around>,
    loops: Vec<(Ident, [String; 2])>,
    /// Loops and choices so far.
    nodes: usize,
    /// A signal decides about the statement.
    is_under: bool,
    places: Vec<Place>,
}

impl Survey<'_> {
    fn block(&mut self, block: &Block) {
        block.stmts.iter().for_each(|statement| {
            if let Stmt::Expr(expr, _) = statement {
                self.statement(expr);
            }
        });
    }

    fn statement(&mut self, expr: &Expr) {
        match expr {
            Expr::Assign(assign) => self.place(&assign.left, false),
            Expr::Binary(binary) => self.place(&binary.left, false),
            Expr::MethodCall(call) if call.method == "load" => self.place(&call.receiver, true),
            Expr::Block(block) => self.block(&block.block),
            Expr::ForLoop(each) => {
                let Pat::Ident(variable) = &*each.pat else { return };
                let text = |end: &Option<Box<Expr>>| end.to_token_stream().to_string();
                let ends = range_of(&each.expr).map(|(range, _)| [text(&range.start), text(&range.end)]);
                self.loops.push((variable.ident.clone(), ends.unwrap_or_default()));
                self.inside(each.expr.to_token_stream().to_string(), None, |this| this.block(&each.body));
                self.loops.pop();
            }
            Expr::If(choice) => {
                let loops: Vec<Ident> = self.loops.iter().map(|(variable, _)| variable.clone()).collect();
                match self.names.decides(&choice.cond, &loops) {
                    true => self.decided(choice),
                    false => self.under(|this| {
                        this.block(&choice.then_branch);
                        choice.else_branch.iter().for_each(|(_, rest)| this.statement(rest));
                    }),
                }
            }
            Expr::Match(choice) => {
                self.under(|this| choice.arms.iter().for_each(|arm| this.statement(&arm.body)));
            }
            _ => {}
        }
    }

    fn decided(&mut self, choice: &ExprIf) {
        let condition = choice.cond.to_token_stream().to_string();
        let number = self.nodes;
        self.inside(condition.clone(), Some((number, true)), |this| this.block(&choice.then_branch));
        if let Some((_, rest)) = &choice.else_branch {
            self.inside(format!("!({condition})"), Some((number, false)), |this| this.statement(rest));
        }
    }

    fn inside(&mut self, text: String, branch: Option<(usize, bool)>, walk: impl FnOnce(&mut Self)) {
        self.nodes += 1;
        let node = (!self.is_under).then_some(self.nodes);
        self.around.push(Around { node, text, branch });
        walk(self);
        self.around.pop();
    }

    fn under(&mut self, walk: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.is_under, true);
        walk(self);
        self.is_under = before;
    }

    fn place(&mut self, target: &Expr, is_load: bool) {
        let Some((nature, left)) = self.names.nature(target) else { return };
        if left > 0 || !(nature == Nature::Register || (is_load && nature == Nature::Bundle)) {
            return;
        }
        let (mut indices, mut rest) = (vec![], target);
        while let Expr::Index(index) = rest {
            indices.insert(0, self.index(&index.index));
            rest = &index.expr;
        }
        let repeats =
            self.loops.iter().any(|(variable, _)| !mentions(target, std::slice::from_ref(variable)));
        let (name, target, around) = (name_of(target), target.clone(), self.around.clone());
        self.places.push(Place { name, nature, target, indices, is_load, repeats, around });
    }

    fn index(&self, index: &Expr) -> Index {
        let text = index.to_token_stream().to_string();
        let turn = self.loops.iter().rev().find(|(variable, _)| *variable == text);
        match (text.parse(), turn) {
            (Ok(number), _) => Index::Number(number),
            (_, Some((_, ends))) => Index::Turn(ends.clone()),
            _ => Index::Computed(text, Sum::of(index)),
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
//! The statements of a kernel: what may stand in it, and what an assignment may drive.

use std::collections::HashSet;

use quote::ToTokens;
use syn::visit::{visit_expr_field, visit_expr_method_call, Visit};
use syn::{
    parse_quote, Arm, Block, Expr, ExprAssign, ExprCall, ExprField, ExprForLoop, ExprIf, ExprMatch,
    ExprMethodCall, Ident, Macro, Member, Pat, RangeLimits, Stmt,
};

use super::keywords::is_keyword;
use super::path::{base_of, call_of, is_plain, is_variant, mentions, Assigned, SignalPath};
use super::range::range_of;

/// Walks a kernel and collects every violation of the rules.
pub(super) struct Checker {
    errors: Vec<syn::Error>,
    /// Every name on a path from `self`, anywhere in the kernel.
    names: HashSet<String>,
    /// The loop variables in scope, the innermost last.
    pub loops: Vec<Ident>,
    /// How many `if` and `match` surround the statement.
    conditions: usize,
}

impl Checker {
    pub fn check<'a>(sections: impl Iterator<Item = &'a Block> + Clone) -> Vec<syn::Error> {
        let mut names = Names::default();
        sections.clone().for_each(|section| names.visit_block(section));
        let mut checker = Checker { errors: vec![], names: names.0, loops: vec![], conditions: 0 };
        sections.for_each(|section| checker.block(section));
        checker.errors
    }

    pub fn reject(&mut self, place: impl ToTokens, problem: &str, help: &str) {
        self.errors.push(syn::Error::new_spanned(place, format!("{problem}\nhelp: {help}")));
    }

    fn block(&mut self, block: &Block) {
        for statement in &block.stmts {
            match statement {
                Stmt::Expr(expr, _) => self.statement(expr),
                Stmt::Macro(call) => self.macro_call(&call.mac),
                // All that can be are assignments by now.
                Stmt::Local(_) => {}
                Stmt::Item(item) => self.reject(item, "a kernel holds no items", "move it out of `update`"),
            }
        }
    }

    fn statement(&mut self, expr: &Expr) {
        match expr {
            Expr::Assign(assign) => self.assignment(assign),
            Expr::If(choice) => self.conditional(choice),
            Expr::Match(choice) => self.selection(choice),
            Expr::ForLoop(each) => self.for_loop(each),
            Expr::Call(call) => self.assigned(call),
            Expr::Macro(call) => self.macro_call(&call.mac),
            Expr::While(_) | Expr::Loop(_) => self.reject(
                expr,
                "hardware cannot loop until a condition holds",
                "unroll with `for i in 0..N`, or spread the work over clock cycles with a register",
            ),
            Expr::Binary(binary) => self.reject(
                binary,
                "only assignments, `if`, `match` and `for` translate to Verilog",
                "`|=`, `&=`, `^=` and `+=` accumulate; others are written out: `x = x - a;`",
            ),
            Expr::MethodCall(call) if call.method.to_string().starts_with("set_") => self.reject(
                call,
                "a signal is not changed in place",
                "assign the whole value: `x = a.replace_bit(i, bit);`",
            ),
            other => self.reject(
                other,
                "this statement does not translate to Verilog",
                "a kernel holds assignments, `if`, `match` and `for` over constant ranges",
            ),
        }
    }

    fn assignment(&mut self, assign: &ExprAssign) {
        let Some(path) = base_of(&assign.left, "next").and_then(|signal| self.signal(signal)) else {
            return self.reject(
                &assign.left,
                "an assignment drives a signal",
                "write `signal = ..`, `array[i] = ..` or `part.port = ..`",
            );
        };
        if path.is_clock() {
            self.clock(assign);
        } else {
            self.value(&assign.right);
        }
    }

    fn clock(&mut self, assign: &ExprAssign) {
        let source = call_of(&assign.right, "val").and_then(|call| self.signal(&call.receiver));
        if !source.is_some_and(|path| path.is_clock()) {
            self.reject(
                &assign.right,
                "logic in the clock path: Rust and Verilog would order the clock's edge differently",
                "pass the clock straight down, `register.clock = clock;`, and \
                 gate with the register's `enable`",
            );
        } else if self.conditions > 0 {
            self.reject(
                assign,
                "a clock that depends on a condition: Rust and Verilog would order its edge \
                 differently",
                "assign the clock outside of every `if` and `match`, and gate with the register's \
                 `enable`",
            );
        }
    }

    fn conditional(&mut self, choice: &ExprIf) {
        if let Expr::Let(binding) = &*choice.cond {
            self.reject(
                binding,
                "`if let` does not translate to Verilog",
                "use `match`, with one arm for each variant",
            );
        } else {
            self.value(&choice.cond);
        }
        self.conditions += 1;
        self.block(&choice.then_branch);
        match choice.else_branch.as_ref().map(|(_, branch)| &**branch) {
            Some(Expr::If(next)) => self.conditional(next),
            Some(Expr::Block(last)) => self.block(&last.block),
            _ => {}
        }
        self.conditions -= 1;
    }

    fn selection(&mut self, choice: &ExprMatch) {
        if is_plain(&choice.expr) {
            self.value(&choice.expr);
        } else {
            self.reject(
                &choice.expr,
                "`match` selects on the variant that a signal holds",
                "write `match state`; compare numbers and bits with `if`",
            );
        }
        self.conditions += 1;
        for (position, arm) in choice.arms.iter().enumerate() {
            self.pattern(arm, position + 1 == choice.arms.len());
            match &*arm.body {
                Expr::Block(body) => self.block(&body.block),
                statement => self.statement(statement),
            }
        }
        self.conditions -= 1;
    }

    fn pattern(&mut self, arm: &Arm, last: bool) {
        if let Some((_, guard)) = &arm.guard {
            self.reject(
                guard,
                "Verilog's `case` has no guards: this one would be dropped",
                "put an `if` inside the arm",
            );
        }
        match &arm.pat {
            Pat::Path(path) if is_variant(&path.path) => {}
            Pat::Wild(_) if last => {}
            Pat::Wild(wild) => self.reject(
                wild,
                "Verilog's `default` yields to the arms below it, Rust's `_` does not",
                "make `_` the last arm",
            ),
            other => self.reject(
                other,
                "this pattern does not translate to Verilog",
                "an arm is one variant, `State::Idle => ..`, or `_` at the end; compare numbers and \
                 bits with `if`",
            ),
        }
    }

    fn for_loop(&mut self, each: &ExprForLoop) {
        match &*each.pat {
            Pat::Ident(name)
                if name.by_ref.is_none() && name.mutability.is_none() && name.subpat.is_none() =>
            {
                self.range(&each.expr);
                self.loop_variable(&name.ident);
                self.loops.push(name.ident.clone());
                self.block(&each.body);
                self.loops.pop();
            }
            other => self.reject(other, "a loop has one plain variable", "write `for i in 0..N`"),
        }
    }

    fn loop_variable(&mut self, variable: &Ident) {
        if self.names.contains(&variable.to_string()) {
            self.reject(
                variable,
                &format!(
                    "the kernel also names a signal or field `{variable}`, which would be replaced \
                     by the loop's number"
                ),
                "rename the loop variable",
            );
        }
        if self.loops.contains(variable) {
            self.reject(
                variable,
                &format!("`{variable}` is already the variable of an outer loop"),
                "rename the inner loop variable",
            );
        }
    }

    fn range(&mut self, range: &Expr) {
        let Some((range, is_backwards)) = range_of(range) else {
            return self.reject(range, "a loop runs over a range", "write `for i in 0..N`");
        };
        if is_backwards
            && !matches!(range.start.as_deref(), Some(Expr::Lit(zero)) if zero.lit == parse_quote!(0))
        {
            self.reject(range, "a loop that runs backwards ends with 0", "write `for i in (0..N).rev()`");
        }
        if matches!(range.limits, RangeLimits::Closed(_)) {
            self.reject(
                range,
                "the last turn of an inclusive range would be dropped",
                "write the exclusive range, `0..8` for `0..=7`",
            );
        }
        let (Some(start), Some(end)) = (&range.start, &range.end) else {
            return self.reject(range, "a loop's range needs both ends", "write `for i in 0..N`");
        };
        for end in [start, end] {
            if mentions(end, &self.loops) {
                self.reject(
                    end,
                    "a loop's end cannot depend on another loop's variable",
                    "run over the whole range and compare inside: `if j < i { .. }`",
                );
            }
        }
    }

    /// A wire or a bundle, assigned as one.
    fn assigned(&mut self, call: &ExprCall) {
        let Some(Assigned { from, target, .. }) = Assigned::parse(call) else {
            return self.reject(
                call,
                "a call that stands alone does not translate to Verilog",
                "wires pass by `pass!(from => to)`; what a function computes is written out",
            );
        };
        for path in from.into_iter().chain([target]) {
            if self.signal(path).is_none() {
                self.reject(
                    path,
                    "only wires pass through",
                    "write a path from `self` to a wire or a bundle",
                );
            }
        }
    }

    fn macro_call(&mut self, call: &Macro) {
        self.reject(
            call,
            "this macro does not translate to Verilog",
            "the macros of a kernel are `connect!(part { port: value })` and `pass!(from => to)`",
        );
    }

    /// A path from `self` to a signal, its names and indices checked.
    pub fn signal<'a>(&mut self, expr: &'a Expr) -> Option<SignalPath<'a>> {
        let path = SignalPath::parse(expr)?;
        path.names.iter().for_each(|name| self.name(name));
        path.indices.iter().for_each(|index| self.index(index));
        Some(path)
    }

    fn name(&mut self, name: &Ident) {
        let text = name.to_string();
        if is_keyword(&text) {
            self.reject(
                name,
                &format!("`{text}` is a keyword of Verilog or SystemVerilog"),
                "rename the field",
            );
        } else if text.starts_with("r#") {
            self.reject(name, "a raw identifier has no Verilog spelling", "rename the field");
        } else if text.starts_with('_') {
            self.reject(
                name,
                "a field that starts with `_` is no part of the hardware",
                "use it in a loop's range only, or hold the number in a `Constant` field",
            );
        }
    }

    fn index(&mut self, index: &Expr) {
        if self.constant(index) {
            return;
        }
        let (problem, help) = if reads_signal(index) {
            (
                "an array cannot be indexed by a signal",
                "select in a loop: `for i in 0..N { if sel == i.to_bits::<W>() { .. } }`",
            )
        } else {
            (
                "an array index is made of loop variables and plain literals with `+`, `-` and `*`",
                "constants and const parameters have no value in the Verilog: write the number, or \
                 run a loop up to it",
            )
        };
        self.reject(index, problem, help);
    }
}

fn reads_signal(expr: &Expr) -> bool {
    struct Search(bool);
    impl<'ast> Visit<'ast> for Search {
        fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
            self.0 |= call.method == "val";
            visit_expr_method_call(self, call);
        }
        fn visit_expr_field(&mut self, field: &'ast ExprField) {
            self.0 |= matches!(&field.member, Member::Named(name) if name == "next");
            visit_expr_field(self, field);
        }
    }
    let mut search = Search(false);
    search.visit_expr(expr);
    search.0
}

/// Gathers every name on a path from `self`.
#[derive(Default)]
struct Names(HashSet<String>);

impl<'ast> Visit<'ast> for Names {
    fn visit_expr_field(&mut self, field: &'ast ExprField) {
        if let Member::Named(name) = &field.member {
            self.0.insert(name.to_string());
        }
        visit_expr_field(self, field);
    }
}

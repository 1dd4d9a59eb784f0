// SPDX-License-Identifier: Apache-2.0
//! Statements that a kernel may say in one line: the loading of a register, wires that pass through, a
//! bundle assigned as one, a parameter as the end of a loop.

use syn::parse::{Parse, ParseStream};
use syn::visit_mut::{visit_block_mut, visit_expr_for_loop_mut, visit_expr_mut, VisitMut};
use syn::{
    bracketed, parse_quote, parse_quote_spanned, Block, Error, Expr, ExprForLoop, ExprMethodCall, Ident,
    Macro, Pat, Result, Stmt, Token,
};

use super::names::Names;
use super::path::{call_of, SignalPath};
use super::quiet::rooted;

/// Writes shorthands out; what is wrong with one is kept.
pub(super) struct Shorthand<'a> {
    pub errors: Vec<Error>,
    names: &'a Names,
    /// Variables of the loops around.
    loops: Vec<Ident>,
}

impl<'a> Shorthand<'a> {
    pub fn of(names: &'a Names) -> Self {
        Shorthand { errors: vec![], names, loops: vec![] }
    }
}

impl VisitMut for Shorthand<'_> {
    fn visit_block_mut(&mut self, block: &mut Block) {
        let statements = std::mem::take(&mut block.stmts);
        block.stmts = statements.into_iter().flat_map(|statement| self.written_out(statement)).collect();
        visit_block_mut(self, block);
    }

    /// `for s in 0..slots` runs to a number that the module's declaration names.
    fn visit_expr_for_loop_mut(&mut self, each: &mut ExprForLoop) {
        Sizes(&self.loops).visit_expr_mut(&mut each.expr);
        if let Pat::Ident(variable) = &*each.pat {
            self.loops.push(variable.ident.clone());
            visit_expr_for_loop_mut(self, each);
            self.loops.pop();
        }
    }
}

impl Shorthand<'_> {
    fn written_out(&mut self, statement: Stmt) -> Vec<Stmt> {
        match &statement {
            Stmt::Expr(Expr::MethodCall(call), _) => match call.method.to_string().as_str() {
                "load" => self.loaded(call),
                "clear" if call.args.is_empty() => {
                    let mut target = call.receiver.clone();
                    self.names.only(&mut target);
                    vec![assigned(cleared(&target), &target)]
                }
                "merge" => self.merged(call),
                _ => vec![statement],
            },
            Stmt::Macro(call) if call.mac.path.is_ident("pass") => self.passed(&call.mac),
            _ => vec![statement],
        }
    }

    fn loaded(&mut self, call: &ExprMethodCall) -> Vec<Stmt> {
        let register = &call.receiver;
        let [enable, value] = &call.args.iter().collect::<Vec<_>>()[..] else {
            let hint = "write `register.load(enable, value)`";
            self.errors.push(Error::new_spanned(call, hint));
            return vec![];
        };
        let loaded = match held(value) {
            // A register, or a bundle of them.
            Some(from) => assigned(taken(from), register),
            None => parse_quote!(#register.d.next = #value;),
        };
        vec![parse_quote!(#register.enable.next = #enable;), loaded]
    }

    fn merged(&mut self, call: &ExprMethodCall) -> Vec<Stmt> {
        let target = &call.receiver;
        match &call.args.iter().map(held).collect::<Vec<_>>()[..] {
            [Some(from)] => {
                let both = parse_quote!(::gpurf_hw::dialect::wires::either(&#target, &#from));
                vec![assigned(both, target)]
            }
            _ => {
                let hint = "write `bundle.merge(other)`";
                self.errors.push(Error::new_spanned(call, hint));
                vec![]
            }
        }
    }

    fn passed(&mut self, call: &Macro) -> Vec<Stmt> {
        match call.parse_body::<Pass>() {
            Ok(pass) if pass.is_connection() => {
                let hint =
                    "the ports of a part are connected\nhelp: write `connect!(part { port: value } -> out);`";
                self.errors.push(Error::new_spanned(call, hint));
                vec![]
            }
            Ok(mut pass) => {
                rooted(&mut pass.from, &self.loops);
                rooted(&mut pass.to, &self.loops);
                self.names.only(&mut pass.from);
                self.names.only(&mut pass.to);
                pass.assignments(self.names)
            }
            Err(error) => {
                let hint = format!(
                    "{error}\nhelp: write `pass!(part => other: wire, array[..], one[i], wire as name)`, or \
                     `pass!(from => to)` for a whole bundle"
                );
                self.errors.push(Error::new(error.span(), hint));
                vec![]
            }
        }
    }
}

/// The wires that a plain `self.wires.val()` reads.
fn held(value: &Expr) -> Option<&Expr> {
    let from = call_of(value, "val").filter(|call| call.args.is_empty()).map(|call| &*call.receiver)?;
    SignalPath::parse(from).is_some().then_some(from)
}

fn taken(from: &Expr) -> Expr {
    parse_quote!(::gpurf_hw::dialect::wires::value(&#from))
}

fn cleared(target: &Expr) -> Expr {
    parse_quote!(::gpurf_hw::dialect::wires::zero(&#target))
}

/// Assigns a wire, or a bundle as one: the value is taken first, so that the target may be borrowed.
fn assigned(value: Expr, target: &Expr) -> Stmt {
    parse_quote!(::gpurf_hw::dialect::wires::assign(#value, &mut #target);)
}

/// `pass!(from => to: wires)`, or `pass!(from => to)` for a whole bundle.
struct Pass {
    from: Expr,
    to: Expr,
    /// None for the bundle itself.
    wires: Option<Vec<Wire>>,
}

struct Wire {
    from: Ident,
    /// None for a single wire.
    elements: Option<Elements>,
    to: Ident,
}

enum Elements {
    /// `[..]`
    All,
    /// `[i]`
    One(Expr),
}

impl Parse for Pass {
    fn parse(input: ParseStream) -> Result<Self> {
        let from = input.parse()?;
        input.parse::<Token![=>]>()?;
        let to = input.parse()?;
        let wires = match input.is_empty() {
            true => None,
            false => {
                input.parse::<Token![:]>()?;
                Some(input.parse_terminated(Wire::parse, Token![,])?.into_iter().collect())
            }
        };
        Ok(Pass { from, to, wires })
    }
}

impl Parse for Wire {
    fn parse(input: ParseStream) -> Result<Self> {
        let from: Ident = input.parse()?;
        let mut elements = None;
        if input.peek(syn::token::Bracket) {
            let index;
            bracketed!(index in input);
            elements = Some(match index.peek(Token![..]) {
                true => {
                    index.parse::<Token![..]>()?;
                    Elements::All
                }
                false => Elements::One(index.parse()?),
            });
        }
        let to = match input.parse::<Option<Token![as]>>()? {
            Some(_) => input.parse()?,
            None => from.clone(),
        };
        Ok(Wire { from, elements, to })
    }
}

impl Pass {
    /// Returns true if it is between a part and the module itself.
    fn is_connection(&self) -> bool {
        [&self.from, &self.to].iter().any(|end| matches!(end, Expr::Path(path) if path.path.is_ident("self")))
    }

    fn assignments(&self, names: &Names) -> Vec<Stmt> {
        match &self.wires {
            None => vec![assigned(taken(&self.from), &self.to)],
            Some(wires) => wires.iter().map(|wire| self.assignment(wire, names)).collect(),
        }
    }

    fn assignment(&self, wire: &Wire, names: &Names) -> Stmt {
        let (source, target, Wire { from, to, .. }) = (&self.from, &self.to, wire);
        let one = |from: Expr, to: Expr| assigned(taken(&from), &to);
        match &wire.elements {
            None => {
                let only = |path: Expr| match names.is_optional(&path) {
                    true => parse_quote!(#path[0]),
                    false => path,
                };
                one(only(parse_quote!(#source.#from)), only(parse_quote!(#target.#to)))
            }
            Some(Elements::One(index)) => {
                one(parse_quote!(#source.#from[#index]), parse_quote!(#target.#to[#index]))
            }
            Some(Elements::All) => {
                let each = one(parse_quote!(#source.#from[element]), parse_quote!(#target.#to[element]));
                parse_quote!(for element in 0..#target.#to.len() { #each })
            }
        }
    }
}

/// A plain lower-case name in the range of a loop is a number of the module.
struct Sizes<'a>(&'a [Ident]);

impl VisitMut for Sizes<'_> {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        if let Expr::Path(path) = expr {
            if let Some(name) = path.path.get_ident() {
                if name != "self"
                    && !self.0.contains(name)
                    && name.to_string().starts_with(|letter: char| letter.is_lowercase())
                {
                    let field = quote::format_ident!("_{name}", span = name.span());
                    *expr = parse_quote_spanned!(name.span()=> self.#field);
                }
            }
            return;
        }
        // A closure's names are its own.
        if !matches!(expr, Expr::Closure(_)) {
            visit_expr_mut(self, expr);
        }
    }
}

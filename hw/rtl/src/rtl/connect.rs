// SPDX-License-Identifier: Apache-2.0
//! `connect!(part { port: value, port, ..bundle } -> out, out as name)`: the ports of a part.

use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::visit_mut::{visit_block_mut, VisitMut};
use syn::{
    braced, bracketed, parse_quote, parse_quote_spanned, token, Block, Error, Expr, ExprClosure, ExprIndex,
    Ident, Macro, Result, Stmt, Token,
};

use gpurf_declaration::Nature;

use super::names::Names;

/// Writes connections out as assignments.
pub(super) struct Connections<'a> {
    pub names: &'a Names,
    pub errors: Vec<Error>,
}

impl VisitMut for Connections<'_> {
    fn visit_block_mut(&mut self, block: &mut Block) {
        for statement in std::mem::take(&mut block.stmts) {
            match &statement {
                Stmt::Macro(call) if call.mac.path.is_ident("connect") => {
                    block.stmts.extend(self.written_out(&call.mac));
                }
                _ => block.stmts.push(statement),
            }
        }
        visit_block_mut(self, block);
    }
}

impl Connections<'_> {
    fn written_out(&mut self, call: &Macro) -> Vec<Stmt> {
        match call.parse_body::<Connect>() {
            Ok(Connect { part, inputs, outputs }) => {
                let inputs = inputs.iter().flat_map(|input| self.driven(&part, input, &inputs));
                let outputs = outputs.iter().map(|output| self.taken(&part, output));
                inputs.chain(outputs).collect()
            }
            Err(error) => {
                let hint = format!(
                    "{error}\nhelp: write `connect!(part {{ port: value, port, array: |i| value, ..bundle }} -> out, \
                     out as name);`"
                );
                self.errors.push(Error::new(error.span(), hint));
                vec![]
            }
        }
    }

    /// The assignments to an input, or to those that are wires of a bundle.
    fn driven(&self, part: &Expr, input: &Input, all: &[Input]) -> Vec<Stmt> {
        match input {
            Input::Port(port, Value::Each(each)) => {
                let (element, value) = (&each.inputs, &each.body);
                let end = self.length(part, port);
                let target = quote::quote!(#part.#port[#element]);
                vec![parse_quote_spanned!(each.span()=> for #element in 0..#end { #target = #value; })]
            }
            Input::Port(port, Value::One(value)) => vec![self.one(part, port, value)],
            Input::Bundle(bundle) => {
                let is_named = |wire: &String| {
                    all.iter().any(|input| matches!(input, Input::Port(port, _) if port == wire))
                };
                let ports = self.names.fields(part).unwrap_or_default();
                let wires = self.names.fields(bundle).unwrap_or_default();
                let wires = wires.iter().filter(|wire| ports.contains(wire) && !is_named(wire));
                wires
                    .map(|wire| {
                        let wire = Ident::new(wire, bundle.span());
                        self.one(part, &wire, &parse_quote!(#bundle.#wire))
                    })
                    .collect()
            }
        }
    }

    fn one(&self, part: &Expr, port: &Ident, value: &Expr) -> Stmt {
        let target: Expr = parse_quote!(#part.#port);
        let nature = self.names.nature(&target).or_else(|| self.names.nature(value));
        assigned(&target, value, nature, self.length(part, port))
    }

    fn taken(&self, part: &Expr, Output { port, target }: &Output) -> Stmt {
        let value: Expr = parse_quote!(#part.#port);
        let nature = self.names.nature(target).or_else(|| self.names.nature(&value));
        let end = match target {
            Expr::Field(field) => self.length(&field.base, &parse_quote!(#port)),
            _ => parse_quote!(self.#target.len()),
        };
        assigned(target, &value, nature, end)
    }

    /// The number of elements of a port; parts in an array are alike.
    fn length(&self, part: &Expr, port: &Ident) -> Expr {
        let mut part = part.clone();
        self.names.only(&mut part);
        match part {
            Expr::Index(ExprIndex { expr: parts, .. }) => {
                parse_quote!(self.#parts.first().map_or(0, |part| part.#port.len()))
            }
            part => parse_quote!(self.#part.#port.len()),
        }
    }
}

/// Elements of an array one by one, a bundle as one.
fn assigned(target: &Expr, value: &Expr, nature: Option<(Nature, usize)>, end: Expr) -> Stmt {
    let span = value.span();
    let is_bundle = nature.is_some_and(|(nature, _)| nature == Nature::Bundle);
    let one = |target: Expr, value: Expr| -> Stmt {
        match is_bundle {
            true => parse_quote_spanned!(span=> pass!(#value => #target);),
            false => parse_quote_spanned!(span=> #target = #value;),
        }
    };
    match nature {
        Some((_, 1..)) => {
            let value = match value {
                Expr::Path(_) | Expr::Field(_) | Expr::Index(_) => parse_quote!(#value[element]),
                // The same for each.
                other => other.clone(),
            };
            let each = one(parse_quote!(#target[element]), value);
            parse_quote_spanned!(span=> for element in 0..#end { #each })
        }
        _ => one(target.clone(), value.clone()),
    }
}

struct Connect {
    part: Expr,
    inputs: Vec<Input>,
    outputs: Vec<Output>,
}

enum Input {
    Port(Ident, Value),
    /// `..bundle`: the wires that the part has ports for.
    Bundle(Expr),
}

enum Value {
    One(Expr),
    /// For each element of an array.
    Each(ExprClosure),
}

struct Output {
    port: Ident,
    target: Expr,
}

impl Parse for Connect {
    fn parse(input: ParseStream) -> Result<Self> {
        let part = path(input)?;
        let mut inputs = vec![];
        if input.peek(token::Brace) {
            let content;
            braced!(content in input);
            inputs.extend(content.parse_terminated(Input::parse, Token![,])?);
        }
        let outputs = match input.parse::<Option<Token![->]>>()? {
            Some(_) => input.parse_terminated(Output::parse, Token![,])?.into_iter().collect(),
            None => vec![],
        };
        Ok(Connect { part, inputs, outputs })
    }
}

impl Parse for Input {
    fn parse(input: ParseStream) -> Result<Self> {
        if input.parse::<Option<Token![..]>>()?.is_some() {
            return Ok(Input::Bundle(path(input)?));
        }
        let port: Ident = input.parse()?;
        if input.parse::<Option<Token![:]>>()?.is_none() {
            let value = parse_quote!(#port);
            return Ok(Input::Port(port, Value::One(value)));
        }
        Ok(match input.parse()? {
            Expr::Closure(each) if each.inputs.len() == 1 => Input::Port(port, Value::Each(each)),
            value => Input::Port(port, Value::One(value)),
        })
    }
}

impl Parse for Output {
    fn parse(input: ParseStream) -> Result<Self> {
        let port: Ident = input.parse()?;
        let target = match input.parse::<Option<Token![as]>>()? {
            Some(_) => path(input)?,
            None => parse_quote!(#port),
        };
        Ok(Output { port, target })
    }
}

/// `part`, `parts[i]`, `bundle.wire`.
fn path(input: ParseStream) -> Result<Expr> {
    let name: Ident = input.parse()?;
    let mut path: Expr = parse_quote!(#name);
    loop {
        if input.peek(token::Bracket) {
            let index;
            bracketed!(index in input);
            let index: Expr = index.parse()?;
            path = parse_quote!(#path[#index]);
        } else if input.peek(Token![.]) && !input.peek(Token![..]) {
            input.parse::<Token![.]>()?;
            let field: Ident = input.parse()?;
            path = parse_quote!(#path.#field);
        } else {
            return Ok(path);
        }
    }
}

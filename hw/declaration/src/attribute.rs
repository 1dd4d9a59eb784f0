// SPDX-License-Identifier: Apache-2.0
//! The arguments in the parentheses of `#[block(..)]` and `#[bundle(..)]`.

use proc_macro2::Ident;
use syn::parse::{Parse, ParseStream};
use syn::{Error, Expr, LitStr, Result, Token, Type};

/// The arguments in the attribute's parentheses.
#[derive(Default)]
pub struct Arguments {
    pub title: Option<LitStr>,
    pub paper: Option<LitStr>,
    /// Parameters that change the module, in the order of its name.
    pub parameters: Vec<Ident>,
    /// Sizes that the constructor takes, each with the parameter or constant that bounds it.
    pub arguments: Vec<(Ident, Expr)>,
    /// Numbers for loops and lengths: parameters, or computed from them.
    pub sizes: Vec<(Ident, Option<Expr>)>,
    /// Parameters that have one value in this module and below it.
    pub fixed: Vec<(Ident, Expr)>,
    /// Names of the plain structs of its ports, where they are not its own name with `In` and `Out`.
    pub ports: Option<(Ident, Ident)>,
    /// The bundle that is all its ports.
    pub bundle: Option<Type>,
    /// Its naming, where that depends on a type parameter.
    pub naming: Option<Expr>,
    /// It has neither clock nor reset.
    pub is_combinational: bool,
    /// Its state is in memories, which have no reset.
    pub is_unreset: bool,
}

impl Parse for Arguments {
    fn parse(input: ParseStream) -> Result<Self> {
        let mut arguments = Arguments::default();
        while !input.is_empty() {
            let key: Ident = input.parse()?;
            match key.to_string().as_str() {
                "title" => arguments.title = Some(text(input)?),
                "paper" => arguments.paper = Some(text(input)?),
                "parameters" => arguments.parameters = list(input, Ident::parse)?,
                "arguments" => {
                    arguments.arguments = list(input, |item| {
                        let name = item.parse()?;
                        item.parse::<Token![=]>()?;
                        Ok((name, item.parse()?))
                    })?;
                }
                "sizes" => {
                    arguments.sizes = list(input, |item| {
                        let name = item.parse()?;
                        let value = item.parse::<Option<Token![=]>>()?.map(|_| item.parse()).transpose()?;
                        Ok((name, value))
                    })?;
                }
                "fixed" => {
                    arguments.fixed = list(input, |item| {
                        let name = item.parse()?;
                        item.parse::<Token![=]>()?;
                        Ok((name, item.parse()?))
                    })?;
                }
                "ports" => match &list(input, Ident::parse)?[..] {
                    [inputs, outputs] => arguments.ports = Some((inputs.clone(), outputs.clone())),
                    _ => return Err(Error::new(key.span(), "write ports(InputStruct, OutputStruct)")),
                },
                "bundle" => {
                    input.parse::<Token![=]>()?;
                    arguments.bundle = Some(input.parse()?);
                }
                "naming" => {
                    input.parse::<Token![=]>()?;
                    arguments.naming = Some(input.parse()?);
                }
                "combinational" => arguments.is_combinational = true,
                "unreset" => arguments.is_unreset = true,
                _ => {
                    let hint = "a block has title, paper, parameters(..), arguments(name = bound), \
                                sizes(..), fixed(name = value), ports(In, Out), bundle = Type, naming = expression, \
                                combinational and unreset";
                    return Err(Error::new(key.span(), hint));
                }
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(arguments)
    }
}

fn text(input: ParseStream) -> Result<LitStr> {
    input.parse::<Token![=]>()?;
    input.parse()
}

fn list<T>(input: ParseStream, item: impl Fn(ParseStream) -> Result<T>) -> Result<Vec<T>> {
    let content;
    syn::parenthesized!(content in input);
    let mut items = vec![];
    while !content.is_empty() {
        items.push(item(&content)?);
        if !content.is_empty() {
            content.parse::<Token![,]>()?;
        }
    }
    Ok(items)
}

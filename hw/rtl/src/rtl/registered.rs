// SPDX-License-Identifier: Apache-2.0
//! Outputs that are registers, `level: Out<Register<..>>`: the name stands for the register, and the output
//! shows what it holds.

use std::collections::HashSet;

use gpurf_declaration::Nature;
use quote::format_ident;
use syn::visit_mut::{visit_expr_mut, VisitMut};
use syn::{parse_quote, Block, Expr, Ident, Stmt};

use super::names::Names;

/// Writes out what such a name stands for.
pub(super) struct Registered<'a> {
    names: &'a Names,
    /// The ones that a section has driven.
    shown: HashSet<String>,
    /// The ones that this section names for the first time.
    new: Vec<Ident>,
}

impl<'a> Registered<'a> {
    pub fn of(names: &'a Names) -> Self {
        Registered { names, shown: HashSet::new(), new: vec![] }
    }

    /// Writes the names of a section out, and what their outputs show.
    pub fn section(&mut self, block: &mut Block) {
        self.visit_block_mut(block);
        for output in self.new.drain(..) {
            let register = behind(&output);
            let path: Expr = parse_quote!(#output);
            let is_array = self.names.nature(&path).is_some_and(|(_, dimensions)| dimensions > 0);
            let shown: Stmt = match is_array || self.names.is_optional(&path) {
                true => parse_quote!(for element in 0..self.#output.len() {
                    #output[element] = #register[element];
                }),
                false => parse_quote!(#output = #register;),
            };
            block.stmts.push(shown);
        }
    }
}

impl VisitMut for Registered<'_> {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Path(path) => {
                let Some(name) = path.path.get_ident().cloned() else { return };
                if !matches!(self.names.nature(&parse_quote!(#name)), Some((Nature::Registered, _))) {
                    return;
                }
                let register = behind(&name);
                *expr = parse_quote!(#register);
                if self.shown.insert(name.to_string()) {
                    self.new.push(name);
                }
            }
            // The names of ports and methods are none of ours.
            Expr::Field(field) => self.visit_expr_mut(&mut field.base),
            _ => visit_expr_mut(self, expr),
        }
    }
}

fn behind(output: &Ident) -> Ident {
    format_ident!("{output}__register", span = output.span())
}

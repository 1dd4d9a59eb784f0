// SPDX-License-Identifier: Apache-2.0
//! A declaration, read.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{format_ident, quote};
use syn::{Error, Field, Fields, ItemStruct, Result};

use crate::attribute::Arguments;
use crate::fields::{doc_text, docs, part, prefix_of, register_behind, DeclaredField, FieldKind};
use crate::known::Known;

/// The arguments in the attribute's parentheses, and the struct under it.
pub struct Declaration {
    pub arguments: Arguments,
    pub item: ItemStruct,
    /// As written; and what each is.
    pub fields: Vec<Field>,
    pub parts: Vec<DeclaredField>,
}

impl Declaration {
    pub fn read(arguments: TokenStream, item: TokenStream) -> Result<Self> {
        let arguments: Arguments = syn::parse2(of_one_place(arguments))?;
        let item: ItemStruct = syn::parse2(of_one_place(item))?;
        let Fields::Named(fields) = &item.fields else {
            return Err(Error::new_spanned(&item, "a block has named fields"));
        };
        let written: Vec<Field> = fields.named.iter().cloned().collect();
        let (mut fields, mut parts) = (vec![], vec![]);
        for field in written {
            let one = part(&field)?;
            let register = register_behind(&one, &field);
            fields.push(field);
            parts.push(one);
            if let Some(register) = register {
                parts.push(part(&register)?);
                fields.push(register);
            }
        }
        for (part, field) in parts.iter().zip(&fields) {
            if prefix_of(field).is_some() && !part.is_port_bundle() {
                let hint =
                    "`#[flat]` and `#[prefix(name)]` are for a bundle of ports: `pub load: Load<In, V, A>`";
                return Err(Error::new_spanned(&part.name, hint));
            }
            let is_port = matches!(part.kind, FieldKind::Input | FieldKind::Output) || part.is_port_bundle();
            if is_port && doc_text(field).is_empty() {
                let hint =
                    "say in a doc comment what the port is for: it stands in the Verilog and in the docs";
                return Err(Error::new_spanned(&part.name, hint));
            }
        }
        Ok(Declaration { arguments, item, fields, parts })
    }

    /// The same with the wires that the module's kernel declares.
    pub fn with_lets(mut self) -> Result<Self> {
        for each in Known::of(&self.item.ident.to_string())?.lets() {
            let field = each.field();
            self.parts.push(part(&field)?);
            self.fields.push(field);
        }
        Ok(self)
    }

    /// Each part with its field.
    pub fn members(&self) -> impl Iterator<Item = (&DeclaredField, &Field)> {
        self.parts.iter().zip(&self.fields)
    }

    /// Returns true for a bundle of wires whose direction is said where it is used.
    pub fn is_undirected(&self) -> bool {
        self.parts.iter().all(|part| part.kind == FieldKind::Child && part.bundled.is_none())
    }

    /// Names of the plain structs of its ports.
    pub fn struct_names(&self) -> (Ident, Ident) {
        let name = &self.item.ident;
        let own = || (format_ident!("{name}In"), format_ident!("{name}Out"));
        self.arguments.ports.clone().unwrap_or_else(own)
    }

    /// The struct's fields: signals where the declaration says what they carry, vectors where it has arrays.
    pub fn signals(&self) -> Vec<TokenStream> {
        let fields = self.members().map(|(part, field)| {
            let (docs, visibility, name) = (docs(field), &field.vis, &part.name);
            let element = &part.element;
            let ty = part.lengths.iter().fold(quote!(#element), |ty, _| quote!(Vec<#ty>));
            quote!(#(#docs)* #visibility #name: #ty)
        });
        fields.collect()
    }
}

/// The same names, whichever of them a `macro_rules!` brought: it would keep them from meeting each other.
fn of_one_place(tokens: TokenStream) -> TokenStream {
    let place = |span: Span| Span::call_site().located_at(span);
    tokens
        .into_iter()
        .map(|token| match token {
            TokenTree::Ident(mut name) => {
                name.set_span(place(name.span()));
                TokenTree::Ident(name)
            }
            TokenTree::Group(group) => {
                let mut same = Group::new(group.delimiter(), of_one_place(group.stream()));
                same.set_span(group.span());
                TokenTree::Group(same)
            }
            token => token,
        })
        .collect()
}

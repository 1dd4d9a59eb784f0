// SPDX-License-Identifier: Apache-2.0
//! A wire that a kernel declares, as a field of its module.

use proc_macro2::Ident;
use quote::quote;
use syn::parse::Parser;
use syn::{parse_quote, Attribute, Expr, Field, Type};

/// A wire that a kernel declares.
pub struct Let {
    pub name: Ident,
    pub carried: Type,
    /// Ends of the loops around it, the outermost first.
    pub lengths: Vec<Expr>,
    /// Parameters under which it is there.
    pub conditions: Vec<Expr>,
    pub docs: Vec<Attribute>,
}

impl Let {
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name
    }

    /// The field of the module that it is.
    pub fn field(&self) -> Field {
        let Let { name, carried, lengths, conditions, docs } = self;
        let carried = lengths.iter().rev().fold(carried.clone(), |of, length| parse_quote!([#of; #length]));
        let when = conditions.iter().cloned().reduce(|one, other| parse_quote!((#one) & (#other)));
        let when = when.map(|condition| quote!(#[when(#condition)]));
        let field = quote!(#(#docs)* #when #name: Local<#carried>);
        Field::parse_named.parse2(field).expect("a name and a type are a field")
    }
}

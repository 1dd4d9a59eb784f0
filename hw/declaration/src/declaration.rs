//! A declaration, read.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{format_ident, quote, ToTokens};
use syn::visit_mut::VisitMut;
use syn::{Error, Field, Fields, ItemStruct, Result};

use crate::attribute::Arguments;
use crate::fields::{doc_text, docs, is_public, part, Kind, Part};
use crate::ports::Port;
use crate::sizes::Most;

pub struct Declaration {
    pub arguments: Arguments,
    pub item: ItemStruct,
    /// As written; and what each is.
    pub fields: Vec<Field>,
    pub parts: Vec<Part>,
}

impl Declaration {
    pub fn read(arguments: TokenStream, item: TokenStream) -> Result<Self> {
        let arguments: Arguments = syn::parse2(of_one_place(arguments))?;
        let item: ItemStruct = syn::parse2(of_one_place(item))?;
        let Fields::Named(fields) = &item.fields else {
            return Err(Error::new_spanned(&item, "a block has named fields"));
        };
        let fields: Vec<Field> = fields.named.iter().cloned().collect();
        let parts = fields.iter().map(part).collect::<Result<Vec<_>>>()?;
        for (part, field) in parts.iter().zip(&fields) {
            if matches!(part.kind, Kind::Input | Kind::Output) && doc_text(field).is_empty() {
                let hint =
                    "say in a doc comment what the port is for: it stands in the Verilog and in the docs";
                return Err(Error::new_spanned(&part.name, hint));
            }
        }
        Ok(Declaration { arguments, item, fields, parts })
    }

    /// Each part with its field.
    pub fn members(&self) -> impl Iterator<Item = (&Part, &Field)> {
        self.parts.iter().zip(&self.fields)
    }

    /// Ports as plain data, arrays as long as they can be.
    pub fn ports(&self) -> Result<Vec<Port>> {
        let is_port =
            |part: &Part, field: &Field| matches!(part.kind, Kind::Input | Kind::Output) && is_public(field);
        let ports = self.members().filter(|(part, field)| is_port(part, field));
        let ports = ports.map(|(part, field)| {
            let carried = part.carried.as_ref().expect("a port carries a type");
            let max = part.lengths.first().map(|length| {
                let mut most = length.clone();
                Most(&self.arguments).visit_expr_mut(&mut most);
                most
            });
            let docs = docs(field).cloned().collect();
            Port::new(part.name.clone(), docs, part.kind == Kind::Input, carried, max)
        });
        ports.collect()
    }

    /// Names of the plain structs of its ports.
    pub fn struct_names(&self) -> (Ident, Ident) {
        let name = &self.item.ident;
        let own = || (format_ident!("{name}In"), format_ident!("{name}Out"));
        self.arguments.ports.clone().unwrap_or_else(own)
    }

    /// Ports as the catalogue lists them.
    pub fn listed_ports(&self) -> Vec<TokenStream> {
        let listed = self.members().filter_map(|(part, field)| {
            let is_input = match part.kind {
                Kind::Input => true,
                Kind::Output => false,
                _ => return None,
            };
            let (name, carried) = (part.name.to_string(), written(part.carried.as_ref()?));
            let length = part.lengths.first().map_or(quote!(None), |length| {
                let length = written(length);
                quote!(Some(#length))
            });
            let doc = doc_text(field);
            Some(quote!(::gpurf_hw::catalogue::Port {
                name: #name, is_input: #is_input, carried: #carried, length: #length, doc: #doc,
            }))
        });
        listed.collect()
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

/// Tokens as one writes them, `Bits<8>` and `2 * banks`.
fn written(tokens: &impl ToTokens) -> String {
    let text = tokens.to_token_stream().to_string();
    text.replace(" < ", "<").replace(" >", ">").replace(" (", "(")
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

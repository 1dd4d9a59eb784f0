// SPDX-License-Identifier: Apache-2.0
//! `#[bundle]`: ports that several modules have, or wires that travel together.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::{parse_quote, Error, Result};

use crate::bundles::Bundles;
use crate::declaration::Declaration;
use crate::fields::{doc_text, docs, maker, DeclaredField};
use crate::listed::listed_ports;
use crate::ports::{face, Clocks};
use crate::sizes::{settings, sizes};

pub fn expand(arguments: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let declaration = Declaration::read(arguments, item)?;
    if declaration.is_undirected() {
        return undirected(&declaration);
    }
    let bundles = Bundles::here()?;
    let Declaration { arguments, item, fields, parts } = &declaration;
    let sizes = sizes(arguments, parts);
    let size_names: Vec<&Ident> = sizes.iter().map(|(name, _)| name).collect();
    let size_values = sizes.iter().map(|(_, value)| value);
    let settings = settings(fields, &size_names)?;
    let makers = declaration.members().map(|(part, field)| maker(part, field, &item.generics));
    let makers = makers.collect::<Result<Vec<_>>>()?;

    let (name, attributes, visibility, generics) = (&item.ident, &item.attrs, &item.vis, &item.generics);
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
    let signals = declaration.signals();
    let names: Vec<&Ident> = parts.iter().map(|part| &part.name).collect();
    let texts: Vec<String> = parts.iter().map(DeclaredField::visited).collect();
    let listed = listed_ports(&declaration, &bundles)?;
    let face = face(&declaration, &bundles, Clocks::default())?;

    Ok(quote! {
        #(#attributes)*
        #visibility struct #name #generics #where_clause {
            #(#signals,)*
        }

        impl #impl_generics #name #ty_generics #where_clause {
            /// The ports as the catalogue lists them.
            pub const PORTS: &'static [::gpurf_hw::catalogue::Port] = &[#(#listed),*];

            /// The ports of a module of these parameters.
            pub fn new(parameters: &::gpurf_blocks::Parameters) -> Self {
                #(let #settings = parameters.#settings;)*
                #(let #size_names = #size_values;)*
                #name { #(#names: #makers,)* }
            }
        }

        impl #impl_generics ::rust_hdl::prelude::Logic for #name #ty_generics #where_clause {
            fn update(&mut self) {}
        }

        impl #impl_generics ::gpurf_hw::dialect::Driven for #name #ty_generics #where_clause {
            fn is_driven_anew(&self) -> bool {
                #(::gpurf_hw::dialect::Driven::is_driven_anew(&self.#names))||*
            }
        }

        // Whoever walks through a module meets them as ports of the module's own.
        impl #impl_generics ::rust_hdl::prelude::Block for #name #ty_generics #where_clause {
            fn connect_all(&mut self) {}

            fn update_all(&mut self) {
                #(self.#names.update_all();)*
            }

            fn has_changed(&self) -> bool {
                #(self.#names.has_changed())||*
            }

            fn accept(&self, _name: &str, probe: &mut dyn ::rust_hdl::prelude::Probe) {
                #(self.#names.accept(#texts, probe);)*
            }
        }

        #face
    })
}

/// Wires without a direction: a struct that is generic in what they are where it is used.
fn undirected(declaration: &Declaration) -> Result<TokenStream> {
    let Declaration { arguments, item, parts, .. } = declaration;
    let sizes = sizes(arguments, parts);
    let size_names: Vec<&Ident> = sizes.iter().map(|(name, _)| name).collect();
    let size_values = sizes.iter().map(|(_, value)| value);
    let role = format_ident!("Made");
    let mut generics = item.generics.clone();
    generics.params.insert(0, parse_quote!(#role: ::gpurf_hw::dialect::Role));
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();

    let (name, attributes, visibility) = (&item.ident, &item.attrs, &item.vis);
    let names: Vec<&Ident> = parts.iter().map(|part| &part.name).collect();
    let texts: Vec<String> = names.iter().map(|name| name.to_string()).collect();
    let (mut fields, mut types, mut makers) = (vec![], vec![], vec![]);
    for (part, field) in declaration.members() {
        if part.name == "enable" || part.lengths.len() > 1 || doc_text(field).is_empty() {
            let hint = "a wire of a bundle has a doc comment, at most one length, and is not called `enable`";
            return Err(Error::new_spanned(&part.name, hint));
        }
        let (docs, wire, carried) = (docs(field), &part.name, &part.element);
        let one = quote!(#role::Of<#carried>);
        let (ty, maker) = match part.lengths.first() {
            Some(length) => (quote!(Vec<#one>), quote!((0..#length).map(|_| Default::default()).collect())),
            None => (one, quote!(Default::default())),
        };
        fields.push(quote!(#(#docs)* pub #wire: #ty));
        types.push(ty);
        makers.push(maker);
    }

    Ok(quote! {
        #(#attributes)*
        #visibility struct #name #generics #where_clause {
            #(#fields,)*
            /// When its registers are loaded.
            pub enable: #role::Enable,
        }

        impl #impl_generics #name #ty_generics #where_clause {
            /// The wires in a module of these parameters.
            #[allow(unused_variables)]
            pub fn new(parameters: &::gpurf_blocks::Parameters) -> Self {
                #(let #size_names = #size_values;)*
                #name { #(#names: #makers,)* enable: Default::default() }
            }
        }

        impl #impl_generics ::rust_hdl::prelude::Logic for #name #ty_generics #where_clause {
            fn update(&mut self) {}
        }

        impl #impl_generics ::rust_hdl::prelude::Block for #name #ty_generics #where_clause {
            fn connect_all(&mut self) {}

            fn update_all(&mut self) {
                #(::gpurf_hw::dialect::Enabled::enable(&mut self.#names, &self.enable);)*
                #(self.#names.update_all();)*
            }

            fn has_changed(&self) -> bool {
                #(self.#names.has_changed())||*
            }

            fn accept(&self, name: &str, probe: &mut dyn ::rust_hdl::prelude::Probe) {
                probe.visit_start_namespace(name, self);
                #(self.#names.accept(#texts, probe);)*
                probe.visit_end_namespace(name, self);
            }
        }

        impl #impl_generics ::gpurf_hw::dialect::Driven for #name #ty_generics #where_clause {
            fn is_driven_anew(&self) -> bool {
                #(::gpurf_hw::dialect::Driven::is_driven_anew(&self.#names))||*
            }
        }

        impl #impl_generics ::gpurf_hw::dialect::Clocking for #name #ty_generics #where_clause {
            fn set_clock(&mut self, level: bool) {
                #(::gpurf_hw::dialect::Clocking::set_clock(&mut self.#names, level);)*
            }

            fn drive_reset(&mut self, reset: bool) {
                #(::gpurf_hw::dialect::Clocking::drive_reset(&mut self.#names, reset);)*
            }

            fn shows_anew(&self) -> bool {
                #(::gpurf_hw::dialect::Clocking::shows_anew(&self.#names))||*
            }
        }

        impl #impl_generics ::gpurf_hw::dialect::Wires for #name #ty_generics #where_clause {
            type Value = (#(<#types as ::gpurf_hw::dialect::Wires>::Value,)*);

            fn value(&self) -> Self::Value {
                (#(::gpurf_hw::dialect::Wires::value(&self.#names),)*)
            }

            fn zero(&self) -> Self::Value {
                (#(::gpurf_hw::dialect::Wires::zero(&self.#names),)*)
            }

            fn drive(&mut self, value: Self::Value) {
                let (#(#names,)*) = value;
                #(::gpurf_hw::dialect::Wires::drive(&mut self.#names, #names);)*
            }
        }

        impl #impl_generics ::gpurf_hw::dialect::Merged for #name #ty_generics #where_clause {
            fn either(&self, other: Self::Value) -> Self::Value {
                let (#(#names,)*) = other;
                (#(::gpurf_hw::dialect::Merged::either(&self.#names, #names),)*)
            }
        }
    })
}

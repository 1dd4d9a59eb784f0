//! `#[bundle]`: ports that several modules have.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::Result;

use crate::declaration::Declaration;
use crate::fields::maker;
use crate::ports::face;
use crate::sizes::{settings, sizes};

pub fn expand(arguments: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let declaration = Declaration::read(arguments, item)?;
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
    let texts: Vec<String> = names.iter().map(|name| name.to_string()).collect();
    let listed = declaration.listed_ports();
    let face = face(&declaration, [false, false])?;

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

        // Whoever walks through a module meets them as ports of the module's own.
        impl #impl_generics ::rust_hdl::prelude::Block for #name #ty_generics #where_clause {
            fn connect_all(&mut self) {
                #(self.#names.connect_all();)*
            }

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

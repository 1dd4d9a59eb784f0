// SPDX-License-Identifier: Apache-2.0
//! The ports of a module as the catalogue lists them.

use proc_macro2::TokenStream;
use quote::{quote, ToTokens};
use syn::Result;

use crate::bundles::Bundles;
use crate::declaration::Declaration;
use crate::fields::text_of;
use crate::wires::{port_wires, PortWire};

/// Each as the tokens of a `gpurf_hw::catalogue::Port`.
pub fn listed_ports(declaration: &Declaration, bundles: &Bundles) -> Result<Vec<TokenStream>> {
    let listed = port_wires(declaration, bundles)?.into_iter().map(|port| {
        let PortWire { name, bundle, docs, when, is_input, carried, length, .. } = port;
        let when = when.unwrap_or_default();
        let (name, carried, doc) = (name.to_string(), written(&carried), text_of(docs.iter()));
        let bundle = text_of(bundle.iter());
        let length = length.map_or(quote!(None), |length| {
            let length = written(&length);
            quote!(Some(#length))
        });
        quote!(::gpurf_hw::catalogue::Port {
            name: #name, is_input: #is_input, carried: #carried, length: #length, bundle: #bundle, when: #when, doc: #doc,
        })
    });
    Ok(listed.collect())
}

/// Tokens as one writes them, `Bits<8>` and `2 * banks`.
fn written(tokens: &impl ToTokens) -> String {
    let text = tokens.to_token_stream().to_string();
    text.replace(" < ", "<").replace(" >", ">").replace(" (", "(")
}

// SPDX-License-Identifier: Apache-2.0
//! `#[derive(Module)]`: the plain structs of a module's ports, and how they drive its signals.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Data, DeriveInput, Error, Expr, Fields, Result, Visibility};

use crate::ports::{arguments, driven, last_segment, plain_structs, Clocks, DeclaredPort};
use crate::wires::{PortWire, SignalPlace};

pub fn expand(item: DeriveInput) -> Result<TokenStream> {
    let (ports, name) = (ports(&item)?, &item.ident);
    let names = (format_ident!("{name}In"), format_ident!("{name}Out"));
    let structs = plain_structs(name, &names, &ports);
    // From there on the kernels drive it.
    let set_clock = has_field(&item, "clock").then(|| quote!(self.clock.next = level.into()));
    let clocks = Clocks { set_clock, has_reset: has_field(&item, "reset") };
    let driven = driven(name, &item.generics, &ports, (&TokenStream::new(), &names), clocks);
    Ok(quote!(#structs #driven))
}

fn has_field(item: &DeriveInput, name: &str) -> bool {
    let Data::Struct(data) = &item.data else { return false };
    data.fields.iter().any(|field| field.ident.as_ref().is_some_and(|ident| ident == name))
}

fn ports(item: &DeriveInput) -> Result<Vec<DeclaredPort>> {
    let Data::Struct(data) = &item.data else {
        return Err(Error::new_spanned(item, "a hardware module is a struct"));
    };
    let Fields::Named(fields) = &data.fields else {
        return Err(Error::new_spanned(item, "a hardware module has named fields"));
    };
    let mut ports = vec![];
    for field in &fields.named {
        let name = field.ident.clone().expect("named field");
        let is_public = matches!(field.vis, Visibility::Public(_));
        if !is_public || name == "clock" || name == "reset" {
            continue;
        }
        let (signal, is_array) = match arguments(&field.ty, "Vec").as_deref() {
            Some([element]) => (element.clone(), true),
            _ => (field.ty.clone(), false),
        };
        let Some(signal) = arguments(&signal, "Signal") else {
            continue;
        };
        let [direction, value] = &signal[..] else {
            return Err(Error::new_spanned(&field.ty, "a port is Signal<In or Out, type>"));
        };
        let input = match last_segment(direction).as_deref() {
            Some("In") => true,
            Some("Out") => false,
            _ => return Err(Error::new_spanned(direction, "a public signal is In or Out")),
        };
        let max = field.attrs.iter().find(|attribute| attribute.path().is_ident("port"));
        let max = match max {
            Some(attribute) => {
                let mut max = None;
                attribute.parse_nested_meta(|meta| {
                    if !meta.path.is_ident("max") {
                        return Err(meta.error("write #[port(max = N)]"));
                    }
                    max = Some(meta.value()?.parse::<Expr>()?);
                    Ok(())
                })?;
                max
            }
            None => None,
        };
        if is_array != max.is_some() {
            let hint = "a Vec of signals needs #[port(max = N)], a single signal has none";
            return Err(Error::new_spanned(&field.ty, hint));
        }
        let docs = field.attrs.iter().filter(|attribute| attribute.path().is_ident("doc"));
        ports.push(DeclaredPort::new(PortWire {
            bundle: vec![],
            when: None,
            name: name.clone(),
            docs: docs.cloned().collect(),
            is_input: input,
            carried: value.clone(),
            length: max.clone(),
            most: max,
            place: SignalPlace { field: name, is_array, wire: None },
        })?);
    }
    Ok(ports)
}

// SPDX-License-Identifier: Apache-2.0
//! The ports of a declaration one by one, those of its bundles among them.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, ToTokens};
use syn::visit_mut::{visit_type_mut, VisitMut};
use syn::{parse_quote, Attribute, Expr, GenericArgument, GenericParam, Generics, Result, Type};

use crate::attribute::Arguments;
use crate::bundles::Bundles;
use crate::declaration::Declaration;
use crate::fields::{docs, is_public, BundleRole, Bundled, DeclaredField, FieldKind, When};
use crate::sizes::Most;

/// One port, as plain data and in Verilog.
pub struct PortWire {
    pub name: Ident,
    /// Comments of the bundle that begins with it.
    pub bundle: Vec<Attribute>,
    pub docs: Vec<Attribute>,
    /// The condition under which the module has it.
    pub when: Option<String>,
    pub is_input: bool,
    pub carried: Type,
    /// As written, of the plain array around all its signals.
    pub length: Option<Expr>,
    /// The largest that it can be.
    pub most: Option<Expr>,
    pub place: SignalPlace,
}

/// Where a port's signals are in the module: a field, or a field of a bundle.
#[derive(Clone)]
pub struct SignalPlace {
    pub field: Ident,
    pub is_array: bool,
    pub wire: Option<(Ident, bool)>,
}

impl SignalPlace {
    /// Runs the statement for each signal of the port, called `signal`.
    pub fn each(&self, is_written: bool, statement: TokenStream) -> TokenStream {
        let SignalPlace { field, is_array, wire } = self;
        let iterate = if is_written { format_ident!("iter_mut") } else { format_ident!("iter") };
        let borrow = if is_written { quote!(&mut) } else { quote!(&) };
        let inner = match wire {
            None => {
                return match is_array {
                    true => quote!(for signal in self.#field.#iterate() { #statement }),
                    false => quote!({ let signal = #borrow self.#field; #statement }),
                }
            }
            Some((wire, true)) => quote!(for signal in bundle.#wire.#iterate() { #statement }),
            Some((wire, false)) => quote!({ let signal = #borrow bundle.#wire; #statement }),
        };
        match is_array {
            true => quote!(for bundle in self.#field.#iterate() { #inner }),
            false => quote!({ let bundle = #borrow self.#field; #inner }),
        }
    }

    /// How many signals the port has, if it is an array.
    pub fn count(&self) -> TokenStream {
        let SignalPlace { field, is_array, wire } = self;
        match (is_array, wire) {
            (false, None | Some((_, false))) => quote!(None),
            (true, None | Some((_, false))) => quote!(Some(self.#field.len())),
            (false, Some((wire, true))) => quote!(Some(self.#field.#wire.len())),
            (true, Some((wire, true))) => {
                quote!(Some(self.#field.iter().map(|bundle| bundle.#wire.len()).sum()))
            }
        }
    }
}

/// The ports of a module or bundle, in the order in which they are declared.
pub fn port_wires(declaration: &Declaration, bundles: &Bundles) -> Result<Vec<PortWire>> {
    let mut wires = vec![];
    for (part, field) in declaration.members().filter(|(_, field)| is_public(field)) {
        let docs: Vec<Attribute> = docs(field).cloned().collect();
        let when = part.when.as_ref().map(|When { condition, .. }| condition.to_token_stream().to_string());
        let outer = Lengths::of(part, &declaration.arguments);
        match (&part.bundled, part.kind) {
            (Some(bundled), _) if bundled.role != BundleRole::Inner => {
                wires.extend(of_bundle(part, bundled, docs, &outer, bundles)?);
            }
            (_, FieldKind::Input | FieldKind::Output) => wires.push(PortWire {
                name: part.name.clone(),
                bundle: vec![],
                docs,
                when,
                is_input: part.kind == FieldKind::Input,
                carried: part.carried.clone().expect("a port carries a type"),
                length: outer.written,
                most: outer.most,
                place: SignalPlace {
                    field: part.name.clone(),
                    is_array: !part.lengths.is_empty(),
                    wire: None,
                },
            }),
            _ => {}
        }
    }
    Ok(wires)
}

fn of_bundle(
    part: &DeclaredField,
    bundled: &Bundled,
    mut docs_before: Vec<Attribute>,
    outer: &Lengths,
    bundles: &Bundles,
) -> Result<Vec<PortWire>> {
    let declaration = bundles.find(bundled)?;
    let mut given = Given::new(&declaration.item.generics, bundled);
    let mut wires = vec![];
    for (wire, field) in declaration.members() {
        let inner = Lengths::of(wire, &declaration.arguments);
        let name = match &bundled.prefix {
            Some(prefix) => format_ident!("{prefix}_{}", wire.name),
            None => wire.name.clone(),
        };
        let mut carried = wire.element.clone();
        given.visit_type_mut(&mut carried);
        wires.push(PortWire {
            name,
            bundle: std::mem::take(&mut docs_before),
            docs: docs(field).cloned().collect(),
            when: wire.when.as_ref().map(|When { condition, .. }| condition.to_token_stream().to_string()),
            is_input: bundled.role == BundleRole::Input,
            carried,
            length: product(&outer.written, &inner.written),
            most: product(&outer.most, &inner.most),
            place: SignalPlace {
                field: part.name.clone(),
                is_array: !part.lengths.is_empty(),
                wire: Some((wire.name.clone(), !wire.lengths.is_empty())),
            },
        });
    }
    Ok(wires)
}

struct Lengths {
    written: Option<Expr>,
    most: Option<Expr>,
}

impl Lengths {
    fn of(part: &DeclaredField, arguments: &Arguments) -> Self {
        let first = part.lengths.first().cloned();
        let written = part.when.as_ref().map_or(first.clone(), |when| when.length.clone());
        let most = first.map(|mut most| {
            Most(arguments).visit_expr_mut(&mut most);
            most
        });
        Lengths { written, most }
    }
}

fn product(outer: &Option<Expr>, inner: &Option<Expr>) -> Option<Expr> {
    match (outer, inner) {
        (Some(outer), Some(inner)) => Some(parse_quote!(#outer * #inner)),
        (length, None) | (None, length) => length.clone(),
    }
}

/// Arguments for the generics of a bundle where it is used.
struct Given(Vec<(Ident, GenericArgument)>);

impl Given {
    fn new(generics: &Generics, bundled: &Bundled) -> Self {
        let names = generics.params.iter().map(|parameter| match parameter {
            GenericParam::Type(parameter) => parameter.ident.clone(),
            GenericParam::Const(parameter) => parameter.ident.clone(),
            GenericParam::Lifetime(parameter) => parameter.lifetime.ident.clone(),
        });
        Given(names.zip(bundled.arguments.iter().cloned()).collect())
    }
}

impl VisitMut for Given {
    fn visit_generic_argument_mut(&mut self, argument: &mut GenericArgument) {
        if let GenericArgument::Type(Type::Path(path)) = argument {
            if let Some((_, given)) = self.0.iter().find(|(name, _)| path.path.is_ident(name)) {
                *argument = given.clone();
            }
        }
    }

    fn visit_type_mut(&mut self, ty: &mut Type) {
        visit_type_mut(self, ty);
    }
}

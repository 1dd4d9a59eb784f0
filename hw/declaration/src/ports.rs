// SPDX-License-Identifier: Apache-2.0
//! Ports as plain data: the structs of a module's inputs and outputs, and how they drive its signals.

use std::collections::BTreeMap;

use proc_macro2::{Ident, TokenStream};
use quote::{quote, ToTokens};
use syn::{
    Attribute, Error, Expr, File, GenericArgument, GenericParam, Generics, Item, PathArguments, Result, Type,
};

use crate::bundles::{taken, Bundles};
use crate::declaration::Declaration;
use crate::wires::{port_wires, PortWire, SignalPlace};

/// One port, as its field declares it.
pub struct DeclaredPort {
    name: Ident,
    docs: Vec<Attribute>,
    input: bool,
    kind: FieldKind,
    /// Length of the plain array, for a `Vec` of signals.
    max: Option<Expr>,
    place: SignalPlace,
}

#[derive(Debug)]
enum FieldKind {
    Bit,
    Bits,
    Data,
}

impl DeclaredPort {
    pub fn new(wire: PortWire) -> Result<Self> {
        let PortWire { name, bundle, docs, is_input, carried, most, place, .. } = wire;
        let kind = match (last_segment(&carried).as_deref(), arguments(&carried, "Bits")) {
            (Some("Bit"), _) => FieldKind::Bit,
            (_, Some(width)) if width.first().and_then(last_segment).as_deref() == Some("W") => {
                FieldKind::Data
            }
            (Some("Bits"), _) => FieldKind::Bits,
            _ => return Err(Error::new_spanned(carried, "a port carries Bit or Bits<N>")),
        };
        let docs = bundle.into_iter().chain(docs).collect();
        Ok(DeclaredPort { name, docs, input: is_input, kind, max: most, place })
    }

    /// All but its doc, to compare two modules that have the same ports.
    fn shape(&self) -> String {
        let DeclaredPort { name, input, kind, max, .. } = self;
        format!("{name} {input} {kind:?} {}", max.to_token_stream())
    }
}

/// Ports as plain data, arrays as long as they can be.
fn ports_of(declaration: &Declaration, bundles: &Bundles) -> Result<Vec<DeclaredPort>> {
    port_wires(declaration, bundles)?.into_iter().map(DeclaredPort::new).collect()
}

/// The plain structs of all modules and bundles that files of Rust declare, each name once.
pub fn structs_of(files: &[File]) -> Result<TokenStream> {
    let bundles = Bundles::of(files);
    let mut structs: BTreeMap<String, (String, Vec<DeclaredPort>)> = BTreeMap::new();
    let mut text = TokenStream::new();
    for item in files.iter().flat_map(|file| &file.items) {
        let Item::Struct(item) = item else { continue };
        let found = ["block", "bundle"].iter().find_map(|name| taken(item.clone(), name));
        let Some((arguments, bare)) = found else { continue };
        let declaration = Declaration::read(arguments, bare)?;
        // Its ports are the bundle's.
        if declaration.arguments.bundle.is_some() || declaration.is_undirected() {
            continue;
        }
        let (inputs, outputs): (Vec<DeclaredPort>, Vec<DeclaredPort>) =
            ports_of(&declaration, &bundles)?.into_iter().partition(|port| port.input);
        let (in_name, out_name) = declaration.struct_names();
        for (side, name, ports) in [("Inputs", in_name, inputs), ("Outputs", out_name, outputs)] {
            let module = item.ident.to_string();
            match structs.get(&name.to_string()) {
                Some((_, same))
                    if same.iter().map(DeclaredPort::shape).eq(ports.iter().map(DeclaredPort::shape)) => {}
                Some((other, _)) => {
                    let hint = format!("`{name}` has other ports in `{other}` than in `{module}`");
                    return Err(Error::new_spanned(&item.ident, hint));
                }
                None => {
                    text.extend(plain_struct(side, &item.ident, &name, &ports.iter().collect::<Vec<_>>()));
                    structs.insert(name.to_string(), (module, ports));
                }
            }
        }
    }
    Ok(text)
}

/// How clock and reset come to a module, which has them or not.
#[derive(Default)]
pub struct Clocks {
    /// Code that brings `level` to its clock.
    pub set_clock: Option<TokenStream>,
    pub has_reset: bool,
}

/// How plain ports drive the signals of a module; in the hardware's own package the structs stand in
/// `gpurf-blocks`, elsewhere they are written beside the module.
pub fn face(declaration: &Declaration, bundles: &Bundles, clocks: Clocks) -> Result<TokenStream> {
    let item = &declaration.item;
    let is_hardware = std::env::var("CARGO_PKG_NAME").is_ok_and(|name| name == "gpurf-hw");
    let names @ (in_name, out_name) = &declaration.struct_names();
    let (place, structs) = match (is_hardware, &declaration.arguments.ports) {
        (true, None) => (quote!(), quote!(pub use ::gpurf_blocks::ports::{#in_name, #out_name};)),
        (true, Some(_)) => (quote!(::gpurf_blocks::ports::), quote!()),
        (false, _) => (quote!(), quote!()),
    };
    if let Some(bundle) = &declaration.arguments.bundle {
        return Ok(lent_face(item.ident.clone(), &item.generics, bundle, clocks));
    }
    let ports = ports_of(declaration, bundles)?;
    let written = (!is_hardware).then(|| plain_structs(&item.ident, names, &ports));
    let driven = driven(&item.ident, &item.generics, &ports, (&place, names), clocks);
    Ok(quote!(#structs #written #driven))
}

/// The plain structs of a module's ports.
pub fn plain_structs(
    module: &Ident,
    (in_name, out_name): &(Ident, Ident),
    ports: &[DeclaredPort],
) -> TokenStream {
    let (inputs, outputs): (Vec<&DeclaredPort>, Vec<&DeclaredPort>) =
        ports.iter().partition(|port| port.input);
    let inputs = plain_struct("Inputs", module, in_name, &inputs);
    let outputs = plain_struct("Outputs", module, out_name, &outputs);
    quote!(#inputs #outputs)
}

/// Ports that are all a bundle's.
fn lent_face(name: Ident, generics: &Generics, bundle: &Type, clocks: Clocks) -> TokenStream {
    let (impl_generics, ty_generics, _) = generics.split_for_impl();
    let bound =
        is_wide(generics).then(|| quote!(where ::rust_hdl::prelude::Bits<W>: ::gpurf_hw::dialect::Word));
    let set_clocks = set_clocks(clocks);
    quote! {
        impl #impl_generics ::gpurf_hw::dialect::Module for #name #ty_generics #bound {
            type In = <#bundle as ::gpurf_hw::dialect::Module>::In;
            type Out = <#bundle as ::gpurf_hw::dialect::Module>::Out;

            fn drive(&mut self, inputs: &Self::In) {
                self.ports.drive(inputs);
            }

            fn sample(&self, outputs: &mut Self::Out) {
                self.ports.sample(outputs);
            }

            #set_clocks

            fn input_counts(&self) -> Vec<Option<usize>> {
                self.ports.input_counts()
            }

            fn output_counts(&self) -> Vec<Option<usize>> {
                self.ports.output_counts()
            }
        }
    }
}

fn set_clocks(Clocks { set_clock, has_reset }: Clocks) -> TokenStream {
    let clock = set_clock.map(|set_clock| {
        quote!(
            fn set_clock(&mut self, level: bool) {
                #set_clock;
            }
        )
    });
    let reset = has_reset.then(|| {
        quote!(
            fn set_reset(&mut self, level: bool) {
                self.reset.next = level;
            }
        )
    });
    quote!(#clock #reset)
}

/// How plain ports drive the signals of a module and are sampled from them.
pub fn driven(
    name: &Ident,
    generics: &Generics,
    ports: &[DeclaredPort],
    (place, (in_name, out_name)): (&TokenStream, &(Ident, Ident)),
    clocks: Clocks,
) -> TokenStream {
    let (inputs, outputs): (Vec<&DeclaredPort>, Vec<&DeclaredPort>) =
        ports.iter().partition(|port| port.input);
    let (impl_generics, ty_generics, _) = generics.split_for_impl();
    let bound =
        is_wide(generics).then(|| quote!(where ::rust_hdl::prelude::Bits<W>: ::gpurf_hw::dialect::Word));
    let data = quote!(<<::rust_hdl::prelude::Bits<W> as ::gpurf_hw::dialect::Word>::Data>);
    let side_type = |struct_name: &Ident, ports: &[&DeclaredPort]| match has_data(ports) {
        true => quote!(#place #struct_name #data),
        false => quote!(#place #struct_name),
    };
    let (in_type, out_type) = (side_type(in_name, &inputs), side_type(out_name, &outputs));
    let drives = inputs.iter().map(|port| transfer(port, true));
    let samples = outputs.iter().map(|port| transfer(port, false));
    let set_clocks = set_clocks(clocks);
    let in_counts = inputs.iter().map(|port| count(port));
    let out_counts = outputs.iter().map(|port| count(port));

    quote! {
        impl #impl_generics ::gpurf_hw::dialect::Module for #name #ty_generics #bound {
            type In = #in_type;
            type Out = #out_type;

            fn drive(&mut self, inputs: &Self::In) {
                #(#drives)*
            }

            fn sample(&self, outputs: &mut Self::Out) {
                #(#samples)*
            }

            #set_clocks

            fn input_counts(&self) -> Vec<Option<usize>> {
                vec![#(#in_counts),*]
            }

            fn output_counts(&self) -> Vec<Option<usize>> {
                vec![#(#out_counts),*]
            }
        }
    }
}

fn is_wide(generics: &Generics) -> bool {
    generics.params.iter().any(is_width)
}

/// Const parameter `W` is, by convention, the data width.
fn is_width(param: &GenericParam) -> bool {
    matches!(param, GenericParam::Const(param) if param.ident == "W")
}

fn has_data(ports: &[&DeclaredPort]) -> bool {
    ports.iter().any(|port| matches!(port.kind, FieldKind::Data))
}

fn plain_struct(side: &str, module: &Ident, name: &Ident, ports: &[&DeclaredPort]) -> TokenStream {
    let generics = has_data(ports).then(|| quote!(<D: ::gpurf_blocks::Data>));
    let arguments = has_data(ports).then(|| quote!(<D>));
    let fields = ports.iter().map(|port| {
        let (name, docs) = (&port.name, &port.docs);
        let plain = match port.kind {
            FieldKind::Bit => quote!(bool),
            FieldKind::Bits => quote!(u32),
            FieldKind::Data => quote!(D),
        };
        match &port.max {
            Some(max) => quote!(#(#docs)* pub #name: [#plain; #max]),
            None => quote!(#(#docs)* pub #name: #plain),
        }
    });
    // By hand, since the library derives it for arrays of up to 32 elements only.
    let defaults = ports.iter().map(|port| {
        let name = &port.name;
        match &port.max {
            Some(max) => quote!(#name: [Default::default(); #max]),
            None => quote!(#name: Default::default()),
        }
    });
    let visits = ports.iter().map(|port| {
        let (field, text) = (&port.name, port.name.to_string());
        match &port.max {
            Some(_) => quote!(visitor.array(#text, &mut self.#field);),
            None => quote!(visitor.port(#text, &mut self.#field);),
        }
    });
    let doc = format!("{side} of `{module}` in one clock cycle.");
    quote! {
        #[doc = #doc]
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct #name #generics { #(#fields),* }

        impl #generics Default for #name #arguments {
            fn default() -> Self {
                #name { #(#defaults),* }
            }
        }

        impl #generics ::gpurf_blocks::Ports for #name #arguments {
            fn visit(&mut self, visitor: &mut impl ::gpurf_blocks::PortVisitor) {
                #(#visits)*
            }
        }
    }
}

/// Plain field → signal (`drive`) or signal → plain field.
fn transfer(port: &DeclaredPort, drive: bool) -> TokenStream {
    let name = &port.name;
    let (index, step) = match &port.max {
        Some(_) => (Some(quote!([index])), Some(quote!(index += 1;))),
        None => (None, None),
    };
    let statement = match (drive, &port.kind) {
        (true, FieldKind::Bit) => quote!(signal.next = inputs.#name #index;),
        (true, FieldKind::Bits) => quote!(signal.next = (inputs.#name #index as u64).into();),
        (true, FieldKind::Data) => {
            quote!(signal.next = ::gpurf_hw::dialect::Word::from_data(&inputs.#name #index);)
        }
        (false, FieldKind::Bit) => quote!(outputs.#name #index = signal.val();),
        (false, FieldKind::Bits) => {
            quote!(outputs.#name #index = ::rust_hdl::prelude::Bits::index(&signal.val()) as u32;)
        }
        (false, FieldKind::Data) => {
            quote!(outputs.#name #index = ::gpurf_hw::dialect::Word::to_data(&signal.val());)
        }
    };
    let start = step.as_ref().map(|_| quote!(let mut index = 0;));
    let each = port.place.each(drive, quote!(#statement #step));
    // The last step of an index is not read.
    quote!(#[allow(unused_assignments)] { #start #each })
}

fn count(port: &DeclaredPort) -> TokenStream {
    port.place.count()
}

/// Type arguments of `name<..>`; a const argument that is a bare path counts as a type.
pub fn arguments(ty: &Type, name: &str) -> Option<Vec<Type>> {
    let Type::Path(path) = ty else { return None };
    let segment = path.path.segments.last().filter(|segment| segment.ident == name)?;
    let PathArguments::AngleBracketed(arguments) = &segment.arguments else {
        return None;
    };
    let types = arguments.args.iter().filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty.clone()),
        _ => None,
    });
    Some(types.collect())
}

pub fn last_segment(ty: &Type) -> Option<String> {
    match ty {
        Type::Path(path) => path.path.segments.last().map(|segment| segment.ident.to_string()),
        _ => None,
    }
}

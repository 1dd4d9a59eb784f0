//! `#[derive(Module)]`: the plain structs of a module's ports, and how they drive its signals.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::{
    Attribute, Data, DeriveInput, Error, Expr, Fields, GenericArgument, GenericParam, Generics,
    PathArguments, Result, Type, Visibility,
};

/// One port, as its field declares it.
pub struct Port {
    name: Ident,
    docs: Vec<Attribute>,
    input: bool,
    kind: Kind,
    /// Length of the plain array, for a `Vec` of signals.
    max: Option<Expr>,
}

enum Kind {
    Bit,
    Bits,
    Data,
}

impl Port {
    /// A port that carries this type, in an array of at most `max` if there is one.
    pub fn new(
        name: Ident,
        docs: Vec<Attribute>,
        input: bool,
        carried: &Type,
        max: Option<Expr>,
    ) -> Result<Self> {
        let kind = match (last_segment(carried).as_deref(), arguments(carried, "Bits")) {
            (Some("Bit"), _) => Kind::Bit,
            (_, Some(width)) if width.first().and_then(last_segment).as_deref() == Some("W") => Kind::Data,
            (Some("Bits"), _) => Kind::Bits,
            _ => return Err(Error::new_spanned(carried, "a port carries Bit or Bits<N>")),
        };
        Ok(Port { name, docs, input, kind, max })
    }
}

pub fn derive(item: DeriveInput) -> Result<TokenStream> {
    let (ports, shared) = (ports(&item)?, shared_structs(&item)?);
    Ok(face(
        &item.ident,
        &item.generics,
        &ports,
        &shared,
        [has_field(&item, "clock"), has_field(&item, "reset")],
    ))
}

/// The plain structs of a module's ports, if it does not share another's, and how they drive its signals.
pub fn face(
    name: &Ident,
    generics: &Generics,
    ports: &[Port],
    shared: &Option<(Ident, Ident)>,
    [has_clock, has_reset]: [bool; 2],
) -> TokenStream {
    let (inputs, outputs): (Vec<&Port>, Vec<&Port>) = ports.iter().partition(|port| port.input);
    let (in_name, out_name) = match shared {
        Some((in_name, out_name)) => (in_name.clone(), out_name.clone()),
        None => (format_ident!("{name}In"), format_ident!("{name}Out")),
    };
    let structs = if shared.is_some() {
        TokenStream::new()
    } else {
        let sides = [("Inputs", &in_name, &inputs), ("Outputs", &out_name, &outputs)];
        sides.iter().map(|(side, struct_name, ports)| plain_struct(side, name, struct_name, ports)).collect()
    };

    let (impl_generics, ty_generics, _) = generics.split_for_impl();
    let wide = generics.params.iter().any(|param| is_width(param));
    let bound = wide.then(|| quote!(where ::rust_hdl::prelude::Bits<W>: ::gpurf_hw::dialect::Word));
    let data = quote!(<<::rust_hdl::prelude::Bits<W> as ::gpurf_hw::dialect::Word>::Data>);
    let side_type = |struct_name: &Ident, ports: &[&Port]| match has_data(ports) {
        true => quote!(#struct_name #data),
        false => quote!(#struct_name),
    };
    let (in_type, out_type) = (side_type(&in_name, &inputs), side_type(&out_name, &outputs));
    let drives = inputs.iter().map(|port| transfer(port, true));
    let samples = outputs.iter().map(|port| transfer(port, false));
    let clock = has_clock.then(|| {
        quote!(
            fn set_clock(&mut self, level: bool) {
                self.clock.next = level.into();
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
    let in_counts = inputs.iter().map(|port| count(port));
    let out_counts = outputs.iter().map(|port| count(port));

    quote! {
        #structs

        impl #impl_generics ::gpurf_hw::dialect::Module for #name #ty_generics #bound {
            type In = #in_type;
            type Out = #out_type;

            fn drive(&mut self, inputs: &Self::In) {
                #(#drives)*
            }

            fn sample(&self, outputs: &mut Self::Out) {
                #(#samples)*
            }

            #clock
            #reset

            fn input_counts(&self) -> Vec<Option<usize>> {
                vec![#(#in_counts),*]
            }

            fn output_counts(&self) -> Vec<Option<usize>> {
                vec![#(#out_counts),*]
            }
        }
    }
}

fn has_field(item: &DeriveInput, name: &str) -> bool {
    let Data::Struct(data) = &item.data else { return false };
    data.fields.iter().any(|field| field.ident.as_ref().is_some_and(|ident| ident == name))
}

/// Const parameter `W` is, by convention, the data width.
fn is_width(param: &GenericParam) -> bool {
    matches!(param, GenericParam::Const(param) if param.ident == "W")
}

fn has_data(ports: &[&Port]) -> bool {
    ports.iter().any(|port| matches!(port.kind, Kind::Data))
}

fn plain_struct(side: &str, module: &Ident, name: &Ident, ports: &[&Port]) -> TokenStream {
    let generics = has_data(ports).then(|| quote!(<D: ::gpurf_blocks::Data>));
    let arguments = has_data(ports).then(|| quote!(<D>));
    let fields = ports.iter().map(|port| {
        let (name, docs) = (&port.name, &port.docs);
        let plain = match port.kind {
            Kind::Bit => quote!(bool),
            Kind::Bits => quote!(u32),
            Kind::Data => quote!(D),
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
    let doc = format!("{side} of [`{module}`] in one clock cycle.");
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
fn transfer(port: &Port, drive: bool) -> TokenStream {
    let name = &port.name;
    let (index, range) = match &port.max {
        Some(_) => (Some(quote!([index])), Some(quote!(for index in 0..self.#name.len()))),
        None => (None, None),
    };
    let statement = match (drive, &port.kind) {
        (true, Kind::Bit) => quote!(self.#name #index.next = inputs.#name #index;),
        (true, Kind::Bits) => quote!(self.#name #index.next = (inputs.#name #index as u64).into();),
        (true, Kind::Data) => {
            quote!(self.#name #index.next = ::gpurf_hw::dialect::Word::from_data(&inputs.#name #index);)
        }
        (false, Kind::Bit) => quote!(outputs.#name #index = self.#name #index.val();),
        (false, Kind::Bits) => {
            quote!(outputs.#name #index = ::rust_hdl::prelude::Bits::index(&self.#name #index.val()) as u32;)
        }
        (false, Kind::Data) => {
            quote!(outputs.#name #index = ::gpurf_hw::dialect::Word::to_data(&self.#name #index.val());)
        }
    };
    match range {
        Some(range) => quote!(#range { #statement }),
        None => statement,
    }
}

fn count(port: &Port) -> TokenStream {
    let name = &port.name;
    match &port.max {
        Some(_) => quote!(Some(self.#name.len())),
        None => quote!(None),
    }
}

fn shared_structs(item: &DeriveInput) -> Result<Option<(Ident, Ident)>> {
    let Some(attribute) = item.attrs.iter().find(|attribute| attribute.path().is_ident("ports")) else {
        return Ok(None);
    };
    let names =
        attribute.parse_args_with(syn::punctuated::Punctuated::<Ident, syn::Token![,]>::parse_terminated)?;
    match names.iter().collect::<Vec<_>>()[..] {
        [inputs, outputs] => Ok(Some((inputs.clone(), outputs.clone()))),
        _ => Err(Error::new_spanned(attribute, "write #[ports(InputStruct, OutputStruct)]")),
    }
}

fn ports(item: &DeriveInput) -> Result<Vec<Port>> {
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
        ports.push(Port::new(name, docs.cloned().collect(), input, value, max)?);
    }
    Ok(ports)
}

/// Type arguments of `name<..>`; a const argument that is a bare path counts as a type.
fn arguments(ty: &Type, name: &str) -> Option<Vec<Type>> {
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

fn last_segment(ty: &Type) -> Option<String> {
    match ty {
        Type::Path(path) => path.path.segments.last().map(|segment| segment.ident.to_string()),
        _ => None,
    }
}

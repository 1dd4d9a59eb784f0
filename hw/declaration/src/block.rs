// SPDX-License-Identifier: Apache-2.0
//! `#[block]`: a hardware module from its declaration.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::visit_mut::{visit_expr_mut, VisitMut};
use syn::{parse_quote, Error, Expr, LitStr, Result};

use crate::bundles::{about, Bundles};
use crate::declaration::Declaration;
use crate::fields::{maker, DeclaredField, FieldKind};
use crate::listed::listed_ports;
use crate::ports::{face, Clocks};
use crate::sizes::{lower_name, settings, sizes};

pub fn expand(arguments: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let declaration = Declaration::read(arguments, item)?.with_lets()?;
    let Declaration { arguments, item, fields, parts } = &declaration;

    let bundles = Bundles::here()?;
    let sizes = sizes(arguments, parts);
    let hidden: Vec<Ident> = sizes.iter().map(|(name, _)| format_ident!("_{name}")).collect();
    // Kernels decide by them what is built.
    let others: Vec<&Ident> = arguments
        .parameters
        .iter()
        .filter(|parameter| sizes.iter().all(|(name, _)| name != *parameter))
        .collect();
    let other_texts: Vec<String> = others.iter().map(|name| name.to_string()).collect();
    let other_hidden: Vec<Ident> = others.iter().map(|name| format_ident!("_{name}")).collect();
    let size_names: Vec<&Ident> = sizes.iter().map(|(name, _)| name).collect();
    let size_values: Vec<&Expr> = sizes.iter().map(|(_, value)| value).collect();
    let settings = settings(fields, &size_names)?;
    let makers = declaration.members().map(|(part, field)| maker(part, field, &item.generics));
    let makers = makers.collect::<Result<Vec<_>>>()?;
    let names: Vec<&Ident> = parts.iter().map(|part| &part.name).collect();

    let has_clock = !arguments.is_combinational;
    let has_reset = has_clock && !arguments.is_unreset;
    let clock_names: Vec<Ident> = [("clock", has_clock), ("reset", has_reset)]
        .iter()
        .filter(|(_, there)| *there)
        .map(|(name, _)| format_ident!("{name}"))
        .collect();
    let clock_types = [quote!(Clock), quote!(Bit)];
    let clock_docs = ["Registers are loaded at its rising edge.", "Clears registers at the edge."];
    let clock_fields = clock_names.iter().zip(&clock_types).zip(clock_docs).map(|((name, carried), doc)| {
        quote!(#[doc = #doc] pub #name: ::rust_hdl::prelude::Signal<::rust_hdl::prelude::In, ::rust_hdl::prelude::#carried>,)
    });
    let bundle = arguments.bundle.iter();
    let bundle_field = bundle.clone().map(|bundle| quote!(ports: #bundle,)).collect::<Vec<_>>();
    let bundle_made = bundle.clone().map(|bundle| quote!(ports: <#bundle>::new(parameters),));
    let bundle_name: Vec<Ident> = bundle.clone().map(|_| format_ident!("ports")).collect();

    let (name, attributes, visibility, generics) = (&item.ident, &item.attrs, &item.vis, &item.generics);
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
    let signals = declaration.signals();
    let is_documented = attributes.iter().any(|attribute| attribute.path().is_ident("doc"));
    let doc = arguments.title.iter().filter(|_| !is_documented).map(|title| {
        let paper = arguments.paper.iter().map(|paper| format!(": {}", paper.value()));
        let text = format!("{}{}.", title.value(), paper.collect::<String>());
        quote!(#[doc = #text])
    });

    let takes_parameters = arguments.arguments.is_empty();
    let constructor_arguments: Vec<TokenStream> = match takes_parameters {
        true => vec![quote!(parameters: &::gpurf_blocks::Parameters)],
        false => arguments.arguments.iter().map(|(name, _)| quote!(#name: usize)).collect(),
    };
    let seen_here = takes_parameters
        .then(|| quote!(let parameters = &<Self as ::gpurf_hw::dialect::Configured>::seen(parameters);));
    let identity_parameters = match takes_parameters {
        true => quote!({
            let names = <Self as ::gpurf_hw::dialect::Declared>::NAMING.parameters.iter();
            names.map(|name| parameters.setting(name)).collect()
        }),
        false => {
            let names = arguments.arguments.iter().map(|(name, _)| name);
            let texts = names.clone().map(|name| name.to_string());
            quote!(vec![#(::gpurf_blocks::Setting::size(#texts, #names)),*])
        }
    };

    let children: Vec<&Ident> =
        parts.iter().filter(|part| part.kind == FieldKind::Child).map(|part| &part.name).collect();
    let reset = if has_reset { quote!(self.reset.val()) } else { quote!(false) };
    let drive_resets = (has_clock && !children.is_empty()).then(|| {
        quote!(
            let reset = #reset;
            #(::gpurf_hw::dialect::Clocking::drive_reset(&mut self.#children, reset);)*
        )
    });
    let clocking = has_clock.then(|| {
        quote!(
            fn set_clock(&mut self, level: bool) {
                ::gpurf_hw::dialect::clock_edge(&mut self.clock, level);
                #(::gpurf_hw::dialect::Clocking::set_clock(&mut self.#children, level);)*
                self.is_at_rest &= !level;
            }
        )
    });
    let resetting = has_reset.then(|| {
        quote!(
            fn drive_reset(&mut self, reset: bool) {
                self.reset.next = reset;
            }
        )
    });
    // What the kernel reads of the module itself, and what the kernel of whoever has the module may read of
    // it.
    let named = |is_read: fn(&DeclaredField) -> bool| {
        let parts = parts.iter().filter(move |part| is_read(part)).map(|part| &part.name);
        clock_names.iter().skip(1).chain(&bundle_name).chain(parts)
    };
    let own = named(|part| part.kind != FieldKind::Child);
    let shown =
        named(|part| matches!(part.kind, FieldKind::Input | FieldKind::Output) || part.is_port_bundle());
    let reads = own
        .map(|name| quote!(self.#name.has_changed()))
        .chain(children.iter().map(|name| quote!(::gpurf_hw::dialect::Clocking::shows_anew(&self.#name))));
    let shows = shown.map(|name| quote!(self.#name.has_changed()));
    let inputs = parts.iter().filter(|part| part.kind == FieldKind::Input || part.is_port_bundle());
    let inputs: Vec<&Ident> =
        clock_names.iter().chain(&bundle_name).chain(inputs.map(|part| &part.name)).collect();
    let all: Vec<&Ident> = clock_names.iter().chain(&bundle_name).chain(names.iter().copied()).collect();
    let texts = clock_names.iter().chain(&bundle_name).map(|name| name.to_string());
    let texts: Vec<String> = texts.chain(parts.iter().map(DeclaredField::visited)).collect();
    let deref = arguments.bundle.as_ref().map(|bundle| {
        quote! {
            impl #impl_generics ::std::ops::Deref for #name #ty_generics #where_clause {
                type Target = #bundle;

                fn deref(&self) -> &#bundle {
                    &self.ports
                }
            }

            impl #impl_generics ::std::ops::DerefMut for #name #ty_generics #where_clause {
                fn deref_mut(&mut self) -> &mut #bundle {
                    &mut self.ports
                }
            }
        }
    });
    let (configured, declared) = (configured(&declaration), declared(&declaration, &bundles)?);
    let entry = entry(&declaration);
    let set_clock = quote!(::gpurf_hw::dialect::Clocking::set_clock(self, level));
    let clocks = Clocks { set_clock: has_clock.then_some(set_clock), has_reset };
    let face = face(&declaration, &bundles, clocks)?;

    Ok(quote! {
        #(#doc)*
        #(#attributes)*
        #visibility struct #name #generics #where_clause {
            #(#clock_fields)*
            #(#bundle_field)*
            #(#signals,)*
            identity: ::gpurf_hw::dialect::Identity,
            /// The last pass changed nothing in it: another one changes nothing either, unless an input does.
            is_at_rest: bool,
            /// The last pass changed something that the kernel reads.
            is_due: bool,
            #(#hidden: usize,)*
            #(#other_hidden: usize,)*
        }

        impl #impl_generics #name #ty_generics #where_clause {
            /// The module with these parameters.
            pub fn new(#(#constructor_arguments),*) -> Self {
                #seen_here
                #(let #settings = parameters.#settings;)*
                #(let #size_names = #size_values;)*
                #name {
                    #(#clock_names: Default::default(),)*
                    #(#bundle_made)*
                    #(#names: #makers,)*
                    identity: ::gpurf_hw::dialect::Identity::declared::<Self>(#identity_parameters),
                    is_at_rest: false,
                    is_due: true,
                    #(#hidden: #size_names,)*
                    #(#other_hidden: parameters.number_of(#other_texts),)*
                }
            }
        }

        impl #impl_generics ::gpurf_hw::dialect::Clocking for #name #ty_generics #where_clause {
            #clocking
            #resetting

            fn shows_anew(&self) -> bool {
                !self.is_at_rest && (false #(|| #shows)*)
            }
        }

        impl #impl_generics ::rust_hdl::prelude::Block for #name #ty_generics #where_clause {
            fn connect_all(&mut self) {}

            fn update_all(&mut self) {
                if self.is_at_rest && !(#(::gpurf_hw::dialect::Driven::is_driven_anew(&self.#inputs))||*) {
                    return;
                }
                if self.is_due {
                    #drive_resets
                    ::rust_hdl::prelude::Logic::update(self);
                }
                #(self.#all.update_all();)*
                self.is_at_rest = !(#(self.#all.has_changed())||*);
                self.is_due = !self.is_at_rest && (false #(|| #reads)*);
            }

            fn has_changed(&self) -> bool {
                !self.is_at_rest
            }

            fn accept(&self, name: &str, probe: &mut dyn ::rust_hdl::prelude::Probe) {
                probe.visit_start_scope(name, self);
                #(self.#all.accept(#texts, probe);)*
                self.identity.accept("identity", probe);
                probe.visit_end_scope(name, self);
            }
        }

        #deref
        #configured
        #declared
        #entry
        #face
    })
}

/// How parameters make the module, and what it makes of them.
fn configured(declaration: &Declaration) -> TokenStream {
    let Declaration { arguments, item, .. } = declaration;
    let (name, (impl_generics, ty_generics, where_clause)) = (&item.ident, item.generics.split_for_impl());
    let types = item.generics.type_params().map(|parameter| &parameter.ident);
    let widths =
        item.generics.const_params().filter_map(|parameter| match parameter.ident.to_string().as_str() {
            "W" => Some(quote!(width: W)),
            "I" => Some(quote!(entries: 1 << I)),
            "L" => Some(quote!(rc_tag_lanes: L)),
            _ => None,
        });
    let fixed = arguments.fixed.iter().map(|(name, value)| quote!(#name: #value));
    let made = match arguments.arguments.is_empty() {
        true => quote!(Self::new(parameters)),
        false => {
            let bounds = arguments.arguments.iter().map(|(_, bound)| {
                let mut bound = bound.clone();
                OfParameters.visit_expr_mut(&mut bound);
                bound
            });
            quote!({ let _ = parameters; Self::new(#(#bounds),*) })
        }
    };
    quote! {
        impl #impl_generics ::gpurf_hw::dialect::Configured for #name #ty_generics #where_clause {
            fn configured(parameters: &::gpurf_blocks::Parameters) -> Self {
                #made
            }

            fn seen(parameters: &::gpurf_blocks::Parameters) -> ::gpurf_blocks::Parameters {
                #(let parameters = &<#types as ::gpurf_hw::dialect::Configured>::seen(parameters);)*
                #[allow(clippy::needless_update)]
                ::gpurf_blocks::Parameters { #(#widths,)* #(#fixed,)* ..*parameters }
            }
        }
    }
}

/// The implementation of `Declared`: name, ports and comments of the module, without its hardware.
fn declared(declaration: &Declaration, bundles: &Bundles) -> Result<TokenStream> {
    let Declaration { arguments, item, .. } = declaration;
    let (name, (impl_generics, ty_generics, where_clause)) = (&item.ident, item.generics.split_for_impl());
    let naming = match (&arguments.naming, &arguments.title) {
        (Some(naming), _) => quote!(#naming),
        (None, Some(title)) => {
            let module = snake_case(&name.to_string());
            let paper = arguments.paper.as_ref().map_or(String::new(), LitStr::value);
            let mut parameters: Vec<String> =
                arguments.parameters.iter().map(|name| name.to_string()).collect();
            for (_, bound) in &arguments.arguments {
                parameters.extend(lower_name(bound).map(|name| name.to_string()));
            }
            quote!(::gpurf_hw::catalogue::Naming {
                module: #module, title: #title, paper: #paper, parameters: &[#(#parameters),*],
            })
        }
        (None, None) => return Err(Error::new_spanned(name, "a block has a title")),
    };
    let ports = match &arguments.bundle {
        Some(bundle) => quote!(<#bundle>::PORTS),
        None => {
            let listed = listed_ports(declaration, bundles)?;
            quote!(&[#(#listed),*])
        }
    };
    let about = about(name)?;
    Ok(quote! {
        impl #impl_generics ::gpurf_hw::dialect::Declared for #name #ty_generics #where_clause {
            const NAMING: ::gpurf_hw::catalogue::Naming = #naming;
            const PORTS: &'static [::gpurf_hw::catalogue::Port] = #ports;
            const ABOUT: &'static str = #about;
            const SOURCE: &'static str = file!();
        }
    })
}

/// The module's entry in the catalogue. Of a module that is generic in another, whoever fills it in makes the
/// entry.
fn entry(declaration: &Declaration) -> Option<TokenStream> {
    let (name, generics) = (&declaration.item.ident, &declaration.item.generics);
    let is_generic = generics.type_params().next().is_some();
    let widths: Vec<&Ident> = generics.const_params().map(|parameter| &parameter.ident).collect();
    let module = match widths.is_empty() {
        true => quote!(#name),
        false => quote!(#name<#(#widths),*>),
    };
    (!is_generic).then(|| quote!(::gpurf_hw::enter!(#module);))
}

/// Replaces the name of a parameter by its value.
struct OfParameters;

impl VisitMut for OfParameters {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        match lower_name(expr) {
            Some(name) => *expr = parse_quote!(parameters.#name),
            None => visit_expr_mut(self, expr),
        }
    }
}

/// `OperandCollectorTable` is called `operand_collector_table` in Verilog.
fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
    }
    snake
}

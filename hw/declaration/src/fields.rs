// SPDX-License-Identifier: Apache-2.0
//! The fields of a declaration: what each is, and what makes it.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, ToTokens};
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{
    parse_quote, Attribute, Error, Expr, Field, GenericArgument, Generics, PathArguments, Result, Token, Type,
};

/// The kind of a field.
#[derive(Clone, Copy, PartialEq)]
pub enum FieldKind {
    Input,
    Output,
    Local,
    Constant,
    /// A register, a module, or a bundle: it has the module's clock.
    Child,
}

/// The role of a bundle in the module that has it.
#[derive(Clone, Copy, PartialEq)]
pub enum BundleRole {
    Input,
    Output,
    /// Signals of its own, or registers.
    Inner,
}

/// A bundle with a role, `Load<In, V, A>`.
pub struct Bundled {
    pub name: Ident,
    pub role: BundleRole,
    /// Arguments for its generics, in their order.
    pub arguments: Vec<GenericArgument>,
    /// Prefix of the names of its wires: none for ports with `#[flat]`, the given name with
    /// `#[prefix(name)]`, else the field's name.
    pub prefix: Option<Ident>,
}

/// A field with its arrays taken apart.
pub struct DeclaredField {
    pub name: Ident,
    pub kind: FieldKind,
    /// Type of one element.
    pub element: Type,
    /// Lengths, the outermost first.
    pub lengths: Vec<Expr>,
    /// The type that the signal or constant carries.
    pub carried: Option<Type>,
    /// The bundle behind the field, if it is one.
    pub bundled: Option<Bundled>,
    /// When it is there.
    pub when: Option<When>,
    /// An output that is a register.
    pub is_registered: bool,
}

/// The condition of a field that some parameters leave out.
pub struct When {
    /// As written.
    pub condition: Expr,
    /// Length of an array; a single signal is an array of none or one.
    pub length: Option<Expr>,
}

impl DeclaredField {
    pub fn is_port_bundle(&self) -> bool {
        self.bundled.as_ref().is_some_and(|bundled| bundled.role != BundleRole::Inner)
    }

    /// Its name for whoever walks through the module; the prefix of its wires follows after a `!`.
    pub fn visited(&self) -> String {
        match &self.bundled {
            Some(Bundled { prefix: None, .. }) => format!("{}!", self.name),
            Some(Bundled { prefix: Some(prefix), .. }) if *prefix != self.name => {
                format!("{}!{prefix}", self.name)
            }
            _ => self.name.to_string(),
        }
    }
}

/// A field, with its length as `#[when(condition)]` has it: none where the condition does not hold.
pub fn part(field: &Field) -> Result<DeclaredField> {
    let mut part = always(field)?;
    let Some(attribute) = field.attrs.iter().find(|attribute| attribute.path().is_ident("when")) else {
        return Ok(part);
    };
    let condition: Expr = attribute.parse_args()?;
    let holds = crate::condition::decided(&condition);
    let length = part.lengths.first().cloned();
    let full = length.clone().unwrap_or_else(|| parse_quote!(1));
    let length_then = parse_quote!(if #holds { #full } else { 0 });
    match part.lengths.first_mut() {
        Some(first) => *first = length_then,
        None => part.lengths.push(length_then),
    }
    part.when = Some(When { condition, length });
    Ok(part)
}

fn always(field: &Field) -> Result<DeclaredField> {
    let name = field.ident.clone().expect("a named field");
    let (ty, mut lengths) = without_arrays(&field.ty);
    let carried = arguments_of(&ty).and_then(|arguments| arguments.first().cloned());
    let kind = match (last_name(&ty).as_deref(), &carried) {
        (Some("In"), Some(_)) => FieldKind::Input,
        (Some("Out"), Some(_)) => FieldKind::Output,
        (Some("Local"), Some(_)) => FieldKind::Local,
        (Some("Constant"), Some(_)) => FieldKind::Constant,
        (Some("Register"), Some(_)) => {
            let (carried, inner) = without_arrays(&carried.expect("its type"));
            lengths.extend(inner);
            return Ok(DeclaredField {
                name,
                kind: FieldKind::Child,
                element: parse_quote!(Register<#carried>),
                lengths,
                carried: None,
                bundled: None,
                when: None,
                is_registered: false,
            });
        }
        (Some(_), _) => {
            let bundled = bundled(&ty, field);
            return Ok(DeclaredField {
                name,
                kind: FieldKind::Child,
                element: ty,
                lengths,
                carried: None,
                bundled,
                when: None,
                is_registered: false,
            });
        }
        _ => {
            return Err(Error::new_spanned(
                &field.ty,
                "a field is a signal, a register, a constant or a module",
            ))
        }
    };
    let mut carried = carried.expect("its type");
    let is_registered = kind == FieldKind::Output && last_name(&carried).as_deref() == Some("Register");
    if is_registered {
        let of = arguments_of(&carried).and_then(|arguments| arguments.first().cloned());
        carried = of.ok_or_else(|| Error::new_spanned(&field.ty, "write `Out<Register<Bits<8>>>`"))?;
    }
    let (carried, inner) = without_arrays(&carried);
    lengths.extend(inner);
    let element = match kind {
        FieldKind::Constant => parse_quote!(Constant<#carried>),
        _ => {
            let direction = format_ident!("{}", last_name(&ty).expect("a path"));
            parse_quote!(Signal<#direction, #carried>)
        }
    };
    Ok(DeclaredField {
        name,
        kind,
        element,
        lengths,
        carried: Some(carried),
        bundled: None,
        when: None,
        is_registered,
    })
}

/// The register behind an output that is one, `Out<Register<..>>`: it is called `level__register`.
pub fn register_behind(part: &DeclaredField, field: &Field) -> Option<Field> {
    let register = arguments_of(&field.ty).filter(|_| part.is_registered)?.first().cloned()?;
    let when = field.attrs.iter().filter(|attribute| attribute.path().is_ident("when"));
    let name = format_ident!("{}__register", part.name);
    Some(
        Field::parse_named.parse2(quote!(#(#when)* #name: #register)).expect("a name and a type are a field"),
    )
}

/// The prefix of a bundle's wires that an attribute gives: `Some(None)` is no prefix at all.
pub fn prefix_of(field: &Field) -> Option<Option<Ident>> {
    field.attrs.iter().find_map(|attribute| match attribute.path().get_ident()?.to_string().as_str() {
        "flat" => Some(None),
        "prefix" => Some(attribute.parse_args().ok()),
        _ => None,
    })
}

/// A type whose first argument is a role is a bundle.
fn bundled(ty: &Type, field: &Field) -> Option<Bundled> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last()?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    let mut arguments = arguments.args.iter();
    let Some(GenericArgument::Type(role)) = arguments.next() else { return None };
    let role = match last_name(role)?.as_str() {
        "In" => BundleRole::Input,
        "Out" => BundleRole::Output,
        "Local" | "Held" => BundleRole::Inner,
        _ => return None,
    };
    let prefix = match prefix_of(field) {
        Some(prefix) => prefix,
        None => Some(field.ident.clone()?),
    };
    Some(Bundled { name: last.ident.clone(), role, arguments: arguments.cloned().collect(), prefix })
}

fn without_arrays(ty: &Type) -> (Type, Vec<Expr>) {
    match ty {
        Type::Array(array) => {
            let (element, mut lengths) = without_arrays(&array.elem);
            lengths.insert(0, array.len.clone());
            (element, lengths)
        }
        ty => (ty.clone(), vec![]),
    }
}

/// The expression that makes a field. It makes each element again, so that every signal has an identity of
/// its own.
pub fn maker(part: &DeclaredField, field: &Field, generics: &Generics) -> Result<TokenStream> {
    let indices: Vec<Ident> = (0..part.lengths.len()).map(|depth| format_ident!("index_{depth}")).collect();
    let given = |name: &str| -> Result<Option<TokenStream>> {
        let Some(attribute) = field.attrs.iter().find(|attribute| attribute.path().is_ident(name)) else {
            return Ok(None);
        };
        let expressions = attribute.parse_args_with(Punctuated::<Expr, Token![,]>::parse_terminated)?;
        if let Some(Expr::Closure(closure)) = expressions.first() {
            let (inputs, body) = (&closure.inputs, &closure.body);
            let inputs = inputs.iter();
            return Ok(Some(quote!({ #(let #inputs: usize = #indices;)* #body })));
        }
        Ok(Some(expressions.to_token_stream()))
    };
    let element = &part.element;
    // `None`: its default.
    let mut made = match part.kind {
        FieldKind::Constant => {
            let value =
                given("value")?.ok_or_else(|| Error::new_spanned(field, "a constant has #[value(..)]"))?;
            Some(match part.carried.as_ref().and_then(last_name).as_deref() {
                Some("Bit") => quote!(Constant::new(#value)),
                _ => quote!(Constant::new(((#value) as u64).into())),
            })
        }
        FieldKind::Child if last_name(element).as_deref() != Some("Register") => {
            Some(match (given("new")?, given("with")?) {
                (Some(made), _) => made,
                (None, Some(with)) => quote!(<#element>::new(#with)),
                (None, None) if is_type_parameter(element, generics) => {
                    quote!(<#element as ::gpurf_hw::dialect::Configured>::configured(parameters))
                }
                (None, None) => quote!(<#element>::new(parameters)),
            })
        }
        _ => None,
    };
    for (length, index) in part.lengths.iter().zip(&indices).rev() {
        made = Some(match made {
            None => quote!(::gpurf_hw::dialect::array(#length)),
            Some(one) => {
                let name = match one.to_string().contains(&index.to_string()) {
                    true => quote!(#index),
                    false => quote!(_),
                };
                quote!(::gpurf_hw::dialect::array_of(#length, &mut |#name| #one))
            }
        });
    }
    Ok(made.unwrap_or_else(|| quote!(Default::default())))
}

fn is_type_parameter(ty: &Type, generics: &Generics) -> bool {
    let Type::Path(path) = ty else { return false };
    path.path.get_ident().is_some_and(|name| generics.type_params().any(|parameter| parameter.ident == *name))
}

pub fn docs(field: &Field) -> impl Iterator<Item = &Attribute> {
    field.attrs.iter().filter(|attribute| attribute.path().is_ident("doc"))
}

pub fn doc_text(field: &Field) -> String {
    text_of(docs(field))
}

/// The text of doc comments, in one line.
pub fn text_of<'a>(docs: impl Iterator<Item = &'a Attribute>) -> String {
    let lines = docs.filter_map(|attribute| match &attribute.meta {
        syn::Meta::NameValue(pair) => match &pair.value {
            Expr::Lit(literal) => match &literal.lit {
                syn::Lit::Str(text) => Some(text.value().trim().to_string()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    });
    lines.collect::<Vec<_>>().join(" ")
}

pub fn is_public(field: &Field) -> bool {
    matches!(field.vis, syn::Visibility::Public(_))
}

pub fn last_name(ty: &Type) -> Option<String> {
    match ty {
        Type::Path(path) => path.path.segments.last().map(|segment| segment.ident.to_string()),
        _ => None,
    }
}

pub fn arguments_of(ty: &Type) -> Option<Vec<Type>> {
    let Type::Path(path) = ty else { return None };
    let PathArguments::AngleBracketed(arguments) = &path.path.segments.last()?.arguments else { return None };
    let types = arguments.args.iter().filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty.clone()),
        _ => None,
    });
    Some(types.collect())
}

//! `#[block]`: a hardware module from its declaration.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{format_ident, quote, ToTokens};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::visit_mut::{visit_expr_mut, VisitMut};
use syn::{
    parse_quote, Attribute, Error, Expr, ExprCall, ExprClosure, Field, Fields, GenericArgument, ItemStruct,
    LitStr, PathArguments, Result, Token, Type,
};

use crate::module::{self, Port};

/// What stands in the attribute's parentheses.
#[derive(Default)]
struct Arguments {
    title: Option<LitStr>,
    paper: Option<LitStr>,
    /// Parameters that change the module, in the order of its name.
    parameters: Vec<Ident>,
    /// Sizes that the constructor takes, each with the parameter or constant that bounds it.
    arguments: Vec<(Ident, Expr)>,
    /// Numbers for loops and lengths: parameters, or computed from them.
    sizes: Vec<(Ident, Option<Expr>)>,
    /// Parameters that have one value in this module and below it.
    fixed: Vec<(Ident, Expr)>,
    /// Structs of ports that another module has already.
    ports: Option<(Ident, Ident)>,
    /// It has neither clock nor reset.
    is_combinational: bool,
    /// Its state is in memories, which have no reset.
    is_unreset: bool,
}

impl Parse for Arguments {
    fn parse(input: ParseStream) -> Result<Self> {
        let mut arguments = Arguments::default();
        while !input.is_empty() {
            let key: Ident = input.parse()?;
            match key.to_string().as_str() {
                "title" => arguments.title = Some(text(input)?),
                "paper" => arguments.paper = Some(text(input)?),
                "parameters" => arguments.parameters = list(input, Ident::parse)?,
                "arguments" => {
                    arguments.arguments = list(input, |item| {
                        let name = item.parse()?;
                        item.parse::<Token![=]>()?;
                        Ok((name, item.parse()?))
                    })?;
                }
                "sizes" => {
                    arguments.sizes = list(input, |item| {
                        let name = item.parse()?;
                        let value = item.parse::<Option<Token![=]>>()?.map(|_| item.parse()).transpose()?;
                        Ok((name, value))
                    })?;
                }
                "fixed" => {
                    arguments.fixed = list(input, |item| {
                        let name = item.parse()?;
                        item.parse::<Token![=]>()?;
                        Ok((name, item.parse()?))
                    })?;
                }
                "ports" => match &list(input, Ident::parse)?[..] {
                    [inputs, outputs] => arguments.ports = Some((inputs.clone(), outputs.clone())),
                    _ => return Err(Error::new(key.span(), "write ports(InputStruct, OutputStruct)")),
                },
                "combinational" => arguments.is_combinational = true,
                "unreset" => arguments.is_unreset = true,
                _ => {
                    let hint = "a block has title, paper, parameters(..), arguments(name = bound), \
                                sizes(..), fixed(name = value), ports(In, Out), combinational and unreset";
                    return Err(Error::new(key.span(), hint));
                }
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(arguments)
    }
}

fn text(input: ParseStream) -> Result<LitStr> {
    input.parse::<Token![=]>()?;
    input.parse()
}

fn list<T>(input: ParseStream, item: impl Fn(ParseStream) -> Result<T>) -> Result<Vec<T>> {
    let content;
    syn::parenthesized!(content in input);
    let mut items = vec![];
    while !content.is_empty() {
        items.push(item(&content)?);
        if !content.is_empty() {
            content.parse::<Token![,]>()?;
        }
    }
    Ok(items)
}

/// What a field is.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Input,
    Output,
    Local,
    Constant,
    /// A register or a module: it has the module's clock.
    Child,
}

/// A field with its arrays taken apart.
struct Part {
    name: Ident,
    kind: Kind,
    /// Of one element.
    element: Type,
    /// Lengths, the outermost first.
    lengths: Vec<Expr>,
    /// What the signal or constant carries.
    carried: Option<Type>,
}

pub fn expand(arguments: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let arguments: Arguments = syn::parse2(of_one_place(arguments))?;
    let mut item: ItemStruct = syn::parse2(of_one_place(item))?;
    let Fields::Named(fields) = &mut item.fields else {
        return Err(Error::new_spanned(&item, "a block has named fields"));
    };
    let title =
        arguments.title.clone().ok_or_else(|| Error::new_spanned(&item.ident, "a block has a title"))?;
    let declared: Vec<Field> = fields.named.iter().cloned().collect();
    let parts = declared.iter().map(part).collect::<Result<Vec<_>>>()?;

    let sizes = sizes(&arguments, &parts);
    let hidden: Vec<Ident> = sizes.iter().map(|(name, _)| format_ident!("_{name}")).collect();
    let size_names: Vec<&Ident> = sizes.iter().map(|(name, _)| name).collect();
    let size_values: Vec<&Expr> = sizes.iter().map(|(_, value)| value).collect();
    let settings = settings(&declared, &size_names)?;
    let makers =
        parts.iter().zip(&declared).map(|(part, field)| maker(part, field)).collect::<Result<Vec<_>>>()?;
    let names: Vec<&Ident> = parts.iter().map(|part| &part.name).collect();
    let ports =
        parts.iter().zip(&declared).filter_map(|(part, field)| port(part, field, &arguments).transpose());
    let ports = ports.collect::<Result<Vec<_>>>()?;

    let name = &item.ident;
    let module = snake_case(&name.to_string());
    let origin = match &arguments.paper {
        Some(paper) => format!("{} ({})", title.value(), plain(&paper.value())),
        None => title.value(),
    };
    let [has_clock, has_reset] =
        [!arguments.is_combinational, !arguments.is_combinational && !arguments.is_unreset];
    let clock_names: Vec<Ident> = [("clock", has_clock), ("reset", has_reset)]
        .iter()
        .filter_map(|(name, there)| there.then(|| format_ident!("{name}")))
        .collect();
    let clock_types = [quote!(Clock), quote!(Bit)];
    let clock_fields = clock_names.iter().zip(&clock_types).map(|(name, carried)| {
        quote!(pub #name: ::rust_hdl::prelude::Signal<::rust_hdl::prelude::In, ::rust_hdl::prelude::#carried>,)
    });
    let fields = parts.iter().zip(&declared).map(|(part, field)| {
        let (docs, visibility, name) = (docs(field), &field.vis, &part.name);
        let ty = part.lengths.iter().fold(part.element.clone(), |ty, _| parse_quote!(Vec<#ty>));
        quote!(#(#docs)* #visibility #name: #ty)
    });
    let attributes = &item.attrs;
    let visibility = &item.vis;
    let generics = &item.generics;
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();

    let constructor_arguments: Vec<TokenStream> = match arguments.arguments.is_empty() {
        true => vec![quote!(parameters: &::gpurf_blocks::Parameters)],
        false => arguments.arguments.iter().map(|(name, _)| quote!(#name: usize)).collect(),
    };
    let mut own_widths = own_widths(&item);
    own_widths.extend(arguments.fixed.iter().map(|(name, value)| quote!(#name: #value)));
    let parameters = arguments.arguments.is_empty().then(|| match own_widths.is_empty() {
        true => TokenStream::new(),
        false => quote!(let parameters = &::gpurf_blocks::Parameters { #(#own_widths,)* ..*parameters };),
    });
    let identity_parameters = arguments.parameters.iter().map(|parameter| {
        let text = parameter.to_string();
        quote!(parameters.in_verilog(#text))
    });
    let identity_arguments = arguments.arguments.iter().map(|(name, _)| {
        let text = name.to_string();
        quote!((#text, #name))
    });
    let port_docs = declared.iter().zip(&parts).filter_map(|(field, part)| {
        let is_port = matches!(part.kind, Kind::Input | Kind::Output) && is_public(field);
        let (name, doc) = (part.name.to_string(), doc_text(field));
        (is_port && !doc.is_empty()).then(|| quote!((#name, #doc)))
    });

    let children: Vec<&Ident> =
        parts.iter().filter(|part| part.kind == Kind::Child).map(|part| &part.name).collect();
    let reset = if has_reset { quote!(self.reset.val()) } else { quote!(false) };
    let connect_clocks =
        has_clock.then(|| quote!(#(::gpurf_hw::dialect::Clocking::connect_clock(&mut self.#children);)*));
    let drive_clocks = (has_clock && !children.is_empty()).then(|| {
        quote!(
            let (clock, reset) = (self.clock.val(), #reset);
            #(::gpurf_hw::dialect::Clocking::drive_clock(&mut self.#children, clock, reset);)*
        )
    });
    let drive_reset = has_reset.then(|| quote!(self.reset.next = reset;));
    let clocking = has_clock.then(|| {
        quote!(
            fn connect_clock(&mut self) {
                #(self.#clock_names.connect();)*
            }
            fn drive_clock(&mut self, clock: ::rust_hdl::prelude::Clock, reset: bool) {
                let _ = reset;
                self.clock.next = clock;
                #drive_reset
            }
        )
    });
    let entry = entry(&item, &arguments, &parts, &declared, &module);
    let arguments_made = arguments.arguments.iter().map(|(_, bound)| {
        let mut bound = bound.clone();
        OfParameters.visit_expr_mut(&mut bound);
        bound
    });
    let made = match arguments.arguments.is_empty() {
        true => quote!(Self::new(parameters)),
        false => quote!(Self::new(#(#arguments_made),*)),
    };
    let all: Vec<&Ident> = clock_names.iter().chain(names.iter().copied()).collect();
    let all_texts: Vec<String> = all.iter().map(|name| name.to_string()).collect();
    let face = module::face(name, generics, &ports, &arguments.ports, [has_clock, has_reset]);

    Ok(quote! {
        #(#attributes)*
        #visibility struct #name #generics #where_clause {
            #(#clock_fields)*
            #(#fields,)*
            identity: ::gpurf_hw::dialect::Identity,
            #(#hidden: usize,)*
        }

        impl #impl_generics #name #ty_generics #where_clause {
            /// The module with these parameters.
            pub fn new(#(#constructor_arguments),*) -> Self {
                #parameters
                #(let #settings = parameters.#settings;)*
                #(let #size_names = #size_values;)*
                #name {
                    #(#clock_names: Default::default(),)*
                    #(#names: #makers,)*
                    identity: ::gpurf_hw::dialect::Identity::new(
                        #module,
                        #origin,
                        &[#(#identity_parameters,)* #(#identity_arguments,)*],
                    ).with_port_docs(&[#(#port_docs),*]),
                    #(#hidden: #size_names,)*
                }
            }
        }

        impl #impl_generics ::gpurf_hw::dialect::Clocking for #name #ty_generics #where_clause {
            #clocking
        }

        impl #impl_generics ::rust_hdl::prelude::Block for #name #ty_generics #where_clause {
            fn connect_all(&mut self) {
                ::rust_hdl::prelude::Logic::connect(self);
                #connect_clocks
                #(self.#all.connect_all();)*
            }

            fn update_all(&mut self) {
                #drive_clocks
                ::rust_hdl::prelude::Logic::update(self);
                #(self.#all.update_all();)*
            }

            fn has_changed(&self) -> bool {
                #(self.#all.has_changed())||*
            }

            fn accept(&self, name: &str, probe: &mut dyn ::rust_hdl::prelude::Probe) {
                probe.visit_start_scope(name, self);
                #(self.#all.accept(#all_texts, probe);)*
                self.identity.accept("identity", probe);
                probe.visit_end_scope(name, self);
            }
        }

        impl #impl_generics ::gpurf_hw::dialect::Configured for #name #ty_generics #where_clause {
            fn configured(parameters: &::gpurf_blocks::Parameters) -> Self {
                let _ = parameters;
                #made
            }
        }

        #entry

        #face
    })
}

/// The module's entry in the catalogue.
fn entry(
    item: &ItemStruct,
    arguments: &Arguments,
    parts: &[Part],
    declared: &[Field],
    module: &str,
) -> TokenStream {
    let name = &item.ident;
    let title = &arguments.title;
    let paper = arguments.paper.as_ref().map_or(String::new(), LitStr::value);
    let mut parameters: Vec<String> = arguments.parameters.iter().map(|name| name.to_string()).collect();
    for (_, bound) in &arguments.arguments {
        parameters.extend(lower_name(bound).map(|name| name.to_string()));
    }
    let generics: Vec<&Ident> = item.generics.const_params().map(|parameter| &parameter.ident).collect();
    let widths = (!generics.is_empty()).then(|| quote!(<#(#generics),*>));
    let ports = parts.iter().zip(declared).filter_map(|(part, field)| {
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
    quote! {
        ::gpurf_hw::catalogue::submit! {
            ::gpurf_hw::catalogue::Entry {
                name: #module,
                title: #title,
                paper: #paper,
                parameters: &[#(#parameters),*],
                ports: &[#(#ports),*],
                source: file!(),
                build: |parameters| ::gpurf_hw::generics!(parameters; #(#generics),* => Box::new(
                    <#name #widths as ::gpurf_hw::dialect::Configured>::configured(parameters)
                )),
            }
        }
    }
}

/// Tokens as one writes them, `Bits<8>` and `2 * banks`.
fn written(tokens: &impl ToTokens) -> String {
    let text = tokens.to_token_stream().to_string();
    text.replace(" < ", "<").replace(" >", ">").replace(" (", "(")
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

/// Const parameters that a parameter of the hardware follows, by convention.
fn own_widths(item: &ItemStruct) -> Vec<TokenStream> {
    let names = item.generics.const_params().map(|parameter| parameter.ident.to_string());
    let fields = names.filter_map(|name| match name.as_str() {
        "W" => Some(quote!(width: W)),
        "I" => Some(quote!(entries: 1 << I)),
        _ => None,
    });
    fields.collect()
}

/// Every number that lengths and loops name, once: arguments, then sizes as declared, then parameters.
fn sizes(arguments: &Arguments, parts: &[Part]) -> Vec<(Ident, Expr)> {
    let mut sizes: Vec<(Ident, Expr)> = vec![];
    for (name, _) in &arguments.arguments {
        sizes.push((name.clone(), parse_quote!(#name)));
    }
    let declared: Vec<&Ident> = arguments.sizes.iter().map(|(name, _)| name).collect();
    let mut used = vec![];
    let mut note = |expr: &Expr| {
        let mut names = LowerNames(vec![]);
        names.visit_expr_mut(&mut expr.clone());
        used.extend(names.0);
    };
    parts.iter().flat_map(|part| &part.lengths).for_each(&mut note);
    arguments.sizes.iter().filter_map(|(_, value)| value.as_ref()).for_each(&mut note);
    for name in used {
        if !sizes.iter().any(|(known, _)| *known == name) && !declared.contains(&&name) {
            let value = parse_quote!(parameters.#name);
            sizes.push((name, value));
        }
    }
    for (name, value) in &arguments.sizes {
        let value = value.clone().unwrap_or_else(|| parse_quote!(parameters.#name));
        sizes.push((name.clone(), value));
    }
    sizes
}

/// Parameters that only the values of constants and the arguments of modules name.
fn settings(fields: &[Field], sizes: &[&Ident]) -> Result<Vec<Ident>> {
    let mut settings: Vec<Ident> = vec![];
    let given = fields.iter().flat_map(|field| &field.attrs);
    for attribute in
        given.filter(|attribute| ["value", "with", "new"].iter().any(|name| attribute.path().is_ident(name)))
    {
        for mut expr in attribute.parse_args_with(Punctuated::<Expr, Token![,]>::parse_terminated)? {
            let mut names = LowerNames(vec![]);
            names.visit_expr_mut(&mut expr);
            for name in names.0 {
                if !settings.contains(&name) && !sizes.contains(&&name) {
                    settings.push(name);
                }
            }
        }
    }
    Ok(settings)
}

/// Gathers the plain lower-case names of an expression; a closure's own arguments are not among them, nor functions.
struct LowerNames(Vec<Ident>);

impl VisitMut for LowerNames {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        if let Some(name) = lower_name(expr) {
            if name != "parameters" {
                self.0.push(name);
            }
        }
        visit_expr_mut(self, expr);
    }

    fn visit_expr_closure_mut(&mut self, closure: &mut ExprClosure) {
        let mut inner = LowerNames(vec![]);
        inner.visit_expr_mut(&mut closure.body);
        let own: Vec<String> =
            closure.inputs.iter().map(|input| input.to_token_stream().to_string()).collect();
        self.0.extend(inner.0.into_iter().filter(|name| !own.contains(&name.to_string())));
    }

    fn visit_expr_call_mut(&mut self, call: &mut ExprCall) {
        call.args.iter_mut().for_each(|argument| self.visit_expr_mut(argument));
    }
}

fn lower_name(expr: &Expr) -> Option<Ident> {
    let Expr::Path(path) = expr else { return None };
    let name = path.path.get_ident()?;
    name.to_string().starts_with(|letter: char| letter.is_lowercase()).then(|| name.clone())
}

fn part(field: &Field) -> Result<Part> {
    let name = field.ident.clone().expect("a named field");
    let (ty, mut lengths) = without_arrays(&field.ty);
    let carried = arguments_of(&ty).and_then(|arguments| arguments.first().cloned());
    let kind = match (last_name(&ty).as_deref(), &carried) {
        (Some("In"), Some(_)) => Kind::Input,
        (Some("Out"), Some(_)) => Kind::Output,
        (Some("Local"), Some(_)) => Kind::Local,
        (Some("Constant"), Some(_)) => Kind::Constant,
        (Some("Register"), Some(_)) => {
            let (carried, inner) = without_arrays(&carried.expect("its type"));
            lengths.extend(inner);
            return Ok(Part {
                name,
                kind: Kind::Child,
                element: parse_quote!(Register<#carried>),
                lengths,
                carried: None,
            });
        }
        (Some(_), _) => return Ok(Part { name, kind: Kind::Child, element: ty, lengths, carried: None }),
        _ => {
            return Err(Error::new_spanned(
                &field.ty,
                "a field is a signal, a register, a constant or a module",
            ))
        }
    };
    let (carried, inner) = without_arrays(&carried.expect("its type"));
    lengths.extend(inner);
    let element = match kind {
        Kind::Constant => parse_quote!(Constant<#carried>),
        _ => {
            let direction = format_ident!("{}", last_name(&ty).expect("a path"));
            parse_quote!(Signal<#direction, #carried>)
        }
    };
    Ok(Part { name, kind, element, lengths, carried: Some(carried) })
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

/// What makes a field: each element anew, so that every signal has an identity of its own.
fn maker(part: &Part, field: &Field) -> Result<TokenStream> {
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
    let one = match part.kind {
        Kind::Constant => {
            let value =
                given("value")?.ok_or_else(|| Error::new_spanned(field, "a constant has #[value(..)]"))?;
            match part.carried.as_ref().and_then(last_name).as_deref() {
                Some("Bit") => quote!(Constant::new(#value)),
                _ => quote!(Constant::new(((#value) as u64).into())),
            }
        }
        Kind::Child if last_name(element).as_deref() != Some("Register") => {
            match (given("new")?, given("with")?) {
                (Some(made), _) => made,
                (None, Some(with)) => quote!(<#element>::new(#with)),
                (None, None) => quote!(<#element>::new(parameters)),
            }
        }
        _ => quote!(Default::default()),
    };
    let lengths = part.lengths.iter().zip(&indices).rev();
    Ok(lengths.fold(one, |one, (length, index)| {
        let name = match one.to_string().contains(&index.to_string()) {
            true => quote!(#index),
            false => quote!(_),
        };
        quote!((0..#length).map(|#name| #one).collect())
    }))
}

fn port(part: &Part, field: &Field, arguments: &Arguments) -> Result<Option<Port>> {
    if !matches!(part.kind, Kind::Input | Kind::Output) || !is_public(field) {
        return Ok(None);
    }
    let carried = part.carried.as_ref().expect("a port carries a type");
    let max = part.lengths.first().map(|length| {
        let mut most = length.clone();
        Most(arguments).visit_expr_mut(&mut most);
        most
    });
    let docs = docs(field).cloned().collect();
    let is_input = part.kind == Kind::Input;
    Ok(Some(Port::new(part.name.clone(), docs, is_input, carried, max)?))
}

/// Replaces every name in a length by the largest number that it can be.
struct Most<'a>(&'a Arguments);

impl VisitMut for Most<'_> {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        let Some(name) = lower_name(expr) else { return visit_expr_mut(self, expr) };
        let bound = self.0.arguments.iter().find(|(argument, _)| *argument == name).map(|(_, bound)| bound);
        let computed =
            self.0.sizes.iter().find(|(size, _)| *size == name).and_then(|(_, value)| value.as_ref());
        match bound.or(computed) {
            Some(value) => {
                *expr = value.clone();
                self.visit_expr_mut(expr);
            }
            None => {
                let most = format_ident!("MAX_{}", name.to_string().to_uppercase());
                *expr = parse_quote!(::gpurf_blocks::#most);
            }
        }
    }
}

fn docs(field: &Field) -> impl Iterator<Item = &Attribute> {
    field.attrs.iter().filter(|attribute| attribute.path().is_ident("doc"))
}

fn doc_text(field: &Field) -> String {
    let lines = docs(field).filter_map(|attribute| match &attribute.meta {
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

fn is_public(field: &Field) -> bool {
    matches!(field.vis, syn::Visibility::Public(_))
}

fn last_name(ty: &Type) -> Option<String> {
    match ty {
        Type::Path(path) => path.path.segments.last().map(|segment| segment.ident.to_string()),
        _ => None,
    }
}

fn arguments_of(ty: &Type) -> Option<Vec<Type>> {
    let Type::Path(path) = ty else { return None };
    let PathArguments::AngleBracketed(arguments) = &path.path.segments.last()?.arguments else { return None };
    let types = arguments.args.iter().filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty.clone()),
        _ => None,
    });
    Some(types.collect())
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

/// Sections of papers in letters that every Verilog tool reads.
fn plain(paper: &str) -> String {
    paper.replace('§', "").replace('–', "-")
}

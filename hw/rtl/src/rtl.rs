// SPDX-License-Identifier: Apache-2.0
//! The attribute `#[rtl]`: check the kernel, make it unambiguous, and write it for Rust and for Verilog.

mod check;
mod connect;
mod functions;
mod keywords;
mod loads;
mod names;
mod path;
mod places;
mod quiet;
mod range;
mod registered;
mod rewrite;
mod shorthand;
mod value;
mod verilog;

use gpurf_declaration::Lets;
use proc_macro2::TokenStream;
use quote::quote;
use syn::visit::Visit;
use syn::visit_mut::VisitMut;
use syn::{Attribute, Block, Error, Expr, Ident, ImplItem, ItemImpl, Lit, Meta};

/// A part of a kernel with a name, and what is said about it.
struct Section {
    name: Ident,
    docs: Vec<Attribute>,
    body: Block,
}

/// `impl Logic` with the sections one after the other, each a function of its own; or, where a kernel breaks
/// a rule, every violation as a compile error and a kernel that does nothing, so that nothing else is
/// reported missing.
pub fn expand(arguments: TokenStream, item: TokenStream) -> syn::Result<TokenStream> {
    let kernel: ItemImpl = syn::parse2(item)?;
    let (mut sections, errors) = checked(arguments, &kernel);
    let (generics, module) = (&kernel.generics, &kernel.self_ty);
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    if !errors.is_empty() {
        let errors = errors.iter().map(syn::Error::to_compile_error);
        return Ok(quote! {
            #(#errors)*
            impl #impl_generics ::rust_hdl::logic::Logic for #module #where_clause {
                fn update(&mut self) {}
            }
        });
    }
    for section in &mut sections {
        rewrite::Unambiguous::default().visit_block_mut(&mut section.body);
    }
    let hdl = verilog::hdl(&sections);
    let names: Vec<_> = sections.iter().map(|section| &section.name).collect();
    let functions = sections.iter().map(|Section { name, docs, body }| {
        quote!(#(#docs)* #[allow(unreachable_patterns)] fn #name(&mut self) #body)
    });
    Ok(quote! {
        impl #impl_generics #module #where_clause {
            #(#functions)*
        }

        impl #impl_generics ::rust_hdl::logic::Logic for #module #where_clause {
            fn update(&mut self) {
                #(self.#names();)*
            }

            #hdl
        }
    })
}

/// The sections with their shorthand written out, and all that is wrong with them.
fn checked(arguments: TokenStream, kernel: &ItemImpl) -> (Vec<Section>, Vec<Error>) {
    if !arguments.is_empty() {
        return (vec![], vec![Error::new_spanned(arguments, "`#[rtl]` takes no arguments")]);
    }
    let Parts { mut sections, functions, errors } = parts(kernel);
    if !errors.is_empty() {
        return (vec![], errors);
    }
    let mut loud = quiet::Loud::default();
    for section in &mut sections {
        rewrite::Ungroup.visit_block_mut(&mut section.body);
        loud.visit_block(&section.body);
    }
    if !loud.errors.is_empty() {
        return (vec![], loud.errors);
    }
    let names = match names::Names::of(&kernel.self_ty) {
        Ok(names) => names,
        Err(error) => return (vec![], vec![error]),
    };
    let mut errors = declared(&mut sections, &names, functions);
    let of_declarations = errors.len();
    let mut shorthand = shorthand::Shorthand::of(&names);
    for section in &mut sections {
        let mut quiet = quiet::Quiet::of(&names);
        quiet.visit_block_mut(&mut section.body);
        errors.extend(quiet.errors.into_inner());
        shorthand.visit_block_mut(&mut section.body);
    }
    if errors.len() > of_declarations {
        return (sections, errors);
    }
    errors.extend(check::Checker::check(sections.iter().map(|section| &section.body)));
    errors.extend(shorthand.errors);
    (sections, errors)
}

/// Writes out what rests on the declaration of the module or makes a part of it: calls of functions,
/// connections, `let`s, outputs that are registers, and registers that are assigned.
fn declared(
    sections: &mut [Section],
    names: &names::Names,
    mut functions: functions::Functions,
) -> Vec<Error> {
    let mut connections = connect::Connections { names, errors: vec![] };
    for section in sections.iter_mut() {
        connections.visit_block_mut(&mut section.body);
        functions.visit_block_mut(&mut section.body);
    }
    let mut lets = Lets::of(names.module(), sections.iter().map(|section| &section.body));
    sections.iter_mut().for_each(|section| lets.visit_block_mut(&mut section.body));
    let mut registered = registered::Registered::of(names);
    sections.iter_mut().for_each(|section| registered.section(&mut section.body));
    let (reached, errors) = {
        let bodies: Vec<&Block> = sections.iter().map(|section| &section.body).collect();
        places::reached(names, &bodies)
    };
    let mut loads = loads::Loads::of(names, reached);
    sections.iter_mut().for_each(|section| loads.section(&mut section.body));
    [connections.errors, functions.errors, lets.errors, errors].concat()
}

/// Contents of a kernel.
#[derive(Default)]
struct Parts {
    sections: Vec<Section>,
    functions: functions::Functions,
    errors: Vec<Error>,
}

/// The functions of the block, in their order: what returns something computes, the others are sections.
fn parts(kernel: &ItemImpl) -> Parts {
    let mut parts = Parts::default();
    if let Some((_, of, _)) = &kernel.trait_ {
        let message = "`#[rtl]` belongs on the `impl` block of the module itself\nhelp: write `#[rtl] impl Module { .. }`";
        return Parts { errors: vec![Error::new_spanned(of, message)], ..parts };
    }
    for item in &kernel.items {
        let ImplItem::Fn(section) = item else {
            parts.errors.push(Error::new_spanned(
                item,
                "a kernel holds sections only\nhelp: write `fn name() { .. }`",
            ));
            continue;
        };
        let signature = &section.sig;
        if ["new", "update", "hdl", "connect"].iter().any(|name| signature.ident == name) {
            let message = "the module has a function of this name\nhelp: name the section after what it does";
            parts.errors.push(Error::new_spanned(&signature.ident, message));
        }
        let is_section = signature.inputs.is_empty() && matches!(signature.output, syn::ReturnType::Default);
        if !is_section || !signature.generics.params.is_empty() {
            parts.functions.add(section);
            continue;
        }
        let (name, docs) = (signature.ident.clone(), section.attrs.clone());
        parts.sections.push(Section { name, docs, body: section.block.clone() });
    }
    parts.errors.append(&mut parts.functions.errors);
    parts
}

impl Section {
    /// Its documentation as one text; empty if there is none.
    fn text(&self) -> String {
        let lines = self.docs.iter().filter_map(|attribute| match &attribute.meta {
            Meta::NameValue(doc) if doc.path.is_ident("doc") => match &doc.value {
                Expr::Lit(text) => match &text.lit {
                    Lit::Str(text) => Some(text.value().trim().to_string()),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        });
        lines.collect::<Vec<_>>().join(" ")
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use expect_test::expect_file;
    use syn::ItemImpl;

    use super::*;

    /// Faults in the kernels of a file, each with its place.
    #[derive(Default)]
    struct Wrong(String);

    impl Visit<'_> for Wrong {
        fn visit_item_impl(&mut self, written: &ItemImpl) {
            let mut kernel = written.clone();
            let attribute = kernel.attrs.pop().expect("every block of these files has the attribute");
            let arguments = match attribute.meta {
                Meta::List(list) => list.tokens,
                _ => TokenStream::new(),
            };
            for error in checked(arguments, &kernel).1 {
                let (span, place) = (error.span(), error.span().start());
                let text = span.source_text().expect("it is in the file");
                self.0 += &format!("{}:{}: {text}\n{error}\n\n", place.line, place.column + 1);
            }
        }
    }

    /// One file for each rule.
    #[test]
    fn a_broken_rule_is_an_error_at_its_place() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/broken");
        let paths = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
        let kernels: Vec<_> =
            paths.filter(|path| path.extension().is_some_and(|kind| kind == "rs")).collect();
        assert!(!kernels.is_empty());
        for path in kernels {
            let mut wrong = Wrong::default();
            wrong.visit_file(&syn::parse_file(&fs::read_to_string(&path).unwrap()).unwrap());
            assert_ne!(wrong.0, "", "{}", path.display());
            expect_file![path.with_extension("txt")].assert_eq(&wrong.0);
        }
    }

    fn expanded(body: TokenStream) -> String {
        let kernel = quote!(impl Block { fn kernel() { #body } });
        expand(TokenStream::new(), kernel).unwrap().to_string()
    }

    /// Both sides of the comparison pass through the same printer.
    #[track_caller]
    fn becomes(written: TokenStream, expected: TokenStream) {
        let function = quote!(#[allow(unreachable_patterns)] fn kernel(&mut self) { #expected });
        let expected = quote!(impl Block { #function }).to_string();
        let expanded = expanded(written);
        assert_eq!(&expanded[..expected.len().min(expanded.len())], expected);
    }

    #[test]
    fn every_nested_operator_gets_parentheses() {
        becomes(
            quote!(x = a & b == c;),
            quote!(self.x.next = (self.a.val() & self.b.val()) == self.c.val();),
        );
        becomes(
            quote!(x = a + b - c | !d;),
            quote!(self.x.next = ((self.a.val() + self.b.val()) - self.c.val()) | (!self.d.val());),
        );
        becomes(
            quote!(x = !(a | b).any() ^ c;),
            quote!(self.x.next = (!(self.a.val() | self.b.val()).any()) ^ self.c.val();),
        );
        becomes(
            quote!(if !a & !b {
                x = true;
            }),
            quote!(if (!self.a.val()) & (!self.b.val()) {
                self.x.next = true;
            }),
        );
    }

    #[test]
    fn parentheses_are_not_doubled() {
        becomes(
            quote!(x = (a & b) | (!c);),
            quote!(self.x.next = (self.a.val() & self.b.val()) | (!self.c.val());),
        );
    }

    #[test]
    fn indices_stay_as_written_and_range_ends_become_one_expression() {
        becomes(
            quote!(for i in 0..slots - 1 {
                x[2 * i + 1] = a[i];
            }),
            quote!(for i in 0..(self._slots - 1) {
                self.x[2 * i + 1].next = self.a[i].val();
            }),
        );
    }

    #[test]
    fn a_cast_of_an_element_becomes_a_slice_from_bit_zero() {
        becomes(
            quote!(for i in 0..4 {
                x[i] = bit_cast::<8, 4>(a[i]);
            }),
            quote!(for i in 0..4 {
                self.x[i].next = self.a[i].val().get_bits::<8>(0);
            }),
        );
        becomes(
            quote!(x = bit_cast::<8, 4>(a[3]);),
            quote!(self.x.next = bit_cast::<8, 4>(self.a[3].val());),
        );
    }

    #[test]
    fn names_are_signals_that_are_read_or_driven() {
        becomes(quote!(x = 0;), quote!(self.x.next = 0.into();));
        becomes(quote!(x |= part.y[2];), quote!(self.x.next = self.x.val() | self.part.y[2].val();));
        becomes(
            quote!(for s in 0..slots {
                x[s] = a.get_bit(s) & b.get_bit(c);
            }),
            quote!(for s in 0..self._slots {
                self.x[s].next = self.a.val().get_bit(s) & self.b.val().get_bit(self.c.val().index());
            }),
        );
        becomes(
            quote!(x = if c { 0 } else if d { a } else { b };),
            quote!(
                self.x.next = self.b.val();
                if self.c.val() {
                    self.x.next = 0.into();
                } else if self.d.val() {
                    self.x.next = self.a.val();
                }
            ),
        );
        becomes(
            quote!(x = if c { x | a } else { 0 };),
            quote!(if self.c.val() {
                self.x.next = self.x.val() | self.a.val();
            } else {
                self.x.next = 0.into();
            }),
        );
        becomes(
            quote!(match state {
                State::Idle => x += 1,
                _ => {}
            }),
            quote!(match self.state.val() {
                State::Idle => {
                    self.x.next = self.x.val() + 1;
                }
                _ => {}
            }),
        );
    }

    /// The kernel of `tests/declared/module.rs` with this body.
    fn decided(body: TokenStream) -> String {
        expand(TokenStream::new(), quote!(impl Declared { fn kernel() { #body } })).unwrap().to_string()
    }

    #[test]
    fn a_parameter_decides_what_is_built() {
        let text = decided(quote!(if wide & (slots > 2) {
            x = second;
        } else {
            x = first;
        }));
        let holds = quote!(for _turn0 in 0..usize::from((self._wide != 0) & (self._slots > 2)) {
            self.x.next = self.second[0].val();
        });
        assert!(text.contains(&holds.to_string()), "{text}");
        let otherwise = quote!(for _turn0 in 0..usize::from(!((self._wide != 0) & (self._slots > 2))) {
            self.x.next = self.first.val();
        });
        assert!(text.contains(&otherwise.to_string()), "{text}");
        let chosen = decided(quote!(x = if !wide { first } else { second };));
        let holds = quote!(for _turn0 in 0..usize::from(!(self._wide != 0)) {
            self.x.next = self.first.val();
        });
        assert!(chosen.contains(&holds.to_string()), "{chosen}");
        let behind = decided(quote!(if first {
            x = true;
        } else if wide {
            x = second;
        }));
        assert!(behind.contains("else { for _turn0"), "{behind}");
    }

    #[test]
    fn a_field_with_a_condition_has_one_element() {
        let text = decided(quote!(if slots == 2 {
            held.load(first, held + 1);
            connect!(other { second });
        }));
        for part in
            ["self . held [0] . enable . next", "self . held [0] . d . next = self . held [0] . val () + 1"]
        {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(text.contains("self . other . second . next = self . second [0] . val ()"), "{text}");
    }

    /// Asserts that each of these stands in the expansion.
    #[track_caller]
    fn contains(text: &str, parts: &[TokenStream]) {
        for part in parts.iter().map(TokenStream::to_string) {
            assert!(text.contains(&part), "{part}: {text}");
        }
    }

    #[test]
    fn a_register_that_is_assigned_keeps_its_value_elsewhere() {
        let text = decided(quote!(if first {
            level = 1;
            for s in 0..slots {
                levels[s] = number;
            }
        } else if second {
            level += 2;
        }));
        contains(
            &text,
            &[
                quote!(self.level.enable.next = self.first.val() | self.second[0].val();),
                quote!(if self.first.val() {
                    self.level.d.next = 1.into();
                } else {
                    self.level.d.next = self.level.val() + 2;
                }),
                quote!(for s in 0..self._slots {
                    self.levels[s].enable.next = self.first.val();
                    self.levels[s].d.next = self.number.val();
                }),
            ],
        );
        let complete = decided(quote!(match first {
            State::On => level = 1,
            _ => {
                if second {
                    level = 2;
                }
            }
        }));
        let enable = quote!(
            self.level.enable.next = (self.first.val() == State::On)
                | ((!(self.first.val() == State::On)) & self.second[0].val());
        );
        let or = quote!(self.level.enable.next = (self.first.val() == State::On) | self.second[0].val(););
        assert!([enable, or].iter().any(|form| complete.contains(&form.to_string())), "{complete}");
        // A later assignment wins, also over one that is made in any case.
        let later = decided(quote!(
            level = 1;
            if first {
                level = 2;
            }
        ));
        contains(
            &later,
            &[
                quote!(self.level.enable.next = true;),
                quote!(
                    self.level.d.next = 1.into();
                    if self.first.val() {
                        self.level.d.next = 2.into();
                    }
                ),
            ],
        );
    }

    /// The kernel of `tests/declared/module.rs` with these sections.
    fn in_two(first: TokenStream, second: TokenStream) -> String {
        let kernel = quote!(impl Declared { fn one() { #first } fn other() { #second } });
        expand(TokenStream::new(), kernel).unwrap().to_string()
    }

    #[test]
    fn a_register_is_loaded_in_every_section_that_assigns_it() {
        let text = in_two(
            quote!(level.load(first, number);),
            quote!(if second {
                level = 0;
            }),
        );
        let one = quote!(
            self.level.enable.next = self.first.val();
            self.level.d.next = self.number.val();
        );
        let other = quote!(if self.second[0].val() {
            self.level.enable.next = true;
            self.level.d.next = 0.into();
        });
        contains(&text, &[one, other.clone()]);
        // A choice stays one, and what is assigned in any case needs no condition.
        let text = in_two(
            quote!(level = number;),
            quote!(
                if second {
                    level = 0;
                } else if first {
                    level = 1;
                }
                level = 2;
            ),
        );
        let choice = quote!(else if self.first.val() {
            self.level.enable.next = true;
            self.level.d.next = 1.into();
        });
        let always = quote!(
            self.level.enable.next = true;
            self.level.d.next = 2.into();
        );
        contains(&text, &[quote!(self.level.enable.next = true;), choice, always]);
    }

    #[test]
    fn the_first_place_begins_where_it_reaches_every_element() {
        let kept = quote!(for element in 0..self.levels.len() {
            self.levels[element].enable.next = false;
            self.levels[element].d.next = self.levels[element].val();
        });
        let every = quote!(for s in 0..slots {
            if first {
                levels[s] = number;
            }
        });
        let some = quote!(for e in 0..slots - 1 {
            if second {
                levels[e] = levels[e + 1];
            }
        });
        let one = quote!(if second {
            levels[0] = 1;
        });
        let text = in_two(every.clone(), some.clone());
        assert!(!text.contains(&kept.to_string()), "{text}");
        contains(&text, &[quote!(self.levels[s].enable.next = self.first.val();)]);
        for (before, after) in [(some.clone(), every.clone()), (one, every)] {
            contains(&in_two(before, after), std::slice::from_ref(&kept));
        }
        // Elements that nothing else reaches.
        let last = quote!(for e in slots - 1..slots {
            if first {
                levels[e] = number;
            }
        });
        let odd = quote!(for e in 0..4 {
            levels[2 * e + 1].load(first, number);
        });
        let even = quote!(for s in 0..4 {
            if second {
                levels[s * 2] = 0;
            }
        });
        for (one, other) in [(some, last), (odd, even)] {
            let text = in_two(one, other);
            assert!(!text.contains(&kept.to_string()), "{text}");
            assert!(!text.contains("enable . next = true"), "{text}");
        }
    }

    #[test]
    fn a_register_is_loaded_in_every_turn_that_assigns_it() {
        let text = decided(quote!(for s in 0..slots {
            if levels[s].any() {
                level = s;
            }
        }));
        let turn = quote!(if self.levels[s].val().any() {
            self.level.enable.next = true;
            self.level.d.next = s.to_bits();
        });
        contains(&text, &[quote!(self.level.enable.next = false;), turn]);
    }

    #[test]
    fn an_output_that_is_a_register_is_driven_by_it() {
        let text = decided(quote!(if first & !shown {
            shown = true;
        }));
        contains(
            &text,
            &[
                quote!(self.shown__register.enable.next = self.first.val() & (!self.shown__register.val());),
                quote!(self.shown__register.d.next = true;),
                quote!(self.shown.next = self.shown__register.val();),
            ],
        );
    }

    #[test]
    fn the_ports_of_a_part_are_connected() {
        becomes(
            quote!(connect!(part { port, other: a & b, each: |i| c[i] } -> out, ready as is_ready);),
            quote!(
                self.part.port.next = self.port.val();
                self.part.other.next = self.a.val() & self.b.val();
                for i in 0..self.part.each.len() {
                    self.part.each[i].next = self.c[i].val();
                }
                self.out.next = self.part.out.val();
                self.is_ready.next = self.part.ready.val();
            ),
        );
        // An array by its name alone.
        contains(
            &decided(quote!(connect!(part -> values as levels);)),
            &[quote!(for element in 0..self.levels.len())],
        );
    }

    #[test]
    fn a_let_has_a_value_in_each_turn() {
        becomes(
            quote!(
                let all: Bit = a & b;
                for s in 0..4 {
                    let one: Bit = c[s] & all;
                    x[s] = !one;
                }
            ),
            quote!(
                self.all.next = self.a.val() & self.b.val();
                for s in 0..4 {
                    self.one[s].next = self.c[s].val() & self.all.val();
                    self.x[s].next = !self.one[s].val();
                }
            ),
        );
    }

    #[test]
    fn the_value_of_a_function_stands_where_it_is_called() {
        let kernel = quote!(
            impl Block {
                fn same(a: Bits<8>, b: Bits<8>) -> Bit {
                    a == b
                }

                fn other(a: Bits<8>, b: Bits<8>) -> Bit {
                    !same(a, b)
                }

                fn kernel() {
                    x = other(c, 3);
                }
            }
        );
        let text = expand(TokenStream::new(), kernel).unwrap().to_string();
        let typed = ":: gpurf_hw :: dialect :: typed :: < Bits < 8 > >";
        assert_eq!(text.matches(typed).count(), 4, "{text}");
        assert!(!text.contains("fn same"), "{text}");
        contains(&text, &[quote!(Expression::Number(3))]);
    }

    #[test]
    fn arrays_are_gathered() {
        becomes(
            quote!(x = any(0..slots, |s| a[s] & b[s]);),
            quote!(
                self.x.next = false;
                for s in 0..self._slots {
                    if self.a[s].val() & self.b[s].val() {
                        self.x.next = true;
                    }
                }
            ),
        );
        becomes(
            quote!(x = select(0..4, |s| a[s], |s| b[s]);),
            quote!(
                self.x.next = 0.into();
                for s in 0..4 {
                    if self.a[s].val() {
                        self.x.next = self.x.val() | self.b[s].val();
                    }
                }
            ),
        );
        becomes(
            quote!(x = first(0..4, |s| a[s]);),
            quote!(
                self.x.next = 0.into();
                for s in (0..4).rev() {
                    if self.a[s].val() {
                        self.x.next = s.to_bits();
                    }
                }
            ),
        );
        becomes(
            quote!(x = one_hot(0..4, a);),
            quote!(
                self.x.next = 0.into();
                for element in 0..4 {
                    if self.a.val() == element.to_bits() {
                        self.x.next = (1usize << element).to_bits();
                    }
                }
            ),
        );
        becomes(
            quote!(x = count(0..4, |s| a[s]);),
            quote!(
                self.x.next = 0.into();
                for s in 0..4 {
                    if self.a[s].val() {
                        self.x.next = self.x.val() + 1;
                    }
                }
            ),
        );
    }

    #[test]
    fn a_loops_number_is_a_value() {
        becomes(
            quote!(x = position(0..4, |s| a == s);),
            quote!(
                self.x.next = 0.into();
                for s in 0..4 {
                    if self.a.val() == s.to_bits() {
                        self.x.next = s.to_bits();
                    }
                }
            ),
        );
        becomes(
            quote!(for s in 0..4 {
                x[s] = 2 * s + 1;
            }),
            quote!(for s in 0..4 {
                self.x[s].next = ((2 * s) + 1).to_bits();
            }),
        );
    }

    #[test]
    fn a_bundle_is_assigned_as_one() {
        becomes(
            quote!(pass!(head[2] => part.head);),
            quote!(::gpurf_hw::dialect::wires::assign(::gpurf_hw::dialect::wires::value(&self.head[2]), &mut self.part.head);),
        );
        becomes(
            quote!(head.clear();),
            quote!(::gpurf_hw::dialect::wires::assign(::gpurf_hw::dialect::wires::zero(&self.head), &mut self.head);),
        );
        becomes(
            quote!(head.merge(other);),
            quote!(::gpurf_hw::dialect::wires::assign(::gpurf_hw::dialect::wires::either(&self.head, &self.other), &mut self.head);),
        );
    }

    #[test]
    fn a_register_is_loaded_with_a_value_or_with_wires() {
        becomes(
            quote!(count.load(step, count + 1);),
            quote!(
                self.count.enable.next = self.step.val();
                self.count.d.next = self.count.val() + 1;
            ),
        );
        becomes(
            quote!(held.load(step, head);),
            quote!(
                self.held.enable.next = self.step.val();
                ::gpurf_hw::dialect::wires::assign(::gpurf_hw::dialect::wires::value(&self.head), &mut self.held);
            ),
        );
    }

    #[test]
    fn only_wires_are_assigned_as_one() {
        for kernel in [
            quote!(head.merge(other | third);),
            quote!(pass!(head[select] => other);),
            quote!(pass!(head => HEAD);),
            quote!(pass!(_head => other);),
        ] {
            let text = expanded(kernel.clone());
            assert!(text.contains("compile_error"), "{kernel}: {text}");
        }
    }

    #[test]
    fn a_violation_leaves_nothing_else_to_report() {
        let text = expanded(quote!(for i in 0..=3 {
            x[i] = false;
        }));
        assert!(text.contains("compile_error"), "{text}");
        assert!(text.contains("fn update"), "{text}");
        assert!(!text.contains("fn hdl"), "{text}");
    }

    #[test]
    fn every_violation_is_reported() {
        let kernel = syn::parse_quote!(
            impl Block {
                fn one() {
                    let x = 1;
                    reg = a;
                }

                fn other() {
                    y = a + b == c;
                }
            }
        );
        assert_eq!(checked(TokenStream::new(), &kernel).1.len(), 3);
    }

    #[test]
    fn sections_are_functions_and_keep_what_is_said_about_them() {
        let kernel = quote!(
            impl<const W: usize> Block<W> {
                /// The first line,
                /// and another.
                fn one() {
                    x = a;
                }

                fn other() {
                    y = x;
                }
            }
        );
        let text = expand(TokenStream::new(), kernel).unwrap().to_string();
        assert!(text.contains("fn update (& mut self) { self . one () ; self . other () ; }"), "{text}");
        assert!(text.contains("Section (\"The first line, and another.\""), "{text}");
        assert!(text.contains("Section (\"\""), "{text}");
    }
}

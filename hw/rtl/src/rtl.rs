//! The attribute `#[rtl]`: check the kernel, make it unambiguous, and write it for Rust and for Verilog.

mod check;
mod keywords;
mod path;
mod quiet;
mod rewrite;
mod shorthand;
mod value;
mod verilog;

use proc_macro2::TokenStream;
use quote::quote;
use syn::visit::Visit;
use syn::visit_mut::VisitMut;
use syn::{FnArg, ItemFn};

/// The functions of an `impl Logic`; or, where the kernel breaks a rule, every violation as a compile error
/// and a kernel that does nothing, so that nothing else is reported missing.
pub fn expand(arguments: TokenStream, item: TokenStream) -> syn::Result<TokenStream> {
    let (mut kernel, errors) = checked(arguments, syn::parse2(item)?);
    if !errors.is_empty() {
        let (errors, signature) = (errors.iter().map(syn::Error::to_compile_error), &kernel.sig);
        return Ok(quote!(#(#errors)* #signature {}));
    }
    rewrite::Unambiguous::default().visit_item_fn_mut(&mut kernel);
    let hdl = verilog::hdl(&kernel.block);
    Ok(quote!(#[allow(unreachable_patterns)] #kernel #hdl))
}

/// The kernel with its shorthand written out, and all that is wrong with it.
fn checked(arguments: TokenStream, mut kernel: ItemFn) -> (ItemFn, Vec<syn::Error>) {
    rewrite::Ungroup.visit_item_fn_mut(&mut kernel);
    let mut loud = quiet::Loud::default();
    loud.visit_block(&kernel.block);
    if !loud.errors.is_empty() {
        return (kernel, loud.errors);
    }
    quiet::Quiet::default().visit_item_fn_mut(&mut kernel);
    let mut shorthand = shorthand::Shorthand::default();
    shorthand.visit_item_fn_mut(&mut kernel);
    let mut errors = violations(arguments, &kernel);
    errors.extend(shorthand.errors);
    (kernel, errors)
}

fn violations(arguments: TokenStream, kernel: &ItemFn) -> Vec<syn::Error> {
    if !arguments.is_empty() {
        return vec![syn::Error::new_spanned(arguments, "`#[rtl]` takes no arguments")];
    }
    let inputs: Vec<_> = kernel.sig.inputs.iter().collect();
    let takes_self = matches!(inputs[..], [FnArg::Receiver(this)]
        if this.reference.is_some() && this.mutability.is_some());
    if kernel.sig.ident != "update" || !takes_self {
        let message = "`#[rtl]` belongs on `fn update(&mut self)` of an `impl Logic`";
        return vec![syn::Error::new_spanned(&kernel.sig, message)];
    }
    check::Checker::check(&kernel.block)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use expect_test::expect_file;
    use syn::visit::Visit;
    use syn::{ImplItemFn, Meta};

    use super::*;

    /// What is wrong with the kernels of a file, each with its place.
    #[derive(Default)]
    struct Wrong(String);

    impl Visit<'_> for Wrong {
        fn visit_impl_item_fn(&mut self, written: &ImplItemFn) {
            let ImplItemFn { attrs, vis, sig, block, .. } = written.clone();
            let Some(attribute) = attrs.iter().find(|attribute| attribute.path().is_ident("rtl")) else {
                return;
            };
            let arguments = match &attribute.meta {
                Meta::List(list) => list.tokens.clone(),
                _ => TokenStream::new(),
            };
            let kernel = ItemFn { attrs: vec![], vis, sig, block: Box::new(block) };
            for error in checked(arguments, kernel).1 {
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
        expand(TokenStream::new(), quote!(fn update(&mut self) { #body })).unwrap().to_string()
    }

    /// Both sides of the comparison pass through the same printer.
    #[track_caller]
    fn becomes(written: TokenStream, expected: TokenStream) {
        let expected = quote!(#[allow(unreachable_patterns)] fn update(&mut self) { #expected }).to_string();
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
            quote!(match state {
                State::Idle => x += 1,
                _ => {}
            }),
            quote!(match self.state.val() {
                State::Idle => self.x.next = self.x.val() + 1,
                _ => {}
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
            quote!(
                fn update(&mut self) {
                    head.merge(other | third);
                }
            ),
            quote!(
                fn update(&mut self) {
                    pass!(head[select] => other);
                }
            ),
            quote!(
                fn update(&mut self) {
                    pass!(head => HEAD);
                }
            ),
            quote!(
                fn update(&mut self) {
                    pass!(_head => other);
                }
            ),
        ] {
            let text = expand(TokenStream::new(), kernel.clone()).unwrap().to_string();
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
            fn update(&mut self) {
                let x = 1;
                reg = a + b == c;
            }
        );
        assert_eq!(checked(TokenStream::new(), kernel).1.len(), 3);
    }

    #[test]
    fn only_the_kernel_takes_the_attribute() {
        for kernel in [
            syn::parse_quote!(
                fn connect(&mut self) {}
            ),
            syn::parse_quote!(
                fn update(&self) {}
            ),
            syn::parse_quote!(
                fn update(self) {}
            ),
            syn::parse_quote!(
                fn update() {}
            ),
        ] {
            assert_eq!(violations(TokenStream::new(), &kernel).len(), 1);
        }
    }
}

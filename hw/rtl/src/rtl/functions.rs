// SPDX-License-Identifier: Apache-2.0
//! Functions that compute: what one returns stands where it is called.

use std::collections::HashMap;

use syn::spanned::Spanned;
use syn::visit_mut::{visit_expr_mut, VisitMut};
use syn::{
    parse_quote, parse_quote_spanned, Error, Expr, FnArg, Ident, ImplItemFn, Pat, ReturnType, Stmt, Type,
};

/// The functions of a kernel.
#[derive(Default)]
pub(super) struct Functions {
    all: HashMap<String, Function>,
    pub errors: Vec<Error>,
}

struct Function {
    arguments: Vec<(Ident, Type)>,
    result: Type,
    value: Expr,
}

impl Functions {
    /// Reads one, whose value may call those above it.
    pub fn add(&mut self, written: &ImplItemFn) {
        match self.read(written) {
            Ok(function) => {
                self.all.insert(written.sig.ident.to_string(), function);
            }
            Err(error) => self.errors.push(error),
        }
    }

    fn read(&mut self, written: &ImplItemFn) -> syn::Result<Function> {
        let signature = &written.sig;
        let refused = |place: &dyn quote::ToTokens, problem: &str, help: &str| {
            Err(Error::new_spanned(place.to_token_stream(), format!("{problem}\nhelp: {help}")))
        };
        let ReturnType::Type(_, result) = &signature.output else {
            let help =
                "write `fn name() { .. }`, or `fn name(a: Bit, b: Bit) -> Bit { a & b }` for what computes";
            return refused(signature, "a section takes nothing and returns nothing", help);
        };
        let mut arguments = vec![];
        for input in &signature.inputs {
            match input {
                FnArg::Typed(input) => match &*input.pat {
                    Pat::Ident(name) if name.mutability.is_none() => {
                        arguments.push((name.ident.clone(), (*input.ty).clone()));
                    }
                    other => return refused(other, "an argument is a name", "write `a: Bit`"),
                },
                receiver => {
                    let help = "leave `self` out: a function computes from its arguments alone";
                    return refused(receiver, "a function has no module", help);
                }
            }
        }
        let [Stmt::Expr(value, None)] = &written.block.stmts[..] else {
            let help =
                "write `fn name(a: Bit, b: Bit) -> Bit { a & b }`; what takes statements is a section, \
                        `fn name() { .. }`";
            return refused(&signature.ident, "a function is one expression", help);
        };
        let mut value = value.clone();
        self.visit_expr_mut(&mut value);
        let mut own = Own { arguments: &arguments, errors: vec![] };
        own.visit_expr_mut(&mut value);
        if let Some(error) = own.errors.into_iter().next() {
            return Err(error);
        }
        Ok(Function { arguments, result: (**result).clone(), value })
    }
}

/// Writes the value of a function in place of each call.
impl VisitMut for Functions {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        visit_expr_mut(self, expr);
        let Expr::Call(call) = expr else { return };
        let Expr::Path(name) = &*call.func else { return };
        let Some(function) = name.path.get_ident().and_then(|name| self.all.get(&name.to_string())) else {
            return;
        };
        if call.args.len() != function.arguments.len() {
            let of: Vec<String> = function.arguments.iter().map(|(name, _)| name.to_string()).collect();
            let name = name.path.get_ident().expect("it was found by its name");
            let problem = format!("`{name}` takes {} arguments, not {}", of.len(), call.args.len());
            let hint = format!("{problem}\nhelp: write `{name}({})`", of.join(", "));
            self.errors.push(Error::new_spanned(&*call, hint));
            *expr = parse_quote!(false);
            return;
        }
        let given = function.arguments.iter().zip(&call.args);
        let given = given.map(|((name, ty), value)| {
            let typed = parse_quote_spanned!(value.span()=> ::gpurf_hw::dialect::typed::<#ty>(#value));
            (name.to_string(), typed)
        });
        let (mut value, result) = (function.value.clone(), &function.result);
        Given(given.collect()).visit_expr_mut(&mut value);
        *expr = parse_quote_spanned!(call.span()=> ::gpurf_hw::dialect::typed::<#result>(#value));
    }
}

/// Writes values in place of arguments.
struct Given(HashMap<String, Expr>);

impl VisitMut for Given {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        let Expr::Path(path) = expr else { return visit_expr_mut(self, expr) };
        if let Some(value) = path.path.get_ident().and_then(|name| self.0.get(&name.to_string())) {
            *expr = value.clone();
        }
    }
}

/// Finds the names that are no arguments.
struct Own<'a> {
    arguments: &'a [(Ident, Type)],
    errors: Vec<Error>,
}

impl VisitMut for Own<'_> {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        let Expr::Path(path) = expr else { return visit_expr_mut(self, expr) };
        let Some(name) = path.path.get_ident() else { return };
        let is_signal = name.to_string().starts_with(|letter: char| letter.is_lowercase() || letter == '_');
        if is_signal && !self.arguments.iter().any(|(argument, _)| argument == name) {
            let hint =
                format!("a function computes from its arguments alone\nhelp: let `{name}` be one of them");
            self.errors.push(Error::new_spanned(name, hint));
        }
    }

    fn visit_expr_call_mut(&mut self, call: &mut syn::ExprCall) {
        // The function's own name is none.
        call.args.iter_mut().for_each(|argument| self.visit_expr_mut(argument));
    }
}

// SPDX-License-Identifier: Apache-2.0
//! The kernel for Verilog: its statements as constants, and the numbers that parameters decide beside them.

use proc_macro2::TokenStream;
use quote::{quote, ToTokens};
use syn::{
    BinOp, Block, Expr, ExprBinary, ExprCall, ExprIf, ExprMethodCall, GenericArgument, Ident, Lit, Pat, Path,
    Stmt, UnOp,
};

use super::path::{base_of, typed, Assigned};
use super::range::range_of;
use super::value::{first_width, width_of};
use super::Section;

/// `fn hdl` of a kernel that keeps all rules.
pub(super) fn hdl(sections: &[Section]) -> TokenStream {
    let mut translation = Translation::default();
    let statements = sections.iter().map(|section| {
        let (text, statements) = (section.text(), translation.block(&section.body));
        quote!(Statement::Section(#text, #statements))
    });
    let statements: Vec<_> = statements.collect();
    let parameters = translation.parameters;
    quote! {
        fn hdl(&self) -> ::rust_hdl::ast::Verilog {
            const KERNEL: &[::gpurf_hw::dialect::kernel::Statement] = {
                use ::gpurf_hw::dialect::kernel::{Expression, Number, Statement};
                &[#(#statements),*]
            };
            ::gpurf_hw::dialect::kernel::verilog(KERNEL, &[#(#parameters),*])
        }
    }
}

/// A translation under way.
#[derive(Default)]
struct Translation {
    /// Numbers that are known when a module is built.
    parameters: Vec<TokenStream>,
}

impl Translation {
    fn block(&mut self, block: &Block) -> TokenStream {
        let statements = block.stmts.iter().map(|statement| match statement {
            Stmt::Expr(expr, _) => self.statement(expr),
            other => unreachable!("a rule forbids {}", other.to_token_stream()),
        });
        let statements: Vec<_> = statements.collect();
        quote!(&[#(#statements),*])
    }

    fn statement(&mut self, expr: &Expr) -> TokenStream {
        match expr {
            Expr::Assign(assign) => self.assignment(&assign.left, &assign.right),
            Expr::If(choice) => self.conditional(choice),
            Expr::Match(choice) => {
                let selector = self.value(&choice.expr);
                let arms: Vec<_> = choice
                    .arms
                    .iter()
                    .map(|arm| {
                        let pattern = match &arm.pat {
                            Pat::Path(variant) => name_of(&variant.path),
                            _ => "default".to_string(),
                        };
                        let block = match &*arm.body {
                            Expr::Block(body) => self.block(&body.block),
                            statement => {
                                let statement = self.statement(statement);
                                quote!(&[#statement])
                            }
                        };
                        quote!((#pattern, #block))
                    })
                    .collect();
                quote!(Statement::Match(#selector, &[#(#arms),*]))
            }
            Expr::ForLoop(each) => {
                let (range, is_backwards) = range_of(&each.expr).expect("a rule asks for a range");
                let [from, to] = [&range.start, &range.end]
                    .map(|end| self.number(end.as_deref().expect("a rule asks for both ends")));
                let (variable, block) = (each.pat.to_token_stream().to_string(), self.block(&each.body));
                match is_backwards {
                    true => quote!(Statement::Backwards(#variable, #to, #block)),
                    false => quote!(Statement::For(#variable, #from, #to, #block)),
                }
            }
            Expr::Call(call) => wires(&Assigned::parse(call).expect("a rule allows no other call")),
            other => unreachable!("a rule forbids {}", other.to_token_stream()),
        }
    }

    fn assignment(&mut self, target: &Expr, value: &Expr) -> TokenStream {
        let signal = base_of(target, "next").expect("a rule asks for a signal");
        let (path, value) = (path_of(signal), self.value(value));
        quote!(Statement::Assign(#path, #value))
    }

    fn conditional(&mut self, choice: &ExprIf) -> TokenStream {
        let (test, then) = (self.value(&choice.cond), self.block(&choice.then_branch));
        let otherwise = match choice.else_branch.as_ref().map(|(_, branch)| &**branch) {
            Some(Expr::If(next)) => {
                let next = self.conditional(next);
                quote!(&[#next])
            }
            Some(Expr::Block(last)) => self.block(&last.block),
            _ => quote!(&[]),
        };
        quote!(Statement::If(#test, #then, #otherwise))
    }

    /// A value; `&` before it makes it a constant of its own.
    fn value(&mut self, expr: &Expr) -> TokenStream {
        match expr {
            Expr::Paren(paren) => {
                let of = self.value(&paren.expr);
                quote!(Expression::Paren(&#of))
            }
            Expr::Lit(literal) => match &literal.lit {
                Lit::Bool(bit) => quote!(Expression::Bit(#bit)),
                Lit::Int(number) => {
                    let number = number.base10_digits().parse::<proc_macro2::Literal>().expect("a number");
                    quote!(Expression::Number(#number))
                }
                other => unreachable!("a rule forbids {}", other.to_token_stream()),
            },
            Expr::Path(path) => {
                let name = name_of(&path.path);
                quote!(Expression::Signal(#name))
            }
            Expr::Unary(unary) => {
                let of = self.value(&unary.expr);
                let operator = match unary.op {
                    UnOp::Neg(_) => "Neg",
                    _ => "Not",
                };
                reduction(operator, of)
            }
            Expr::Binary(binary) => self.binary(binary),
            Expr::MethodCall(call) => self.method(call),
            Expr::Call(call) => match typed(call) {
                Some(value) => {
                    let of = self.value(value);
                    quote!(Expression::Paren(&#of))
                }
                None => self.cast(call),
            },
            other => unreachable!("a rule forbids {}", other.to_token_stream()),
        }
    }

    fn binary(&mut self, binary: &ExprBinary) -> TokenStream {
        let (left, right) = (self.value(&binary.left), self.value(&binary.right));
        let operator = match binary.op {
            BinOp::Add(_) => "Add",
            BinOp::Sub(_) => "Sub",
            BinOp::Mul(_) => "Mul",
            BinOp::BitXor(_) => "BitXor",
            BinOp::BitAnd(_) => "BitAnd",
            BinOp::BitOr(_) => "BitOr",
            BinOp::Shl(_) => "Shl",
            BinOp::Shr(_) => "Shr",
            BinOp::Eq(_) => "Eq",
            BinOp::Ne(_) => "Ne",
            BinOp::Lt(_) => "Lt",
            BinOp::Le(_) => "Le",
            BinOp::Gt(_) => "Gt",
            BinOp::Ge(_) => "Ge",
            other => unreachable!("a rule forbids {}", other.to_token_stream()),
        };
        let operator = Ident::new(operator, proc_macro2::Span::call_site());
        quote!(Expression::Binary(&#left, ::rust_hdl::ast::VerilogOp::#operator, &#right))
    }

    fn method(&mut self, call: &ExprMethodCall) -> TokenStream {
        let name = call.method.to_string();
        if name == "val" {
            let path = path_of(&call.receiver);
            return quote!(Expression::Signal(#path));
        }
        let of = self.value(&call.receiver);
        let arguments: Vec<_> = call.args.iter().map(|argument| self.value(argument)).collect();
        match (name.as_str(), &arguments[..]) {
            ("any", _) => reduction("Any", of),
            ("all", _) => reduction("All", of),
            ("xor", _) => reduction("Xor", of),
            ("get_bit", [at]) => quote!(Expression::BitOf(&#of, &#at)),
            ("get_bits", [at]) => {
                let width = call.turbofish.as_ref().and_then(first_width).expect("a rule asks for a width");
                let width = self.width(width);
                quote!(Expression::Slice(&#of, #width, &#at))
            }
            ("replace_bit", [at, bit]) => quote!(Expression::Replaced(&#of, &#at, &#bit)),
            // `into`, `index` and `to_bits` change nothing of the value.
            _ => of,
        }
    }

    /// `bit_cast::<TO, FROM>(value)` or `bits::<W>(5)`.
    fn cast(&mut self, call: &ExprCall) -> TokenStream {
        let Expr::Path(function) = &*call.func else { unreachable!("a rule asks for a cast") };
        let width = function.path.segments.last().and_then(width_of).expect("a rule asks for a width");
        let (of, width) = (self.value(&call.args[0]), self.width(width));
        quote!(Expression::Cast(&#of, #width))
    }

    fn width(&mut self, width: &GenericArgument) -> TokenStream {
        match width {
            GenericArgument::Const(Expr::Lit(number)) => quote!(Number::Plain(#number)),
            other => self.parameter(other.to_token_stream()),
        }
    }

    fn number(&mut self, number: &Expr) -> TokenStream {
        match number {
            Expr::Lit(number) => quote!(Number::Plain(#number)),
            other => self.parameter(other.to_token_stream()),
        }
    }

    fn parameter(&mut self, number: TokenStream) -> TokenStream {
        let text = number.to_string();
        let known = self.parameters.iter().position(|parameter| parameter.to_string() == text);
        let which = known.unwrap_or_else(|| {
            self.parameters.push(number);
            self.parameters.len() - 1
        });
        quote!(Number::Parameter(#which))
    }
}

fn reduction(operator: &str, of: TokenStream) -> TokenStream {
    let operator = Ident::new(operator, proc_macro2::Span::call_site());
    quote!(Expression::Unary(::rust_hdl::ast::VerilogOpUnary::#operator, &#of))
}

fn wires(assigned: &Assigned) -> TokenStream {
    let (target, from) = (path_of(assigned.target), assigned.from.iter().map(|from| path_of(from)));
    let kind = Ident::new(
        match assigned.function.to_string().as_str() {
            "zero" => "Zero",
            "value" => "Of",
            _ => "Either",
        },
        assigned.function.span(),
    );
    let value = match kind == "Zero" {
        true => quote!(#kind),
        false => quote!(#kind(#(#from),*)),
    };
    quote!(Statement::Wires(::gpurf_hw::dialect::wires::Assigned {
        target: #target,
        value: ::gpurf_hw::dialect::wires::AssignedValue::#value,
    }))
}

/// `bank$queue[i]` for `self.bank.queue[i]`.
fn path_of(signal: &Expr) -> String {
    match signal {
        Expr::Field(field) => match &*field.base {
            Expr::Path(_) => field.member.to_token_stream().to_string(),
            base => format!("{}${}", path_of(base), field.member.to_token_stream()),
        },
        Expr::Index(index) => {
            let place: String = index.index.to_token_stream().to_string().split_whitespace().collect();
            format!("{}[{place}]", path_of(&index.expr))
        }
        other => unreachable!("a rule asks for a path, not {}", other.to_token_stream()),
    }
}

/// `State$Idle` for `State::Idle`.
fn name_of(path: &Path) -> String {
    path.segments.iter().map(|segment| segment.ident.to_string()).collect::<Vec<_>>().join("$")
}

// SPDX-License-Identifier: Apache-2.0
//! The values of a kernel: where Verilog would compute more bits than Rust, and what is no value.

use syn::{
    AngleBracketedGenericArguments, BinOp, Expr, ExprBinary, ExprCall, ExprMethodCall, GenericArgument, Lit,
    PathArguments, PathSegment, Type, UnOp,
};

use super::check::Checker;
use super::path::{call_of, is_plain, is_variant, peel, typed};

impl Checker {
    /// Checks an expression that a signal is given or a condition tests.
    pub fn value(&mut self, expr: &Expr) {
        match expr {
            Expr::Paren(paren) => self.value(&paren.expr),
            Expr::Lit(literal) if matches!(literal.lit, Lit::Int(_) | Lit::Bool(_)) => {}
            Expr::Path(path) if is_variant(&path.path) => {}
            Expr::Path(path) if self.loops.iter().any(|name| path.path.is_ident(name)) => {}
            Expr::Path(path) => self.reject(
                path,
                "a constant has no value in the Verilog",
                "write the literal, or hold it in a field `name: Constant<T>` and read \
                 `name`",
            ),
            Expr::Unary(unary) if matches!(unary.op, UnOp::Not(_) | UnOp::Neg(_)) => {
                if matches!(unary.op, UnOp::Neg(_)) {
                    self.uninverted(&unary.expr, "negated");
                }
                self.value(&unary.expr);
            }
            Expr::Binary(binary) => self.binary(binary),
            Expr::MethodCall(call) => self.method(call),
            Expr::Call(call) => match typed(call) {
                Some(value) => self.value(value),
                None => self.cast(call),
            },
            Expr::Field(_) | Expr::Index(_) => self.unread(expr),
            Expr::If(_) | Expr::Match(_) | Expr::Block(_) => self.reject(
                expr,
                "a choice is a whole value, of one expression in each branch",
                "write `x = if c { a } else { b };`, or assign in every branch: `if c { x = a; } else { x = b; }`",
            ),
            Expr::Cast(cast) => self.reject(
                cast,
                "`as` does not translate to Verilog",
                "change a width with `bit_cast::<TO, FROM>(x)`",
            ),
            Expr::Closure(closure) => self.reject(
                closure,
                "closures do not translate to Verilog",
                "write the logic out, in a loop if it repeats",
            ),
            other => self.reject(
                other,
                "this expression does not translate to Verilog",
                "a value is made of `signal`, literals, variants, operators and casts",
            ),
        }
    }

    fn unread(&mut self, expr: &Expr) {
        self.reject(expr, "this is no signal", "write `signal`, `array[i]` or `part.port`");
    }

    fn binary(&mut self, binary: &ExprBinary) {
        let (left, right) = (&*binary.left, &*binary.right);
        match binary.op {
            BinOp::BitAnd(_) | BinOp::BitOr(_) | BinOp::BitXor(_) => {}
            BinOp::Add(_) | BinOp::Sub(_) | BinOp::Mul(_) => {
                self.uninverted(left, "used in arithmetic");
                self.uninverted(right, "used in arithmetic");
            }
            BinOp::Shl(_) => {
                self.uninverted(left, "shifted");
                self.settled(right, "used as a shift amount");
            }
            BinOp::Shr(_) => {
                self.settled(left, "shifted right");
                self.settled(right, "used as a shift amount");
            }
            BinOp::Eq(_) | BinOp::Ne(_) | BinOp::Lt(_) | BinOp::Le(_) | BinOp::Gt(_) | BinOp::Ge(_) => {
                self.settled(left, "compared");
                self.settled(right, "compared");
            }
            BinOp::And(_) | BinOp::Or(_) => self.reject(
                binary.op,
                "kernels join conditions with `&` and `|`",
                "write `a & b` for `a && b` and `a | b` for `a || b`",
            ),
            _ => self.reject(
                binary.op,
                "this operator does not translate to Verilog",
                "the operators are `+ - * & | ^ << >>`, `== != < <= > >=`, `!` and `-`",
            ),
        }
        self.value(left);
        self.value(right);
    }

    fn method(&mut self, call: &ExprMethodCall) {
        let receiver = &*call.receiver;
        let arguments: Vec<_> = call.args.iter().collect();
        match (call.method.to_string().as_str(), &arguments[..]) {
            ("val", []) => match self.signal(receiver) {
                Some(path) if path.is_clock() => self.reject(
                    call,
                    "a clock is not data",
                    "its only use is to be passed down: `register.clock = \
                     clock;`",
                ),
                Some(_) => {}
                None => self.unread(receiver),
            },
            ("into", []) => self.value(receiver),
            ("index", []) => self.operand(receiver, "used as an index"),
            ("any" | "all" | "xor", []) => self.operand(receiver, "reduced to one bit"),
            ("to_bits", []) if self.constant(receiver) || self.single_bit(receiver) => {}
            ("get_bit", [index]) => {
                self.plain(receiver, "cut into bits");
                self.bit_index(index);
            }
            ("get_bits", [index]) => {
                if call.turbofish.as_ref().and_then(first_width).is_none() {
                    self.reject(call, "the width of the slice is missing", "write `get_bits::<M>`");
                }
                self.plain(receiver, "cut into bits");
                self.bit_index(index);
            }
            ("replace_bit", [index, bit]) => {
                self.operand(receiver, "changed in one bit");
                self.bit_index(index);
                self.value(bit);
            }
            _ => self.reject(
                &call.method,
                "this method does not translate to Verilog",
                "the methods are `get_bit`, `get_bits::<M>`, `replace_bit`, `any`, `all` and `xor`, and \
                 `to_bits::<M>` on loop variables and literals",
            ),
        }
    }

    fn cast(&mut self, call: &ExprCall) {
        let function = match &*call.func {
            Expr::Path(function) if function.qself.is_none() => function.path.segments.last(),
            _ => None,
        };
        let arguments: Vec<_> = call.args.iter().collect();
        let name = function.map(|name| name.ident.to_string()).unwrap_or_default();
        let width = function.and_then(width_of);
        match (name.as_str(), &arguments[..]) {
            ("bit_cast", [value]) => {
                if width.is_none() {
                    self.reject(
                        &call.func,
                        "the width of the cast is missing",
                        "write `bit_cast::<TO, FROM>(..)`",
                    );
                }
                self.plain(value, "cast");
            }
            ("any" | "count" | "first" | "one_hot" | "position" | "select", _) => self.reject(
                call,
                "an array is gathered as a whole value",
                "write `x = any(0..n, |i| a[i]);`, so `count`, `first` and `position`, or `x = select(0..n, |i| a[i], |i| \
                 b[i]);`, or `x = one_hot(0..n, a);`",
            ),
            ("bits", [value]) => {
                let literal = matches!(value, Expr::Lit(literal) if matches!(literal.lit, Lit::Int(_)));
                if !literal || width.is_none() {
                    self.reject(
                        call,
                        "`bits` makes a literal of a given width",
                        "write `bits::<W>(5)`; for a loop variable `i.to_bits::<W>()`",
                    );
                }
            }
            _ => self.reject(
                call,
                "this call does not translate to Verilog",
                "the functions are `bit_cast::<TO, FROM>` and `bits::<W>`, and those of the block that return a value",
            ),
        }
    }

    /// Checks a value that Verilog evaluates at a width of its own.
    fn operand(&mut self, expr: &Expr, fate: &str) {
        self.settled(expr, fate);
        self.value(expr);
    }

    /// Requires a value that is read, sliced or cast, and not computed.
    fn plain(&mut self, expr: &Expr, fate: &str) {
        if is_plain(expr) {
            self.value(expr);
        } else if carry(expr, self).is_some() || inversion(expr).is_some() {
            self.operand(expr, fate);
        } else {
            self.reject(
                expr,
                &format!("only a plain value is {fate}: Verilog gives an expression no fixed width"),
                &local(fate),
            );
            self.value(expr);
        }
    }

    fn settled(&mut self, expr: &Expr, fate: &str) {
        if let Some(operation) = carry(expr, self) {
            self.reject(
                operation,
                &format!(
                    "a {} cannot be {fate} directly: Verilog may compute it wider than Rust does, \
                     and what Rust drops would count",
                    noun(operation)
                ),
                &local(fate),
            );
        } else {
            self.uninverted(expr, fate);
        }
    }

    fn uninverted(&mut self, expr: &Expr, fate: &str) {
        if let Some(operation) = inversion(expr) {
            self.reject(
                operation,
                &format!(
                    "an inversion cannot be {fate} directly: Verilog may extend its operand first, \
                     and the upper bits would turn to ones"
                ),
                &local(fate),
            );
        }
    }

    fn bit_index(&mut self, index: &Expr) {
        if self.constant(index) {
            return;
        }
        match call_of(peel(index), "index") {
            Some(_) => self.value(index),
            None => self.reject(
                index,
                "a bit index is made of loop variables and plain literals, or is one signal",
                "name it first, `let t: Bits<N> = ..;`, and write `get_bit(t)`",
            ),
        }
    }

    /// Returns true if an expression is the number with one bit set that a loop variable names, `1 << i`.
    fn single_bit(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Paren(paren) => self.single_bit(&paren.expr),
            Expr::Binary(ExprBinary { left, op: BinOp::Shl(_), right, .. }) => {
                matches!(**left, Expr::Lit(_)) && self.constant(right)
            }
            _ => false,
        }
    }

    /// Returns true if an expression is made of loop variables and plain literals with `+`, `-` and `*`.
    pub fn constant(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Paren(paren) => self.constant(&paren.expr),
            Expr::Lit(literal) => {
                matches!(&literal.lit, Lit::Int(number) if number.suffix().is_empty())
            }
            Expr::Path(path) => self.loops.iter().any(|name| path.path.is_ident(name)),
            Expr::Binary(binary) => {
                matches!(binary.op, BinOp::Add(_) | BinOp::Sub(_) | BinOp::Mul(_))
                    && self.constant(&binary.left)
                    && self.constant(&binary.right)
            }
            _ => false,
        }
    }
}

/// The first width in a function's turbofish, the one of its result.
pub(super) fn width_of(function: &PathSegment) -> Option<&GenericArgument> {
    match &function.arguments {
        PathArguments::AngleBracketed(turbofish) => first_width(turbofish),
        _ => None,
    }
}

/// The first width of a turbofish; `_` names none.
pub(super) fn first_width(turbofish: &AngleBracketedGenericArguments) -> Option<&GenericArgument> {
    turbofish.args.first().filter(|width| !matches!(width, GenericArgument::Type(Type::Infer(_))))
}

/// The operation whose dropped bits a wider context would bring back: itself, or below operators
/// that keep the width.
fn carry<'a>(expr: &'a Expr, checker: &Checker) -> Option<&'a Expr> {
    let expr = peel(expr);
    match expr {
        Expr::Binary(binary) => match binary.op {
            BinOp::Add(_) | BinOp::Sub(_) | BinOp::Mul(_) | BinOp::Shl(_) => {
                (!checker.constant(expr)).then_some(expr)
            }
            BinOp::BitAnd(_) | BinOp::BitOr(_) | BinOp::BitXor(_) => {
                carry(&binary.left, checker).or_else(|| carry(&binary.right, checker))
            }
            _ => None,
        },
        Expr::Unary(unary) => match unary.op {
            UnOp::Neg(_) => Some(expr),
            _ => carry(&unary.expr, checker),
        },
        _ => None,
    }
}

fn inversion(expr: &Expr) -> Option<&Expr> {
    let expr = peel(expr);
    matches!(expr, Expr::Unary(unary) if matches!(unary.op, UnOp::Not(_))).then_some(expr)
}

fn noun(operation: &Expr) -> &'static str {
    match operation {
        Expr::Binary(ExprBinary { op: BinOp::Add(_), .. }) => "sum",
        Expr::Binary(ExprBinary { op: BinOp::Sub(_), .. }) => "difference",
        Expr::Binary(ExprBinary { op: BinOp::Mul(_), .. }) => "product",
        Expr::Binary(_) => "left shift",
        _ => "negation",
    }
}

fn local(fate: &str) -> String {
    format!("name it, `let t: Bits<N> = ..;` as wide as it is, and let `t` be {fate}")
}

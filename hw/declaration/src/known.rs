// SPDX-License-Identifier: Apache-2.0
//! Facts of the declarations of a module and its parts that a kernel rests on.

use std::collections::{HashMap, HashSet};

use proc_macro2::Ident;
use syn::{BinOp, Expr, UnOp};

use crate::let_wire::Let;

/// Names of a module.
#[derive(Default)]
pub struct Known {
    /// Its fields, those of the bundle of its ports among them.
    pub(crate) fields: HashMap<String, Named>,
    /// Names that are known when it is built: parameters and sizes.
    pub(crate) statics: HashSet<String>,
    /// Wires that its kernel declares.
    pub(crate) lets: Vec<Let>,
}

/// A field by its name.
pub(crate) struct Named {
    pub(crate) nature: Nature,
    /// It is there under a condition, as an array of none or one.
    pub(crate) is_optional: bool,
    /// Arrays in arrays that its declaration has.
    pub(crate) dimensions: usize,
    /// Name of its type, without generics: that of a part is a module's.
    pub(crate) part: Option<String>,
}

/// The use of a field to whoever connects it.
#[derive(Clone, Copy, PartialEq)]
pub enum Nature {
    /// A signal, a wire or a constant.
    Signal,
    Register,
    /// An output that is a register.
    Registered,
    Bundle,
    /// A module.
    Part,
}

impl Known {
    /// Returns true if a name is a parameter or a size, and no signal.
    pub fn is_static(&self, name: &str) -> bool {
        self.statics.contains(name) && !self.fields.contains_key(name)
    }

    /// Returns true if a field is there under a condition.
    pub fn is_optional(&self, field: &str) -> bool {
        self.fields.get(field).is_some_and(|named| named.is_optional)
    }

    /// Returns true if the declaration has a field of this name.
    pub fn has_field(&self, name: &str) -> bool {
        self.fields.contains_key(name) && !self.lets.iter().any(|each| each.is_called(name))
    }

    /// The kind of a field, and how many arrays in arrays of it there are.
    pub fn nature(&self, field: &str) -> Option<(Nature, usize)> {
        self.fields.get(field).map(|named| (named.nature, named.dimensions))
    }

    /// Names of all fields.
    pub fn fields(&self) -> impl Iterator<Item = &str> {
        self.fields.keys().map(String::as_str)
    }

    /// Wires that the kernel declares.
    pub fn lets(&self) -> &[Let] {
        &self.lets
    }

    /// Returns true if a condition is known when the module is built: parameters, sizes and numbers, and at
    /// least one name.
    pub fn decides(&self, condition: &Expr, loops: &[Ident]) -> bool {
        match condition {
            Expr::Paren(paren) => self.decides(&paren.expr, loops),
            Expr::Unary(unary) => matches!(unary.op, UnOp::Not(_)) && self.decides(&unary.expr, loops),
            Expr::Binary(binary) => {
                let is_policy =
                    |expr: &Expr| matches!(expr, Expr::Path(path) if path.path.segments.len() > 1);
                let is_name = |expr: &Expr| matches!(expr, Expr::Path(_)) && self.decides(expr, loops);
                let number = |expr: &Expr| matches!(expr, Expr::Lit(_)) || is_policy(expr) || is_name(expr);
                let (left, right) = (&*binary.left, &*binary.right);
                match binary.op {
                    BinOp::And(_) | BinOp::Or(_) | BinOp::BitAnd(_) | BinOp::BitOr(_) => {
                        self.decides(left, loops) && self.decides(right, loops)
                    }
                    BinOp::Eq(_)
                    | BinOp::Ne(_)
                    | BinOp::Lt(_)
                    | BinOp::Le(_)
                    | BinOp::Gt(_)
                    | BinOp::Ge(_) => {
                        number(left)
                            && number(right)
                            && (self.decides(left, loops) || self.decides(right, loops))
                    }
                    _ => false,
                }
            }
            Expr::Path(path) => path
                .path
                .get_ident()
                .is_some_and(|name| !loops.contains(name) && self.is_static(&name.to_string())),
            _ => false,
        }
    }

    /// The module that a field is.
    pub fn part(&self, field: &str) -> Option<&str> {
        self.fields.get(field)?.part.as_deref()
    }
}

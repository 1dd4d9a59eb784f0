// SPDX-License-Identifier: Apache-2.0
//! Meaning of the names in a kernel, as the declarations of its module and of the module's parts say.

use std::cell::RefCell;
use std::collections::HashMap;

use gpurf_declaration::Known;
use syn::{BinOp, Expr, Ident, Member, Type, UnOp};

/// Names of a module and of its parts.
#[derive(Default)]
pub(super) struct Names {
    module: Known,
    /// Modules and bundles that are parts, once somebody asked for them.
    parts: RefCell<HashMap<String, Known>>,
}

impl Names {
    pub fn of(module: &Type) -> syn::Result<Self> {
        let name = match module {
            Type::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()),
            _ => None,
        };
        let module = name.map_or_else(|| Ok(Known::default()), |name| Known::of(&name))?;
        Ok(Names { module, parts: RefCell::default() })
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
                .is_some_and(|name| !loops.contains(name) && self.module.is_static(&name.to_string())),
            _ => false,
        }
    }

    /// Returns true if a path names a single signal that is there under a condition.
    pub fn is_optional(&self, path: &Expr) -> bool {
        let Some(steps) = steps(path) else { return false };
        match &steps[..] {
            [field] => self.module.is_optional(field),
            [part, field] => self.module.part(part).is_some_and(|part| {
                let mut parts = self.parts.borrow_mut();
                let known =
                    parts.entry(part.to_string()).or_insert_with(|| Known::of(part).unwrap_or_default());
                known.is_optional(field)
            }),
            _ => false,
        }
    }
}

/// Names on a path, without `self` and indices; none if the last step is an index.
fn steps(path: &Expr) -> Option<Vec<String>> {
    fn walk(path: &Expr, steps: &mut Vec<String>) -> Option<()> {
        match path {
            Expr::Path(path) => {
                let name = path.path.get_ident()?;
                if name != "self" {
                    steps.push(name.to_string());
                }
            }
            Expr::Field(field) => {
                walk(&field.base, steps)?;
                let Member::Named(name) = &field.member else { return None };
                steps.push(name.to_string());
            }
            Expr::Index(index) => walk(&index.expr, steps)?,
            _ => return None,
        }
        Some(())
    }
    let mut found = vec![];
    if matches!(path, Expr::Index(_)) {
        return None;
    }
    walk(path, &mut found)?;
    Some(found)
}

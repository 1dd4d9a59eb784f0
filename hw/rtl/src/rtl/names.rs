// SPDX-License-Identifier: Apache-2.0
//! Meaning of the names in a kernel, as the declarations of its module and of the module's parts say.

use std::cell::RefCell;
use std::collections::HashMap;

use gpurf_declaration::{Known, Nature};
use syn::spanned::Spanned;
use syn::{parse_quote_spanned, Expr, Ident, Member, Type};

/// Names of a module and of its parts.
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

    /// Returns true if a condition is known when the module is built.
    pub fn decides(&self, condition: &Expr, loops: &[Ident]) -> bool {
        self.module.decides(condition, loops)
    }

    /// The module itself.
    pub fn module(&self) -> &Known {
        &self.module
    }

    /// Returns true if a path names a single signal that is there under a condition.
    pub fn is_optional(&self, path: &Expr) -> bool {
        let Some(steps) = steps(path).filter(|_| !matches!(path, Expr::Index(_))) else { return false };
        self.asked(&steps, |known, field| known.is_optional(field)).unwrap_or(false)
    }

    /// Takes the only element of every step of a path that is there under a condition.
    pub fn only(&self, path: &mut Expr) {
        let is_optional = self.is_optional(path);
        match path {
            Expr::Field(field) => self.only(&mut field.base),
            Expr::Index(index) => {
                // An index is of an array in any case.
                if let Expr::Field(field) = &mut *index.expr {
                    self.only(&mut field.base);
                }
            }
            _ => {}
        }
        if is_optional {
            let span = path.span();
            *path = parse_quote_spanned!(span=> #path[0]);
        }
    }

    /// The thing that a path names, and how many arrays in arrays of it there are.
    pub fn nature(&self, path: &Expr) -> Option<(Nature, usize)> {
        let mut indices = 0;
        let mut rest = path;
        while let Expr::Index(index) = rest {
            (indices, rest) = (indices + 1, &index.expr);
        }
        let (nature, dimensions) = self.asked(&steps(path)?, |known, field| known.nature(field))??;
        Some((nature, dimensions.saturating_sub(indices)))
    }

    /// Names of the wires of a bundle, or of the ports of a part.
    pub fn fields(&self, path: &Expr) -> Option<Vec<String>> {
        let steps = steps(path)?;
        let of = self.asked(&steps, |known, field| known.part(field).map(str::to_string))??;
        let mut fields: Vec<String> = self.known(&of, |known| known.fields().map(str::to_string).collect());
        fields.sort();
        Some(fields)
    }

    /// The declaration that has the last name of a path.
    fn asked<T>(&self, steps: &[String], ask: impl Fn(&Known, &str) -> T) -> Option<T> {
        match steps {
            [field] => Some(ask(&self.module, field)),
            [part, field] => {
                let part = self.module.part(part)?;
                Some(self.known(part, |known| ask(known, field)))
            }
            _ => None,
        }
    }

    fn known<T>(&self, part: &str, ask: impl Fn(&Known) -> T) -> T {
        let mut parts = self.parts.borrow_mut();
        ask(parts.entry(part.to_string()).or_insert_with(|| Known::of(part).unwrap_or_default()))
    }
}

/// Names on a path, without `self` and indices.
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
    walk(path, &mut found)?;
    Some(found)
}

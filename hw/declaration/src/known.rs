// SPDX-License-Identifier: Apache-2.0
//! Facts of the declarations of a module and its parts that a kernel rests on.

use std::collections::{HashMap, HashSet};

use proc_macro2::Ident;
use syn::{BinOp, Expr, Item, Result, Type, UnOp};

use crate::bundles::{taken, text_of_declaration};
use crate::declaration::Declaration;
use crate::fields::{Kind, Part, When};
use crate::lets::{lets_in, Let};

/// Names of a module.
#[derive(Default)]
pub struct Known {
    /// Its fields, those of the bundle of its ports among them.
    fields: HashMap<String, Named>,
    /// Names that are known when it is built: parameters and sizes.
    statics: HashSet<String>,
    /// Wires that its kernel declares.
    lets: Vec<Let>,
}

/// A field by its name.
struct Named {
    nature: Nature,
    /// It is there under a condition, as an array of none or one.
    is_optional: bool,
    /// Arrays in arrays that its declaration has.
    dimensions: usize,
    /// Name of its type, without generics: that of a part is a module's.
    part: Option<String>,
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
    /// The module of this name in the package that is compiled; nothing is known of one that no file
    /// declares.
    pub fn of(module: &str) -> Result<Known> {
        let mut known = Known::default();
        known.add(module)?;
        Ok(known)
    }

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

    fn add(&mut self, module: &str) -> Result<()> {
        let Some(text) = text_of_declaration(module)? else { return Ok(()) };
        let file = syn::parse_file(&text)?;
        let mut structs = file.items.iter().filter_map(|item| match item {
            Item::Struct(item) if item.ident == module => Some(item),
            _ => None,
        });
        let Some(item) = structs.next() else { return Ok(()) };
        let attributes = ["block", "bundle"].into_iter();
        let Some((arguments, bare)) = attributes.filter_map(|name| taken(item.clone(), name)).next() else {
            return Ok(());
        };
        let declaration = Declaration::read(arguments, bare)?;
        let Declaration { arguments, parts, .. } = &declaration;
        let sizes = arguments.sizes.iter().map(|(name, _)| name);
        let given = arguments.arguments.iter().map(|(name, _)| name);
        self.statics.extend(arguments.parameters.iter().chain(sizes).chain(given).map(ToString::to_string));
        parts.iter().for_each(|part| self.note(part));
        if let Some(bundle) = arguments.bundle.as_ref().and_then(name_of) {
            self.add(&bundle)?;
        }
        let lets = lets_in(&file, module, self);
        for each in &lets {
            self.note(&crate::fields::part(&each.field())?);
        }
        self.lets.extend(lets);
        Ok(())
    }

    fn note(&mut self, part: &Part) {
        let of = name_of(&part.element);
        let nature = match (&part.bundled, part.kind, of.as_deref()) {
            (Some(_), ..) => Nature::Bundle,
            (None, Kind::Child, Some("Register")) => Nature::Register,
            (None, Kind::Child, Some("Bit" | "Bits")) => Nature::Signal,
            (None, Kind::Child, _) => Nature::Part,
            (None, Kind::Output, _) if part.is_registered => Nature::Registered,
            _ => Nature::Signal,
        };
        let named = Named {
            nature,
            is_optional: part.when.as_ref().is_some_and(|when| when.length.is_none()),
            dimensions: match &part.when {
                Some(When { length: None, .. }) => 0,
                _ => part.lengths.len(),
            },
            part: of,
        };
        self.fields.insert(part.name.to_string(), named);
    }
}

fn name_of(ty: &Type) -> Option<String> {
    match ty {
        Type::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()),
        _ => None,
    }
}

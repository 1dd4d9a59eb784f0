// SPDX-License-Identifier: Apache-2.0
//! Facts of the declarations of a module and its parts that a kernel rests on.

use std::collections::{HashMap, HashSet};

use syn::{Item, Result, Type};

use crate::bundles::{taken, text_of_declaration};
use crate::declaration::Declaration;

/// Names of a module.
#[derive(Default)]
pub struct Known {
    /// Its fields, those of the bundle of its ports among them.
    fields: HashMap<String, Named>,
    /// Names that are known when it is built: parameters and sizes.
    statics: HashSet<String>,
}

/// A field by its name.
struct Named {
    /// It is there under a condition, as an array of none or one.
    is_optional: bool,
    /// Name of its type, without generics: that of a part is a module's.
    part: Option<String>,
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

    /// The module that a field is.
    pub fn part(&self, field: &str) -> Option<&str> {
        self.fields.get(field)?.part.as_deref()
    }

    fn add(&mut self, module: &str) -> Result<()> {
        let Some(text) = text_of_declaration(module)? else { return Ok(()) };
        let items = syn::parse_file(&text)?.items.into_iter();
        let mut structs = items.filter_map(|item| match item {
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
        for part in parts {
            let named = Named {
                is_optional: part.when.as_ref().is_some_and(|when| when.length.is_none()),
                part: name_of(&part.element),
            };
            self.fields.insert(part.name.to_string(), named);
        }
        if let Some(bundle) = arguments.bundle.as_ref().and_then(name_of) {
            self.add(&bundle)?;
        }
        Ok(())
    }
}

fn name_of(ty: &Type) -> Option<String> {
    match ty {
        Type::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()),
        _ => None,
    }
}

// SPDX-License-Identifier: Apache-2.0
//! Names of a module, read from the file that declares it.

use syn::{Item, Result, Type};

use crate::bundles::{taken, text_of_declaration};
use crate::declaration::Declaration;
use crate::fields::{DeclaredField, FieldKind, When};
use crate::known::{Known, Named, Nature};
use crate::lets::lets_in;

impl Known {
    /// The module of this name in the package that is compiled; nothing is known of one that no file
    /// declares.
    pub fn of(module: &str) -> Result<Known> {
        let mut known = Known::default();
        known.add(module)?;
        Ok(known)
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

    fn note(&mut self, part: &DeclaredField) {
        let of = name_of(&part.element);
        let nature = match (&part.bundled, part.kind, of.as_deref()) {
            (Some(_), ..) => Nature::Bundle,
            (None, FieldKind::Child, Some("Register")) => Nature::Register,
            (None, FieldKind::Child, Some("Bit" | "Bits")) => Nature::Signal,
            (None, FieldKind::Child, _) => Nature::Part,
            (None, FieldKind::Output, _) if part.is_registered => Nature::Registered,
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

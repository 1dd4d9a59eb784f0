// SPDX-License-Identifier: Apache-2.0
//! The bundles that a package declares: a module that has one has its wires as ports, and must know them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::{fs, io};

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::{Error, File, Item, ItemStruct, Meta, Result};

use crate::declaration::Declaration;
use crate::fields::Bundled;

/// Bundles whose wires have no direction of their own, by name.
pub struct Bundles(HashMap<String, ItemStruct>);

impl Bundles {
    pub fn of(files: &[File]) -> Self {
        let structs = files.iter().flat_map(|file| &file.items).filter_map(|item| match item {
            Item::Struct(item) => Some(item),
            _ => None,
        });
        let bundles =
            structs.filter(|item| item.attrs.iter().any(|attribute| attribute.path().is_ident("bundle")));
        Bundles(bundles.map(|item| (item.ident.to_string(), item.clone())).collect())
    }

    /// Bundles of the package that is compiled: in its sources, or in its tests.
    pub fn here() -> Result<Self> {
        // Only text outlives a macro's expansion.
        static TEXTS: OnceLock<std::result::Result<Vec<String>, String>> = OnceLock::new();
        let texts = TEXTS.get_or_init(|| texts_with("#[bundle").map_err(|error| error.to_string()));
        let refused = |error: &String| Error::new(proc_macro2::Span::call_site(), error);
        let texts = texts.as_ref().map_err(refused)?;
        Ok(Self::of(&texts.iter().map(|text| syn::parse_file(text)).collect::<Result<Vec<_>>>()?))
    }

    pub fn find(&self, bundled: &Bundled) -> Result<Declaration> {
        let Some(item) = self.0.get(&bundled.name.to_string()) else {
            let hint = format!("no file of this package declares a `#[bundle] struct {}`", bundled.name);
            return Err(Error::new(bundled.name.span(), hint));
        };
        let (arguments, bare) = taken(item.clone(), "bundle").expect("it is a bundle");
        Declaration::read(arguments, bare)
    }
}

/// The arguments of the attribute of this name, and the struct without it.
pub fn taken(mut item: ItemStruct, name: &str) -> Option<(TokenStream, TokenStream)> {
    let place = item.attrs.iter().position(|attribute| attribute.path().is_ident(name))?;
    let arguments = match item.attrs.remove(place).meta {
        Meta::List(list) => list.tokens,
        _ => TokenStream::new(),
    };
    Some((arguments, item.to_token_stream()))
}

/// The text at the head of the file that declares a block, in the sources of the package that is compiled;
/// empty if there is none.
pub fn about(block: &Ident) -> Result<String> {
    let text = text_of_declaration(&block.to_string())?.unwrap_or_default();
    let lines = text.lines().skip_while(|line| line.starts_with("// ") || line.is_empty());
    let lines = lines.map_while(|line| line.strip_prefix("//!"));
    Ok(lines.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect::<Vec<_>>().join("\n"))
}

/// The file of the package that is compiled that declares this block or bundle.
pub fn text_of_declaration(name: &str) -> Result<Option<String>> {
    static TEXTS: OnceLock<std::result::Result<Vec<String>, String>> = OnceLock::new();
    let texts = TEXTS.get_or_init(|| {
        let found = ["#[block", "#[bundle"].map(texts_with).into_iter().collect::<io::Result<Vec<_>>>();
        found.map(|texts| texts.concat()).map_err(|error| error.to_string())
    });
    let texts = texts.as_ref().map_err(|error| Error::new(proc_macro2::Span::call_site(), error))?;
    let declarations = ["<", " {"].map(|next| format!("pub struct {name}{next}"));
    let declares = |text: &&String| declarations.iter().any(|declaration| text.contains(declaration));
    Ok(texts.iter().find(declares).cloned())
}

/// Texts of the package's files that contain this.
fn texts_with(mark: &str) -> io::Result<Vec<String>> {
    let Some(package) = std::env::var_os("CARGO_MANIFEST_DIR") else { return Ok(vec![]) };
    let mut paths = vec![];
    for folder in ["src", "tests"].map(|name| Path::new(&package).join(name)) {
        if folder.is_dir() {
            sources(&folder, &mut paths)?;
        }
    }
    paths.sort();
    let texts = paths.iter().map(fs::read_to_string).collect::<io::Result<Vec<_>>>()?;
    Ok(texts.into_iter().filter(|text| text.contains(mark)).collect())
}

fn sources(folder: &Path, paths: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            sources(&path, paths)?;
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            paths.push(path);
        }
    }
    Ok(())
}

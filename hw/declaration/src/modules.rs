// SPDX-License-Identifier: Apache-2.0
//! The modules of a folder: every file in it is one.

use std::fs;
use std::path::Path;

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::{Error, LitStr, Result};

/// `mod name; pub use name::*;` for every file and folder beside the `mod.rs` of this folder.
///
/// `folder`: from the root of the package that is compiled.
pub fn expand(folder: LitStr) -> Result<TokenStream> {
    let package = std::env::var("CARGO_MANIFEST_DIR").map_err(|error| Error::new(folder.span(), error))?;
    let path = Path::new(&package).join(folder.value());
    let refused = |error| Error::new(folder.span(), format!("{}: {error}", path.display()));
    let mut names = vec![];
    for entry in fs::read_dir(&path).map_err(refused)? {
        let path = entry.map_err(refused)?.path();
        let is_module =
            path.join("mod.rs").is_file() || path.extension().is_some_and(|ending| ending == "rs");
        let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        if is_module && name != "mod" {
            names.push(Ident::new(name, Span::call_site()));
        }
    }
    names.sort();
    Ok(quote!(#(mod #names; #[allow(unused_imports)] pub use #names::*;)*))
}

// SPDX-License-Identifier: Apache-2.0
//! All constants as data: hardware parameters as they are declared, the others as `turing.toml` comments
//! them.

use gpurf_blocks::{Description, PARAMETERS};

use super::load::{is_settable, PRESETS, TURING};

/// Every constant that a configuration can set, hardware first; a constant of a section is called
/// `section.key`.
pub fn constants() -> Vec<Description> {
    let hardware = PARAMETERS.iter().filter(|parameter| is_settable(parameter.name));
    hardware.map(|parameter| parameter.describe()).chain(commented(TURING)).collect()
}

/// The constants that a preset sets, and why.
pub fn preset(name: &str) -> Option<Vec<Description>> {
    let (_, text) = PRESETS.iter().find(|(known, _)| *known == name)?;
    Some(commented(text))
}

/// The constants of a TOML file in which each stands on a line with its comment:
/// `key = value # What it is. [Source]`. A source is everything from the first bracket of the comment on.
fn commented(text: &str) -> Vec<Description> {
    let mut section = String::new();
    let mut constants = vec![];
    for line in text.lines() {
        if let Some(name) = line.strip_prefix('[') {
            section = name.trim_end().trim_end_matches(']').to_string() + ".";
        } else if let Some((key, rest)) = line.split_once(" = ").filter(|_| !line.starts_with('#')) {
            let (value, comment) = rest.split_once('#').unwrap_or((rest, ""));
            let (doc, source) = comment.split_at(comment.find('[').unwrap_or(comment.len()));
            constants.push(Description {
                name: format!("{section}{key}"),
                default: value.trim().trim_matches('"').into(),
                values: String::new(),
                unit: String::new(),
                doc: doc.trim().into(),
                source: source.trim().into(),
            });
        }
    }
    constants
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::config::Config;

    #[test]
    fn every_constant_has_a_doc_and_a_source() {
        for Description { name, default, doc, source, .. } in constants() {
            assert!(
                !default.is_empty() && doc.ends_with('.') && !source.is_empty(),
                "{name}: {doc} {source}"
            );
        }
    }

    #[test]
    fn every_line_of_a_preset_has_a_source_and_sets_what_is_loaded() {
        for (name, text) in PRESETS {
            let loaded = Config::load(Some(Path::new(name)), &[]).unwrap();
            let lines = preset(name).unwrap();
            let written = text.lines().filter(|line| !line.starts_with('#') && line.contains('='));
            assert_eq!(lines.len(), written.count(), "{name}");
            for Description { name: key, default, source, .. } in lines {
                assert!(source.starts_with('['), "{name}, {key}: {source}");
                assert!(constants().iter().any(|constant| constant.name == key), "{name}: {key}");
                assert_eq!(loaded.with(&[format!("{key}={default}")]).unwrap(), loaded, "{name}, {key}");
            }
        }
    }

    #[test]
    fn every_constant_can_be_set_to_its_default() {
        for Description { name, default, .. } in
            constants().iter().filter(|constant| constant.name != "sthld_table")
        {
            assert_eq!(
                Config::load(None, &[format!("{name}={default}")]).unwrap(),
                Config::default(),
                "{name}"
            );
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
//! The syntax of Liberty files: groups, and attributes in two forms.

use anyhow::{bail, Result};

/// `kind (name) { attributes, groups }`.
#[derive(Default)]
pub struct LibertyGroup {
    pub kind: String,
    /// The first of its arguments.
    pub name: String,
    pub arguments: Vec<String>,
    attributes: Vec<(String, String)>,
    /// Attributes in the form `name (arguments);`, without the quotes of the arguments.
    lists: Vec<(String, Vec<String>)>,
    pub groups: Vec<LibertyGroup>,
}

impl LibertyGroup {
    pub fn get(&self, attribute: &str) -> Option<&str> {
        self.attributes.iter().find(|(name, _)| name == attribute).map(|(_, value)| value.as_str())
    }

    pub fn number(&self, attribute: &str) -> Option<f64> {
        self.get(attribute)?.trim().parse().ok()
    }

    pub fn list(&self, attribute: &str) -> Option<&[String]> {
        self.lists.iter().find(|(name, _)| name == attribute).map(|(_, arguments)| arguments.as_slice())
    }

    /// All attributes of this name in the form `name (arguments);`.
    pub fn lists<'a>(&'a self, attribute: &'a str) -> impl Iterator<Item = &'a [String]> {
        self.lists.iter().filter(move |(name, _)| name == attribute).map(|(_, list)| list.as_slice())
    }

    pub fn of_kind<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a LibertyGroup> {
        self.groups.iter().filter(move |group| group.kind == kind)
    }

    /// The numbers of an attribute: `values ("1, 2", "3, 4");`. None if a word among them is no number.
    pub fn numbers(&self, attribute: &str) -> Option<Vec<f64>> {
        let words = self.list(attribute)?.iter().flat_map(|text| text.split([',', ' ', '\t', '\n', '\\']));
        words.map(str::trim).filter(|word| !word.is_empty()).map(|word| word.parse().ok()).collect()
    }
}

pub struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Parser<'a> {
    pub fn new(text: &'a str) -> Self {
        Parser { text, at: 0 }
    }

    /// Statements up to the closing brace or the end of the file.
    pub fn group_body(&mut self) -> Result<LibertyGroup> {
        let mut group = LibertyGroup::default();
        while let Some(token) = self.token()? {
            match token {
                "}" => break,
                ";" => continue,
                name => self.statement(name, &mut group)?,
            }
        }
        Ok(group)
    }

    /// Reads the text behind a name: `: value ;`, `(arguments) ;` or `(arguments) { body }`.
    fn statement(&mut self, name: &str, group: &mut LibertyGroup) -> Result<()> {
        match self.token()? {
            Some(":") => {
                let mut value = vec![];
                while let Some(token) = self.token()?.filter(|token| *token != ";") {
                    value.push(token.trim_matches('"'));
                }
                group.attributes.push((name.to_string(), value.join(" ")));
            }
            Some("(") => {
                let mut arguments = vec![];
                while let Some(token) = self.token()?.filter(|token| *token != ")") {
                    if token != "," {
                        arguments.push(token.trim_matches('"').to_string());
                    }
                }
                let before = self.at;
                if self.token()? == Some("{") {
                    let body = self.group_body()?;
                    let first = arguments.first().cloned().unwrap_or_default();
                    group.groups.push(LibertyGroup {
                        kind: name.to_string(),
                        name: first,
                        arguments,
                        ..body
                    });
                } else {
                    self.at = before;
                    group.lists.push((name.to_string(), arguments));
                }
            }
            other => bail!("line {}: `:` or `(` must follow `{name}`, not {other:?}", self.line()),
        }
        Ok(())
    }

    fn line(&self) -> usize {
        1 + self.text[..self.at].matches('\n').count()
    }

    /// The next token: punctuation, a quoted string with its quotes, or a word.
    fn token(&mut self) -> Result<Option<&'a str>> {
        self.skip_blanks();
        let rest = &self.text[self.at..];
        let Some(first) = rest.chars().next() else {
            return Ok(None);
        };
        let length = match first {
            '{' | '}' | '(' | ')' | ':' | ';' | ',' => 1,
            '"' => match rest[1..].find('"') {
                Some(end) => end + 2,
                None => bail!("line {}: a string is not closed", self.line()),
            },
            _ => rest.find(|c: char| c.is_whitespace() || "{}():;,\"".contains(c)).unwrap_or(rest.len()),
        };
        self.at += length;
        Ok(Some(&rest[..length]))
    }

    /// Skips white space, continued lines and comments.
    fn skip_blanks(&mut self) {
        loop {
            let rest = &self.text[self.at..];
            let blank = rest.len() - rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\\').len();
            self.at += blank;
            let rest = &rest[blank..];
            self.at += match () {
                _ if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
                _ if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
                _ => return,
            };
        }
    }
}

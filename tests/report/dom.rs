// SPDX-License-Identifier: Apache-2.0
//! A page as a tree, strictly: what a browser would mend silently is an error here.

use std::collections::BTreeMap;

use html5gum::emitters::default::DefaultEmitter;
use html5gum::{HtmlString, Token, Tokenizer};

/// Elements that have no end tag.
const VOID: [&str; 6] = ["meta", "link", "input", "br", "hr", "img"];

#[derive(Debug, Default)]
pub struct Element {
    pub name: String,
    pub attributes: BTreeMap<String, String>,
    pub children: Vec<Node>,
}

#[derive(Debug)]
pub enum Node {
    Element(Element),
    Text(String),
}

/// The document, or what is wrong with it.
pub fn parse(text: &str) -> Result<Element, String> {
    let mut emitter = DefaultEmitter::default();
    // In scripts and styles, `<` begins no tag.
    emitter.naively_switch_states(true);
    let mut open = vec![Element::default()];
    for token in Tokenizer::new_with_emitter(text, emitter) {
        match token.expect("text cannot fail to be read") {
            Token::StartTag(tag) => {
                let name = string(&tag.name);
                let attributes = tag.attributes.iter().map(|(name, value)| (string(name), string(value)));
                let closed = tag.self_closing || VOID.contains(&name.as_str());
                let element = Element { name, attributes: attributes.collect(), children: vec![] };
                match closed {
                    true => inner(&mut open).children.push(Node::Element(element)),
                    false => open.push(element),
                }
            }
            Token::EndTag(tag) => {
                let ended = open.pop().expect("the document stays open");
                let name = string(&tag.name);
                if ended.name != name || open.is_empty() {
                    return Err(format!("</{name}> ends <{}>", ended.name));
                }
                inner(&mut open).children.push(Node::Element(ended));
            }
            Token::String(text) => inner(&mut open).children.push(Node::Text(string(&text))),
            Token::Error(error) => return Err(format!("{:?}", error.value)),
            Token::Comment(_) | Token::Doctype(_) => {}
        }
    }
    match open.len() {
        1 => Ok(open.remove(0)),
        _ => Err(format!("<{}> has no end", inner(&mut open).name)),
    }
}

fn inner(open: &mut [Element]) -> &mut Element {
    open.last_mut().expect("the document stays open")
}

fn string(bytes: &HtmlString) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

impl Element {
    /// All text in it.
    pub fn text(&self) -> String {
        let text = |child: &Node| match child {
            Node::Element(element) => element.text(),
            Node::Text(text) => text.clone(),
        };
        self.children.iter().map(text).collect()
    }

    /// Its elements, and theirs, in the order of the document.
    pub fn elements(&self) -> Vec<&Element> {
        let mut all = vec![];
        for child in &self.children {
            if let Node::Element(element) = child {
                all.push(element);
                all.extend(element.elements());
            }
        }
        all
    }

    /// The ones of them with this name.
    pub fn all(&self, name: &str) -> Vec<&Element> {
        self.elements().into_iter().filter(|element| element.name == name).collect()
    }

    pub fn is(&self, class: &str) -> bool {
        self.attributes.get("class").is_some_and(|classes| classes.split(' ').any(|one| one == class))
    }

    /// The one with this id.
    pub fn by_id(&self, id: &str) -> &Element {
        let found = self
            .elements()
            .into_iter()
            .find(|element| element.attributes.get("id").is_some_and(|own| own == id));
        found.unwrap_or_else(|| panic!("there is no {id}"))
    }

    /// The texts of the cells of a table's body, row by row.
    pub fn rows(&self) -> Vec<Vec<String>> {
        let rows = self.all("tbody").into_iter().flat_map(|body| body.all("tr"));
        rows.map(|row| row.all("td").iter().map(|cell| cell.text()).collect()).collect()
    }
}

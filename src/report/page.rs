// SPDX-License-Identifier: Apache-2.0
//! The frame of the page.

use maud::{html, Markup, PreEscaped, DOCTYPE};

use crate::program;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// A part of the page.
pub struct Section {
    /// By which links name it.
    pub id: &'static str,
    pub title: &'static str,
    pub body: Markup,
}

/// The whole page.
pub fn page(sections: &[Section]) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "gpurf: results" }
                // Browsers that ask for a picture of the page find that there is none.
                link rel="icon" href="data:,";
                style { (PreEscaped(STYLE)) }
            }
            body {
                header {
                    h1 { "gpurf: results" }
                    p { "GPU register-file hardware of five papers: what they claim, and what this RTL, this SM and "
                        "these inputs give. Version " (program::version()) "." }
                    nav { @for section in sections { a href={ "#" (section.id) } { (section.title) } } }
                }
                main {
                    @for section in sections {
                        section id=(section.id) { h2 { (section.title) } (section.body) }
                    }
                }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    page.into_string()
}

/// The command that repeats a result.
pub fn command(line: &str) -> Markup {
    html! { pre.command { code { (line) } } }
}

/// When a result was written; the browser adds its age.
pub fn date(date: Option<String>) -> Markup {
    match date {
        Some(date) => html! { time datetime=(date) { (date) } },
        None => html! { "made for this page" },
    }
}

// SPDX-License-Identifier: Apache-2.0
//! Tables of the page, which sort by a click on a column's head.

use maud::{html, Markup};

/// The content of a cell.
pub enum Cell {
    Text(String),
    /// With so many decimals.
    Number(f64, usize),
    Nothing,
    /// Ready for the page, and what it sorts by.
    Shown(Markup, String),
}

impl From<&str> for Cell {
    fn from(text: &str) -> Cell {
        Cell::Text(text.into())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Cell {
        Cell::Text(text)
    }
}

impl From<u64> for Cell {
    fn from(number: u64) -> Cell {
        Cell::Number(number as f64, 0)
    }
}

impl Cell {
    /// A number, or nothing.
    pub fn number(number: Option<f64>, decimals: usize) -> Cell {
        number
            .filter(|number| number.is_finite())
            .map_or(Cell::Nothing, |number| Cell::Number(number, decimals))
    }

    /// With as many of four decimals as say something.
    pub fn short(number: Option<f64>) -> Cell {
        number.map_or(Cell::Nothing, |number| {
            let text = format!("{number:.4}");
            let text = text.trim_end_matches('0').trim_end_matches('.').to_string();
            Cell::Shown(html! { (text) }, number.to_string())
        })
    }

    /// A number that is printed already sorts by what it says.
    pub fn printed(text: &str) -> Cell {
        match text.parse::<f64>() {
            Ok(number) => Cell::Shown(html! { (text) }, number.to_string()),
            Err(_) => Cell::from(text),
        }
    }

    fn markup(&self) -> Markup {
        match self {
            Cell::Text(text) => html! { td { (text) } },
            Cell::Number(number, decimals) => {
                html! { td.number data-value=(number) { (format!("{number:.decimals$}")) } }
            }
            Cell::Nothing => html! { td {} },
            Cell::Shown(shown, value) => html! { td data-value=(value) { (shown) } },
        }
    }
}

/// A table with a row of heads.
pub fn table(heads: &[&str], rows: &[Vec<Cell>]) -> Markup {
    html! {
        div.scroll {
            table.sortable {
                thead { tr { @for head in heads { th scope="col" { button type="button" { (head) } } } } }
                tbody { @for row in rows { tr { @for cell in row { (cell.markup()) } } } }
            }
        }
    }
}

/// The same, folded away until it is asked for.
pub fn folded(what: &str, heads: &[&str], rows: &[Vec<Cell>]) -> Markup {
    html! { details { summary { (what) } (table(heads, rows)) } }
}

// SPDX-License-Identifier: Apache-2.0
//! Tables of the terminal as those of a document.

use comfy_table::{Row, Table};

/// A table, some columns left out. Columns of numbers are aligned to the right.
pub fn markdown(table: &Table, without: &[&str]) -> String {
    let header = table.header().map(cells).unwrap_or_default();
    let rows: Vec<_> = table.row_iter().map(cells).collect();
    let line = |row: &[String]| {
        let kept = row.iter().zip(&header).filter(|(_, name)| !without.contains(&name.as_str()));
        kept.fold("|".to_string(), |line, (cell, _)| format!("{line} {cell} |")) + "\n"
    };
    let rule = |column: usize| match rows.iter().all(|row| is_number(&row[column])) {
        true => "---:".to_string(),
        false => "---".to_string(),
    };
    let rule: Vec<_> = (0..header.len()).map(rule).collect();
    line(&header) + &line(&rule) + &rows.iter().map(|row| line(row)).collect::<String>()
}

/// With a minus instead of the hyphen of a negative number.
fn cells(row: &Row) -> Vec<String> {
    let cell = |text: String| match text.strip_prefix('-') {
        Some(number) if !number.is_empty() && is_number(number) => format!("−{number}"),
        _ => text.replace('\n', "<br>").replace('|', "\\|"),
    };
    row.cell_iter().map(|one| cell(one.content())).collect()
}

/// Returns true if a cell is a number, with its unit or without, or nothing instead of one.
fn is_number(cell: &str) -> bool {
    let number = cell.trim_start_matches(['+', '-', '−', '–']).trim_end_matches('%');
    number.is_empty() || number.replace(',', "").parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_aligned_to_the_right() {
        let mut table = crate::output::table(&["module", "area", "left out", "share", "note"]);
        table.add_row(["a|b", "1,234", "x", "-0.5%", "12 of -13"]).add_row([
            "c",
            "0",
            "y",
            "–",
            "two\nlines",
        ]);
        let text = "| module | area | share | note |\n| --- | ---: | ---: | --- |\n\
                    | a\\|b | 1,234 | −0.5% | 12 of -13 |\n| c | 0 | – | two<br>lines |\n";
        assert_eq!(markdown(&table, &["left out"]), text);
    }
}

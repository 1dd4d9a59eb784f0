// SPDX-License-Identifier: Apache-2.0
//! The tool's commands, as its own help has them.

use std::fmt::Write;

use anyhow::Result;
use clap::builder::StyledStr;
use clap::{Arg, Command, CommandFactory};

use super::cell;
use super::project::Project;

/// The purpose of each command, its arguments, and the examples of its help.
pub fn text(_: &Project, _: &str) -> Result<String> {
    let tool = crate::Cli::command();
    let mut text = String::new();
    for command in tool.get_subcommands() {
        writeln!(text, "### gpurf {}\n\n{}.\n", command.get_name(), one_line(command.get_about()))?;
        text += "| argument | default | meaning |\n|---|---|---|\n";
        for argument in command.get_arguments() {
            let [name, default, meaning] = row(argument);
            writeln!(text, "| `{name}` | {default} | {meaning} |")?;
        }
        text += "\n";
        text += &examples(command);
    }
    Ok(text)
}

/// How it is written, its default, and what it means.
pub fn row(argument: &Arg) -> [String; 3] {
    [name(argument), default(argument), meaning(argument)]
}

/// As it is written: `INPUT`, `--seed SEED`, `--check`.
fn name(argument: &Arg) -> String {
    let values = match argument.get_action().takes_values() {
        true => argument.get_value_names().unwrap_or_default().join(" "),
        false => String::new(),
    };
    match argument.get_long() {
        Some(long) => format!("--{long} {values}").trim_end().to_string(),
        None => values,
    }
}

fn default(argument: &Arg) -> String {
    if !argument.get_action().takes_values() {
        return String::new();
    }
    let values: Vec<_> = argument.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
    match values.is_empty() {
        true => String::new(),
        false => format!("`{}`", values.join(",")),
    }
}

fn meaning(argument: &Arg) -> String {
    let help = one_line(argument.get_help());
    if !argument.get_action().takes_values() {
        return help;
    }
    let values = argument.get_possible_values();
    let values: Vec<_> = values.iter().map(|value| format!("`{}`", value.get_name())).collect();
    match values.is_empty() {
        true => help,
        false => format!("{help}: {}", values.join(", ")),
    }
}

fn one_line(help: Option<&StyledStr>) -> String {
    cell(&help.map(StyledStr::to_string).unwrap_or_default())
}

/// The lines below `Examples:` up to the first that is not indented.
fn examples(command: &Command) -> String {
    let help = command.get_after_help().map(StyledStr::to_string).unwrap_or_default();
    let lines = help.lines().skip_while(|line| *line != "Examples:").skip(1);
    let examples: Vec<&str> = lines.take_while(|line| line.starts_with(' ')).map(str::trim).collect();
    match examples.is_empty() {
        true => String::new(),
        false => format!("```sh\n{}\n```\n\n", examples.join("\n")),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use clap::Parser;
    use walkdir::WalkDir;

    /// Stands for something of the reader's: `FILE`, `--cycles N`, `...`.
    fn is_placeholder(word: &str) -> bool {
        let is_name = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_uppercase());
        word.contains(['…', '[', '|', '<'])
            || word.contains("...")
            || word.split(['=', '/', '.']).any(is_name)
    }

    /// Commands that the pages name within their sentences are commands.
    #[test]
    fn commands_within_sentences_are_commands() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let pages =
            WalkDir::new(root.join("docs")).into_iter().map(|entry| entry.expect("a file").into_path());
        let pages = pages.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
        let mut wrong = vec![];
        let mut seen = 0;
        for page in pages.chain([root.join("README.md"), root.join("papers/README.md")]) {
            let text = std::fs::read_to_string(&page).expect("a page");
            // A block of code between three backticks is as a span that does not begin with the program's
            // name.
            for span in text.split('`').filter(|span| span.starts_with("gpurf ") && !span.contains("\n\n")) {
                let words: Vec<&str> = span.split_whitespace().collect();
                if words.iter().any(|word| is_placeholder(word)) {
                    continue;
                }
                seen += 1;
                if let Err(error) = crate::Cli::try_parse_from(&words) {
                    let is_help = matches!(
                        error.kind(),
                        clap::error::ErrorKind::DisplayVersion | clap::error::ErrorKind::DisplayHelp
                    );
                    // `gpurf trace` is the command's name as well, and `gpurf compare --out` that of an
                    // option.
                    let is_name = words.len() == 2 || words.last().is_some_and(|last| last.starts_with("--"));
                    if !is_help && !is_name {
                        wrong.push(format!("{}: `{}`: {error}", page.display(), words.join(" ")));
                    }
                }
            }
        }
        assert!(seen > 100, "{seen}");
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

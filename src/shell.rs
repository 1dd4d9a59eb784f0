// SPDX-License-Identifier: Apache-2.0
//! `gpurf completions` and `gpurf manual`: what shells and `man` want to know, from the command line's own
//! declaration.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::{Args, CommandFactory};
use clap_complete::{generate, Shell};

use crate::verdict::Verdict;
use crate::Cli;

#[derive(Args)]
#[command(after_help = "Examples:
  mkdir -p ~/.local/share/bash-completion/completions ~/.config/fish/completions
  gpurf completions bash > ~/.local/share/bash-completion/completions/gpurf  # a second
  gpurf completions zsh > _gpurf                                             # a second
  gpurf completions fish > ~/.config/fish/completions/gpurf.fish             # a second")]
pub struct CompletionsArguments {
    /// The shell in whose language they are
    #[arg(value_enum)]
    shell: Shell,
}

/// Prints the completions of a shell.
pub fn completions(arguments: CompletionsArguments) -> Result<Verdict> {
    generate(arguments.shell, &mut Cli::command(), "gpurf", &mut std::io::stdout());
    Ok(Verdict::Holds)
}

#[derive(Args)]
#[command(after_help = "Examples:
  gpurf manual --out man  # `man -l man/gpurf-sim.1` shows a page: a second")]
pub struct ManualArguments {
    /// Write a page for the tool and one for each command into this folder
    #[arg(long)]
    out: PathBuf,
}

/// Writes the manual pages.
pub fn manual(arguments: ManualArguments) -> Result<Verdict> {
    let folder = &arguments.out;
    std::fs::create_dir_all(folder)
        .with_context(|| format!("{}: cannot be made; check the folder above it", folder.display()))?;
    clap_mangen::generate_to(Cli::command(), folder)
        .with_context(|| format!("{}: cannot be written", folder.display()))?;
    println!("Manual pages: {}", folder.display());
    Ok(Verdict::Holds)
}

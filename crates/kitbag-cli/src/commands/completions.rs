//! `kitbag completions`.

use super::Cli;
use crate::exit::CliError;
use crate::files;
use clap::{Args, CommandFactory};

pub const EXAMPLES: &str = "Examples:
  kitbag completions bash > ~/.local/share/bash-completion/completions/kitbag
  kitbag completions zsh > ~/.zfunc/_kitbag
  kitbag completions fish > ~/.config/fish/completions/kitbag.fish";

#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// Shell to complete for.
    shell: clap_complete::Shell,
}

pub fn run(args: &CompletionsArgs) -> Result<(), CliError> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "kitbag", &mut text);
    files::print(&String::from_utf8_lossy(&text))
}

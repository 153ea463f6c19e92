//! `kitbag man`.

use super::Cli;
use crate::exit::CliError;
use crate::files;
use clap::{Args, CommandFactory};
use std::path::PathBuf;

pub const EXAMPLES: &str = "Examples:
  kitbag man | man -l -
  kitbag man ~/.local/share/man/man1";

#[derive(Debug, Args)]
pub struct ManArgs {
    /// Folder to write all pages to [default: print the main page].
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
}

pub fn run(args: &ManArgs) -> Result<(), CliError> {
    let command = Cli::command();
    let Some(folder) = args.folder.as_deref() else {
        let mut text = Vec::new();
        let rendered = clap_mangen::Man::new(command).render(&mut text);
        rendered.map_err(|error| CliError::write(None, &error))?;
        return files::print(&String::from_utf8_lossy(&text));
    };
    let written =
        std::fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(command, folder));
    written.map_err(|error| CliError::write(Some(folder), &error))
}

//! `kitbag completions` and `kitbag man`: both are made from the command line's own declaration.

use crate::args::Cli;
use crate::exit::{Failure, write_failure};
use crate::files;
use crate::inspect_args::{CompletionsArgs, ManArgs};
use clap::CommandFactory;

/// Prints the completions of a shell.
pub fn completions(args: &CompletionsArgs) -> Result<(), Failure> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "kitbag", &mut text);
    files::write(None, &String::from_utf8_lossy(&text))
}

/// Prints the first man page, or writes all of them to a folder.
pub fn man(args: &ManArgs) -> Result<(), Failure> {
    let command = Cli::command();
    let Some(folder) = &args.folder else {
        let mut text = Vec::new();
        let rendered = clap_mangen::Man::new(command).render(&mut text);
        rendered.map_err(|error| write_failure(None, &error))?;
        return files::write(None, &String::from_utf8_lossy(&text));
    };
    std::fs::create_dir_all(folder).map_err(|error| write_failure(Some(folder), &error))?;
    clap_mangen::generate_to(command, folder).map_err(|error| write_failure(Some(folder), &error))
}

//! One file a command.

mod chunk;
mod eval;
mod languages;
mod pack;
mod tokens;

use crate::args::{Cli, Command};
use crate::exit::Failure;
use clap::Parser;

/// Does what the command line says.
pub fn run() -> Result<(), Failure> {
    match Cli::parse().command {
        Command::Pack(args) => pack::pack(args),
        Command::Preview(args) => pack::preview(args),
        Command::Tokens(args) => tokens::tokens(&args),
        Command::Chunk(args) => chunk::chunk(&args),
        Command::Languages(args) => languages::languages(&args),
        Command::Eval(args) => eval::eval(args),
    }
}

//! One file a command.

mod chunk;
mod config;
mod eval;
mod index;
mod init;
mod languages;
mod mcp;
mod pack;
mod proxy;
mod rules;
mod search;
mod serve;
mod tokens;
mod trust;
mod watch;

use crate::args::{Cli, Command};
use crate::exit::Failure;
use crate::logging;
use clap::Parser;

/// Does what the command line says.
pub fn run() -> Result<(), Failure> {
    let Cli { louder, command } = Cli::parse();
    logging::install(&command, louder);
    match command {
        Command::Pack(args) => pack::pack(args),
        Command::Preview(args) => pack::preview(args),
        Command::Search(args) => search::search(&args),
        Command::Index(args) => index::index(&args),
        Command::Watch(args) => watch::watch(&args),
        Command::Config(args) => config::config(&args),
        Command::Rules(args) => rules::rules(&args),
        Command::Trust(args) => trust::trust(&args),
        Command::Tokens(args) => tokens::tokens(&args),
        Command::Chunk(args) => chunk::chunk(&args),
        Command::Languages(args) => languages::languages(&args),
        Command::Eval(args) => eval::eval(args),
        Command::Mcp(args) => mcp::mcp(&args),
        Command::Init(args) => init::init(&args),
        Command::Proxy(args) => proxy::proxy(&args),
        Command::Serve(args) => serve::serve(&args),
    }
}

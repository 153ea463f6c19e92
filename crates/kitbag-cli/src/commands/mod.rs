//! One file a command.

mod chunk;
mod compare;
mod completions;
mod config;
mod diff;
mod eval;
mod explain;
mod export;
mod index;
mod init;
mod languages;
mod mcp;
mod pack;
mod proxy;
mod rules;
mod search;
mod serve;
mod show;
mod sources;
mod tokens;
mod trust;
mod verify;
mod watch;

use crate::args::{Cli, Command};
use crate::exit::Failure;
use crate::logging;
use crate::ui;
use clap::Parser;

/// Does what the command line says.
pub fn run() -> Result<(), Failure> {
    let Cli { command, quiet, verbose } = Cli::parse();
    logging::install(&command, verbose);
    ui::set_loudness(quiet, verbose);
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
        Command::Show(args) => show::show(&args),
        Command::Explain(args) => explain::explain(&args),
        Command::Compare(args) => compare::compare(&args),
        Command::Verify(args) => verify::verify(&args),
        Command::Sources(args) => sources::sources(&args),
        Command::Diff(args) => diff::diff(&args),
        Command::Export(args) => export::export(&args),
        Command::Completions(args) => completions::completions(&args),
        Command::Man(args) => completions::man(&args),
    }
}

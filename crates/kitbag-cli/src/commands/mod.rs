//! One file a command.

mod chunk;
mod eval;
mod languages;
mod pack;
mod tokens;

use crate::args::{Cli, Command};
use crate::exit::Failure;
use clap::Parser;
use kitbag::Cancel;
use std::sync::atomic::{AtomicBool, Ordering};

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

/// A flag that Ctrl-C raises. A second Ctrl-C ends the program on the spot.
fn cancel_on_interrupt() -> Cancel {
    static AGAIN: AtomicBool = AtomicBool::new(false);
    let cancel = Cancel::default();
    let flag = cancel.clone();
    // Without a handler Ctrl-C simply ends the program, which is as good.
    let _ = ctrlc::set_handler(move || {
        if AGAIN.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
        flag.cancel();
    });
    cancel
}

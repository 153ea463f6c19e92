//! The program `kitbag`.

mod args;
mod clipboard;
mod commands;
mod engine;
mod exit;
mod files;
mod interrupt;
mod logging;
mod process;
mod progress;
mod repos;
mod suggested;
mod table;
mod terminal;
mod ui;
mod working_folder;

use std::env;
use std::process::ExitCode;

/// The parsers allocate every syntax node in C. This allocator replaces theirs as well, and makes
/// them a tenth faster.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// First argument of the program when it is started as a parser process.
const WORKER_ARGUMENT: &str = "--parse-worker";

fn main() -> ExitCode {
    if env::args_os().nth(1).is_some_and(|argument| argument == WORKER_ARGUMENT) {
        return kitbag::run_worker();
    }
    match kitbag::WorkerCommand::this_program([WORKER_ARGUMENT.into()]) {
        Ok(command) => kitbag::parse_in_workers(command),
        Err(error) => {
            let message = format!("cannot find this program to start its parsers: {error}");
            return exit::code(Err(exit::CliError::run(message, None)));
        }
    };
    process::prepare();
    let code = exit::code(commands::run());
    kitbag::stop_workers();
    code
}

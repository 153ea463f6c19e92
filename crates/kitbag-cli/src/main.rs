//! The program `kitbag`.

use kitbag_cli::Launch;
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
    let launch = Launch {
        arguments: env::args_os().collect(),
        program: Vec::new(),
        workers: kitbag::WorkerCommand::this_program([WORKER_ARGUMENT.into()]),
    };
    launch.run().into()
}

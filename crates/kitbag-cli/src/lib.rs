//! The program `kitbag` as a library, for the program itself and for the Python and Node packages, which carry
//! it inside an extension. No promise of stability: programs in Rust use the crate `kitbag`.

mod args;
mod clipboard;
mod commands;
mod engine;
mod exit;
mod files;
mod host;
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

pub use host::{
    HostAnswer, HostCall, HostEngine, HostError, HostOperation, HostProgress, LatestProgress,
};

use std::ffi::OsString;
use std::io::{self, Write};

/// How the program was started.
pub struct Launch {
    /// The command line, which begins with the name of the program.
    pub arguments: Vec<OsString>,
    /// Words that start the program, if this process is that of another program.
    pub program: Vec<String>,
    /// How to start processes that parse.
    pub workers: io::Result<kitbag::WorkerCommand>,
}

impl Launch {
    /// Runs the command line, and returns the exit status.
    pub fn run(self) -> u8 {
        let Self { arguments, program, workers } = self;
        match workers {
            Ok(command) => kitbag::parse_in_workers(command),
            Err(error) => {
                let message = format!("cannot find this program to start its parsers: {error}");
                return exit::code(Err(exit::CliError::run(message, None)));
            }
        };
        process::set_program(program);
        process::prepare();
        let code = exit::code(commands::run(arguments));
        kitbag::stop_workers();
        // A host in another language exits without flushing what Rust has buffered. A closed output is no
        // error at this point.
        let _ = io::stdout().flush();
        code
    }
}

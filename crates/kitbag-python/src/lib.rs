//! The extension module of the Python package `kitbag`: engines whose requests and reports are JSON. The module in
//! Python around it (`python/kitbag`) has the functions that users call.

mod call;
mod callbacks;
mod engine;
mod shape;

use pyo3::prelude::*;
use std::ffi::OsString;
use std::path::PathBuf;

/// The native part of `kitbag`.
#[pymodule]
mod _kitbag {
    #[pymodule_export]
    use crate::engine::{NativeCall, NativeEngine};
    #[pymodule_export]
    use crate::shape::{NativeAnswer, NativePart, NativeShape};
    #[pymodule_export]
    use crate::{run_program, run_worker};
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        let end = pyo3::wrap_pyfunction!(crate::callbacks::end_callbacks, module)?;
        module.py().import("atexit")?.call_method1("register", (end,))?;
        Ok(())
    }
}

/// Runs the program `kitbag`, which users start with `program`, and returns its exit status. The arguments begin
/// with the name of the program.
#[pyfunction]
fn run_program(
    py: Python<'_>,
    arguments: Vec<OsString>,
    program: Vec<String>,
    worker: Vec<OsString>,
) -> u8 {
    let launch = kitbag_cli::Launch { arguments, program, workers: Ok(worker_command(worker)) };
    py.detach(|| launch.run())
}

/// Runs this process as a parser, and ends it.
#[pyfunction]
fn run_worker(py: Python<'_>) {
    py.detach(|| {
        // The system refuses most of what Python would do at its end.
        kitbag::run_worker();
        std::process::exit(0);
    });
}

/// Turns a command line into one that starts a parser.
fn worker_command(mut words: Vec<OsString>) -> kitbag::WorkerCommand {
    let program = if words.is_empty() { OsString::new() } else { words.remove(0) };
    kitbag::WorkerCommand { program: PathBuf::from(program), arguments: words }
}

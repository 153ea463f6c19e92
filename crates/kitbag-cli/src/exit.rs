//! How the program ends: what it says of an error, and with which status.

use crate::ui;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

/// Why a command ended without its result.
#[derive(Debug)]
pub enum Failure {
    /// The command line, or a file it names, is at fault. Status 2.
    Usage { message: String, hint: Option<String> },
    /// The configuration is wrong. Status 2.
    Configuration(kitbag::ConfigError),
    /// The run failed. Status 1.
    Run { message: String, hint: Option<String> },
    /// Interrupted. Status 130.
    Interrupted,
    /// Whoever read our output has gone: nothing is wrong. Status 0.
    BrokenPipe,
}

impl Failure {
    pub fn usage(message: impl Into<String>, hint: Option<&str>) -> Self {
        Self::Usage { message: message.into(), hint: hint.map(str::to_owned) }
    }

    pub fn run(message: impl Into<String>, hint: Option<&str>) -> Self {
        Self::Run { message: message.into(), hint: hint.map(str::to_owned) }
    }

    /// A file that the command line names cannot be read.
    pub fn unreadable(path: &std::path::Path, error: &io::Error) -> Self {
        Self::usage(format!("cannot read {}: {error}", crate::files::shown(path)), None)
    }
}

impl From<kitbag::Error> for Failure {
    fn from(error: kitbag::Error) -> Self {
        if error.is_cancelled() {
            return Self::Interrupted;
        }
        if let kitbag::Error::Config(error) = error {
            return Self::Configuration(error);
        }
        let (message, hint) = (error.to_string(), error.hint());
        if error.is_usage() { Self::Usage { message, hint } } else { Self::Run { message, hint } }
    }
}

impl From<kitbag::eval::EvalError> for Failure {
    fn from(error: kitbag::eval::EvalError) -> Self {
        use kitbag::eval::EvalError;
        match &error {
            error if error.is_cancelled() => Self::Interrupted,
            EvalError::NoRepository { .. } => Self::usage(error.to_string(), None),
            EvalError::NoTasks => {
                let hint = "a commit makes a task if it changes code and has a parent";
                Self::usage(error.to_string(), Some(hint))
            }
            _ => Self::run(error.to_string(), None),
        }
    }
}

/// What went wrong while writing `path`, or standard output.
pub fn write_failure(path: Option<&PathBuf>, error: &io::Error) -> Failure {
    match (path, error.kind()) {
        (None, io::ErrorKind::BrokenPipe) => Failure::BrokenPipe,
        (None, _) => Failure::run(format!("cannot write standard output: {error}"), None),
        (Some(path), _) => {
            Failure::run(format!("cannot write `{}`: {error}", path.display()), None)
        }
    }
}

/// The program's status, after telling the person why.
pub fn code(result: Result<(), Failure>) -> ExitCode {
    match result {
        Ok(()) | Err(Failure::BrokenPipe) => ExitCode::SUCCESS,
        Err(Failure::Usage { message, hint }) => {
            ui::error(&message, hint.as_deref());
            ExitCode::from(2)
        }
        Err(Failure::Configuration(error)) => {
            for problem in &error.problems {
                ui::error(&problem.to_string(), problem.hint().as_deref());
            }
            ExitCode::from(2)
        }
        Err(Failure::Run { message, hint }) => {
            ui::error(&message, hint.as_deref());
            ExitCode::from(1)
        }
        Err(Failure::Interrupted) => {
            ui::error("interrupted", None);
            ExitCode::from(130)
        }
    }
}

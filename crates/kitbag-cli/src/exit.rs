//! How the program ends: its error messages and its exit status.

use crate::ui;
use std::io;
use std::path::Path;

/// Why a command ended without its result.
#[derive(Debug)]
pub enum CliError {
    /// Status 2 if the command line or a file that it names is invalid, otherwise 1.
    Error { is_usage: bool, message: String, hint: Option<String> },
    /// Invalid configuration. Status 2.
    Configuration(kitbag::ConfigError),
    /// Status 130.
    Interrupted,
    /// The reader of standard output closed it, which is not an error. Status 0.
    BrokenPipe,
}

impl CliError {
    pub fn usage(message: impl Into<String>, hint: Option<&str>) -> Self {
        Self::classified(true, message.into(), hint.map(str::to_owned))
    }

    pub fn run(message: impl Into<String>, hint: Option<&str>) -> Self {
        Self::classified(false, message.into(), hint.map(str::to_owned))
    }

    pub fn classified(is_usage: bool, message: String, hint: Option<String>) -> Self {
        Self::Error { is_usage, message, hint }
    }

    /// An error while writing `path`, or standard output.
    pub fn write(path: Option<&Path>, error: &io::Error) -> Self {
        match (path, error.kind()) {
            (None, io::ErrorKind::BrokenPipe) => Self::BrokenPipe,
            (None, _) => Self::run(format!("cannot write standard output: {error}"), None),
            (Some(path), _) => {
                Self::run(format!("cannot write `{}`: {error}", path.display()), None)
            }
        }
    }
}

impl From<kitbag::Error> for CliError {
    fn from(error: kitbag::Error) -> Self {
        if error.is_cancelled() {
            return Self::Interrupted;
        }
        if let kitbag::Error::Config(error) = error {
            return Self::Configuration(error);
        }
        Self::classified(error.is_usage(), error.to_string(), error.hint())
    }
}

/// Prints why the command failed, and returns the exit status.
pub fn code(result: Result<(), CliError>) -> u8 {
    match result {
        Ok(()) | Err(CliError::BrokenPipe) => 0,
        Err(CliError::Error { is_usage, message, hint }) => {
            ui::error(&message, hint.as_deref());
            if is_usage { 2 } else { 1 }
        }
        Err(CliError::Configuration(error)) => {
            for problem in &error.problems {
                ui::error(&problem.to_string(), problem.hint().as_deref());
            }
            2
        }
        Err(CliError::Interrupted) => {
            ui::error("interrupted", None);
            130
        }
    }
}

//! Errors of reading tool output.

use super::MAX_INPUT_BYTES;

/// The reason why tool output cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DiagnosticsError {
    /// The input exceeds the size limit.
    #[error("{name}: {bytes} bytes exceed the limit of {MAX_INPUT_BYTES} bytes")]
    TooLarge {
        /// The name of the input.
        name: String,
        /// The size in bytes.
        bytes: usize,
    },
    /// The input begins in a known format but is malformed.
    #[error("{name}:{line}:{column}: invalid {syntax}: {message}")]
    Malformed {
        /// The name of the input.
        name: String,
        /// The line, counted from 1.
        line: usize,
        /// The column, counted from 1.
        column: usize,
        /// The expected syntax: `JSON`, `XML`, `SARIF` and so on.
        syntax: &'static str,
        /// A description of the error.
        message: String,
    },
    /// The input has a document type declaration. These are rejected because they can make XML
    /// expand without bound or refer to files.
    #[error("{name}:{line}:{column}: document type declarations are not supported")]
    Declaration {
        /// The name of the input.
        name: String,
        /// The line, counted from 1.
        line: usize,
        /// The column, counted from 1.
        column: usize,
    },
    /// The format of the input is not known.
    #[error("{name}: unknown format")]
    UnknownFormat {
        /// The name of the input.
        name: String,
    },
}

impl DiagnosticsError {
    /// Returns advice on how to resolve the error.
    pub fn hint(&self) -> String {
        let hint = match self {
            Self::TooLarge { .. } => "pass only the relevant part",
            Self::Malformed { .. } => {
                "pass the unmodified output of the tool; it may have been truncated"
            }
            Self::Declaration { .. } => "remove `<!DOCTYPE ...>`; JUnit reports need none",
            Self::UnknownFormat { .. } => {
                "supported formats: SARIF 2.1; JSON of cargo, rustc, eslint, ruff, pyright and gcc; \
                 JUnit XML; text of tsc, gcc, clang, rustc and ruff; stack traces of Python, Java, \
                 Kotlin, JavaScript, Rust, Go, C#, Ruby and PHP"
            }
        };
        hint.to_owned()
    }
}

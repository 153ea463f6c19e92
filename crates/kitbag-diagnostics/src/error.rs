//! Errors of reading tool output.

use super::Format;

/// The reason why tool output cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DiagnosticsError {
    /// The input exceeds the size limit.
    #[error("{name}: too large to read: {bytes} bytes, and the most is {most}")]
    TooLarge {
        /// The name of the input.
        name: String,
        /// The size in bytes.
        bytes: usize,
        /// The maximum size in bytes.
        most: usize,
    },
    /// The input begins in a known format but is malformed.
    #[error("{name}:{line}:{column}: not {syntax}: {message}")]
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
    #[error("{name}:{line}:{column}: a document type declaration, which is never read")]
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
        match self {
            Self::TooLarge { .. } => "give the part of it that matters".to_owned(),
            Self::Malformed { .. } => {
                "write the tool's output to a file as it is; it may have been cut off".to_owned()
            }
            Self::Declaration { .. } => {
                "remove `<!DOCTYPE ...>`; JUnit reports need none".to_owned()
            }
            Self::UnknownFormat { .. } => {
                let names = Format::ALL.map(Format::name).join(", ");
                format!("the formats that are known: {names}")
            }
        }
    }
}

//! Why output of a tool cannot be read.

use super::Format;

/// Why output of a tool cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DiagnosticsError {
    /// It is too large.
    #[error("{name}: too large to read: {bytes} bytes, and the most is {most}")]
    TooLarge {
        /// What the text is called.
        name: String,
        /// How large it is.
        bytes: usize,
        /// How large it may be.
        most: usize,
    },
    /// It begins as a format that is known, and then is not in it.
    #[error("{name}:{line}:{column}: not {syntax}: {message}")]
    Malformed {
        /// What the text is called.
        name: String,
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// What it should have been: `JSON`, `XML`, `SARIF` and so on.
        syntax: &'static str,
        /// What is wrong there.
        message: String,
    },
    /// It has a document type declaration, with which XML can be made to grow without end or to
    /// name files.
    #[error("{name}:{line}:{column}: a document type declaration, which is never read")]
    Declaration {
        /// What the text is called.
        name: String,
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
    },
    /// It is in no format that is known.
    #[error("{name}: unknown format")]
    UnknownFormat {
        /// What the text is called.
        name: String,
    },
}

impl DiagnosticsError {
    /// What to do about it.
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

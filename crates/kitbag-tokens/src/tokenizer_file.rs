//! Reading `tokenizer.json` files.

use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Size limit for a `tokenizer.json`. The largest known files have 35 MB.
const MAX_BYTES: u64 = 256 << 20;

/// Reason why a tokenizer cannot be loaded from a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TokenizerFileError {
    /// The file cannot be read.
    #[error("cannot read the tokenizer `{}`: {error}", path.display())]
    Read {
        /// Path of the file.
        path: PathBuf,
        /// Error from the operating system.
        error: io::Error,
    },
    /// The file is too large to be a tokenizer.
    #[error("tokenizer `{}` is larger than {MAX_BYTES} bytes", path.display())]
    TooLarge {
        /// Path of the file.
        path: PathBuf,
    },
    /// The file is not JSON.
    #[error("`{}` is not JSON: {message}", path.display())]
    Syntax {
        /// Path of the file.
        path: PathBuf,
        /// The parser's message, with line and column.
        message: String,
    },
    /// The file is JSON, but not a tokenizer that can be used.
    #[error("`{}` is not a usable tokenizer: {message}", path.display())]
    Unusable {
        /// Path of the file.
        path: PathBuf,
        /// The problem, and the field if known.
        message: String,
    },
    /// The program was built without support for tokenizer files.
    #[error("cannot load `{}`: this build supports only built-in tokenizers", path.display())]
    Unsupported {
        /// Path of the file.
        path: PathBuf,
    },
}

impl TokenizerFileError {
    /// Suggests a fix.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Read { .. } => None,
            Self::TooLarge { .. } | Self::Syntax { .. } | Self::Unusable { .. } => {
                Some("use the `tokenizer.json` published with the model")
            }
            Self::Unsupported { .. } => Some("build with `--features huggingface`"),
        }
    }
}

/// The content of a `tokenizer.json`.
pub(crate) struct TokenizerFile {
    pub path: PathBuf,
    pub bytes: Vec<u8>,
}

impl TokenizerFile {
    /// Reads a file, or the `tokenizer.json` in a directory.
    pub fn read(path: &Path) -> Result<Self, TokenizerFileError> {
        let path = if path.is_dir() { path.join("tokenizer.json") } else { path.to_path_buf() };
        let mut bytes = Vec::new();
        let read = open(&path).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes));
        match read {
            Err(error) => Err(TokenizerFileError::Read { path, error }),
            Ok(_) if bytes.len() as u64 > MAX_BYTES => Err(TokenizerFileError::TooLarge { path }),
            Ok(_) => Ok(Self { path, bytes }),
        }
    }

    pub fn sha256(&self) -> [u8; 32] {
        Sha256::digest(&self.bytes).into()
    }
}

/// Opens a file. A FIFO, which may never be written, is an error.
fn open(path: &Path) -> io::Result<File> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::other("not a file"));
    }
    File::open(path)
}

#[cfg(feature = "huggingface")]
impl TokenizerFile {
    /// Returns the file name followed by the first digits of the content's hash.
    pub fn name(&self) -> String {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        format!("{name}@{}", crate::hex::hex(&self.sha256()[..6]))
    }

    /// Parses the content as a JSON object.
    pub fn parse<T: serde::de::DeserializeOwned>(&self) -> Result<T, TokenizerFileError> {
        // Serde also reads a struct from an array, which would hide the actual mistake.
        let first = self.bytes.iter().find(|byte| !byte.is_ascii_whitespace());
        if matches!(first, Some(b'[' | b'"')) {
            return Err(self.unusable("not a JSON object"));
        }
        serde_json::from_slice(&self.bytes).map_err(|error| match error.classify() {
            serde_json::error::Category::Data => self.unusable(error),
            _ => TokenizerFileError::Syntax { path: self.path.clone(), message: error.to_string() },
        })
    }

    pub fn unusable(&self, message: impl ToString) -> TokenizerFileError {
        TokenizerFileError::Unusable { path: self.path.clone(), message: message.to_string() }
    }
}

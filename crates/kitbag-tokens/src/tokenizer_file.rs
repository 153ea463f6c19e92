//! Reading a `tokenizer.json`, and what can be wrong with one.

use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// No tokenizer is as large: the largest known ones have 35 MB.
const MOST_BYTES: u64 = 256 << 20;

/// Why a tokenizer cannot be had from a file.
#[derive(Debug, thiserror::Error)]
pub enum TokenizerFileError {
    /// The file cannot be read.
    #[error("cannot read the tokenizer `{}`: {error}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The file is larger than any tokenizer.
    #[error("`{}` has more than {MOST_BYTES} bytes, which no tokenizer has", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
    },
    /// The file is not JSON.
    #[error("`{}` is not JSON: {message}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// What is wrong, and at which line and column.
        message: String,
    },
    /// The file is JSON, but not a tokenizer that can be used.
    #[error("`{}` is not a tokenizer that can be used: {message}", path.display())]
    Wrong {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where if that is known.
        message: String,
    },
    /// The program was built without what reads tokenizers.
    #[error("`{}` cannot be used: this build counts with its built-in tokenizers only", path.display())]
    NotBuiltIn {
        /// The file.
        path: PathBuf,
    },
}

impl TokenizerFileError {
    /// What to do about it, where there is something to say.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Read { .. } => None,
            Self::TooLarge { .. } | Self::Syntax { .. } | Self::Wrong { .. } => Some(
                "give the `tokenizer.json` that a model is published with, not another file of it",
            ),
            Self::NotBuiltIn { .. } => Some("build with `--features huggingface`"),
        }
    }
}

/// A tokenizer's file as it was read.
pub(crate) struct Content {
    path: PathBuf,
    bytes: Vec<u8>,
}

impl Content {
    /// Reads a file, or the `tokenizer.json` of a folder.
    pub fn read(path: &Path) -> Result<Self, TokenizerFileError> {
        let path = if path.is_dir() { path.join("tokenizer.json") } else { path.to_path_buf() };
        let mut bytes = Vec::new();
        let read =
            File::open(&path).and_then(|file| file.take(MOST_BYTES + 1).read_to_end(&mut bytes));
        match read {
            Err(error) => Err(TokenizerFileError::Read { path, error }),
            Ok(_) if bytes.len() as u64 > MOST_BYTES => Err(TokenizerFileError::TooLarge { path }),
            Ok(_) => Ok(Self { path, bytes }),
        }
    }

    /// The SHA-256 of the content.
    pub fn hash(&self) -> [u8; 32] {
        Sha256::digest(&self.bytes).into()
    }
}

#[cfg(feature = "huggingface")]
impl Content {
    /// What it is known by: the file's name, and the beginning of its content's hash.
    pub fn name(&self) -> String {
        use std::fmt::Write;

        let mut name = self.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        name.push('@');
        for byte in &self.hash()[..6] {
            write!(name, "{byte:02x}").expect("writing to a string cannot fail");
        }
        name
    }

    /// The content.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Reads the content as JSON.
    pub fn parse<T: serde::de::DeserializeOwned>(&self) -> Result<T, TokenizerFileError> {
        let first = self.bytes.iter().find(|byte| !byte.is_ascii_whitespace());
        if matches!(first, Some(b'[' | b'"')) {
            return Err(self.wrong("it is not a JSON object"));
        }
        serde_json::from_slice(&self.bytes).map_err(|error| match error.classify() {
            serde_json::error::Category::Data => self.wrong(&error.to_string()),
            _ => TokenizerFileError::Syntax { path: self.path.clone(), message: error.to_string() },
        })
    }

    /// The error that this is no usable tokenizer.
    pub fn wrong(&self, message: &str) -> TokenizerFileError {
        TokenizerFileError::Wrong { path: self.path.clone(), message: message.to_owned() }
    }
}

#[cfg(not(feature = "huggingface"))]
impl Content {
    /// The error that no tokenizer can be read.
    pub fn not_built_in(&self) -> TokenizerFileError {
        TokenizerFileError::NotBuiltIn { path: self.path.clone() }
    }
}

//! Tokenizers as users name them.

use crate::bpe::Vocabulary;
use crate::counter::TokenCounter;
use crate::estimate::Estimator;
use crate::suggestion::did_you_mean;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// A tokenizer as named by `--tokenizer` or `model.tokenizer`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TokenizerChoice {
    /// A built-in tokenizer.
    Named(&'static str),
    /// A `tokenizer.json`, or a directory that contains one.
    File(PathBuf),
}

/// Error for a name that is neither a built-in tokenizer nor a path.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown tokenizer `{name}`")]
pub struct UnknownTokenizer {
    /// The name as given.
    pub name: String,
}

impl UnknownTokenizer {
    /// Suggests a similar name, or lists the built-in tokenizers.
    pub fn hint(&self) -> String {
        let known: Vec<&str> = TokenizerChoice::names().collect();
        did_you_mean(&self.name, known.iter().copied()).unwrap_or_else(|| {
            format!("expected one of `{}`, or the path of a `tokenizer.json`", known.join("`, `"))
        })
    }
}

impl TokenizerChoice {
    /// Names of all built-in tokenizers, the default first.
    pub fn names() -> impl Iterator<Item = &'static str> {
        let vocabularies = Vocabulary::ALL.into_iter().map(Vocabulary::name);
        vocabularies.chain(Estimator::ALL.into_iter().map(Estimator::name))
    }

    /// Parses a name or a path. A value that contains a separator or ends in `.json` is a path.
    pub fn parse(value: &str) -> Result<Self, UnknownTokenizer> {
        if let Some(name) = Self::names().find(|name| *name == value) {
            return Ok(Self::Named(name));
        }
        let is_path = value.contains(['/', '\\']) || value.to_lowercase().ends_with(".json");
        if is_path || matches!(value, "." | "..") {
            return Ok(Self::File(PathBuf::from(value)));
        }
        Err(UnknownTokenizer { name: value.to_owned() })
    }

    /// Returns the counter that is used if no tokenizer file is read: that of the choice if it is
    /// built in, else the estimator by characters, which is also used unless `use_exact` is set.
    #[doc(hidden)]
    pub fn without_file(&self, use_exact: bool) -> Arc<dyn TokenCounter> {
        let named = match self {
            Self::Named(name) if use_exact => built_in(name),
            Self::Named(_) | Self::File(_) => None,
        };
        named.unwrap_or(Arc::new(Estimator::Characters))
    }
}

impl Default for TokenizerChoice {
    fn default() -> Self {
        Self::Named(Vocabulary::O200kBase.name())
    }
}

impl fmt::Display for TokenizerChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named(name) => f.write_str(name),
            Self::File(path) => path.display().fmt(f),
        }
    }
}

/// Creates the built-in counter called `name`.
pub(crate) fn built_in(name: &str) -> Option<Arc<dyn TokenCounter>> {
    if let Some(vocabulary) = Vocabulary::ALL.into_iter().find(|it| it.name() == name) {
        return Some(Arc::new(vocabulary));
    }
    let estimator = Estimator::ALL.into_iter().find(|it| it.name() == name)?;
    Some(Arc::new(estimator))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_distinguished_from_paths() {
        assert_eq!(
            TokenizerChoice::parse("cl100k_base"),
            Ok(TokenizerChoice::Named("cl100k_base"))
        );
        assert_eq!(TokenizerChoice::parse("gemini"), Ok(TokenizerChoice::Named("gemini")));
        for path in ["tokenizer.json", "models/qwen", "C:\\models\\qwen", "Llama.JSON", "."] {
            assert_eq!(TokenizerChoice::parse(path), Ok(TokenizerChoice::File(path.into())));
        }
        let error = TokenizerChoice::parse("p50k").expect_err("not built in");
        assert_eq!(error.name, "p50k");
        assert!(error.hint().contains("`o200k_base`, `cl100k_base`, `claude`"));
    }

    #[test]
    fn every_name_has_its_counter() {
        for name in TokenizerChoice::names() {
            assert_eq!(built_in(name).map(|it| it.name().to_owned()), Some(name.to_owned()));
        }
    }
}

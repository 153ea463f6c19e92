//! Which tokenizer to count with.

use crate::{Bpe, Estimator, Family, TokenCounter, Vocabulary};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// A tokenizer, as a user names it: what `--tokenizer` and `model.tokenizer` say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// One that is built in.
    Named(&'static str),
    /// A `tokenizer.json`, or a folder that has one.
    File(PathBuf),
}

/// No tokenizer of that name is built in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown tokenizer `{name}`")]
pub struct UnknownTokenizer {
    /// What was asked for.
    pub name: String,
}

impl UnknownTokenizer {
    /// The tokenizers that there are.
    pub fn hint(&self) -> String {
        let known: Vec<&str> = Choice::names().collect();
        format!("there are `{}`; a `tokenizer.json` is given by its path", known.join("`, `"))
    }
}

impl Choice {
    /// The names of all tokenizers that are built in, the default first.
    pub fn names() -> impl Iterator<Item = &'static str> {
        let vocabularies = Vocabulary::ALL.into_iter().map(Vocabulary::name);
        let families = Family::ALL.into_iter().map(Family::name);
        vocabularies.chain(families).chain(Estimator::ALL.into_iter().map(Estimator::name))
    }

    /// Reads a choice: a name, or a path, which has a separator in it or ends in `.json`.
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
}

impl Default for Choice {
    fn default() -> Self {
        Self::Named(Vocabulary::O200kBase.name())
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named(name) => f.write_str(name),
            Self::File(path) => path.display().fmt(f),
        }
    }
}

/// The built-in counter of that name.
pub(crate) fn built_in(name: &str) -> Option<Arc<dyn TokenCounter>> {
    if let Some(vocabulary) = Vocabulary::ALL.into_iter().find(|it| it.name() == name) {
        return Some(Arc::new(Bpe::new(vocabulary)));
    }
    if let Some(family) = Family::ALL.into_iter().find(|it| it.name() == name) {
        return Some(Arc::new(family));
    }
    let estimator = Estimator::ALL.into_iter().find(|it| it.name() == name)?;
    Some(Arc::new(estimator))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_paths_are_told_apart() {
        assert_eq!(Choice::parse("cl100k_base"), Ok(Choice::Named("cl100k_base")));
        assert_eq!(Choice::parse("gemini"), Ok(Choice::Named("gemini")));
        for path in ["tokenizer.json", "models/qwen", "C:\\models\\qwen", "Llama.JSON", "."] {
            assert_eq!(Choice::parse(path), Ok(Choice::File(path.into())));
        }
        let error = Choice::parse("p50k").expect_err("not built in");
        assert_eq!(error.name, "p50k");
        assert!(error.hint().contains("`o200k_base`, `cl100k_base`, `claude`"));
    }

    #[test]
    fn every_name_has_its_counter() {
        for name in Choice::names() {
            assert_eq!(built_in(name).map(|it| it.name().to_owned()), Some(name.to_owned()));
        }
    }
}

//! Arguments whose usual values shells complete, although any other is accepted and checked later.

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Command};
use std::ffi::OsStr;

/// Accepts any text, and suggests some.
#[derive(Debug, Clone)]
pub struct Suggested(Vec<&'static str>);

impl Suggested {
    /// Suggests the models whose tokenizer is known.
    pub fn models() -> Self {
        Self(kitbag::models().map(|model| model.name).collect())
    }

    /// Suggests the built-in profiles.
    pub fn profiles() -> Self {
        Self(kitbag::built_in_profiles().collect())
    }

    /// Suggests the built-in providers.
    pub fn providers() -> Self {
        Self(kitbag::built_in_providers().to_vec())
    }
}

impl TypedValueParser for Suggested {
    type Value = String;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.0.iter().copied().map(PossibleValue::new)))
    }
}

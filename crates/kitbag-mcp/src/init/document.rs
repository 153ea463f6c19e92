//! The configuration file of a client, in either syntax.

use super::clients::{Client, Syntax};
use super::error::InitError;
use super::fields::EntryFields;
use super::json::JsonDocument;
use super::toml::TomlDocument;
use serde_json::Value;
use std::path::Path;

/// A parsed file. Edits change the entry and nothing else in the text.
pub(super) trait ConfigDocument {
    /// Returns the keys of the object that the servers are in.
    fn server_keys(&self) -> &'static [&'static str];

    /// Returns the entry, if the file has it.
    fn entry(&self) -> Option<EntryFields>;

    /// Sets fields of the entry, which is created if necessary.
    fn update_entry(&mut self, updates: Vec<(String, Value)>);

    /// Removes the entry, and the objects around it that are empty then.
    fn remove_entry(&mut self);

    /// Returns the text; `None` if nothing is left.
    fn text(&self) -> Option<String>;
}

pub(super) fn parse(
    client: Client,
    path: &Path,
    text: &str,
) -> Result<Box<dyn ConfigDocument>, InitError> {
    Ok(match client.syntax() {
        Syntax::Json => Box::new(JsonDocument::parse(client, path, text)?),
        Syntax::Toml => Box::new(TomlDocument::parse(path, text)?),
    })
}

//! TOML files (Codex).

use super::ENTRY_NAME;
use super::document::ConfigDocument;
use super::error::InitError;
use super::fields::EntryFields;
use serde_json::Value;
use std::path::Path;
use toml_edit::{Array, DocumentMut, Item, Table, TableLike, TomlError, value};

/// The table of servers.
const SERVERS: &str = "mcp_servers";

pub(super) struct TomlDocument(DocumentMut);

impl TomlDocument {
    pub fn parse(path: &Path, text: &str) -> Result<Self, InitError> {
        let document: DocumentMut = text.parse().map_err(|error| malformed(path, text, &error))?;
        let not_a_table = |key: &str| InitError::WrongType {
            path: path.to_owned(),
            key: key.to_owned(),
            expected: "a table",
        };
        if let Some(servers) = document.get(SERVERS) {
            let servers = servers.as_table_like().ok_or_else(|| not_a_table(SERVERS))?;
            if servers.get(ENTRY_NAME).is_some_and(|entry| !entry.is_table_like()) {
                return Err(not_a_table(&format!("{SERVERS}.{ENTRY_NAME}")));
            }
        }
        Ok(Self(document))
    }

    fn servers_mut(&mut self) -> Option<&mut dyn TableLike> {
        self.0.get_mut(SERVERS).and_then(Item::as_table_like_mut)
    }
}

impl ConfigDocument for TomlDocument {
    fn server_keys(&self) -> &'static [&'static str] {
        &[SERVERS]
    }

    fn entry(&self) -> Option<EntryFields> {
        let servers = self.0.get(SERVERS)?.as_table_like()?;
        Some(fields(servers.get(ENTRY_NAME)?.as_table_like()?))
    }

    fn update_entry(&mut self, updates: Vec<(String, Value)>) {
        // Writes `[mcp_servers.kitbag]` without a line `[mcp_servers]` before it.
        let mut new_servers = Table::new();
        new_servers.set_implicit(true);
        self.0.entry(SERVERS).or_insert(Item::Table(new_servers));
        let Some(servers) = self.servers_mut() else { return };
        let entry = servers.entry(ENTRY_NAME).or_insert(Item::Table(Table::new()));
        for (name, value) in updates {
            entry[&name] = item(&value);
        }
    }

    fn remove_entry(&mut self) {
        let Some(servers) = self.servers_mut() else { return };
        servers.remove(ENTRY_NAME);
        if servers.is_empty() && self.0[SERVERS].as_table().is_some_and(Table::is_implicit) {
            self.0.remove(SERVERS);
        }
    }

    fn text(&self) -> Option<String> {
        Some(self.0.to_string()).filter(|text| !text.trim().is_empty())
    }
}

/// Converts a table. Values of types that an entry never has become `null`.
fn fields(table: &dyn TableLike) -> EntryFields {
    let text = |it: &toml_edit::Value| it.as_str().map_or(Value::Null, Value::from);
    let field = |(name, item): (&str, &Item)| {
        let value = match item.as_value() {
            Some(toml_edit::Value::Array(list)) => list.iter().map(text).collect(),
            Some(value) => text(value),
            None => Value::Null,
        };
        (name.to_owned(), value)
    };
    table.iter().map(field).collect()
}

/// Converts a string or an array of strings.
fn item(field: &Value) -> Item {
    match field {
        Value::Array(list) => value(list.iter().filter_map(Value::as_str).collect::<Array>()),
        field => value(field.as_str().unwrap_or_default()),
    }
}

fn malformed(path: &Path, text: &str, error: &TomlError) -> InitError {
    let at = error.span().map_or(0, |span| span.start).min(text.len());
    let before = text.get(..at).unwrap_or_default();
    InitError::Malformed {
        path: path.to_owned(),
        line: before.matches('\n').count() + 1,
        column: before.chars().rev().take_while(|&c| c != '\n').count() + 1,
        message: error.message().to_owned(),
    }
}

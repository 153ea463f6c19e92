//! Entries in Codex's TOML. The text is changed where the entry is, and nowhere else.

use super::clients::Client;
use super::error::InitError;
use super::ours::{Fields, changes, edited};
use super::{Entry, NAME};
use serde_json::Value;
use std::path::Path;
use toml_edit::{Array, DocumentMut, Item, Table, TableLike, value};

/// The table of servers.
const SERVERS: &str = "mcp_servers";

/// The text with our entry.
pub(super) fn with(path: &Path, text: &str, entry: &Entry) -> Result<String, InitError> {
    let mut document = parse(path, text)?;
    let mut made = Table::new();
    // `[mcp_servers.kitbag]` alone, without a line for `[mcp_servers]`.
    made.set_implicit(true);
    let servers = document.entry(SERVERS).or_insert(Item::Table(made));
    let servers = servers.as_table_like_mut().ok_or_else(|| shape(path, SERVERS))?;
    let ours = servers.entry(NAME).or_insert(Item::Table(Table::new()));
    let key = format!("{SERVERS}.{NAME}");
    let ours = ours.as_table_like_mut().ok_or_else(|| shape(path, &key))?;
    let foreign = || InitError::Foreign { path: path.to_owned(), key: key.clone() };
    let wanted = Client::Codex.entry(&[SERVERS], entry);
    for (name, value) in changes(&fields(ours), &wanted).ok_or_else(foreign)? {
        ours.insert(&name, item(&value));
    }
    Ok(document.to_string())
}

/// Fails if the entry that is there is not as it was written.
pub(super) fn check_ours(path: &Path, text: &str, entry: &Entry) -> Result<(), InitError> {
    let document = parse(path, text)?;
    let servers = document.get(SERVERS).and_then(Item::as_table_like);
    let ours = servers.and_then(|servers| servers.get(NAME)).and_then(Item::as_table_like);
    let wanted = Client::Codex.entry(&[SERVERS], entry);
    match ours.and_then(|ours| edited(&fields(ours), &wanted)) {
        None => Ok(()),
        Some(field) => {
            let key = format!("{SERVERS}.{NAME}");
            Err(InitError::Edited { path: path.to_owned(), key, field })
        }
    }
}

/// The text without our entry; `None` where nothing else was in it.
pub(super) fn without(path: &Path, text: &str) -> Result<Option<String>, InitError> {
    let mut document = parse(path, text)?;
    let Some(servers) = document.get_mut(SERVERS) else { return Ok(Some(text.to_owned())) };
    let servers = servers.as_table_like_mut().ok_or_else(|| shape(path, SERVERS))?;
    if servers.remove(NAME).is_none() {
        return Ok(Some(text.to_owned()));
    }
    let is_ours = servers.is_empty();
    if is_ours && document[SERVERS].as_table().is_some_and(Table::is_implicit) {
        document.remove(SERVERS);
    }
    let written = document.to_string();
    Ok((!written.trim().is_empty()).then_some(written))
}

/// The fields of a table. What our entry never has is only known to be there.
fn fields(table: &dyn TableLike) -> Fields {
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

/// A text, or a list of texts.
fn item(field: &Value) -> Item {
    match field {
        Value::Array(list) => value(list.iter().filter_map(Value::as_str).collect::<Array>()),
        field => value(field.as_str().unwrap_or_default()),
    }
}

fn parse(path: &Path, text: &str) -> Result<DocumentMut, InitError> {
    text.parse().map_err(|error: toml_edit::TomlError| {
        let at = error.span().map_or(0, |span| span.start).min(text.len());
        let before = text.get(..at).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|&c| c != '\n').count() + 1;
        let message = error.message().to_owned();
        InitError::Malformed { path: path.to_owned(), line, column, message }
    })
}

fn shape(path: &Path, key: &str) -> InitError {
    InitError::Shape { path: path.to_owned(), key: key.to_owned(), expected: "a table" }
}

//! Entries in Codex's TOML. The text is changed where the entry is, and nowhere else.

use super::error::InitError;
use super::{Entry, NAME};
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
    let arguments: Array = entry.arguments.iter().collect();
    set(ours, "command", value(&entry.command), |it| it.as_str() == Some(&entry.command));
    let is_same = |it: &Item| {
        let there = it.as_array().map(|list| list.iter().map(|it| it.as_str()).collect::<Vec<_>>());
        there == Some(entry.arguments.iter().map(|it| Some(it.as_str())).collect())
    };
    set(ours, "args", value(arguments), is_same);
    Ok(document.to_string())
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

/// Sets a value, unless it is the same already: its form and its comments stay then.
fn set(table: &mut dyn TableLike, key: &str, wanted: Item, is_same: impl Fn(&Item) -> bool) {
    if !table.get(key).is_some_and(is_same) {
        table.insert(key, wanted);
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

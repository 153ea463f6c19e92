//! Entries in JSON files, with comments or without. The text is changed where the entry is, and
//! nowhere else.

use super::clients::Client;
use super::error::InitError;
use super::ours::{Fields, changes, edited};
use super::{Entry, NAME};
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use serde_json::Value;
use std::path::Path;

/// What a file may begin with.
const BOM: char = '\u{feff}';

/// The text with our entry.
pub(super) fn with(
    path: &Path,
    text: &str,
    client: Client,
    entry: &Entry,
) -> Result<String, InitError> {
    let (bom, root) = parse(path, text)?;
    let top = match root.value() {
        None => root.object_value_or_set(),
        Some(value) => value.as_object().ok_or_else(|| shape(path, "the whole"))?,
    };
    let keys = client.keys(|keys| walk(&top, keys).is_some());
    let mut list = top;
    for (depth, key) in keys.iter().enumerate() {
        let found = list.object_value_or_create(key);
        list = found.ok_or_else(|| shape(path, &keys[..=depth].join(".")))?;
    }
    let wanted = client.entry(keys, entry);
    match list.get(NAME) {
        None => drop(list.append(NAME, input(&Value::Object(wanted)))),
        Some(there) => {
            let there = there.object_value().ok_or_else(|| shape(path, NAME))?;
            let foreign = || InitError::Foreign { path: path.to_owned(), key: key(keys) };
            for (name, value) in changes(&fields(&there), &wanted).ok_or_else(foreign)? {
                match there.get(&name) {
                    None => drop(there.append(&name, input(&value))),
                    Some(field) => field.set_value(input(&value)),
                }
            }
        }
    }
    let mut written = root.to_string();
    if text.trim().is_empty() && !written.ends_with('\n') {
        written.push('\n');
    }
    Ok(format!("{bom}{written}"))
}

/// Fails if the entry that is there is not as it was written.
pub(super) fn check_ours(
    path: &Path,
    text: &str,
    client: Client,
    entry: &Entry,
) -> Result<(), InitError> {
    let (_, root) = parse(path, text)?;
    let Some(top) = root.value().and_then(|value| value.as_object()) else { return Ok(()) };
    let keys = client.keys(|keys| walk(&top, keys).is_some());
    let Some(there) = walk(&top, keys).and_then(|list| list.object_value(NAME)) else {
        return Ok(());
    };
    match edited(&fields(&there), &client.entry(keys, entry)) {
        None => Ok(()),
        Some(field) => Err(InitError::Edited { path: path.to_owned(), key: key(keys), field }),
    }
}

/// The text without our entry; `None` where nothing else was in it.
pub(super) fn without(
    path: &Path,
    text: &str,
    client: Client,
) -> Result<Option<String>, InitError> {
    let (bom, root) = parse(path, text)?;
    let Some(value) = root.value() else { return Ok(Some(text.to_owned())) };
    let top = value.as_object().ok_or_else(|| shape(path, "the whole"))?;
    let keys = client.keys(|keys| walk(&top, keys).is_some());
    let Some(list) = walk(&top, keys) else { return Ok(Some(text.to_owned())) };
    let Some(entry) = list.get(NAME) else { return Ok(Some(text.to_owned())) };
    entry.remove();
    // What `with` may have made goes too, if it is empty again.
    for depth in (1..=keys.len()).rev() {
        let Some(list) = walk(&top, &keys[..depth]) else { break };
        if !is_bare(&list) {
            break;
        }
        let above = if depth == 1 { Some(top.clone()) } else { walk(&top, &keys[..depth - 1]) };
        if let Some(property) = above.and_then(|above| above.get(keys[depth - 1])) {
            property.remove();
        }
    }
    let is_left = !is_bare(&top) || root.children().iter().any(|node| node.is_comment());
    Ok(is_left.then(|| format!("{bom}{root}")))
}

fn parse<'a>(path: &Path, text: &'a str) -> Result<(&'a str, CstRootNode), InitError> {
    let (bom, rest) = match text.strip_prefix(BOM) {
        Some(rest) => (&text[..BOM.len_utf8()], rest),
        None => ("", text),
    };
    // Comments and commas at the end are common; what else is lenient would hide mistakes.
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let malformed = |error: jsonc_parser::errors::ParseError| InitError::Malformed {
        path: path.to_owned(),
        line: error.line_display(),
        column: error.column_display(),
        message: error.kind().to_string(),
    };
    Ok((bom, CstRootNode::parse(rest, &options).map_err(malformed)?))
}

/// The object that keys lead to.
fn walk(top: &CstObject, keys: &[&str]) -> Option<CstObject> {
    keys.iter().try_fold(top.clone(), |object, key| object.object_value(key))
}

/// Whether an object has neither properties nor comments.
fn is_bare(object: &CstObject) -> bool {
    object.properties().is_empty() && !object.children().iter().any(|node| node.is_comment())
}

/// The fields of an object.
fn fields(object: &CstObject) -> Fields {
    match object.to_serde_value() {
        Some(Value::Object(fields)) => fields,
        _ => Fields::new(),
    }
}

/// Where our entry is.
fn key(keys: &[&str]) -> String {
    format!("{}.{NAME}", keys.join("."))
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(flag) => CstInputValue::Bool(*flag),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(input).collect()),
        Value::Object(fields) => {
            let field = |(name, value): (&String, &Value)| (name.clone(), input(value));
            CstInputValue::Object(fields.iter().map(field).collect())
        }
    }
}

fn shape(path: &Path, key: &str) -> InitError {
    InitError::Shape { path: path.to_owned(), key: key.to_owned(), expected: "an object" }
}

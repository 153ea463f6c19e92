//! JSON files, with comments or without.

use super::ENTRY_NAME;
use super::clients::Client;
use super::document::ConfigDocument;
use super::error::InitError;
use super::fields::EntryFields;
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use serde_json::Value;
use std::path::Path;

const BYTE_ORDER_MARK: char = '\u{feff}';

pub(super) struct JsonDocument {
    has_byte_order_mark: bool,
    /// Whether the file was empty or did not exist.
    is_new: bool,
    root: CstRootNode,
    top: CstObject,
    keys: &'static [&'static str],
}

impl JsonDocument {
    pub fn parse(client: Client, path: &Path, text: &str) -> Result<Self, InitError> {
        let without_mark = text.strip_prefix(BYTE_ORDER_MARK);
        let root = parse(path, without_mark.unwrap_or(text))?;
        let not_an_object = |key: &str| InitError::WrongType {
            path: path.to_owned(),
            key: key.to_owned(),
            expected: "an object",
        };
        let top = match root.value() {
            None => root.object_value_or_set(),
            Some(value) => value.as_object().ok_or_else(|| not_an_object("(root)"))?,
        };
        let keys = client.server_keys(|keys| descend(&top, keys).is_some());
        let path_of_entry: Vec<&str> = keys.iter().copied().chain([ENTRY_NAME]).collect();
        for depth in 0..path_of_entry.len() {
            let parent = descend(&top, &path_of_entry[..depth]);
            let property = parent.and_then(|parent| parent.get(path_of_entry[depth]));
            if property.is_some_and(|property| property.object_value().is_none()) {
                return Err(not_an_object(&path_of_entry[..=depth].join(".")));
            }
        }
        let (has_byte_order_mark, is_new) = (without_mark.is_some(), text.trim().is_empty());
        Ok(Self { has_byte_order_mark, is_new, root, top, keys })
    }
}

impl ConfigDocument for JsonDocument {
    fn server_keys(&self) -> &'static [&'static str] {
        self.keys
    }

    fn entry(&self) -> Option<EntryFields> {
        let entry = descend(&self.top, self.keys)?.object_value(ENTRY_NAME)?;
        entry.to_serde_value()?.as_object().cloned()
    }

    fn update_entry(&mut self, updates: Vec<(String, Value)>) {
        let mut servers = self.top.clone();
        for key in self.keys {
            servers = servers.object_value_or_set(key);
        }
        let Some(entry) = servers.object_value(ENTRY_NAME) else {
            servers.append(ENTRY_NAME, input(&Value::Object(updates.into_iter().collect())));
            return;
        };
        for (name, value) in updates {
            match entry.get(&name) {
                None => drop(entry.append(&name, input(&value))),
                Some(field) => field.set_value(input(&value)),
            }
        }
    }

    fn remove_entry(&mut self) {
        let entry = descend(&self.top, self.keys).and_then(|servers| servers.get(ENTRY_NAME));
        if let Some(entry) = entry {
            entry.remove();
        }
        for depth in (0..self.keys.len()).rev() {
            let parent = descend(&self.top, &self.keys[..depth]);
            let property = parent.and_then(|parent| parent.get(self.keys[depth]));
            match property.filter(|it| it.object_value().is_some_and(|object| is_bare(&object))) {
                Some(property) => property.remove(),
                None => break,
            }
        }
    }

    fn text(&self) -> Option<String> {
        if is_bare(&self.top) && !self.root.children().iter().any(|node| node.is_comment()) {
            return None;
        }
        let mut text = self.root.to_string();
        if self.has_byte_order_mark {
            text.insert(0, BYTE_ORDER_MARK);
        }
        if self.is_new && !text.ends_with('\n') {
            text.push('\n');
        }
        Some(text)
    }
}

fn parse(path: &Path, text: &str) -> Result<CstRootNode, InitError> {
    // Comments and trailing commas are common; other extensions would hide mistakes.
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
    CstRootNode::parse(text, &options).map_err(|error| InitError::Malformed {
        path: path.to_owned(),
        line: error.line_display(),
        column: error.column_display(),
        message: error.kind().to_string(),
    })
}

/// Returns the object at a path of keys.
fn descend(top: &CstObject, keys: &[&str]) -> Option<CstObject> {
    keys.iter().try_fold(top.clone(), |object, key| object.object_value(key))
}

/// Whether an object has neither properties nor comments.
fn is_bare(object: &CstObject) -> bool {
    object.properties().is_empty() && !object.children().iter().any(|node| node.is_comment())
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(flag) => CstInputValue::Bool(*flag),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(input).collect()),
        Value::Object(members) => {
            let member = |(name, value): (&String, &Value)| (name.clone(), input(value));
            CstInputValue::Object(members.iter().map(member).collect())
        }
    }
}

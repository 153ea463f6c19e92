//! Variables of a request, for templates and programs.

use crate::gather::editor_state::Editor;
use crate::request::Request;
use serde_json::Value;
use std::collections::BTreeMap;

/// Returns the variables that templates can use. Each is present, null where the request has no value,
/// so that a template works for every request. The report adds the counts.
pub(crate) fn variables(
    request: &Request,
    editor: Option<&Editor>,
) -> BTreeMap<&'static str, Value> {
    let path = editor.map(|editor| editor.path.as_str());
    let path = path.or(request.document.as_ref().map(|document| document.path.as_str()));
    let name = path.map(|path| path.rsplit('/').next().unwrap_or(path));
    let cursor = editor.and_then(|editor| editor.cursor);
    let position = cursor.map(|cursor| match cursor.column {
        Some(column) => format!("{}:{column}", cursor.line).into(),
        None => Value::from(cursor.line),
    });
    let length = editor.and_then(|editor| editor.selection.as_ref()).map(|selected| {
        let own = request.selection.as_ref().and_then(|it| it.text.as_deref());
        own.unwrap_or(selected.text.content()).chars().count()
    });
    let heading = editor.and_then(|editor| editor.heading.as_ref()).map(|(name, _)| name.as_str());
    BTreeMap::from([
        ("DocumentName", name.into()),
        ("DocumentPath", path.into()),
        ("CursorPosition", position.unwrap_or_default()),
        ("SelectionLength", length.into()),
        ("CurrentHeading", heading.into()),
    ])
}

/// Formats variables for templates; null becomes the empty string.
pub(crate) fn template_values(
    variables: &BTreeMap<&'static str, Value>,
) -> BTreeMap<String, String> {
    let text = |value: &Value| match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    variables.iter().map(|(name, value)| ((*name).to_owned(), text(value))).collect()
}

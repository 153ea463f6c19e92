//! What a pack tells of the request, for templates and programs.

use crate::editor::Editor;
use crate::request::Request;
use serde_json::Value;
use std::collections::BTreeMap;

/// What is known before anything is packed. How many fragments there are, and how many tokens they
/// have, comes with the pack.
pub(crate) fn variables(
    request: &Request,
    editor: Option<&Editor>,
) -> BTreeMap<&'static str, Value> {
    let mut variables: BTreeMap<&'static str, Value> = BTreeMap::new();
    let path = editor.map(|editor| editor.path.as_str());
    let path = path.or(request.document.as_ref().map(|document| document.path.as_str()));
    if let Some(path) = path {
        let name = path.rsplit('/').next().unwrap_or(path);
        variables.insert("DocumentName", name.into());
        variables.insert("DocumentPath", path.into());
    }
    let Some(editor) = editor else { return variables };
    if let Some(cursor) = editor.cursor {
        let position = match cursor.column {
            Some(column) => format!("{}:{column}", cursor.line).into(),
            None => cursor.line.into(),
        };
        variables.insert("CursorPosition", position);
    }
    if let Some(selected) = &editor.selection {
        let own = request.selection.as_ref().and_then(|it| it.text.as_deref());
        let text = own.unwrap_or(selected.text.content());
        variables.insert("SelectionLength", text.chars().count().into());
    }
    if let Some((heading, _)) = &editor.heading {
        variables.insert("CurrentHeading", heading.as_str().into());
    }
    variables
}

/// The same as templates take them.
pub(crate) fn written(variables: &BTreeMap<&'static str, Value>) -> BTreeMap<String, String> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    variables.iter().map(|(name, value)| ((*name).to_owned(), text(value))).collect()
}

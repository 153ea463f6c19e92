//! The schemas of fields that may be written in several forms, the one for models first.

use crate::request::{Cursor, Document, LAST_LINE, Selection};
use schemars::{Schema, SchemaGenerator, json_schema};

pub(super) fn tokens(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": ["integer", "string"],
        "minimum": 1,
        "maximum": 1_000_000_000,
        "pattern": "^[1-9][0-9]{0,4}[kK]?$",
    })
}

pub(super) fn time(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": ["string", "integer"] })
}

pub(super) fn diff(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": ["string", "boolean"] })
}

pub(super) fn document(generator: &mut SchemaGenerator) -> Schema {
    let document = generator.subschema_for::<Document>();
    json_schema!({ "anyOf": [document, { "type": "string" }] })
}

pub(super) fn documents(generator: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "array", "items": document(generator) })
}

pub(super) fn cursor(generator: &mut SchemaGenerator) -> Schema {
    let text = json_schema!({
        "type": "string",
        "pattern": "^[1-9][0-9]{0,6}(:[1-9][0-9]{0,6})?$",
    });
    let line = json_schema!({ "type": "integer", "minimum": 1, "maximum": LAST_LINE });
    json_schema!({ "anyOf": [text, line, generator.subschema_for::<Cursor>()] })
}

pub(super) fn selection(generator: &mut SchemaGenerator) -> Schema {
    let text = json_schema!({
        "type": "string",
        "pattern": "^[1-9][0-9]{0,6}(-[1-9][0-9]{0,6})?$",
    });
    json_schema!({ "anyOf": [text, generator.subschema_for::<Selection>()] })
}

pub(super) fn diagnostics(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "array", "items": { "type": ["string", "object", "array"] } })
}

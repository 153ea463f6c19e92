//! The arguments of the tools, each declared once: schemas, errors and the reference come from here.

use serde_json::{Map, Value, json};

/// An argument.
pub(crate) struct Field {
    /// Its name.
    pub name: &'static str,
    /// What its value looks like.
    pub shape: Shape,
    /// What it means, for the model that fills it in.
    pub about: &'static str,
}

/// What a value looks like. Only plain forms of JSON Schema: clients differ in what else they know.
pub(crate) enum Shape {
    /// A text.
    Text,
    /// One of these texts.
    Choice(&'static [&'static str]),
    /// A whole number, within bounds.
    Whole(u64, u64),
    /// Yes or no.
    Flag,
    /// Texts.
    Texts,
    /// An object with any fields.
    Object,
    /// A number from 0 to 1.
    Share,
    /// A time as text, or seconds since 1970.
    Time,
    /// An object with these fields, of which these are required.
    Record(&'static [Field], &'static [&'static str]),
    /// Objects with these fields, of which these are required.
    Records(&'static [Field], &'static [&'static str]),
}

impl Field {
    /// The JSON Schema of its value.
    pub fn schema(&self) -> Value {
        let mut schema = self.shape.schema();
        if let Some(fields) = schema.as_object_mut() {
            fields.insert("description".into(), self.about.into());
        }
        schema
    }
}

impl Shape {
    fn schema(&self) -> Value {
        match self {
            Self::Text => json!({ "type": "string" }),
            Self::Choice(names) => json!({ "type": "string", "enum": names }),
            Self::Whole(least, most) => {
                json!({ "type": "integer", "minimum": least, "maximum": most })
            }
            Self::Flag => json!({ "type": "boolean" }),
            Self::Texts => json!({ "type": "array", "items": { "type": "string" } }),
            Self::Object => json!({ "type": "object" }),
            Self::Share => json!({ "type": "number", "minimum": 0, "maximum": 1 }),
            Self::Time => json!({ "type": "string" }),
            Self::Record(fields, required) => Value::Object(object(fields.iter(), required)),
            Self::Records(fields, required) => {
                json!({ "type": "array", "items": object(fields.iter(), required) })
            }
        }
    }

    /// What a person calls it.
    pub fn noun(&self) -> String {
        match self {
            Self::Text => "a text".into(),
            Self::Choice(names) => {
                let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
                format!("one of {}", names.join(", "))
            }
            Self::Whole(least, most) => format!("a whole number from {least} to {most}"),
            Self::Flag => "true or false".into(),
            Self::Texts => "a list of texts".into(),
            Self::Object | Self::Record(..) => "an object".into(),
            Self::Share => "a number from 0 to 1".into(),
            Self::Time => "a time such as `2026-11-15T12:00:00Z`".into(),
            Self::Records(..) => "a list of objects".into(),
        }
    }

    /// Whether a value looks like it. What a request has in it is for the engine's reader to say,
    /// which knows more forms than a schema can tell in plain words.
    pub fn takes(&self, value: &Value) -> bool {
        match self {
            Self::Text => value.is_string(),
            Self::Whole(least, most) => {
                value.as_u64().is_some_and(|number| (*least..=*most).contains(&number))
            }
            Self::Flag => value.is_boolean(),
            Self::Texts => value.as_array().is_some_and(|items| items.iter().all(Value::is_string)),
            _ => true,
        }
    }

    /// Whether a value is a number that its bounds allow, or something else, for the engine's reader
    /// to say: it takes numbers in more forms, such as `8k`.
    pub fn bounds(&self, value: &Value) -> bool {
        match (self, value.as_u64()) {
            (Self::Whole(least, most), Some(number)) => (*least..=*most).contains(&number),
            _ => true,
        }
    }
}

/// The JSON Schema of an object with these fields and no others.
pub(crate) fn object<'a>(
    fields: impl Iterator<Item = &'a Field>,
    required: &[&str],
) -> Map<String, Value> {
    let properties: Map<String, Value> =
        fields.map(|field| (field.name.to_owned(), field.schema())).collect();
    let mut schema = Map::new();
    schema.insert("type".into(), "object".into());
    schema.insert("properties".into(), Value::Object(properties));
    if !required.is_empty() {
        schema.insert("required".into(), json!(required));
    }
    schema.insert("additionalProperties".into(), false.into());
    schema
}

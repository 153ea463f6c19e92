//! JSON schemas of the requests and reports that the Python and Node packages have types for.

use kitbag::{Report, Request, SearchReport, SearchRequest, SymbolReport, SymbolRequest};
use schemars::generate::{Contract, SchemaGenerator, SchemaSettings};
use serde_json::{Map, Value};

/// Schemas by name.
pub struct LibrarySchemas {
    /// Requests, and what is in them.
    pub requests: Map<String, Value>,
    /// Reports, and what is in them.
    pub reports: Map<String, Value>,
}

impl LibrarySchemas {
    /// Generates the schemas from the types of the library.
    pub fn new() -> Self {
        let mut requests = generator(Contract::Deserialize);
        requests.subschema_for::<Request>();
        requests.subschema_for::<SearchRequest>();
        requests.subschema_for::<SymbolRequest>();
        let mut reports = generator(Contract::Serialize);
        reports.subschema_for::<Report>();
        reports.subschema_for::<SearchReport>();
        reports.subschema_for::<SymbolReport>();
        Self { requests: requests.take_definitions(true), reports: reports.take_definitions(true) }
    }
}

fn generator(contract: Contract) -> SchemaGenerator {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.contract = contract);
    settings.into_generator()
}

/// Returns the properties of an object, in their order.
pub fn properties(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    schema["properties"].as_object().into_iter().flatten()
}

/// Whether an object must have a property.
pub fn is_required(schema: &Value, name: &str) -> bool {
    schema["required"].as_array().is_some_and(|names| names.iter().any(|it| it == name))
}

/// Returns the name of a schema that `schema` refers to.
pub fn reference(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str().map(|path| path.rsplit('/').next().unwrap_or(path))
}

/// Returns the values of a schema that allows only some strings.
pub fn constants(schema: &Value) -> Option<Vec<&Value>> {
    let variants = schema["oneOf"].as_array().or(schema["anyOf"].as_array());
    match (schema.get("const"), schema["enum"].as_array(), variants) {
        (Some(value), _, _) => Some(vec![value]),
        (_, Some(values), _) => Some(values.iter().collect()),
        (_, _, Some(variants)) => {
            let all: Option<Vec<Vec<&Value>>> = variants.iter().map(constants).collect();
            all.map(|all| all.concat())
        }
        _ => None,
    }
}

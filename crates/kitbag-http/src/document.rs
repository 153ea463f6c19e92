//! The description of the routes (OpenAPI 3.1). A route is added to the router and to the
//! description at once, with the types that it takes and gives, so the two cannot drift apart.

use crate::problem::{PROBLEM_JSON, Problem};
use crate::state::State;
use axum::Router;
use axum::routing::MethodRouter;
use schemars::generate::{Contract, SchemaSettings};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Makes the schema of a type.
type Make = fn(&mut SchemaGenerator) -> Schema;

/// A route, described.
pub(crate) struct Operation {
    pub method: &'static str,
    pub path: &'static str,
    summary: &'static str,
    query: Option<Make>,
    body: Option<Make>,
    answer: Answer,
    problems: &'static [u16],
}

/// What a route answers with.
enum Answer {
    Json(Make),
    Text(&'static str),
}

/// What can be wrong with any request.
const ANY: &[u16] = &[400, 401, 403];

/// What can be wrong with a request that names something.
const NAMED: &[u16] = &[400, 401, 403, 404, 408, 422, 500, 503];

/// What can be wrong with a request that has a body.
const WITH_BODY: &[u16] = &[400, 401, 403, 404, 408, 413, 415, 422, 500, 503];

impl Operation {
    fn new(method: &'static str, path: &'static str, summary: &'static str) -> Self {
        let (query, body, answer) = (None, None, Answer::Text("text/plain"));
        Self { method, path, summary, query, body, answer, problems: ANY }
    }

    pub fn get(path: &'static str, summary: &'static str) -> Self {
        Self::new("get", path, summary)
    }

    pub fn post(path: &'static str, summary: &'static str) -> Self {
        Self::new("post", path, summary)
    }

    pub fn put(path: &'static str, summary: &'static str) -> Self {
        Self::new("put", path, summary)
    }

    /// Its query is a `T`.
    pub fn query<T: JsonSchema>(self) -> Self {
        let query: Make = |generator| T::json_schema(generator);
        Self { query: Some(query), ..self }
    }

    /// Its body is a `T`.
    pub fn takes<T: JsonSchema>(self) -> Self {
        let body: Make = |generator| generator.subschema_for::<T>();
        Self { body: Some(body), problems: WITH_BODY, ..self }
    }

    /// It may name what is not there, and has to wait for its turn.
    pub fn names(self) -> Self {
        Self { problems: NAMED, ..self }
    }

    /// Its answer is a `T`, as JSON.
    pub fn gives<T: JsonSchema>(self) -> Self {
        let answer: Make = |generator| generator.subschema_for::<T>();
        Self { answer: Answer::Json(answer), ..self }
    }

    /// Its answer is text of another type.
    pub fn gives_text(self, media_type: &'static str) -> Self {
        Self { answer: Answer::Text(media_type), ..self }
    }

    fn describe(&self, taken: &mut SchemaGenerator, given: &mut SchemaGenerator) -> Value {
        let mut described = Map::new();
        described.insert("operationId".into(), json!(self.id()));
        described.insert("summary".into(), json!(self.summary));
        let mut parameters = path_parameters(self.path);
        parameters.extend(self.query.iter().flat_map(|make| query_parameters(&make(taken))));
        described.insert("parameters".into(), Value::Array(parameters));
        if let Some(body) = self.body {
            let content = json!({ "application/json": { "schema": body(taken) } });
            let body = json!({ "required": true, "content": content });
            described.insert("requestBody".into(), body);
        }
        let content = match self.answer {
            Answer::Json(make) => json!({ "application/json": { "schema": make(given) } }),
            Answer::Text(media_type) => json!({ media_type: { "schema": { "type": "string" } } }),
        };
        let mut responses = Map::new();
        responses.insert("200".into(), json!({ "description": "Done.", "content": content }));
        let problem = given.subschema_for::<Problem>();
        for status in self.problems {
            let title = axum::http::StatusCode::from_u16(*status).ok();
            let title = title.and_then(|it| it.canonical_reason()).unwrap_or("Error");
            let content = json!({ PROBLEM_JSON: { "schema": problem.clone() } });
            let response = json!({ "description": title, "content": content });
            responses.insert(status.to_string(), response);
        }
        described.insert("responses".into(), Value::Object(responses));
        Value::Object(described)
    }

    /// A name for programs that are made from the description, such as `get_v1_packs_id`.
    fn id(&self) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let path: String = self.path.chars().map(plain).collect();
        let words = path.split('_').filter(|word| !word.is_empty());
        std::iter::once(self.method).chain(words).collect::<Vec<_>>().join("_")
    }
}

/// The routes, and their description.
#[derive(Default)]
pub(crate) struct Routes {
    router: Router<Arc<State>>,
    operations: Vec<Operation>,
}

impl Routes {
    /// Adds a route.
    pub fn add(mut self, operation: Operation, handler: MethodRouter<Arc<State>>) -> Self {
        self.router = self.router.route(operation.path, handler);
        self.operations.push(operation);
        self
    }

    /// The router.
    pub fn router(self) -> Router<Arc<State>> {
        self.router
    }

    /// The description.
    pub fn document(&self) -> Value {
        // What is left out of an answer where it is empty may be left out; of a request, what has a
        // default.
        let (mut taken, mut given) =
            (generator(Contract::Deserialize), generator(Contract::Serialize));
        let mut paths = Map::new();
        for operation in &self.operations {
            let described = operation.describe(&mut taken, &mut given);
            let path = paths.entry(operation.path).or_insert_with(|| json!({}));
            if let Some(methods) = path.as_object_mut() {
                methods.insert(operation.method.to_owned(), described);
            }
        }
        let mut schemas = taken.take_definitions(true);
        schemas.extend(given.take_definitions(true));
        let bearer = json!({ "token": { "type": "http", "scheme": "bearer" } });
        json!({
            "openapi": "3.1.0",
            "info": {
                "title": "Kitbag",
                "version": env!("CARGO_PKG_VERSION"),
                "description": "Packs the context a language model needs, to an exact token budget.",
            },
            "paths": paths,
            "components": {
                "schemas": schemas,
                "securitySchemes": bearer,
            },
            "security": [{}, { "token": [] }],
        })
    }
}

fn generator(contract: Contract) -> SchemaGenerator {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
        settings.contract = contract;
    });
    settings.into_generator()
}

/// The names in braces of a path.
fn path_parameters(path: &str) -> Vec<Value> {
    let names = path.split('{').skip(1).filter_map(|rest| rest.split_once('}'));
    let parameter = |(name, _): (&str, &str)| {
        let schema = json!({ "type": "string", "minLength": 1 });
        json!({ "name": name, "in": "path", "required": true, "schema": schema })
    };
    names.map(parameter).collect()
}

/// The fields of a query.
fn query_parameters(schema: &Schema) -> Vec<Value> {
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let properties = schema.get("properties").and_then(Value::as_object);
    let parameter = |(name, schema): (&String, &Value)| {
        let mut schema = schema.clone();
        let described = schema.as_object_mut().and_then(|it| it.remove("description"));
        without_null(&mut schema);
        json!({
            "name": name, "in": "query", "required": required.contains(&name.as_str()),
            "description": described, "schema": schema,
        })
    };
    properties.into_iter().flatten().map(parameter).collect()
}

/// What is optional in a query is left out, and not null.
fn without_null(schema: &mut Value) {
    let Some(types) = schema.get_mut("type") else { return };
    if let Value::Array(names) = types {
        names.retain(|name| name != "null");
        if let [only] = names.as_slice() {
            *types = only.clone();
        }
    }
}

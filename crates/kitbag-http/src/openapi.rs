//! The OpenAPI 3.1 document. A route is added to the router and to the document in one call, with
//! its request and response types, so that the two cannot diverge.

use crate::problem::{PROBLEM_JSON, Problem};
use crate::state::HttpState;
use axum::Router;
use axum::handler::Handler;
use axum::http::StatusCode;
use axum::routing::{self, MethodRouter};
use schemars::generate::{Contract, SchemaSettings};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};
use std::sync::Arc;

type MakeSchema = fn(&mut SchemaGenerator) -> Schema;

/// A route with its handler and its description.
pub(crate) struct Operation {
    method: &'static str,
    path: &'static str,
    summary: &'static str,
    handler: MethodRouter<Arc<HttpState>>,
    query: Option<MakeSchema>,
    body: Option<MakeSchema>,
    response: ResponseBody,
}

enum ResponseBody {
    Json(MakeSchema),
    Text { media_type: &'static str },
}

/// Error statuses of every route.
const COMMON_ERRORS: &[u16] = &[400, 401, 403];

/// Error statuses of routes with parameters, which look something up.
const LOOKUP_ERRORS: &[u16] = &[400, 401, 403, 404, 408, 422, 500, 503];

/// Error statuses of routes with a request body.
const BODY_ERRORS: &[u16] = &[400, 401, 403, 404, 408, 413, 415, 422, 500, 503];

impl Operation {
    pub fn get<T: 'static>(
        path: &'static str,
        summary: &'static str,
        handler: impl Handler<T, Arc<HttpState>>,
    ) -> Self {
        Self::new("get", path, summary, routing::get(handler))
    }

    pub fn post<T: 'static>(
        path: &'static str,
        summary: &'static str,
        handler: impl Handler<T, Arc<HttpState>>,
    ) -> Self {
        Self::new("post", path, summary, routing::post(handler))
    }

    pub fn new(
        method: &'static str,
        path: &'static str,
        summary: &'static str,
        handler: MethodRouter<Arc<HttpState>>,
    ) -> Self {
        let response = ResponseBody::Text { media_type: "text/plain" };
        Self { method, path, summary, handler, query: None, body: None, response }
    }

    /// Declares the query parameters: the fields of `T`.
    pub fn query<T: JsonSchema>(self) -> Self {
        Self { query: Some(|generator| T::json_schema(generator)), ..self }
    }

    /// Declares the request body.
    pub fn body<T: JsonSchema>(self) -> Self {
        Self { body: Some(|generator| generator.subschema_for::<T>()), ..self }
    }

    /// Declares the response body.
    pub fn json<T: JsonSchema>(self) -> Self {
        Self { response: ResponseBody::Json(|generator| generator.subschema_for::<T>()), ..self }
    }

    /// Declares a response body that is not JSON.
    pub fn text(self, media_type: &'static str) -> Self {
        Self { response: ResponseBody::Text { media_type }, ..self }
    }

    fn describe(&self, requests: &mut SchemaGenerator, responses: &mut SchemaGenerator) -> Value {
        let mut parameters = path_parameters(self.path);
        parameters.extend(self.query.iter().flat_map(|make| query_parameters(&make(requests))));
        let mut operation = json!({
            "operationId": self.id(),
            "summary": self.summary,
            "parameters": parameters,
            "responses": self.describe_responses(responses),
        });
        if let Some(body) = self.body {
            let content = json!({ "application/json": { "schema": body(requests) } });
            operation["requestBody"] = json!({ "required": true, "content": content });
        }
        operation
    }

    fn describe_responses(&self, generator: &mut SchemaGenerator) -> Value {
        let content = match self.response {
            ResponseBody::Json(make) => {
                json!({ "application/json": { "schema": make(generator) } })
            }
            ResponseBody::Text { media_type } => {
                json!({ media_type: { "schema": { "type": "string" } } })
            }
        };
        let mut responses = Map::new();
        responses.insert("200".into(), json!({ "description": "OK", "content": content }));
        let problem = generator.subschema_for::<Problem>();
        let has_parameters = self.query.is_some() || self.path.contains('{');
        let error_statuses = match self.body {
            Some(_) => BODY_ERRORS,
            None if has_parameters => LOOKUP_ERRORS,
            None => COMMON_ERRORS,
        };
        for status in error_statuses {
            let reason = StatusCode::from_u16(*status).ok().and_then(|it| it.canonical_reason());
            let content = json!({ PROBLEM_JSON: { "schema": problem.clone() } });
            let response = json!({ "description": reason.unwrap_or("Error"), "content": content });
            responses.insert(status.to_string(), response);
        }
        Value::Object(responses)
    }

    /// Returns an id for generated clients, such as `get_v1_packs_id`.
    fn id(&self) -> String {
        let words = self.path.split(|c: char| !c.is_ascii_alphanumeric());
        let words = words.filter(|word| !word.is_empty());
        std::iter::once(self.method).chain(words).collect::<Vec<_>>().join("_")
    }
}

/// Operations, as a router and as an OpenAPI document.
pub(crate) struct Routes(pub Vec<Operation>);

impl Routes {
    pub fn into_router(self) -> Router<Arc<HttpState>> {
        let add = |router: Router<Arc<HttpState>>, it: Operation| router.route(it.path, it.handler);
        self.0.into_iter().fold(Router::new(), add)
    }

    pub fn document(&self) -> Value {
        // The two contracts differ in what is optional: fields that may be omitted from a response,
        // and fields of a request that have a default.
        let mut requests = schema_generator(Contract::Deserialize);
        let mut responses = schema_generator(Contract::Serialize);
        let mut paths: Map<String, Value> = Map::new();
        for operation in &self.0 {
            let described = operation.describe(&mut requests, &mut responses);
            paths.entry(operation.path).or_insert_with(|| json!({}))[operation.method] = described;
        }
        let mut schemas = requests.take_definitions(true);
        schemas.extend(responses.take_definitions(true));
        json!({
            "openapi": "3.1.0",
            "info": {
                "title": "Kitbag",
                "version": env!("CARGO_PKG_VERSION"),
                "description": "Packs repository context for language models into an exact token budget.",
            },
            "paths": paths,
            "components": {
                "schemas": schemas,
                "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
            },
            "security": [{}, { "token": [] }],
        })
    }
}

fn schema_generator(contract: Contract) -> SchemaGenerator {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
        settings.contract = contract;
    });
    settings.into_generator()
}

fn path_parameters(path: &str) -> Vec<Value> {
    let names = path.split('{').skip(1).filter_map(|rest| rest.split_once('}'));
    let parameter = |(name, _): (&str, &str)| {
        let schema = json!({ "type": "string", "minLength": 1 });
        json!({ "name": name, "in": "path", "required": true, "schema": schema })
    };
    names.map(parameter).collect()
}

fn query_parameters(schema: &Schema) -> Vec<Value> {
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|names| names.iter().any(|it| it == name));
    let parameter = |(name, schema): (&String, &Value)| {
        let mut schema = schema.clone();
        let description = schema.as_object_mut().and_then(|it| it.remove("description"));
        remove_null_type(&mut schema);
        json!({
            "name": name, "in": "query", "required": is_required(name),
            "description": description, "schema": schema,
        })
    };
    let properties = schema.get("properties").and_then(Value::as_object);
    properties.into_iter().flatten().map(parameter).collect()
}

/// Removes `null` from the types: an optional query parameter is omitted, never null.
fn remove_null_type(schema: &mut Value) {
    let Some(types) = schema.get_mut("type") else { return };
    if let Value::Array(names) = types {
        names.retain(|name| name != "null");
        if let [only] = names.as_slice() {
            *types = only.clone();
        }
    }
}

//! The OpenAPI 3.1 document. A route is added to the router and to the document in one call, with
//! its request and response types, so that the two cannot diverge.

use crate::portable_schema::{add_enums, make_portable};
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
    /// Name of the function in generated clients.
    id: &'static str,
    summary: &'static str,
    tag: Tag,
    handler: MethodRouter<Arc<HttpState>>,
    query: Option<MakeSchema>,
    body: Option<MakeSchema>,
    /// Request bodies by name.
    examples: Vec<(&'static str, Value)>,
    response: ResponseBody,
}

enum ResponseBody {
    Json {
        schema: MakeSchema,
        /// Media types of the text alone.
        text_types: &'static [&'static str],
    },
    Text {
        media_type: &'static str,
        /// Schema of the data in the text, which is in the document but no part of the response.
        data: Option<MakeSchema>,
    },
}

/// Groups of operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tag {
    Packs,
    Repositories,
    Service,
}

impl Tag {
    const ALL: [Self; 3] = [Self::Packs, Self::Repositories, Self::Service];

    fn name(self) -> &'static str {
        match self {
            Self::Packs => "packs",
            Self::Repositories => "repositories",
            Self::Service => "service",
        }
    }

    fn description(self) -> &'static str {
        match self {
            Self::Packs => "Packing, searching, and the packs that were made.",
            Self::Repositories => "The served repositories: files, settings and providers.",
            Self::Service => "The service itself.",
        }
    }
}

/// Error statuses of every route.
const COMMON_ERRORS: &[u16] = &[400, 401, 403];

/// Error statuses of routes with parameters, which look something up.
const LOOKUP_ERRORS: &[u16] = &[400, 401, 403, 404, 408, 422, 500, 503];

/// Error statuses of routes with a request body.
const BODY_ERRORS: &[u16] = &[400, 401, 403, 404, 408, 413, 415, 422, 500, 503];

/// Error status of routes with several media types.
const NOT_ACCEPTABLE: u16 = 406;

/// The address that `kitbag serve` listens on by default.
const DEFAULT_SERVER: &str = "http://127.0.0.1:7420";

impl Operation {
    pub fn get<T: 'static>(
        id: &'static str,
        path: &'static str,
        summary: &'static str,
        handler: impl Handler<T, Arc<HttpState>>,
    ) -> Self {
        Self::new(id, "get", path, summary, routing::get(handler))
    }

    pub fn post<T: 'static>(
        id: &'static str,
        path: &'static str,
        summary: &'static str,
        handler: impl Handler<T, Arc<HttpState>>,
    ) -> Self {
        Self::new(id, "post", path, summary, routing::post(handler))
    }

    pub fn put<T: 'static>(
        id: &'static str,
        path: &'static str,
        summary: &'static str,
        handler: impl Handler<T, Arc<HttpState>>,
    ) -> Self {
        Self::new(id, "put", path, summary, routing::put(handler))
    }

    fn new(
        id: &'static str,
        method: &'static str,
        path: &'static str,
        summary: &'static str,
        handler: MethodRouter<Arc<HttpState>>,
    ) -> Self {
        Self {
            method,
            path,
            id,
            summary,
            tag: Tag::Service,
            handler,
            query: None,
            body: None,
            examples: Vec::new(),
            response: ResponseBody::Text { media_type: "text/plain", data: None },
        }
    }

    pub fn tag(self, tag: Tag) -> Self {
        Self { tag, ..self }
    }

    /// Declares the query parameters: the fields of `T`.
    pub fn query<T: JsonSchema>(self) -> Self {
        Self { query: Some(|generator| T::json_schema(generator)), ..self }
    }

    /// Declares the request body.
    pub fn body<T: JsonSchema>(self) -> Self {
        Self { body: Some(|generator| generator.subschema_for::<T>()), ..self }
    }

    /// Adds an example of a request body.
    pub fn example(mut self, name: &'static str, body: Value) -> Self {
        self.examples.push((name, body));
        self
    }

    /// Declares the response body.
    pub fn json<T: JsonSchema>(self) -> Self {
        let schema: MakeSchema = |generator| generator.subschema_for::<T>();
        Self { response: ResponseBody::Json { schema, text_types: &[] }, ..self }
    }

    /// Declares a response body of JSON or, if the client prefers it, of text alone.
    pub fn json_or_text<T: JsonSchema>(self, text_types: &'static [&'static str]) -> Self {
        let schema: MakeSchema = |generator| generator.subschema_for::<T>();
        Self { response: ResponseBody::Json { schema, text_types }, ..self }
    }

    /// Declares a response body that is not JSON.
    pub fn text(self, media_type: &'static str) -> Self {
        Self { response: ResponseBody::Text { media_type, data: None }, ..self }
    }

    /// Declares a stream of events whose data is `T` as JSON.
    pub fn events<T: JsonSchema>(self) -> Self {
        let data: MakeSchema = |generator| generator.subschema_for::<T>();
        Self {
            response: ResponseBody::Text { media_type: "text/event-stream", data: Some(data) },
            ..self
        }
    }

    fn describe(&self, requests: &mut SchemaGenerator, responses: &mut SchemaGenerator) -> Value {
        let mut parameters = path_parameters(self.path);
        parameters.extend(self.query.iter().flat_map(|make| query_parameters(&make(requests))));
        let mut operation = json!({
            "operationId": self.id,
            "summary": self.summary,
            "tags": [self.tag.name()],
            "parameters": parameters,
            "responses": self.describe_responses(responses),
        });
        if let Some(body) = self.body {
            let mut media_type = json!({ "schema": body(requests) });
            for (name, value) in &self.examples {
                media_type["examples"][*name] = json!({ "value": value });
            }
            let content = json!({ "application/json": media_type });
            operation["requestBody"] = json!({ "required": true, "content": content });
        }
        operation
    }

    fn describe_responses(&self, generator: &mut SchemaGenerator) -> Value {
        let text = || json!({ "schema": { "type": "string" } });
        let (content, description, is_negotiated) = match self.response {
            ResponseBody::Json { schema, text_types } => {
                let mut content = json!({ "application/json": { "schema": schema(generator) } });
                for media_type in text_types {
                    content[*media_type] = text();
                }
                (content, "OK".to_owned(), !text_types.is_empty())
            }
            ResponseBody::Text { media_type, data } => {
                let data = data.map(|data| data(generator));
                let name = data.as_ref().and_then(|it| it.get("$ref")).and_then(Value::as_str);
                let name = name.and_then(|path| path.rsplit('/').next());
                let data =
                    name.map(|name| format!("OK. The data of events is a `{name}` as JSON."));
                (json!({ media_type: text() }), data.unwrap_or_else(|| "OK".to_owned()), false)
            }
        };
        let mut responses = Map::new();
        responses.insert("200".into(), json!({ "description": description, "content": content }));
        let problem = generator.subschema_for::<Problem>();
        let has_parameters = self.query.is_some() || self.path.contains('{');
        let error_statuses = match self.body {
            Some(_) => BODY_ERRORS,
            None if has_parameters => LOOKUP_ERRORS,
            None => COMMON_ERRORS,
        };
        let not_acceptable = is_negotiated.then_some(&NOT_ACCEPTABLE);
        for status in error_statuses.iter().chain(not_acceptable) {
            let reason = StatusCode::from_u16(*status).ok().and_then(|it| it.canonical_reason());
            let content = json!({ PROBLEM_JSON: { "schema": problem.clone() } });
            let response = json!({ "description": reason.unwrap_or("Error"), "content": content });
            responses.insert(status.to_string(), response);
        }
        Value::Object(responses)
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
        add_enums(&mut schemas);
        let tags = Tag::ALL.map(|it| json!({ "name": it.name(), "description": it.description() }));
        let mut document = json!({
            "openapi": "3.1.0",
            "info": {
                "title": "Kitbag",
                "version": env!("CARGO_PKG_VERSION"),
                "description": "Packs repository context for language models into an exact token budget.",
                "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
            },
            "servers": [
                { "url": DEFAULT_SERVER, "description": "The default address of `kitbag serve`." },
            ],
            "tags": tags,
            "paths": paths,
            "components": {
                "schemas": schemas,
                "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
            },
            "security": [{}, { "token": [] }],
        });
        make_portable(&mut document);
        document
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

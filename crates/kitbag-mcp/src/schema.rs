//! The shapes of the tools' results, as JSON Schema in its plainest forms.

use serde_json::{Map, Value, json};

/// The result of `pack_context`.
pub(crate) fn pack() -> Map<String, Value> {
    let fields = json!({
        "content": text("The pack: the code, formatted. The same as the text of the result."),
        "total_tokens": count("The tokens of `content`."),
        "budget": count("The most tokens that it could have."),
        "tokenizer": tokenizer(),
        "included": list("What is in, the best first.", included()),
        "excluded_count": count("How many chunks are out; `preview_context` says which and why."),
        "partial": flag("Whether the deadline cut something off."),
        "warnings": texts("What you should know."),
        "resource": text("The name of the pack as a resource, for as long as the session lasts."),
        "report": text("The name of the full report as a resource: every chunk in and out, and why."),
    });
    object(
        fields,
        &[
            "content",
            "total_tokens",
            "budget",
            "tokenizer",
            "included",
            "excluded_count",
            "partial",
            "warnings",
            "resource",
            "report",
        ],
    )
}

/// The result of `preview_context`.
pub(crate) fn preview() -> Map<String, Value> {
    let fields = json!({
        "total_tokens": count("The tokens that the pack would have."),
        "budget": count("The most tokens that it could have."),
        "tokenizer": tokenizer(),
        "included": list("What would be in, the best first.", included()),
        "excluded": list("What would be out, the best first; the first 50.", excluded()),
        "excluded_count": count("How many chunks would be out."),
        "warnings": texts("What you should know."),
    });
    object(
        fields,
        &[
            "total_tokens",
            "budget",
            "tokenizer",
            "included",
            "excluded",
            "excluded_count",
            "warnings",
        ],
    )
}

/// The result of `search_code`.
pub(crate) fn search() -> Map<String, Value> {
    let result = json!({
        "path": text("The file."),
        "start_line": count("Its first line."),
        "end_line": count("Its last line."),
        "symbol": text("The function, class or section, where there is one."),
        "kind": text("What it is, such as `function`, `class`, `code` or `test`."),
        "tokens": count("Its tokens."),
        "score": number("How well it matches."),
        "reasons": texts("What speaks most for it."),
    });
    let required = ["path", "start_line", "end_line", "kind", "tokens", "score", "reasons"];
    let fields = json!({
        "results": list("What was found, the best first.", Value::Object(object(result, &required))),
        "files_searched": count("How many files were searched."),
        "warnings": texts("What you should know."),
    });
    object(fields, &["results", "files_searched", "warnings"])
}

/// The result of `explain_chunk`.
pub(crate) fn explain() -> Map<String, Value> {
    let factor = json!({
        "name": text("What was looked at."),
        "value": number("How much of it there is."),
        "adds": number("What it adds to the score."),
    });
    let factor = Value::Object(object(factor, &["name", "value", "adds"]));
    let found = json!({
        "rank": count("Its place among the search's results, from 1."),
        "score": number("The chunk's score."),
        "factors": list("What speaks for and against the chunk.", factor.clone()),
        "file_score": number("The file's score."),
        "file_factors": list("What speaks for and against the file.", factor),
    });
    let required = ["rank", "score", "factors", "file_score", "file_factors"];
    let fields = json!({
        "status": { "type": "string", "enum": ["included", "excluded", "not_considered"],
            "description": "Whether the line is in the pack." },
        "explanation": text("Why, in words."),
        "path": text("The file."),
        "line": count("The line that was asked about."),
        "rank": count("The chunk's place in the pack, from 1, where it is in."),
        "chunk": included_or_excluded(),
        "search": described(object(found, &required), "What the search saw in it, where it found it."),
    });
    object(fields, &["status", "explanation", "path", "line"])
}

/// The result of `list_providers`.
pub(crate) fn providers() -> Map<String, Value> {
    let provider = json!({
        "id": text("Its name."),
        "enabled": flag("Whether it is asked."),
        "title": text("What its section of a pack is called."),
        "description": text("What it gathers."),
        "switched": flag("Whether that was switched since the server began, and is not configured."),
        "priority": count("The priority of what it gives, where that has none by its kind."),
    });
    let required = ["id", "enabled", "title", "description", "switched"];
    let provider = Value::Object(object(provider, &required));
    let fields =
        json!({ "providers": list("In the order that their answers are merged.", provider) });
    object(fields, &["providers"])
}

/// The result of `set_provider_enabled`.
pub(crate) fn provider() -> Map<String, Value> {
    let fields = json!({
        "id": text("The provider."),
        "enabled": flag("Whether it is asked from now on."),
    });
    object(fields, &["id", "enabled"])
}

fn tokenizer() -> Value {
    let fields = json!({
        "name": text("Its name."),
        "exact": flag("Whether it is the model's own, and not an estimate."),
        "error": text("How far an estimate may be off."),
    });
    described(object(fields, &["name", "exact"]), "How the tokens were counted.")
}

fn chunk_fields() -> Map<String, Value> {
    let factors = json!({
        "relevance": number("How well it answers the task."),
        "recency": number("How lately it changed."),
        "source": number("The priority of its kind of source."),
    });
    let factors = described(
        object(factors, &["relevance", "recency", "source"]),
        "What the score is made of, each from 0 to 1.",
    );
    let fields = json!({
        "path": text("The file."),
        "start_line": count("The chunk's first line."),
        "end_line": count("The chunk's last line."),
        "symbol": text("The function, class or section, where there is one."),
        "kind": text("The kind of source that it is from."),
        "provider": text("Who gathered it."),
        "part": text("Which part of a split item it is."),
        "tokens": count("Its tokens."),
        "score": number("Its score."),
        "factors": factors,
    });
    match fields {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

fn included() -> Value {
    let mut fields = chunk_fields();
    let range = json!({ "type": "array", "items": { "type": "integer" } });
    fields.insert("form".into(), form());
    fields.insert("shown".into(), list("The line ranges that stand in the text.", range));
    let required =
        ["path", "start_line", "end_line", "kind", "tokens", "score", "factors", "form", "shown"];
    Value::Object(object(Value::Object(fields), &required))
}

fn excluded() -> Value {
    let mut fields = chunk_fields();
    fields.insert("reason".into(), text("Why it is out, as a code such as `budget`."));
    fields.insert("detail".into(), text("Why it is out, in words."));
    Value::Object(object(Value::Object(fields), &["path", "kind", "tokens", "reason", "detail"]))
}

fn included_or_excluded() -> Value {
    let mut fields = chunk_fields();
    let range = json!({ "type": "array", "items": { "type": "integer" } });
    fields.insert("form".into(), form());
    fields.insert("shown".into(), list("The line ranges that stand in the text.", range));
    fields.insert("reason".into(), text("Why it is out, as a code such as `budget`."));
    fields.insert("detail".into(), text("Why it is out, in words."));
    described(
        object(Value::Object(fields), &["path", "kind", "tokens"]),
        "The chunk that the line belongs to, where it was considered.",
    )
}

fn form() -> Value {
    json!({ "type": "string", "enum": ["full", "outline", "truncated"],
        "description": "How much of it is in." })
}

fn described(mut schema: Map<String, Value>, about: &str) -> Value {
    schema.insert("description".into(), about.into());
    Value::Object(schema)
}

fn object(properties: Value, required: &[&str]) -> Map<String, Value> {
    let schema = json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    });
    match schema {
        Value::Object(schema) => schema,
        _ => Map::new(),
    }
}

fn list(about: &str, items: Value) -> Value {
    json!({ "type": "array", "items": items, "description": about })
}

fn text(about: &str) -> Value {
    json!({ "type": "string", "description": about })
}

fn texts(about: &str) -> Value {
    list(about, json!({ "type": "string" }))
}

fn count(about: &str) -> Value {
    json!({ "type": "integer", "minimum": 0, "description": about })
}

fn number(about: &str) -> Value {
    json!({ "type": "number", "description": about })
}

fn flag(about: &str) -> Value {
    json!({ "type": "boolean", "description": about })
}

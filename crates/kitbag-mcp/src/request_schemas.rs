//! The arguments of the tools that take a request of the engine, described for a model.
//!
//! Every word of the listed schemas is sent with every conversation, so they are written by hand and brief.

use crate::schema;
use kitbag::Request;
use serde_json::{Map, Value, json};

/// Returns the arguments of `pack_context` that are listed by default.
pub(crate) fn pack() -> Map<String, Value> {
    let mut properties = json!({
        "task": text("What you are doing, in plain language. Put the user's words, error messages and stack \
            traces in verbatim; names of functions and files help."),
        "budget": {
            "type": "integer",
            "description": "Maximum tokens; default 8000. 2000-4000 for a small question, 16000 and more for \
                work across many files.",
        },
        "files": texts("Files that must be included, such as `src/a.rs` or `src/a.rs:10-40`."),
        "include": texts("Globs: only these files, such as `src/**`."),
        "exclude": texts("Globs: not these files."),
    });
    properties["diff"] = text(
        "Pack a change for review, instead of a task: empty for uncommitted work, `staged`, a branch, or a \
         range such as `main..topic`.",
    );
    properties["repo"] = text("Repository.");
    properties["ref"] = revision();
    properties["session"] = text(
        "A name of your choice for this conversation, such as a random word: code \
        already sent in it is not sent again.",
    );
    properties["repeat"] = json!({
        "type": "boolean",
        "description": "Send it again, for example after your conversation was compacted.",
    });
    object(properties, &[])
}

/// Returns all arguments of `pack_context`. The fields that only the user may set are left out.
pub(crate) fn whole_pack() -> Map<String, Value> {
    let mut schema = schema::arguments_with::<Request>(&json!({
        "window": null,
        "tokenizer": null,
        "deny": null,
        "redact": null,
        "references": null,
        "document": { "description": "The file that the user has open." },
        "cursor": { "description": "The position of the cursor in `document`: `42` or `42:7`." },
        "selection": { "description": "The selected lines of `document`: `10-20`." },
        "open_files": { "description": "Other files that the user has open." },
        "diagnostics": { "description": "Output of compilers, linters and tests, as printed: the code \
            that it refers to is considered." },
        "format": {
            "description": "The format of the text; markdown by default.",
            "enum": ["markdown", "xml", "json", "plain"],
        },
        "profile": { "description": "A named set of settings: `agent` (the default), `orchestrate`, \
            `inline-edit`, `chunks`, `situation`, or one of the project's own." },
        "deadline_ms": {
            "description": "Maximum duration in milliseconds; what has been gathered by then is packed.",
            "minimum": 1,
            "maximum": 3_600_000,
        },
        "situation": {
            "description": "Your current situation, for the project's rules.",
            "type": "string",
        },
        "now": { "description": "The time that ages are measured from, such as \
            `2026-11-15T12:00:00Z`; by default that of the newest change." },
    }));
    if let Some(Value::Object(properties)) = schema.get_mut("properties")
        && let Value::Object(listed) = pack()["properties"].clone()
    {
        let rest = std::mem::replace(properties, listed);
        for (name, property) in rest {
            match properties.get_mut(&name) {
                None => drop(properties.insert(name, property)),
                // Limits are checked, but not worth listing.
                Some(listed) => ["minimum", "maximum"].into_iter().for_each(|keyword| {
                    if let Some(bound) = property.get(keyword) {
                        listed[keyword] = bound.clone();
                    }
                }),
            }
        }
    }
    schema
}

/// Returns the arguments of `search_code`.
pub(crate) fn search() -> Map<String, Value> {
    let properties = json!({
        "task": text("What you are looking for."),
        "limit": limit(20, 200),
        "files": { "type": "boolean", "description": "Files instead of functions and classes." },
        "include": texts("Globs: only these files."),
        "exclude": texts("Globs: not these files."),
        "repo": text("Repository."),
        "ref": revision(),
    });
    object(properties, &["task"])
}

/// Returns the arguments of `find_symbol`.
pub(crate) fn symbol() -> Map<String, Value> {
    let properties = json!({
        "name": text("A name, such as `login`, `UserService.get_user` or `Rack::Response`."),
        "limit": limit(20, 200),
        "include": texts("Globs: only these files."),
        "repo": text("Repository."),
        "ref": revision(),
    });
    object(properties, &["name"])
}

/// Returns the arguments of `repo_overview`.
pub(crate) fn overview() -> Map<String, Value> {
    let budget = json!({ "type": "integer", "description": "Maximum tokens; default 4000." });
    object(json!({ "budget": budget, "repo": text("Repository."), "ref": revision() }), &[])
}

fn revision() -> Value {
    text("Branch, tag or commit instead of the work tree.")
}

fn text(description: &str) -> Value {
    json!({ "type": "string", "description": description })
}

fn texts(description: &str) -> Value {
    json!({ "type": "array", "items": { "type": "string" }, "description": description })
}

fn limit(default: usize, max: usize) -> Value {
    let description = format!("Maximum results; default {default}.");
    json!({ "type": "integer", "minimum": 1, "maximum": max, "description": description })
}

fn object(properties: Value, required: &[&str]) -> Map<String, Value> {
    let mut schema = Map::new();
    schema.insert("type".into(), "object".into());
    schema.insert("properties".into(), properties);
    if !required.is_empty() {
        schema.insert("required".into(), json!(required));
    }
    schema.insert("additionalProperties".into(), false.into());
    schema
}

//! The arguments of the tools that take a request of the engine, described for a model.

use crate::schema;
use kitbag::{Request, SearchRequest};
use serde_json::{Map, Value, json};

/// Returns the arguments of `pack_context`. The fields that only the user may set are left out.
pub(crate) fn pack() -> Map<String, Value> {
    schema::arguments_with::<Request>(&json!({
        "window": null,
        "tokenizer": null,
        "deny": null,
        "redact": null,
        "task": { "description": "What you are doing, in plain language: the user's question, a bug \
            report, an error message or stack trace, verbatim. Names of functions and files help." },
        "budget": { "description": "Maximum number of tokens of the pack; 8,000 by default. Use 2,000 \
            to 4,000 for a small question, 16,000 and more for work across many files." },
        "repo": { "description": "The repository; optional if only one is served." },
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
    }))
}

/// Returns the arguments of `search_code`.
pub(crate) fn search() -> Map<String, Value> {
    schema::arguments_with::<SearchRequest>(&json!({
        "task": { "description": "What you are looking for, in plain language: a question, a bug \
            report, an error message, names." },
        "limit": { "description": "Maximum number of results; 20 by default.", "maximum": 200 },
        "files": { "description": "Return files instead of functions and classes." },
        "repo": { "description": "The repository; optional if only one is served." },
        "include": { "description": "Search only files that match one of these globs, such as \
            `src/**`." },
        "exclude": { "description": "Do not search files that match one of these globs." },
    }))
}

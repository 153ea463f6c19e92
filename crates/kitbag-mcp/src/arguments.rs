//! The arguments of the tools, declared once.

use crate::fields::{Field, Shape};

/// What a search is for.
pub(crate) const TASK: &[Field] = &[Field {
    name: "task",
    shape: Shape::Text,
    about: "What you look for, in plain language: a question, a bug report, an error message, names.",
}];

/// Which repository.
pub(crate) const REPO: &[Field] = &[Field {
    name: "repo",
    shape: Shape::Text,
    about: "Which repository; may be left out where only one is served.",
}];

/// Which files are searched.
pub(crate) const GLOBS: &[Field] = &[
    Field {
        name: "include",
        shape: Shape::Texts,
        about: "Search only files that match one of these globs, such as `src/**`.",
    },
    Field {
        name: "exclude",
        shape: Shape::Texts,
        about: "Do not search files that match one of these globs.",
    },
];

/// What a search gives.
pub(crate) const SEARCH_FIELDS: &[Field] = &[
    Field {
        name: "limit",
        shape: Shape::Whole(1, 200),
        about: "How many results to return at most; 20 if not given.",
    },
    Field {
        name: "files",
        shape: Shape::Flag,
        about: "Return files instead of functions and classes.",
    },
];

/// A line of a file.
pub(crate) const PLACE: &[Field] = &[
    Field {
        name: "path",
        shape: Shape::Text,
        about: "The file, relative to the repository's root.",
    },
    Field { name: "line", shape: Shape::Whole(1, 1 << 30), about: "The line, from 1." },
];

/// A provider, and whether it is on.
pub(crate) const SWITCH: &[Field] = &[
    Field { name: "id", shape: Shape::Text, about: "The provider, as `list_providers` names it." },
    Field { name: "enabled", shape: Shape::Flag, about: "Whether it is asked from now on." },
];

/// A source that the caller brings.
const SOURCE: &[Field] = &[
    Field { name: "path", shape: Shape::Text, about: "The file's path, relative to the root." },
    Field {
        name: "content",
        shape: Shape::Text,
        about: "Its content; read from the file if not given.",
    },
    Field {
        name: "kind",
        shape: Shape::Text,
        about: "Such as `open_file`, `tool_result`, `search_result`.",
    },
    Field {
        name: "start_line",
        shape: Shape::Whole(1, 1 << 30),
        about: "The content's first line.",
    },
    Field { name: "end_line", shape: Shape::Whole(1, 1 << 30), about: "The content's last line." },
    Field { name: "relevance", shape: Shape::Share, about: "How relevant it is, from 0 to 1." },
    Field {
        name: "timestamp",
        shape: Shape::Time,
        about: "When it changed: seconds since 1970, or a time.",
    },
    Field { name: "expanded_context", shape: Shape::Text, about: "Shown in place of the content." },
    Field {
        name: "symbol",
        shape: Shape::Text,
        about: "The symbol path of content that is cut already.",
    },
];

/// A file that is open.
const DOCUMENT: &[Field] = &[
    Field { name: "path", shape: Shape::Text, about: "Its path, relative to the root." },
    Field { name: "content", shape: Shape::Text, about: "Its content, where it is not saved." },
];

/// What a tool said.
const TOOL_RESULT: &[Field] = &[
    Field { name: "label", shape: Shape::Text, about: "What to call it, such as the command." },
    Field { name: "content", shape: Shape::Text, about: "What it said." },
];

/// Whose settings an answer is for.
pub(crate) const PROFILE: &[Field] = &[Field {
    name: "profile",
    shape: Shape::Text,
    about: "The profile that the answer is for; `agent` if not given.",
}];

/// The request of a pack: the one shape that the library, JSON lines and HTTP share, without what is
/// the user's to decide.
pub(crate) const REQUEST: &[Field] = &[
    Field {
        name: "task",
        shape: Shape::Text,
        about: "What you are doing, in plain language: the user's question, a bug report, an error \
            message or stack trace, as it is. Names of functions and files help.",
    },
    Field {
        name: "budget",
        shape: Shape::Whole(1, 1_000_000_000),
        about: "The most tokens that the pack may have; 8,000 if not given. Take 2,000 to 4,000 for a \
            small question, 16,000 and more for work across many files.",
    },
    Field {
        name: "repo",
        shape: Shape::Text,
        about: "Which repository; may be left out where only one is served.",
    },
    Field {
        name: "references",
        shape: Shape::Texts,
        about: "Files that must be considered, each with optional lines: `src/a.rs`, `src/a.rs:10-40`.",
    },
    Field {
        name: "include",
        shape: Shape::Texts,
        about: "Search only files that match one of these globs, such as `src/**`.",
    },
    Field {
        name: "exclude",
        shape: Shape::Texts,
        about: "Do not search files that match one of these globs.",
    },
    Field {
        name: "document",
        shape: Shape::Record(DOCUMENT, &["path"]),
        about: "The file that the user has open.",
    },
    Field {
        name: "cursor",
        shape: Shape::Text,
        about: "Where the cursor is in it: `42` or `42:7`.",
    },
    Field {
        name: "selection",
        shape: Shape::Text,
        about: "Which lines of it are selected: `10-20`.",
    },
    Field {
        name: "open_files",
        shape: Shape::Records(DOCUMENT, &["path"]),
        about: "Other files that the user has open.",
    },
    Field {
        name: "tool_results",
        shape: Shape::Records(TOOL_RESULT, &["label", "content"]),
        about: "Output of commands that matters for the task.",
    },
    Field {
        name: "diagnostics",
        shape: Shape::Texts,
        about: "Output of compilers, linters and tests, as they print it: the code that it is about \
            is considered.",
    },
    Field {
        name: "sources",
        shape: Shape::Records(SOURCE, &["path"]),
        about: "Content that you bring.",
    },
    Field {
        name: "format",
        shape: Shape::Choice(&["markdown", "xml", "json", "plain"]),
        about: "The format of the text; markdown if not given.",
    },
    Field {
        name: "model",
        shape: Shape::Text,
        about: "The model that will read the pack, such as `gpt-4o`: it decides how tokens are counted.",
    },
    Field {
        name: "profile",
        shape: Shape::Text,
        about: "A named set of settings: `agent` if not given, `orchestrate`, `inline-edit`, `chunks`, \
            `situation`, or one of the project's own.",
    },
    Field {
        name: "providers",
        shape: Shape::Texts,
        about: "Providers to ask beside those of the profile, as `list_providers` names them.",
    },
    Field { name: "no_providers", shape: Shape::Texts, about: "Providers not to ask." },
    Field {
        name: "deadline_ms",
        shape: Shape::Whole(1, 3_600_000),
        about: "How many milliseconds the pack may take; what has arrived by then is packed.",
    },
    Field {
        name: "options",
        shape: Shape::Object,
        about: "Settings of this request alone, such as `{\"context.selection.overflow\": \"skip\"}`.",
    },
    Field {
        name: "context",
        shape: Shape::Text,
        about: "The current context of the project's rules.",
    },
    Field {
        name: "intent",
        shape: Shape::Text,
        about: "What you intend, for the project's rules.",
    },
    Field {
        name: "situation",
        shape: Shape::Text,
        about: "What you are in the middle of, for the project's rules.",
    },
    Field { name: "agent_id", shape: Shape::Text, about: "Who you are, for the user's records." },
    Field {
        name: "correlation_id",
        shape: Shape::Text,
        about: "What to call the request in logs.",
    },
    Field {
        name: "now",
        shape: Shape::Time,
        about: "The time that ages are measured from; by default that of the newest change.",
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use kitbag::Request;
    use serde_json::Value;

    #[test]
    fn a_request_has_the_engines_fields_but_those_that_are_the_users_to_decide() {
        let error = Request::from_json(&Value::Null).expect_err("it is no object");
        let hint = error.hint().expect("the fields are named");
        let engine: Vec<&str> = hint.split('`').skip(1).step_by(2).collect();
        let ours: Vec<&str> = REQUEST.iter().map(|field| field.name).collect();
        let only = |one: &[&str], other: &[&str]| -> Vec<String> {
            let missing = one.iter().filter(|name| !other.contains(name));
            missing.map(|name| (*name).to_owned()).collect()
        };
        assert_eq!(only(&ours, &engine), [""; 0]);
        assert_eq!(only(&engine, &ours), ["window", "tokenizer", "deny", "redact"]);
    }
}

//! The tools: names, descriptions, arguments, results. Declared here and nowhere else.

use crate::fields::{Field, Shape, object};
use crate::{schema, state::State};
use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Map, Value, json};
use std::fmt::Write;
use std::sync::Arc;

/// A tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Name {
    Pack,
    Preview,
    Search,
    Explain,
    ListProviders,
    SetProvider,
}

/// What there is to say about a tool.
pub(crate) struct About {
    pub name: &'static str,
    title: &'static str,
    description: &'static str,
    /// The arguments of its own.
    pub own: &'static [&'static [Field]],
    /// Whether it takes a request beside them.
    pub request: bool,
    pub required: &'static [&'static str],
    output: fn() -> Map<String, Value>,
    /// Whether it changes anything.
    changes: bool,
}

impl Name {
    /// All tools, in the order in which a model should read of them.
    pub const ALL: [Self; 6] = [
        Self::Pack,
        Self::Search,
        Self::Preview,
        Self::Explain,
        Self::ListProviders,
        Self::SetProvider,
    ];

    /// The tool with this name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.about().name == name)
    }

    /// What there is to say about it.
    pub fn about(self) -> &'static About {
        match self {
            Self::Pack => &PACK,
            Self::Preview => &PREVIEW,
            Self::Search => &SEARCH,
            Self::Explain => &EXPLAIN,
            Self::ListProviders => &LIST_PROVIDERS,
            Self::SetProvider => &SET_PROVIDER,
        }
    }
}

impl About {
    /// The arguments.
    pub fn fields(&self) -> Vec<&'static Field> {
        let request = if self.request { REQUEST } else { &[] };
        self.own().into_iter().chain(request).collect()
    }

    /// The arguments of its own.
    pub fn own(&self) -> Vec<&'static Field> {
        self.own.iter().flat_map(|fields| fields.iter()).collect()
    }

    /// The tool as clients see it.
    pub fn definition(&self, state: &State) -> Tool {
        let mut input = object(self.fields().into_iter(), self.required);
        // Which folders a client has open is not known when it asks for the tools.
        if !state.options.roots
            && let Some(Value::Object(repo)) =
                input.get_mut("properties").and_then(|properties| properties.get_mut("repo"))
        {
            let names: Vec<&str> = state.repos.iter().map(|repo| repo.name.as_str()).collect();
            repo.insert("enum".into(), json!(names));
        }
        let annotations = ToolAnnotations::with_title(self.title)
            .read_only(!self.changes)
            .destructive(false)
            .idempotent(true)
            .open_world(false);
        Tool::new(self.name, self.description, Arc::new(input))
            .with_title(self.title)
            .with_raw_output_schema(Arc::new((self.output)()))
            .with_annotations(annotations)
    }
}

const PACK: About = About {
    name: "pack_context",
    title: "Pack the code that matters for a task",
    description: "Returns the code of the repository that matters for a task, ranked and cut to fit \
        `budget` tokens exactly. Call it first when you start on a bug, a feature or a question: one \
        call takes the place of many searches and file reads. It returns whole functions, classes and \
        sections with their paths and exact line numbers, and outlines of what did not fit. Put the \
        user's words, error messages and stack traces into `task` as they are. To look a single thing \
        up, use `search_code`.",
    own: &[],
    request: true,
    required: &[],
    output: schema::pack,
    changes: false,
};

const PREVIEW: About = About {
    name: "preview_context",
    title: "Preview a pack",
    description: "Makes the same decision as `pack_context` with the same arguments, and returns what \
        would be in, what would be out and why, without the code. Call it to choose a budget, or to \
        see whether the right files would be in, before you spend tokens on them.",
    own: &[],
    request: true,
    required: &[],
    output: schema::preview,
    changes: false,
};

const SEARCH: About = About {
    name: "search_code",
    title: "Search the code",
    description: "Finds where something is in the repository: ranked places (path, lines, symbol) with \
        the reasons, and no code. Understands plain language, identifiers, error messages and stack \
        traces, and ranks better than a text search. Call it to locate something that you will then \
        read yourself; to get the code itself, use `pack_context`.",
    own: &[TASK, SEARCH_FIELDS, REPO, GLOBS],
    request: false,
    required: &["task"],
    output: schema::search,
    changes: false,
};

const EXPLAIN: About = About {
    name: "explain_chunk",
    title: "Explain why a line is in a pack or not",
    description: "Says why the code at `path` and `line` is in the pack of a request or not, factor by \
        factor. Give the same arguments as to `pack_context`. Call it when something that you expected \
        is missing from a pack.",
    own: &[PLACE],
    request: true,
    required: &["path", "line"],
    output: schema::explain,
    changes: false,
};

const LIST_PROVIDERS: About = About {
    name: "list_providers",
    title: "List the providers of context",
    description: "Lists the providers that gather context for packs (search, diagnostics, history, \
        rules, ...), and whether each is switched on.",
    own: &[REPO, PROFILE],
    request: false,
    required: &[],
    output: schema::providers,
    changes: false,
};

const SET_PROVIDER: About = About {
    name: "set_provider_enabled",
    title: "Switch a provider on or off",
    description: "Switches a provider of context on or off for all packs that follow, until the server \
        ends. For a single pack, use the arguments `providers` and `no_providers` of `pack_context` \
        instead.",
    own: &[SWITCH],
    request: false,
    required: &["id", "enabled"],
    output: schema::provider,
    changes: true,
};

const TASK: &[Field] = &[Field {
    name: "task",
    shape: Shape::Text,
    about: "What you look for, in plain language: a question, a bug report, an error message, names.",
}];

const REPO: &[Field] = &[Field {
    name: "repo",
    shape: Shape::Text,
    about: "Which repository; may be left out where only one is served.",
}];

const GLOBS: &[Field] = &[
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

const SEARCH_FIELDS: &[Field] = &[
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

const PLACE: &[Field] = &[
    Field {
        name: "path",
        shape: Shape::Text,
        about: "The file, relative to the repository's root.",
    },
    Field { name: "line", shape: Shape::Whole(1, 1 << 30), about: "The line, from 1." },
];

const SWITCH: &[Field] = &[
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

const PROFILE: &[Field] = &[Field {
    name: "profile",
    shape: Shape::Text,
    about: "The profile that the answer is for; `agent` if not given.",
}];

/// The request of a pack: the one shape that the library, JSON lines and HTTP share, without what is
/// the user's to decide.
const REQUEST: &[Field] = &[
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

/// The reference of the tools, as a page in Markdown.
pub fn reference() -> String {
    let mut page = String::from(
        "# The tools of `kitbag mcp`\n\nMade from the code by `cargo xtask generate`. \
         [How to connect a client](mcp.md).\n",
    );
    for tool in Name::ALL {
        let about = tool.about();
        let _ = write!(page, "\n## `{}`\n\n{}\n\n", about.name, about.description);
        page.push_str("| argument | value | meaning |\n|---|---|---|\n");
        for field in about.fields() {
            let required = if about.required.contains(&field.name) { ", required" } else { "" };
            let noun = field.shape.noun();
            let _ = writeln!(page, "| `{}` | {noun}{required} | {} |", field.name, field.about);
        }
        page.push_str("\nThe result:\n\n| field | meaning |\n|---|---|\n");
        if let Some(Value::Object(fields)) = (about.output)().get("properties") {
            for (name, schema) in fields {
                let meaning = schema["description"].as_str().unwrap_or_default();
                let _ = writeln!(page, "| `{name}` | {meaning} |");
            }
        }
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;
    use kitbag::Request;

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

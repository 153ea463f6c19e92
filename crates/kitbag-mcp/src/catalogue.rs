//! The tools: names, descriptions, results. Declared here and nowhere else.

use crate::arguments::{GLOBS, PLACE, PROFILE, REPO, REQUEST, SEARCH_FIELDS, SWITCH, TASK};
use crate::fields::{Field, object};
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

//! The tools: names, descriptions and schemas.

use crate::arguments::{
    ExplainArguments, ListProvidersArguments, SearchArguments, SetProviderArguments,
};
use crate::results::{
    ExplainResult, PackResult, PreviewResult, ProviderSwitch, ProvidersResult, SearchToolResult,
};
use crate::state::McpState;
use crate::{pack_arguments, schema};
use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Map, Value, json};
use std::fmt::Write;
use std::sync::{Arc, LazyLock};

/// A tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ToolName {
    Pack,
    Preview,
    Search,
    Explain,
    ListProviders,
    SetProvider,
}

/// The declaration of a tool.
pub(crate) struct ToolSpec {
    pub name: &'static str,
    title: &'static str,
    description: &'static str,
    pub arguments: LazyLock<Map<String, Value>>,
    result: LazyLock<Map<String, Value>>,
    is_read_only: bool,
}

impl ToolName {
    /// All tools, the most important ones for a model first.
    pub const ALL: [Self; 6] = [
        Self::Pack,
        Self::Search,
        Self::Preview,
        Self::Explain,
        Self::ListProviders,
        Self::SetProvider,
    ];

    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.spec().name == name)
    }

    pub fn spec(self) -> &'static ToolSpec {
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

impl ToolSpec {
    /// Returns the tool as clients see it.
    pub fn definition(&self, state: &McpState) -> Tool {
        let mut arguments = self.arguments.clone();
        // The roots of a client are not known when it lists the tools.
        if !state.options.roots
            && let Some(repo) = arguments["properties"].get_mut("repo")
        {
            let names: Vec<&str> = state.repos.iter().map(|repo| repo.name.as_str()).collect();
            repo["enum"] = json!(names);
        }
        let annotations = ToolAnnotations::with_title(self.title)
            .read_only(self.is_read_only)
            .destructive(false)
            .idempotent(true)
            .open_world(false);
        Tool::new(self.name, self.description, Arc::new(arguments))
            .with_title(self.title)
            .with_raw_output_schema(Arc::new(self.result.clone()))
            .with_annotations(annotations)
    }
}

static PACK: ToolSpec = ToolSpec {
    name: "pack_context",
    title: "Pack the code that matters for a task",
    description: "Returns the code of the repository that matters for a task, ranked and cut to fit \
        `budget` tokens exactly. Call it first when you start on a bug, a feature or a question: one \
        call replaces many searches and file reads. It returns whole functions, classes and sections \
        with their paths and exact line numbers, and outlines of what did not fit. Put the user's \
        words, error messages and stack traces into `task` verbatim. To look up a single thing, use \
        `search_code`.",
    arguments: LazyLock::new(pack_arguments::schema),
    result: LazyLock::new(schema::result::<PackResult>),
    is_read_only: true,
};

static PREVIEW: ToolSpec = ToolSpec {
    name: "preview_context",
    title: "Preview a pack",
    description: "Makes the same decision as `pack_context` with the same arguments, and returns which \
        chunks would be included or excluded and why, without the code. Call it to choose a budget, or \
        to check that the right files would be included, before you spend tokens on them.",
    arguments: LazyLock::new(pack_arguments::schema),
    result: LazyLock::new(schema::result::<PreviewResult>),
    is_read_only: true,
};

static SEARCH: ToolSpec = ToolSpec {
    name: "search_code",
    title: "Search the code",
    description: "Finds where something is in the repository: ranked places (path, lines, symbol) with \
        the reasons, without the code. Understands plain language, identifiers, error messages and \
        stack traces, and ranks better than a text search. Call it to locate something that you will \
        then read yourself; to get the code itself, use `pack_context`.",
    arguments: LazyLock::new(schema::arguments::<SearchArguments>),
    result: LazyLock::new(schema::result::<SearchToolResult>),
    is_read_only: true,
};

static EXPLAIN: ToolSpec = ToolSpec {
    name: "explain_chunk",
    title: "Explain why a line is in a pack or not",
    description: "Explains why the code at `path` and `line` is in the pack of a request or not, factor \
        by factor. Pass the same arguments as to `pack_context`. Call it when something that you \
        expected is missing from a pack.",
    arguments: LazyLock::new(explain_arguments),
    result: LazyLock::new(schema::result::<ExplainResult>),
    is_read_only: true,
};

static LIST_PROVIDERS: ToolSpec = ToolSpec {
    name: "list_providers",
    title: "List the providers of context",
    description: "Lists the providers that gather context for packs (search, diagnostics, history, \
        rules, ...), and whether each is enabled.",
    arguments: LazyLock::new(schema::arguments::<ListProvidersArguments>),
    result: LazyLock::new(schema::result::<ProvidersResult>),
    is_read_only: true,
};

static SET_PROVIDER: ToolSpec = ToolSpec {
    name: "set_provider_enabled",
    title: "Enable or disable a provider",
    description: "Enables or disables a provider of context for all following packs, until the server \
        exits. For a single pack, use the arguments `providers` and `no_providers` of `pack_context` \
        instead.",
    arguments: LazyLock::new(schema::arguments::<SetProviderArguments>),
    result: LazyLock::new(schema::result::<ProviderSwitch>),
    is_read_only: false,
};

fn explain_arguments() -> Map<String, Value> {
    let mut schema = schema::arguments::<ExplainArguments>();
    let request = pack_arguments::schema();
    if let (Some(Value::Object(own)), Some(Value::Object(request))) =
        (schema.get_mut("properties"), request.get("properties"))
    {
        own.extend(request.clone());
    }
    schema
}

/// Returns the reference of the tools as a Markdown page.
pub fn reference() -> String {
    let mut page = String::from(
        "# The tools of `kitbag mcp`\n\nGenerated by `cargo xtask generate`. \
         [How to connect a client](mcp.md).\n",
    );
    for tool in ToolName::ALL {
        let spec = tool.spec();
        let _ = write!(page, "\n## `{}`\n\n{}\n\n", spec.name, spec.description);
        page.push_str("| argument | type | meaning |\n|---|---|---|\n");
        let required = spec.arguments.get("required").and_then(Value::as_array);
        for (name, schema) in spec.arguments["properties"].as_object().into_iter().flatten() {
            let is_required = required.is_some_and(|required| required.iter().any(|it| it == name));
            let required = if is_required { ", required" } else { "" };
            let (kind, meaning) = (type_name(schema), description(schema));
            let _ = writeln!(page, "| `{name}` | {kind}{required} | {meaning} |");
        }
        page.push_str("\nThe result:\n\n| field | meaning |\n|---|---|\n");
        for (name, schema) in spec.result["properties"].as_object().into_iter().flatten() {
            let _ = writeln!(page, "| `{name}` | {} |", description(schema));
        }
    }
    page
}

fn description(schema: &Value) -> &str {
    schema["description"].as_str().unwrap_or_default()
}

/// Describes the type of an argument.
fn type_name(schema: &Value) -> String {
    if let Some(values) = schema["enum"].as_array() {
        let values: Vec<String> =
            values.iter().filter_map(Value::as_str).map(|value| format!("`{value}`")).collect();
        return format!("one of {}", values.join(", "));
    }
    let name = schema["type"].as_str().unwrap_or_default();
    match (name, &schema["minimum"], &schema["maximum"]) {
        ("array", ..) => format!("array of {}s", type_name(&schema["items"])),
        (name, Value::Number(min), Value::Number(max)) => format!("{name} from {min} to {max}"),
        (name, ..) => name.to_owned(),
    }
}

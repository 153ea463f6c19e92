//! The tools: names, descriptions and schemas.

use crate::arguments::{ExplainArguments, ListProvidersArguments, SetProviderArguments};
use crate::results::{
    ExplainResult, PackResult, PreviewResult, ProviderSwitchResult, ProvidersResult,
    SearchToolResult,
};
use crate::state::McpState;
use crate::{request_schemas, schema};
use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Map, Value, json};
use std::fmt::Write;
use std::sync::{Arc, LazyLock};

/// A tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ToolName {
    Pack,
    Search,
    Preview,
    Explain,
    ListProviders,
    SetProvider,
}

/// The declaration of a tool.
pub(crate) struct ToolSpec {
    pub tool: ToolName,
    pub name: &'static str,
    title: &'static str,
    description: &'static str,
    pub arguments: LazyLock<Map<String, Value>>,
    result: LazyLock<Map<String, Value>>,
    is_read_only: bool,
}

impl ToolSpec {
    pub fn find(name: &str) -> Option<&'static Self> {
        TOOLS.iter().find(|tool| tool.name == name)
    }

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

/// All tools, the most important ones for a model first.
pub(crate) static TOOLS: [ToolSpec; 6] = [
    ToolSpec {
        tool: ToolName::Pack,
        name: "pack_context",
        title: "Pack the code that matters for a task",
        description: "Returns the code of the repository that matters for a task, ranked, and within an \
            exact budget of `budget` tokens. Call it first when you start on a bug, a feature or a \
            question: one call replaces many searches and file reads. It returns whole functions, classes \
            and sections with their paths and exact line numbers, and outlines of what did not fit. Put \
            the user's words, error messages and stack traces into `task` verbatim. To look up a single \
            thing, use `search_code`.",
        arguments: LazyLock::new(request_schemas::pack),
        result: LazyLock::new(schema::result::<PackResult>),
        is_read_only: true,
    },
    ToolSpec {
        tool: ToolName::Search,
        name: "search_code",
        title: "Search the code",
        description: "Finds where something is in the repository: ranked places (path, lines, symbol) with \
            the reasons, without the code. Understands plain language, identifiers, error messages and \
            stack traces, and ranks better than a text search. Call it to locate something that you will \
            then read yourself; to get the code itself, use `pack_context`.",
        arguments: LazyLock::new(request_schemas::search),
        result: LazyLock::new(schema::result::<SearchToolResult>),
        is_read_only: true,
    },
    ToolSpec {
        tool: ToolName::Preview,
        name: "preview_context",
        title: "Preview a pack",
        description: "Makes the same decision as `pack_context` with the same arguments, and returns which \
            chunks would be included or excluded and why, without the code. Call it to choose a budget, or \
            to check that the right files would be included, before you spend tokens on them.",
        arguments: LazyLock::new(request_schemas::pack),
        result: LazyLock::new(schema::result::<PreviewResult>),
        is_read_only: true,
    },
    ToolSpec {
        tool: ToolName::Explain,
        name: "explain_chunk",
        title: "Explain why a line is in a pack or not",
        description: "Explains why the code at `path` and `line` is in the pack of a request or not, factor \
            by factor. Pass the same arguments as to `pack_context`. Call it when something that you \
            expected is missing from a pack.",
        arguments: LazyLock::new(explain_arguments),
        result: LazyLock::new(schema::result::<ExplainResult>),
        is_read_only: true,
    },
    ToolSpec {
        tool: ToolName::ListProviders,
        name: "list_providers",
        title: "List the providers of context",
        description: "Lists the providers that gather context for packs (search, diagnostics, history, \
            rules, ...), and whether each is enabled.",
        arguments: LazyLock::new(schema::arguments::<ListProvidersArguments>),
        result: LazyLock::new(schema::result::<ProvidersResult>),
        is_read_only: true,
    },
    ToolSpec {
        tool: ToolName::SetProvider,
        name: "set_provider_enabled",
        title: "Enable or disable a provider",
        description: "Enables or disables a provider of context for all following packs, until the server \
            exits. For a single pack, use the arguments `providers` and `no_providers` of `pack_context` \
            instead.",
        arguments: LazyLock::new(schema::arguments::<SetProviderArguments>),
        result: LazyLock::new(schema::result::<ProviderSwitchResult>),
        is_read_only: false,
    },
];

fn explain_arguments() -> Map<String, Value> {
    let mut schema = schema::arguments::<ExplainArguments>();
    let request = request_schemas::pack();
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
    for spec in &TOOLS {
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

/// Returns the description of a property on one line.
fn description(schema: &Value) -> String {
    schema["description"].as_str().unwrap_or_default().replace('\n', " ")
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

//! The tools: names, descriptions and schemas.

use crate::arguments::{ExplainArguments, ListProvidersArguments, SetProviderArguments};
use crate::options::ToolSet;
use crate::repos::ServedRepo;
use crate::state::McpState;
use crate::{request_schemas, schema};
use kitbag::ALL_REPOSITORIES;
use rmcp::model::{MetaObject, Tool, ToolAnnotations};
use serde_json::{Map, Value, json};
use std::fmt::Write;
use std::sync::{Arc, LazyLock};

/// The member of a tool's `_meta` with which Claude Code learns how many characters of a result to pass on. Without
/// it, results over 50,000 characters are replaced by a preview.
const MAX_RESULT_KEY: &str = "anthropic/maxResultSizeChars";

/// The largest value of [`MAX_RESULT_KEY`] that Claude Code accepts.
const MAX_RESULT_CHARS: usize = 500_000;

/// A tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ToolName {
    Pack,
    Search,
    FindSymbol,
    Overview,
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
    /// The arguments that are listed.
    pub arguments: LazyLock<Map<String, Value>>,
    /// All arguments, if more are accepted than listed by default.
    all_arguments: Option<LazyLock<Map<String, Value>>>,
    tool_set: ToolSet,
}

impl ToolSpec {
    /// Returns the tools that a server has.
    pub fn served(state: &McpState) -> impl Iterator<Item = &'static Self> {
        let served = state.options.tools;
        TOOLS.iter().filter(move |tool| tool.tool_set == ToolSet::Basic || served == ToolSet::All)
    }

    pub fn find(name: &str, state: &McpState) -> Option<&'static Self> {
        Self::served(state).find(|tool| tool.name == name)
    }

    /// Returns the schema of all arguments that are accepted.
    pub fn accepted(&self) -> &Map<String, Value> {
        self.all_arguments.as_deref().unwrap_or(&self.arguments)
    }

    /// Returns the tool as a client that can use `repos` sees it.
    pub fn definition(&self, state: &McpState, repos: &[ServedRepo]) -> Tool {
        let mut arguments = match state.options.tools {
            ToolSet::Basic => self.arguments.clone(),
            ToolSet::All => self.accepted().clone(),
        };
        if let Some(properties) = arguments.get_mut("properties").and_then(Value::as_object_mut) {
            let has_all =
                matches!(self.tool, ToolName::Pack | ToolName::Preview | ToolName::Search);
            name_repos(properties, state, repos, has_all);
        }
        let is_read_only = self.tool != ToolName::SetProvider;
        let annotations = ToolAnnotations::with_title(self.title)
            .read_only(is_read_only)
            .destructive(false)
            .idempotent(true)
            .open_world(false);
        let tool = Tool::new(self.name, self.description, Arc::new(arguments))
            .with_annotations(annotations);
        if matches!(self.tool, ToolName::Pack | ToolName::Overview) {
            let mut meta = MetaObject::new();
            meta.insert(MAX_RESULT_KEY.into(), MAX_RESULT_CHARS.into());
            return tool.with_meta(meta);
        }
        tool
    }
}

/// Lists the repositories that a client can use in the schema of `repo`, and `*` if the tool can search all of them.
/// With a single one there is no such argument; the roots of a client are not known when it lists the tools.
fn name_repos(
    properties: &mut Map<String, Value>,
    state: &McpState,
    repos: &[ServedRepo],
    has_all: bool,
) {
    if state.options.roots {
        return;
    }
    if state.options.repos_folder.is_some() {
        // There may be thousands.
        if let Some(repo) = properties.get_mut("repo") {
            let all = if has_all { "; `*`: those that the task is about" } else { "" };
            repo["description"] = json!(format!("Repository, such as `owner/name`{all}."));
        }
        return;
    }
    if repos.len() == 1 {
        properties.shift_remove("repo");
    } else if let Some(repo) = properties.get_mut("repo") {
        let names = repos.iter().map(|repo| repo.name.as_str());
        let names: Vec<&str> = names.chain(has_all.then_some(ALL_REPOSITORIES)).collect();
        repo["enum"] = json!(names);
        if has_all {
            repo["description"] = json!("Repository; `*`: those that the task is about.");
        }
    }
}

/// All tools, the most important ones for a model first.
pub(crate) static TOOLS: [ToolSpec; 8] = [
    ToolSpec {
        tool: ToolName::Pack,
        name: "pack_context",
        title: "Pack the code that matters for a task",
        description: "Returns the code of this repository that matters for a task, best first, within \
            `budget` tokens: whole functions and classes with paths and exact line numbers, and signatures of \
            what did not fit. Call it first for a bug, a feature or a question about how something works; it \
            replaces many searches and file reads. Not for one known name (`find_symbol`), one known file \
            (read it) or a list of places (`search_code`).",
        arguments: LazyLock::new(request_schemas::pack),
        all_arguments: Some(LazyLock::new(request_schemas::whole_pack)),
        tool_set: ToolSet::Basic,
    },
    ToolSpec {
        tool: ToolName::Search,
        name: "search_code",
        title: "Search the code",
        description: "Finds where something is: ranked places (path, lines, symbol) with the matching lines \
            and the reason. Understands plain language, identifiers, error messages and stack traces. Not for \
            the code itself (`pack_context`), nor for the uses of a name (`find_symbol`).",
        arguments: LazyLock::new(request_schemas::search),
        all_arguments: None,
        tool_set: ToolSet::Basic,
    },
    ToolSpec {
        tool: ToolName::FindSymbol,
        name: "find_symbol",
        title: "Find a symbol",
        description: "Lists where a name is defined, who calls it and who else refers to it, each with path, \
            line, the line's text and the enclosing function or class. Call it before you change a function, \
            or to follow a name. Not for words or questions (`search_code`).",
        arguments: LazyLock::new(request_schemas::symbol),
        all_arguments: None,
        tool_set: ToolSet::Basic,
    },
    ToolSpec {
        tool: ToolName::Overview,
        name: "repo_overview",
        title: "Get an overview of the repository",
        description: "Describes an unknown repository: folders with file counts, the README's beginning, \
            entry points, and the signatures of the most used definitions. Call it once, at the start. Not \
            for a particular task (`pack_context`).",
        arguments: LazyLock::new(request_schemas::overview),
        all_arguments: None,
        tool_set: ToolSet::Basic,
    },
    ToolSpec {
        tool: ToolName::Preview,
        name: "preview_context",
        title: "Preview a pack",
        description: "Makes the same decision as `pack_context` with the same arguments, and returns which \
            chunks would be included or excluded and why, without the code. Call it to choose a budget, or \
            to check that the right files would be included, before you spend tokens on them.",
        arguments: LazyLock::new(request_schemas::whole_pack),
        all_arguments: None,
        tool_set: ToolSet::All,
    },
    ToolSpec {
        tool: ToolName::Explain,
        name: "explain_chunk",
        title: "Explain why a line is in a pack or not",
        description: "Explains why the code at `path` and `line` is in the pack of a request or not, factor \
            by factor. Pass the same arguments as to `pack_context`. Call it when something that you \
            expected is missing from a pack.",
        arguments: LazyLock::new(explain_arguments),
        all_arguments: None,
        tool_set: ToolSet::All,
    },
    ToolSpec {
        tool: ToolName::ListProviders,
        name: "list_providers",
        title: "List the providers of context",
        description: "Lists the providers that gather context for packs (search, diagnostics, history, \
            rules, ...), and whether each is enabled.",
        arguments: LazyLock::new(schema::arguments::<ListProvidersArguments>),
        all_arguments: None,
        tool_set: ToolSet::All,
    },
    ToolSpec {
        tool: ToolName::SetProvider,
        name: "set_provider_enabled",
        title: "Enable or disable a provider",
        description: "Enables or disables a provider of context for all following packs, until the server \
            exits. For a single pack, use the arguments `providers` and `no_providers` of `pack_context` \
            instead.",
        arguments: LazyLock::new(schema::arguments::<SetProviderArguments>),
        all_arguments: None,
        tool_set: ToolSet::All,
    },
];

fn explain_arguments() -> Map<String, Value> {
    let mut schema = schema::arguments::<ExplainArguments>();
    let request = request_schemas::whole_pack();
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
         [How to connect a client](mcp.md). Every tool returns one text.\n",
    );
    for spec in &TOOLS {
        let _ = write!(page, "\n## `{}`\n\n", spec.name);
        if spec.tool_set == ToolSet::All {
            page.push_str("Only with `--tools all`. ");
        }
        let _ = write!(page, "{}\n\n", spec.description);
        write_arguments(&mut page, &spec.arguments, |_| true);
        if let Some(all) = &spec.all_arguments {
            let listed = &spec.arguments["properties"];
            page.push_str("\nAlso accepted, and listed with `--tools all`:\n\n");
            write_arguments(&mut page, all, |name| listed.get(name).is_none());
        }
    }
    page
}

fn write_arguments(
    page: &mut String,
    schema: &Map<String, Value>,
    is_shown: impl Fn(&str) -> bool,
) {
    page.push_str("| argument | type | meaning |\n|---|---|---|\n");
    let required = schema.get("required").and_then(Value::as_array);
    for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
        let is_required = required.is_some_and(|required| required.iter().any(|it| it == name));
        let required = if is_required { ", required" } else { "" };
        let (kind, meaning) = (type_name(schema), description(schema));
        if is_shown(name) {
            let _ = writeln!(page, "| `{name}` | {kind}{required} | {meaning} |");
        }
    }
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

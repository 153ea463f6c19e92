//! Requests for a pack, shared by the library, JSON, MCP and HTTP.

pub(crate) mod json;
#[cfg(feature = "schema")]
pub(crate) mod shape;
pub(crate) mod source_lines;

use kitbag_config::{TimeError, parse_time};
use kitbag_core::{Settings, Template};
use kitbag_tokens::TokenizerChoice;
use serde::Deserialize;
use std::path::PathBuf;

/// Whether to render the text of a pack, or only decide on its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PackMode {
    Pack,
    Preview,
}

impl PackMode {
    /// Returns the name of the mode in logs and metrics.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pack => "pack",
            Self::Preview => "preview",
        }
    }
}

/// A request for a pack. Every field is optional, but a task or something to pack is required.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// Task of the agent, in plain language.
    pub task: String,
    /// Folder of the repository; defaults to the current one.
    pub repo: Option<PathBuf>,
    /// Maximum number of tokens in the pack.
    pub budget: Option<usize>,
    /// Size of the model's context window in tokens. The budget, if not given, is this size minus
    /// the reserves.
    pub window: Option<usize>,
    /// Model that reads the pack. It determines the tokenizer and the context window.
    pub model: Option<String>,
    /// Tokenizer, which overrides the model's.
    pub tokenizer: Option<TokenizerChoice>,
    /// Tenant on whose behalf the request is made, if a server has several. Token counts are not
    /// cached across tenants.
    pub tenant: String,
    /// Paths that must be considered, each with an optional line range: `src/a.rs:10-40`.
    pub references: Vec<String>,
    /// Sources that the caller supplies.
    pub sources: Vec<SourceLine>,
    /// Globs of the files to search; all files if empty.
    pub include: Vec<String>,
    /// Globs of files that are not searched.
    pub exclude: Vec<String>,
    /// Patterns of files that are never read, in addition to the default denylist. Each consists of
    /// one or more path components, which may contain the wildcards `*` and `?`: `*.secret`.
    pub deny: Vec<String>,
    /// Whether secrets in texts are replaced by markers; defaults to true.
    pub redact: Option<bool>,
    /// Time from which ages are measured, in seconds since 1970.
    pub now: Option<i64>,
    /// Profile, a named set of settings; defaults to `agent`.
    pub profile: Option<String>,
    /// Settings for this request only: keys of `context`, such as `context.selection.overflow`,
    /// with their values.
    pub options: Vec<(String, serde_json::Value)>,
    /// Template that renders the text, which overrides the format and the configured template.
    pub template: Option<Template>,
    /// Document open in the editor.
    pub document: Option<Document>,
    /// Position of the cursor in the document.
    pub cursor: Option<Cursor>,
    /// Selected lines of the document.
    pub selection: Option<Selection>,
    /// Open files, saved or not.
    pub open_files: Vec<Document>,
    /// Output of tools, each with a label.
    pub tool_results: Vec<ToolResult>,
    /// Output of compilers, linters and tests. The format is detected from the content.
    pub diagnostics: Vec<ToolOutput>,
    /// Providers to switch on for this request.
    pub providers: Vec<String>,
    /// Providers to switch off for this request.
    pub no_providers: Vec<String>,
    /// Maximum duration of the request in milliseconds. Sources that arrive later are not packed.
    pub deadline_ms: Option<u64>,
    /// Identifier of the agent that makes the request.
    pub agent_id: Option<String>,
    /// Current context of the rules; defaults to `default`.
    pub context: Option<String>,
    /// Intent of the caller, for rules.
    pub intent: Option<String>,
    /// Situation of the caller, in free form, for rules.
    pub situation: Option<String>,
    /// Identifier of the request in logs and events.
    pub correlation_id: Option<String>,
    /// Interface of the request, such as `http` or `mcp`; empty if the library is called directly.
    pub via: &'static str,
    /// Whether the request arrived over HTTP or MCP, in which case fields reserved for the user are
    /// refused. Set for every request parsed from JSON.
    pub is_remote: bool,
    /// Whether to skip the record of the pack.
    pub no_record: bool,
    /// Settings of the packing decision, which override the configuration.
    pub settings: Option<Settings>,
}

/// A document, possibly with unsaved changes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Document {
    /// Path relative to the root.
    pub path: String,
    /// Content of an unsaved buffer, if it differs from the file.
    pub content: Option<String>,
}

/// Position of the cursor.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cursor {
    /// Line, starting at 1.
    pub line: u32,
    /// Column, starting at 1.
    pub column: Option<u32>,
}

/// Selected lines of a document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// First selected line, starting at 1.
    pub start_line: u32,
    /// Last selected line.
    pub end_line: u32,
    /// Selected text, used to find the selection if the document has changed since.
    pub text: Option<String>,
}

/// Output of a tool, shown under a label.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolResult {
    /// Label of the output in the pack.
    pub label: String,
    /// Text that the tool printed.
    pub content: String,
}

/// Output of a compiler, a linter or tests.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolOutput {
    /// Name used in errors, such as that of the file it was read from.
    pub name: String,
    /// Text that the tool printed.
    pub content: String,
}

impl Request {
    /// Whether the request has a document, a cursor or a selection.
    pub(crate) fn has_editor_state(&self) -> bool {
        self.document.is_some() || self.cursor.is_some() || self.selection.is_some()
    }

    /// Whether there is nothing to pack.
    pub(crate) fn is_empty(&self) -> bool {
        let has_situation = self.situation.as_deref().is_some_and(|it| !it.trim().is_empty());
        self.task.trim().is_empty()
            && self.references.is_empty()
            && self.sources.is_empty()
            && self.document.is_none()
            && self.open_files.is_empty()
            && self.tool_results.is_empty()
            && self.diagnostics.is_empty()
            && !has_situation
    }
}

/// Highest line number accepted. It is larger than that of any file that is read, and low enough
/// that sums of line numbers do not overflow.
pub(crate) const LAST_LINE: u32 = 1 << 30;

/// A source supplied by the caller, as a JSON object.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub struct SourceLine {
    /// Path of the file, relative to the root.
    pub path: String,
    /// Content; read from the file if omitted.
    #[serde(default)]
    pub content: Option<String>,
    /// Kind of source, such as `open_file` or `search_result`.
    #[serde(default)]
    pub kind: Option<String>,
    /// First line of the content.
    #[serde(default)]
    pub start_line: Option<u32>,
    /// Last line of the content.
    #[serde(default)]
    pub end_line: Option<u32>,
    /// Relevance, from 0 to 1.
    #[serde(default)]
    pub relevance: Option<f64>,
    /// Time of the last change: seconds since 1970, or a time such as `2026-11-15T12:00:00Z`.
    #[serde(default)]
    pub timestamp: Option<Moment>,
    /// Text shown instead of the content, such as the content with its surroundings. Line numbers
    /// still refer to the content.
    #[serde(default)]
    pub expanded_context: Option<String>,
    /// Symbol path of content that is a single chunk, such as `UserService.get_user`. The content
    /// is then packed as it is and not parsed.
    #[serde(default)]
    pub symbol: Option<String>,
}

impl SourceLine {
    /// Names of the fields in JSON.
    pub(crate) const FIELDS: [&'static str; 9] = [
        "path",
        "content",
        "kind",
        "start_line",
        "end_line",
        "relevance",
        "timestamp",
        "expanded_context",
        "symbol",
    ];
}

/// A point in time.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Moment {
    /// Seconds since 1970.
    Seconds(i64),
    /// Date and time with a time zone.
    Text(String),
}

impl Moment {
    /// Returns the time in seconds since 1970.
    pub fn seconds(&self) -> Result<i64, TimeError> {
        match self {
            Self::Seconds(seconds) => Ok(*seconds),
            Self::Text(text) => parse_time(text),
        }
    }
}

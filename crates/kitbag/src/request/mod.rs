//! Requests for a pack: declared once, for the library, JSON, MCP, HTTP and the schemas of the last two.

mod error;
mod forms;
mod parse;
#[cfg(feature = "schema")]
mod schema;
#[cfg(test)]
mod tests;

pub use error::{RequestError, SourceLineError};
pub use forms::{parse_cursor, parse_selection};
pub use parse::{parse_json, parse_source_lines};

use crate::access::RepoAccess;
use kitbag_config::{OVERVIEW_PROFILE, REVIEW_PROFILE};
use kitbag_core::{Settings, Template};
use kitbag_text::Kind;
use kitbag_tokens::TokenizerChoice;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Highest line number accepted. It is larger than that of any file that is read, and low enough
/// that sums of line numbers do not overflow.
pub(crate) const LAST_LINE: u32 = 1 << 30;

/// Key of the setting that [`Request::format`] sets.
const FORMAT_KEY: &str = "context.formatting.format";

/// Key of the setting that [`Request::fill`] switches off.
const STOP_KEY: &str = "context.selection.stop_below";

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

/// A request for a pack. Every field is optional. A request without a task, a diff, sources, a document,
/// references, open files, tool results, diagnostics or a situation gets the overview of the repository.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(rename = "PackRequest"))]
pub struct Request {
    /// Task of the agent, in plain language: a question, a bug report, a stack trace.
    pub task: String,
    /// Maximum number of tokens in the pack, as a number or as `32k`.
    #[serde(deserialize_with = "forms::tokens")]
    #[cfg_attr(feature = "schema", schemars(schema_with = "schema::tokens"))]
    pub budget: Option<usize>,
    /// Size of the model's context window in tokens. The budget, if not given, is this size minus
    /// the reserves.
    #[serde(deserialize_with = "forms::tokens")]
    #[cfg_attr(feature = "schema", schemars(schema_with = "schema::tokens"))]
    pub window: Option<usize>,
    /// Model that reads the pack, such as `gpt-4o`. It determines the tokenizer and the context
    /// window.
    pub model: Option<String>,
    /// Tokenizer, which overrides the model's: the name of a vocabulary or of an estimate.
    #[serde(deserialize_with = "forms::tokenizer")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub tokenizer: Option<TokenizerChoice>,
    /// Profile, a named set of settings; defaults to `agent`.
    pub profile: Option<String>,
    /// Format of the text: `markdown`, `xml`, `json` or `plain`.
    pub format: Option<String>,
    /// Folder of the repository; defaults to the current one, or to the first that a server serves. On a server
    /// that serves several, `*` packs from those that the task is about.
    pub repo: Option<PathBuf>,
    /// Folder that the user works in, relative to the repository. The whole repository is searched, and the
    /// files of this folder are preferred.
    #[serde(skip)]
    pub folder: Option<String>,
    /// Branch, tag or commit whose files are packed, instead of those of the work tree. Defaults to `HEAD`
    /// in a repository without a work tree.
    #[serde(rename = "ref")]
    pub revision: Option<String>,
    /// Current context of the rules; defaults to `default`.
    pub context: Option<String>,
    /// Intent of the caller, for rules.
    pub intent: Option<String>,
    /// Settings for this request only: keys of `context`, such as `context.selection.overflow`,
    /// and their values, or nested objects. The prefix `context.` is optional.
    #[serde(deserialize_with = "forms::options")]
    #[cfg_attr(feature = "schema", schemars(with = "serde_json::Map<String, Value>"))]
    pub options: Vec<(String, Value)>,
    /// Change to review, as in `git diff`: `""` or `true` for the work tree against `HEAD`, `staged`, a
    /// base such as `main`, or a range such as `main...HEAD`.
    #[serde(deserialize_with = "forms::diff")]
    #[cfg_attr(feature = "schema", schemars(schema_with = "schema::diff"))]
    pub diff: Option<String>,
    /// Document open in the editor.
    #[serde(deserialize_with = "forms::document")]
    #[cfg_attr(feature = "schema", schemars(schema_with = "schema::document"))]
    pub document: Option<Document>,
    /// Position of the cursor in the document.
    #[serde(deserialize_with = "forms::cursor")]
    #[cfg_attr(feature = "schema", schemars(schema_with = "schema::cursor"))]
    pub cursor: Option<Cursor>,
    /// Selected lines of the document.
    #[serde(deserialize_with = "forms::selection")]
    #[cfg_attr(feature = "schema", schemars(schema_with = "schema::selection"))]
    pub selection: Option<Selection>,
    /// Open files, saved or not.
    #[serde(deserialize_with = "forms::documents")]
    #[cfg_attr(feature = "schema", schemars(schema_with = "schema::documents"))]
    pub open_files: Vec<Document>,
    /// Output of tools, each with a label.
    pub tool_results: Vec<ToolResult>,
    /// Paths that must be considered, each with an optional line range: `src/a.rs:10-40`.
    pub references: Vec<String>,
    /// Output of compilers, linters and tests, whose format is detected: as text, as an object with
    /// `name` and `content`, or as the JSON that they wrote.
    #[serde(deserialize_with = "forms::diagnostics")]
    #[cfg_attr(feature = "schema", schemars(schema_with = "schema::diagnostics"))]
    pub diagnostics: Vec<ToolOutput>,
    /// Sources that the caller supplies.
    pub sources: Vec<SourceLine>,
    /// Providers to switch on for this request.
    pub providers: Vec<String>,
    /// Providers to switch off for this request.
    pub no_providers: Vec<String>,
    /// Globs of the files to search; all files if empty.
    pub include: Vec<String>,
    /// Globs of files that are not searched. With a line range, as in `src/a.rs:10-40`, only the chunks
    /// that overlap these lines are left out.
    pub exclude: Vec<String>,
    /// Patterns of files that are never read, in addition to the default denylist. Each consists of
    /// one or more path components, which may contain the wildcards `*` and `?`: `*.secret`.
    pub deny: Vec<String>,
    /// Whether secrets in texts are replaced by markers; defaults to true.
    pub redact: Option<bool>,
    /// Whether to fill the budget, also with search results that are hardly relevant.
    pub fill: bool,
    /// Name of a session that the caller chooses. Lines that an earlier pack of the session has shown are
    /// not sent again unless they have changed. An unused session expires after an hour.
    pub session: Option<String>,
    /// Whether to forget what was sent in the session before.
    pub repeat: bool,
    /// Maximum duration of the request in milliseconds. Sources that arrive later are not packed.
    pub deadline_ms: Option<u64>,
    /// Identifier of the agent that makes the request.
    pub agent_id: Option<String>,
    /// Situation of the caller, in free form, for rules.
    #[serde(deserialize_with = "forms::free_form")]
    #[cfg_attr(feature = "schema", schemars(with = "Value"))]
    pub situation: Option<String>,
    /// Identifier of the request in logs and events.
    pub correlation_id: Option<String>,
    /// Time from which ages are measured: seconds since 1970, or a time such as
    /// `2026-11-15T12:00:00Z`.
    #[serde(deserialize_with = "forms::time")]
    #[cfg_attr(feature = "schema", schemars(schema_with = "schema::time"))]
    pub now: Option<i64>,
    /// Tenant on whose behalf the request is made, if a server has several. Token counts are not
    /// cached across tenants.
    #[serde(skip)]
    pub tenant: String,
    /// Scope within which the name of a session is unique; defaults to the tenant.
    #[serde(skip)]
    pub session_scope: Option<String>,
    /// Template that renders the text, which overrides the format and the configured template.
    #[serde(skip)]
    pub template: Option<Template>,
    /// Interface of the request, such as `http` or `mcp`; empty if the library is called directly.
    #[serde(skip)]
    pub via: &'static str,
    /// Tool, route or command of the interface, for usage reports.
    #[serde(skip)]
    pub tool: &'static str,
    /// Whether the request arrived over HTTP or MCP, in which case fields reserved for the user are
    /// refused. Set for every request parsed from JSON.
    #[serde(skip, default = "forms::is_remote")]
    pub is_remote: bool,
    /// Whether to skip the record of the pack.
    #[serde(skip)]
    pub no_record: bool,
    /// Settings of the packing decision, which override the configuration.
    #[serde(skip)]
    pub settings: Option<Settings>,
    /// Repositories that are packed together, in place of `repo`. Each has a name, with which its paths begin.
    /// Such a pack is not recorded.
    #[serde(skip)]
    pub repos: Vec<NamedRepo>,
    /// Repositories of which the most promising ones are packed together, in place of `repo`.
    #[serde(skip)]
    pub fleet: Option<Arc<Fleet>>,
    /// Repositories that the caller may see. They decide who learns of the finished pack.
    #[serde(skip)]
    pub access: RepoAccess,
}

/// One of several repositories of a pack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedRepo {
    /// Name before its paths.
    pub name: String,
    /// Its folder.
    pub folder: PathBuf,
}

/// Name that stands for all repositories in requests.
pub const ALL_REPOSITORIES: &str = "*";

/// The repositories that a request may search, of which the most promising ones are chosen by their summaries.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fleet {
    /// All repositories that the caller may see, with distinct names.
    pub repositories: Vec<NamedRepo>,
    /// Time after which no further repository is indexed because its summary is missing; without it, all
    /// are. What is left is not considered, which is reported.
    pub summarize_for: Option<Duration>,
}

/// A document, possibly with unsaved changes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Document {
    /// Path relative to the root.
    pub path: String,
    /// Content of an unsaved buffer, if it differs from the file.
    pub content: Option<String>,
}

/// Position of the cursor.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Cursor {
    /// Line, starting at 1.
    #[serde(deserialize_with = "forms::line")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = LAST_LINE)))]
    pub line: u32,
    /// Column, starting at 1.
    #[serde(default, deserialize_with = "forms::optional_line")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = LAST_LINE)))]
    pub column: Option<u32>,
}

/// Selected lines of a document.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Selection {
    /// First selected line, starting at 1.
    #[serde(deserialize_with = "forms::line")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = LAST_LINE)))]
    pub start_line: u32,
    /// Last selected line; defaults to the first.
    #[serde(default, deserialize_with = "forms::end_line")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<u32>", range(min = 1)))]
    pub end_line: u32,
    /// Selected text, used to find the selection if the document has changed since.
    pub text: Option<String>,
}

/// Output of a tool, shown under a label.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with `label` and `content`")]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ToolResult {
    /// Label of the output in the pack.
    #[serde(deserialize_with = "forms::non_blank")]
    pub label: String,
    /// Text that the tool printed.
    pub content: String,
}

/// Output of a compiler, a linter or tests.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolOutput {
    /// Name used in errors, such as that of the file it was read from.
    #[serde(default)]
    pub name: String,
    /// Text that the tool printed.
    pub content: String,
}

/// A source supplied by the caller, as a JSON object.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object such as `{\"path\": \"src/a.rs\"}`")]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct SourceLine {
    /// Path of the file, relative to the root.
    #[serde(deserialize_with = "forms::non_blank")]
    pub path: String,
    /// Content; read from the file if omitted.
    pub content: Option<String>,
    /// Kind of source, such as `open_file` or `search_result`.
    #[serde(default, deserialize_with = "forms::kind")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub kind: Option<Kind>,
    /// First line of the content.
    #[serde(default, deserialize_with = "forms::optional_line")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = LAST_LINE)))]
    pub start_line: Option<u32>,
    /// Last line of the content.
    pub end_line: Option<u32>,
    /// Relevance, from 0 to 1.
    #[serde(default, deserialize_with = "forms::relevance")]
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    pub relevance: Option<f64>,
    /// Time of the last change: seconds since 1970, or a time such as `2026-11-15T12:00:00Z`.
    #[serde(default, deserialize_with = "forms::time")]
    #[cfg_attr(feature = "schema", schemars(schema_with = "schema::time"))]
    pub timestamp: Option<i64>,
    /// Text shown instead of the content, such as the content with its surroundings. Line numbers
    /// still refer to the content.
    pub expanded_context: Option<String>,
    /// Symbol path of content that is a single chunk, such as `UserService.get_user`. The content
    /// is then packed as it is and not parsed.
    pub symbol: Option<String>,
}

impl Request {
    /// Whether the request has a document, a cursor or a selection.
    pub(crate) fn has_editor_state(&self) -> bool {
        self.document.is_some() || self.cursor.is_some() || self.selection.is_some()
    }

    /// Chooses the profile of a request that names none by what it asks for, the diff of a review that
    /// names none, and the first of several repositories.
    pub(crate) fn complete(&mut self) {
        if let Some(first) = self.repos.first() {
            self.repo = Some(first.folder.clone());
            // A record belongs to one repository.
            self.no_record = true;
        }
        if self.fleet.is_some() {
            self.repo = Some(ALL_REPOSITORIES.into());
            self.no_record = true;
        }
        if self.profile.is_none() && self.diff.is_some() {
            self.profile = Some(REVIEW_PROFILE.to_owned());
        } else if self.profile.is_none() && self.is_empty() {
            self.profile = Some(OVERVIEW_PROFILE.to_owned());
        }
        if self.profile.as_deref() == Some(REVIEW_PROFILE) {
            self.diff.get_or_insert_default();
        }
    }

    /// Whether there is nothing to pack.
    pub(crate) fn is_empty(&self) -> bool {
        let has_situation = self.situation.as_deref().is_some_and(|it| !it.trim().is_empty());
        self.task.trim().is_empty()
            && self.diff.is_none()
            && self.references.is_empty()
            && self.sources.is_empty()
            && self.document.is_none()
            && self.open_files.is_empty()
            && self.tool_results.is_empty()
            && self.diagnostics.is_empty()
            && !has_situation
    }

    /// Returns the settings of the request, including those that its other fields set.
    pub(crate) fn all_options(&self) -> Vec<(String, Value)> {
        let format = self.format.as_deref().map(|format| (FORMAT_KEY.to_owned(), format.into()));
        let no_stop = self.fill.then(|| (STOP_KEY.to_owned(), Value::Null));
        self.options.iter().cloned().chain(format).chain(no_stop).collect()
    }
}

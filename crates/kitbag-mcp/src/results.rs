//! The results of the tools.

use kitbag::{ExcludedItem, IncludedItem, SearchFactor, Tokenizer};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::Value;

/// Result of `pack_context`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PackResult<'a> {
    /// The pack: the code, formatted. The same as the text of the result.
    pub content: &'a str,
    /// The tokens of `content`.
    pub total_tokens: usize,
    /// Maximum number of tokens.
    pub budget: usize,
    /// How the tokens were counted.
    pub tokenizer: &'a Tokenizer,
    /// The included chunks, best first.
    #[schemars(with = "Vec<IncludedItem>")]
    pub included: Vec<Value>,
    /// Number of excluded chunks; `preview_context` lists them with the reasons.
    pub excluded_count: usize,
    /// Whether a deadline, or a limit of a parser, cut something off.
    pub partial: bool,
    /// Warnings for the caller.
    pub warnings: &'a [String],
    /// The URI of the pack as a resource, for the rest of the session.
    pub resource: String,
    /// The URI of the full report as a resource: every included and excluded chunk, with the reasons.
    pub report: String,
}

/// Result of `preview_context`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PreviewResult<'a> {
    /// The tokens that the pack would have.
    pub total_tokens: usize,
    /// Maximum number of tokens.
    pub budget: usize,
    /// How the tokens were counted.
    pub tokenizer: &'a Tokenizer,
    /// The chunks that would be included, best first.
    #[schemars(with = "Vec<IncludedItem>")]
    pub included: Vec<Value>,
    /// The first 50 chunks that would be excluded, best first.
    #[schemars(with = "Vec<ExcludedItem>")]
    pub excluded: Vec<Value>,
    /// Number of chunks that would be excluded.
    pub excluded_count: usize,
    /// Warnings for the caller.
    pub warnings: &'a [String],
}

/// Result of `search_code`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SearchToolResult<'a> {
    /// The places, best first.
    pub results: Vec<SearchPlace<'a>>,
    /// Number of files that were searched.
    pub files_searched: usize,
    /// Warnings for the caller.
    pub warnings: &'a [String],
}

/// A place that `search_code` has found.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SearchPlace<'a> {
    /// The file.
    pub path: &'a str,
    /// The first line.
    pub start_line: u32,
    /// The last line.
    pub end_line: u32,
    /// The function, class or section, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<&'a str>,
    /// The kind, such as `function`, `class`, `code` or `test`.
    pub kind: &'a str,
    /// Number of tokens.
    pub tokens: usize,
    /// The chance that the result matters for the task, from 0 to 1.
    pub relevance: f64,
    /// The strongest reasons for it.
    pub reasons: Vec<&'a str>,
}

/// Whether a line is in a pack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LineStatus {
    Included,
    Excluded,
    NotConsidered,
}

/// Result of `explain_chunk`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ExplainResult<'a> {
    /// Whether the line is in the pack.
    pub status: LineStatus,
    /// The reason, in words.
    pub explanation: String,
    /// The file.
    pub path: &'a str,
    /// The line.
    pub line: u32,
    /// The rank of the chunk in the pack, from 1, if it is included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank: Option<usize>,
    /// The chunk that contains the line, if it was considered.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "explained_chunk")]
    pub chunk: Option<Value>,
    /// The search result that contains the line, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub search: Option<SearchEvidence<'a>>,
}

/// The score of a line in the search.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SearchEvidence<'a> {
    /// Its rank among the search results, from 1.
    pub rank: usize,
    /// The chance that the chunk matters, from 0 to 1.
    pub relevance: f64,
    /// The sum of the factors, as a logarithm.
    pub score: f32,
    /// The factors for and against the chunk.
    pub factors: &'a [SearchFactor],
    /// The score of the file.
    pub file_score: f32,
    /// The factors for and against the file.
    pub file_factors: &'a [SearchFactor],
}

/// Result of `list_providers`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ProvidersResult {
    /// The providers, in the order in which their answers are merged.
    pub providers: Vec<ListedProvider>,
}

/// A provider of context.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ListedProvider {
    /// Id of the provider.
    pub id: String,
    /// Whether packs use it.
    pub enabled: bool,
    /// The title of its section in a pack.
    pub title: String,
    /// A sentence on what it gathers.
    pub description: String,
    /// Whether `enabled` was set since the server started, and is not from the configuration.
    pub switched: bool,
    /// The priority of its sources whose kind has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<u32>,
}

/// Result of `set_provider_enabled`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ProviderSwitchResult<'a> {
    /// The id of the provider.
    pub id: &'a str,
    /// Whether it is enabled from now on.
    pub enabled: bool,
}

/// Returns the schema of a chunk that is either included or excluded.
fn explained_chunk(generator: &mut SchemaGenerator) -> Schema {
    let mut chunk = IncludedItem::json_schema(generator);
    let excluded = ExcludedItem::json_schema(generator);
    if let (Some(Value::Object(own)), Some(Value::Object(other))) =
        (chunk.get_mut("properties"), excluded.get("properties"))
    {
        own.extend(other.clone());
    }
    if let (Some(Value::Array(own)), Some(Value::Array(other))) =
        (chunk.get_mut("required"), excluded.get("required"))
    {
        own.retain(|name| other.contains(name));
    }
    chunk
}

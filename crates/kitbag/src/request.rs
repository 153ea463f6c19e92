//! What a caller asks for: the one request shape of the library, JSON, MCP and HTTP.

use crate::config::Settled;
use crate::error::Error;
use kitbag_core::{Budget, Settings, Template};
use kitbag_tokens::Choice;
use serde::Deserialize;
use std::path::PathBuf;

/// A request for a pack. Everything is optional, but a task or something to pack must be there.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// What the agent is doing, in plain language.
    pub task: String,
    /// The repository's folder; the current one if not given.
    pub repo: Option<PathBuf>,
    /// The most tokens that the pack may have.
    pub budget: Option<usize>,
    /// The model's window, from which the reserves are taken, where no budget is given.
    pub window: Option<usize>,
    /// The model: it decides how tokens are counted, and the window.
    pub model: Option<String>,
    /// How tokens are counted, in place of what the model says.
    pub tokenizer: Option<Choice>,
    /// Whom the request is for, where a server has several: what one of them counts is not
    /// remembered for another.
    pub tenant: String,
    /// Paths that must be considered, each with an optional line range: `src/a.rs:10-40`.
    pub references: Vec<String>,
    /// Sources that the caller brings.
    pub sources: Vec<SourceLine>,
    /// Only files that match one of these are searched.
    pub include: Vec<String>,
    /// Files that match one of these are not searched.
    pub exclude: Vec<String>,
    /// Files that match one of these are never read, beside those of the default denylist. Each is
    /// one or more path components, in which `*` and `?` stand for characters: `*.secret`.
    pub deny: Vec<String>,
    /// Whether secrets inside texts are replaced by markers; they are if not given.
    pub redact: Option<bool>,
    /// The time that ages are measured from, in seconds since 1970.
    pub now: Option<i64>,
    /// The profile, a named set of settings; `agent` if not given.
    pub profile: Option<String>,
    /// Settings of this request alone: keys of `context`, such as `context.selection.overflow`, with
    /// their values.
    pub options: Vec<(String, serde_json::Value)>,
    /// A template that makes the text, in place of a format or the configuration's template.
    pub template: Option<Template>,
    /// The open document.
    pub document: Option<Document>,
    /// Where the cursor is in the document.
    pub cursor: Option<Cursor>,
    /// What is selected in the document.
    pub selection: Option<Selection>,
    /// Files that are open, saved or not.
    pub open_files: Vec<Document>,
    /// What tools said.
    pub tool_results: Vec<ToolResult>,
    /// What compilers, linters and tests said, in a format that is recognised by its content.
    pub diagnostics: Vec<ToolOutput>,
    /// Providers that are switched on for this request.
    pub providers: Vec<String>,
    /// Providers that are switched off for this request.
    pub no_providers: Vec<String>,
    /// How many milliseconds the pack may take: what has arrived by then is packed.
    pub deadline_ms: Option<u64>,
    /// Who asks.
    pub agent_id: Option<String>,
    /// The current context of the rules; `default` if not given.
    pub context: Option<String>,
    /// What the caller intends, for rules.
    pub intent: Option<String>,
    /// What the caller is in the middle of, in free form, for rules.
    pub situation: Option<String>,
    /// What the request is called in logs and events.
    pub correlation_id: Option<String>,
    /// Over which interface it was asked, such as `http` or `mcp`; empty for the library's own.
    pub via: &'static str,
    /// Whether somebody else asks, over HTTP or MCP: then what is the user's to decide is refused.
    /// A request that was read from JSON says so of itself.
    pub is_remote: bool,
    /// Whether the pack leaves no record.
    pub no_record: bool,
    /// How the decision is made, in place of what the configuration says.
    pub settings: Option<Settings>,
}

impl Request {
    /// Some things are the user's to decide, in the configuration, and not a remote caller's: which
    /// files beside the repository are read, which file of it makes the text, and whether secrets
    /// leave. The settings among them are marked in their table.
    pub(crate) fn check_caller(&self) -> Result<(), Error> {
        let refused = |field, setting| Err(Error::NotForRequests { field, setting });
        match (&self.tokenizer, self.redact) {
            _ if !self.is_remote => Ok(()),
            (Some(Choice::File(_)), _) => refused("tokenizer", "model.tokenizer"),
            (_, Some(false)) => refused("redact", "security.redact"),
            _ => Ok(()),
        }
    }

    /// The tokenizer, and the tokens that the pack may have.
    /// Where the request says nothing, the configuration does.
    pub(crate) fn limits(&self, settled: &Settled) -> Result<(Choice, usize), Error> {
        let model = self.model.as_deref().map(kitbag_tokens::model).transpose()?;
        let tokenizer = match (&self.tokenizer, model) {
            (Some(choice), _) => choice.clone(),
            (None, Some(model)) => model.choice()?,
            (None, None) => settled.counter.clone(),
        };
        let budget = match (self.budget, self.window, model) {
            (Some(budget), _, _) => Budget::Given(budget),
            (None, Some(window), _) => settled.within(window),
            (None, None, Some(model)) => {
                let total = settled.total.unwrap_or(model.window);
                settled.within(total.min(model.window))
            }
            (None, None, None) => settled.budget,
        };
        Ok((tokenizer, budget.available()?))
    }
}

/// A document as the caller has it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Document {
    /// Its path, relative to the root.
    pub path: String,
    /// Its content, where it is not what the file has: an unsaved buffer.
    pub content: Option<String>,
}

/// Where the cursor is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cursor {
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: Option<u32>,
}

/// What is selected.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// Its first line, from 1.
    pub start_line: u32,
    /// Its last line.
    pub end_line: u32,
    /// The selected text: it is looked for where the document has changed since.
    pub text: Option<String>,
}

/// What a tool said.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolResult {
    /// What the pack calls it.
    pub label: String,
    /// What it said.
    pub content: String,
}

/// Output of a compiler, a linter or tests.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolOutput {
    /// What errors call it, such as the file that it is from.
    pub name: String,
    /// The output.
    pub content: String,
}

impl Request {
    /// Whether the caller is in a document.
    pub(crate) fn needs_editor(&self) -> bool {
        self.document.is_some() || self.cursor.is_some() || self.selection.is_some()
    }

    /// Whether there is anything to pack.
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

/// Line numbers end here: nothing that is read has as many lines, and adding to it is safe.
pub(crate) const LAST_LINE: u32 = 1 << 30;

/// A source as a caller writes it, a JSON object on a line of its own.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub struct SourceLine {
    /// The file's path, relative to the root.
    pub path: String,
    /// The content; read from the file if it is not given.
    #[serde(default)]
    pub content: Option<String>,
    /// The kind of source, such as `open_file` or `search_result`.
    #[serde(default)]
    pub kind: Option<String>,
    /// The line that the content begins at.
    #[serde(default)]
    pub start_line: Option<u32>,
    /// The line that the content ends at.
    #[serde(default)]
    pub end_line: Option<u32>,
    /// How relevant it is, from 0 to 1.
    #[serde(default)]
    pub relevance: Option<f64>,
    /// When it last changed: seconds since 1970, or a time such as `2026-11-15T12:00:00Z`.
    #[serde(default)]
    pub timestamp: Option<Moment>,
    /// What is shown in place of the content, as a whole: the content with what is around it, say.
    /// The line numbers stay the content's.
    #[serde(default)]
    pub expanded_context: Option<String>,
    /// The symbol path of content that is cut already, such as `UserService.get_user`. It is then
    /// packed as it is, not parsed again.
    #[serde(default)]
    pub symbol: Option<String>,
}

impl SourceLine {
    /// The names of its fields.
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

/// A time as a caller writes it.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Moment {
    /// Seconds since 1970.
    Seconds(i64),
    /// A date and time with a zone.
    Text(String),
}

impl Moment {
    /// Seconds since 1970.
    pub fn seconds(&self) -> Result<i64, Error> {
        match self {
            Self::Seconds(seconds) => Ok(*seconds),
            Self::Text(text) => parse_time(text),
        }
    }
}

/// Reads a time: seconds since 1970, or a date and time such as `2026-11-15T12:00:00Z`.
pub fn parse_time(value: &str) -> Result<i64, Error> {
    let value = value.trim();
    if let Ok(seconds) = value.parse::<i64>() {
        return Ok(seconds);
    }
    let time: Result<jiff::Timestamp, _> = value.parse();
    time.map(jiff::Timestamp::as_second).map_err(|_| Error::Time { value: value.to_owned() })
}

/// Writes a time as people read it, in UTC: `2026-11-15T12:00:00Z`.
pub fn format_time(seconds: i64) -> String {
    jiff::Timestamp::from_second(seconds).map_or_else(|_| seconds.to_string(), |it| it.to_string())
}

/// Reads a number of tokens: `8000`, `8_000`, `32k` or `1m`.
pub fn parse_budget(value: &str) -> Result<usize, String> {
    let plain: String = value.trim().replace(['_', ','], "").to_ascii_lowercase();
    let (digits, unit) = match plain.strip_suffix('k') {
        Some(digits) => (digits, 1_000),
        None => plain.strip_suffix('m').map_or((plain.as_str(), 1), |digits| (digits, 1_000_000)),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err("not a number of tokens such as `8000` or `32k`".to_owned());
    }
    let number: Option<usize> = digits.parse().ok();
    number
        .and_then(|number| number.checked_mul(unit))
        .filter(|&tokens| tokens <= MOST_TOKENS)
        .ok_or_else(|| format!("more than the {MOST_TOKENS} tokens that a pack may have at most"))
}

/// Larger budgets are a slip: no window is this large.
const MOST_TOKENS: usize = 1_000_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_are_read_as_people_write_them() {
        assert_eq!(parse_budget("8000"), Ok(8_000));
        assert_eq!(parse_budget("32k"), Ok(32_000));
        assert_eq!(parse_budget("32K"), Ok(32_000));
        assert_eq!(parse_budget("1m"), Ok(1_000_000));
        assert_eq!(parse_budget("100_000"), Ok(100_000));
        assert_eq!(parse_budget("0"), Ok(0));
        for wrong in ["", "-1", "k", "1.5k", "+5", "ten", "2000m", "99999999999999999999"] {
            assert!(parse_budget(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn times_are_read_in_both_forms() {
        assert_eq!(parse_time("1794744000").ok(), Some(1_794_744_000));
        assert_eq!(parse_time("1970-01-02T00:00:00Z").ok(), Some(86_400));
        assert_eq!(parse_time("1970-01-01T01:00:00+01:00").ok(), Some(0));
        assert!(parse_time("yesterday").is_err());
    }

    // Shows: FR-016-74, NFR-016-22
    #[test]
    fn a_budget_wins_over_window_and_model() {
        let request = |budget, window, model: Option<&str>| {
            let model = model.map(str::to_owned);
            let request = Request { budget, window, model, ..Request::default() };
            let limits = request.limits(&Settled::default()).ok();
            limits.map(|(tokenizer, budget)| (tokenizer.to_string(), budget))
        };
        let some = |name: &str, budget| Some((name.to_owned(), budget));
        assert_eq!(request(None, None, None), some("o200k_base", 90_000));
        assert_eq!(request(Some(500), Some(9), Some("gpt-4")), some("cl100k_base", 500));
        assert_eq!(request(None, Some(50_000), Some("gpt-4o")), some("o200k_base", 40_000));
        assert_eq!(request(None, None, Some("gpt-4o")), some("o200k_base", 118_000));
        assert_eq!(request(None, None, Some("gpt-4")), None, "the reserves exceed its window");
        assert_eq!(request(None, None, Some("unheard-of")), None);
        assert_eq!(request(None, None, Some("claude-3-5-sonnet")), some("claude", 190_000));
        assert_eq!(request(Some(500), None, Some("qwen3")), None, "its tokenizer is not built in");
    }

    #[test]
    fn a_tokenizer_wins_over_the_models() {
        let file = Choice::File("qwen/tokenizer.json".into());
        for (model, budget) in [(None, 90_000), (Some("gpt-4o"), 118_000), (Some("qwen3"), 22_768)]
        {
            let model = model.map(str::to_owned);
            let request = Request { model, tokenizer: Some(file.clone()), ..Request::default() };
            assert_eq!(request.limits(&Settled::default()).ok(), Some((file.clone(), budget)));
        }
    }
}

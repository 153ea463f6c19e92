//! What a caller asks for: the one request shape of the library, JSON, MCP and HTTP.

use crate::config::Settled;
use crate::error::Error;
use kitbag_core::{Budget, Settings, Template};
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
    /// Paths that must be considered, each with an optional line range: `src/a.rs:10-40`.
    pub references: Vec<String>,
    /// Sources that the caller brings.
    pub sources: Vec<SourceLine>,
    /// Only files that match one of these are searched.
    pub include: Vec<String>,
    /// Files that match one of these are not searched.
    pub exclude: Vec<String>,
    /// The time that ages are measured from, in seconds since 1970.
    pub now: Option<i64>,
    /// The profile, a named set of settings; `agent` if not given.
    pub profile: Option<String>,
    /// Settings of this request alone: keys of `context`, such as `context.selection.overflow`, with
    /// their values.
    pub options: Vec<(String, serde_json::Value)>,
    /// A template that makes the text, in place of a format or the configuration's template.
    pub template: Option<Template>,
    /// How the decision is made, in place of what the configuration says.
    pub settings: Option<Settings>,
}

impl Request {
    /// The model's counter by name, and the tokens that the pack may have.
    /// Where the request says nothing, the configuration does.
    pub(crate) fn limits(&self, settled: &Settled) -> Result<(&'static str, usize), Error> {
        let model = self.model.as_deref().map(kitbag_tokens::model).transpose()?;
        let counter = model.map_or(settled.counter, |model| model.counter);
        let budget = match (self.budget, self.window, model) {
            (Some(budget), _, _) => Budget::Given(budget),
            (None, Some(window), _) => settled.within(window),
            (None, None, Some(model)) => {
                let total = settled.total.unwrap_or(model.window);
                settled.within(total.min(model.window))
            }
            (None, None, None) => settled.budget,
        };
        Ok((counter, budget.available()?))
    }
}

/// Line numbers end here: nothing that is read has as many lines, and adding to it is safe.
pub(crate) const LAST_LINE: u32 = 1 << 30;

/// A source as a caller writes it, a JSON object on a line of its own.
#[derive(Debug, Clone, Default, Deserialize)]
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

    #[test]
    fn a_budget_wins_over_window_and_model() {
        let request = |budget, window, model: Option<&str>| {
            let model = model.map(str::to_owned);
            let request = Request { budget, window, model, ..Request::default() };
            request.limits(&Settled::default()).ok()
        };
        assert_eq!(request(None, None, None), Some(("o200k_base", 90_000)));
        assert_eq!(request(Some(500), Some(9), Some("gpt-4")), Some(("cl100k_base", 500)));
        assert_eq!(request(None, Some(50_000), Some("gpt-4o")), Some(("o200k_base", 40_000)));
        assert_eq!(request(None, None, Some("gpt-4o")), Some(("o200k_base", 118_000)));
        assert_eq!(request(None, None, Some("gpt-4")), None, "the reserves exceed its window");
        assert_eq!(request(None, None, Some("unheard-of")), None);
    }
}

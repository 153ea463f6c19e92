//! Sources in JSON Lines format, one JSON object per line.

use crate::request::{LAST_LINE, SourceLine};
use kitbag_text::Kind;
use serde_json::{Map, Value};

/// An invalid line in a file of sources.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name}:{line}: {message}")]
pub struct SourceLineError {
    /// Name of the file.
    pub name: String,
    /// Number of the line, starting at 1.
    pub line: usize,
    /// Description of the problem.
    pub message: String,
    /// Known name closest to an unknown one.
    pub nearest: Option<&'static str>,
}

impl SourceLineError {
    /// Suggests how to fix the line.
    pub fn hint(&self) -> Option<String> {
        Some(match self.nearest {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None => {
                let fields = SourceLine::FIELDS.join("`, `");
                format!(
                    "each line is a JSON object such as {{\"path\": \"src/a.rs\", \"kind\": \
                     \"open_file\"}}; its fields are `{fields}`"
                )
            }
        })
    }
}

/// Parses sources from JSON Lines. Errors refer to the file as `name`.
pub fn parse_source_lines(name: &str, text: &str) -> Result<Vec<SourceLine>, SourceLineError> {
    let text = text.trim_start_matches('\u{feff}');
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(at, line)| {
            parse(line).map_err(|Wrong { message, nearest }| SourceLineError {
                name: name.to_owned(),
                line: at + 1,
                message,
                nearest,
            })
        })
        .collect()
}

struct Wrong {
    message: String,
    nearest: Option<&'static str>,
}

impl From<String> for Wrong {
    fn from(message: String) -> Self {
        Self { message, nearest: None }
    }
}

/// Parses a source from a JSON object. An error consists of a message and the known name closest to
/// an unknown one.
pub(crate) fn read_source(json: &Value) -> Result<SourceLine, (String, Option<&'static str>)> {
    read(json.clone()).map_err(|Wrong { message, nearest }| (message, nearest))
}

fn parse(json: &str) -> Result<SourceLine, Wrong> {
    match serde_json::from_str(json) {
        Ok(json) => read(json),
        Err(error) => Err(format!("not JSON: {}", without_line(&error)).into()),
    }
}

fn read(json: Value) -> Result<SourceLine, Wrong> {
    let fields = match json {
        Value::Object(fields) => fields,
        other => return Err(format!("not a JSON object: `{}`", short(&other)).into()),
    };
    if let Some(unknown) = fields.keys().find(|key| !SourceLine::FIELDS.contains(&key.as_str())) {
        let nearest = nearest(unknown, SourceLine::FIELDS.into_iter());
        return Err(Wrong { message: format!("unknown field `{unknown}`"), nearest });
    }
    if !fields.contains_key("path") {
        return Err("missing field `path`".to_owned().into());
    }
    if let Some((field, value)) = fields.iter().find(|(field, value)| !fits(field, value)) {
        let message = format!("`{field}` must be {}, not `{}`", expected(field), short(value));
        return Err(message.into());
    }
    let source: SourceLine =
        serde_json::from_value(fields.into()).map_err(|error| error.to_string())?;
    check(&source)?;
    Ok(source)
}

/// Whether a value has the type of a field.
fn fits(field: &str, value: &Value) -> bool {
    let mut alone = Map::new();
    alone.insert("path".to_owned(), "".into());
    alone.insert(field.to_owned(), value.clone());
    serde_json::from_value::<SourceLine>(alone.into()).is_ok()
}

fn expected(field: &str) -> &'static str {
    match field {
        "start_line" | "end_line" => "a line number",
        "relevance" => "a number from 0 to 1",
        "timestamp" => "seconds since 1970 or a time such as `2026-11-15T12:00:00Z`",
        _ => "a string",
    }
}

/// Checks constraints that the types do not express.
fn check(source: &SourceLine) -> Result<(), Wrong> {
    let wrong = |message: &str| Err(message.to_owned().into());
    if source.path.trim().is_empty() {
        return wrong("`path` is empty");
    }
    if let Some(kind) = source.kind.as_deref().filter(|kind| kind.parse::<Kind>().is_err()) {
        let nearest = nearest(kind, Kind::ALL.iter().map(|known| known.1));
        return Err(Wrong { message: format!("unknown kind `{kind}`"), nearest });
    }
    if source.relevance.is_some_and(|relevance| !(0.0..=1.0).contains(&relevance)) {
        return wrong("`relevance` must lie within 0 and 1");
    }
    if source.start_line == Some(0) || source.end_line == Some(0) {
        return wrong("lines are counted from 1");
    }
    if source.end_line.is_some_and(|end| end < source.start_line.unwrap_or(1)) {
        return wrong("`end_line` comes before `start_line`");
    }
    if let Some(start) = source.start_line.filter(|&start| start > LAST_LINE) {
        return Err(format!("no file has so many lines: `{start}`").into());
    }
    if let (Some(content), Some(end)) = (&source.content, source.end_line) {
        let claimed = end - source.start_line.unwrap_or(1) + 1;
        let lines = u32::try_from(content.lines().count()).unwrap_or(u32::MAX);
        if lines != claimed {
            return Err(format!(
                "`content` has {lines} lines, `start_line` to `end_line` {claimed}"
            )
            .into());
        }
    }
    if let Some(Err(bad)) = source.timestamp.as_ref().map(|time| time.seconds()) {
        return Err(bad.to_string().into());
    }
    Ok(())
}

/// Returns the known name most similar to `unknown`, if one is similar enough.
fn nearest(unknown: &str, known: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    let likeness = |known: &&str| strsim::jaro_winkler(unknown, known);
    known.filter(|known| likeness(known) > 0.7).max_by(|a, b| likeness(a).total_cmp(&likeness(b)))
}

/// Formats a value for a message, truncated if long.
fn short(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(40) {
        Some((at, _)) => format!("{}...", &text[..at]),
        None => text,
    }
}

/// Returns the message of a JSON error without its line, which is always 1 here.
fn without_line(error: &serde_json::Error) -> String {
    let message = error.to_string();
    match message.rfind(" at line ") {
        Some(at) => format!("{} at column {}", &message[..at], error.column()),
        None => message,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(json: &str) -> SourceLineError {
        parse_source_lines("in.jsonl", json).expect_err("wrong")
    }

    #[test]
    fn a_wrong_line_is_named_with_its_place() {
        let cases = [
            ("{\"path\": \"a\"}\n{\"kind\": \"open_file\"}", "2: missing field `path`"),
            ("{\"pth\": \"a\"}", "1: unknown field `pth`"),
            ("[1]", "1: not a JSON object: `[1]`"),
            ("\"x\"", "1: not a JSON object: `\"x\"`"),
            ("{\"path\": 5}", "1: `path` must be a string, not `5`"),
            ("{\"path\": \"a\", \"kind\": \"openfile\"}", "1: unknown kind `openfile`"),
            ("{\"path\": \"a\", \"relevance\": 2}", "1: `relevance` must lie within 0 and 1"),
            (
                "{\"path\": \"a\", \"start_line\": 5, \"end_line\": 2}",
                "1: `end_line` comes before `start_line`",
            ),
            (
                "{\"path\": \"a\", \"content\": \"x\\ny\\n\", \"start_line\": 100, \"end_line\": 400}",
                "1: `content` has 2 lines, `start_line` to `end_line` 301",
            ),
            (
                "{\"path\": \"a\", \"start_line\": -1}",
                "1: `start_line` must be a line number, not `-1`",
            ),
            (
                "{\"path\": \"a\", \"start_line\": 4294967295}",
                "1: no file has so many lines: `4294967295`",
            ),
            ("{\"path\": \" \"}", "1: `path` is empty"),
        ];
        for (json, message) in cases {
            assert_eq!(error(json).to_string(), format!("in.jsonl:{message}"));
        }
        assert!(error("{\"path\": \"a\"").to_string().starts_with("in.jsonl:1: not JSON: "));
        let moment = error("{\"path\": \"a\", \"timestamp\": {}}").to_string();
        assert!(moment.contains("`timestamp` must be seconds since 1970"), "{moment}");
    }

    #[test]
    fn an_unknown_name_points_to_the_nearest_if_one_is_near() {
        assert_eq!(error("{\"path\":\"a\",\"start\":1}").nearest, Some("start_line"));
        assert_eq!(error("{\"pth\":\"a\"}").nearest, Some("path"));
        assert_eq!(error("{\"path\":\"a\",\"kind\":\"openfile\"}").nearest, Some("open_file"));
        assert_eq!(error("{\"path\":\"a\",\"zzz\":1}").nearest, None);
        assert!(
            error("{\"path\":\"a\",\"zzz\":1}")
                .hint()
                .is_some_and(|hint| hint.contains("`symbol`"))
        );
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_the_first_line() {
        assert_eq!(
            parse_source_lines("in", "\u{feff}{\"path\": \"a\"}\r\n").map(|l| l.len()),
            Ok(1)
        );
    }
}

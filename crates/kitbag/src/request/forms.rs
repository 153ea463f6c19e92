//! The forms in which fields may be written, such as `42`, `"42:7"` or an object for a cursor.

use crate::request::{Cursor, Document, LAST_LINE, Selection, ToolOutput};
use kitbag_config::{parse_budget, parse_time};
use kitbag_text::Kind;
use kitbag_tokens::TokenizerChoice;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};
use std::fmt;

/// The forms of a time, for errors.
pub(super) const TIME_FORMS: &str = "seconds since 1970 or a time such as `2026-11-15T12:00:00Z`";

/// Returns the value of `is_remote` in requests that are parsed.
pub(super) fn is_remote() -> bool {
    true
}

/// Parses a cursor such as `42` or `42:7`. Lines and columns start at 1.
pub fn parse_cursor(text: &str) -> Option<Cursor> {
    match text.split_once(':') {
        None => Some(Cursor { line: parse_line(text)?, column: None }),
        Some((line, column)) => {
            Some(Cursor { line: parse_line(line)?, column: Some(parse_line(column)?) })
        }
    }
}

/// Parses a line range such as `10-20` or `10`. Lines start at 1.
pub fn parse_selection(text: &str) -> Option<Selection> {
    let (start, end) = text.split_once('-').unwrap_or((text, text));
    let (start_line, end_line) = (parse_line(start)?, parse_line(end)?);
    (start_line <= end_line).then_some(Selection { start_line, end_line, text: None })
}

fn parse_line(digits: &str) -> Option<u32> {
    digits.trim().parse().ok().filter(|line| (1..=LAST_LINE).contains(line))
}

/// A value in full, as `T` is deserialized from an object, or in short, as a string or a number.
/// `null` counts as absent.
struct ShortForm<T> {
    expected: &'static str,
    /// Parses a string.
    parse: fn(&str) -> Option<T>,
    /// Whether a number counts as the string of its digits.
    takes_numbers: bool,
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for ShortForm<T> {
    type Value = Option<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.expected)
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Self::Value, E> {
        match self.takes_numbers {
            true => self.visit_str(&number.to_string()),
            false => Err(E::invalid_type(Unexpected::Signed(number), &self)),
        }
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Self::Value, E> {
        self.visit_i64(i64::try_from(number).unwrap_or(i64::MAX))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        match (self.parse)(text) {
            Some(value) => Ok(Some(value)),
            None => Err(E::invalid_value(Unexpected::Str(text), &self)),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(Some)
    }
}

pub(super) fn tokens<'de, D: Deserializer<'de>>(json: D) -> Result<Option<usize>, D::Error> {
    json.deserialize_any(ShortForm {
        expected: "a number of tokens such as `8000` or `\"32k\"`",
        parse: |text| parse_budget(text).ok(),
        takes_numbers: true,
    })
}

pub(super) fn time<'de, D: Deserializer<'de>>(json: D) -> Result<Option<i64>, D::Error> {
    json.deserialize_any(ShortForm {
        expected: TIME_FORMS,
        parse: |text| parse_time(text).ok(),
        takes_numbers: true,
    })
}

pub(super) fn document<'de, D: Deserializer<'de>>(json: D) -> Result<Option<Document>, D::Error> {
    json.deserialize_any(ShortForm {
        expected: "a path, or an object with `path` and `content`",
        parse: |path| Some(Document { path: path.to_owned(), content: None }),
        takes_numbers: false,
    })
}

pub(super) fn diff<'de, D: Deserializer<'de>>(json: D) -> Result<Option<String>, D::Error> {
    json.deserialize_any(DiffForm)
}

/// A base or range as a string, or whether to compare the work tree with `HEAD`.
struct DiffForm;

impl Visitor<'_> for DiffForm {
    type Value = Option<String>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("`true`, or a base or range such as `\"main...HEAD\"`")
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_bool<E: Error>(self, is_wanted: bool) -> Result<Self::Value, E> {
        Ok(is_wanted.then(String::new))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Some(text.trim().to_owned()))
    }
}

pub(super) fn documents<'de, D: Deserializer<'de>>(json: D) -> Result<Vec<Document>, D::Error> {
    #[derive(Deserialize)]
    struct DocumentItem(#[serde(deserialize_with = "document")] Option<Document>);
    let items: Vec<DocumentItem> = Deserialize::deserialize(json)?;
    Ok(items.into_iter().filter_map(|DocumentItem(document)| document).collect())
}

pub(super) fn cursor<'de, D: Deserializer<'de>>(json: D) -> Result<Option<Cursor>, D::Error> {
    json.deserialize_any(ShortForm {
        expected: "a line such as `42`, `\"42:7\"`, or an object with `line` and `column`",
        parse: parse_cursor,
        takes_numbers: true,
    })
}

pub(super) fn selection<'de, D: Deserializer<'de>>(json: D) -> Result<Option<Selection>, D::Error> {
    let selection = json.deserialize_any(ShortForm {
        expected: "lines such as `\"10-20\"`, or an object with `start_line`, `end_line` and `text`",
        parse: parse_selection,
        takes_numbers: false,
    })?;
    match selection {
        Some(Selection { start_line, end_line: 0, text }) => {
            Ok(Some(Selection { start_line, end_line: start_line, text }))
        }
        Some(Selection { start_line, end_line, .. }) if end_line < start_line => {
            Err(Error::custom("`end_line` must not be less than `start_line`"))
        }
        selection => Ok(selection),
    }
}

pub(super) fn line<'de, D: Deserializer<'de>>(json: D) -> Result<u32, D::Error> {
    let line = u32::deserialize(json)?;
    match line {
        1..=LAST_LINE => Ok(line),
        _ => Err(Error::invalid_value(
            Unexpected::Unsigned(line.into()),
            &format!("a line number from 1 to {LAST_LINE}").as_str(),
        )),
    }
}

pub(super) fn optional_line<'de, D: Deserializer<'de>>(json: D) -> Result<Option<u32>, D::Error> {
    #[derive(Deserialize)]
    struct LineNumber(#[serde(deserialize_with = "line")] u32);
    let line: Option<LineNumber> = Deserialize::deserialize(json)?;
    Ok(line.map(|LineNumber(line)| line))
}

/// Reads the last line of a selection, which is 0 if it is absent.
pub(super) fn end_line<'de, D: Deserializer<'de>>(json: D) -> Result<u32, D::Error> {
    optional_line(json).map(Option::unwrap_or_default)
}

pub(super) fn relevance<'de, D: Deserializer<'de>>(json: D) -> Result<Option<f64>, D::Error> {
    let relevance: Option<f64> = Deserialize::deserialize(json)?;
    match relevance.filter(|relevance| !(0.0..=1.0).contains(relevance)) {
        None => Ok(relevance),
        Some(other) => Err(Error::invalid_value(Unexpected::Float(other), &"a number from 0 to 1")),
    }
}

pub(super) fn non_blank<'de, D: Deserializer<'de>>(json: D) -> Result<String, D::Error> {
    let text = String::deserialize(json)?;
    if text.trim().is_empty() {
        return Err(Error::invalid_value(Unexpected::Str(&text), &"a string that is not blank"));
    }
    Ok(text)
}

pub(super) fn kind<'de, D: Deserializer<'de>>(json: D) -> Result<Option<Kind>, D::Error> {
    let Some(name) = Option::<String>::deserialize(json)? else { return Ok(None) };
    name.parse().map(Some).map_err(|_| {
        let known = Kind::ALL.map(Kind::name).join("`, `");
        Error::custom(format_args!("unknown kind `{name}`, expected one of `{known}`"))
    })
}

pub(super) fn tokenizer<'de, D>(json: D) -> Result<Option<TokenizerChoice>, D::Error>
where
    D: Deserializer<'de>,
{
    let name: Option<String> = Deserialize::deserialize(json)?;
    let parsed = name.map(|name| TokenizerChoice::parse(&name)).transpose();
    parsed.map_err(|unknown| Error::custom(format_args!("{unknown}; {}", unknown.hint())))
}

/// Reads settings by key, and completes keys without the prefix `context.`. Objects are sections:
/// `{"selection": {"overflow": "skip"}}` is `{"context.selection.overflow": "skip"}`.
pub(super) fn options<'de, D>(json: D) -> Result<Vec<(String, Value)>, D::Error>
where
    D: Deserializer<'de>,
{
    let mut settings: Vec<(String, Value)> = Vec::new();
    let mut sections = vec![(String::new(), Map::deserialize(json)?)];
    while let Some((prefix, section)) = sections.pop() {
        for (name, value) in section {
            let key = if prefix.is_empty() { name } else { format!("{prefix}.{name}") };
            match value {
                Value::Object(section) => sections.push((key, section)),
                value => settings.push((full_key(key), value)),
            }
        }
    }
    settings.sort_by(|(a, _), (b, _)| a.cmp(b));
    match settings.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        Some(pair) => Err(Error::custom(format_args!("`{}` is set twice", pair[0].0))),
        None => Ok(settings),
    }
}

fn full_key(key: String) -> String {
    if key.starts_with("context.") { key } else { format!("context.{key}") }
}

/// Reads a string as it is, and any other value as JSON.
pub(super) fn free_form<'de, D: Deserializer<'de>>(json: D) -> Result<Option<String>, D::Error> {
    Ok(match Value::deserialize(json)? {
        Value::Null => None,
        Value::String(text) => Some(text),
        other => Some(other.to_string()),
    })
}

pub(super) fn diagnostics<'de, D>(json: D) -> Result<Vec<ToolOutput>, D::Error>
where
    D: Deserializer<'de>,
{
    #[derive(Deserialize)]
    struct DiagnosticsItem(#[serde(deserialize_with = "tool_output")] ToolOutput);
    let outputs: Vec<DiagnosticsItem> = Deserialize::deserialize(json)?;
    let named =
        |(at, DiagnosticsItem(output)): (usize, DiagnosticsItem)| match output.name.is_empty() {
            true => ToolOutput { name: format!("diagnostics[{at}]"), ..output },
            false => output,
        };
    Ok(outputs.into_iter().enumerate().map(named).collect())
}

/// Reads output as a string, or as an object with `name` and `content`. Structured output such as
/// SARIF may also be given directly as JSON.
fn tool_output<'de, D: Deserializer<'de>>(json: D) -> Result<ToolOutput, D::Error> {
    let is_field = |name: &String| name == "name" || name == "content";
    let content = match Value::deserialize(json)? {
        Value::String(content) => content,
        Value::Object(mut fields) if !fields.is_empty() && fields.keys().all(is_field) => {
            fields.retain(|_, value| !value.is_null());
            return ToolOutput::deserialize(fields)
                .map_err(|_| Error::custom("`name` and `content` must be strings"));
        }
        json @ (Value::Object(_) | Value::Array(_)) => json.to_string(),
        _ => return Err(Error::custom("must be output of a tool, as text or JSON")),
    };
    Ok(ToolOutput { name: String::new(), content })
}

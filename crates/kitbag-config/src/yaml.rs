//! A YAML subset with source positions, for configurations and rule files.
//!
//! Anchors, aliases and tags are rejected: they let a small file expand into a large one or change a
//! value's type. Nesting is bounded.

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, ScanError, StrInput};
use std::borrow::Cow;
use std::fmt;

/// Maximum nesting of mappings and lists.
const MAX_DEPTH: usize = 24;

/// A position in a text; both numbers start at 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineColumn {
    /// Line number.
    pub line: usize,
    /// Column, in characters.
    pub column: usize,
}

impl LineColumn {
    /// Returns the position of the byte at `offset`, decoding the text before it lossily.
    pub fn of_byte(bytes: &[u8], offset: usize) -> Self {
        let before = String::from_utf8_lossy(&bytes[..offset]);
        let last_line = before.rsplit('\n').next().unwrap_or_default();
        Self { line: before.matches('\n').count() + 1, column: last_line.chars().count() + 1 }
    }

    /// Returns the position in a file that has `lines` lines before this text.
    #[must_use]
    pub fn shifted(self, lines: usize) -> Self {
        Self { line: self.line + lines, ..self }
    }
}

/// Formats the position as `line:column`.
impl fmt::Display for LineColumn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

impl From<&Marker> for LineColumn {
    fn from(marker: &Marker) -> Self {
        Self { line: marker.line().max(1), column: marker.col() + 1 }
    }
}

/// A value and the position where it starts.
#[derive(Debug, Clone)]
pub struct YamlNode {
    /// Start of the value.
    pub position: LineColumn,
    /// The value.
    pub value: YamlValue,
}

/// A value of a YAML document.
#[derive(Debug, Clone)]
pub enum YamlValue {
    /// A single value, not yet interpreted.
    Scalar {
        /// The text, without quotes.
        text: String,
        /// Whether it was quoted or a block scalar.
        is_quoted: bool,
    },
    /// A sequence.
    List(Vec<YamlNode>),
    /// A mapping, in source order. Keys may repeat.
    Mapping(Vec<YamlEntry>),
}

/// A key of a mapping and its value.
#[derive(Debug, Clone)]
pub struct YamlEntry {
    /// Start of the key.
    pub position: LineColumn,
    /// The key.
    pub key: String,
    /// The value.
    pub node: YamlNode,
}

/// A text that cannot be parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct YamlError {
    /// Where parsing failed.
    pub position: LineColumn,
    /// The reason.
    pub message: Cow<'static, str>,
    /// How to fix it.
    pub hint: Option<&'static str>,
}

impl YamlError {
    fn new(position: LineColumn, message: &'static str, hint: &'static str) -> Self {
        Self { position, message: Cow::Borrowed(message), hint: Some(hint) }
    }

    fn too_deep(position: LineColumn) -> Self {
        Self::new(position, "nested too deeply", "nest at most 24 levels")
    }

    fn syntax(error: &ScanError) -> Self {
        let (info, position) = (error.info(), LineColumn::from(error.marker()));
        if info.contains("recursion limit") {
            return Self::too_deep(position);
        }
        let hint = if info.contains("tabs") || info.contains("a tab") {
            Some("indent with spaces")
        } else if info.contains("indent") || info.contains("expected key") {
            Some("align the keys of a mapping in one column")
        } else {
            None
        };
        Self { position, message: format!("invalid YAML: {info}").into(), hint }
    }
}

impl YamlNode {
    /// Returns the value of a key, if this is a mapping that has it.
    pub fn get(&self, key: &str) -> Option<&Self> {
        let YamlValue::Mapping(entries) = &self.value else { return None };
        entries.iter().find(|entry| entry.key == key).map(|entry| &entry.node)
    }

    /// Returns the items of a list; any other value is its own single item.
    pub fn items(&self) -> &[Self] {
        match &self.value {
            YamlValue::List(items) => items,
            _ => std::slice::from_ref(self),
        }
    }

    /// Returns the text of a scalar, unless it is null or blank.
    pub fn text(&self) -> Option<&str> {
        let YamlValue::Scalar { text, .. } = &self.value else { return None };
        (!self.value.is_null() && !text.trim().is_empty()).then_some(text)
    }

    /// Returns the texts of a scalar or of a list of scalars.
    pub fn texts(&self) -> Vec<String> {
        self.items().iter().filter_map(Self::text).map(str::to_owned).collect()
    }
}

impl YamlValue {
    /// Creates an unquoted scalar.
    pub(crate) fn plain(text: impl Into<String>) -> Self {
        Self::Scalar { text: text.into(), is_quoted: false }
    }

    /// Creates a quoted scalar.
    pub(crate) fn quoted(text: impl Into<String>) -> Self {
        Self::Scalar { text: text.into(), is_quoted: true }
    }

    pub(crate) fn list(items: impl Iterator<Item = Self>) -> Self {
        let position = LineColumn { line: 1, column: 1 };
        Self::List(items.map(|value| YamlNode { position, value }).collect())
    }

    /// Returns whether the value is an unquoted `null` or `~`, or missing.
    pub fn is_null(&self) -> bool {
        let Self::Scalar { text, is_quoted: false } = self else { return false };
        matches!(text.as_str(), "" | "~" | "null")
    }
}

impl From<&serde_json::Value> for YamlValue {
    fn from(value: &serde_json::Value) -> Self {
        use serde_json::Value as Json;
        match value {
            Json::String(text) => Self::quoted(text),
            Json::Array(items) => Self::list(items.iter().map(Self::from)),
            Json::Object(_) => Self::Mapping(Vec::new()),
            value => Self::plain(value.to_string()),
        }
    }
}

/// Formats the value for error messages, shortened to one line.
impl fmt::Display for YamlValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MAX_CHARS: usize = 60;
        match self {
            Self::List(_) => f.write_str("a list"),
            Self::Mapping(_) => f.write_str("a mapping"),
            Self::Scalar { .. } if self.is_null() => f.write_str("null"),
            Self::Scalar { text, .. } if text.chars().count() > MAX_CHARS => {
                write!(f, "`{}...`", text.chars().take(MAX_CHARS).collect::<String>())
            }
            Self::Scalar { text, is_quoted: false } => write!(f, "`{text}`"),
            Self::Scalar { text, .. } => write!(f, "the string `{text}`"),
        }
    }
}

/// Parses a text with at most one document. Returns `None` if it only has comments.
pub fn parse(text: &str) -> Result<Option<YamlNode>, YamlError> {
    let mut reader = TreeReader(Parser::new_from_str(text));
    let mut root = None;
    while let Some((event, position)) = reader.next()? {
        match event {
            Event::DocumentStart(_) if root.is_some() => {
                let message = "more than one document";
                return Err(YamlError::new(position, message, "remove the other documents"));
            }
            Event::StreamStart | Event::StreamEnd | Event::Nothing => {}
            Event::DocumentStart(_) | Event::DocumentEnd => {}
            event => root = Some(reader.node(event, position, 0)?),
        }
    }
    Ok(root)
}

/// Builds a tree from parser events. Recursion is bounded by [`MAX_DEPTH`].
struct TreeReader<'a>(Parser<'a, StrInput<'a>>);

impl<'a> TreeReader<'a> {
    fn next(&mut self) -> Result<Option<(Event<'a>, LineColumn)>, YamlError> {
        let event = self.0.next_event().transpose().map_err(|error| YamlError::syntax(&error))?;
        Ok(event.map(|(event, span)| (event, LineColumn::from(&span.start))))
    }

    fn node(
        &mut self,
        event: Event<'_>,
        position: LineColumn,
        depth: usize,
    ) -> Result<YamlNode, YamlError> {
        reject_properties(&event, position)?;
        if depth >= MAX_DEPTH && !matches!(event, Event::Scalar(..)) {
            return Err(YamlError::too_deep(position));
        }
        let value = match event {
            Event::Scalar(text, style, ..) => {
                let is_quoted = style != ScalarStyle::Plain;
                YamlValue::Scalar { text: text.into_owned(), is_quoted }
            }
            Event::SequenceStart(..) => {
                let mut items = Vec::new();
                while let Some((event, position)) = self.next()?
                    && event != Event::SequenceEnd
                {
                    items.push(self.node(event, position, depth + 1)?);
                }
                YamlValue::List(items)
            }
            _ => YamlValue::Mapping(self.entries(depth + 1)?),
        };
        Ok(YamlNode { position, value })
    }

    fn entries(&mut self, depth: usize) -> Result<Vec<YamlEntry>, YamlError> {
        let mut entries = Vec::new();
        while let Some((event, position)) = self.next()?
            && event != Event::MappingEnd
        {
            let YamlValue::Scalar { text: key, .. } = self.node(event, position, depth)?.value
            else {
                let hint = "use plain words as keys";
                return Err(YamlError::new(position, "keys must be scalars", hint));
            };
            let Some((event, start)) = self.next()? else { break };
            entries.push(YamlEntry { position, key, node: self.node(event, start, depth)? });
        }
        Ok(entries)
    }
}

fn reject_properties(event: &Event<'_>, position: LineColumn) -> Result<(), YamlError> {
    const WRITE_OUT: &str = "write the value out";
    let (message, hint) = match event {
        Event::Alias(_) => ("aliases are not supported", WRITE_OUT),
        Event::Scalar(_, _, anchor, tag)
        | Event::SequenceStart(anchor, tag)
        | Event::MappingStart(anchor, tag) => match (*anchor, tag) {
            (0, None) => return Ok(()),
            (0, Some(_)) => ("tags are not supported", "remove the tag"),
            _ => ("anchors are not supported", WRITE_OUT),
        },
        _ => return Ok(()),
    };
    Err(YamlError::new(position, message, hint))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_error(text: &str, expected: &str) {
        let actual = match parse(text) {
            Ok(_) => "no error".to_owned(),
            Err(YamlError { position, message, .. }) => format!("{position}: {message}"),
        };
        assert_eq!(actual, expected, "{}", text.chars().take(80).collect::<String>());
    }

    #[test]
    fn unsupported_yaml_is_rejected_with_its_position() {
        check_error("a: &x 1\nb: *x\n", "1:4: anchors are not supported");
        check_error("a: *x\n", "1:4: invalid YAML: while parsing node, found unknown anchor");
        check_error("a: !!int 1\n", "1:4: tags are not supported");
        check_error("a: 1\n---\nb: 2\n", "2:1: more than one document");
        check_error("? [a, b]\n: 1\n", "1:3: keys must be scalars");
        check_error("{a: 1}: 2\n", "1:1: keys must be scalars");
    }

    #[test]
    fn depth_is_bounded_in_every_syntax() {
        check_error(&"[".repeat(100_000), "1:256: nested too deeply");
        check_error(&"[".repeat(100), "1:25: nested too deeply");
        check_error(&"{a: ".repeat(100), "1:97: nested too deeply");
        let indented: String = (0..1_000).map(|it| format!("{}a:\n", " ".repeat(it))).collect();
        check_error(&indented, "25:25: nested too deeply");
    }

    #[test]
    fn empty_file_has_no_node() {
        for text in ["", "\n", "# nothing\n", "\u{feff}# nothing\n"] {
            assert!(parse(text).expect("valid YAML").is_none(), "{text:?}");
        }
    }
}

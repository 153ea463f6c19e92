//! A YAML subset with source positions, for configurations and rule files.
//!
//! Anchors, aliases and tags are rejected: they let a small file expand into a large one or change a
//! value's type. Nesting is bounded.

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, ScanError};
use std::borrow::Cow;

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

    fn complex_key(position: LineColumn) -> Self {
        Self::new(position, "keys must be scalars", "use plain words as keys")
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
        let YamlValue::Scalar { text, is_quoted } = &self.value else { return None };
        let is_null = !is_quoted && matches!(text.as_str(), "~" | "null");
        (!is_null && !text.trim().is_empty()).then_some(text)
    }

    /// Returns the texts of a scalar or of a list of scalars.
    pub fn texts(&self) -> Vec<String> {
        self.items().iter().filter_map(Self::text).map(str::to_owned).collect()
    }
}

/// Parses a text with at most one document. Returns `None` if it only has comments.
pub fn parse(text: &str) -> Result<Option<YamlNode>, YamlError> {
    let mut builder = TreeBuilder::default();
    let mut parser = Parser::new_from_str(text);
    while let Some(event) = parser.next_event() {
        let (event, span) = event.map_err(|error| YamlError::syntax(&error))?;
        builder.handle(event, LineColumn::from(&span.start))?;
    }
    Ok(builder.root)
}

/// Builds a tree from parser events, without recursion.
#[derive(Default)]
struct TreeBuilder {
    root: Option<YamlNode>,
    open: Vec<OpenNode>,
    documents: usize,
}

/// A mapping or list whose end has not been seen.
struct OpenNode {
    node: YamlNode,
    /// The key whose value comes next.
    key: Option<(LineColumn, String)>,
}

impl TreeBuilder {
    fn handle(&mut self, event: Event<'_>, position: LineColumn) -> Result<(), YamlError> {
        match event {
            Event::DocumentStart(_) => {
                self.documents += 1;
                if self.documents > 1 {
                    let message = "more than one document";
                    return Err(YamlError::new(position, message, "remove the other documents"));
                }
            }
            Event::Alias(_) => {
                return Err(YamlError::new(position, "aliases are not supported", WRITE_OUT));
            }
            Event::Scalar(text, style, anchor, tag) => {
                reject_properties(position, anchor, tag.is_some())?;
                let is_quoted = style != ScalarStyle::Plain;
                let value = YamlValue::Scalar { text: text.into_owned(), is_quoted };
                self.add(YamlNode { position, value })?;
            }
            Event::SequenceStart(anchor, tag) => {
                reject_properties(position, anchor, tag.is_some())?;
                self.open(YamlNode { position, value: YamlValue::List(Vec::new()) })?;
            }
            Event::MappingStart(anchor, tag) => {
                reject_properties(position, anchor, tag.is_some())?;
                self.open(YamlNode { position, value: YamlValue::Mapping(Vec::new()) })?;
            }
            Event::SequenceEnd | Event::MappingEnd => {
                if let Some(open) = self.open.pop() {
                    self.add(open.node)?;
                }
            }
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
        }
        Ok(())
    }

    fn open(&mut self, node: YamlNode) -> Result<(), YamlError> {
        if self.open.len() >= MAX_DEPTH {
            return Err(YamlError::too_deep(node.position));
        }
        if self.open.last().is_some_and(OpenNode::expects_key) {
            return Err(YamlError::complex_key(node.position));
        }
        self.open.push(OpenNode { node, key: None });
        Ok(())
    }

    fn add(&mut self, node: YamlNode) -> Result<(), YamlError> {
        let Some(open) = self.open.last_mut() else {
            self.root = Some(node);
            return Ok(());
        };
        match (&mut open.node.value, open.key.take(), node.value) {
            (YamlValue::List(items), _, value) => items.push(YamlNode { value, ..node }),
            (YamlValue::Mapping(_), None, YamlValue::Scalar { text, .. }) => {
                open.key = Some((node.position, text));
            }
            (YamlValue::Mapping(entries), Some((position, key)), value) => {
                entries.push(YamlEntry { position, key, node: YamlNode { value, ..node } });
            }
            _ => return Err(YamlError::complex_key(node.position)),
        }
        Ok(())
    }
}

impl OpenNode {
    fn expects_key(&self) -> bool {
        matches!(self.node.value, YamlValue::Mapping(_)) && self.key.is_none()
    }
}

const WRITE_OUT: &str = "write the value out";

fn reject_properties(position: LineColumn, anchor: usize, has_tag: bool) -> Result<(), YamlError> {
    if anchor != 0 {
        return Err(YamlError::new(position, "anchors are not supported", WRITE_OUT));
    }
    if has_tag {
        return Err(YamlError::new(position, "tags are not supported", "remove the tag"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_error(text: &str, expected: &str) {
        let actual = match parse(text) {
            Ok(_) => "no error".to_owned(),
            Err(YamlError { position: LineColumn { line, column }, message, .. }) => {
                format!("{line}:{column}: {message}")
            }
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

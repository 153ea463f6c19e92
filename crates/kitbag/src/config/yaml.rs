//! YAML as far as configurations and rules need it: sections, lists and plain values, each with
//! its place.
//!
//! What could make a small file large or a value something else (aliases, anchors, tags) is
//! refused, and so is what is nested deeper than any configuration.

use super::value::Raw;
use saphyr_parser::{Event, Marker, Parser, ScalarStyle, ScanError};
use std::borrow::Cow;

/// How deep sections may lie in each other.
const MOST_DEPTH: usize = 24;

/// A place in a file: line and column, both from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Spot {
    pub line: usize,
    pub column: usize,
}

impl From<&Marker> for Spot {
    fn from(marker: &Marker) -> Self {
        Self { line: marker.line().max(1), column: marker.col() + 1 }
    }
}

/// A value and where it begins.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub spot: Spot,
    pub content: Content,
}

#[derive(Debug, Clone)]
pub(crate) enum Content {
    Scalar { text: String, is_quoted: bool },
    List(Vec<Node>),
    Section(Vec<Member>),
}

/// A key of a section, and what is under it.
#[derive(Debug, Clone)]
pub(crate) struct Member {
    pub spot: Spot,
    pub key: String,
    pub node: Node,
}

/// Why a file is no YAML that can be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    pub spot: Spot,
    pub message: Cow<'static, str>,
    pub hint: Option<&'static str>,
}

impl Node {
    /// The value, without its places.
    pub(super) fn raw(&self) -> Raw {
        match &self.content {
            Content::Scalar { text, is_quoted: true } => Raw::Quoted(text.clone()),
            Content::Scalar { text, .. } => Raw::plain(text),
            Content::List(items) => Raw::List(items.iter().map(Self::raw).collect()),
            Content::Section(_) => Raw::Section,
        }
    }

    /// The texts of all scalars, in order.
    #[cfg(test)]
    pub fn texts(&self) -> Vec<&str> {
        match &self.content {
            Content::Scalar { text, .. } => vec![text],
            Content::List(items) => items.iter().flat_map(Self::texts).collect(),
            Content::Section(members) => members.iter().flat_map(|it| it.node.texts()).collect(),
        }
    }
}

/// Reads the one document of a file; `None` where there is nothing but comments.
pub(crate) fn parse(text: &str) -> Result<Option<Node>, Fault> {
    let mut builder = Builder::default();
    let mut parser = Parser::new_from_str(text);
    while let Some(event) = parser.next_event() {
        let (event, span) = event.map_err(|error| syntax(&error))?;
        builder.take(event, Spot::from(&span.start))?;
    }
    Ok(builder.root)
}

/// Builds a tree from events, without recursion.
#[derive(Default)]
struct Builder {
    root: Option<Node>,
    open: Vec<Open>,
    documents: usize,
}

/// A section or a list that has not ended.
struct Open {
    node: Node,
    /// The key that waits for its value.
    key: Option<(Spot, String)>,
}

impl Builder {
    fn take(&mut self, event: Event<'_>, spot: Spot) -> Result<(), Fault> {
        match event {
            Event::DocumentStart(_) => {
                self.documents += 1;
                if self.documents > 1 {
                    return Err(fault(
                        spot,
                        "a second document",
                        "a configuration is one document",
                    ));
                }
            }
            Event::Alias(_) => return Err(fault(spot, "an alias", WRITE_OUT)),
            Event::Scalar(text, style, anchor, tag) => {
                refuse(spot, anchor, tag.is_some())?;
                let is_quoted = style != ScalarStyle::Plain;
                let content = Content::Scalar { text: text.into_owned(), is_quoted };
                self.add(Node { spot, content })?;
            }
            Event::SequenceStart(anchor, tag) => {
                refuse(spot, anchor, tag.is_some())?;
                self.begin(Node { spot, content: Content::List(Vec::new()) })?;
            }
            Event::MappingStart(anchor, tag) => {
                refuse(spot, anchor, tag.is_some())?;
                self.begin(Node { spot, content: Content::Section(Vec::new()) })?;
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

    fn begin(&mut self, node: Node) -> Result<(), Fault> {
        if self.open.len() >= MOST_DEPTH {
            return Err(too_deep(node.spot));
        }
        if self.open.last().is_some_and(Open::wants_key) {
            return Err(fault(node.spot, "a key that is not a word", "keys are plain words"));
        }
        self.open.push(Open { node, key: None });
        Ok(())
    }

    fn add(&mut self, node: Node) -> Result<(), Fault> {
        let Some(open) = self.open.last_mut() else {
            self.root = Some(node);
            return Ok(());
        };
        let wants_key = open.wants_key();
        match (&mut open.node.content, open.key.take(), node.content) {
            (Content::List(items), _, content) => items.push(Node { content, ..node }),
            (Content::Section(_), None, Content::Scalar { text, .. }) if wants_key => {
                open.key = Some((node.spot, text));
            }
            (Content::Section(members), Some((spot, key)), content) => {
                members.push(Member { spot, key, node: Node { content, ..node } });
            }
            _ => return Err(fault(node.spot, "a key that is not a word", "keys are plain words")),
        }
        Ok(())
    }
}

impl Open {
    fn wants_key(&self) -> bool {
        matches!(self.node.content, Content::Section(_)) && self.key.is_none()
    }
}

const WRITE_OUT: &str = "anchors and aliases are not read; write the value out";

fn refuse(spot: Spot, anchor: usize, has_tag: bool) -> Result<(), Fault> {
    if anchor != 0 {
        return Err(fault(spot, "an anchor", WRITE_OUT));
    }
    if has_tag {
        return Err(fault(spot, "a tag", "tags are not read; write the value alone"));
    }
    Ok(())
}

fn too_deep(spot: Spot) -> Fault {
    fault(spot, "nested too deeply", "no setting lies so deep")
}

fn fault(spot: Spot, message: &'static str, hint: &'static str) -> Fault {
    Fault { spot, message: Cow::Borrowed(message), hint: Some(hint) }
}

fn syntax(error: &ScanError) -> Fault {
    let info = error.info();
    if info.contains("recursion limit") {
        return too_deep(Spot::from(error.marker()));
    }
    let hint = if info.contains("tabs") || info.contains("a tab") {
        Some("indent with spaces")
    } else if info.contains("indent") || info.contains("expected key") {
        Some("keys of one section begin in the same column")
    } else {
        None
    };
    Fault { spot: Spot::from(error.marker()), message: format!("not YAML: {info}").into(), hint }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_fault(text: &str, expected: &str) {
        let told = match parse(text) {
            Ok(_) => "no fault".to_owned(),
            Err(fault) => {
                format!("{}:{}: {}", fault.spot.line, fault.spot.column, fault.message)
            }
        };
        assert_eq!(told, expected, "{}", text.chars().take(80).collect::<String>());
    }

    #[test]
    fn what_is_no_plain_yaml_is_refused_at_its_place() {
        check_fault("a: &x 1\nb: *x\n", "1:4: an anchor");
        check_fault("a: *x\n", "1:4: not YAML: while parsing node, found unknown anchor");
        check_fault("a: !!int 1\n", "1:4: a tag");
        check_fault("a: 1\n---\nb: 2\n", "2:1: a second document");
        check_fault("? [a, b]\n: 1\n", "1:3: a key that is not a word");
        check_fault("{a: 1}: 2\n", "1:1: a key that is not a word");
    }

    #[test]
    fn depth_is_bounded_however_it_is_written() {
        check_fault(&"[".repeat(100_000), "1:256: nested too deeply");
        check_fault(&"[".repeat(100), "1:25: nested too deeply");
        check_fault(&"{a: ".repeat(100), "1:97: nested too deeply");
        let indented: String = (0..1_000).map(|it| format!("{}a:\n", " ".repeat(it))).collect();
        check_fault(&indented, "25:25: nested too deeply");
    }

    #[test]
    fn an_empty_file_has_no_node() {
        for text in ["", "\n", "# nothing\n", "\u{feff}# nothing\n"] {
            assert!(parse(text).expect("fine").is_none(), "{text:?}");
        }
    }
}

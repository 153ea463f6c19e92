//! XML: a `<context>` with an element for each run of lines.

use super::escape::{is_xml, xml_attribute, xml_text};
use super::{Formatting, Frame, Layout, Run};
use crate::sheet::Sheet;
use std::fmt::Write;

/// XML.
pub struct Xml {
    frame: Frame,
    line_numbers: bool,
    scores: bool,
}

impl Xml {
    pub fn new(formatting: &Formatting) -> Self {
        let element = |name: &str, text: Option<&str>| {
            let mut element = String::new();
            if let Some(text) = text {
                element = format!("<{name}>");
                xml_text(text, &mut element);
                writeln!(element, "</{name}>").expect("writing to a string cannot fail");
            }
            element
        };
        let header = element("header", formatting.header_text());
        let footer = element("footer", formatting.footer_text());
        let open = format!("<context>\n{header}");
        let close = format!("{footer}</context>\n");
        let empty = format!("{open}{close}");
        let frame = Frame { open, close, empty, ..Frame::default() };
        Self { frame, line_numbers: formatting.line_numbers, scores: formatting.scores }
    }
}

impl Layout for Xml {
    fn frame(&self) -> &Frame {
        &self.frame
    }

    fn opening(&self, sheet: &Sheet, _before: Option<&Run>, run: &Run) -> String {
        let mut tag = "<code-context".to_owned();
        let mut attribute = |name: &str, value: &str| {
            write!(tag, " {name}=\"").expect("writing to a string cannot fail");
            xml_attribute(value, &mut tag);
            tag.push('"');
        };
        attribute("file", &sheet.path);
        if self.line_numbers {
            attribute("lines", &sheet.span(&run.rows).to_string());
        }
        if !sheet.fence.is_empty() {
            attribute("language", sheet.fence);
        }
        attribute("relevance", &format!("{:.2}", run.relevance));
        if self.scores {
            attribute("score", &format!("{:.2}", run.score));
        }
        if run.outline {
            attribute("outline", "true");
        }
        let parts = run.broken();
        if !parts.is_empty() {
            attribute("part", &parts);
        }
        if run.cut > 0 {
            attribute("truncated", &run.cut.to_string());
        }
        tag.push_str(">\n");
        tag
    }

    fn ending(&self, _sheet: &Sheet, _run: &Run) -> String {
        "</code-context>\n".to_owned()
    }

    fn beginnings(&self) -> &'static [&'static str] {
        &["<code-context>\n", "</context>\n"]
    }

    fn has_labelled_runs(&self) -> bool {
        true
    }

    fn escapes(&self) -> bool {
        true
    }

    fn escape(&self, text: &str, into: &mut String) {
        xml_text(text, into);
    }

    fn replaced(&self, text: &str) -> usize {
        text.chars().filter(|&c| !is_xml(c)).count()
    }
}

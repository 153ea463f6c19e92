//! XML: a `<context>` element with a child for each run of lines.

use super::escape::{xml_attribute, xml_text};
use super::{Delimiters, Formatting, LineRun, Renderer};
use crate::source_file::SourceFile;

pub struct Xml {
    delimiters: Delimiters,
    has_line_numbers: bool,
    has_scores: bool,
}

impl Xml {
    pub fn new(formatting: &Formatting) -> Self {
        let element = |name: &str, text: Option<&str>| {
            let mut element = String::new();
            if let Some(text) = text {
                element = format!("<{name}>");
                xml_text(text, &mut element);
                element.push_str(&format!("</{name}>\n"));
            }
            element
        };
        let header = element("header", formatting.header_text());
        let footer = element("footer", formatting.footer_text());
        let open = format!("<context>\n{header}");
        let close = format!("{footer}</context>\n");
        let empty = format!("{open}{close}");
        let delimiters = Delimiters { open, close, empty, ..Delimiters::default() };
        let Formatting { line_numbers, scores, .. } = *formatting;
        Self { delimiters, has_line_numbers: line_numbers, has_scores: scores }
    }
}

impl Renderer for Xml {
    fn delimiters(&self) -> &Delimiters {
        &self.delimiters
    }

    fn run_prefix(&self, file: &SourceFile, _previous: Option<&LineRun>, run: &LineRun) -> String {
        let mut tag = "<code-context".to_owned();
        let mut attribute = |name: &str, value: &str| {
            tag.push_str(&format!(" {name}=\""));
            xml_attribute(value, &mut tag);
            tag.push('"');
        };
        attribute("file", &file.path);
        if self.has_line_numbers {
            attribute("lines", &file.span(&run.rows).to_string());
        }
        if !file.fence.is_empty() {
            attribute("language", file.fence);
        }
        attribute("relevance", &format!("{:.2}", run.relevance));
        if self.has_scores {
            attribute("score", &format!("{:.2}", run.score));
        }
        if run.has_outline {
            attribute("outline", "true");
        }
        let parts = run.part_label();
        if !parts.is_empty() {
            attribute("part", &parts);
        }
        if run.truncated_rows > 0 {
            attribute("truncated", &run.truncated_rows.to_string());
        }
        tag.push_str(">\n");
        tag
    }

    fn run_suffix(&self, _file: &SourceFile, _run: &LineRun) -> String {
        "</code-context>\n".to_owned()
    }

    fn first_lines(&self) -> &'static [&'static str] {
        &["<code-context>\n", "</context>\n"]
    }

    fn escapes(&self) -> bool {
        true
    }

    fn escape(&self, text: &str, into: &mut String) {
        xml_text(text, into);
    }
}

//! JSON: an object with a list of chunks, each on a line of its own.

use super::escape::{json_path, json_text};
use super::{Formatting, Frame, Layout, Run};
use crate::sheet::Sheet;
use std::fmt::Write;

/// JSON.
pub struct Json {
    frame: Frame,
    line_numbers: bool,
    scores: bool,
}

impl Json {
    pub fn new(formatting: &Formatting) -> Self {
        let member = |name: &str, text: &str| {
            let mut member = format!("\"{name}\": \"");
            json_text(text, &mut member);
            member.push('"');
            member
        };
        let header = formatting.header_text().map(|text| member("header", text) + ",\n");
        let footer = formatting.footer_text().map(|text| format!(",\n{}", member("footer", text)));
        let (header, footer) = (header.unwrap_or_default(), footer.unwrap_or_default());
        let frame = Frame {
            open: format!("{{{header}\"chunks\": [\n"),
            between: ",\n".to_owned(),
            within: ",\n".to_owned(),
            close: format!("\n]{footer}}}\n"),
            empty: format!("{{{header}\"chunks\": []{footer}}}\n"),
        };
        Self { frame, line_numbers: formatting.line_numbers, scores: formatting.scores }
    }
}

impl Layout for Json {
    fn frame(&self) -> &Frame {
        &self.frame
    }

    fn opening(&self, sheet: &Sheet, _before: Option<&Run>, run: &Run) -> String {
        let mut object = "{\"file\": \"".to_owned();
        json_path(&sheet.path, &mut object);
        object.push('"');
        let mut member = |name: &str, value: &dyn std::fmt::Display| {
            write!(object, ", \"{name}\": {value}").expect("writing to a string cannot fail");
        };
        if self.line_numbers {
            let span = sheet.span(&run.rows);
            member("startLine", &span.start);
            member("endLine", &span.end);
        }
        if !sheet.fence.is_empty() {
            member("language", &format_args!("\"{}\"", sheet.fence));
        }
        member("relevance", &format_args!("{:.2}", run.relevance));
        if self.scores {
            member("score", &format_args!("{:.2}", run.score));
        }
        if run.outline {
            member("outline", &true);
        }
        let parts = run.broken();
        if !parts.is_empty() {
            member("part", &format_args!("\"{parts}\""));
        }
        if run.cut > 0 {
            member("truncatedLines", &run.cut);
        }
        object.push_str(", \"content\": \"");
        object
    }

    fn ending(&self, _sheet: &Sheet, _run: &Run) -> String {
        "\"}".to_owned()
    }

    fn beginnings(&self) -> &'static [&'static str] {
        &["{\"file\": \"a\"}\n"]
    }

    fn has_labelled_runs(&self) -> bool {
        true
    }

    fn escapes(&self) -> bool {
        true
    }

    fn escape(&self, text: &str, into: &mut String) {
        json_text(text, into);
    }

    fn ends_lines(&self) -> bool {
        false
    }
}

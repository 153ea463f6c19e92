//! JSON: an object with a list of chunks, one per line.

use super::escape::{json_path, json_text};
use super::{Delimiters, Formatting, LineRun, Renderer};
use crate::source_file::SourceFile;

pub struct Json {
    delimiters: Delimiters,
    has_line_numbers: bool,
    has_scores: bool,
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
        let delimiters = Delimiters {
            open: format!("{{{header}\"chunks\": [\n"),
            between_blocks: ",\n".to_owned(),
            between_runs: ",\n".to_owned(),
            close: format!("\n]{footer}}}\n"),
            empty: format!("{{{header}\"chunks\": []{footer}}}\n"),
        };
        let Formatting { line_numbers, scores, .. } = *formatting;
        Self { delimiters, has_line_numbers: line_numbers, has_scores: scores }
    }
}

impl Renderer for Json {
    fn delimiters(&self) -> &Delimiters {
        &self.delimiters
    }

    fn run_prefix(&self, file: &SourceFile, _previous: Option<&LineRun>, run: &LineRun) -> String {
        let mut object = "{\"file\": \"".to_owned();
        json_path(&file.path, &mut object);
        object.push('"');
        let mut member = |name: &str, value: &dyn std::fmt::Display| {
            object.push_str(&format!(", \"{name}\": {value}"));
        };
        if self.has_line_numbers {
            let span = file.span(&run.rows);
            member("startLine", &span.start);
            member("endLine", &span.end);
        }
        if !file.fence.is_empty() {
            member("language", &format_args!("\"{}\"", file.fence));
        }
        member("relevance", &format_args!("{:.2}", run.relevance));
        if self.has_scores {
            member("score", &format_args!("{:.2}", run.score));
        }
        if run.has_outline {
            member("outline", &true);
        }
        let parts = run.part_label();
        if !parts.is_empty() {
            member("part", &format_args!("\"{parts}\""));
        }
        if run.truncated_rows > 0 {
            member("truncatedLines", &run.truncated_rows);
        }
        object.push_str(", \"content\": \"");
        object
    }

    fn run_suffix(&self, _file: &SourceFile, _run: &LineRun) -> String {
        "\"}".to_owned()
    }

    fn first_lines(&self) -> &'static [&'static str] {
        &["{\"file\": \"a\"}\n"]
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

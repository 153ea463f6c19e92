//! Plain text: a title, a boundary line, and the lines of the file.
//!
//! The boundary is a line of hyphens, longer than any run of hyphens in the files. The line before a
//! boundary is always one of Kitbag's: the title of a file, a gap, a truncation marker, or a blank
//! line before the footer. So no file can imitate another.

use super::label::{LabelStyle, truncation_marker};
use super::{BlockHeading, Delimiters, Formatting, LineRun, Renderer, RunSummary};
use crate::source_file::SourceFile;

/// Minimum number of hyphens in a boundary.
pub const MIN_BOUNDARY_LEN: usize = 40;

pub struct Plain {
    delimiters: Delimiters,
    labels: LabelStyle,
    boundary: String,
}

impl Plain {
    pub fn new(formatting: &Formatting, files: &[SourceFile]) -> Self {
        let boundary = boundary(formatting, files);
        let header = formatting.header_text().map(|text| format!("{text}\n"));
        let footer = formatting.footer_text().map(|text| format!("\n{boundary}{text}\n"));
        let footer = footer.unwrap_or_default();
        let delimiters = Delimiters {
            open: header.as_ref().map(|text| format!("{text}\n")).unwrap_or_default(),
            between_blocks: formatting.separator_lines(),
            between_runs: String::new(),
            empty: format!("{}{footer}", header.unwrap_or_default()),
            close: footer,
        };
        Self { delimiters, labels: LabelStyle::new(formatting), boundary }
    }
}

impl Renderer for Plain {
    fn delimiters(&self) -> &Delimiters {
        &self.delimiters
    }

    fn heading(&self, file: &SourceFile, summary: RunSummary) -> BlockHeading {
        let BlockHeading { prefix, suffix } = self.labels.heading(file, summary);
        BlockHeading { prefix: format!("File: {prefix}"), suffix: format!("{suffix}\n") }
    }

    fn run_label(&self, file: &SourceFile, run: &LineRun, _is_first: bool) -> String {
        self.labels.run_label(file, run)
    }

    fn run_prefix(&self, file: &SourceFile, previous: Option<&LineRun>, run: &LineRun) -> String {
        let gap = self.labels.gap(file, previous, run).unwrap_or_default();
        format!("{gap}{}", self.boundary)
    }

    fn run_suffix(&self, _file: &SourceFile, run: &LineRun) -> String {
        let with_boundary = |marker| format!("{marker}{}", self.boundary);
        truncation_marker(run).map(with_boundary).unwrap_or_default()
    }

    fn first_lines(&self) -> &'static [&'static str] {
        &["File: a\n", "... line\n", "-----\n"]
    }
}

fn boundary(formatting: &Formatting, files: &[SourceFile]) -> String {
    let Formatting { header, footer, separator, .. } = formatting;
    let around = [header, footer, separator].into_iter().flatten().map(String::as_str);
    let contents = files.iter().map(|file| file.text.content());
    let longest = around.chain(contents).map(longest_run).max().unwrap_or(0);
    let len = (longest + 1).max(MIN_BOUNDARY_LEN).max(formatting.min_boundary_len);
    format!("{}\n", "-".repeat(len))
}

/// Returns the length of the longest run of hyphens, or 0 if it is shorter than any boundary.
fn longest_run(text: &str) -> usize {
    if !text.contains(&"-".repeat(MIN_BOUNDARY_LEN)) {
        return 0;
    }
    text.split(|c| c != '-').map(str::len).max().unwrap_or(0)
}

//! Plain text: a title, a boundary line, and the lines.
//!
//! The boundary is a line of hyphens that is longer than any run of hyphens in what could be shown.
//! The line before a boundary is a title: a file's, the gap to the run before, how much was cut off,
//! after which nothing is shown up to the next title, or, where it is blank, the footer's. So nothing
//! in a file can pretend to be another one.

use super::title::{Told, truncation_marker};
use super::{Formatting, Frame, Heading, Layout, Named, Run};
use crate::sheet::Sheet;

/// The hyphens of a boundary at the least.
pub const SHORTEST: usize = 40;

/// Plain text.
pub struct Plain {
    frame: Frame,
    told: Told,
    boundary: String,
}

impl Plain {
    pub fn new(formatting: &Formatting, sheets: &[Sheet]) -> Self {
        let boundary = boundary(formatting, sheets);
        let header = formatting.header_text().map(|text| format!("{text}\n"));
        let footer = formatting.footer_text().map(|text| format!("\n{boundary}{text}\n"));
        let footer = footer.unwrap_or_default();
        let frame = Frame {
            open: header.as_ref().map(|text| format!("{text}\n")).unwrap_or_default(),
            between: formatting.separator_lines(),
            within: String::new(),
            empty: format!("{}{footer}", header.unwrap_or_default()),
            close: footer,
        };
        Self { frame, told: Told::new(formatting), boundary }
    }
}

impl Layout for Plain {
    fn frame(&self) -> &Frame {
        &self.frame
    }

    fn heading(&self, sheet: &Sheet, named: Named) -> Heading {
        let Heading { before, after } = self.told.heading(sheet, named);
        Heading { before: format!("File: {before}"), after: format!("{after}\n") }
    }

    fn range(&self, sheet: &Sheet, run: &Run, _is_first: bool) -> String {
        self.told.range(sheet, run)
    }

    fn opening(&self, sheet: &Sheet, before: Option<&Run>, run: &Run) -> String {
        let gap = self.told.gap(sheet, before, run).unwrap_or_default();
        format!("{gap}{}", self.boundary)
    }

    fn ending(&self, _sheet: &Sheet, run: &Run) -> String {
        let marked = |marker| format!("{marker}{}", self.boundary);
        truncation_marker(run).map(marked).unwrap_or_default()
    }

    fn beginnings(&self) -> &'static [&'static str] {
        &["File: a\n", "... line\n", "-----\n"]
    }
}

fn boundary(formatting: &Formatting, sheets: &[Sheet]) -> String {
    let Formatting { header, footer, separator, .. } = formatting;
    let around = [header, footer, separator].into_iter().flatten().map(String::as_str);
    let shown = sheets.iter().map(Sheet::content);
    let longest = around.chain(shown).map(longest_run).max().unwrap_or(0);
    format!("{}\n", "-".repeat((longest + 1).max(SHORTEST).max(formatting.boundary)))
}

/// The longest run of hyphens, or 0 where none is as long as the shortest boundary.
fn longest_run(text: &str) -> usize {
    if !text.contains(&"-".repeat(SHORTEST)) {
        return 0;
    }
    text.split(|c| c != '-').map(str::len).max().unwrap_or(0)
}

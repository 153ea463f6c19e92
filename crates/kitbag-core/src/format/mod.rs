//! How what is shown becomes text.
//!
//! A [`Layout`] says what stands around the lines: Markdown, XML, JSON or plain text. Selection
//! measures the very pieces that [`write`] later puts together, so the two cannot disagree. Every
//! piece begins with a line before which token counts add. A [`Template`] is the user's own, and
//! is rendered and counted as a whole.

mod escape;
mod json;
mod markdown;
mod options;
mod path;
mod plain;
mod sections;
mod strip;
mod template;
mod title;
mod xml;

use crate::Cancel;
use crate::sheet::Sheet;
use kitbag_text::{Part, Provenance};
use kitbag_tokens::Counting;
pub use options::{Format, Formatting, UnknownFormat};
pub use path::{escape_path, unescape_path};
use std::ops::Range;
use std::sync::Arc;
pub use strip::{Escaped, Parts};
pub use template::{Compiled, Template, TemplateError};

/// All that the text depends on, beside what is selected.
#[derive(Clone, Copy)]
pub struct Press<'a> {
    /// The files' lines.
    pub sheets: &'a [Sheet],
    /// The model's counter.
    pub counting: &'a Counting,
    /// How the text looks.
    pub formatting: &'a Formatting,
    /// The task's text.
    pub task: &'a str,
    /// The tokens that the text may have.
    pub budget: usize,
    /// The flag that stops a template.
    pub cancel: &'a Cancel,
}

/// A run of rows that stand together.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// The rows.
    pub rows: Range<usize>,
    /// Whether an outline is among them.
    pub outline: bool,
    /// The parts of split items among them, in order.
    pub parts: Vec<Part>,
    /// How many rows after them were cut off.
    pub cut: usize,
    /// The best relevance of the chunks among them.
    pub relevance: f64,
    /// The best score of the chunks among them.
    pub score: f64,
    /// Who gathered the best chunk among them.
    pub from: Option<Arc<Provenance>>,
    /// The symbol of the only chunk among them, with what it is.
    pub symbol: Option<(&'static str, String)>,
}

impl Run {
    /// The parts of items that are not shown whole.
    fn broken_parts(&self) -> impl Iterator<Item = &Part> {
        let follows = |a: &Part, b: &Part| a.of == b.of && a.number + 1 == b.number;
        let is_whole = |item: &&[Part]| item[0].number == 1 && item.len() == item[0].of as usize;
        self.parts.chunk_by(follows).filter(move |item| !is_whole(item)).flatten()
    }

    /// The parts of items that are not shown whole, in words: `1 of 2, 2 of 3`.
    fn broken(&self) -> String {
        let parts = self.broken_parts().map(|part| format!("{} of {}", part.number, part.of));
        parts.collect::<Vec<_>>().join(", ")
    }
}

/// Runs of one file that stand together: all of them, or those of one chunk.
#[derive(Clone, Copy)]
pub struct Block<'a> {
    /// The file.
    pub sheet: &'a Sheet,
    /// The runs, in line order.
    pub runs: &'a [Run],
}

/// What stands around and between the blocks.
#[derive(Debug, Clone, Default)]
pub struct Frame {
    /// Before the first block.
    pub open: String,
    /// Between two blocks.
    pub between: String,
    /// Between two runs of a block.
    pub within: String,
    /// After the last block.
    pub close: String,
    /// The whole text where there is no block.
    pub empty: String,
}

/// What the runs are that a title names.
#[derive(Debug, Clone, Copy)]
pub struct Named {
    /// Whether anything is said of any of them.
    pub any: bool,
    /// Whether there is one run, of one line.
    pub one_line: bool,
    /// The best relevance.
    pub relevance: f64,
}

/// What stands around the ranges in the title of a block. Between two of them is a comma and a space.
#[derive(Debug, Clone, Default)]
pub struct Heading {
    pub before: String,
    pub after: String,
}

impl Heading {
    /// The title with its ranges.
    pub fn around<'r>(
        self,
        layout: &dyn Layout,
        sheet: &Sheet,
        runs: impl Iterator<Item = &'r Run>,
    ) -> String {
        let Self { before: mut title, after } = self;
        let mut is_first = true;
        for run in runs {
            let range = layout.range(sheet, run, is_first);
            if !range.is_empty() {
                title.push_str(if is_first { "" } else { ", " });
                title.push_str(&range);
                is_first = false;
            }
        }
        title.push_str(&after);
        title
    }
}

/// Whether a run shows one line only.
pub fn is_one_line(sheet: &Sheet, run: &Run) -> bool {
    let span = sheet.span(&run.rows);
    span.start == span.end
}

/// What stands before a block: whole lines, or nothing.
fn title(layout: &dyn Layout, Block { sheet, runs }: Block<'_>) -> String {
    let named = Named {
        any: runs.iter().any(|run| !layout.range(sheet, run, false).is_empty()),
        one_line: matches!(runs, [only] if is_one_line(sheet, only)),
        relevance: runs.iter().map(|run| run.relevance).fold(0.0, f64::max),
    };
    layout.heading(sheet, named).around(layout, sheet, runs.iter())
}

/// A format that is built in.
pub trait Layout {
    /// What stands around and between the blocks.
    fn frame(&self) -> &Frame;

    /// What stands around the ranges in the title of a block: together whole lines, or nothing.
    fn heading(&self, _sheet: &Sheet, _named: Named) -> Heading {
        Heading::default()
    }

    /// What the title says of a run, if anything.
    fn range(&self, _sheet: &Sheet, _run: &Run, _is_first: bool) -> String {
        String::new()
    }

    /// What stands before the rows of a run.
    fn opening(&self, sheet: &Sheet, before: Option<&Run>, run: &Run) -> String;

    /// What stands after the rows of a run.
    fn ending(&self, sheet: &Sheet, run: &Run) -> String;

    /// How the title, the opening, and what follows a block begin.
    fn beginnings(&self) -> &'static [&'static str];

    /// Whether the opening of a run depends on what the run is, and not on its rows alone.
    fn has_labelled_runs(&self) -> bool {
        false
    }

    /// Whether rows are escaped. Each character is escaped by itself.
    fn escapes(&self) -> bool {
        false
    }

    /// Appends a text as it stands between opening and ending.
    fn escape(&self, text: &str, into: &mut String) {
        into.push_str(text);
    }

    /// Whether a run whose last line lacks its line end gets one.
    fn ends_lines(&self) -> bool {
        true
    }

    /// How many characters of a text the format cannot carry, and replaces.
    fn replaced(&self, _text: &str) -> usize {
        0
    }
}

/// The layout of a format. All sheets that may be shown are among the press's.
pub fn layout(press: &Press<'_>) -> Box<dyn Layout> {
    let formatting = press.formatting;
    match formatting.format {
        Format::Markdown => Box::new(markdown::Markdown::new(formatting)),
        Format::Xml => Box::new(xml::Xml::new(formatting)),
        Format::Json => Box::new(json::Json::new(formatting)),
        Format::Plain => Box::new(plain::Plain::new(formatting, press.sheets)),
    }
}

/// The whole text.
pub fn write<'a>(layout: &dyn Layout, blocks: impl Iterator<Item = Block<'a>>) -> String {
    let frame = layout.frame();
    let mut text = String::new();
    for block in blocks {
        text.push_str(if text.is_empty() { &frame.open } else { &frame.between });
        text.push_str(&title(layout, block));
        let mut before: Option<&Run> = None;
        for run in block.runs {
            if before.is_some() {
                text.push_str(&frame.within);
            }
            text.push_str(&layout.opening(block.sheet, before, run));
            layout.escape(block.sheet.slice(run.rows.clone()), &mut text);
            if layout.ends_lines() && !text.ends_with('\n') {
                text.push('\n');
            }
            text.push_str(&layout.ending(block.sheet, run));
            before = Some(run);
        }
    }
    if text.is_empty() {
        return frame.empty.clone();
    }
    text.push_str(&frame.close);
    text
}

/// How many characters of what is shown had to be replaced.
pub fn replaced<'a>(press: &Press<'_>, blocks: impl Iterator<Item = Block<'a>>) -> usize {
    let Formatting { format, template, header, footer, .. } = press.formatting;
    if *format != Format::Xml || template.is_some() {
        return 0;
    }
    let layout = layout(press);
    let around = [header, footer].into_iter().flatten().map(|text| layout.replaced(text));
    let inside = blocks.map(|Block { sheet, runs }| {
        let rows = runs.iter().map(|run| layout.replaced(sheet.slice(run.rows.clone())));
        layout.replaced(&sheet.path) * runs.len() + rows.sum::<usize>()
    });
    around.sum::<usize>() + inside.sum::<usize>()
}

//! Renders the selected lines as text.
//!
//! A [`Renderer`] defines the text around the lines: Markdown, XML, JSON or plain text. Selection
//! measures exactly the pieces that [`write`] later concatenates, so the two cannot disagree. Every
//! piece starts with a line before which token counts add up. A user's [`Template`] is rendered and
//! counted as a whole instead.

mod escape;
mod json;
mod label;
mod markdown;
mod numbered;
mod options;
mod path;
mod plain;
mod sections;
mod template;
mod token_split;
mod xml;

use crate::source_file::SourceFile;
use kitbag_text::{Cancel, ChunkKind, ChunkPart, Provenance};
use kitbag_tokens::CachedCounter;
pub use options::{Format, Formatting, UnknownFormat};
pub use path::escape_path;
use std::ops::Range;
use std::sync::Arc;
use template::CompiledTemplate;
pub use template::{Template, TemplateError};
pub use token_split::{EscapedRows, TokenSplit};

/// Everything that the text depends on, apart from the selection.
#[derive(Clone, Copy)]
pub struct RenderContext<'a> {
    /// Files of the candidates.
    pub files: &'a [SourceFile],
    /// Token counter of the model.
    pub counting: &'a CachedCounter,
    /// Format and its options.
    pub formatting: &'a Formatting,
    /// Text of the task.
    pub task: &'a str,
    /// Maximum number of tokens of the text.
    pub budget: usize,
    /// Flag that stops a template.
    pub cancel: &'a Cancel,
}

/// A run of consecutive rows that are shown.
#[derive(Debug, Clone, PartialEq)]
pub struct LineRun {
    pub rows: Range<usize>,
    /// Whether any of the rows belong to an outline.
    pub has_outline: bool,
    /// The parts of split items that are shown, in order.
    pub parts: Vec<ChunkPart>,
    /// Number of truncated rows that would follow.
    pub truncated_rows: usize,
    /// The best relevance of its chunks.
    pub relevance: f64,
    /// The best score of its chunks.
    pub score: f64,
    /// The provider of the best chunk.
    pub from: Option<Arc<Provenance>>,
    /// The kind and name of its symbol, if it has a single chunk.
    pub symbol: Option<(ChunkKind, String)>,
}

impl LineRun {
    /// Returns the parts of items that are not shown completely.
    fn incomplete_parts(&self) -> impl Iterator<Item = &ChunkPart> {
        let follows = |a: &ChunkPart, b: &ChunkPart| a.of == b.of && a.number + 1 == b.number;
        let is_whole =
            |item: &&[ChunkPart]| item[0].number == 1 && item.len() == item[0].of as usize;
        self.parts.chunk_by(follows).filter(move |item| !is_whole(item)).flatten()
    }

    /// Returns the parts of items that are not shown completely, such as `1 of 2, 2 of 3`.
    fn part_label(&self) -> String {
        let parts = self.incomplete_parts().map(|part| format!("{} of {}", part.number, part.of));
        parts.collect::<Vec<_>>().join(", ")
    }

    /// Whether it shows a single line.
    pub fn is_single_line(&self, file: &SourceFile) -> bool {
        let span = file.span(&self.rows);
        span.start == span.end
    }
}

/// Runs of one file under one heading: all of them, or those of one chunk.
#[derive(Clone, Copy)]
pub struct FileBlock<'a> {
    pub file: &'a SourceFile,
    /// The runs, in line order.
    pub runs: &'a [LineRun],
}

/// The text before, between and after the blocks.
#[derive(Debug, Clone, Default)]
pub struct Delimiters {
    pub open: String,
    pub between_blocks: String,
    pub between_runs: String,
    pub close: String,
    /// The whole text if there are no blocks.
    pub empty: String,
}

/// Properties of all runs of a block, for its heading.
#[derive(Debug, Clone, Copy)]
pub struct RunSummary {
    /// Whether any run has a label.
    pub has_labels: bool,
    /// Whether there is a single run of a single line.
    pub is_single_line: bool,
    /// The best relevance.
    pub relevance: f64,
}

/// The text around the run labels in the heading of a block. Labels are separated by `, `.
#[derive(Debug, Clone, Default)]
pub struct BlockHeading {
    pub prefix: String,
    pub suffix: String,
}

impl BlockHeading {
    /// Returns the heading with the labels of `runs`.
    pub fn with_labels<'r>(
        self,
        renderer: &dyn Renderer,
        file: &SourceFile,
        runs: impl Iterator<Item = &'r LineRun>,
    ) -> String {
        let Self { prefix: mut heading, suffix } = self;
        let mut is_first = true;
        for run in runs {
            let label = renderer.run_label(file, run, is_first);
            if !label.is_empty() {
                heading.push_str(if is_first { "" } else { ", " });
                heading.push_str(&label);
                is_first = false;
            }
        }
        heading.push_str(&suffix);
        heading
    }
}

/// A built-in format.
pub trait Renderer {
    fn delimiters(&self) -> &Delimiters;

    /// Returns the text around the labels in a block's heading: whole lines together, or nothing.
    fn heading(&self, _file: &SourceFile, _summary: RunSummary) -> BlockHeading {
        BlockHeading::default()
    }

    /// Returns the label of a run in the heading; empty if it has none.
    fn run_label(&self, _file: &SourceFile, _run: &LineRun, _is_first: bool) -> String {
        String::new()
    }

    /// Returns the text before the rows of a run.
    fn run_prefix(&self, file: &SourceFile, previous: Option<&LineRun>, run: &LineRun) -> String;

    /// Returns the text after the rows of a run.
    fn run_suffix(&self, file: &SourceFile, run: &LineRun) -> String;

    /// Returns examples of the first line of headings, run prefixes and what follows a block.
    fn first_lines(&self) -> &'static [&'static str];

    /// Whether rows are shown in another form than in the file. Each row is written independently of the
    /// others.
    fn escapes(&self) -> bool {
        false
    }

    /// Appends the escaped text of some rows.
    fn escape(&self, text: &str, into: &mut String) {
        into.push_str(text);
    }

    /// Appends some rows as they are shown.
    fn write_rows(&self, file: &SourceFile, rows: Range<usize>, into: &mut String) {
        self.escape(file.slice(rows), into);
    }

    /// Whether a run without a final newline gets one.
    fn ends_lines(&self) -> bool {
        true
    }
}

/// Returns the renderer of the configured format.
pub fn renderer(context: &RenderContext<'_>) -> Box<dyn Renderer> {
    let formatting = context.formatting;
    let renderer: Box<dyn Renderer> = match formatting.format {
        Format::Markdown => Box::new(markdown::Markdown::new(formatting)),
        Format::Xml => Box::new(xml::Xml::new(formatting)),
        Format::Json => Box::new(json::Json::new(formatting)),
        Format::Plain => Box::new(plain::Plain::new(formatting, context.files)),
    };
    if formatting.number_lines { Box::new(numbered::Numbered(renderer)) } else { renderer }
}

/// Writes whole texts, in a built-in format or with a template.
pub enum TextWriter<'a> {
    Template(Box<CompiledTemplate<'a>>),
    Format(Box<dyn Renderer>),
}

impl<'a> TextWriter<'a> {
    pub fn new(context: &RenderContext<'a>) -> Result<Self, TemplateError> {
        Ok(match context.formatting.active_template() {
            Some(template) => Self::Template(Box::new(CompiledTemplate::new(template)?)),
            None => Self::Format(renderer(context)),
        })
    }

    pub fn write<'b>(
        &self,
        context: &RenderContext<'_>,
        blocks: impl Iterator<Item = FileBlock<'b>>,
    ) -> Result<String, TemplateError> {
        match self {
            Self::Template(template) => template.render(context, blocks),
            Self::Format(renderer) => Ok(write(&**renderer, blocks)),
        }
    }
}

/// Returns the heading of a block.
fn heading(renderer: &dyn Renderer, FileBlock { file, runs }: FileBlock<'_>) -> String {
    let summary = RunSummary {
        has_labels: runs.iter().any(|run| !renderer.run_label(file, run, false).is_empty()),
        is_single_line: matches!(runs, [only] if only.is_single_line(file)),
        relevance: runs.iter().map(|run| run.relevance).fold(0.0, f64::max),
    };
    renderer.heading(file, summary).with_labels(renderer, file, runs.iter())
}

/// Renders the whole text.
fn write<'a>(renderer: &dyn Renderer, blocks: impl Iterator<Item = FileBlock<'a>>) -> String {
    let delimiters = renderer.delimiters();
    let mut text = String::new();
    for block in blocks {
        let is_first = text.is_empty();
        text.push_str(if is_first { &delimiters.open } else { &delimiters.between_blocks });
        text.push_str(&heading(renderer, block));
        let mut previous: Option<&LineRun> = None;
        for run in block.runs {
            if previous.is_some() {
                text.push_str(&delimiters.between_runs);
            }
            text.push_str(&renderer.run_prefix(block.file, previous, run));
            renderer.write_rows(block.file, run.rows.clone(), &mut text);
            if renderer.ends_lines() && !text.ends_with('\n') {
                text.push('\n');
            }
            text.push_str(&renderer.run_suffix(block.file, run));
            previous = Some(run);
        }
    }
    if text.is_empty() {
        return delimiters.empty.clone();
    }
    text.push_str(&delimiters.close);
    text
}

/// Returns the number of characters in the text that were replaced.
pub fn replaced_chars<'a>(
    context: &RenderContext<'_>,
    blocks: impl Iterator<Item = FileBlock<'a>>,
) -> usize {
    let Formatting { format, template, header, footer, .. } = context.formatting;
    if *format != Format::Xml || template.is_some() {
        return 0;
    }
    let replaced = |text: &str| text.chars().filter(|&c| !escape::is_xml_char(c)).count();
    let around = [header, footer].into_iter().flatten().map(|text| replaced(text));
    let inside = blocks.map(|FileBlock { file, runs }| {
        let rows = runs.iter().map(|run| replaced(file.slice(run.rows.clone())));
        replaced(&file.path) * runs.len() + rows.sum::<usize>()
    });
    around.sum::<usize>() + inside.sum::<usize>()
}

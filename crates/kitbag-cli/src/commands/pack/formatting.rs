//! The flags for the format of a pack.

use crate::args::value_name;
use crate::exit::CliError;
use crate::files;
use clap::{Args, ValueEnum};
use kitbag::Template;
use serde_json::Value;
use std::path::PathBuf;

/// Maximum size of a template.
const MAX_TEMPLATE_BYTES: u64 = 1 << 20;

#[derive(Debug, Args)]
pub struct FormattingArgs {
    /// Format of the text [default: markdown].
    #[arg(long, value_enum)]
    format: Option<FormatArg>,
    /// Render the text with a MiniJinja template, instead of a format.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["format", "detailed"])]
    template: Option<PathBuf>,
    /// Text at the beginning of the pack.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    header: Option<String>,
    /// Text at the end of the pack.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    footer: Option<String>,
    /// Text between two files in Markdown and plain text, instead of a blank line.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    separator: Option<String>,
    /// Begin with the contents of the pack: what is in it and why, and what was left out.
    #[arg(long)]
    contents: bool,
    /// In Markdown, print path, lines and relevance on separate lines.
    #[arg(long)]
    detailed: bool,
    /// Show the relevance of each range of lines.
    #[arg(long)]
    scores: bool,
    /// Begin each line with its number, as in `42|`.
    #[arg(long)]
    number_lines: bool,
    /// Put the task before the pack, after the header.
    #[arg(long)]
    with_task: bool,
    /// Show line numbers (the default).
    #[arg(long, overrides_with = "no_line_numbers")]
    line_numbers: bool,
    /// Hide line numbers.
    #[arg(long, overrides_with = "line_numbers")]
    no_line_numbers: bool,
    /// List chunks best first, instead of grouped by file.
    #[arg(long)]
    no_grouping: bool,
    /// Maximum number of chunks.
    #[arg(long, value_name = "N", allow_negative_numbers = true,
          value_parser = clap::value_parser!(u32).range(1..))]
    max_chunks: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FormatArg {
    /// A header for each file, and fenced code blocks.
    Markdown,
    /// A `<context>` with `<code-context>` elements.
    Xml,
    /// An object with a list of chunks.
    Json,
    /// Text with a boundary line.
    Plain,
}

impl FormattingArgs {
    /// Rejects `--detailed` for formats other than Markdown.
    pub fn check(&self) -> Result<(), CliError> {
        match self.format {
            Some(format) if self.detailed && format != FormatArg::Markdown => {
                let format = value_name(format);
                let message = format!("`--detailed` cannot be used with `--format {format}`");
                Err(CliError::usage(message, Some("`--detailed` applies to Markdown only")))
            }
            _ => Ok(()),
        }
    }

    pub fn template(&self) -> Result<Option<Template>, CliError> {
        let Some(path) = self.template.as_deref() else { return Ok(None) };
        let source = files::read_text(path, MAX_TEMPLATE_BYTES)?;
        Ok(Some(Template { name: path.display().to_string(), source }))
    }

    /// The settings that the flags override, relative to `context`.
    pub fn options(&self) -> [(&'static str, Option<Value>); 12] {
        let on = |flag: bool| flag.then(|| true.into());
        let off = |flag: bool| flag.then(|| false.into());
        let text = |text: &Option<String>| text.as_deref().map(Value::from);
        [
            ("formatting.format", self.format.map(|it| value_name(it).into())),
            ("formatting.header", text(&self.header)),
            ("formatting.footer", text(&self.footer)),
            ("formatting.separator", text(&self.separator)),
            ("formatting.contents", on(self.contents)),
            ("formatting.detailed", on(self.detailed)),
            ("formatting.scores", on(self.scores)),
            ("formatting.number_lines", on(self.number_lines)),
            ("formatting.with_task", on(self.with_task)),
            (
                "formatting.line_numbers",
                on(self.line_numbers).or_else(|| off(self.no_line_numbers)),
            ),
            ("formatting.group_by_file", off(self.no_grouping)),
            ("formatting.max_chunks", self.max_chunks.map(Into::into)),
        ]
    }
}

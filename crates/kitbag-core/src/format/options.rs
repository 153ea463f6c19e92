//! What can be set about the text.

use super::plain::SHORTEST;
use super::sections::SECTIONS;
use super::template::Template;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// How the text of a pack looks. The default is plain Markdown without anything around it.
#[derive(Debug, Clone, PartialEq)]
pub struct Formatting {
    /// The format, where there is no template.
    pub format: Format,
    /// A template of the user's own, in place of a format.
    pub template: Option<Template>,
    /// A text at the beginning.
    pub header: Option<String>,
    /// A text at the end.
    pub footer: Option<String>,
    /// Chunks of one file stand together, in line order. Otherwise each stands alone, best first.
    pub group_by_file: bool,
    /// The lines that are shown are named by their numbers.
    pub line_numbers: bool,
    /// The relevance of what is shown stands beside it in Markdown and plain text, where it
    /// otherwise does not, and the score in XML and JSON, which always have the relevance.
    pub scores: bool,
    /// So many chunks at the most.
    pub max_chunks: Option<usize>,
    /// What stands between two files in Markdown and plain text, on lines of its own; a blank line
    /// where there is none.
    pub separator: Option<String>,
    /// In Markdown, path, lines and relevance stand on lines of their own.
    pub detailed: bool,
    /// In Markdown, what each provider gave stands under a title of its own.
    pub sections: bool,
    /// The boundary lines of plain text have so many hyphens at the least.
    pub boundary: usize,
    /// What templates find in `variables`, beside what each pack has.
    pub variables: BTreeMap<String, String>,
}

impl Default for Formatting {
    fn default() -> Self {
        Self {
            format: Format::Markdown,
            template: None,
            header: None,
            footer: None,
            group_by_file: true,
            line_numbers: true,
            scores: false,
            max_chunks: None,
            separator: None,
            detailed: false,
            sections: false,
            boundary: SHORTEST,
            variables: BTreeMap::new(),
        }
    }
}

impl Formatting {
    /// What a report calls the format.
    pub fn name(&self) -> &'static str {
        if self.template.is_some() { "template" } else { self.format.name() }
    }

    /// The template that makes the text, where one does: the user's own, or that of sections.
    pub(crate) fn made_by(&self) -> Option<&Template> {
        let sections = self.sections && self.format == Format::Markdown;
        self.template.as_ref().or_else(|| sections.then(|| &*SECTIONS))
    }

    /// The header's text without the line ends at its end, if it has any text.
    pub(super) fn header_text(&self) -> Option<&str> {
        self.header.as_deref().and_then(text)
    }

    /// The footer's, in the same way.
    pub(super) fn footer_text(&self) -> Option<&str> {
        self.footer.as_deref().and_then(text)
    }

    /// What stands between two files, line end included.
    pub(super) fn separator_lines(&self) -> String {
        let separator = self.separator.as_deref().unwrap_or_default();
        let ended = separator.ends_with('\n');
        if ended { separator.to_owned() } else { format!("{separator}\n") }
    }
}

fn text(text: &str) -> Option<&str> {
    Some(text.trim_end_matches(['\r', '\n'])).filter(|text| !text.is_empty())
}

/// The formats that are built in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Format {
    /// A header for each file, and fenced blocks of code.
    #[default]
    Markdown,
    /// A `<context>` of `<code-context>` elements.
    Xml,
    /// An object with a list of chunks.
    Json,
    /// Text with a boundary line.
    Plain,
}

impl Format {
    /// All of them, the default first.
    pub const ALL: [Format; 4] = [Self::Markdown, Self::Xml, Self::Json, Self::Plain];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Markdown => "markdown",
            Self::Xml => "xml",
            Self::Json => "json",
            Self::Plain => "plain",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that no format has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no format is called `{name}`; there are `markdown`, `xml`, `json` and `plain`")]
pub struct UnknownFormat {
    /// The name.
    pub name: String,
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        let known = Self::ALL.into_iter().find(|format| format.name() == name);
        known.ok_or_else(|| UnknownFormat { name: name.to_owned() })
    }
}

//! Options of the text.

use super::plain::MIN_BOUNDARY_LEN;
use super::sections::SECTIONS;
use super::template::Template;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// Format of a pack's text. The default is Markdown without header and footer.
#[derive(Debug, Clone, PartialEq)]
pub struct Formatting {
    /// Built-in format, unless there is a template.
    pub format: Format,
    /// The user's own template.
    pub template: Option<Template>,
    /// Text at the beginning.
    pub header: Option<String>,
    /// Text at the end.
    pub footer: Option<String>,
    /// Whether to group chunks by file, in line order. Otherwise each chunk is separate, best first.
    pub group_by_file: bool,
    /// Whether to show line numbers.
    pub line_numbers: bool,
    /// Whether to show the relevance in Markdown and plain text, and the score in XML and JSON,
    /// which always show the relevance.
    pub scores: bool,
    /// Maximum number of chunks.
    pub max_chunks: Option<usize>,
    /// Separator line between two files in Markdown and plain text; a blank line by default.
    pub separator: Option<String>,
    /// Whether Markdown headers show path, lines and relevance on separate lines.
    pub detailed: bool,
    /// Whether Markdown has a section for each provider.
    pub sections: bool,
    /// Whether each line begins with its number, as in `42|`. Generated texts have no numbers.
    pub number_lines: bool,
    /// Whether the task follows the header.
    pub with_task: bool,
    /// Minimum number of hyphens in the boundary lines of plain text.
    pub min_boundary_len: usize,
    /// Additional variables for templates.
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
            number_lines: false,
            with_task: false,
            sections: false,
            min_boundary_len: MIN_BOUNDARY_LEN,
            variables: BTreeMap::new(),
        }
    }
}

impl Formatting {
    /// Returns the name of the format in reports.
    pub fn name(&self) -> &'static str {
        if self.template.is_some() { "template" } else { self.format.name() }
    }

    /// Returns the template that renders the text, if any: the user's own, or that of sections.
    pub(crate) fn active_template(&self) -> Option<&Template> {
        let has_sections = self.sections && self.format == Format::Markdown;
        self.template.as_ref().or_else(|| has_sections.then(|| &*SECTIONS))
    }

    /// Returns the header without trailing line endings; `None` if it is empty.
    pub(super) fn header_text(&self) -> Option<&str> {
        trimmed(self.header.as_deref())
    }

    /// Returns the footer without trailing line endings; `None` if it is empty.
    pub(super) fn footer_text(&self) -> Option<&str> {
        trimmed(self.footer.as_deref())
    }

    /// Returns the separator between two files, with its line ending.
    pub(super) fn separator_lines(&self) -> String {
        let separator = self.separator.as_deref().unwrap_or_default();
        let ended = separator.ends_with('\n');
        if ended { separator.to_owned() } else { format!("{separator}\n") }
    }
}

fn trimmed(text: Option<&str>) -> Option<&str> {
    text.map(|text| text.trim_end_matches(['\r', '\n'])).filter(|text| !text.is_empty())
}

/// A built-in format.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// A header for each file, and fenced code blocks.
    #[default]
    Markdown,
    /// A `<context>` of `<code-context>` elements.
    Xml,
    /// An object with a list of chunks.
    Json,
    /// Text with boundary lines.
    Plain,
}

impl Format {
    /// All formats, the default first.
    pub const ALL: [Format; 4] = [Self::Markdown, Self::Xml, Self::Json, Self::Plain];

    /// Returns the name of the format.
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

/// A format name that does not exist.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown format `{name}`; use `markdown`, `xml`, `json` or `plain`")]
pub struct UnknownFormat {
    /// The unknown name.
    pub name: String,
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        let known = Self::ALL.into_iter().find(|format| format.name() == name);
        known.ok_or_else(|| UnknownFormat { name: name.to_owned() })
    }
}

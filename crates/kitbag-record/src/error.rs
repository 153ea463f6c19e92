//! Errors of operations on records.

use std::fmt;
use std::path::PathBuf;

/// An error of an operation on records.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// No folder for records is available.
    #[error("no folder for records")]
    NoFolder,
    /// The repository has no readable records.
    #[error("no pack of `{}` is recorded", repo.display())]
    None {
        /// The repository's folder.
        repo: PathBuf,
        /// Number of records that could not be read.
        unreadable: usize,
    },
    /// The name counts back further than there are records.
    #[error("no record `{name}`, only {}", kitbag_text::plural(*count, "record"))]
    TooFew {
        /// The requested name.
        name: String,
        /// Number of records in the repository.
        count: usize,
    },
    /// No record matches the name.
    #[error("no record `{name}`")]
    Unknown {
        /// The requested name.
        name: String,
        /// The most similar id.
        similar: Option<String>,
    },
    /// The name is a prefix of several ids.
    #[error("several records begin with `{name}`: {}", matching.join(", "))]
    Ambiguous {
        /// The requested name.
        name: String,
        /// The ids that begin with `name`.
        matching: Vec<String>,
    },
    /// The record exists but cannot be read.
    #[error("the record `{name}` cannot be read: {why}")]
    Unreadable {
        /// The name of the record.
        name: String,
        /// The reason for the failure.
        why: String,
    },
    /// The packed lines are no longer available in their original form.
    #[error("the pack cannot be rendered again: {}", what.join("; "))]
    Drifted {
        /// Descriptions of the changes.
        what: Vec<String>,
    },
    /// The template is missing or has changed.
    #[error("the pack cannot be rendered again: the template `{name}` {why}")]
    Template {
        /// The name of the template.
        name: String,
        /// The reason why the template cannot be used.
        why: &'static str,
    },
    /// The header, footer or separator of the pack is not available.
    #[error("the pack cannot be rendered again: its {} is not in the record", list(what))]
    MissingFrameText {
        /// The names of the missing texts.
        what: Vec<FrameText>,
    },
    /// The rendered text differs from the text of the pack.
    #[error("the pack cannot be rendered again: the result would differ")]
    TextDiffers,
    /// The argument is not a valid reference to a line.
    #[error("expected a file and a line such as `src/a.rs:42`, not `{place}`")]
    Place {
        /// The argument as given.
        place: String,
    },
}

impl RecordError {
    /// Returns whether the error is caused by an invalid argument.
    pub fn is_usage(&self) -> bool {
        use RecordError::{Ambiguous, Place, TooFew, Unknown};
        matches!(self, Unknown { .. } | TooFew { .. } | Ambiguous { .. } | Place { .. })
    }

    /// Returns advice on how to resolve the error.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::NoFolder => "set XDG_CACHE_HOME or HOME",
            Self::None { unreadable: 0, .. } => {
                "create one with `kitbag pack \"why does login fail?\"` (without --no-record, and \
                 with a writable cache folder), or name the packed folder with --repo"
            }
            Self::None { .. } => "the existing records cannot be read; pack again",
            Self::TooFew { .. } => {
                "`@0` is the latest record and `@1` the one before; `kitbag show --list` lists all"
            }
            Self::Unknown { similar: Some(similar), .. } => {
                return Some(format!("did you mean `{similar}`? `kitbag show --list` lists all"));
            }
            Self::Unknown { .. } | Self::Ambiguous { .. } => "`kitbag show --list` lists all",
            Self::Unreadable { .. } => "pack again to create a new record",
            Self::Drifted { .. } => {
                "`kitbag verify` lists the changes; --partial omits the changed lines"
            }
            Self::Template { .. } => "choose another format with --format",
            Self::MissingFrameText { what } => {
                let flags = what.iter().filter(|it| **it != FrameText::Separator);
                let flags: Vec<String> = flags.map(|it| format!("--{it} TEXT")).collect();
                let or = if flags.is_empty() { "" } else { ", or " };
                return Some(format!("{}{or}--partial to render without", flags.join(" ")));
            }
            Self::TextDiffers => {
                "a record contains neither the task nor the texts around the lines; --partial \
                 renders it anyway"
            }
            Self::Place { .. } => return None,
        };
        Some(hint.to_owned())
    }
}

/// A text of the user around the chunks of a pack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameText {
    Header,
    Footer,
    Separator,
}

impl fmt::Display for FrameText {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Header => "header",
            Self::Footer => "footer",
            Self::Separator => "separator",
        })
    }
}

fn list(texts: &[FrameText]) -> String {
    texts.iter().map(ToString::to_string).collect::<Vec<_>>().join(" and its ")
}

//! Errors of operations on records.

use std::path::PathBuf;

/// An error of an operation on records.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// No folder for records is available.
    #[error("there is no folder to keep records in")]
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
    #[error("there is no record `{name}`; there are {count}")]
    TooFew {
        /// The requested name.
        name: String,
        /// Number of records in the repository.
        count: usize,
    },
    /// No record matches the name.
    #[error("there is no record `{name}`")]
    Unknown {
        /// The requested name.
        name: String,
        /// The most similar id.
        nearest: Option<String>,
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
    #[error("the pack cannot be rendered again: its {} is not in the record", what.join(" and its "))]
    FrameIsGone {
        /// The names of the missing texts.
        what: Vec<&'static str>,
    },
    /// The rendered text differs from the text of the pack.
    #[error("the pack cannot be rendered again: the text does not come out the same to the byte")]
    NotTheSame,
    /// The argument is not a valid reference to a line.
    #[error("`{place}` is not a file with a line such as `src/a.rs:42`")]
    Place {
        /// The argument as given.
        place: String,
    },
}

impl RecordError {
    /// Returns whether the error is caused by an invalid argument.
    pub fn is_usage(&self) -> bool {
        matches!(
            self,
            Self::Unknown { .. }
                | Self::TooFew { .. }
                | Self::Ambiguous { .. }
                | Self::Place { .. }
        )
    }

    /// Returns advice on how to resolve the error.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NoFolder => Some("set XDG_CACHE_HOME or HOME".into()),
            Self::None { unreadable: 0, .. } => {
                Some(
                    "make one: kitbag pack \"why does login fail?\" (without --no-record, and with a \
                     cache folder that can be written), or name the folder of the pack with --repo"
                        .into(),
                )
            }
            Self::None { .. } => Some("those that are there cannot be read; pack again".into()),
            Self::TooFew { .. } => {
                Some("`@0` is the last, `@1` the one before; kitbag show --list has them".into())
            }
            Self::Unknown { nearest: Some(nearest), .. } => {
                Some(format!("did you mean `{nearest}`? kitbag show --list has them all"))
            }
            Self::Unknown { .. } | Self::Ambiguous { .. } => {
                Some("kitbag show --list has them all".into())
            }
            Self::Unreadable { .. } => Some("pack again to have a new one".into()),
            Self::Drifted { .. } => Some(
                "kitbag verify tells line by line; --partial leaves out what has changed".into(),
            ),
            Self::Template { .. } => Some("choose another format with --format".into()),
            Self::FrameIsGone { what } => {
                let flags = what.iter().filter(|it| **it != "separator");
                let flags: Vec<String> = flags.map(|it| format!("--{it} TEXT")).collect();
                let give = if flags.is_empty() { String::new() } else { flags.join(" ") + ", or " };
                Some(format!("{give}--partial to go without"))
            }
            Self::NotTheSame => Some(
                "a record holds neither the task nor texts around the lines; --partial prints it all \
                 the same"
                    .into(),
            ),
            Self::Place { .. } => None,
        }
    }
}

//! Why a question about a record has no answer.

use std::path::PathBuf;

/// Why a question about a record has no answer.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The engine has no folder for records.
    #[error("there is no folder to keep records in")]
    NoFolder,
    /// Nothing was recorded yet.
    #[error("no pack of `{}` is recorded", repo.display())]
    None {
        /// The repository's folder.
        repo: PathBuf,
        /// How many records could not be read.
        unreadable: usize,
    },
    /// There are not as many.
    #[error("there is no record `{name}`; there are {count}")]
    TooFew {
        /// What was asked for.
        name: String,
        /// How many there are.
        count: usize,
    },
    /// No record has this name.
    #[error("there is no record `{name}`")]
    Unknown {
        /// What was asked for.
        name: String,
        /// The one that is most like it.
        nearest: Option<String>,
    },
    /// Several records begin with this name.
    #[error("several records begin with `{name}`: {}", matching.join(", "))]
    Ambiguous {
        /// What was asked for.
        name: String,
        /// Those that begin with it.
        matching: Vec<String>,
    },
    /// The record is there, and cannot be read.
    #[error("the record `{name}` cannot be read: {why}")]
    Unreadable {
        /// Its name.
        name: String,
        /// Why.
        why: String,
    },
    /// What was packed cannot be read again as it was.
    #[error("the pack cannot be rendered again: {}", what.join("; "))]
    Drifted {
        /// What has changed, and how.
        what: Vec<String>,
    },
    /// The template is not the one that was used.
    #[error("the pack cannot be rendered again: the template `{name}` {why}")]
    Template {
        /// Its name.
        name: String,
        /// What is the matter with it.
        why: &'static str,
    },
    /// Texts of the caller's own stood around the lines, and are not there any more.
    #[error("the pack cannot be rendered again: its {} is not in the record", what.join(" and its "))]
    FrameIsGone {
        /// Which texts.
        what: Vec<&'static str>,
    },
    /// The text comes out other than it was.
    #[error("the pack cannot be rendered again: the text does not come out the same to the byte")]
    NotTheSame,
    /// A place is not one.
    #[error("`{place}` is not a file with a line such as `src/a.rs:42`")]
    Place {
        /// What was given.
        place: String,
    },
}

impl RecordError {
    /// Whether the caller asked for what cannot be.
    pub fn is_usage(&self) -> bool {
        matches!(
            self,
            Self::Unknown { .. }
                | Self::TooFew { .. }
                | Self::Ambiguous { .. }
                | Self::Place { .. }
        )
    }

    /// What to do about it.
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

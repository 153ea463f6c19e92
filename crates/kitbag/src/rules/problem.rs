//! What can be wrong with rules, and where.

use serde::Serialize;
use std::fmt;

/// How bad something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Something that somebody wrote cannot be used.
    Error,
    /// Something has no effect, or another one than it seems to have.
    Warning,
}

/// What is wrong at one place. It costs what stands there and nothing else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RuleProblem {
    /// How bad it is.
    pub severity: Severity,
    /// The file, relative to the root.
    pub path: String,
    /// The line, from 1, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The column in characters, from 1, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    /// A name for programs, such as `cycle` or `unknown_key`.
    pub code: &'static str,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl RuleProblem {
    pub(super) fn error(path: &str, code: &'static str, message: impl Into<String>) -> Self {
        let (path, message) = (path.to_owned(), message.into());
        let severity = Severity::Error;
        Self { severity, path, line: None, column: None, code, message, hint: None }
    }

    pub(super) fn warning(path: &str, code: &'static str, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(path, code, message) }
    }

    #[must_use]
    pub(super) fn at(self, (line, column): (usize, usize)) -> Self {
        Self { line: Some(line), column: Some(column), ..self }
    }

    #[must_use]
    pub(super) fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}

/// `path:line:column: message`.
impl fmt::Display for RuleProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path)?;
        for number in [self.line, self.column].into_iter().flatten() {
            write!(f, ":{number}")?;
        }
        write!(f, ": {}", self.message)
    }
}

/// Why rules cannot be told at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RulesError {
    /// The request names a context that there is not.
    #[error("unknown context `{name}`")]
    UnknownContext {
        /// What was asked for.
        name: String,
        /// The nearest context that there is.
        nearest: Option<String>,
    },
    /// The caller has cancelled it.
    #[error("cancelled")]
    Cancelled,
}

impl RulesError {
    /// What to do about it, where there is something to say.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::UnknownContext { nearest: Some(nearest), .. } => {
                Some(format!("the nearest context is `{nearest}`"))
            }
            Self::UnknownContext { .. } => {
                Some("contexts are files under `.agent/contexts`".to_owned())
            }
            Self::Cancelled => None,
        }
    }
}

/// The one of `known` that is most like `typed`.
pub(super) fn nearest<'a>(
    typed: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    known.into_iter().min_by_key(|it| strsim::damerau_levenshtein(typed, it))
}

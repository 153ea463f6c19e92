//! Errors and warnings about rules.

use kitbag_config::yaml::LineColumn;
use serde::Serialize;
use std::fmt;

/// Severity of a [`RuleProblem`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Something cannot be used.
    Error,
    /// Something has no effect, or an unexpected one.
    Warning,
}

/// An error or a warning about a rule file. Only the affected part of the file is not used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RuleProblem {
    /// Whether a part of the file cannot be used, or may only not work as intended.
    pub severity: Severity,
    /// Path of the file, relative to the root.
    pub path: String,
    /// Line, from 1, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// Column in characters, from 1, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    /// Stable identifier, such as `cycle` or `unknown_key`.
    pub code: &'static str,
    /// What is wrong.
    pub message: String,
    /// How to fix it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl RuleProblem {
    pub(crate) fn error(path: &str, code: &'static str, message: impl Into<String>) -> Self {
        let (path, message) = (path.to_owned(), message.into());
        let severity = Severity::Error;
        Self { severity, path, line: None, column: None, code, message, hint: None }
    }

    pub(crate) fn warning(path: &str, code: &'static str, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(path, code, message) }
    }

    #[must_use]
    pub(crate) fn at(self, LineColumn { line, column }: LineColumn) -> Self {
        Self { line: Some(line), column: Some(column), ..self }
    }

    #[must_use]
    pub(crate) fn hint<'a>(self, hint: impl Into<Option<&'a str>>) -> Self {
        Self { hint: hint.into().map(str::to_owned), ..self }
    }
}

/// Formats the problem as `path:line:column: message`.
impl fmt::Display for RuleProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path)?;
        for number in [self.line, self.column].into_iter().flatten() {
            write!(f, ":{number}")?;
        }
        write!(f, ": {}", self.message)
    }
}

/// A failure to evaluate rules.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RulesError {
    /// The requested context does not exist.
    #[error("unknown context `{name}`")]
    UnknownContext {
        /// The requested name.
        name: String,
        /// Suggests a similar context, or lists the known ones.
        hint: Option<String>,
    },
    /// The caller cancelled the evaluation.
    #[error("cancelled")]
    Cancelled,
}

impl RulesError {
    /// Returns how to fix the error, if there is advice.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::UnknownContext { hint, .. } => {
                let files = || "contexts are files under `.agent/contexts`".to_owned();
                Some(hint.clone().unwrap_or_else(files))
            }
            Self::Cancelled => None,
        }
    }
}

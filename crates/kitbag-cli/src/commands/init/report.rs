//! What happened to each part of each client.

use crate::ui;
use kitbag_mcp::init::{Client, ConfigEdit, InitError, Setup, SetupPart};
use serde::Serialize;

/// The change to a client's file; in a dry run, the change that would be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum InitAction {
    Added,
    Changed,
    Removed,
    Unchanged,
    /// The user said no.
    Declined,
    /// The client does not have this part.
    Unsupported,
    Failed,
}

/// A part of a client in the JSON report.
#[derive(Debug, Serialize)]
pub struct InitOutcome {
    pub client: &'static str,
    pub part: &'static str,
    path: Option<String>,
    pub action: InitAction,
    pub diff: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip)]
    is_dry_run: bool,
}

impl InitOutcome {
    pub fn new(edit: &ConfigEdit, action: InitAction, is_dry_run: bool) -> Self {
        Self {
            client: edit.client.title(),
            part: edit.part.title(),
            path: Some(edit.path.display().to_string()),
            action,
            diff: edit.diff(),
            error: None,
            is_dry_run,
        }
    }

    pub fn unsupported(client: Client, part: SetupPart) -> Self {
        Self {
            client: client.title(),
            part: part.title(),
            path: None,
            action: InitAction::Unsupported,
            diff: String::new(),
            error: None,
            is_dry_run: false,
        }
    }

    pub fn failed(client: Client, part: SetupPart, setup: &Setup, error: &InitError) -> Self {
        let path = setup.file(client, part).map(|path| path.display().to_string());
        let error = Some(error.to_string());
        Self { path, action: InitAction::Failed, error, ..Self::unsupported(client, part) }
    }

    /// Whether the file was changed, or would be.
    pub fn is_change(&self) -> bool {
        matches!(self.action, InitAction::Added | InitAction::Changed | InitAction::Removed)
    }

    /// Returns the question whether to make the change.
    pub fn question(&self, undo: bool) -> String {
        let Self { client, part, .. } = self;
        let (verb, preposition) = if undo { ("remove", "from") } else { ("write", "to") };
        let path = self.path.as_deref().unwrap_or_default();
        format!("{client}: {verb} the {part} {preposition} {path}?")
    }

    /// Prints a line on standard error. Errors are printed where they occur.
    pub fn print(&self, undo: bool) {
        let Self { client, part, .. } = self;
        let path = self.path.as_deref().unwrap_or_default();
        ui::note(&match self.action {
            InitAction::Failed => return,
            // Removing everything says nothing about parts that were never written.
            InitAction::Unchanged if undo && *part != SetupPart::Entry.title() => return,
            InitAction::Unchanged if undo => format!("{client}: no {part} in {path}"),
            InitAction::Unchanged => format!("{client}: {part} already in {path}"),
            InitAction::Unsupported => format!("{client}: there is no file for the {part}"),
            InitAction::Declined => format!("{client}: {part} skipped"),
            _ if self.is_dry_run => format!("{client}: would change {path}"),
            InitAction::Removed => format!("{client}: removed the {part} from {path}"),
            _ => format!("{client}: wrote the {part} to {path}"),
        });
    }
}
